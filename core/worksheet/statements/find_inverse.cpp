// find layout|swizzle|permutation [for A] where equal(T)
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/words.h"
#include "core/notation/indexing/map.h"
#include "core/notation/inverse.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/statements/evaluator.h"
#include "core/worksheet/statements/find_statement.h"

namespace tessera {
namespace {

constexpr std::string_view kInverseForm = "find layout where equal([0, 8, 1, 9]), or equal(S) of an index formula S";
constexpr std::array<std::string_view, 3> kWhat = {"layout", "swizzle", "permutation"};

// Nested lists of integers, the last level fastest: [[0, 1], [2, 3]]. A `;` or a new row also begins a row: [0 1; 2 3].
class TableReader {
 public:
  explicit TableReader(std::string_view text, std::size_t from) : in_(text, {.hex = true}, from) {}

  Result<Table> read() {
    TESSERA_CHECKED(list(0));
    if (!in_.atEnd()) return in_.fail("the table should end here", "`)`");
    if (values_.empty()) return in_.failFrom(0, "the table is empty", "[0, 8, 1, 9]");
    return colex();
  }

 private:
  static constexpr std::size_t kMostModes = 8;

  Result<void> list(std::size_t level) {
    const std::size_t begin = in_.start();
    TESSERA_CHECKED(in_.expect("[", "before the values of a table"));
    if (level >= kMostModes) return in_.failFrom(begin, "the table has too many dimensions", "at most 8");
    i64 count = 0;
    while (!in_.accept(']')) {
      if (in_.accept(';')) {
        TESSERA_CHECKED(closed(level + 1, std::exchange(count, 0), begin));
        ++rowsOfSemicolons_;
        continue;
      }
      if (in_.peek() == '[') {
        TESSERA_CHECKED(list(level + 1));
      } else {
        TESSERA_CHECKED(value(level));
      }
      ++count;
      (void)in_.accept(',');
    }
    if (rowsOfSemicolons_ > 0 && level == 0) {
      if (count > 0) {
        TESSERA_CHECKED(closed(1, count, begin));
        ++rowsOfSemicolons_;
      }
      count = rowsOfSemicolons_;
    }
    return closed(level, count, begin);
  }

  Result<void> value(std::size_t level) {
    if (!values_.empty() && level != leafLevel_)
      return in_.fail("the rows of the table have different depths", "rows of one depth");
    leafLevel_ = level;
    TESSERA_TRY(const i64 value, in_.integer("a value of the table"));
    constexpr i64 kLargest = i64{1} << 61;
    if (value > kLargest || value < -kLargest) return in_.fail("the value is too large", "at most 2^61");
    if (static_cast<i64>(values_.size()) == kMostTablePoints)
      return in_.fail(fmt::format("the table has more than {} values", kMostTablePoints), "a smaller table");
    values_.push_back(value);
    return {};
  }

  // A list of this level has ended.
  Result<void> closed(std::size_t level, i64 count, std::size_t begin) {
    if (count == 0) return in_.failFrom(begin, "a row of the table is empty", "as many values in each row");
    if (extents_.size() <= level) extents_.resize(level + 1, 0);
    i64& extent = extents_[level];
    if (extent == 0) extent = count;
    if (extent == count) return {};
    return in_.failFrom(begin, fmt::format("a row has {} values, another one {}", count, extent),
                        "as many values in each row");
  }

  Result<Table> colex() {
    i64 points = 1;
    for (const i64 e : extents_) points *= e;  // each row was counted, so this is at most the number of values
    if (points != static_cast<i64>(values_.size()))
      return in_.failFrom(0, "the rows of the table have different depths", "rows of one depth");
    Table table{extents_, std::vector<i64>(values_.size())};
    for (std::size_t n = 0; n < values_.size(); ++n) {
      const std::vector<i64> at = delinearize(static_cast<i64>(n), extents_, LinearOrder::Lex);
      table.values[static_cast<std::size_t>(linearize(at, extents_, LinearOrder::Colex))] = values_[n];
    }
    return table;
  }

  Cursor in_;
  std::vector<i64> extents_, values_;
  i64 rowsOfSemicolons_ = 0;
  std::size_t leafLevel_ = 0;  // of the brackets around a value
};

// The names of a formula's body in order of appearance: r*64 + (c ^ r) over (8,64).
std::vector<std::string> variablesIn(std::string_view body) {
  constexpr std::array<std::string_view, 6> kOperators = {"min", "max", "xor", "mod", "floordiv", "ceildiv"};
  std::vector<std::string> names;
  for (const std::string_view name : namePartsIn(body)) {
    if (isNameStart(name[0]) && std::ranges::find(kOperators, name) == kOperators.end() &&
        std::ranges::find(names, name) == names.end())
      names.emplace_back(name);
  }
  return names;
}

class InverseParser {
 public:
  InverseParser(std::string_view text, Evaluator& evaluator) : text_(text), evaluator_(evaluator) {}

  Result<InverseRequest> parse() {
    const std::size_t find = skipBlanks(text_, 0);
    const std::size_t what = skipBlanks(text_, skipWord(text_, find)), whatEnd = skipWord(text_, what);
    const auto* kind = std::ranges::find(kWhat, text_.substr(what, whatEnd - what));
    const std::size_t where = findClause(text_, whatEnd, text_.size(), "where");
    if (kind == kWhat.end() || where == std::string_view::npos)
      return Diag{
          "the condition is missing", "where equal(TABLE or FORMULA)", std::string(kInverseForm), {what, whatEnd}};
    question_.what = static_cast<InverseQuestion::What>(kind - kWhat.begin());
    TESSERA_CHECKED(condition(where + 5));
    TESSERA_CHECKED(searchedOver(whatEnd, where));
    return InverseRequest{std::move(question_)};
  }

 private:
  // equal(T)
  Result<void> condition(std::size_t from) {
    const std::size_t call = skipBlanks(text_, from), open = skipBlanks(text_, skipWord(text_, call));
    const std::size_t end = trimEnd(text_, call, text_.size());
    if (text_.substr(call, skipWord(text_, call) - call) != "equal" || open >= end || text_[open] != '(' ||
        text_[end - 1] != ')')
      return Diag{
          fmt::format("a {} is found for one condition, equal(T)", kWhat[static_cast<std::size_t>(question_.what)]),
          "equal(TABLE or FORMULA)",
          std::string(kInverseForm),
          {call, end}};
    const std::size_t begin = skipBlanks(text_, open + 1), close = trimEnd(text_, begin, end - 1);
    if (begin >= close)
      return Diag{"equal to what?", "a table, a layout or a formula", std::string(kInverseForm), {open, end}};
    question_.name = text_.substr(begin, close - begin);
    if (text_[begin] == '[') {
      TESSERA_TRY(question_.target, TableReader(text_.substr(0, close), begin).read());
      return {};
    }
    Result<Table> table = tableOfExpression(begin, close);
    if (!table) {
      if (auto formula = tableOfFormula(begin, close)) table = *std::move(formula);
    }
    TESSERA_TRY(question_.target, std::move(table));
    return {};
  }

  Result<Table> tableOfExpression(std::size_t begin, std::size_t end) {
    TESSERA_TRY(const Layout layout, layoutIn(begin, end));
    return placedTable(layout, {begin, end});
  }
  Result<Layout> layoutIn(std::size_t begin, std::size_t end) {
    TESSERA_TRY(const NodePtr node, evaluator_.parse(begin, end));
    TESSERA_TRY(const Value value, evaluator_.evaluate(*node));
    return placedAt(*node, layoutOf(value));
  }
  static Result<Table> placedTable(const Layout& layout, Span span) {
    const Result<Arrow>& arrow = layout.arrow();
    Result<Table> table = arrow ? valueTable(*arrow) : Result<Table>(arrow.error());
    if (!table) table.error().span = span;
    return table;
  }

  // The body of a formula: its names are the coordinates, in order of appearance.
  [[nodiscard]] std::optional<Result<Table>> tableOfFormula(std::size_t begin, std::size_t end) const {
    const std::string_view body = text_.substr(begin, end - begin);
    const std::size_t over = findClause(body, 0, body.size(), "over");
    if (over == std::string_view::npos) return std::nullopt;
    const std::vector<std::string> names = variablesIn(body.substr(0, over));
    if (names.empty()) return std::nullopt;
    const std::string head = fmt::format("f({}) = ", fmt::join(names, ", "));
    auto formula = indexing::parseFormula(head + std::string(body));
    if (formula) return valueTable(formula->map.map);
    Diag diag = formula.error();
    const auto moved = [&](std::size_t at) { return std::min(end, begin + (at < head.size() ? 0 : at - head.size())); };
    diag.span = {moved(diag.span.begin), std::max(moved(diag.span.end), moved(diag.span.begin))};
    return Result<Table>(std::move(diag));
  }

  // for A
  Result<void> searchedOver(std::size_t from, std::size_t where) {
    const std::size_t begin = skipBlanks(text_, from);
    if (begin >= where) return {};
    const std::size_t layout = skipBlanks(text_, begin + 3), end = trimEnd(text_, layout, where);
    if (text_.substr(begin, 3) != "for" || layout >= end || question_.what == InverseQuestion::What::Layout)
      return Diag{"this is not expected before the condition",
                  question_.what == InverseQuestion::What::Layout ? "find layout where equal(T)" : "for A",
                  std::string(kInverseForm),
                  {begin, std::max(end, begin)}};
    TESSERA_TRY(question_.over, layoutIn(layout, end));
    TESSERA_TRY(question_.overTable, placedTable(*question_.over, {layout, end}));
    const auto count = [](const Table& t) { return t.values.size(); };
    if (question_.overTable->extents != question_.target.extents &&
        count(*question_.overTable) == count(question_.target))
      evaluator_.notes().push_back(
          Diag{"the shapes differ: both are read by linear index, the first mode fastest", "", "", {layout, end}});
    if (count(*question_.overTable) == count(question_.target)) return {};
    return Diag{
        fmt::format("it has {} coordinates, the table {}", count(*question_.overTable), count(question_.target)),
        "a layout with as many coordinates",
        "",
        {layout, end}};
  }

  std::string_view text_;
  Evaluator& evaluator_;
  InverseQuestion question_;
};

}  // namespace

Result<InverseRequest> parseInverse(std::string_view text, Evaluator& evaluator) {
  return InverseParser(text, evaluator).parse();
}

bool isInverse(std::string_view text) {
  const std::size_t what = skipBlanks(text, skipWord(text, skipBlanks(text, 0))), end = skipWord(text, what);
  const std::string_view word = text.substr(what, end - what);
  if (word == "layout" || word == "permutation") return true;
  if (word != "swizzle") return false;
  const std::size_t where = findClause(text, end, text.size(), "where");
  if (where == std::string_view::npos) return false;
  const std::size_t call = skipBlanks(text, where + 5);
  return text.substr(call, skipWord(text, call) - call) == "equal";
}

}  // namespace tessera
