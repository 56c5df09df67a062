// TensorMemory: Blackwell's tensor memory of a block: 128 lanes x 512 columns of 32 bits, allocated by columns.
//
//     TensorMemory t;
//     t.allocate(64, by)     0: the first column that 64 columns are free from, a multiple of 64
//     t.cell(5, 63)          lane 5, column 63
//     t.cell(5, 64)          null: not allocated
//
// An address is (lane << 16) + column. A block has an SM to itself here, so an allocation waits for its own block's
// deallocations only. What was allocated has no value until it is written.
//
// Source: PTX ISA 9.0, 9.7.16.1 (tensor memory), 9.7.16.7.1 (tcgen05.alloc).
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/atlas/gmma.h"
#include "core/base/types.h"

namespace tessera::kernel {

// An address, "0x00200010": lane 32, column 16.
struct TensorAddress {
  explicit TensorAddress(u64 bits)
      : lane(static_cast<int>(bits >> 16 & 0xffff)), column(static_cast<int>(bits & 0xffff)) {}
  int lane, column;
};

class TensorMemory {
 public:
  struct Cell {
    std::uint32_t value = 0;
    std::uint32_t write = 0, read = 0;  // the last operations (tensor_order.h); 0: none
    std::uint8_t defined = 0;           // bit h: half h was written
    bool moreReads = false;             // further readers are in reads()
  };
  struct Allocation {
    int column = 0, columns = 0;
    int step = -1;             // of the alloc
    std::uint32_t thread = 0;  // that executed it
  };

  // The first column; nullopt if there is no room now. Requires: a power of two from 32 to 512.
  std::optional<int> allocate(int columns, int step, std::uint32_t thread);
  // `by`: the operation that frees it.
  void free(int column, std::uint32_t by);
  [[nodiscard]] std::uint32_t freedBy(int column) const {  // the last one; 0: none
    return 0 <= column && column < kTmemColumns ? freed_[static_cast<std::size_t>(column)] : 0;
  }
  [[nodiscard]] const Allocation* allocationAt(int column) const;  // that begins there
  [[nodiscard]] const std::vector<Allocation>& allocations() const { return allocations_; }
  [[nodiscard]] int freeColumns() const;

  // Null if it is not allocated.
  [[nodiscard]] Cell* cell(int lane, int column);
  // Reads of a cell beside Cell::read.
  [[nodiscard]] std::vector<std::uint32_t>& reads(int lane, int column) { return more_[indexOf(lane, column)]; }

  bool relinquished = false;

 private:
  [[nodiscard]] static std::uint32_t indexOf(int lane, int column) {
    return static_cast<std::uint32_t>(column * static_cast<int>(kTmemRows) + lane);
  }
  std::vector<Allocation> allocations_;
  std::array<bool, static_cast<std::size_t>(kTmemColumns)> used_{};
  std::array<std::uint32_t, static_cast<std::size_t>(kTmemColumns)> freed_{};
  std::vector<Cell> cells_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> more_;
};

}  // namespace tessera::kernel
