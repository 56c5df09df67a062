#include "core/codegen/index/index_code.h"

#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/codegen/index/index_function.h"
#include "core/codegen/index/index_text.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"

namespace tessera::codegen {
namespace {

// Messages use the first name of a language.
constexpr std::pair<std::string_view, Language> kLanguages[] = {
    {"cuda", Language::Cuda},       {"c", Language::C},       {"python", Language::Python},
    {"cutlass", Language::Cutlass}, {"cu", Language::Cuda},   {"c++", Language::Cuda},
    {"cpp", Language::Cuda},        {"py", Language::Python}, {"cute", Language::Cutlass}};

Result<std::string> codeOf(const Arrow& arrow, Language language, std::string_view name, const std::string& title) {
  TESSERA_TRY(const IndexFunctions functions, indexFunctions(arrow, name));
  if (language == Language::Python) return printPython(functions, title);
  return printC(functions, title, language == Language::Cuda);
}

// A CuTe layout as a CUTLASS type.

std::string integer(i64 v) {
  // Int<v> takes an int; C<v> any constant.
  if (v < INT32_MIN || v > INT32_MAX) return fmt::format("cute::C<{}ll>", v);
  return fmt::format("cute::Int<{}>", v);
}

Result<std::string> leaf(const cute::IntTuple& t) {
  if (!t.isKnown())
    return Diag{"one of its sizes is not known, and a type needs them", "known sizes",
                "make_layout(make_shape(...), make_stride(...)) takes numbers at run time"};
  if (t.basis().empty()) return integer(t.value());
  return fmt::format("cute::ScaledBasis<{}, {}>", integer(t.value()), fmt::join(t.basis(), ", "));
}

Result<std::string> tupleOf(const cute::IntTuple& t, std::string_view what) {
  if (t.isLeaf()) return leaf(t);
  std::string out;
  for (const cute::IntTuple& child : t.children()) {
    TESSERA_TRY(const std::string one, tupleOf(child, what));
    out += (out.empty() ? "" : ", ") + one;
  }
  return fmt::format("cute::{}<{}>", what, out);
}

Result<std::string> typeOf(const cute::Layout& layout) {
  TESSERA_TRY(const std::string shape, tupleOf(layout.shape(), "Shape"));
  TESSERA_TRY(const std::string stride, tupleOf(layout.stride(), "Stride"));
  return fmt::format("cute::Layout<{},{}{}>", shape, shape.size() + stride.size() > 60 ? "\n    " : " ", stride);
}

// On element indices: recasts a swizzle of byte addresses.
Result<std::string> typeOf(const cute::ComposedLayout& layout) {
  TESSERA_TRY(const std::string inner, typeOf(layout.inner()));
  if (layout.offset().isTuple() || layout.inner().hasBasis())
    return Diag{"its offset is a coordinate, which cannot be printed here", "an offset that is a number"};
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  const cute::Swizzle s = layout.elementSwizzle();
  std::string outer = fmt::format("cute::Swizzle<{}, {}, {}>", s.bits(), s.base(), s.shift());
  if (const cute::Layout* first = layout.outerLayout()) {
    TESSERA_TRY(outer, typeOf(*first));
  } else if (s.isIdentity() && offset == 0) {
    return inner;
  }
  return fmt::format("cute::ComposedLayout<{}, {},\n    {}>", outer, integer(offset), inner);
}

Diag refusal(const Layout& layout, const Diag& why) {
  return {fmt::format("{} is not a CuTe layout: {}", layout.noun(), why.message),
          "a layout that CuTe can express",
          "as \"cuda\" or \"python\" it is a function",
          {}};
}

}  // namespace

Result<Language> languageOf(std::string_view name) {
  const std::string lower = lowerCase(name.substr(0, 40));
  for (const auto& [word, language] : kLanguages)
    if (word == lower) return language;
  return Diag{fmt::format("layouts cannot be written in '{}'", name.substr(0, 40)), "cuda, c, python or cutlass"};
}

Result<std::string> indexCode(const Layout& layout, Language language, std::string_view name) {
  if (language == Language::Cutlass) {
    if (!name.empty() && !isIdentifier(name))
      return Diag{fmt::format("'{}' is not a name for a type", name.substr(0, 60)), "letters, digits and _"};
    return printCutlass(layout, std::string(name.empty() ? "L" : name));
  }
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  return codeOf(arrow, language, name, print(layout));
}

Result<std::string> indexCode(const Arrow& arrow, Language language, std::string_view name, std::string_view title) {
  if (language == Language::Cutlass)
    return Diag{"a map has no text in CUTLASS C++", "a CuTe layout", "to_cute(L), where it has such a form"};
  return codeOf(arrow, language, name, title.empty() ? print(arrow.map) : std::string(title));
}

Result<std::string> printCutlass(const Layout& layout, const std::string& name) {
  const Result<Layout> found = toCute(layout);
  if (!found) return refusal(layout, found.error());
  Result<std::string> type = Diag{"it is not a CuTe layout"};
  if (const auto* plain = found->as<cute::Layout>()) type = typeOf(*plain);
  if (const auto* composed = found->as<cute::ComposedLayout>()) type = typeOf(*composed);
  if (!type) return refusal(layout, type.error());
  std::string out = "// " + commentLine(print(layout)) + "\n";
  const Result<Arrow> arrow = layout.arrow();
  if (arrow && isDistribution(*arrow)) out += "// (thread, value) -> index in the tile, first dimension fastest\n";
  out += "// from <cute/tensor.hpp>\n";
  return out + fmt::format("using {} = {};\n", name, *type);
}

}  // namespace tessera::codegen
