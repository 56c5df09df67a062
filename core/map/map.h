// Map: the common meaning that every notation lowers to.
//
// A map has named input digits 0 <= d < extent and named output axes, each an expression over the digits. The
// coordinate shown to users is lo + d; lo is 0 unless the notation counts from elsewhere (XLA's d0 in [3, 9] is lo 3,
// extent 7). Expressions, guards and every algorithm count from 0; printing adds lo.
//
//     (4,8):(8,1)            i in [0,4), j in [0,8)  ->  offset = i*8 + j
//     S[8:4@lane]+R[2:1@w]   x in [0,8), r fan [0,2) ->  lane = x*4, w = r
//
// A digit is Index (an argument) or Fan (ranged over, so that f(x) is a set: Axe's replicas, XLA's range variables).
// Guards lo <= expr <= hi define the real points (padding, XLA constraints, a symbolic extent d < n as n-1-d >= 0).
// Extents are at least 1; an empty domain is a guard that never holds (1 <= 0 <= 0), detected by isEmpty().
// Params are symbolic sizes: one unknown value each, the same for the whole map, in a known range.
//
// Laws: then(f, g)(x) == g(f(x)) for every real x; toMap(composition(a,b)) == toMap(b).then(toMap(a)) as tables.
// Placement law: healthy = injective on Index x Fan; a place not hit is a hole, two points on one place are aliasing.
// Not here: hierarchy (the profile of a CuTe shape) and algebra; those belong to the notations, whose toMap is total.
// Why expressions, not matrices: padding, xor and floordiv have to compose, and substitution is closed over them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/expr/expr.h"

namespace tessera {

enum class DigitKind : unsigned char { Index, Fan };

struct Digit {
  std::string name;
  i64 extent = 1;  // >= 1
  DigitKind kind = DigitKind::Index;
  i64 lo = 0;  // the shown coordinate is lo + digit
  bool operator==(const Digit&) const = default;
};

struct Axis {
  std::string name;  // "offset" for a memory layout, "lane", "row" ...
  Expr value;
  std::optional<i64> extent;  // the codomain [0, extent) if the notation declares one (cosize, 32 lanes)
  bool operator==(const Axis&) const = default;
};

struct Guard {
  Expr value;
  i64 lo = 0;
  i64 hi = 0;
  bool operator==(const Guard&) const = default;
};

struct Param {
  std::string name;
  i64 lo = 1;
  i64 hi = 1;
  bool operator==(const Param&) const = default;
};

// How one linear index is split over the Index digits.
enum class LinearOrder : unsigned char {
  Colex,  // first digit fastest: CuTe
  Lex,    // last digit fastest: Axe, XLA row-major
};

class Map {
 public:
  Map() = default;  // no digits, no axes
  // Checks: extents >= 1; coordinates fit 64 bits; digit and param indices in range; no divisor whose interval
  // contains 0; every sub-expression's interval fits in 64 bits (so evaluation cannot overflow). Otherwise a Diag that
  // names the axis and the numbers.
  [[nodiscard]] static Result<Map> create(std::vector<Digit> digits, std::vector<Axis> axes,
                                          std::vector<Guard> guards = {}, std::vector<Param> params = {});

  [[nodiscard]] const std::vector<Digit>& digits() const { return digits_; }
  [[nodiscard]] const Digit& digit(int k) const { return digits_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] const std::vector<Guard>& guards() const { return guards_; }
  [[nodiscard]] const std::vector<Param>& params() const { return params_; }

  // Positions of the Index and of the Fan digits, in order.
  [[nodiscard]] std::vector<int> indexDigits() const { return digitsOf(DigitKind::Index); }
  [[nodiscard]] std::vector<int> fanDigits() const { return digitsOf(DigitKind::Fan); }
  // Product of the Index extents; nullopt if it exceeds 2^63-1.
  [[nodiscard]] std::optional<i64> size() const;
  // Product of all extents (Index and Fan); nullopt if it exceeds 2^63-1.
  [[nodiscard]] std::optional<i64> pointCount() const;

  // Whether some guard never holds, syntactically. false does not mean that there is a point (see simplified).
  [[nodiscard]] bool isEmpty() const;
  // Whether some digit has lo != 0.
  [[nodiscard]] bool isShifted() const;

  // Axis values at one point (one value per digit, Fan included, in digit order). Guards are ignored.
  [[nodiscard]] std::vector<i64> at(std::span<const i64> digits, std::span<const i64> params = {}) const;
  [[nodiscard]] bool isReal(std::span<const i64> digits, std::span<const i64> params = {}) const;
  // f(x): every axis tuple over the Fan digits, sorted, without repeats. x has one value per Index digit.
  [[nodiscard]] std::vector<std::vector<i64>> imageOf(std::span<const i64> index,
                                                      std::span<const i64> params = {}) const;

  bool operator==(const Map&) const = default;  // syntax; see solver/prove for meaning

 private:
  [[nodiscard]] std::vector<int> digitsOf(DigitKind kind) const;

  std::vector<Digit> digits_;
  std::vector<Axis> axes_;
  std::vector<Guard> guards_;
  std::vector<Param> params_;
};

// "(i, j) -> (offset: i * 8 + j), domain: i in [0, 3], j in [0, 7]"; Fan digits in [..], params in {..} as in XLA.
// Variables are coordinates, lo included. "KNOWN EMPTY" if isEmpty(). indexing::parse reads it back.
[[nodiscard]] std::string print(const Map& map);

// Calls visit at every point of these digits, the first of them fastest; the other digits stay as in `point`.
template <typename Visit>
void eachPoint(const Map& map, const std::vector<int>& digits, std::vector<i64> point, Visit visit) {
  for (;;) {
    visit(std::span<const i64>(point));
    std::size_t k = 0;
    for (; k < digits.size(); ++k) {
      i64& at = point[static_cast<std::size_t>(digits[k])];
      if (++at < map.digit(digits[k]).extent) break;
      at = 0;
    }
    if (k == digits.size()) return;
  }
}

// Digits of a linear index; the first (Lex) or last (Colex) digit takes the unreduced quotient, as CuTe does.
[[nodiscard]] std::vector<i64> delinearize(i64 linear, std::span<const i64> extents, LinearOrder order);
[[nodiscard]] i64 linearize(std::span<const i64> coord, std::span<const i64> extents, LinearOrder order);

}  // namespace tessera
