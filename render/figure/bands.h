// inBands: independent rows of work, spread over the machine's cores.
//
//     inBands(512, 1000, [&](i64 from, i64 to) { for (i64 r = from; r < to; ++r) fill(r); });
//
// Law: the bands [from, to) cover 0 .. count-1 exactly once; everything is done when it returns. f runs on several
// threads at once and must not throw.
#pragma once

#include <algorithm>
#include <thread>
#include <vector>

#include "core/base/types.h"

namespace tessera {

// At most `most` bands (what the work is worth), at most one a core, at most eight; one runs on the caller's thread.
template <class F>
void inBands(i64 count, i64 most, const F& f) {
  const i64 cores = std::clamp<i64>(std::thread::hardware_concurrency(), 1, 8);
  const i64 bands = std::clamp<i64>(most, 1, cores);
  std::vector<std::thread> others;
  for (i64 k = 1; k < bands; ++k) others.emplace_back(f, count * k / bands, count * (k + 1) / bands);
  f(i64{0}, count / bands);
  for (std::thread& t : others) t.join();
}

}  // namespace tessera
