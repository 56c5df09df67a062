#include "core/paste/dialects.h"

#include <array>

namespace tessera::paste {

std::span<const Dialect* const> dialects() {
  static constexpr std::array<const Dialect*, 20> kRows = {
      &kWorksheet, &kHloModule,  &kGraphene,       &kCutePrint,   &kLinearDump, &kTritonModule, &kXla,
      &kCuteCpp,   &kCutePython, &kGluon,          &kTvm,         &kArrays,     &kTma,          &kComposable,
      &kAscend,    &kLlvm,       &kThunderKittens, &kInstruction, &kCode,       &kPythonCode};
  return kRows;
}

}  // namespace tessera::paste
