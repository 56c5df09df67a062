#include "core/codegen/index/index_code.h"

#include <fmt/format.h>

#include <array>

#include "core/codegen/index/index_function.h"
#include "core/codegen/index/index_text.h"

namespace tessera::codegen {
namespace {

struct LanguageName {
  std::string_view name;
  Language language;
};
// The first name of a language is the one that messages use.
constexpr auto kLanguages = std::to_array<LanguageName>({{"cuda", Language::Cuda},
                                                         {"c", Language::C},
                                                         {"python", Language::Python},
                                                         {"cutlass", Language::Cutlass},
                                                         {"cu", Language::Cuda},
                                                         {"c++", Language::Cuda},
                                                         {"cpp", Language::Cuda},
                                                         {"py", Language::Python},
                                                         {"cute", Language::Cutlass}});

Result<std::string> codeOf(const Arrow& arrow, Language language, std::string_view name, const std::string& title) {
  TESSERA_TRY(const IndexFunctions functions, indexFunctions(arrow, name));
  if (language == Language::Python) return printPython(functions, title);
  return printC(functions, title, language == Language::Cuda);
}

}  // namespace

Result<Language> languageOf(std::string_view name) {
  std::string lower;
  for (const char c : name.substr(0, 40)) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const LanguageName& row : kLanguages)
    if (row.name == lower) return row.language;
  return Diag{fmt::format("'{}' is no language that a layout is printed in", name.substr(0, 40)),
              "cuda, c, python or cutlass"};
}

Result<std::string> indexCode(const Layout& layout, Language language, std::string_view name) {
  if (language == Language::Cutlass) {
    if (!name.empty() && !isIdentifier(name))
      return Diag{fmt::format("'{}' is no name of a type", name.substr(0, 60)), "letters, digits and _"};
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

}  // namespace tessera::codegen
