#include "solver/prove/synthesize_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "core/analysis/access/access_map.h"
#include "core/base/mapped.h"
#include "core/map/compose.h"
#include "core/notation/cute/notation.h"
#include "solver/prove/structure/bits.h"
#ifdef TESSERA_HAVE_Z3
#include "solver/prove/z3/z3_check.h"
#endif

namespace tessera {
namespace prover {
namespace {

Diag outside(std::string why) {
  return Diag{std::move(why), "a layout that is linear over F2: extents and strides that are powers of two",
              "omit `by z3`: the search over Swizzle<B,M,S> and paddings takes any layout"};
}

// The problem in bits: the differences that must change banks.
struct Problem {
  int offsetBits = 0;         // bits of an element offset
  int shift = 0;              // byte bit = element bit + shift
  int vectorBits = 0;         // lower element bits are fixed
  int wordBits = 0;           // the element bits above those that select an element within a word
  std::set<u64> differences;  // of byte addresses in one phase, no fixed bank bit set; below 4: within one word
  std::vector<int> targets;   // element bits that are bank bits and may change
};

// The address differences of one access.
Result<void> addDifferences(const Map& layout, int rowDigits, const AccessMap& access, int elementBits,
                            std::set<u64>& out) {
  std::vector<Digit> digits = access.lanes.map.digits();
  const i64 chunks = access.access.width >= kBankBytes ? access.access.width / kBankBytes : 1;
  const Expr element = offsetAt(layout, rowDigits, access.lanes.map.axes()[0].value, access.lanes.map.axes()[1].value);
  const Expr byte = floorDiv(element * i64{elementBits}, 8) + Expr::digit(static_cast<int>(digits.size())) * kBankBytes;
  digits.push_back({"chunk", chunks});
  TESSERA_TRY(const Map map, Map::create(digits, {{"byte", byte, std::nullopt}}));
  const auto bits = bitsOf(digits);
  if (!bits || !access.lanes.map.guards().empty()) return outside("the accesses do not come in powers of two");
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
    if (v != 0) out.insert(v);
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
    TESSERA_CHECKED(accesses(tile, spec));  // contiguity and alignment, with the coordinate that violates them
    TESSERA_TRY(const AccessMap access, accessMap(spec, extents.rows, extents.columns, alongRow, request.elementBits));
    p.vectorBits = std::max(p.vectorBits, static_cast<int>(std::bit_width(static_cast<u64>(access.elements))) - 1);
    TESSERA_CHECKED(addDifferences(layout, rowDigits, access, request.elementBits, p.differences));
  }
  p.wordBits = std::max(0, std::min(p.offsetBits, 2 - p.shift) - p.vectorBits);
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
  std::vector<u64> rows;  // one per target, over element bits
  std::vector<u64> word;  // basis of the differences that fall within a word; empty: the original ones
};

// The unknown bits, as rows of Z3 booleans over the element bits. `regular`: each bank bit is itself xor bits above the
// banks, and words are preserved.
class Synthesis {
 public:
  Synthesis(const Problem& p, bool regular, const Budget& budget)
      : p_(p), regular_(regular), budget_(budget), check_("QF_FD", budget), free_(check_.context()) {
    for (const int t : p.targets) rows_.push_back(rowOf(t));
    for (int k = 0; k < p.wordBits && !regular; ++k) {
      Row w;
      for (int s = 0; s < p.offsetBits; ++s) w.push_back(boolean(s >= p.vectorBits, fmt::format("word{}_a{}", k, s)));
      word_.push_back(std::move(w));
    }
    for (const u64 v : p.differences) addDifference(v);
    if (regular) return;
    addIndependent(rows_);
    addIndependent(word_);
    for (const Row& r : rows_)
      for (const Row& w : word_) check_.solver().add(!product(r, w));
  }

  Found solve() {
    Found found;
    found.result = check_.check(budget_.remaining());
    if (found.result == z3::unknown) found.reason = check_.reason();
    if (found.result == z3::sat) preferOneDistance();
    for (unsigned most = 0; found.result == z3::sat && most <= free_.size(); ++most) {
      check_.solver().push();
      if (!free_.empty()) check_.solver().add(z3::atmost(free_, most));
      const z3::check_result fewer = check_.check(budget_.remaining());
      if (fewer == z3::unknown) {
        check_.solver().pop();
        found.result = check_.check(budget_.remaining());
        if (found.result == z3::unknown) found.reason = check_.reason();
      }
      if (fewer != z3::unsat) {
        if (found.result == z3::sat) read(found);
        break;
      }
      check_.solver().pop();
    }
    return found;
  }

 private:
  using Row = std::vector<z3::expr>;

  z3::expr boolean(bool asked, const std::string& name) {
    return asked ? check_.context().bool_const(name.c_str()) : check_.context().bool_val(false);
  }
  // rows[t][s]: is source bit s xored into bank bit targets[t]?
  Row rowOf(int t) {
    Row row;
    const int firstSource = 7 - p_.shift;
    for (int s = 0; s < p_.offsetBits; ++s) {
      const bool asked = regular_ ? s >= firstSource : s >= p_.vectorBits;
      row.push_back(regular_ && s == t ? check_.context().bool_val(true)
                                       : boolean(asked, fmt::format("a{}_from_a{}", t, s)));
      if (asked && s != t) {
        free_.push_back(row.back());
        distances_.push_back(s - t);
      }
    }
    return row;
  }
  z3::expr xored(const Row& terms) {
    z3::expr sum = check_.context().bool_val(false);
    for (const z3::expr& t : terms) sum = sum != t;
    return sum;
  }
  z3::expr product(const Row& a, const Row& b) {
    Row terms;
    for (std::size_t s = 0; s < a.size(); ++s) terms.push_back(a[s] && b[s]);
    return xored(terms);
  }
  // The xor of a non-empty set of rows, bit by bit.
  Row sumOf(const std::vector<Row>& rows, unsigned set) {
    Row sum;
    for (int s = 0; s < p_.offsetBits; ++s) {
      Row terms;
      for (std::size_t r = 0; r < rows.size(); ++r)
        if ((set >> r & 1) != 0) terms.push_back(rows[r][s]);
      sum.push_back(xored(terms));
    }
    return sum;
  }
  // No xor of a non-empty set of rows is zero.
  void addIndependent(const std::vector<Row>& rows) {
    for (unsigned set = 1; set < (1U << rows.size()); ++set) {
      z3::expr_vector some(check_.context());
      for (const z3::expr& e : sumOf(rows, set)) some.push_back(e);
      check_.solver().add(z3::mk_or(some));
    }
  }
  // Two elements that differ by v: in different banks or in one word.
  void addDifference(u64 v) {
    if (v >> 2 == 0 && word_.empty()) return;
    const u64 element = p_.shift >= 0 ? v >> p_.shift : v << -p_.shift;
    z3::expr_vector some(check_.context());
    for (const Row& row : rows_) {
      Row terms;
      for (int s = 0; s < p_.offsetBits; ++s)
        if ((element >> s & 1) != 0) terms.push_back(row[s]);
      some.push_back(xored(terms));
    }
    for (unsigned set = 1; set < (1U << word_.size()); ++set) {
      const Row w = sumOf(word_, set);
      z3::expr_vector same(check_.context());
      for (int s = 0; s < p_.offsetBits; ++s) same.push_back((element >> s & 1) != 0 ? w[s] : !w[s]);
      some.push_back(z3::mk_and(same));
    }
    check_.solver().add(z3::mk_or(some));
  }
  // Prefers a single distance for all bits, if possible: the code is then one line.
  void preferOneDistance() {
    for (int d = 1; d < p_.offsetBits; ++d) {
      check_.solver().push();
      for (unsigned k = 0; k < free_.size(); ++k)
        if (distances_[k] != d) check_.solver().add(!free_[static_cast<int>(k)]);
      if (check_.check(budget_.remaining()) == z3::sat) return;  // keep the assertion
      check_.solver().pop();
    }
  }
  void read(Found& found) {
    const z3::model model = check_.solver().get_model();
    const auto bitsOf = [&](const Row& row) {
      u64 bits = 0;
      for (std::size_t s = 0; s < row.size(); ++s)
        if (model.eval(row[s], true).is_true()) bits |= u64{1} << s;
      return bits;
    };
    for (const Row& row : rows_) found.rows.push_back(bitsOf(row));
    for (const Row& w : word_) found.word.push_back(bitsOf(w));
  }

  const Problem& p_;
  bool regular_;
  const Budget& budget_;
  Z3Check check_;
  std::vector<Row> rows_;
  std::vector<Row> word_;  // basis of the differences that fall within a word
  z3::expr_vector free_;
  std::vector<int> distances_;  // of free_[k]: source minus target
};

F2Matrix matrixOf(const std::vector<u64>& rows, int bits) {
  F2Matrix m{static_cast<int>(rows.size()), std::vector<u64>(static_cast<std::size_t>(bits), 0)};
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < m.columns.size(); ++c) m.columns[c] |= (rows[r] >> c & 1) << r;
  return m;
}

// The rows that vanish on all of `vectors`: first unit vectors, in order from `first` on, then a basis.
std::vector<u64> vanishingOn(const std::vector<u64>& vectors, int bits, int first) {
  std::vector<u64> out;
  for (int step = 0; step < bits; ++step) {
    const u64 unit = u64{1} << ((first + step) % bits);
    if (std::ranges::none_of(vectors, [&](u64 w) { return (w & unit) != 0; })) out.push_back(unit);
  }
  const std::vector<u64> basis = kernelBasis(matrixOf(vectors, bits));
  out.insert(out.end(), basis.begin(), basis.end());
  return out;
}

// The target rows as found; every other bit is itself if that keeps the matrix invertible, else the first row that
// does. Bits above a word are 0 on differences within a word.
F2Matrix completed(const Problem& p, const Found& found) {
  const int n = p.offsetBits;
  std::vector<u64> byRow(static_cast<std::size_t>(n), 0);
  F2Echelon<u64> independent;
  for (std::size_t r = 0; r < found.rows.size(); ++r) {
    byRow[p.targets[r]] = found.rows[r];
    independent.add(found.rows[r]);
  }
  const auto choose = [&](int e, const std::vector<u64>& from) {
    for (const u64 row : from) {
      if (independent.solve(row)) continue;
      byRow[e] = row;
      independent.add(row);
      return;
    }
  };
  // The bits of a vector come first, fixed; then those with the fewest candidate rows.
  const int aboveWord = p.vectorBits + static_cast<int>(found.word.size());
  for (const auto& [first, last] : {std::pair{0, p.vectorBits}, {aboveWord, n}, {p.vectorBits, aboveWord}})
    for (int e = first; e < last; ++e)
      if (std::ranges::find(p.targets, e) == p.targets.end())
        choose(e, vanishingOn(first == aboveWord ? found.word : std::vector<u64>{}, n, e));
  return matrixOf(byRow, n);
}

// Checks the swizzle on every access of the tile with the bank model.
bool serves(const FindRequest& request, const LinearSwizzle& swizzle) {
  const auto tile = Tile::of(request.layout, request.elementBits);
  if (!tile || !inverse(swizzle.matrix)) return false;
  auto offsets = mapped<i64>(tile->offsets(), swizzle);
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
  const prover::Budget budget(workOf(options.budgetSeconds), options.cancel);
  for (const bool regular : {true, false}) {
    const prover::Found found = prover::Synthesis(problem, regular, budget).solve();
    if (found.result == z3::unknown)
      return Diag{"the solver could not decide: " + found.reason, "", "give it more time with --budget"};
    if (found.result == z3::unsat) continue;
    LinearSwizzle swizzle{prover::completed(problem, found), ""};
    if (!prover::serves(request, swizzle))
      return Diag{"the solver's swizzle does not pass the bank model; this is a bug in Tessera"};
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
  return Diag{"this build has no Z3, which this search needs", "", "omit `by z3` for the search over Swizzle<B,M,S>"};
#endif
}

}  // namespace tessera
