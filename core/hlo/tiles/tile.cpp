#include "core/hlo/tiles/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/linear_sum.h"
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
    if (!whole) return Diag{fmt::format("a tile of {} elements is too large", tile[k]), "less"};
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

// A coordinate as an offset and a sum of multiples of Fan digits; nullopt: any other form.
struct Multiples {
  Expr offset;
  std::vector<Term> terms;
};
std::optional<Multiples> multiplesOf(const Expr& e, const Map& map) {
  const auto sum = linearSum(e);
  if (!sum) return std::nullopt;
  Multiples m{Expr::constant(sum->constant), {}};
  for (const Term& t : sum->terms) {
    if (!usesFans(t.part, map))
      m.offset = m.offset + t.part * t.coefficient;
    else if (t.part.op() == Op::Digit)
      m.terms.push_back(t);
    else
      return std::nullopt;
  }
  return m;
}

struct Run {
  i64 size = 1, stride = 1;
};
// Merges all multiples into one progression, smallest stride first; negative ones move the offset. nullopt: gaps.
std::optional<Run> merged(Multiples& m, const Map& map) {
  const auto extent = [&](const Term& t) { return map.digit(t.part.index()).extent; };
  std::erase_if(m.terms, [&](const Term& t) { return extent(t) == 1; });
  for (Term& t : m.terms) {
    if (t.coefficient < 0) m.offset = m.offset + t.coefficient * (extent(t) - 1);
    t.coefficient = std::abs(t.coefficient);
  }
  std::ranges::sort(m.terms, {}, &Term::coefficient);
  Run run;
  for (const Term& t : m.terms) {
    if (run.size == 1) {
      run = {extent(t), t.coefficient};
      continue;
    }
    if (t.coefficient % run.stride != 0 || t.coefficient / run.stride > run.size) return std::nullopt;
    run.size += t.coefficient / run.stride * (extent(t) - 1);
  }
  return run;
}

OperandTile none(Map reads, std::string why) { return {.why = std::move(why), .reads = std::move(reads)}; }

std::string listText(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

}  // namespace

Result<OperandTile> operandTile(const Map& map, const std::vector<i64>& outputTile) {
  if (outputTile.size() != map.indexDigits().size())
    return Diag{fmt::format("the tile {} has {} sizes, the output {} dimensions", listText(outputTile),
                            outputTile.size(), map.indexDigits().size()),
                "a size for each dimension of the output"};
  if (std::ranges::any_of(outputTile, [](i64 n) { return n < 1; }))
    return Diag{"the tile " + listText(outputTile) + " has no elements", "sizes from 1"};
  TESSERA_TRY(Map reads, cut(map, outputTile));
  if (reads.isEmpty()) return none(std::move(reads), "nothing is read");
  OperandTile tile;
  std::vector<Axis> offsets;
  std::vector<int> user(reads.digits().size(), -1);
  for (std::size_t k = 0; k < reads.axes().size(); ++k) {
    auto multiples = multiplesOf(reads.axes()[k].value, reads);
    if (!multiples)
      return none(std::move(reads), fmt::format("dimension {} is not a sum of multiples of the tile's coordinates", k));
    for (const Term& t : multiples->terms) {
      int& whose = user[static_cast<std::size_t>(t.part.index())];
      if (whose >= 0 && reads.digit(t.part.index()).extent > 1)
        return none(std::move(reads), fmt::format("dimensions {} and {} move together, which is not a box", whose, k));
      whose = static_cast<int>(k);
    }
    const auto run = merged(*multiples, reads);
    if (!run) return none(std::move(reads), fmt::format("dimension {} is read in unevenly spaced runs", k));
    tile.sizes.push_back(run->size);
    tile.strides.push_back(run->size == 1 ? 1 : run->stride);
    offsets.push_back({"", multiples->offset, std::nullopt});
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
