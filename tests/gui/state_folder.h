// A state folder for one test: it has only what windows of this test store.
#pragma once

#include <stdlib.h>

#include "app/session/session.h"
#include "tests/files/folder.h"

namespace tessera {

struct StateFolder {
  StateFolder() { ::setenv("TESSERA_STATE", (folder / "state.json").c_str(), 1); }
  ~StateFolder() { ::unsetenv("TESSERA_STATE"); }
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder / name; }
  TestFolder folder;
};

// A session whose journal is written when the test says so: session.sheets().flush().
struct KeptSession : Session {
  KeptSession() { keepSheets(Journal::Pace::ByHand); }
  void type(const std::string& text) {
    for (const char c : text) document().replace(document().caret(), document().caret(), {&c, 1}, /*typing=*/true);
  }
};

}  // namespace tessera
