#include "core/notation/axe/text/parametric.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {
namespace {

constexpr std::string_view kForm = "S[(n,8):(8@m,1@m)] for n in [1, 4096]";

constexpr Dialect kDialect{.nameAlso = ".", .plus = false};  // `+` joins terms

// A product of integers and names, with its range.
struct Amount {
  Expr value;
  i64 lo = 0, hi = 0;
  Span span;
};

struct Iter {
  Amount extent, stride;
  std::string axis;
};

class Parser {
 public:
  // The terms are in [begin, clause), the ranges after the `for` at clause.
  Parser(std::string_view text, std::size_t begin, std::size_t clause)
      : text_(text), begin_(begin), clause_(clause), cursor_(text, kDialect) {}

  Result<Map> run(std::size_t* end) {
    TESSERA_CHECKED(ranges(clause_ + 3));
    *end = cursor_.position();
    cursor_ = Cursor(text_.substr(0, clause_), kDialect, begin_);
    do {
      TESSERA_CHECKED(term());
    } while (cursor_.accept('+'));
    if (!cursor_.atEnd()) return expected("'+' or the end of the layout");
    return map();
  }

 private:
  [[nodiscard]] Diag expected(std::string what) const {
    return Diag{"this is not valid in a layout with symbolic sizes",
                std::move(what),
                std::string(kForm),
                {cursor_.position(), std::min(cursor_.position() + 1, text_.size())}};
  }
  Result<i64> integer() {
    if (!cursor_.atInteger()) return expected("an integer below 2^63");
    return cursor_.integer();
  }

  // NAME in [lo, hi], ...
  Result<void> ranges(std::size_t from) {
    cursor_.seek(from);
    do {
      const std::size_t begin = cursor_.start();
      const std::string name(cursor_.peekWord());
      if (name.empty()) return expected("NAME in [LEAST, MOST]");
      cursor_.advance(name.size());
      if (!cursor_.accept("in") || !cursor_.accept('[')) return expected("in [LEAST, MOST]");
      TESSERA_TRY(const i64 lo, integer());
      if (!cursor_.accept(',')) return expected("',' and the largest value");
      TESSERA_TRY(const i64 hi, integer());
      if (!cursor_.accept(']')) return expected("']'");
      if (lo > hi)
        return Diag{fmt::format("{} has no value between {} and {}", name, lo, hi),
                    "LEAST <= MOST",
                    "",
                    {begin, cursor_.position()}};
      params_.push_back({name, lo, hi});
    } while (atRange());
    return {};
  }

  // Moves past a comma that another `NAME in [` follows.
  [[nodiscard]] bool atRange() {
    Cursor ahead = cursor_;
    if (!ahead.accept(',')) return false;
    const std::size_t next = ahead.position();
    ahead.advance(ahead.peekWord().size());
    if (!ahead.acceptWord("in") || ahead.peek() != '[') return false;
    cursor_.seek(next);
    return true;
  }

  // 8, n, 8*n, m*n
  Result<Amount> amount() {
    cursor_.skipBlanks();
    Amount out{Expr::constant(1), 1, 1, {cursor_.position(), cursor_.position()}};
    do {
      cursor_.skipBlanks();
      i64 lo = 0, hi = 0;
      Expr factor;
      if (const std::string name(cursor_.peekWord()); !name.empty()) {
        const auto param = std::ranges::find(params_, name, &Param::name);
        if (param == params_.end()) {
          return Diag{fmt::format("'{}' has no range", name),
                      fmt::format("for {} in [LEAST, MOST]", name),
                      "",
                      {cursor_.position(), cursor_.position() + name.size()}};
        }
        cursor_.advance(name.size());
        factor = Expr::param(static_cast<int>(param - params_.begin()));
        lo = param->lo;
        hi = param->hi;
      } else {
        TESSERA_TRY(lo, integer());
        hi = lo;
        factor = Expr::constant(lo);
      }
      const auto corners = {checkedMul(out.lo, lo), checkedMul(out.lo, hi), checkedMul(out.hi, lo),
                            checkedMul(out.hi, hi)};
      if (std::ranges::any_of(corners, [](const auto& c) { return !c; }))
        return Diag{"this product does not fit in 64 bits", "smaller ranges", "", {out.span.begin, cursor_.position()}};
      out.lo = **std::ranges::min_element(corners);
      out.hi = **std::ranges::max_element(corners);
      out.value = out.value * factor;
    } while (cursor_.accept('*'));
    out.span.end = cursor_.position();
    return out;
  }
  Result<std::string> axisName() {
    if (!cursor_.accept('@')) return std::string(kMemoryAxis);
    const std::string name(cursor_.peekWord());
    if (name.empty()) return expected("an axis after '@'");
    cursor_.advance(name.size());
    return name;
  }

  // S[..], R[..], or an offset
  Result<void> term() {
    if (cursor_.accept("S[")) return group(shard_);
    if (cursor_.accept("R[")) return group(replica_);
    TESSERA_TRY(Amount offset, amount());
    TESSERA_TRY(std::string axis, axisName());
    offsets_.push_back({{}, std::move(offset), std::move(axis)});
    return {};
  }
  Result<void> group(std::vector<Iter>& into) {
    const bool tuple = cursor_.accept('(');
    const std::size_t first = into.size();
    do {
      TESSERA_TRY(Amount extent, amount());
      if (extent.lo < 1) return Diag{"an extent may be below 1 here", "extents of at least 1", "", extent.span};
      into.push_back({std::move(extent), {}, {}});
    } while (tuple && cursor_.accept(','));
    if (tuple && !cursor_.accept(')')) return expected("',' or ')'");
    if (!cursor_.accept(':')) return expected("':' and the strides");
    if (tuple && !cursor_.accept('(')) return expected("'(' and a stride for each extent");
    std::size_t k = first;
    do {
      if (k == into.size()) return expected("as many strides as extents");
      TESSERA_TRY(into[k].stride, amount());
      TESSERA_TRY(into[k].axis, axisName());
      ++k;
    } while (tuple && cursor_.accept(','));
    if (k != into.size()) return expected("a stride for each extent");
    if ((tuple && !cursor_.accept(')')) || !cursor_.accept(']')) return expected(tuple ? "')' and ']'" : "']'");
    return {};
  }

  Result<Map> map() {
    std::vector<Digit> digits;
    std::vector<Guard> guards;
    std::vector<Axis> axes;
    const auto axis = [&](const std::string& name) -> Expr& {
      const auto found = std::ranges::find(axes, name, &Axis::name);
      return found != axes.end() ? found->value : axes.emplace_back(Axis{name, Expr::constant(0), std::nullopt}).value;
    };
    const auto add = [&](const std::vector<Iter>& iters, DigitKind kind) {
      for (const Iter& it : iters) {
        const Expr digit = Expr::digit(static_cast<int>(digits.size()));
        digits.push_back(
            {fmt::format("{}{}", kind == DigitKind::Index ? "d" : "r", &it - iters.data()), it.extent.hi, kind});
        if (it.extent.lo != it.extent.hi) guards.push_back({it.extent.value - 1 - digit, 0, it.extent.hi - 1});
        Expr& sum = axis(it.axis);
        sum = sum + digit * it.stride.value;
      }
    };
    add(shard_, DigitKind::Index);
    add(replica_, DigitKind::Fan);
    for (const Iter& o : offsets_) {
      Expr& sum = axis(o.axis);
      sum = sum + o.stride.value;
    }
    if (axes.empty()) return expected("S[...]");
    std::ranges::sort(axes, [](const Axis& a, const Axis& b) { return a.name < b.name; });
    return Map::create(std::move(digits), std::move(axes), std::move(guards), params_);
  }

  std::string_view text_;
  std::size_t begin_, clause_;
  Cursor cursor_;
  std::vector<Param> params_;
  std::vector<Iter> shard_, replica_, offsets_;
};

// The position of the `for` of a layout with symbolic sizes, after S[..] + R[..] + n@m.
std::optional<std::size_t> clauseOf(Cursor in) {
  constexpr int kLeadingOffsets = 16;  // a long plain sum is not a layout; it must not be read to its end at each term
  bool brackets = false;
  int offsets = 0;
  do {
    in.skipBlanks();
    if ((in.peek() == 'S' || in.peek() == 'R') && in.raw(1) == '[') {
      brackets = true;
      in.advance();
      if (!in.acceptBracketed()) return std::nullopt;
      continue;
    }
    if (!brackets && ++offsets > kLeadingOffsets) return std::nullopt;
    const std::size_t begin = in.position();
    do {  // n * 4@warp
      in.skipBlanks();
      while (in.atNamePart()) in.advance();
    } while (in.accept('*') || in.accept('@'));
    if (in.position() == begin) return std::nullopt;
  } while (in.accept('+'));
  if (!brackets || in.peekWord() != "for") return std::nullopt;
  return in.position();
}

}  // namespace

Result<std::optional<Map>> parseParametricPrefix(Cursor& cursor) {
  Cursor in(cursor.text(), kDialect, cursor.position());
  in.skipBlanks();
  const auto clause = clauseOf(in);
  if (!clause) return std::optional<Map>();
  std::size_t end = 0;
  TESSERA_TRY(Map map, Parser(in.text(), in.position(), *clause).run(&end));
  cursor.seek(end);
  return std::optional(std::move(map));
}

}  // namespace tessera::axe
