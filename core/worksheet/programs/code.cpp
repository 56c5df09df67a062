// code(X, cuda): a layout as an index function for kernels.
#include <array>

#include "core/codegen/index/index_code.h"
#include "core/worksheet/programs/functions.h"

namespace tessera {
namespace {

Result<Value> codeCall(const Call& c) {
  TESSERA_TRY(const std::string word, c.word(1));
  TESSERA_TRY(const codegen::Language language, c.at(1, codegen::languageOf(word)));
  std::string name;
  if (c.count() == 3) {
    TESSERA_TRY(name, c.word(2));
  }
  TESSERA_TRY(const Layout layout, c.at(0, layoutOf(c[0])));
  TESSERA_TRY(std::string text, c.at(0, codegen::indexCode(layout, language, name)));
  if (text.ends_with('\n')) text.pop_back();
  return Value(Text{std::move(text)});
}

constexpr auto kFunctions = std::to_array<Function>({
    {"code", "code(X, cuda) or code(X, cuda, name)",
     "X as index code: a function in cuda, c or python, a type in cutlass", 2, 3, codeCall, false, 0b110},
});

}  // namespace

std::span<const Function> codeFunctions() { return kFunctions; }

}  // namespace tessera
