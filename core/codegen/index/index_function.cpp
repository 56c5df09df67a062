#include "core/codegen/index/index_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/expr/compile.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/forms/recognise.h"
#include "core/map/inverse/inverse.h"
#include "core/map/map.h"

namespace tessera::codegen {
namespace {

// Words that C, C++, CUDA or Python reserve and that an axis might have as its name; sorted.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"False",    "None",     "True",     "alignas",  "alignof",  "and",      "as",      "asm",       "assert",
     "async",    "auto",     "await",    "bool",     "break",    "case",     "catch",   "char",      "class",
     "compl",    "const",    "continue", "def",      "default",  "del",      "delete",  "do",        "double",
     "elif",     "else",     "enum",     "except",   "export",   "extern",   "false",   "finally",   "float",
     "for",      "friend",   "from",     "global",   "goto",     "if",       "import",  "in",        "inline",
     "int",      "is",       "lambda",   "long",     "max",      "min",      "mutable", "namespace", "new",
     "nonlocal", "not",      "nullptr",  "operator", "or",       "pass",     "private", "public",    "raise",
     "register", "requires", "restrict", "return",   "short",    "signed",   "sizeof",  "static",    "struct",
     "switch",   "template", "this",     "throw",    "true",     "try",      "typedef", "typename",  "union",
     "unsigned", "using",    "virtual",  "void",     "volatile", "warpSize", "while",   "with",      "xor",
     "yield"});

bool reserved(std::string_view word) { return std::ranges::find(kReserved, word) != kReserved.end(); }

std::string_view nameOf(SpaceKind to) {
  constexpr std::pair<SpaceKind, std::string_view> kNames[] = {
      {SpaceKind::Memory, "offset"}, {SpaceKind::Hardware, "place"},   {SpaceKind::Devices, "place"},
      {SpaceKind::Banks, "bank"},    {SpaceKind::Elements, "element"},
  };
  for (const auto& [kind, name] : kNames)
    if (kind == to) return name;
  return "map_at";  // index is a function of POSIX
}

// A hardware mode of extent 1, which a kernel does not pass: the warp of a single warp, the block of a linear layout.
bool leftOut(const Arrow& arrow, const Mode& mode) {
  return arrow.from.kind == SpaceKind::Hardware && mode.extent() == 1 && mode.lo == 0;
}

std::string modeName(const Arrow& arrow, std::size_t m) {
  const std::vector<Mode>& modes = arrow.from.modes;
  if (!modes[m].name.empty()) return modes[m].name;
  if (modes.size() <= 3) return std::string(1, static_cast<char>('i' + m));
  return fmt::format("i{}", m);
}

std::string modeRemark(const Mode& mode) {
  if (mode.digits.size() == 1) return "";
  return fmt::format("over ({}), the first fastest", fmt::join(mode.digits, ","));
}

// Sums with the largest stride first: i * 64 + j. Values and partial sums stay within 64 bits.
Expr byStride(const Expr& root, FactBase& facts) {
  constexpr std::size_t kMostTerms = 32;
  struct Done {
    Expr e;
    std::size_t terms = 1;
  };
  std::unordered_map<Expr, Done> done;
  const auto key = [](const Term& t) {  // a product with a size precedes any number
    const bool scaled = t.part.op() == Op::Mul;
    return std::pair(scaled, std::abs(std::max(t.coefficient, -INT64_MAX)));
  };
  childrenFirst(root, [&](const Expr& e) {
    if (isLeaf(e.op())) {
      done.emplace(e, Done{e, 1});
      return;
    }
    const Done &a = done.at(e.lhs()), &b = done.at(e.rhs());
    Done now{Expr::binary(e.op(), a.e, b.e), e.op() == Op::Add ? a.terms + b.terms : 1};
    if (now.e.op() == Op::Add && now.terms <= kMostTerms) {
      if (auto sum = linearSum(now.e)) {
        std::ranges::stable_sort(sum->terms, [&](const Term& s, const Term& t) { return key(s) > key(t); });
        std::stable_partition(sum->terms.begin(), sum->terms.end(), [](const Term& t) { return t.coefficient > 0; });
        Expr sorted;
        for (const Term& t : sum->terms) sorted = sorted + t.part * t.coefficient;
        sorted = sorted + Expr::constant(sum->constant);
        if (facts.of(sorted).fits) now.e = sorted;
      }
    }
    done.emplace(e, std::move(now));
  });
  return done.at(root).e;
}

// The parameters of the forward function, and each digit of the map as a function of them.
struct Inputs {
  std::vector<IndexParameter> parameters;
  std::vector<Expr> digits;       // of the map, over the parameters
  std::vector<std::string> ones;  // modes that are left out
};

Result<Inputs> inputsOf(const Arrow& arrow) {
  Inputs in;
  in.digits.resize(arrow.map.digits().size());
  const std::vector<int> index = arrow.map.indexDigits();
  std::size_t next = 0;
  std::vector<std::string> names;
  const auto add = [&](const std::string& wanted, Range range, std::string remark) {
    names.push_back(identifierLike(wanted, names));
    in.parameters.push_back({names.back(), range, std::move(remark)});
    return Expr::digit(static_cast<int>(in.parameters.size()) - 1);
  };
  for (std::size_t m = 0; m < arrow.from.modes.size(); ++m) {
    const Mode& mode = arrow.from.modes[m];
    const auto end = checkedAdd(mode.lo, mode.extent() - 1);
    if (!end || mode.extent() == INT64_MAX)
      return Diag{fmt::format("mode {} has more than 2^63 coordinates", m), "an extent of at most 2^63-1"};
    Expr whole;
    if (leftOut(arrow, mode)) {
      in.ones.push_back(modeName(arrow, m));
    } else {
      whole = add(modeName(arrow, m), {mode.lo, *end}, modeRemark(mode)) - mode.lo;
    }
    i64 place = 1;
    for (std::size_t k = 0; k < mode.digits.size(); ++k) {
      const Expr high = floorDiv(whole, place);
      in.digits[static_cast<std::size_t>(index[next++])] =
          k + 1 == mode.digits.size() ? high : mod(high, mode.digits[k]);
      place *= mode.digits[k];
    }
  }
  for (const int k : arrow.map.fanDigits()) {
    const Digit& d = arrow.map.digits()[static_cast<std::size_t>(k)];
    in.digits[static_cast<std::size_t>(k)] = add(d.name, {d.lo, d.lo + d.extent - 1}, "which copy") - d.lo;
  }
  return in;
}

// The guards that do not always hold, simplified.
Result<std::vector<Guard>> simplerGuards(const std::vector<Guard>& guards, const Environment& box) {
  std::vector<Guard> out;
  FactBase facts(box);
  for (const Guard& g : guards) {
    Guard simpler{byStride(simplified(g.value, box), facts), g.lo, g.hi};
    const Facts& f = facts.of(simpler.value);
    if (!f.fits) return Diag{"one of its conditions exceeds 64 bits", "smaller sizes"};
    if (f.interval.lo >= g.lo && f.interval.hi <= g.hi && g.lo <= g.hi) continue;
    out.push_back(std::move(simpler));
  }
  return out;
}

Result<IndexFunction> forwardOf(const Arrow& arrow, const std::string& name) {
  TESSERA_TRY(Inputs in, inputsOf(arrow));
  IndexFunction f;
  f.name = name;
  f.predicate = name + "_inside";
  f.parameters = std::move(in.parameters);
  for (const Param& p : arrow.map.params()) {
    f.parameters.push_back({identifierLike(p.name, namesOf(f)), {p.lo, p.hi}, "a size"});
    ++f.sizes;
  }
  const Environment box = f.box();
  FactBase facts(box);
  std::vector<std::string> names;
  for (const Axis& a : arrow.map.axes()) {
    const Expr value = byStride(simplified(substitute(a.value, in.digits), box), facts);
    if (!facts.of(value).fits)
      return Diag{fmt::format("{} exceeds 64 bits", a.name.empty() ? "its value" : a.name), "smaller sizes"};
    names.push_back(identifierLike(a.name.empty() ? fmt::format("x{}", names.size()) : a.name, names));
    f.values.push_back({names.back(), value});
  }
  if (f.values.empty()) return Diag{"it has no axis, so there is nothing to compute", "a layout with a place"};
  std::vector<Guard> guards = arrow.map.guards();
  for (Guard& g : guards) g.value = substitute(g.value, in.digits);
  TESSERA_TRY(f.guards, simplerGuards(guards, box));
  if (!in.ones.empty()) f.remarks.push_back(fmt::format("There is one {}.", fmt::join(in.ones, ", one ")));
  return f;
}

// The parameters of the forward function, recombined from their digits.
std::vector<Expr> wholeAgain(const Arrow& arrow, const std::vector<Expr>& digits) {
  std::vector<Expr> out;
  const std::vector<int> index = arrow.map.indexDigits();
  std::size_t next = 0;
  for (const Mode& mode : arrow.from.modes) {
    Expr whole = Expr::constant(mode.lo);
    i64 place = 1;
    for (const i64 extent : mode.digits) {
      whole = whole + digits[static_cast<std::size_t>(index[next++])] * place;
      place *= extent;
    }
    if (!leftOut(arrow, mode)) out.push_back(whole);
  }
  for (const int k : arrow.map.fanDigits()) {
    const auto at = static_cast<std::size_t>(k);
    out.push_back(digits[at] + arrow.map.digits()[at].lo);
  }
  return out;
}

// The only axis of memory is named `offset` in every notation.
std::string placeName(const Arrow& arrow, const IndexValue& value) {
  return arrow.to.kind == SpaceKind::Memory && arrow.map.axes().size() == 1 ? "offset" : value.name;
}

Result<IndexFunction> backOf(const Arrow& arrow, const IndexFunction& forward) {
  constexpr i64 kLookUp = i64{1} << 16;  // a table has no formula, but detects that two points share a place
  TESSERA_TRY(const auto found, inverse(arrow.map, kLookUp));
  TESSERA_TRY(const BackFormula formula, found->formula());
  IndexFunction f;
  f.name = forward.name + "_inverse";
  f.back = true;
  f.predicate = forward.name + "_hit";
  for (std::size_t a = 0; a < forward.values.size(); ++a) {
    f.parameters.push_back({identifierLike(placeName(arrow, forward.values[a]), namesOf(f)), formula.places[a], ""});
  }
  const Environment box = f.box();
  FactBase facts(box);
  const std::vector<Expr> whole = wholeAgain(arrow, formula.values);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const Expr value = byStride(simplified(whole[k], box), facts);
    if (!facts.of(value).fits) return Diag{"its formula exceeds 64 bits", "smaller sizes"};
    f.values.push_back({forward.parameters[k].name, value});
  }
  if (f.values.empty()) return Diag{"there is only one coordinate", "a layout with coordinates"};
  TESSERA_TRY(f.guards, simplerGuards(formula.guards, box));
  TESSERA_TRY(const std::string shown, shownInverse(forward, f));
  f.remarks = {fmt::format("The coordinates that {} maps to this place.", forward.name), shown};
  return f;
}

constexpr i64 kTried = i64{1} << 16;

// The parameters of the forward function through both functions, as a map; digits count from 0.
Result<Map> composedRoundTrip(const IndexFunction& forward, const IndexFunction& back) {
  std::vector<Digit> digits;
  std::vector<Expr> coordinates, places;
  for (std::size_t k = 0; k < forward.parameters.size(); ++k) {
    const Range r = forward.parameters[k].range;
    coordinates.push_back(Expr::digit(static_cast<int>(k)) + r.lo);
    digits.push_back({forward.parameters[k].name, r.hi - r.lo + 1, DigitKind::Index});
  }
  for (const IndexValue& v : forward.values) places.push_back(substitute(v.value, coordinates));
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < back.values.size(); ++k)
    axes.push_back(
        {back.values[k].name, substitute(back.values[k].value, places) - forward.parameters[k].range.lo, {}});
  std::vector<Guard> guards = forward.guards;
  for (Guard& g : guards) g.value = substitute(g.value, coordinates);
  return Map::create(std::move(digits), std::move(axes), std::move(guards));
}

bool simplifiesToIdentity(const Map& map) {
  Environment box;
  for (const Digit& d : map.digits()) box.digits.push_back({0, d.extent - 1});
  for (std::size_t k = 0; k < map.axes().size(); ++k) {
    const Expr itself = simplified(Expr::digit(static_cast<int>(k)), box);
    if (!(simplified(map.axes()[k].value, box) == itself)) return false;
  }
  return true;
}

// Whether the bits of each axis k are those of digit k.
bool isIdentityMatrix(const Map& map) {
  const Result<F2Form> form = asF2(map);
  if (!form || form->constant != 0) return false;
  std::vector<std::size_t> first(map.axes().size(), 0);  // where an axis' bits begin
  for (std::size_t a = 1; a < first.size(); ++a)
    first[a] = first[a - 1] + static_cast<std::size_t>(form->axisBits[a - 1]);
  std::size_t column = 0;
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    std::size_t bit = first[k];
    for (i64 e = map.digits()[k].extent; e > 1; e /= 2, ++bit, ++column)
      if (form->matrix.columns[column] != u64{1} << bit) return false;
  }
  return true;
}

bool holdsEverywhere(const Map& map) {
  std::vector<Program> programs;
  std::vector<i64> extents;
  for (const Axis& a : map.axes()) programs.push_back(Program::compile(a.value));
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  const i64 size = *map.size();
  for (i64 n = 0; n < size; ++n) {
    const std::vector<i64> digits = delinearize(n, extents, LinearOrder::Lex);
    if (!map.isReal(digits)) continue;
    for (std::size_t k = 0; k < programs.size(); ++k)
      if (programs[k].run(digits) != digits[k]) return false;
  }
  return true;
}

}  // namespace

Environment IndexFunction::box() const {
  Environment box;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    (k + sizes < parameters.size() ? box.digits : box.params).push_back(parameters[k].range);
  return box;
}

std::vector<std::string> namesOf(const IndexFunction& f) {
  return mapped<std::string>(f.parameters, &IndexParameter::name);
}

bool isIdentifier(std::string_view text) {
  return !text.empty() && text.size() <= 64 && isNameStart(text[0]) && !reserved(text) &&
         std::ranges::all_of(text, isNamePart);
}

std::string identifierLike(std::string_view wanted, const std::vector<std::string>& taken) {
  std::string base;
  for (const char c : wanted.substr(0, 40)) base += isNamePart(c) ? c : '_';
  if (base == "register") base = "reg";
  if (base.empty() || !isNameStart(base[0])) base = "x" + base;
  if (reserved(base)) base += '_';
  std::string out = base;
  for (int k = 2; std::ranges::find(taken, out) != taken.end(); ++k) out = fmt::format("{}_{}", base, k);
  return out;
}

Result<IndexFunctions> indexFunctions(const Arrow& arrow, std::string_view name) {
  if (!name.empty() && !isIdentifier(name))
    return Diag{fmt::format("'{}' is not a name for a function", name.substr(0, 60)), "letters, digits and _"};
  IndexFunctions out;
  const std::string own(name.empty() ? nameOf(arrow.to.kind) : name);
  TESSERA_TRY(out.forward, forwardOf(arrow, own));
  Result<IndexFunction> back = backOf(arrow, out.forward);
  if (back) {
    out.inverse = *std::move(back);
  } else {
    std::string_view why = back.error().message;
    constexpr std::string_view kKnown = "it has no inverse: ";
    if (why.substr(0, kKnown.size()) == kKnown) why.remove_prefix(kKnown.size());
    out.noInverse = std::string(why);
  }
  return out;
}

Result<std::string> shownInverse(const IndexFunction& forward, const IndexFunction& back) {
  TESSERA_TRY(const Map map, composedRoundTrip(forward, back));
  if (simplifiesToIdentity(map)) return std::string("Proved: the composition simplifies to the identity.");
  if (isIdentityMatrix(map)) return std::string("Proved: the composition is the identity matrix over bits.");
  const auto size = map.size();
  if (size && *size <= kTried && holdsEverywhere(map))
    return fmt::format("Proved: tried at all {} coordinates.", *size);
  return Diag{"its inverse could not be proved correct"};
}

}  // namespace tessera::codegen
