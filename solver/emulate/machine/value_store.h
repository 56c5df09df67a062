// ValueStore: the values of a plan's roots, and their cells (memory/cells.h).
//
//     store.set(root, 0, 0, 33, value);        address 33 of an operand in global memory
//     store.read(root, place)                  place = copyOf(...) * root.places + address
//
// An operand in registers has a copy per thread of each block, a temporary one per thread of the running block.
#pragma once

#include <algorithm>
#include <optional>

#include "solver/emulate/machine/warp.h"

namespace tessera::graphene {

// The cells of a plan before the first kernel.
[[nodiscard]] std::vector<Cells> cellsOf(const Plan& plan);
// At the start of a kernel: all earlier accesses are ordered before it.
void beginKernel(std::vector<Cells>& cells);
// At the start of a block of it: temporaries are unwritten.
void beginBlock(const Plan& plan, const PlanSpec& kernel, std::vector<Cells>& cells);
// Before a decomposition that runs separately: earlier accesses are ordered, and registers are fenced.
void beginSpec(std::vector<Cells>& cells);
// A warp declares a temporary: it is unwritten.
void declare(const Plan& plan, std::vector<Cells>& cells, i64 block, Warp& w, int root);
// Memory used by the shadows.
[[nodiscard]] std::size_t trackedBytes(const std::vector<Cells>& cells);

template <class Domain>
class ValueStore {
 public:
  using Value = typename Domain::Value;

  ValueStore(const Plan& plan, Domain& domain) : plan_(plan), domain_(domain), cells_(cellsOf(plan)) {
    for (const Root& root : plan.roots)
      values_.emplace_back(static_cast<std::size_t>(root.places * root.copies), Domain::undefined());
    reset();
  }

  // Restores the initial state of temporaries and operands.
  void reset() {
    for (std::size_t r = 0; r < cells_.size(); ++r) {
      const bool operand = plan_.roots[r].operand;
      cells_[r].shadow.clear();
      std::ranges::fill(cells_[r].defined, operand ? 1 : 0);
      if (operand) std::ranges::fill(values_[r], Domain::absent());
    }
  }
  // The value of each place: value(block, thread, address).
  template <class Fill>
  void fill(int root, const Fill& value) {
    const Root& r = plan_.roots[root];
    const i64 threads = r.memory == Memory::Register ? plan_.threads : 1;
    for (i64 c = 0; c < r.copies; ++c)
      for (i64 a = 0; a < r.places; ++a) values_[root][c * r.places + a] = value(c / threads, c % threads, a);
  }
  void set(int root, i64 block, i64 thread, i64 address, Value value) {
    const i64 place = placeIn(plan_, plan_.roots[root], block, thread, address);
    if (place >= 0) write(root, place, value, 1);
  }
  // nullopt if it was never written.
  [[nodiscard]] std::optional<Value> value(int root, i64 block, i64 thread, i64 address) const {
    const Root& r = plan_.roots[root];
    const i64 place = placeIn(plan_, r, block, thread, address);
    const auto& defined = cells_[root].defined;
    if (place < 0 || (!defined.empty() && defined[place] == 0)) return std::nullopt;
    const Value found = values_[root][place];
    return Domain::kLazy && found == Domain::absent() ? domain_.input(root, place / r.places, address) : found;
  }

  // Requires: the place is defined.
  [[nodiscard]] Value read(int root, i64 place) {
    Value& value = values_[root][place];
    const i64 places = plan_.roots[root].places;
    if (Domain::kLazy && value == Domain::absent()) value = domain_.input(root, place / places, place % places);
    return value;
  }
  void write(int root, i64 place, Value value, std::uint32_t instance) {
    values_[root][place] = value;
    cells_[root].define(place, instance);
  }
  [[nodiscard]] std::vector<Cells>& cells() { return cells_; }

 private:
  const Plan& plan_;
  Domain& domain_;
  std::vector<Cells> cells_;                // by root
  std::vector<std::vector<Value>> values_;  // by root and place
};

}  // namespace tessera::graphene
