#include "core/paste/dialects.h"

#include <array>

namespace tessera::paste {

std::span<const Dialect* const> dialects() {
  static constexpr std::array<const Dialect*, 18> kRows = {
      &kWorksheet,      &kCutePrint,   &kLinearDump, &kTritonModule, &kXla,        &kCuteCpp, &kCutePython,
      &kGluon,          &kTvm,         &kArrays,     &kTma,          &kComposable, &kAscend,  &kLlvm,
      &kThunderKittens, &kInstruction, &kCode,       &kPythonCode};
  return kRows;
}

}  // namespace tessera::paste
