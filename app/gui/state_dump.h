// For scripts: the session, all widget positions, and the owner of the keys with what its keys can change, as JSON,
// whenever they change (TESSERA_STATE_DUMP=path).
#pragma once

#include <cstdlib>
#include <string>

#include "app/gui/commands.h"

namespace tessera {

class StateDump {
 public:
  // keys, frames: received and drawn so far. Frames are not a reason to write.
  void write(const Session& session, const WindowState& window, long keys, long frames);

 private:
  const char* path_ = std::getenv("TESSERA_STATE_DUMP");
  std::string last_;
};

}  // namespace tessera
