// CATLASS: layouts of Ascend kernels as their source writes them.
//
//     layout::zN::MakeLayout<half>(128, 64)                          zN<2>(128, 64)
//     using LayoutA = layout::RowMajor; LayoutA layoutA{m, k};       layoutA = RowMajor(m, k), with m and k from --let
//     layout::RowMajor{m, k, lda}                                    (m,k):(lda,1)
//     tla::MakeLayout(tla::MakeShape(m, k), tla::MakeStride(k, Int<1>{}))    (m,k):(k,1)
//     tla::MakeLayout<half, layout::zN>(128, 64), tla::MakeLayoutTile(L, tla::MakeShape(16, 32))
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/notation/tla/notation.h"
#include "core/paste/dialects.h"
#include "core/paste/vendor/source.h"

namespace tessera::paste {
namespace {

using code::Tree;
using vendor::Source;

constexpr std::array<std::string_view, 9> kTags = {"RowMajor", "ColumnMajor", "VectorLayout", "zN",          "nZ",
                                                   "zZ",       "nN",          "L0C",          "Weight4BitnZ"};

bool isTag(std::string_view name) { return std::ranges::find(kTags, name) != kTags.end(); }
// Tags whose layout depends on the element size.
bool isBlocked(std::string_view tag) { return tag != "RowMajor" && tag != "ColumnMajor" && tag != "VectorLayout"; }

class AscendReader {
 public:
  explicit AscendReader(Source& source) : source_(source) {}
  Result<void> all() {
    for (const Tree* statement : source_.statements()) TESSERA_CHECKED(read(*statement));
    return {};
  }

 private:
  using Text = Result<std::optional<std::string>>;  // nullopt: no layout, or a question was asked
  Result<void> read(const Tree& statement);
  Text layout(const Tree& tree);
  Text constructed(std::string_view tag, std::span<const Tree> arguments, Span span);
  Text made(std::string_view tag, const Tree* type, std::span<const Tree> arguments, Span span);
  Text fromTuples(std::span<const Tree> arguments, Span span);
  Text tile(std::span<const Tree> arguments, Span span);
  [[nodiscard]] std::string tagOf(const Tree& type) const;
  std::optional<std::string> shapeText(const Tree& tree);

  Source& source_;
  std::map<std::string, std::string, std::less<>> bound_;  // in the source -> in the worksheet
};

// "zN" of layout::zN, LayoutA, tla::zN; "" for another type.
std::string AscendReader::tagOf(const Tree& type) const {
  const std::string* given = source_.out().given().let(Source::spelled(type));
  const std::string last =
      given != nullptr ? given->substr(given->rfind(':') + 1) : std::string(code::lastName(source_.resolved(type)));
  return isTag(last) ? last : std::string();
}

// RowMajor{m, k, lda}, VectorLayout{n}
AscendReader::Text AscendReader::constructed(std::string_view tag, std::span<const Tree> arguments, Span span) {
  if (isBlocked(tag)) {
    if (arguments.size() != 2)
      return Diag{fmt::format("{} with shapes and strides of its fractals is not read", tag),
                  fmt::format("layout::{}::MakeLayout<half>(rows, columns)", tag), "", span};
    source_.out().ask({"the type of an element", "the element type of a blocked layout",
                       fmt::format("layout::{}::MakeLayout<half>(rows, columns)", tag), span});
    return std::optional<std::string>();
  }
  std::vector<i64> numbers;
  bool all = true;
  for (const Tree& one : arguments) {
    const auto n = source_.integer(one, "an extent of a layout");
    all = all && n.has_value();
    numbers.push_back(n.value_or(1));
  }
  if (!all) return std::optional<std::string>();
  if (tag == "VectorLayout") {
    if (numbers.size() != 1) return Diag{"a VectorLayout has one extent", "layout::VectorLayout{n}", "", span};
    return std::optional(fmt::format("({}):(1)", numbers[0]));
  }
  if (numbers.size() < 2 || numbers.size() > 3)
    return Diag{fmt::format("{} takes rows, columns and perhaps a leading dimension", tag), "{m, k}", "", span};
  const bool byRow = tag == "RowMajor";
  const i64 leading = numbers.size() == 3 ? numbers[2] : byRow ? numbers[1] : numbers[0];
  return std::optional(byRow ? fmt::format("({},{}):({},1)", numbers[0], numbers[1], leading)
                             : fmt::format("({},{}):(1,{})", numbers[0], numbers[1], leading));
}

// zN::MakeLayout<half>(rows, columns)
AscendReader::Text AscendReader::made(std::string_view tag, const Tree* type, std::span<const Tree> arguments,
                                      Span span) {
  if (!isBlocked(tag)) return constructed(tag, arguments, span);
  if (arguments.size() != 2) return Diag{fmt::format("{} takes rows and columns", tag), "(128, 64)", "", span};
  std::optional<i64> bytes = 4;  // L0C holds accumulators
  if (type != nullptr)
    bytes = source_.elementBytes(*type);
  else if (tag != "L0C")
    bytes = 2, source_.out().note("elements are assumed to have 2 bytes");
  const auto rows = source_.integer(arguments[0], "the rows of a layout"),
             columns = source_.integer(arguments[1], "the columns of a layout");
  if (!bytes || !rows || !columns) return std::optional<std::string>();
  return std::optional(fmt::format("{}<{}>({}, {})", tag, *bytes, *rows, *columns));
}

std::optional<std::string> AscendReader::shapeText(const Tree& tree) {
  const Nesting level;
  const auto children = level.tooDeep() ? std::nullopt : source_.list(tree);
  if (!children) {
    const auto n = source_.integer(tree, "a number of a shape");
    return n ? std::optional(std::to_string(*n)) : std::nullopt;
  }
  std::string out;
  for (const Tree* one : *children) {
    const auto text = shapeText(*one);
    if (!text) return std::nullopt;
    out += (out.empty() ? "" : ",") + *text;
  }
  return "(" + out + ")";
}

AscendReader::Text AscendReader::fromTuples(std::span<const Tree> arguments, Span span) {
  if (arguments.size() < 2)
    return Diag{"MakeLayout takes a shape and a stride", "MakeLayout(MakeShape(4, 8), MakeStride(8, 1))", "", span};
  std::string text;
  for (const Tree& one : arguments) {
    const auto shape = shapeText(one);
    if (!shape) return std::optional<std::string>();
    text += (text.empty() ? "" : ", ") + *shape;
  }
  return std::optional(fmt::format("MakeLayout({})", text));
}

// MakeLayoutTile(L, MakeShape(16, 32)), GetTileLayout(L, tile, coord)
AscendReader::Text AscendReader::tile(std::span<const Tree> arguments, Span span) {
  if (arguments.size() < 2)
    return Diag{"a tile of a layout has its shape", "MakeLayoutTile(L, MakeShape(16, 32))", "", span};
  const auto known = bound_.find(Source::spelled(arguments[0]));
  std::string whole;
  if (known != bound_.end()) {
    whole = known->second;
  } else {
    TESSERA_TRY(const auto inner, layout(arguments[0]));
    if (!inner) {
      if (source_.out().asked()) return std::optional<std::string>();
      return Diag{fmt::format("'{}' is no layout that the text declares", Source::spelled(arguments[0])), "",
                  "paste its declaration as well", span};
    }
    whole = *inner;
  }
  std::string text = whole;
  for (const Tree& one : arguments.subspan(1)) {
    const auto shape = shapeText(one);
    if (!shape) return std::optional<std::string>();
    text += ", " + *shape;
  }
  return std::optional(fmt::format("{}({})", arguments.size() > 2 ? "GetTileLayout" : "MakeLayoutTile", text));
}

// The layout that an expression makes.
AscendReader::Text AscendReader::layout(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep()) return Diag{"this nests too deep", "", "", tree.span};
  const Tree& at = tree.kind == Tree::Kind::Name && !tree.isTemplate ? source_.resolved(tree) : tree;
  const std::span<const Tree> all(at.children);
  if (at.kind == Tree::Kind::Braces && !all.empty()) {  // LayoutA{m, k}
    const std::string tag = tagOf(all[0]);
    if (tag.empty() && code::lastName(all[0]).starts_with("Layout") && all.size() > 1 && !all[0].isTemplate)
      source_.out().ask({Source::spelled(all[0]), "a type of layout",
                         fmt::format("--let {}=layout::RowMajor", Source::spelled(all[0])), at.span});
    return tag.empty() || all.size() < 2 ? Text(std::optional<std::string>())
                                         : constructed(tag, all.subspan(1), at.span);
  }
  if (at.kind != Tree::Kind::Call || all.empty()) return std::optional<std::string>();
  const Tree& callee = all[0];
  const std::string_view name = code::calledName(at);
  const auto& types = callee.templateArguments;
  if (name == "MakeLayout" || name == "MakeLayoutInUb") {
    if (types.size() == 2) return made(tagOf(types[1]), &types[0], all.subspan(1), at.span);
    // layout::zN::MakeLayout<half>, LayoutA::MakeLayout<half>: the scope is the tag
    std::string scope = callee.kind == Tree::Kind::Name ? callee.text : "";
    const std::size_t colons = scope.rfind("::");
    std::string tag;
    if (colons != std::string::npos) {
      Tree holder;
      holder.kind = Tree::Kind::Name;
      holder.text = scope.substr(0, colons);
      tag = tagOf(holder);
    }
    if (!tag.empty()) return made(tag, types.empty() ? nullptr : &types[0], all.subspan(1), at.span);
    if (types.size() == 1)
      return Diag{fmt::format("'{}' has no layout that the text declares", Source::spelled(callee)),
                  "layout::zN::MakeLayout<half>(128, 64)",
                  colons == std::string::npos ? "" : fmt::format("--let {}=zN", scope.substr(0, colons)), at.span};
    return fromTuples(all.subspan(1), at.span);
  }
  if (name == "MakeLayoutInL0C" && all.size() == 2) {  // MakeLayoutInL0C(MakeCoord(m, n))
    const auto sizes = source_.integers(all[1], "the rows and columns of a layout");
    if (!sizes || sizes->size() != 2) return std::optional<std::string>();
    return std::optional(fmt::format("L0C<4>({}, {})", (*sizes)[0], (*sizes)[1]));
  }
  if (name == "MakeLayoutTile" || name == "GetTileLayout") return tile(all.subspan(1), at.span);
  if (name == "MakeTensor" && all.size() > 2) return layout(all[2]);
  const std::string tag = tagOf(callee);  // LayoutA(m, k), layout::zN(..)
  if (!tag.empty() && all.size() > 1) return constructed(tag, all.subspan(1), at.span);
  return std::optional<std::string>();
}

Result<void> AscendReader::read(const Tree& statement) {
  using Kind = Tree::Kind;
  const Tree* value = nullptr;
  if (statement.kind == Kind::Declare && statement.children.size() > 1) value = &statement.children[1];
  if (statement.kind == Kind::Expression && !statement.children.empty()) value = &statement.children[0];
  if (statement.kind == Kind::Return && !statement.children.empty()) value = &statement.children[0];
  if (value == nullptr || value->kind == Kind::Name) return {};
  // `layout::zN a = {..}`: a bare list has the declared type.
  std::optional<std::string> text;
  if (statement.kind == Kind::Declare && value->kind == Kind::Braces && value->children.size() > 1 &&
      value->children[0].kind == Kind::Empty) {
    const std::string tag = tagOf(statement.children[0]);
    if (tag.empty()) return {};
    TESSERA_TRY(text, constructed(tag, std::span(value->children).subspan(1), statement.span));
  } else {
    TESSERA_TRY(text, layout(*value));
  }
  if (!text) return {};
  const std::string name = source_.out().bind(statement.text, *text, statement.span);
  if (!statement.text.empty()) bound_.insert_or_assign(statement.text, name);
  return {};
}

int recognizesAscend(std::string_view whole) {
  const std::string_view text = whole.substr(0, 65536);
  spend(static_cast<Work>(text.size() / 64));
  const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
  static constexpr std::array<std::string_view, 14> kMarks = {
      "layout::zN",          "layout::nZ",           "layout::zZ",     "layout::nN", "layout::RowMajor",
      "layout::ColumnMajor", "layout::VectorLayout", "layout::L0C",    "tla::",      "Catlass::",
      "MakeLayoutTile(",     "zN::MakeLayout",       "nZ::MakeLayout", "AscendC::"};
  if (has("cutlass::") || has("cute::")) return 0;
  for (const std::string_view mark : kMarks)
    if (has(mark)) return 2;
  if (has("MakeShape(") && has("MakeLayout")) return 2;
  return has("LayoutA layout") || has("LayoutB layout") || has("LayoutC layout") || has("MakeLayoutInL0C") ? 1 : 0;
}

Result<Reading> readAscend(std::string_view text, const Given& given) {
  Bindings out(given);
  TESSERA_TRY(Source source, Source::read(text, out));
  AscendReader reader(source);
  TESSERA_CHECKED(reader.all());
  if (out.empty() && !out.asked())
    return Diag{"this text makes no layout: it only names its types", "LayoutA layoutA{m, k};",
                "add a line such as `LayoutA layoutA{128, 64};`"};
  return out.reading("CATLASS");
}

}  // namespace

const Dialect kAscend{"CATLASS", recognizesAscend, readAscend};

}  // namespace tessera::paste
