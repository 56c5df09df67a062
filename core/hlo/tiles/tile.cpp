#include "core/hlo/tiles/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"
#include "core/notation/indexing/map.h"

namespace tessera::hlo {
namespace {

// The map with each coordinate split into tile number and place in the tile.
Result<Map> cut(const Map& map, const std::vector<i64>& tile) {
  std::vector<Digit> digits;
  std::vector<Guard> guards;
  const std::vector<int> index = map.indexDigits();
  const std::size_t rank = index.size();
  std::vector<Expr> values(map.digits().size(), Expr::constant(0));
  for (std::size_t k = 0; k < rank; ++k) {
    const Digit& d = map.digit(index[k]);
    digits.push_back({fmt::format("i{}", k), ceilDiv(d.lo + d.extent, tile[k]), DigitKind::Index, 0});
  }
  for (std::size_t k = 0; k < rank; ++k) {
    const Digit& d = map.digit(index[k]);
    const auto whole = checkedMul(digits[k].extent, tile[k]);
    if (!whole) return Diag{"a tile of " + std::to_string(tile[k]) + " elements is too large", "less"};
    digits.push_back({fmt::format("t{}", k), tile[k], DigitKind::Fan, 0});
    const Expr at = Expr::digit(static_cast<int>(k)) * tile[k] + Expr::digit(static_cast<int>(rank + k)) + (-d.lo);
    values[static_cast<std::size_t>(index[k])] = at;
    if (d.lo > 0 || *whole > d.lo + d.extent) guards.push_back({at, 0, d.extent - 1});
  }
  for (const int k : map.fanDigits()) {
    values[static_cast<std::size_t>(k)] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(map.digit(k));
  }
  for (Guard& g : substituted(map.guards(), values)) guards.push_back(std::move(g));
  TESSERA_TRY(const Map made,
              Map::create(std::move(digits), substituted(map.axes(), values), std::move(guards), map.params()));
  return simplified(made);
}

struct Term {
  int digit = 0;
  i64 by = 0;
};
// offset + sum of multiples of Fan digits; nullopt: any other form.
struct Sum {
  Expr offset = Expr::constant(0);
  std::vector<Term> terms;
};

bool addTo(Sum& sum, const Expr& e, i64 by, const Map& map) {
  if (!usesFans(e, map)) {
    sum.offset = sum.offset + e * by;
    return true;
  }
  if (e.op() == Op::Digit) {
    const auto same =
        std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Term& t) { return t.digit == e.index(); });
    if (same != sum.terms.end())
      same->by += by;
    else
      sum.terms.push_back({e.index(), by});
    return true;
  }
  if (e.op() == Op::Add) return addTo(sum, e.lhs(), by, map) && addTo(sum, e.rhs(), by, map);
  if (e.op() != Op::Mul || !e.rhs().isConstant()) return false;
  const auto more = checkedMul(by, e.rhs().value());
  return more && addTo(sum, e.lhs(), *more, map);
}

struct Progression {
  i64 size = 1, stride = 1;
};
// Merges all multiples into one progression, smallest stride first; negative ones move the offset. nullopt: gaps.
std::optional<Progression> progression(Sum& sum, const Map& map) {
  std::vector<Term> terms;
  for (Term t : sum.terms) {
    const i64 last = map.digit(t.digit).extent - 1;
    if (last == 0 || t.by == 0) continue;
    if (t.by < 0) sum.offset = sum.offset + Expr::constant(t.by * last);
    terms.push_back({t.digit, t.by < 0 ? -t.by : t.by});
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.by < b.by; });
  Progression p;
  for (const Term& t : terms) {
    const i64 extent = map.digit(t.digit).extent;
    if (p.size == 1) {
      p = {extent, t.by};
      continue;
    }
    if (t.by % p.stride != 0 || t.by / p.stride > p.size) return std::nullopt;
    p.size += t.by / p.stride * (extent - 1);
  }
  return p;
}

OperandTile none(Map reads, std::string why) {
  OperandTile tile;
  tile.why = std::move(why);
  tile.reads = std::move(reads);
  return tile;
}

std::string listText(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

}  // namespace

Result<OperandTile> operandTile(const Map& map, const std::vector<i64>& outputTile) {
  if (outputTile.size() != map.indexDigits().size())
    return Diag{fmt::format("the tile {} has {} sizes, the output {} dimensions", listText(outputTile),
                            outputTile.size(), map.indexDigits().size()),
                "a size for each dimension of the output"};
  if (std::any_of(outputTile.begin(), outputTile.end(), [](i64 n) { return n < 1; }))
    return Diag{"the tile " + listText(outputTile) + " has no elements", "sizes from 1"};
  TESSERA_TRY(Map reads, cut(map, outputTile));
  if (reads.isEmpty()) return none(std::move(reads), "nothing is read");
  OperandTile tile;
  std::vector<Axis> offsets;
  std::vector<int> user(reads.digits().size(), -1);
  for (std::size_t k = 0; k < reads.axes().size(); ++k) {
    Sum sum;
    if (!addTo(sum, reads.axes()[k].value, 1, reads))
      return none(std::move(reads), fmt::format("dimension {} is no sum of multiples of the tile's coordinates", k));
    for (const Term& t : sum.terms) {
      int& whose = user[static_cast<std::size_t>(t.digit)];
      if (whose >= 0 && t.by != 0 && reads.digit(t.digit).extent > 1)
        return none(std::move(reads), fmt::format("dimensions {} and {} move together, which is no box", whose, k));
      whose = static_cast<int>(k);
    }
    const auto p = progression(sum, reads);
    if (!p) return none(std::move(reads), fmt::format("dimension {} is read in runs with gaps of another size", k));
    tile.sizes.push_back(p->size);
    tile.strides.push_back(p->size == 1 ? 1 : p->stride);
    offsets.push_back({"", sum.offset, std::nullopt});
  }
  std::vector<Guard> ofTiles;
  for (const Guard& g : reads.guards())
    if (!usesFans(g.value, reads)) ofTiles.push_back(g);
  auto numbers = mapped<Digit>(reads.indexDigits(), [&](int k) { return reads.digit(k); });
  tile.exact = ofTiles.size() == reads.guards().size();
  TESSERA_TRY(const Map made, Map::create(std::move(numbers), std::move(offsets), std::move(ofTiles), reads.params()));
  tile.offsets = simplified(made);
  tile.is = true;
  tile.reads = std::move(reads);
  return tile;
}

std::string textOf(const OperandTile& tile) {
  if (!tile.is) return "no tile: " + tile.why;
  std::string out = fmt::format("sizes {}, strides {}, from {}", listText(tile.sizes), listText(tile.strides),
                                indexing::print(indexing::toIndexingMap(tile.offsets)));
  if (!tile.exact) out += "; of these only " + indexing::print(indexing::toIndexingMap(tile.reads));
  return out;
}

}  // namespace tessera::hlo
