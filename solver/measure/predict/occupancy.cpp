#include "solver/measure/predict/occupancy.h"

#include <algorithm>
#include <limits>

#include "core/codegen/kernel/multiprocessor.h"

namespace tessera::measure {

std::optional<Occupancy> occupancyOf(std::string_view architecture, i64 threads, i64 registers, i64 sharedBytes) {
  const auto m = codegen::multiprocessorOf(architecture);
  if (!m || threads < 1) return std::nullopt;
  const int asked = static_cast<int>(std::clamp<i64>(registers, 0, std::numeric_limits<int>::max()));
  const int blocks = codegen::blocksThatFit(*m, threads, asked, sharedBytes);
  return Occupancy{blocks, blocks * ((threads + 31) / 32), m->threads / 32};
}

}  // namespace tessera::measure
