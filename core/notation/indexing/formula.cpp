#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/map/compose.h"
#include "core/map/tabulate.h"
#include "core/notation/indexing/expression.h"
#include "core/notation/indexing/map.h"

namespace tessera::indexing {
namespace {

using axe::spelling::Scanner;

constexpr i64 kMaxTable = i64{1} << 20;  // points tabulated for the largest value
constexpr std::size_t kMaxHead = 4096;   // bytes of NAME(NAMES) = that are examined
constexpr std::array<std::string_view, 8> kWords = {"over", "min", "max", "xor", "mod", "floordiv", "ceildiv", "in"};

// The position of the last word `over` outside brackets; npos if there is none.
std::size_t overAt(std::string_view text, std::size_t from) {
  std::size_t found = std::string_view::npos;
  int depth = 0;
  for (std::size_t k = from; k < text.size(); ++k) {
    if (text[k] == '(') ++depth;
    if (text[k] == ')') --depth;
    const bool starts = text.substr(k, 4) == "over" && !isNamePart(text[k - 1]);
    if (depth == 0 && starts && (k + 4 == text.size() || !isNamePart(text[k + 4]))) found = k;
  }
  return found;
}

// One more than the largest value; nullopt if a value can be negative.
std::optional<i64> extentOf(const Map& map) {
  const auto points = map.pointCount();
  Range range;
  if (points && *points <= kMaxTable) {
    std::vector<i64> values(static_cast<std::size_t>(*points));
    if (!tabulate(map, 0, LinearOrder::Colex, values)) return std::nullopt;
    const auto [lo, hi] = std::minmax_element(values.begin(), values.end());
    range = {*lo, *hi};
  } else {
    range = factsOf(withSimplerValues(map).axes()[0].value, environmentOf(map)).interval;
  }
  return range.lo < 0 ? std::nullopt : checkedAdd(range.hi, 1);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), in_(text) {}

  Result<IndexFormula> run() {
    IndexFormula out;
    TESSERA_TRY(out.name, in_.identifier("the name of the formula"));
    TESSERA_CHECKED(parameters());
    TESSERA_CHECKED(in_.expect("=", "after the parameters"));
    const std::size_t body = in_.position();
    TESSERA_CHECKED(extents(out.name, body));
    in_.seek(body);
    TESSERA_TRY(Expr value, readExpression(in_, context()));
    in_.skipBlanks();
    if (in_.position() != over_) return in_.fail("the formula should end here", "an operator, or `over (extents)`");
    std::vector<Digit> digits;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      digits.push_back({parameters_[k], extents_[k], DigitKind::Index});
    Result<Map> map = Map::create(digits, {{"offset", value, {}}});
    const std::optional<i64> extent = map ? extentOf(*map) : std::nullopt;
    if (extent) map = Map::create(std::move(digits), {{"offset", std::move(value), extent}});
    if (!map) {
      map.error().span = trimmed({body, over_});
      return map.error();
    }
    out.map.map = *std::move(map);
    return out;
  }

 private:
  Result<void> parameters() {
    TESSERA_CHECKED(in_.expect("(", "before the parameters"));
    while (!in_.accept(")")) {
      const std::size_t begin = in_.start();
      TESSERA_TRY(std::string name, in_.identifier("a parameter"));
      if (std::ranges::find(kWords, name) != kWords.end())
        return in_.failFrom(begin, fmt::format("{} cannot be a parameter: it is a reserved word of formulas", name),
                            "another name");
      if (std::ranges::any_of(parameters_, [&](const std::string& p) { return p == name; }))
        return in_.failFrom(begin, fmt::format("the parameter {} appears twice", name), "different names");
      parameters_.push_back(std::move(name));
      if (in_.accept(")")) break;
      TESSERA_CHECKED(in_.expect(",", "between two parameters"));
    }
    if (parameters_.empty())
      return in_.failFrom(0, "the formula has no parameters", "at least one", "S(i) = i * 2 over (8)");
    return {};
  }

  Result<void> extents(const std::string& name, std::size_t body) {
    over_ = overAt(text_, body);
    const std::string names = fmt::format("{}", fmt::join(parameters_, ", "));
    const std::string example = fmt::format("{}", fmt::join(std::vector<i64>(parameters_.size(), 64), ", "));
    if (over_ == std::string_view::npos)
      return Diag{fmt::format("the extents of {} are missing", names),
                  "`over (extents)` after the formula, an extent for each parameter; == compares",
                  fmt::format("{}({}) = ... over ({})", name, names, example),
                  {0, body}};
    in_.seek(over_ + 4);
    TESSERA_TRY(extents_, axe::spelling::shapeTuple(in_));
    if (!in_.atEnd()) return in_.fail("text after the extents", "the end of the statement");
    if (extents_.size() == parameters_.size()) return {};
    return Diag{fmt::format("{} parameters ({}), but {} extents", parameters_.size(), names, extents_.size()),
                "an extent for each parameter",
                fmt::format("over ({})", example),
                {over_, text_.size()}};
  }

  [[nodiscard]] ExpressionContext context() const {
    ExpressionContext c;
    c.division = text_.substr(0, over_).find("//") == std::string_view::npos ? Division::Truncate : Division::Python;
    c.variables = "a parameter of the formula";
    for (const i64 n : extents_) c.box.digits.push_back({0, n - 1});
    c.variable = [this](std::string_view name) -> std::optional<Expr> {
      for (std::size_t k = 0; k < parameters_.size(); ++k)
        if (parameters_[k] == name) return Expr::digit(static_cast<int>(k));
      return std::nullopt;
    };
    return c;
  }

  [[nodiscard]] Span trimmed(Span s) const {
    while (s.begin < s.end && isBlank(text_[s.begin])) ++s.begin;
    while (s.begin < s.end && isBlank(text_[s.end - 1])) --s.end;
    return s;
  }

  std::string_view text_;
  Scanner in_;
  std::vector<std::string> parameters_;
  std::vector<i64> extents_;
  std::size_t over_ = 0;
};

}  // namespace

bool opensFormula(std::string_view text) {
  Cursor in(text.substr(0, kMaxHead));
  const auto name = [&] {
    const std::size_t size = in.peekWord().size();
    in.advance(size);
    return size > 0;
  };
  if (!name() || !in.accept('(')) return false;
  while (name() && in.accept(',')) {
  }
  return in.accept(')') && in.accept('=') && in.raw() != '=';
}

Result<IndexFormula> parseFormula(std::string_view text) {
  Result<IndexFormula> formula = Reader(text).run();
  if (!formula && formula.error().span.empty()) formula.error().span = {0, text.size()};
  return formula;
}

}  // namespace tessera::indexing
