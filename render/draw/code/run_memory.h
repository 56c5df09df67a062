// RunMemory: a memory of a kernel at one step of its trace, as cells.
//
//     shared, 4096 bytes, all accesses of 4 bytes     32 columns: a row is 128 bytes, a column is one bank
//     A, f32[64,64]                                   64 columns: the array
//     cell (0,3) at a store of warp 1                 "35" in the colour of lane 3
//     cell (1,3), last written by thread 3            "3", grey; never written: pale and empty
//
// A large memory shows the rows that the block touches (shared memory), or those around the bytes of this step.
//
// Law (tests/render/kernel_player_test.cpp): a cell is coloured iff an access of the step touches one of its bytes; a
// grey one has the last writer before the step; find is the inverse of cell.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/code/run_trace.h"
#include "render/figure/figure.h"

namespace tessera {

using TracePtr = std::shared_ptr<const code::RunTrace>;

struct RunMemory {
  TracePtr trace;
  int memory = 0;
  std::size_t step = 0;
  i64 focus = -1;                              // the thread whose cells are lit
  std::optional<std::pair<i64, i64>> meeting;  // offset and bytes, lit
  bool onlyThere = false;                      // show only the rows around the meeting

  [[nodiscard]] i64 cellBytes() const;
  // A grid at the origin.
  [[nodiscard]] Grid grid() const;
  [[nodiscard]] std::string title() const;                // "shared", "A"
  [[nodiscard]] std::string placeText(i64 offset) const;  // "tile+132", "A[3,5]"
  [[nodiscard]] std::string rest() const;                 // "32 lanes write 4 bytes each; a column is a bank"
};

// The point of a byte's cell; equal in all steps.
[[nodiscard]] Point runMemoryPoint(const code::RunTrace& trace, int memory, i64 cell);
[[nodiscard]] std::string bytesText(std::span<const std::uint8_t> bytes);  // "0x3f800000", most significant first

}  // namespace tessera
