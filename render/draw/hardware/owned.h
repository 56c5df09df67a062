// owned: the elements that one thread holds, in their tile, with a slider for the thread.
//
//     show make_tiled_mma(mma.m16n8k16.f16, (2,2,1)) as owned 37
//         thread 37, lane 5 of warp 1:  A 8 of 512 elements, B 4 of 256, C 4 of 512; each cell shows the value, V0 ...
//
// Of a tiled mma it shows A, B and C as a matrix product, of a tiled copy its source and destination, of any other
// layout from hardware to elements the tensor. Law: a cell shows V exactly if (thread, V) is mapped to its element.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/atlas/thread_slice.h"
#include "core/layout/layout.h"
#include "render/draw/draw.h"

namespace tessera {

// One tile of the picture, for one thread.
struct OwnedTile {
  std::string name, what;
  i64 rows = 1, columns = 1;
  std::function<std::string(i64 row, i64 column)> value;  // "V3"; "" if the thread does not hold the element
  std::function<Point(i64 row, i64 column)> point;
  std::function<std::vector<std::pair<i64, i64>>(Point point, int limit)> find;
};
struct OwnedBy {
  i64 thread = 0, threads = 1;
};
// The thread that the words after the view or the slider choose: "5", "thread 5".
[[nodiscard]] Result<i64> chosenThread(const DrawOptions& options, i64 threads, i64 otherwise);
[[nodiscard]] Grid gridOf(const OwnedTile& tile, OwnedBy by);
// The slider, the badge and the caption of the thread, whose lane and warp are named if there is more than one warp.
void addThread(Figure& figure, OwnedBy by, const std::string& holds);
// "8 of 512 elements of A (V0 at 1,2; V1 at 1,3; ...)"
[[nodiscard]] std::string holdsText(const OwnedTile& tile, const std::string& of);

[[nodiscard]] Result<Figure> drawOwned(const TiledMma& tiled, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawOwned(const TiledCopy& tiled, const DrawOptions& options);
// Of the slice's own thread, unless another one is chosen.
[[nodiscard]] Result<Figure> drawOwned(const ThreadSlice& slice, const DrawOptions& options);
// render/draw/placed/owned.cpp: layouts that place elements on threads, and (thread, value) layouts.
[[nodiscard]] Result<Figure> drawOwnedLayout(const Layout& layout, const DrawOptions& options);

}  // namespace tessera
