// inBands: independent rows of work, spread over the machine's cores.
//
//     inBands(512, 1000, [&](i64 from, i64 to) { for (i64 r = from; r < to; ++r) fill(r); });
//
// Law: the bands [from, to) partition 0 .. count-1, and all work is done on return. f runs on several threads at once;
// an exception is rethrown here after all threads have finished.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/types.h"

namespace tessera {

// `count` rows, in at most `most` bands (choose it by the amount of work), at most one per core and at most eight; one
// band runs on the caller's thread.
template <class F>
void inBands(i64 count, i64 most, const F& f) {
  const i64 cores = std::clamp<i64>(std::thread::hardware_concurrency(), 1, 8);
  const i64 bands = std::clamp<i64>(most, 1, cores);
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(bands));
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto band = [&](i64 from, i64 to) {
    try {
      f(from, to);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  i64 end = count;  // rows not yet taken by a thread
  for (i64 k = bands; --k > 0;) {
    try {
      others.emplace_back(band, count * k / bands, end);
    } catch (const std::system_error&) {
      break;  // no more threads available
    }
    end = count * k / bands;
  }
  band(i64{0}, end);
  for (std::thread& t : others) t.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace tessera
