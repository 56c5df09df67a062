// volume: how many cases a generated test tries.
//
//     for (int i = 0; i < volume(/*quick=*/300, /*full=*/100'000); ++i) ...
//
//     under the sanitizers         38        an eighth: there the tests look for errors of memory
//     ./test                       300       what is worth the time of every run
//     ./test full                  10,000    a tenth of the full volume
//     ctest -L thorough            100,000   manually; the closing note of an issue states the result
//
// The last two need the test case's name under PROPERTIES in tests/CMakeLists.txt. The seed is fixed: a longer
// run begins with the cases of a shorter one.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "core/base/work_budget.h"

namespace tessera::test {

[[nodiscard]] inline std::int64_t volume(std::int64_t quick, std::int64_t full) {
  if (std::getenv("TESSERA_THOROUGH") == nullptr) return kSlowdown > 1 ? (quick + 7) / 8 : quick;
  return std::getenv("TESSERA_TENTH") == nullptr ? full : full / 10;
}

}  // namespace tessera::test
