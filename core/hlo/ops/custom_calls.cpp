#include "core/hlo/ops/custom_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ops/op.h"
#include "core/hlo/text/kept.h"
#include "core/map/compose.h"
#include "core/notation/indexing/map.h"

namespace tessera::hlo {
namespace {

using TableRow = CustomCalls::Row;

bool isBlankByte(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmedText(std::string_view text) {
  while (!text.empty() && isBlankByte(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlankByte(text.back())) text.remove_suffix(1);
  return text;
}

// The first word, which it removes from the text.
std::string_view takeWord(std::string_view& text) {
  text = trimmedText(text);
  std::size_t end = 0;
  while (end < text.size() && !isBlankByte(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text = trimmedText(text.substr(end));
  return word;
}

// The text between the brackets that begin here, which it removes; nullopt: there are none.
std::optional<std::string_view> takeBracket(std::string_view& text, char open, char close) {
  text = trimmedText(text);
  if (text.empty() || text.front() != open) return std::nullopt;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == open ? 1 : text[k] == close ? -1 : 0;
    if (depth > 0) continue;
    const std::string_view inside = text.substr(1, k - 1);
    text = trimmedText(text.substr(k + 1));
    return inside;
  }
  return std::nullopt;
}

// The parts between commas outside round brackets.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    const char c = k < text.size() ? text[k] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || (depth > 0 && k < text.size())) continue;
    if (const std::string_view part = trimmedText(text.substr(begin, k - begin)); !part.empty())
      parts.emplace_back(part);
    begin = k + 1;
  }
  return parts;
}

constexpr const char* kRead = "(d0, d1)[s0] -> (d0, s0), same, all or nothing; `at most` before it for a superset";

// The map's text with ranges for the variables whose domain is left out; nullopt: the sizes do not give one.
std::optional<std::string> withDomain(const TableRow& row, const Ints& output, const Ints& array) {
  std::string domain;
  const auto has = [&](const std::string& name) {
    for (std::size_t at = row.domain.find(name + " in"); at != std::string::npos;
         at = row.domain.find(name + " in", at + 1)) {
      const std::size_t before = row.domain.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
      if (at == 0 || before == std::string::npos || row.domain[before] == ',') return true;
    }
    return false;
  };
  const auto add = [&](const std::string& name, i64 size) {
    domain += fmt::format("{}{} in [0, {}]", domain.empty() ? "" : ", ", name, size - 1);
  };
  // In the order of declaration, as the notation requires; a given domain replaces a size.
  std::string given = row.domain;
  for (std::size_t k = 0; k < row.dims.size(); ++k)
    if (!has(row.dims[k])) add(row.dims[k], output.at(k));
  for (const std::string& name : row.ranges) {
    if (has(name)) continue;
    const auto alone = std::ranges::find(row.values, name);
    if (alone == row.values.end()) return std::nullopt;
    add(name, array.at(n(alone - row.values.begin())));
  }
  if (!given.empty()) domain += (domain.empty() ? "" : ", ") + given;
  return domain.empty() ? row.map : row.map + ", domain: " + domain;
}

// Splits `(d0)[s0] -> (d0 + s0), domain: ...`.
Result<void> readMap(std::string_view text, TableRow& row) {
  const std::size_t cut = text.find("domain:");
  std::string_view rest = trimmedText(text.substr(0, cut));
  if (cut != std::string_view::npos) row.domain = trimmedText(text.substr(cut + 7));
  if (rest.ends_with(',')) rest = trimmedText(rest.substr(0, rest.size() - 1));
  row.map = rest;
  const auto dims = takeBracket(rest, '(', ')');
  if (!dims) return Diag{fmt::format("`{}` is no read", trimmedText(text)), kRead};
  row.dims = listed(*dims);
  if (const auto ranges = takeBracket(rest, '[', ']')) row.ranges = listed(*ranges);
  if (!rest.starts_with("->")) return Diag{fmt::format("`{}` has no ->", trimmedText(text)), kRead};
  rest.remove_prefix(2);
  const auto values = takeBracket(rest, '(', ')');
  if (!values || !rest.empty()) return Diag{fmt::format("`{}` has no results", trimmedText(text)), kRead};
  row.values = listed(*values);
  // Tried with sizes of 1, to find errors of syntax now.
  const auto tried = withDomain(row, Ints(row.dims.size(), 1), Ints(row.values.size(), 1));
  if (!tried)
    return Diag{fmt::format("the range of a variable of [{}] is not given by the sizes", fmt::join(row.ranges, ", ")),
                "a result that is the variable alone, or its range: domain: s0 in [0, 7]"};
  if (row.dims.empty() && row.ranges.empty()) return {};  // () -> (..) without variables: a map that text cannot hold
  const auto parsed = indexing::parse(*tried);
  if (!parsed) return Diag{parsed.error().message, parsed.error().expected.empty() ? kRead : parsed.error().expected};
  return {};
}

Result<int> numberOrEach(std::string_view word, const char* what) {
  if (word == "*") return -1;
  const auto number = wholeNumber(word);
  if (number && *number >= 0 && *number < (1 << 20)) return static_cast<int>(*number);
  return Diag{fmt::format("`{}` is no number of an {}", word, what), fmt::format("0, 1 .. or * for each {}", what)};
}

Result<TableRow> rowOf(std::string_view text) {
  TableRow row;
  std::string_view target = takeWord(text);
  if (target.ends_with('*')) {
    row.prefix = true;
    target.remove_suffix(1);
  }
  row.target = target;
  const std::string_view output = takeWord(text), operand = takeWord(text);
  if (operand.empty()) return Diag{"a line has four parts", "TARGET OUTPUT OPERAND READ, such as my_call 0 1 same"};
  TESSERA_TRY(row.output, numberOrEach(output, "output"));
  TESSERA_TRY(row.operand, numberOrEach(operand, "operand"));
  if (text.starts_with("at most")) {
    row.atMost = true;
    text = trimmedText(text.substr(7));
  }
  if (text == "same" || text == "all" || text == "nothing") {
    row.what = text == "same" ? TableRow::What::Same : text == "all" ? TableRow::What::All : TableRow::What::Nothing;
    return row;
  }
  if (text.empty()) return Diag{"there is no read", kRead};
  TESSERA_CHECKED(readMap(text, row));
  return row;
}

Result<Map> mapBy(const TableRow& row, const Ints& output, const Ints& array) {
  MapBuilder m(output);
  if (row.what == TableRow::What::All) {
    m.ranges(array);
    return m.build();
  }
  if (row.what == TableRow::What::Same) {
    if (output != array) return Diag{fmt::format("{} and {} differ", sizesText(output), sizesText(array)), ""};
    return identityOf(output);
  }
  if (row.dims.size() != output.size() || row.values.size() != array.size())
    return Diag{fmt::format("it has {} coordinates and {} results, for {} and {}", row.dims.size(), row.values.size(),
                            sizesText(output), sizesText(array)),
                ""};
  if (product(output) == 0 || product(array) == 0) {
    m.within(Expr::constant(1), 0, 0);
    for (std::size_t k = 0; k < array.size(); ++k) m.result(Expr::constant(0));
    return m.build();
  }
  if (row.dims.empty() && row.ranges.empty()) {
    for (const std::string& v : row.values) {
      const auto value = wholeNumber(v);
      if (!value) return Diag{fmt::format("{} is no number", v), ""};
      m.result(Expr::constant(*value));
    }
    return m.build();
  }
  TESSERA_TRY(const indexing::IndexingMap parsed, indexing::parse(withDomain(row, output, array).value_or("")));
  TESSERA_TRY(const Map map, indexing::toMap(parsed));
  if (!map.params().empty()) return Diag{"it has run-time values", ""};
  const std::vector<int> asked = map.indexDigits();
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const Digit& d = map.digit(asked[k]);
    if (d.lo < 0 || d.lo + d.extent > output[k])
      return Diag{fmt::format("{} leaves {}", d.name, sizesText(output)), ""};
  }
  std::vector<Guard> guards = map.guards();
  for (std::size_t k = 0; k < array.size(); ++k) guards.push_back({map.axes()[k].value, 0, array[k] - 1});
  TESSERA_TRY(const Map inside, Map::create(map.digits(), map.axes(), std::move(guards), {}));
  return simplified(inside);
}

}  // namespace

Result<CustomCalls> CustomCalls::parse(std::string_view text) {
  CustomCalls calls;
  int line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view one = text.substr(begin, end - begin);
    one = trimmedText(one.substr(0, one.find('#')));
    ++line;
    if (!one.empty()) {
      auto row = rowOf(one);
      if (!row) {
        Diag diag = row.error();
        diag.span = {begin, end};
        return diag;
      }
      row->line = line;
      calls.rows_.push_back(*std::move(row));
    }
    begin = end + 1;
  }
  if (calls.rows_.empty()) return Diag{"the table has no line", "TARGET OUTPUT OPERAND READ, such as my_call 0 1 same"};
  return calls;
}

std::vector<const TableRow*> CustomCalls::of(std::string_view target) const {
  std::vector<const TableRow*> found;
  std::size_t best = 0;
  for (const TableRow& row : rows_) {
    if (row.prefix ? !target.starts_with(row.target) : target != row.target) continue;
    const std::size_t weight = row.prefix ? row.target.size() + 1 : std::string_view::npos;
    if (weight > best) found.clear();
    best = std::max(best, weight);
    if (weight == best) found.push_back(&row);
  }
  return found;
}

Reach readBy(const TableRow& row, std::size_t operand, const Ints& output, const Ints& array) {
  if (row.what == TableRow::What::Nothing) return none(operand);
  Result<Map> map = mapBy(row, output, array);
  if (!map)
    return unknown(operand, fmt::format("line {} of the table of custom calls: {}", row.line, map.error().message));
  Reach reach = exact(operand, *std::move(map));
  if (reach.maps[0].isEmpty()) reach.maps.clear();
  if (!row.atMost) return reach;
  reach.soundness = Soundness::Over;
  reach.why = fmt::format("as line {} of the table of custom calls says", row.line);
  return reach;
}

Module withCustomCalls(Module module, CustomCalls calls) {
  module.customCalls = std::make_shared<const CustomCalls>(std::move(calls));
  module.kept = std::make_shared<Kept>();
  return module;
}

}  // namespace tessera::hlo
