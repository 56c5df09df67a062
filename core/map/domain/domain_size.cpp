#include "core/map/domain/domain_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/expr/compile.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/narrow.h"

namespace tessera {
namespace {

constexpr i64 kMostPoints = i64{1} << 22;
__extension__ using i128 = __int128;

struct Mentions {
  std::vector<int> digits;  // sorted, distinct
  std::optional<int> param;
};
Mentions mentions(const Expr& e) {
  Mentions found;
  childrenFirst(e, [&](const Expr& n) {
    if (n.op() == Op::Digit) found.digits.push_back(n.index());
    if (n.op() == Op::Param) found.param = n.index();
  });
  std::sort(found.digits.begin(), found.digits.end());
  return found;
}

// Digits connected by constraints, with those constraints.
struct Part {
  std::vector<int> digits;
  std::vector<Guard> guards;
};

std::vector<Part> partsOf(const Map& map) {
  std::vector<int> root(map.digits().size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int k) {
    while (root[static_cast<std::size_t>(k)] != k) k = root[static_cast<std::size_t>(k)];
    return k;
  };
  for (const Guard& g : map.guards()) {
    const std::vector<int> in = mentions(g.value).digits;
    for (const int k : in) root[static_cast<std::size_t>(find(k))] = find(in.front());
  }
  std::vector<Part> parts(map.digits().size());
  for (std::size_t k = 0; k < root.size(); ++k)
    parts[static_cast<std::size_t>(find(static_cast<int>(k)))].digits.push_back(static_cast<int>(k));
  for (const Guard& g : map.guards())
    if (const std::vector<int> in = mentions(g.value).digits; !in.empty())
      parts[static_cast<std::size_t>(find(in.front()))].guards.push_back(g);
  std::erase_if(parts, [](const Part& p) { return p.digits.empty(); });
  return parts;
}

// lo <= rest + factor * x <= hi, or (rest + factor * x) mod modulus in [lo, hi]; rest does not contain x.
struct Along {
  Program rest;
  i64 factor = 0;
  i64 modulus = 0;  // 0: none
  i64 lo = 0, hi = 0;
};

std::optional<Along> along(const Guard& g, int x) {
  const bool residue = g.value.op() == Op::Mod && g.value.rhs().isConstant() && g.value.rhs().value() > 0;
  if (residue && std::max<i64>(g.lo, 0) != std::min(g.hi, g.value.rhs().value() - 1)) return std::nullopt;
  auto sum = linearSum(residue ? g.value.lhs() : g.value);
  if (!sum) return std::nullopt;
  i64 factor = 0;
  std::erase_if(sum->terms, [&](const Term& t) {
    if (t.part != Expr::digit(x)) return false;
    factor = t.coefficient;
    return true;
  });
  const Expr rest = built(*sum);
  const std::vector<int> left = mentions(rest).digits;
  if (std::find(left.begin(), left.end(), x) != left.end()) return std::nullopt;
  return Along{Program::compile(rest), factor, residue ? g.value.rhs().value() : 0, g.lo, g.hi};
}

// The number of x in [0, extent) that satisfy all of them, with the other digits at `digits`.
i64 countAlong(const std::vector<Along>& all, int x, i64 extent, std::span<const i64> digits) {
  Range range{0, extent - 1};
  std::optional<Congruence> residue;
  for (const Along& a : all) {
    const i64 rest = a.rest.run(digits, {});
    if (a.modulus != 0) {
      const Expr value = mod(Expr::digit(x) * floorMod(a.factor, a.modulus) + floorMod(rest, a.modulus), a.modulus);
      if (value.isConstant()) {  // x cancelled
        if (value.value() < a.lo || value.value() > a.hi) return 0;
        continue;
      }
      const auto one = congruenceOf(Guard{value, a.lo, a.hi});
      residue = residue ? both(*residue, *one) : one;
      if (!residue->possible()) return 0;
      continue;
    }
    const i128 lo = a.lo == INT64_MIN ? i128{INT64_MIN} * 4 : i128{a.lo} - rest;
    const i128 hi = a.hi == INT64_MAX ? i128{INT64_MAX} * 4 : i128{a.hi} - rest;
    if (a.factor == 0) {
      if (lo > 0 || hi < 0) return 0;
      continue;
    }
    const i128 c = a.factor < 0 ? -i128{a.factor} : i128{a.factor};
    const i128 from = a.factor < 0 ? -hi : lo, to = a.factor < 0 ? -lo : hi;
    const auto floorOf = [&](i128 n) { return n / c - (n % c < 0 ? 1 : 0); };
    range.lo = static_cast<i64>(std::clamp<i128>(-floorOf(-from), range.lo, INT64_MAX));
    range.hi = static_cast<i64>(std::clamp<i128>(floorOf(to), -1, range.hi));
    if (range.lo > range.hi) return 0;
  }
  if (!residue) return range.hi - range.lo + 1;
  const auto inside = within(range, *residue);
  return inside ? (inside->hi - inside->lo) / residue->modulus + 1 : 0;
}

// The residues of one variable were merged; two that remain separate would have a modulus beyond 64 bits.
bool residuesFit(const std::vector<Along>& all) {
  i64 modulus = 1;
  for (const Along& a : all) {
    if (a.modulus == 0) continue;
    const auto next = checkedMul(modulus / std::gcd(modulus, a.modulus), a.modulus);
    if (!next) return false;
    modulus = *next;
  }
  return true;
}

Result<i64> countOf(const Map& map, const Part& part) {
  const auto extent = [&](int k) { return map.digit(k).extent; };
  const std::vector<i64> origin(map.digits().size());
  if (part.guards.empty()) return extent(part.digits.front());
  std::vector<int> byWidth = part.digits;
  std::stable_sort(byWidth.begin(), byWidth.end(), [&](int a, int b) { return extent(a) > extent(b); });
  for (const int x : byWidth) {
    std::vector<Along> all;
    for (const Guard& g : part.guards)
      if (auto one = along(g, x)) all.push_back(*std::move(one));
    if (all.size() != part.guards.size() || !residuesFit(all)) continue;
    std::vector<int> others = part.digits;
    std::erase(others, x);
    const auto points = pointsOf(map, others);
    if (!points || *points > kMostPoints) break;
    spend(*points);
    std::optional<i64> count = 0;
    eachPoint(map, others, origin, [&](std::span<const i64> at) {
      if (count) count = checkedAdd(*count, countAlong(all, x, extent(x), at));
    });
    if (!count) return Diag{"the domain has more than 2^63-1 points", "a smaller domain"};
    return *count;
  }
  const auto points = pointsOf(map, part.digits);
  if (!points || *points > kMostPoints)
    return Diag{fmt::format("the constraints on {} leave {} points to look at", map.digit(part.digits[0]).name,
                            points ? std::to_string(*points) : "more than 2^63-1"),
                fmt::format("at most {}", kMostPoints), "simplify(M) and rescale(M) may make the ranges smaller"};
  spend(*points);
  auto values = mapped<Program>(part.guards, [&](const Guard& g) { return Program::compile(g.value); });
  i64 count = 0;
  eachPoint(map, part.digits, origin, [&](std::span<const i64> at) {
    bool real = true;
    for (std::size_t k = 0; real && k < values.size(); ++k) {
      const i64 value = values[k].run(at, {});
      real = value >= part.guards[k].lo && value <= part.guards[k].hi;
    }
    count += real ? 1 : 0;
  });
  return count;
}

}  // namespace

std::optional<i64> pointsOf(const Map& map, const std::vector<int>& digits, i64 by) {
  std::optional<i64> points = by;
  for (const int k : digits)
    if (points) points = checkedMul(*points, map.digit(k).extent);
  return points;
}

void spread(const Map& map, const std::vector<int>& digits, i64 n, std::vector<i64>& point) {
  for (std::size_t k = digits.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(digits[k]);
    point[d] = n % map.digits()[d].extent;
    n /= map.digits()[d].extent;
  }
}

Result<i64> domainSize(const Map& given) {
  const Map map = simplified(given);
  if (map.isEmpty()) return 0;
  for (const Guard& g : map.guards()) {
    if (const auto param = mentions(g.value).param)
      return Diag{
          fmt::format("the number of points depends on {}", map.params()[static_cast<std::size_t>(*param)].name),
          "constraints without run-time variables", "symbols_to_dims(M) counts its values, too"};
  }
  i64 size = 1;
  for (const Part& part : partsOf(map)) {
    TESSERA_TRY(const i64 count, countOf(map, part));
    if (!mulInto(size, count)) return Diag{"the domain has more than 2^63-1 points", "a smaller domain"};
    if (size == 0) break;
  }
  return size;
}

}  // namespace tessera
