// Reads texts: attributes after their aliases, tensor and memdesc types.
#include "core/notation/triton/attr.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/notation/triton/mlir.h"

namespace tessera::triton {

using detail::Aliases;
using detail::encodingOf;
using mlir::Node;
using mlir::Reader;
using Kind = Node::Kind;

namespace {

// 128x64xf16, 128x64, or an element such as !tt.ptr<f32> after the extents
Result<void> dimensionsInto(Reader& in, Type& type) {
  in.skipBlanks();
  const std::string_view text = in.text();
  std::size_t at = in.position();
  for (;;) {
    std::size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == at || end >= text.size() || text[end] != 'x') break;
    i64 extent = 0;
    if (std::from_chars(text.data() + at, text.data() + end, extent).ec != std::errc() || extent < 1)
      return Diag{"an extent of the type is not a positive 64-bit integer", {}, {}, Span{at, end}};
    type.shape.push_back(extent);
    at = end + 1;
  }
  int depth = 0;
  const std::size_t begin = at;
  for (; at < text.size(); ++at) {
    if (depth == 0 && (text[at] == ',' || text[at] == '>')) break;
    if (text[at] == '<') ++depth;
    if (text[at] == '>') --depth;
  }
  std::size_t end = at;
  while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\n' || text[end - 1] == '\t')) --end;
  type.element = std::string(text.substr(begin, end - begin));
  in.seek(begin);
  if (!type.element.empty() && (type.element[0] == '?' || type.element[0] == '*'))
    return in.fail("a layout needs every extent", "a number instead of ?");
  in.seek(at);
  if (type.element.empty()) return in.fail("the element type is missing", "f16");
  if (isElementType(type.element)) return {};
  return Diag{fmt::format("{} is not an element type of MLIR", type.element),
              "f16, bf16, f32, i8, f8E4M3FN, !tt.ptr<f32> ..",
              "",
              {begin, end}};
}

// 256x64 at the end of a memdesc
Result<std::vector<i64>> allocShape(Reader& in) {
  constexpr i64 kLargest = i64{1} << 50;
  std::vector<i64> shape;
  const std::size_t begin = in.start();
  do {
    i64 value = 0;
    const std::size_t digits = in.position();
    for (; in.raw() >= '0' && in.raw() <= '9' && value < kLargest; in.advance()) value = value * 10 + (in.raw() - '0');
    if (in.position() == digits) return in.failFrom(begin, "this is not part of a memdesc", "mutable, or 256x64");
    if (value < 1 || value >= kLargest) return in.failFrom(digits, "an extent of the allocation is not in [1, 2^50)");
    shape.push_back(value);
    if (in.raw() != 'x') return shape;
    in.advance();
  } while (true);
}

Result<Encoding> encodingFrom(Reader& in, const Aliases& aliases) {
  TESSERA_TRY(const Node node, in.attribute());
  return encodingOf(node, aliases);
}

// 128x64xf16, #encoding, #memory_space, then optionally mutable, then optionally the allocation's shape
Result<Type> memdescFrom(Reader& in, const Aliases& aliases, bool older) {
  Type type;
  type.memdesc = true;
  TESSERA_CHECKED(dimensionsInto(in, type));
  TESSERA_CHECKED(in.expect(",", "before the layout of a memdesc"));
  TESSERA_TRY(type.encoding, encodingFrom(in, aliases));
  if (older && in.peek() == '>') {  // the first compilers with memdesc had shared memory only
    type.memorySpace = Encoding{MemorySpace{}};
    in.advance();
    return type;
  }
  TESSERA_CHECKED(in.expect(",", "before the memory space of a memdesc"));
  TESSERA_TRY(type.memorySpace, encodingFrom(in, aliases));
  bool more = in.accept(",");
  if (more && in.acceptWord("mutable")) {
    type.isMutable = true;
    more = in.accept(",");
  }
  if (more) {
    TESSERA_TRY(type.allocShape, allocShape(in));
    if (type.allocShape == type.shape) type.allocShape.clear();
  }
  TESSERA_CHECKED(in.expect(">", "at the end of the memdesc"));
  return type;
}

// 128x64xf16, then optionally an encoding
Result<Type> tensorFrom(Reader& in, const Aliases& aliases) {
  Type type;
  TESSERA_CHECKED(dimensionsInto(in, type));
  if (in.accept(",")) {
    TESSERA_TRY(type.encoding, encodingFrom(in, aliases));
  }
  TESSERA_CHECKED(in.expect(">", "at the end of the type"));
  return type;
}

Result<Type> typeFrom(Reader& in, const Aliases& aliases) {
  const std::size_t begin = in.start();
  const bool older = in.accept("!tt.memdesc<") || in.accept("!triton_gpu.memdesc<");
  if (older || in.accept("!ttg.memdesc<")) {
    TESSERA_TRY(Type type, memdescFrom(in, aliases, older));
    if (auto fine = verify(type); !fine) {
      fine.error().span = in.spanFrom(begin);
      return fine.error();
    }
    return type;
  }
  if (in.accept("!tt.tensordesc<")) {
    const bool wrapped = in.accept("tensor<");  // older text wraps the contents in a tensor type
    TESSERA_TRY(Type type, tensorFrom(in, aliases));
    if (wrapped) TESSERA_CHECKED(in.expect(">", "at the end of the type"));
    type.descriptor = true;
    return type;
  }
  TESSERA_CHECKED(in.expect("tensor<", "at the start of a type"));
  return tensorFrom(in, aliases);
}

// #name = #ttg..., any number of them. The `=` after the name distinguishes an alias from an attribute.
Result<bool> aliasInto(Reader& in, Text& text, Aliases& aliases) {
  const std::size_t begin = in.position();
  TESSERA_TRY(const Node name, in.attribute());
  if (!name.items.empty() || !name.entries.empty() || !in.accept("=")) {
    in.seek(begin);
    return false;
  }
  TESSERA_TRY(const Node node, in.attribute());
  TESSERA_TRY(Encoding encoding, encodingOf(node, aliases));
  text.aliases.emplace_back(name.name, encoding);
  aliases.insert_or_assign(name.name, std::move(encoding));
  return true;
}

bool atType(Reader& in) {
  in.skipBlanks();
  const std::string_view rest = in.text().substr(std::min(in.position(), in.text().size()));
  if (rest.starts_with("!ttg.") || rest.starts_with("!tt.") || rest.starts_with("!triton_gpu.")) return true;
  return rest.starts_with("tensor<") && !rest.starts_with("tensor<ptr<");  // that is CuTe DSL's
}

// Aliases, an attribute or a type.
Result<Text> readLayout(Reader& in, Aliases aliases) {
  Text text;
  while (in.peek() == '#') {
    TESSERA_TRY(const bool alias, aliasInto(in, text, aliases));
    if (!alias) break;
  }
  if (in.peek() == '#') {
    TESSERA_TRY(const Node node, in.attribute());
    TESSERA_TRY(text.encoding, encodingOf(node, aliases));
  } else if (atType(in)) {
    TESSERA_TRY(Type type, typeFrom(in, aliases));
    text.encoding = type.encoding;
    text.shape = type.shape;
    text.types.push_back(std::move(type));
  } else if (!text.aliases.empty()) {
    text.encoding = text.aliases.back().second;
  }
  if (!text.encoding && text.types.empty())
    return in.fail("no layout attribute here", "#ttg.blocked<{..}> or tensor<128x64xf16, #ttg...>");
  return text;
}

Result<std::vector<i64>> overShape(Reader& in) {
  std::vector<i64> shape;
  TESSERA_CHECKED(in.expect("(", "before the shape"));
  while (!in.accept(")")) {
    TESSERA_TRY(const Node node, in.node());
    if (node.kind != Kind::Integer || node.integer < 1)
      return Diag{"an extent is not a positive integer", {}, {}, node.span};
    shape.push_back(node.integer);
    if (in.accept(",")) continue;
    TESSERA_CHECKED(in.expect(")", "after the shape"));
    break;
  }
  if (shape.empty()) return in.fail("an empty shape");
  return shape;
}

void typesOf(std::string_view source, const Aliases& aliases, Text& text) {
  constexpr std::size_t kMostTypes = 4096;
  std::size_t at = 0;
  while (text.types.size() < kMostTypes) {
    const std::size_t begin =
        std::min({source.find("tensor<", at), source.find("!ttg.memdesc<", at), source.find("!tt.tensordesc<", at)});
    if (begin == std::string_view::npos) return;
    at = begin + 7;
    Reader in(source, begin);
    const auto type = typeFrom(in, aliases);
    if (!type || !type->encoding) continue;
    at = std::max(at, in.position());
    if (std::find(text.types.begin(), text.types.end(), *type) == text.types.end()) text.types.push_back(*type);
  }
}

// A whole file: alias lines at the start of a line; everything else is skipped.
Result<Text> readFile(std::string_view source) {
  Text text;
  Aliases aliases;
  std::size_t at = 0;
  while (at < source.size()) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    if (source[at] == '#') {
      const std::string_view line = source.substr(at, end - at);
      const std::size_t value = line.find('=');
      bool layout = false;
      for (const char* dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."})
        layout = layout || (value != std::string_view::npos && line.find(dialect, value) != std::string_view::npos);
      if (layout) {
        Reader in(source, at);
        TESSERA_CHECKED(aliasInto(in, text, aliases));
      }
    }
    at = end + 1;
  }
  if (text.aliases.empty()) return Diag{"no layout attribute here", "#name = #ttg...", {}, Span{0, source.size()}};
  text.encoding = text.aliases.back().second;
  typesOf(source, aliases, text);
  return text;
}

}  // namespace

Result<std::optional<Text>> parsePrefix(Cursor& cursor, const AliasLookup& known) {
  Reader in(cursor.text(), cursor.position());
  if (in.peek() != '#' && !atType(in)) return std::optional<Text>();
  Aliases aliases;
  for (std::size_t at = in.text().find('#', in.position()); at != std::string_view::npos;
       at = in.text().find('#', at + 1)) {
    Reader name(in.text(), at + 1);
    while (name.atNamePart()) name.advance();
    const std::string alias(in.text().substr(at, name.position() - at));
    if (auto encoding = known(alias)) aliases.insert_or_assign(alias, *std::move(encoding));
  }
  TESSERA_TRY(Text text, readLayout(in, std::move(aliases)));
  cursor.seek(in.position());
  return std::optional(std::move(text));
}

Result<Text> parse(std::string_view source) {
  if (source.find("module") != std::string_view::npos || source.find("tt.func") != std::string_view::npos)
    return readFile(source);
  Reader in(source);
  TESSERA_TRY(Text text, readLayout(in, {}));
  if (in.accept("over")) {
    if (!text.types.empty())
      return in.fail("a whole type already contains its shape", "the attribute alone before `over`");
    TESSERA_TRY(text.shape, overShape(in));
  }
  if (!in.atEnd()) return in.fail("text after the end of the layout", "the end, or `over (shape)`");
  return text;
}

Result<Encoding> parseEncoding(std::string_view source) {
  TESSERA_TRY(Text text, parse(source));
  if (!text.encoding) return Diag{"the type has no layout attribute", {}, {}, Span{0, source.size()}};
  return *std::move(text.encoding);
}

}  // namespace tessera::triton
