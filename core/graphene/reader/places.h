// Slots: the memory places of a tensor's elements, for one thread at one step.
//
//     %10:[1,8:0,1].fp16.SH at @thr_grp_m=1, @grp_local_idx=2     addresses 160 .. 167, coordinates (10,0) .. (10,7)
//
// Law: slot k is element k of the tensor in logical order (atom.h); its address is swizzle(offset + sum of digit *
// stride), its coordinate origin + sum of digit * step. addressOf gives the same for one element (tests/graphene).
#pragma once

#include <span>
#include <vector>

#include "core/graphene/reader/formula.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

struct Slot {
  i64 address = 0;
  std::vector<i64> coordinate;  // in the declared dimensions
  bool operator==(const Slot&) const = default;
};

class Slots {
 public:
  static constexpr i64 kMost = 1 << 14;
  Slots() = default;
  // `values`: of the variables used by sizes and strides. A Diag: more than kMost elements, or a size without a value.
  [[nodiscard]] static Result<Slots> of(const Tensor& tensor, std::span<const i64> values);
  [[nodiscard]] std::size_t count() const { return relative_.size(); }
  // For a thread whose variables have these values; empty if an address has no value.
  [[nodiscard]] std::vector<i64> addresses(std::span<const i64> values) const;
  [[nodiscard]] std::vector<Slot> at(std::span<const i64> values) const;

 private:
  Formula offset_;
  std::vector<Formula> origin_;
  cute::Swizzle swizzle_;
  std::vector<Slot> relative_;
};

// The address of the element at `coordinate` of a tensor that owns its storage; -1: none.
[[nodiscard]] i64 addressIn(const Tensor& root, const std::vector<i64>& coordinate, std::span<const i64> values);
// Its declared extents as numbers; empty if one has no value.
[[nodiscard]] std::vector<i64> extentsOf(const Tensor& root, std::span<const i64> values);

}  // namespace tessera::graphene
