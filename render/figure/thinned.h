// thinned: selects the cell whose colour represents a block of cells, if there are more cells than pixels.
//
//     hue of (r, c) = (c ^ r) mod 8, blocks of 8 x 1    a mean of eight hues is the same grey everywhere; the first row
//                                                       of each block has c alone. Row 8 k + k mod 8 shows the xor.
//
// Block k of side s is represented by its cell k mod s, so patterns within a block appear across blocks as they would
// up close, and patterns as large as blocks keep their place. Sides are powers of two and blocks are aligned to them,
// so panning moves the picture without changing it. Law: the colour is that of a cell of the block, the hottest one
// sampled if there is heat; a block is empty (padding, unreachable) only if most of its sampled cells are.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/types.h"
#include "render/figure/figure.h"

namespace tessera {

// The smallest power of two >= cells (1 for less).
[[nodiscard]] i64 blockSide(double cells);
// The block of rows x cols at (row0, col0), clipped to the grid. Requires at least one cell.
[[nodiscard]] Paint thinned(const CellSource& cells, i64 row0, i64 col0, i64 rows, i64 cols, i64 gridRows,
                            i64 gridCols);

// inBands: independent rows of work, spread over the machine's cores.
//
//     inBands(512, 1000, [&](i64 from, i64 to) { for (i64 r = from; r < to; ++r) fill(r); });
//
// Law: the bands [from, to) partition 0 .. count-1, and all work is done on return. f runs on several threads at once;
// an exception is rethrown here after all threads have finished.

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
