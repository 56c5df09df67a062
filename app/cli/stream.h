// StreamOfLines: what has been read of a stream is answered by all cores, in order, and at once.
//
//     composition(...)     any thread (atOnce)
//     A = (4,8):(8,1)      in turn (inTurn): when all before it are answered, and before any behind it begins
//     coalesce(A)          any thread, and it sees A
//
// Law: the answers, and their order, are those of inTurn on every line. An answer is said as soon as all before it are;
// a line that is there waits for no line that is still to come, so that a program can talk to us line by line.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/output.h"

namespace tessera {

struct LineAnswer {
  struct Said {
    bool error = false;  // for standard error
    std::string text;    // for standard output: the bytes of readyLine()
  };
  std::vector<Said> said;
  bool failed = false;
  bool last = false;  // nothing more is wanted
};

struct StreamOfLines {
  // True where a line may change what another one means.
  std::function<bool(const std::string& text)> mayBind;
  // The number counts from 0. atOnce is called on any thread, while no line that may bind is; nullopt where the line
  // must be answered in turn.
  std::function<std::optional<LineAnswer>(const std::string& text, std::size_t number)> atOnce;
  std::function<LineAnswer(const std::string& text, std::size_t number)> inTurn;
  // In order, on the calling thread. False: that was enough.
  std::function<bool(const LineAnswer&)> emit;
  std::function<void()> flush;  // nothing more will come for a while

  void run(LineReader& reader) const;
};

}  // namespace tessera
