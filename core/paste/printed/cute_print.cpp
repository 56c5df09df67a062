// What CuTe prints: layouts and tensors with what a program wrote before them, the tables of print_layout and
// print_tensor, reports of TiledMMA and TiledCopy, print_latex, MLIR of the Python DSL, and the layouts in mangled
// symbols and in the types of error messages. Each part has its file; this one chooses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/bindings.h"
#include "core/paste/dialects.h"
#include "core/paste/printed/cute_mlir.h"
#include "core/paste/printed/cute_types.h"
#include "core/paste/printed/mangled.h"
#include "core/paste/printed/print_lines.h"
#include "core/paste/printed/print_table.h"
#include "core/paste/printed/print_tiled.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kMostPrinted = 2000;  // bindings of one output

bool hasAny(std::string_view text, std::initializer_list<std::string_view> marks) {
  return std::ranges::any_of(marks, [&](std::string_view m) { return text.find(m) != std::string_view::npos; });
}

bool isMangled(std::string_view text) {
  if (hasAny(text, {"N4cute6LayoutI", "N4cute14ComposedLayoutI"})) return true;
  return hasAny(text, {"_Z"}) && hasAny(text, {"4cute"}) && hasAny(text, {"6LayoutI", "14ComposedLayoutI", "5tupleIJ"});
}

// Text that a person wrote in a language, not output.
bool isSource(std::string_view text) {
  if (hasAny(text, {"using "}) && hasAny(text, {" = "})) return true;
  return hasAny(text, {"decltype(", "auto ", "constexpr ", "#include", "return ", "def ", "@cute.", "import ",
                       "::apply(", "cute.make_", "make_layout(", "make_tensor(", "{};", "template <", "template<"});
}
bool isMessage(std::string_view text) {
  return hasAny(text, {"error:", "error ", "note:", "[with ", "instantiation of", "warning:"});
}

int recognizesPrint(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  if (hasAny(text, {"!cute.", "!cute_nvgpu."}) || isMangled(text)) return 2;
  if (hasCuteTypes(text) &&
      hasAny(text, {"tuple<cute::C<", "tuple<C<", "cute::C<(int)", "tuple<cute::_", "tuple<cute::tuple<",
                    "tuple<cute::constant<", "tuple<int", "tuple<cute::integral_constant"}))
    return isSource(text) && !isMessage(text) ? 1 : 2;
  if (isTiledReport(text)) return 2;
  if (hasAny(text, {"% Layout", "\\node[", "tikzpicture"})) return 2;
  if (isSource(text)) return 0;
  if (hasAny(text, {"raw_ptr(", "tensor_value<", "_ptr[", "mem_ptr_[", "ptr[", "tensor<ptr<", ">?? ", "ArithTuple(",
                    "ArithmeticTuple("}))
    return 2;
  if (hasAny(text, {"+--"}) && text.find('|') != std::string_view::npos) return 2;
  // 4:8 alone may be a slice, or the end of a conditional expression.
  for (const PrintedValue& value : valuesIn(text.substr(0, 4096)))
    if ((value.layout || value.swizzle) && value.text.find_first_of("(_<") != std::string::npos) return 1;
  return gridIn(text) ? 1 : 0;
}

// The report of a table: its layout, if the header before it does not say it.
Result<void> bindTable(const PrintedTable& table, std::string_view name, Bindings& bindings) {
  TESSERA_TRY(const std::string layout, layoutOfTable(threadValues(table)));
  if (!table.valueRows.empty())
    bindings.note("the table holds threads and values: the layout's values are thread + threads * value");
  bindings.note("the layout is recovered from the table, whose numbers are its values");
  bindings.bind(name, layout, {table.begin, table.end});
  return {};
}

Result<void> bindLines(std::string_view text, Bindings& bindings) {
  const std::vector<PrintedTable> tables = tablesIn(text);
  const std::vector<PrintedValue> values = valuesIn(text);
  std::size_t next = 0;
  bool tableHasHeader = false;
  const auto bindTablesBefore = [&](std::size_t at) -> Result<void> {
    for (; next < tables.size() && tables[next].begin < at; ++next) {
      if (!tableHasHeader) TESSERA_CHECKED(bindTable(tables[next], "", bindings));
      tableHasHeader = false;
    }
    return {};
  };
  std::size_t bound = 0;
  bool anyLayout = false;
  for (const PrintedValue& value : values) anyLayout = anyLayout || value.layout || value.swizzle;
  for (const PrintedValue& value : values) {
    TESSERA_CHECKED(bindTablesBefore(value.span.begin));
    const bool inTable = next > 0 && value.span.begin < tables[next - 1].end;
    const bool isNamed = !value.name.empty();
    if (inTable || (!value.layout && !value.swizzle && (!isNamed || !anyLayout))) continue;
    if (++bound > kMostPrinted) {
      bindings.note(fmt::format("only the first {} values of the output are read", kMostPrinted));
      break;
    }
    if (!value.note.empty()) bindings.note(value.note);
    bindings.bind(value.name, value.text, value.span);
    if (value.layout) tableHasHeader = true;
  }
  TESSERA_CHECKED(bindTablesBefore(text.size() + 1));
  return {};
}

Result<void> bindPicture(std::string_view text, Bindings& bindings) {
  bool header = false;
  for (const PrintedValue& value : valuesIn(text.substr(0, std::min(text.find("\\begin{document}"), text.size())))) {
    if (!value.layout) continue;
    bindings.bind(value.name == "% Layout" ? "" : value.name, value.text, value.span);
    header = true;
  }
  if (header) return {};
  const auto picture = pictureIn(text);
  if (!picture) return Diag{"the picture has no header `% Layout:` and no complete cells", "\\node at (0,0) {0};"};
  return bindTable(*picture, "", bindings);
}

Result<void> bindAll(std::string_view text, Bindings& bindings) {
  if (isMangled(text)) {
    bool partial = false;
    for (const MangledSymbol& symbol : demangled(text)) {
      bindCuteTypes(symbol.text, bindings);
      partial = partial || !symbol.whole;
    }
    if (partial) bindings.note("a symbol is read only up to what is not known");
    if (!bindings.empty()) return {};
  }
  if (hasCuteTypes(text)) {
    bindCuteTypes(text, bindings);
    if (!bindings.empty()) return {};
  }
  if (hasAny(text, {"!cute.", "!cute_nvgpu."})) {
    bindCuteMlir(text, bindings);
    if (!bindings.empty()) return {};
  }
  if (isTiledReport(text)) {
    bindTiledReport(text, bindings);
    return {};
  }
  if (hasAny(text, {"% Layout", "\\node[", "tikzpicture"})) return bindPicture(text, bindings);
  TESSERA_CHECKED(bindLines(text, bindings));
  if (!bindings.empty()) return {};
  if (const auto grid = gridIn(text)) return bindTable(*grid, "", bindings);
  return {};
}

Result<Reading> readPrint(std::string_view text, const Given& given) {
  Bindings bindings(given);
  TESSERA_CHECKED(bindAll(text, bindings));
  if (bindings.empty())
    return Diag{"no layout, tensor or table in this output", "a line such as sA: (8,64):(64,1)", "", {}};
  return bindings.reading(kCutePrint.name);
}

}  // namespace

const Dialect kCutePrint{"a print of CuTe", recognizesPrint, readPrint};

}  // namespace tessera::paste
