// Rounds: a loop through stages as rounds of copies of its body (rotation.h).
#pragma once

#include <functional>
#include <string>

#include "core/codegen/address/bases.h"

namespace tessera::codegen {

class Rounds {
 public:
  using Body = std::function<Result<void>()>;  // writes one copy
  Rounds(Variables& variables, ScopedText& text, Bases& bases, Writer& out)
      : variables_(variables), text_(text), bases_(bases), out_(out) {}

  // `convergent`: all threads reach the loop.
  Result<void> write(Rotation& r, bool convergent, const Body& body);

 private:
  // The copies of the body, each under `guard`, a format of the stage's name.
  Result<void> stages(const Turn& turn, i64 count, const std::string& guard, const Body& body);
  Result<void> leftOver(const Turn& turn, const Body& body);
  void stepPointers(const Rotation& r, bool ofStage);

  Variables& variables_;
  ScopedText& text_;
  Bases& bases_;
  Writer& out_;
};

}  // namespace tessera::codegen
