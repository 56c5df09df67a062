#include "solver/prove/synthesize_swizzle.h"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "core/analysis/access_map.h"
#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/notation/cute/lower.h"
#include "solver/prove/bits.h"
#ifdef TESSERA_HAVE_Z3
#include "solver/prove/z3_check.h"
#endif

namespace tessera {
namespace prover {
namespace {

Diag outside(std::string why) {
  return Diag{std::move(why),
              "a layout that is linear over F2: extents and strides that are powers of two",
              "leave `by z3` away: the search over Swizzle<B,M,S> and paddings takes any layout",
              {}};
}

// What is asked, in bits: the differences that must change banks.
struct Problem {
  int offsetBits = 0;         // of an element offset
  int shift = 0;              // byte bit = element bit + shift
  int vectorBits = 0;         // element bits below it stay
  std::set<u64> differences;  // of byte addresses of two words in one phase, no fixed bank bit set
  std::vector<int> targets;   // element bits that are bank bits and may change
};

// The address differences of one access.
Result<void> addDifferences(const Map& layout, int rowDigits, const AccessMap& access, int elementBits,
                            std::set<u64>& out) {
  std::vector<Digit> digits = access.lanes.digits();
  const i64 chunks = access.access.width >= kBankBytes ? access.access.width / kBankBytes : 1;
  const Expr element = offsetAt(layout, rowDigits, access.lanes.axes()[0].value, access.lanes.axes()[1].value);
  const Expr byte = floorDiv(element * i64{elementBits}, 8) + Expr::digit(static_cast<int>(digits.size())) * kBankBytes;
  digits.push_back({"chunk", chunks});
  TESSERA_TRY(const Map map, Map::create(digits, {{"byte", byte, std::nullopt}}));
  const auto bits = bitsOf(digits);
  if (!bits || !access.lanes.guards().empty()) return outside("the accesses do not come in powers of two");
  const auto matrix = bitMatrix(withSimplerValues(map).axes()[0].value, *bits);
  if (!matrix) return outside("the addresses of an access are not linear over F2");
  std::vector<u64> columns;
  std::size_t k = 0;
  for (std::size_t d = 0; d < digits.size(); ++d)
    for (int b = 0; b < (*bits)[d]; ++b, ++k)
      if (d == 0 || d + 1 == digits.size()) columns.push_back(matrix->columns[k]);
  for (u64 pick = 1; pick < (u64{1} << columns.size()); ++pick) {
    u64 v = 0;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if ((pick >> c & 1) != 0) v ^= columns[c];
    if (v >> 2 != 0) out.insert(v);  // not the same word
  }
  return {};
}

Result<Problem> problemOf(const FindRequest& request) {
  Problem p;
  TESSERA_TRY(const Map layout, toMap(request.layout));
  const int rowDigits = request.layout.rank() < 2 ? 0 : static_cast<int>(flatLeaves(request.layout.mode(0)).size());
  TESSERA_TRY(const TileExtents extents, tileExtents(layout, rowDigits));
  TESSERA_TRY(const Tile tile, Tile::of(request.layout, request.elementBits));
  const bool alongRow = contiguousAlongRow(layout, rowDigits);
  p.offsetBits = static_cast<int>(std::bit_width(static_cast<u64>(tile.span() - 1)));
  p.shift = std::countr_zero(static_cast<unsigned>(request.elementBits)) - 3;
  for (const AccessSpec& spec : request.specs) {
    TESSERA_CHECKED(accesses(tile, spec));  // contiguity and alignment, with the coordinate that breaks them
    TESSERA_TRY(const AccessMap access, accessMap(spec, extents.rows, extents.columns, alongRow, request.elementBits));
    p.vectorBits = std::max(p.vectorBits, static_cast<int>(std::bit_width(static_cast<u64>(access.elements))) - 1);
    TESSERA_CHECKED(addDifferences(layout, rowDigits, access, request.elementBits, p.differences));
  }
  u64 fixed = 0;  // bank bits that no swizzle of whole vectors can change
  for (int b = 2; b < 7; ++b) {
    const int element = b - p.shift;
    if (element >= p.vectorBits && element < p.offsetBits) {
      p.targets.push_back(element);
    } else {
      fixed |= u64{1} << b;
    }
  }
  std::erase_if(p.differences, [&](u64 v) { return (v & fixed) != 0; });
  return p;
}

#ifdef TESSERA_HAVE_Z3
struct Found {
  z3::check_result result = z3::unknown;
  std::string reason;
  std::vector<std::vector<bool>> rows;  // one for each target, over element bits
};

// rows[t][s]: is source bit s in bank bit targets[t]? `regular`: itself and bits above the banks only.
Found solve(const Problem& p, bool regular, const Budget& budget) {
  Z3Check check("QF_FD", budget);
  z3::context& z = check.context();
  std::vector<std::vector<z3::expr>> rows;
  z3::expr_vector free(z);
  std::vector<int> distances;  // of free[k]: source minus target
  const int firstSource = 7 - p.shift;
  for (const int t : p.targets) {
    std::vector<z3::expr> row;
    for (int s = 0; s < p.offsetBits; ++s) {
      const bool asked = regular ? s >= firstSource : s >= p.vectorBits;
      if (asked) {
        row.push_back(z.bool_const(fmt::format("a{}_from_a{}", t, s).c_str()));
        if (s != t) {
          free.push_back(row.back());
          distances.push_back(s - t);
        }
      } else {
        row.push_back(z.bool_val(regular && s == t));
      }
    }
    rows.push_back(std::move(row));
  }
  const auto xored = [&](const std::vector<z3::expr>& terms) {
    z3::expr sum = z.bool_val(false);
    for (const z3::expr& t : terms) sum = sum != t;
    return sum;
  };
  for (const u64 v : p.differences) {
    z3::expr_vector some(z);
    for (const auto& row : rows) {
      std::vector<z3::expr> terms;
      for (int s = 0; s < p.offsetBits; ++s)
        if ((v >> (s + p.shift) & 1) != 0) terms.push_back(row[static_cast<std::size_t>(s)]);
      some.push_back(xored(terms));
    }
    check.solver().add(z3::mk_or(some));
  }
  if (!regular) {  // independent rows: no non-empty set of them cancels
    for (unsigned set = 1; set < (1U << rows.size()); ++set) {
      z3::expr_vector some(z);
      for (int s = 0; s < p.offsetBits; ++s) {
        std::vector<z3::expr> terms;
        for (std::size_t r = 0; r < rows.size(); ++r)
          if ((set >> r & 1) != 0) terms.push_back(rows[r][static_cast<std::size_t>(s)]);
        some.push_back(xored(terms));
      }
      check.solver().add(z3::mk_or(some));
    }
  }
  Found found;
  found.result = check.check(budget.remainingSeconds());
  if (found.result == z3::unknown) found.reason = check.reason();
  // One distance for all, when that can be: it is one line of code. Then as few xors as can be.
  for (int d = 1; found.result == z3::sat && d < p.offsetBits; ++d) {
    check.solver().push();
    for (unsigned k = 0; k < free.size(); ++k)
      if (distances[k] != d) check.solver().add(!free[static_cast<int>(k)]);
    if (check.check(budget.remainingSeconds()) == z3::sat) break;  // it stays asserted
    check.solver().pop();
  }
  for (unsigned most = 0; found.result == z3::sat && most <= free.size(); ++most) {
    check.solver().push();
    if (!free.empty()) check.solver().add(z3::atmost(free, most));
    const z3::check_result fewer = check.check(budget.remainingSeconds());
    if (fewer == z3::sat || fewer == z3::unknown) {
      if (fewer == z3::unknown) {
        check.solver().pop();
        found.result = check.check(budget.remainingSeconds());
        if (found.result != z3::sat) break;
      }
      const z3::model model = check.solver().get_model();
      for (const auto& row : rows) {
        std::vector<bool> bits;
        for (const z3::expr& e : row) bits.push_back(model.eval(e, true).is_true());
        found.rows.push_back(std::move(bits));
      }
      break;
    }
    check.solver().pop();
  }
  return found;
}

// The target rows as found, every other bit itself where that keeps the matrix invertible, else the first that does.
F2Matrix completed(const Problem& p, const std::vector<std::vector<bool>>& rows) {
  const auto n = static_cast<std::size_t>(p.offsetBits);
  std::vector<u64> byRow(n, 0);
  std::vector<std::vector<u64>> independent;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    u64& row = byRow[static_cast<std::size_t>(p.targets[r])];
    for (std::size_t s = 0; s < n; ++s)
      if (rows[r][s]) row |= u64{1} << s;
    independent.push_back({row});
  }
  const auto target = [&](std::size_t e) {
    return std::find(p.targets.begin(), p.targets.end(), static_cast<int>(e)) != p.targets.end();
  };
  for (std::size_t e = 0; e < n; ++e) {
    if (target(e)) continue;
    for (std::size_t step = 0; step < n; ++step) {
      const u64 unit = u64{1} << ((e + step) % n);
      if (eliminate(independent).spans({unit})) continue;
      byRow[e] = unit;
      independent.push_back({unit});
      break;
    }
  }
  F2Matrix m;
  m.rows = p.offsetBits;
  m.columns.assign(n, 0);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      if ((byRow[r] >> c & 1) != 0) m.columns[c] |= u64{1} << r;
  return m;
}

// The found swizzle on every access of the tile, through the bank model.
bool serves(const FindRequest& request, const LinearSwizzle& swizzle) {
  const auto tile = Tile::of(request.layout, request.elementBits);
  if (!tile || !inverse(swizzle.matrix)) return false;
  std::vector<i64> offsets;
  for (const i64 o : tile->offsets()) offsets.push_back(swizzle(o));
  const Tile moved =
      Tile::ofTable(tile->rows(), tile->columns(), std::move(offsets), request.elementBits, tile->text());
  const auto report = bankReport(moved, request.specs);
  return report && report->excess == 0;
}
#endif

}  // namespace
}  // namespace prover

Result<LinearSwizzle> synthesizeSwizzle(const FindRequest& request, const ProveOptions& options) {
  TESSERA_TRY(const prover::Problem problem, prover::problemOf(request));
#ifdef TESSERA_HAVE_Z3
  const prover::Budget budget(options.budgetSeconds, options.cancel);
  for (const bool regular : {true, false}) {
    const prover::Found found = prover::solve(problem, regular, budget);
    if (found.result == z3::unknown)
      return Diag{"the solver could not tell: " + found.reason, "", "give it more time with --budget", {}};
    if (found.result == z3::unsat) continue;
    LinearSwizzle swizzle{prover::completed(problem, found.rows), ""};
    if (!prover::serves(request, swizzle))
      return Diag{"the solver's swizzle does not pass the bank model; this is a bug in Tessera", "", "", {}};
    return swizzle;
  }
  LinearSwizzle none;
  none.none = fmt::format(
      "no invertible linear map of the {} address bits serves all accesses (Z3: unsatisfiable over {} differences, "
      "runs of {} elements kept together)",
      problem.offsetBits, problem.differences.size(), i64{1} << problem.vectorBits);
  return none;
#else
  (void)options;
  return Diag{
      "this build has no Z3, which this search needs", "", "leave `by z3` away for the search over Swizzle<B,M,S>", {}};
#endif
}

}  // namespace tessera
