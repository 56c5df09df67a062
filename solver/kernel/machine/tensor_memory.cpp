#include "solver/kernel/machine/tensor_memory.h"

#include <algorithm>

namespace tessera::kernel {

std::optional<int> TensorMemory::allocate(int columns, int step, std::uint32_t thread) {
  const int most = static_cast<int>(kTmemColumns);
  for (int first = 0; first + columns <= most; first += columns) {
    const auto from = used_.begin() + first;
    if (std::any_of(from, from + columns, [](bool used) { return used; })) continue;
    std::fill_n(from, columns, true);
    allocations_.push_back({first, columns, step, thread});
    cells_.resize(static_cast<std::size_t>(kTmemRows * kTmemColumns));
    std::fill_n(cells_.begin() + indexOf(0, first), columns * kTmemRows, Cell{});
    return first;
  }
  return std::nullopt;
}

void TensorMemory::free(int column, std::uint32_t by) {
  const auto at =
      std::find_if(allocations_.begin(), allocations_.end(), [&](const Allocation& a) { return a.column == column; });
  if (at == allocations_.end()) return;
  std::fill_n(used_.begin() + at->column, at->columns, false);
  std::fill_n(freed_.begin() + at->column, at->columns, by);
  const std::uint32_t first = indexOf(0, at->column), end = indexOf(0, at->column + at->columns);
  std::erase_if(more_, [&](const auto& entry) { return first <= entry.first && entry.first < end; });
  allocations_.erase(at);
}

const TensorMemory::Allocation* TensorMemory::allocationAt(int column) const {
  for (const Allocation& a : allocations_)
    if (a.column == column) return &a;
  return nullptr;
}

int TensorMemory::freeColumns() const { return static_cast<int>(std::count(used_.begin(), used_.end(), false)); }

TensorMemory::Cell* TensorMemory::cell(int lane, int column) {
  const bool exists = 0 <= lane && lane < kTmemRows && 0 <= column && column < kTmemColumns;
  return exists && used_[static_cast<std::size_t>(column)] ? &cells_[indexOf(lane, column)] : nullptr;
}

}  // namespace tessera::kernel
