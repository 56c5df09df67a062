#include "core/notation/xla/same_slots.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"

namespace tessera::xla {
namespace {

constexpr i64 kMostElements = i64{1} << 20;

// Some dimensions of an array, with the others at 0.
struct Piece {
  const Addressing& array;
  std::size_t begin = 0, end = 0;  // dimensions, last one fastest
};

struct Stride {
  i64 extent = 1, step = 0;
  bool operator==(const Stride&) const = default;
};

// The slot as strides of the piece's row-major index, slowest first, runs joined: a unique form for each function.
// nullopt: a tile cuts unevenly or dimensions are merged.
std::optional<std::vector<Stride>> stridesOf(const Piece& piece) {
  struct Cut {
    std::size_t dim;
    i64 weight;
    Stride stride;
  };
  std::vector<Cut> cuts;
  for (const Digit& d : digitsOf(piece.array.expansion(), piece.array.shape().sizes())) {
    if (d.dim == Digit::kShared && d.extent > 1) return std::nullopt;
    if (d.dim < piece.begin || d.dim >= piece.end) continue;
    if (d.uneven) return std::nullopt;
    if (d.extent > 1) cuts.push_back({d.dim, d.weight, {d.extent, d.stride}});
  }
  std::sort(cuts.begin(), cuts.end(),
            [](const Cut& x, const Cut& y) { return x.dim != y.dim ? x.dim < y.dim : x.weight > y.weight; });
  std::vector<Stride> out;
  for (std::size_t k = cuts.size(); k-- > 0;) {  // fastest first
    const Stride& s = cuts[k].stride;
    if (!out.empty() && s.step == out.back().step * out.back().extent) {
      out.back().extent *= s.extent;
    } else {
      out.push_back(s);
    }
  }
  return out;
}

bool next(std::vector<i64>& index, const Piece& piece) {
  for (std::size_t k = piece.end; k-- > piece.begin;) {
    if (++index[k] < piece.array.shape().dims()[k].size) return true;
    index[k] = 0;
  }
  return false;
}

Result<bool> same(const Piece& a, const Piece& b) {
  const auto x = stridesOf(a), y = stridesOf(b);
  if (x && y) return *x == *y;
  std::vector<i64> i(a.array.shape().rank(), 0), j(b.array.shape().rank(), 0);
  for (i64 n = 0; n < kMostElements; ++n) {
    spend(4);
    if (a.array.linear(i) != b.array.linear(j)) return false;
    if (!next(i, a) || !next(j, b)) return true;
  }
  return Diag{
      fmt::format("the first {} elements keep their slots; there are too many to compare, and tiles that do not "
                  "divide {} and {} leave no strides",
                  kMostElements, print(a.array.shape()), print(b.array.shape())),
      "sizes that are multiples of their tiles, or smaller ones"};
}

bool merges(const Addressing& array) {
  const std::vector<Digit> digits = digitsOf(array.expansion(), array.shape().sizes());
  return std::any_of(digits.begin(), digits.end(),
                     [](const Digit& d) { return d.dim == Digit::kShared && d.extent > 1; });
}

}  // namespace

Result<bool> sameSlots(const Addressing& a, const Addressing& b) {
  const std::vector<i64> x = a.shape().sizes(), y = b.shape().sizes();
  if (a.elements() == 0) return true;
  if (merges(a) || merges(b)) return same({a, 0, x.size()}, {b, 0, y.size()});
  std::size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    Piece left{a, i, i}, right{b, j, j};
    i64 sizeA = 1, sizeB = 1;  // at most the number of elements
    do {
      const bool first = i < x.size() && (sizeA <= sizeB || j == y.size());
      if (first) {
        sizeA *= x[i++];
      } else {
        sizeB *= y[j++];
      }
    } while (sizeA != sizeB);
    left.end = i;
    right.end = j;
    TESSERA_TRY(const bool agree, same(left, right));
    if (!agree) return false;
  }
  return true;
}

Result<bool> sameSlotsAlong(const Addressing& a, std::size_t dimA, const Addressing& b, std::size_t dimB) {
  return same({a, dimA, dimA + 1}, {b, dimB, dimB + 1});
}

}  // namespace tessera::xla
