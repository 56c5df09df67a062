#include "core/map/forms/recognise.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"

namespace tessera {
namespace {

std::vector<std::string> digitNames(const Map& map) { return mapped<std::string>(map.digits(), &Digit::name); }

Diag notStrided(const Map& map, const Expr& e) {
  return Diag{fmt::format("'{}' is not a sum of strides", print(e, digitNames(map))), "sums of digit * constant"};
}

// One bit of a word that is affine in the input bits: the xor of the input bits in `mask`, and of `constant`.
struct Bit {
  u64 mask = 0;
  bool constant = false;
  bool operator==(const Bit&) const = default;
};
using Bits = std::vector<Bit>;

class BitReader {
 public:
  BitReader(const Map& map, std::vector<int> firstBit) : map_(map), firstBit_(std::move(firstBit)) {}

  Result<Bits> read(const Expr& e) {
    std::optional<Diag> refused;
    childrenFirst(
        e, [&](const Expr& n) { return refused || known_.count(n) != 0; },
        [&](const Expr& n) {
          Result<Bits> b = one(n);
          if (!b) {
            refused = b.error();
            return;
          }
          while (!b->empty() && b->back() == Bit{}) b->pop_back();
          known_.emplace(n, *std::move(b));
        });
    if (refused) return *std::move(refused);
    return known_.at(e);
  }

 private:
  Diag refuse(const Expr& e, const std::string& why) const {
    return Diag{fmt::format("'{}' is not linear over bits: {}", print(e, digitNames(map_)), why),
                "shifts, masks, xors and sums that do not carry"};
  }

  Result<Bits> one(const Expr& e) {
    Bits b;
    if (e.op() == Op::Param) return refuse(e, "it is a symbolic size");
    if (e.op() == Op::Constant) {
      if (e.value() < 0) return refuse(e, "it is negative");  // allowed only as a factor
      b.resize(static_cast<std::size_t>(std::bit_width(static_cast<u64>(e.value()))));
      for (std::size_t r = 0; r < b.size(); ++r) b[r].constant = ((e.value() >> r) & 1) != 0;
      return b;
    }
    if (e.op() == Op::Digit) {
      const auto d = static_cast<std::size_t>(e.index());
      const int bits = std::countr_zero(static_cast<u64>(map_.digits()[d].extent));
      b.resize(static_cast<std::size_t>(bits));
      for (int r = 0; r < bits; ++r) b[static_cast<std::size_t>(r)].mask = u64{1} << (firstBit_[d] + r);
      return b;
    }
    const Bits& x = known_.at(e.lhs());
    const Bits& y = known_.at(e.rhs());
    switch (e.op()) {
      case Op::Xor:
        return combined(x, y);
      case Op::Add: {
        for (std::size_t r = 0; r < std::min(x.size(), y.size()); ++r)
          if (x[r] != Bit{} && y[r] != Bit{})
            return refuse(e, fmt::format("both summands can have bit {}, so the sum carries", r));
        return combined(x, y);
      }
      case Op::Min:
      case Op::Max:
        return refuse(e, "it compares two values");
      default:
        break;
    }
    if (!e.rhs().isConstant() || !isPowerOfTwo(e.rhs().value()))
      return refuse(e, fmt::format("'{}' is not a power of two", print(e.rhs(), digitNames(map_))));
    const auto k = static_cast<std::size_t>(std::countr_zero(static_cast<u64>(e.rhs().value())));
    // Bits from, from + 1, ... of x become bits up, up + 1, ...
    const std::size_t from = e.op() == Op::FloorDiv ? std::min(k, x.size()) : 0, up = e.op() == Op::Mul ? k : 0;
    const std::size_t count = e.op() == Op::Mod ? std::min(x.size(), k) : x.size() - from;
    if (count + up > 63) return refuse(e, "it needs more than 63 bits");
    b.resize(count + up);
    for (std::size_t r = 0; r < count; ++r) b[up + r] = x[from + r];
    return b;
  }

  static Bits combined(const Bits& x, const Bits& y) {
    Bits b = x;
    b.resize(std::max(x.size(), y.size()));
    for (std::size_t r = 0; r < y.size(); ++r) b[r] = {b[r].mask ^ y[r].mask, b[r].constant != y[r].constant};
    return b;
  }

  const Map& map_;
  std::vector<int> firstBit_;
  std::unordered_map<Expr, Bits> known_;
};

constexpr std::size_t kMaxNodes = 512;  // layouts have about a dozen

// Where the node splits a digit: d floordiv a, d mod b, (d floordiv a) mod b.
void addCuts(const Expr& n, std::vector<std::set<i64>>& cuts) {
  if ((n.op() != Op::FloorDiv && n.op() != Op::Mod) || !n.rhs().isConstant() || n.rhs().value() < 1) return;
  i64 below = 1;
  Expr digit = n.lhs();
  if (digit.op() == Op::FloorDiv && digit.rhs().isConstant() && digit.rhs().value() > 0) {
    below = digit.rhs().value();
    digit = digit.lhs();
  }
  if (digit.op() != Op::Digit) return;
  auto& of = cuts[static_cast<std::size_t>(digit.index())];
  of.insert(below);
  if (const auto at = checkedMul(below, n.rhs().value())) of.insert(*at);
}

// Weights of a digit's parts, starting with 1; empty if the cuts do not divide one another.
std::vector<i64> placesOf(const std::set<i64>& cuts, i64 extent) {
  std::vector<i64> places{1};
  for (const i64 c : cuts) {
    if (c <= 1 || c >= extent) continue;
    if (c % places.back() != 0) return {};
    places.push_back(c);
  }
  return places;
}

std::optional<Refined> withParts(const Map& map, const std::vector<std::vector<i64>>& places) {
  Refined out;
  std::vector<Digit> digits;
  std::vector<Guard> uneven;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Digit& d = map.digits()[k];
    if (d.extent > (i64{1} << 62)) return std::nullopt;  // rounding up may overflow
    Expr whole;
    i64 count = 1;
    out.partsOf.emplace_back();
    for (std::size_t p = 0; p < places[k].size(); ++p) {
      const i64 next = p + 1 < places[k].size() ? places[k][p + 1] : roundUp(d.extent, places[k][p]);
      whole = whole + Expr::digit(static_cast<int>(digits.size())) * places[k][p];
      out.partsOf.back().push_back(static_cast<int>(digits.size()));
      const std::string name = places[k].size() == 1 ? d.name : fmt::format("{}_{}", d.name, p);
      digits.push_back({name, next / places[k][p], d.kind});
      count = next;
    }
    if (count != d.extent) uneven.push_back({whole, 0, d.extent - 1});
    out.digits.push_back(whole);
  }
  std::vector<Guard> guards = substituted(map.guards(), out.digits);
  out.even = uneven.empty();
  guards.insert(guards.end(), uneven.begin(), uneven.end());
  auto made = Map::create(std::move(digits), substituted(map.axes(), out.digits), std::move(guards), map.params());
  if (!made) return std::nullopt;
  out.map = withSimplerValues(*made);
  return out;
}

bool injectiveOverBits(const Expr& post, i64 top) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<u64>(top)));
  if (bits > 62) return false;
  const auto form = asF2(post, bits);
  return form.ok() && rank(form->matrix) == bits;
}

}  // namespace

Result<Strided> asStrided(const Map& map, int axis) {
  const Expr e = simplified(map.axes()[static_cast<std::size_t>(axis)].value, environmentOf(map));
  const auto sum = linearSum(e);
  if (!sum) return notStrided(map, e);
  Strided out{sum->constant, std::vector<i64>(map.digits().size())};
  for (auto t = sum->terms.rbegin(); t != sum->terms.rend(); ++t) {
    if (t->part.op() != Op::Digit) return notStrided(map, t->part);
    out.strides[static_cast<std::size_t>(t->part.index())] = t->coefficient;
  }
  return out;
}

Result<F2Form> asF2(const Expr& e, int bits) {
  TESSERA_TRY(const Map word, Map::create({{"x", i64{1} << bits, DigitKind::Index}}, {{"y", e, std::nullopt}}));
  return asF2(word);
}

std::optional<Expr> abstracted(const Expr& e, const Expr& core) {
  std::unordered_map<Expr, Expr> done{{core, Expr::digit(0)}};
  bool another = false;
  childrenFirst(
      e, [&](const Expr& n) { return another || done.count(n) != 0; },
      [&](const Expr& n) {
        another = n.op() == Op::Digit || n.op() == Op::Param;
        if (!another) done.emplace(n, n.isConstant() ? n : Expr::binary(n.op(), done.at(n.lhs()), done.at(n.rhs())));
      });
  return another ? std::nullopt : std::optional(done.at(e));
}

Result<F2Form> asF2(const Map& map) {
  F2Form form;
  std::vector<int> firstBit;
  int bits = 0;
  for (const Digit& d : map.digits()) {
    if (!isPowerOfTwo(d.extent))
      return Diag{fmt::format("the extent {} of {} is not a power of two", d.extent, d.name), "powers of two"};
    firstBit.push_back(bits);
    const int own = std::countr_zero(static_cast<u64>(d.extent));
    for (int r = 0; r < own; ++r) form.inputBits.push_back(fmt::format("{}.{}", d.name, r));
    bits += own;
  }
  if (bits > 63) return Diag{fmt::format("{} coordinate bits", bits), "at most 63"};
  BitReader reader(map, std::move(firstBit));
  const Map simple = withSimplerValues(map);
  form.matrix.columns.assign(static_cast<std::size_t>(bits), 0);
  for (const Axis& a : simple.axes()) {
    TESSERA_TRY(const Bits word, reader.read(a.value));
    const int base = form.matrix.rows;
    if (base + static_cast<int>(word.size()) > 63) return Diag{"the axes need more than 63 bits together"};
    for (std::size_t r = 0; r < word.size(); ++r) {
      const int row = base + static_cast<int>(r);
      for (int c = 0; c < bits; ++c)
        if ((word[r].mask >> c) & 1) form.matrix.columns[static_cast<std::size_t>(c)] |= u64{1} << row;
      if (word[r].constant) form.constant |= u64{1} << row;
      form.outputBits.push_back(fmt::format("{}.{}", a.name, r));
    }
    form.axisBits.push_back(static_cast<int>(word.size()));
    form.matrix.rows += static_cast<int>(word.size());
  }
  return form;
}

std::optional<Refined> refined(const Map& map) {
  const Map simple = withSimplerValues(map);
  std::vector<std::set<i64>> cuts(map.digits().size());
  for (const Axis& a : simple.axes()) {
    if (nodeCount(a.value) > kMaxNodes) return std::nullopt;
    for (const Expr& n : nodesIn(a.value)) addCuts(n, cuts);
  }
  std::vector<std::vector<i64>> places;
  bool any = false;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    places.push_back(placesOf(cuts[k], map.digits()[k].extent));
    if (places.back().empty()) return std::nullopt;
    any = any || places.back().size() > 1;
  }
  if (!any) return std::nullopt;
  return withParts(simple, places);
}

std::optional<Outer> outerOf(const Map& map, int axis) {
  const Expr e = map.axes()[static_cast<std::size_t>(axis)].value;
  if (nodeCount(e) > kMaxNodes) return std::nullopt;
  const std::vector<Expr> nodes = nodesIn(e);
  const auto isXor = [](const Expr& n) { return n.op() == Op::Xor; };
  if (std::ranges::none_of(nodes, isXor)) return std::nullopt;
  FactBase facts(environmentOf(map));
  std::optional<Outer> found;
  for (std::size_t k = nodes.size() - 1; k-- > 0;) {  // parents come after children: largest first
    if (nodes[k].op() == Op::Constant || nodes[k].op() == Op::Param) continue;
    const auto post = abstracted(e, nodes[k]);
    if (!post) continue;
    const Facts& known = facts.of(nodes[k]);
    if (!known.fits || known.interval.lo < 0 || !injectiveOverBits(*post, known.interval.hi)) continue;
    found = Outer{*post, nodes[k], known.interval.hi};
    const auto below = nodesIn(nodes[k]);
    if (std::ranges::none_of(below, isXor)) break;
  }
  return found;
}

}  // namespace tessera
