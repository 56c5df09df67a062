// Reading and printing of indexing maps. The domain is read before the results, because min and max need the ranges.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/axe/text.h"
#include "core/notation/indexing/map.h"

namespace tessera {
namespace {

using axe_text::Scanner;
constexpr int kMaxDepth = 200;

class Reader {
 public:
  explicit Reader(std::string_view text) : in_(text) {}

  Result<IndexingMap> run() {
    map_.empty = in_.accept("KNOWN EMPTY");
    map_.undefined = !map_.empty && in_.accept("UNDEFINED");
    if (map_.empty || map_.undefined) return map_;
    TESSERA_CHECKED(names(map_.dims, "(", ")"));
    if (in_.peek() == '[') TESSERA_CHECKED(names(map_.ranges, "[", "]"));
    if (in_.peek() == '{') TESSERA_CHECKED(names(map_.runtimes, "{", "}"));
    if (in_.peek() == '[' && map_.ranges.empty()) TESSERA_CHECKED(names(map_.ranges, "[", "]"));
    TESSERA_CHECKED(in_.expect("->", "after the variables"));
    const std::size_t results = in_.position();
    TESSERA_CHECKED(skipResults());
    TESSERA_CHECKED(domain());
    const std::size_t end = in_.position();
    box_ = environmentOf(map_);
    in_.seek(results);
    TESSERA_CHECKED(readResults());
    for (const Pending& p : pending_) {
      in_.seek(p.at);
      TESSERA_TRY(Expr value, sum(0));
      if (IndexingVariable* v = variableAt(value)) {  // (d0) in [0, 3] bounds d0
        v->lo = std::max(v->lo, p.lo);
        v->hi = std::min(v->hi, p.hi);
        continue;
      }
      map_.constraints.push_back({std::move(value), p.lo, p.hi});
    }
    in_.seek(end);
    if (!in_.atEnd()) return in_.fail("text after the end of the map", "the end, or `, expr in [lo, hi]`");
    return std::move(map_);
  }

 private:
  struct Pending {
    std::size_t at = 0;
    i64 lo = 0, hi = 0;
  };

  Result<void> names(std::vector<IndexingVariable>& into, const char* open, const char* close) {
    TESSERA_CHECKED(in_.expect(open, "before the variables"));
    while (!in_.accept(close)) {
      const std::size_t begin = in_.position();
      TESSERA_TRY(std::string name, in_.identifier("a variable"));
      for (const auto* list : {&map_.dims, &map_.ranges, &map_.runtimes}) {
        for (const IndexingVariable& v : *list) {
          if (v.name == name) return in_.failFrom(begin, fmt::format("the variable {} stands twice", name));
        }
      }
      into.push_back({std::move(name), 0, -1});
      if (in_.accept(close)) break;
      TESSERA_CHECKED(in_.expect(",", "between two variables"));
    }
    return {};
  }

  // The tuple of results, without reading it.
  Result<void> skipResults() {
    TESSERA_CHECKED(in_.expect("(", "before the results"));
    int depth = 1;
    while (depth > 0) {
      if (in_.atEnd()) return in_.fail("the results never close", "a ')'");
      const char c = in_.peek();
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      in_.seek(in_.position() + 1);
    }
    return {};
  }

  [[nodiscard]] IndexingVariable* find(std::string_view name) {
    for (auto* list : {&map_.dims, &map_.ranges, &map_.runtimes}) {
      for (IndexingVariable& v : *list) {
        if (v.name == name) return &v;
      }
    }
    return nullptr;
  }
  [[nodiscard]] IndexingVariable* variableAt(const Expr& e) {
    if (e.op() == Op::Param) return &map_.runtimes[static_cast<std::size_t>(e.index())];
    if (e.op() != Op::Digit) return nullptr;
    const auto k = static_cast<std::size_t>(e.index());
    return k < map_.dims.size() ? &map_.dims[k] : &map_.ranges[k - map_.dims.size()];
  }
  [[nodiscard]] std::size_t variables() const { return map_.dims.size() + map_.ranges.size() + map_.runtimes.size(); }

  // , domain: d0 in [0, 9], d0 + s0 in [0, 5], is_simplified: true
  Result<void> domain() {
    std::vector<std::string> bounded;
    bool any = false;
    while (in_.accept(",")) {
      if (in_.atEnd()) break;
      (void)(!any && in_.accept("domain:"));
      any = true;
      if (in_.accept("is_simplified:")) {
        TESSERA_CHECKED(in_.identifier("true or false"));
        continue;
      }
      const std::size_t begin = in_.position();
      IndexingVariable* variable = nullptr;
      if (!in_.atInteger() && in_.peek() != '(' && in_.peek() != '-') {
        TESSERA_TRY(const std::string name, in_.identifier("a variable or an expression"));
        if (in_.acceptWord("in")) variable = find(name);
        if (variable == nullptr) in_.seek(begin);
        if (variable == nullptr && find(name) == nullptr && name != "min" && name != "max") {
          return in_.failFrom(begin, fmt::format("there is no variable {}", name), "a variable of the map");
        }
      }
      if (variable == nullptr) {
        TESSERA_CHECKED(skipTo(begin));
      }
      TESSERA_TRY(const Range range, interval());
      if (variable == nullptr) {
        pending_.push_back({begin, range.lo, range.hi});
      } else if (std::find(bounded.begin(), bounded.end(), variable->name) != bounded.end()) {
        variable->lo = std::max(variable->lo, range.lo);
        variable->hi = std::min(variable->hi, range.hi);
      } else {
        variable->lo = range.lo;
        variable->hi = range.hi;
        bounded.push_back(variable->name);
      }
    }
    if (bounded.size() == variables()) return {};
    for (const auto* list : {&map_.dims, &map_.ranges, &map_.runtimes}) {
      for (const IndexingVariable& v : *list) {
        if (std::find(bounded.begin(), bounded.end(), v.name) == bounded.end()) {
          return in_.fail(fmt::format("the domain does not bound {}", v.name),
                          fmt::format("domain: {} in [lo, hi] behind the results", v.name));
        }
      }
    }
    return {};
  }
  // Past a constraint's expression and its `in`.
  Result<void> skipTo(std::size_t begin) {
    int depth = 0;
    while (!in_.atEnd()) {
      const char c = in_.peek();
      if (depth == 0 && (c == ',' || c == '[')) break;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && c != ')' && in_.acceptWord("in")) return {};
      const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (word) {
        TESSERA_CHECKED(in_.identifier("a name"));
      } else {
        in_.seek(in_.position() + 1);
      }
    }
    return in_.failFrom(begin, "this constraint has no interval", "expr in [lo, hi]");
  }
  Result<Range> interval() {
    TESSERA_CHECKED(in_.expect("[", "before the interval"));
    TESSERA_TRY(const i64 lo, integer());
    TESSERA_CHECKED(in_.expect(",", "between the bounds"));
    TESSERA_TRY(const i64 hi, integer());
    TESSERA_CHECKED(in_.expect("]", "after the interval"));
    return Range{lo, hi};
  }
  Result<i64> integer() {
    const bool negative = in_.accept("-");
    TESSERA_TRY(const i64 n, in_.integer());
    return negative ? -n : n;
  }

  Result<void> readResults() {
    TESSERA_CHECKED(in_.expect("(", "before the results"));
    while (!in_.accept(")")) {
      TESSERA_TRY(Expr value, sum(0));
      map_.results.push_back(std::move(value));
      if (in_.accept(")")) break;
      TESSERA_CHECKED(in_.expect(",", "between two results"));
    }
    return {};
  }

  // ---- expressions: sum > product > unary > atom ----
  Result<Expr> sum(int depth) {
    if (depth > kMaxDepth) return in_.fail("the expression nests too deep", "a flatter expression");
    TESSERA_TRY(Expr left, product(depth));
    for (;;) {
      if (in_.accept("+")) {
        TESSERA_TRY(const Expr right, product(depth));
        left = left + right;
      } else if (in_.peek() == '-') {
        (void)in_.accept("-");
        TESSERA_TRY(const Expr right, product(depth));
        left = left - right;
      } else {
        return left;
      }
    }
  }
  Result<Expr> product(int depth) {
    TESSERA_TRY(Expr left, unary(depth));
    for (;;) {
      const std::size_t begin = in_.position();
      enum class Word : unsigned char { None, Times, Floor, Ceil, Mod } word = Word::None;
      if (in_.accept("*")) {
        word = Word::Times;
      } else if (in_.accept("/") || in_.acceptWord("floordiv") || in_.acceptWord("floorDiv")) {
        word = Word::Floor;
      } else if (in_.acceptWord("ceildiv") || in_.acceptWord("ceilDiv")) {
        word = Word::Ceil;
      } else if (in_.acceptWord("mod")) {
        word = Word::Mod;
      } else {
        return left;
      }
      TESSERA_TRY(const Expr right, unary(depth));
      if (word != Word::Times && right.isConstant(0)) {
        return in_.failFrom(begin, "a division by 0", "a divisor other than 0");
      }
      left = word == Word::Times   ? left * right
             : word == Word::Floor ? floorDiv(left, right)
             : word == Word::Ceil  ? floorDiv(left * -1, right) * -1
                                   : modulo(left, right);
    }
  }
  // a mod -8 is a mod 8.
  static Expr modulo(const Expr& a, const Expr& b) {
    return b.isConstant() && b.value() < 0 && b.value() != INT64_MIN ? mod(a, -b.value()) : mod(a, b);
  }
  Result<Expr> unary(int depth) {
    if (depth > kMaxDepth) return in_.fail("the expression nests too deep", "a flatter expression");
    if (!in_.accept("-")) return atom(depth);
    TESSERA_TRY(const Expr operand, unary(depth + 1));
    return operand * -1;
  }
  Result<Expr> atom(int depth) {
    if (in_.accept("(")) {
      TESSERA_TRY(Expr inner, sum(depth + 1));
      TESSERA_CHECKED(in_.expect(")", "at the end of the bracket"));
      return inner;
    }
    if (in_.atInteger()) {
      TESSERA_TRY(const i64 n, in_.integer());
      return Expr::constant(n);
    }
    const std::size_t begin = in_.position();
    TESSERA_TRY(const std::string name, in_.identifier("a variable, a number or a bracket"));
    if ((name == "min" || name == "max") && in_.peek() == '(') return extremum(name == "min", depth + 1);
    if (in_.accept(":")) return sum(depth + 1);  // `lane: expr`, as a Map prints its axes
    for (std::size_t k = 0; k < map_.dims.size(); ++k) {
      if (map_.dims[k].name == name) return Expr::digit(static_cast<int>(k));
    }
    for (std::size_t k = 0; k < map_.ranges.size(); ++k) {
      if (map_.ranges[k].name == name) return Expr::digit(static_cast<int>(map_.dims.size() + k));
    }
    for (std::size_t k = 0; k < map_.runtimes.size(); ++k) {
      if (map_.runtimes[k].name == name) return Expr::param(static_cast<int>(k));
    }
    return in_.failFrom(begin, fmt::format("there is no variable {}", name), "a variable of the map");
  }
  Result<Expr> extremum(bool least, int depth) {
    const std::size_t begin = in_.position();
    TESSERA_CHECKED(in_.expect("(", "after min or max"));
    TESSERA_TRY(Expr value, sum(depth));
    while (in_.accept(",")) {
      TESSERA_TRY(const Expr other, sum(depth));
      const Facts facts = factsOf(value - other, box_);
      const Range r = facts.interval;
      if (!facts.fits || r.lo < -(i64{1} << 60) || r.hi > i64{1} << 60) {
        return in_.failFrom(begin, "the values under min or max range too far", "values below 2^60");
      }
      i64 wide = 1;
      while (wide <= std::max(r.hi, -r.lo)) wide *= 2;
      // (value - other) floordiv wide is -1 where value < other, else 0
      const Expr less = floorDiv(value - other, wide);
      value = least ? other - (value - other) * less : value + (value - other) * less;
    }
    TESSERA_CHECKED(in_.expect(")", "after the values of min or max"));
    return value;
  }

  Scanner in_;
  IndexingMap map_;
  Environment box_;
  std::vector<Pending> pending_;
};

std::string namesOf(const std::vector<IndexingVariable>& list) {
  std::string out;
  for (const IndexingVariable& v : list) out += (out.empty() ? "" : ", ") + v.name;
  return out;
}

}  // namespace

Result<IndexingMap> parseIndexingMap(std::string_view text) {
  Result<IndexingMap> map = Reader(text).run();
  if (!map && map.error().span.empty()) map.error().span = {0, text.size()};
  return map;
}

std::string print(const IndexingMap& map) {
  if (map.undefined) return "UNDEFINED";
  if (map.empty) return "KNOWN EMPTY";
  std::vector<std::string> digits, params;
  std::string results, domain;
  const auto join = [](std::string& to, const std::string& piece) { to += (to.empty() ? "" : ", ") + piece; };
  for (const auto* list : {&map.dims, &map.ranges, &map.runtimes}) {
    for (const IndexingVariable& v : *list) {
      (list == &map.runtimes ? params : digits).push_back(v.name);
      join(domain, fmt::format("{} in [{}, {}]", v.name, v.lo, v.hi));
    }
  }
  for (const Expr& e : map.results) join(results, print(e, digits, params));
  for (const Guard& g : map.constraints) {
    join(domain, fmt::format("{} in [{}, {}]", print(g.value, digits, params), g.lo, g.hi));
  }
  std::string out = fmt::format("({})", namesOf(map.dims));
  if (!map.ranges.empty()) out += fmt::format("[{}]", namesOf(map.ranges));
  if (!map.runtimes.empty()) out += fmt::format("{{{}}}", namesOf(map.runtimes));
  out += fmt::format(" -> ({})", results);
  return domain.empty() ? out : out + ", domain: " + domain;
}

}  // namespace tessera
