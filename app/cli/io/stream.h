// StreamOfLines: answers the lines of a stream on all cores, in order and as they arrive.
//
//     composition(...)     any thread (atOnce)
//     A = (4,8):(8,1)      in turn (inTurn): after all earlier lines are answered, before any later one starts
//     coalesce(A)          any thread, with A visible
//
// Law: the answers and their order are those of inTurn on every line. An answer is emitted as soon as all earlier ones
// are. No available line waits for a line that has not arrived, so that a program can interact line by line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/io/output.h"

namespace tessera {

struct LineAnswer {
  struct Said {
    bool error = false;  // for standard error
    std::string text;    // for standard output: the bytes of readyLine()
  };
  std::vector<Said> said;
  bool failed = false;
  bool last = false;  // stop after this answer
};

struct StreamOfLines {
  // True if a line may change the meaning of others.
  std::function<bool(const std::string& text)> mayBind;
  // The number is 0-based. atOnce is called on any thread, but not while a line that may bind is running; nullopt: the
  // line must be answered in turn.
  std::function<std::optional<LineAnswer>(const std::string& text, std::size_t number)> atOnce;
  std::function<LineAnswer(const std::string& text, std::size_t number)> inTurn;
  // In order, on the calling thread. Returns false to stop.
  std::function<bool(const LineAnswer&)> emit;
  std::function<void()> flush;  // no more output for a while

  void run(LineReader& reader) const;
};

}  // namespace tessera
