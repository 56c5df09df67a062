#include "core/notation/indexing/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/check.h"
#include "core/map/compose.h"
#include "core/notation/axe/text/text.h"
#include "core/notation/indexing/expression.h"

namespace tessera::indexing {
namespace {

using axe::spelling::Scanner;

const Guard kNever{Expr::constant(0), 1, 0};

struct Variable {
  std::string name;
  i64 lo = INT64_MIN, hi = INT64_MAX;  // hi < lo: the domain is empty
  bool bounded = false;
};

// Reads the domain before the results, because digits count from the lower bound of their range, and the ranges decide
// whether a divisor can be 0.
class Reader {
 public:
  // alone: the text contains only the map, so anything after a comma is a constraint.
  Reader(std::string_view text, std::size_t at, bool alone) : in_(text, at), alone_(alone) {}

  [[nodiscard]] std::size_t position() const { return in_.position(); }

  Result<IndexingMap> run() {
    if (in_.accept("KNOWN EMPTY")) {
      TESSERA_TRY(Map nothing, Map::create({}, {}, {kNever}));
      return IndexingMap{std::move(nothing)};
    }
    if (in_.accept("UNDEFINED")) return IndexingMap{{}, true};
    TESSERA_CHECKED(names(dims_, "(", ")"));
    if (in_.peek() == '[') TESSERA_CHECKED(names(ranges_, "[", "]"));
    if (in_.peek() == '{') TESSERA_CHECKED(names(runtimes_, "{", "}"));
    if (in_.peek() == '[' && ranges_.empty()) TESSERA_CHECKED(names(ranges_, "[", "]"));
    TESSERA_CHECKED(in_.expect("->", "after the variables"));
    const std::size_t results = in_.position();
    TESSERA_CHECKED(skipResults());
    TESSERA_CHECKED(domain());
    const std::size_t end = in_.position();
    TESSERA_CHECKED(declare());
    in_.seek(results);
    TESSERA_CHECKED(readResults());
    std::vector<Guard> guards;
    for (const Pending& p : pending_) {
      in_.seek(p.at);
      TESSERA_TRY(Expr value, readExpression(in_, context_));
      if (!in_.acceptWord("in")) return in_.fail("this is not part of the constraint", "expr in [lo, hi]");
      guards.push_back({std::move(value), p.lo, p.hi});
    }
    if (empty_) guards.push_back(kNever);
    in_.seek(end);
    if (alone_ && !in_.atEnd()) return in_.fail("text after the end of the map", "the end, or `, expr in [lo, hi]`");
    TESSERA_TRY(Map map, Map::create(std::move(digits_), std::move(axes_), std::move(guards), std::move(params_)));
    return IndexingMap{std::move(map)};
  }

 private:
  struct Pending {
    std::size_t at = 0;
    i64 lo = 0, hi = 0;
  };

  Result<void> names(std::vector<Variable>& into, const char* open, const char* close) {
    TESSERA_CHECKED(in_.expect(open, "before the variables"));
    while (!in_.accept(close)) {
      const std::size_t begin = in_.position();
      TESSERA_TRY(std::string name, in_.identifier("a variable"));
      if (!places_.emplace(name, Place{&into, into.size()}).second)
        return in_.failFrom(begin, fmt::format("the variable {} appears twice", name));
      into.push_back({std::move(name)});
      if (in_.accept(close)) break;
      TESSERA_CHECKED(in_.expect(",", "between two variables"));
    }
    return {};
  }

  // Skips the tuple of results.
  Result<void> skipResults() {
    TESSERA_CHECKED(in_.expect("(", "before the results"));
    int depth = 1;
    while (depth > 0) {
      if (in_.atEnd()) return in_.fail("the list of results is never closed", "a ')'");
      const char c = in_.peek();
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      in_.seek(in_.position() + 1);
    }
    return {};
  }

  [[nodiscard]] Variable* find(std::string_view name) {
    const auto it = places_.find(name);
    return it == places_.end() ? nullptr : &(*it->second.list)[it->second.at];
  }

  // , domain: d0 in [0, 9], d0 + s0 in [0, 5], is_simplified: true
  Result<void> domain() {
    bool any = false;
    while (acceptComma()) {
      if (in_.atEnd()) break;
      (void)(!any && in_.accept("domain:"));
      any = true;
      if (in_.accept("is_simplified:")) {
        TESSERA_CHECKED(in_.identifier("true or false"));
        continue;
      }
      const std::size_t begin = in_.position();
      Variable* variable = nullptr;
      if (!in_.atInteger() && in_.peek() != '(' && in_.peek() != '-' && in_.peek() != '~') {
        TESSERA_TRY(const std::string name, in_.identifier("a variable or an expression"));
        if (in_.acceptWord("in")) variable = find(name);
        if (variable == nullptr) in_.seek(begin);
        if (variable == nullptr && find(name) == nullptr && name != "min" && name != "max")
          return in_.failFrom(begin, fmt::format("there is no variable {}", name), "a variable of the map");
      }
      if (variable == nullptr) TESSERA_CHECKED(skipTo(begin));
      TESSERA_TRY(const Range range, interval());
      if (variable == nullptr) {
        pending_.push_back({begin, range.lo, range.hi});
      } else {
        variable->lo = std::max(variable->lo, range.lo);
        variable->hi = std::min(variable->hi, range.hi);
        variable->bounded = true;
      }
    }
    for (const auto* list : {&dims_, &ranges_, &runtimes_}) {
      for (const Variable& v : *list) {
        if (!v.bounded) {
          return in_.fail(fmt::format("the domain does not bound {}", v.name),
                          fmt::format("domain: {} in [lo, hi] after the results", v.name));
        }
      }
    }
    return {};
  }
  // Moves past a comma before another part of the domain, which has `in [` outside brackets. In
  // f((x) -> (x), domain: x in [0, 3], y), the next argument has none.
  bool acceptComma() {
    Scanner ahead = in_;
    if (!ahead.accept(",")) return false;
    const std::size_t next = ahead.position();
    bool part = alone_ || ahead.accept("domain:") || ahead.accept("is_simplified:");
    while (!part && !ahead.atEnd()) {
      const char c = ahead.peek();
      if (c == ',' || c == ')' || c == ']') break;
      if (ahead.acceptWord("in")) {
        part = ahead.peek() == '[';
      } else if (const std::string_view word = ahead.peekWord(); !word.empty()) {
        ahead.advance(word.size());
      } else if ((c != '(' && c != '[') || !ahead.acceptBracketed(false)) {
        ahead.advance();
      }
    }
    if (part) in_.seek(next);
    return part;
  }
  // Moves past a constraint's expression and its `in`.
  Result<void> skipTo(std::size_t begin) {
    int depth = 0;
    while (!in_.atEnd()) {
      const char c = in_.peek();
      if (depth == 0 && (c == ',' || c == '[')) break;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && c != ')' && in_.acceptWord("in")) return {};
      if (isNameStart(c)) {
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
    const bool negative = !in_.atInteger() && in_.accept("-");  // `- 3`
    TESSERA_TRY(const i64 n, in_.integer());
    return negative ? -n : n;
  }

  // value | name: value
  Result<void> readResults() {
    TESSERA_CHECKED(in_.expect("(", "before the results"));
    while (!in_.accept(")")) {
      const std::string name = axisName();
      TESSERA_TRY(Expr value, readExpression(in_, context_));
      axes_.push_back({name, std::move(value), {}});
      if (in_.accept(")")) break;
      TESSERA_CHECKED(in_.expect(",", "between two results"));
    }
    return {};
  }
  std::string axisName() {
    const std::size_t begin = in_.start();
    if (auto name = in_.identifier("a name"); name && in_.accept(":")) return *std::move(name);
    in_.seek(begin);
    return "";
  }

  // Declares the digits, parameters and ranges: the meaning of each name.
  Result<void> declare() {
    for (const auto* list : {&dims_, &ranges_}) {
      for (const Variable& v : *list) {
        const auto width = checkedSub(v.hi, v.lo);
        if (!width || *width == INT64_MAX)
          return Diag{fmt::format("the range of {} is too wide", v.name), "below 2^63"};
        empty_ = empty_ || *width < 0;
        context_.box.digits.push_back({0, std::max<i64>(*width, 0)});
        digits_.push_back(
            {v.name, std::max<i64>(*width, 0) + 1, list == &dims_ ? DigitKind::Index : DigitKind::Fan, v.lo});
      }
    }
    for (const Variable& v : runtimes_) {
      empty_ = empty_ || v.lo > v.hi;
      context_.box.params.push_back({v.lo, std::max(v.lo, v.hi)});
      params_.push_back({v.name, v.lo, std::max(v.lo, v.hi)});
    }
    context_.variables = "a variable of the map";
    context_.variable = [this](std::string_view name) -> std::optional<Expr> {
      const auto it = places_.find(name);
      if (it == places_.end()) return std::nullopt;
      if (it->second.list == &runtimes_) return Expr::param(static_cast<int>(it->second.at));
      const std::size_t k = it->second.at + (it->second.list == &ranges_ ? dims_.size() : 0);
      return Expr::digit(static_cast<int>(k)) + Expr::constant(digits_[k].lo);
    };
    return {};
  }

  Scanner in_;
  std::vector<Variable> dims_, ranges_, runtimes_;
  struct Place {
    std::vector<Variable>* list = nullptr;
    std::size_t at = 0;
  };
  std::map<std::string, Place, std::less<>> places_;
  std::vector<Pending> pending_;
  ExpressionContext context_;
  std::vector<Digit> digits_;
  std::vector<Param> params_;
  std::vector<Axis> axes_;
  bool empty_ = false;
  bool alone_ = true;
};

// (d0, d1)[s0]{r0} -> (
bool atMap(Scanner in) {
  if (in.accept("KNOWN EMPTY") || in.accept("UNDEFINED")) return !in.atNamePart();
  if (!in.accept("(")) return false;
  while (!in.accept(")")) {
    const std::string_view name = in.peekWord();
    in.advance(name.size());
    const bool comma = in.accept(",");
    if (name.empty() && !comma) return false;
  }
  for (int k = 0; k < 3 && (in.peek() == '[' || in.peek() == '{'); ++k)
    if (!in.acceptBracketed(false)) return false;
  return in.accept("->") && in.peek() == '(';
}

}  // namespace

Result<IndexingMap> parse(std::string_view text) {
  Result<IndexingMap> map = Reader(text, 0, true).run();
  if (!map && map.error().span.empty()) map.error().span = {0, text.size()};
  return map;
}

Result<std::optional<IndexingMap>> parsePrefix(Cursor& cursor) {
  Scanner in(cursor.text(), cursor.position());
  in.skipBlanks();
  if (!atMap(in)) return std::optional<IndexingMap>();
  Reader reader(in.text(), in.position(), false);
  Result<IndexingMap> map = reader.run();
  if (!map && map.error().span.empty()) map.error().span = {in.position(), std::max(reader.position(), in.position())};
  if (!map) return map.error();
  cursor.seek(reader.position());
  return std::optional(*std::move(map));
}

std::string print(const IndexingMap& map) { return map.undefined ? "UNDEFINED" : print(map.map); }

Result<Map> toMap(const IndexingMap& map) {
  if (map.undefined) return Diag{"this map is undefined", "a map with a formula"};
  return map.map;
}

IndexingMap toIndexingMap(const Map& map) {
  Redigited to(map);
  for (const int k : map.indexDigits()) to.keep(k);
  for (const int k : map.fanDigits()) to.keep(k);
  std::vector<Axis> axes = substituted(map.axes(), to.byDigit);
  for (Axis& a : axes) a.name.clear();
  auto made = Map::create(std::move(to.digits), std::move(axes), substituted(map.guards(), to.byDigit), map.params());
  LAYOUT_CHECK(made.ok(), "reordering digits cannot make a map unsound");
  return {*std::move(made)};
}

IndexingMap simplified(const IndexingMap& map) { return map.undefined ? map : IndexingMap{simplified(map.map)}; }

Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.undefined || second.undefined) return IndexingMap{{}, true};
  TESSERA_TRY(Map both, thenInside(first.map, second.map));
  return IndexingMap{std::move(both)};
}

}  // namespace tessera::indexing
