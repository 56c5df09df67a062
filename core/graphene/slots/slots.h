// Slots: the elements of a tensor in logical order, as memory places and coordinates.
//
//     [2,2:4,2].[1,2:_,1]                                 FlatSlots: addresses 0 1 2 3 4 5 6 7
//     %10:[1,8:0,1].fp16.SH at @thr_grp_m=1, @idx=2       Slots: addresses 160 .. 167, coordinates (10,0) .. (10,7)
//
// Law: the outermost level is the slowest, then the first dimension, then the last mode of a dimension. The address of
// slot k is swizzle(offset + sum of digit * stride), its coordinate origin + sum of digit * step. addressOf gives the
// same for one element (tests/graphene). This is the only table of slots.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/expr/expr.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// Formula: a compiled expression of a program, evaluated for many threads.
//
//     Formula f(offset of %q[@gm,@gn]);   f.at({block, thread, ...})      128*@gm + 8*@gn, or nullopt
//
// Law: at(values) is the expression's value; nullopt if it has none, because of a division by zero, 64-bit overflow or
// a variable without a value. So a valid program never makes a picture fail.

class Formula {
 public:
  Formula() : Formula(Expr::constant(0)) {}
  explicit Formula(const Expr& e);
  [[nodiscard]] std::optional<i64> at(std::span<const i64> values) const;
  [[nodiscard]] bool mentions(int variable) const;

 private:
  struct Line {
    Op op = Op::Constant;
    std::size_t a = 0, b = 0;  // lines; for a param, its number
    i64 value = 0;
  };
  std::vector<Line> lines_;  // the last one is the result
  bool constant_ = false;
};

// A mode as numbers, and its declared dimension.
struct SlotDigit {
  i64 size, stride, step;
  std::size_t dim;
};
// The modes from the slowest to the fastest.
[[nodiscard]] std::vector<Mode> slotModes(const Tensor& tensor);
// The same as numbers; nullopt: a size, stride or step has no value. `units`: includes modes of one element, whose
// stride is irrelevant. Without `steps`, all steps are 0.
[[nodiscard]] std::optional<std::vector<SlotDigit>> slotDigits(const Tensor& tensor, std::span<const i64> values = {},
                                                               bool units = true, bool steps = true);
// The number of slots; nullopt: more than `most`, or a negative size.
[[nodiscard]] std::optional<i64> slotCount(const std::vector<SlotDigit>& digits, i64 most);
// The product of the sizes, possibly symbolic.
[[nodiscard]] Expr elementCount(const Tensor& tensor);
// The same for a tensor with constant sizes, if it is in [1, 2^31].
[[nodiscard]] std::optional<i64> slotCount(const Tensor& tensor);

// Flat arrays, because a kernel's operand has millions of elements.
struct FlatSlots {
  std::size_t count = 1;
  std::size_t dims = 0;          // declared dimensions
  std::vector<i64> addresses;    // by slot, without the tensor's offset and swizzle
  std::vector<i64> coordinates;  // `dims` per slot, without its origin
  [[nodiscard]] std::span<const i64> coordinate(std::size_t slot) const {
    return std::span(coordinates).subspan(slot * dims, dims);
  }
};
// Requires that slotCount of the digits has a value. Without coordinates if `dims` is 0.
[[nodiscard]] FlatSlots flatSlots(const std::vector<SlotDigit>& digits, std::size_t dims);
// Requires constant sizes, and constant strides of modes with more than one element.
[[nodiscard]] FlatSlots flatSlots(const Tensor& tensor);

struct Slot {
  i64 address = 0;
  std::vector<i64> coordinate;  // in the declared dimensions
  bool operator==(const Slot&) const = default;
};

// For one thread at one step.
class Slots {
 public:
  static constexpr i64 kMost = 1 << 14;
  Slots() = default;
  // `values`: of the variables used by sizes and strides. A Diag: more than kMost elements, or a size without a value.
  [[nodiscard]] static Result<Slots> of(const Tensor& tensor, std::span<const i64> values);
  [[nodiscard]] std::size_t count() const { return relative_.addresses.size(); }
  // For a thread whose variables have these values; empty if an address has no value.
  [[nodiscard]] std::vector<i64> addresses(std::span<const i64> values) const;
  [[nodiscard]] std::vector<Slot> at(std::span<const i64> values) const;

 private:
  Formula offset_;
  std::vector<Formula> origin_;
  cute::Swizzle swizzle_;
  FlatSlots relative_;
};

// The address of the element at `coordinate` of a tensor that owns its storage; -1: it has none.
[[nodiscard]] i64 addressIn(const Tensor& root, const std::vector<i64>& coordinate, std::span<const i64> values);
// Its declared extents as numbers; empty if one has no value.
[[nodiscard]] std::vector<i64> extentsOf(const Tensor& root, std::span<const i64> values);

}  // namespace tessera::graphene
