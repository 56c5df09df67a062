// Triton's linear layouts, as its compiler prints them and as its C++ and Python write them:
//
//     - register=1 -> (0, 1)                          X = register = [[0, 1]], lane = [] -> dim0 1, dim1 2
//     - lane is a size 1 dimension
//     where out dims are: [dim0 (size 1), dim1 (size 2)]
//
//     LinearLayout({{S("register"), {{0, 1}}}, {kLane, {}}}, {S("dim0"), S("dim1")})        the same
//     LinearLayout.from_bases([("register", [[0, 1]]), ("lane", [])], ["dim0", "dim1"])     the same
//     LinearLayout::identity1D(2, kRegister, kDim1) * LinearLayout::identity1D(4, kLane, kDim1)
//     outDimNames[order[0]]                           asks for order, unless --let order=[1,0]
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/notation/linear/layout.h"
#include "core/paste/bindings.h"
#include "core/paste/dialects.h"
#include "core/paste/printed/linear_source.h"

namespace tessera::paste {
namespace {

constexpr std::string_view kWhere = "where out dims are";

// `LinearLayout name({..}, {..})`, a declaration, with any blanks between its marks.
bool declaresLinear(std::string_view text) {
  constexpr std::string_view kType = "LinearLayout ";
  for (std::size_t at = text.find(kType); at != std::string_view::npos; at = text.find(kType, at + 1)) {
    std::string_view rest = stripped(text.substr(at + kType.size()));
    while (!rest.empty() && isNamePart(rest.front())) rest.remove_prefix(1);
    rest = stripped(rest);
    if (!rest.starts_with('(') && !rest.starts_with('{')) continue;
    rest = stripped(rest.substr(1));
    if (rest.starts_with('{') && stripped(rest.substr(1)).starts_with('{')) return true;
  }
  return false;
}

int recognizesLinear(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  const bool dump =
      text.find(" is a size 1 dimension") != std::string_view::npos || text.find(kWhere) != std::string_view::npos;
  if (dump && (text.find("=1 -> (") != std::string_view::npos || text.find(kWhere) != std::string_view::npos)) return 2;
  constexpr std::array<std::string_view, 6> kSource = {"LinearLayout(",
                                                       "LinearLayout{",
                                                       "LinearLayout::",
                                                       "LinearLayout.from_bases",
                                                       "LinearLayout.identity_1d",
                                                       "LinearLayout.strided_1d"};
  // Gluon's DistributedLinearLayout and SharedLinearLayout are other constructors.
  for (const std::string_view mark : kSource)
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1))
      if (at == 0 || !isNamePart(text[at - 1])) return 2;
  return declaresLinear(text) ? 2 : 0;
}

// The line that begins a dump which ends at `where`: the first of the lines before it that are of the dump.
std::size_t dumpBegin(std::string_view text, std::size_t where, std::size_t notBefore) {
  std::size_t begin = where;
  while (begin > notBefore) {
    const std::size_t end = begin - 1;  // the line end
    std::size_t line = text.rfind('\n', end == 0 ? 0 : end - 1);
    line = line == std::string_view::npos || line < notBefore ? notBefore : line + 1;
    const std::string_view content = stripped(text.substr(line, end > line ? end - line : 0));
    const std::size_t dash = content.rfind("- ");
    const bool bases = content.find("=") != std::string_view::npos && content.find("-> (") != std::string_view::npos;
    const bool single = content.find("is a size 1 dimension") != std::string_view::npos;
    if (!content.empty() && !bases && !single) break;
    if (line == begin) break;
    begin = line;
    // A prefix before the first dash, as `layout: - register=1`: the dump begins at the dash.
    if (dash != std::string_view::npos && dash > 0 && (bases || single))
      return line + text.substr(line).find("- ", text.substr(line).find(content) - 0);
  }
  return begin;
}

// The word before a dump: "srcLayout" of "srcLayout:\n - register=1".
std::string_view labelBefore(std::string_view text) {
  text = stripped(text);
  if (!text.ends_with(':') && !text.ends_with('=')) return {};
  text = stripped(text.substr(0, text.size() - 1));
  std::size_t begin = text.size();
  while (begin > 0 && isNamePart(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin);
  return word.empty() || isDigit(word[0]) || word == "LinearLayout" ? std::string_view() : word;
}

Result<Reading> readDumps(std::string_view text, const Given& given) {
  Bindings bindings(given);
  std::size_t from = 0;
  for (std::size_t where = text.find(kWhere); where != std::string_view::npos; where = text.find(kWhere, from)) {
    const std::size_t line = text.rfind('\n', where);
    const std::size_t lineBegin = line == std::string_view::npos || line < from ? from : line + 1;
    const std::size_t begin = dumpBegin(text, lineBegin, from);
    const std::size_t end = text.find(']', where);
    if (end == std::string_view::npos)
      return Diag{"the sizes of the outputs are not closed", "`]`", "", Span{where, text.size()}};
    Result<linear::Layout> layout = linear::parse(text.substr(begin, end + 1 - begin));
    if (!layout) {
      layout.error().span = layout.error().span.shifted(begin);
      return layout.error();
    }
    bindings.bind(labelBefore(text.substr(from, begin - from)), print(*layout), {begin, end + 1});
    from = end + 1;
  }
  if (bindings.empty())
    return Diag{"the dump has no line with the outputs", "where out dims are: [dim0 (size 16), dim1 (size 8)]",
                "add its last line"};
  return bindings.reading(kLinearDump.name);
}

Result<Reading> readLinear(std::string_view text, const Given& given) {
  if (text.find(kWhere) != std::string_view::npos || text.find("is a size 1 dimension") != std::string_view::npos)
    return readDumps(text, given);
  Bindings bindings(given);
  LinearSource source(text, given);
  TESSERA_TRY(const std::vector<NamedLinear> layouts, source.read());
  for (const Question& question : source.questions()) bindings.ask(question);
  for (const NamedLinear& one : layouts) bindings.bind(one.name, print(one.layout), one.span);
  if (bindings.empty() && !bindings.asked()) return Diag{"no linear layout in this text", "LinearLayout({..}, {..})"};
  return bindings.reading(kLinearDump.name);
}

}  // namespace

const Dialect kLinearDump{"a linear layout of Triton", recognizesLinear, readLinear};

}  // namespace tessera::paste
