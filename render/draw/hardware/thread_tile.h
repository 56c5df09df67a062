// ThreadTile: a tile of a tensor and who owns each element:
// the grid that instructions, tiled copies and fragments share.
//
//     mma.m16n8k16, operand A:   cell (9, 3) says T5 V3: lane 5 holds it in its value 3
//
// Hue is the quad of four lanes (a warp in tiles of several warps), lightness the lane within it. Every cell stands for
// its thread, so hovering one lights all that the thread holds, in A, in B and in C. An operand that every thread reads
// (shared memory) shows coordinates and colours by core matrix instead.
// Law: cell (r, c) says (t, v) exactly when threadValue(t, v) == r + rows * c.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/atlas/atlas.h"
#include "core/notation/cute/layout.h"
#include "render/figure/linked.h"

namespace tessera {

struct ThreadTile {
  i64 rows = 1, columns = 1;  // of the operand: index = row + rows * column
  cute::Layout threadValue;   // (thread, value) -> index
  cute::Layout threadId;      // thread -> lane; 32:1 unless quad pairs
  bool transposed = false;    // drawn with columns down: B as K x N, bits across
  i64 unit = 1;               // consecutive indices (along rows) in one cell: bits of copies
  bool shared = false;        // read by all: coordinates, not owners
};

// What the words behind the view isolate: `thread 5`, `quad 2`, `warp 0`. Everything else fades.
struct Isolated {
  enum class Kind : unsigned char { None, Thread, Quad, Warp } kind = Kind::None;
  i64 number = 0;
  [[nodiscard]] bool holds(i64 thread) const;
};
[[nodiscard]] Result<Isolated> isolatedOf(const std::vector<std::string>& arguments, std::string_view view);

// The grid at the origin. `threads` (of the whole instruction) fixes the colours. It knows the operand's elements, too:
// an element of a tensor of that shape is found where it lies.
[[nodiscard]] Grid gridOf(const ThreadTile& tile, const std::string& name, i64 threads, const Isolated& isolated);
// Elements of the tile (row + rows * column) and the threads that hold them; null where cells are no elements.
[[nodiscard]] LinkPtr heldLink(const ThreadTile& tile);
[[nodiscard]] ThreadTile threadTileOf(const AtlasRow& row, const AtlasOperand& operand);

}  // namespace tessera
