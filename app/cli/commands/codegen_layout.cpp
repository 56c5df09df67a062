// tessera codegen LAYOUT: generates index code for a layout. `tessera codegen FILE` is in codegen.cpp.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/paste/pasted.h"
#include "core/base/work_budget.h"
#include "core/codegen/index/index_code.h"
#include "core/codegen/index/index_function.h"
#include "core/worksheet/any_value.h"
#include "core/worksheet/language/place.h"

namespace tessera {
namespace {

constexpr double kBudgetSeconds = 10;

Result<std::string> codeOf(const NamedValue& named, codegen::Language language, const std::string& name) {
  TESSERA_TRY(const Layout layout, layoutOf(*named.value));
  const std::string own = codegen::isIdentifier(named.name) ? named.name : "";
  return codegen::indexCode(layout, language, name.empty() ? own : name);
}

// The layout in an argument, or in a file in a format of another tool; nullopt after reporting that there is none.
std::optional<AsWorksheet> sheetIn(const std::string& argument, const Complaints& wrong) {
  const bool isFile = namesFile(argument);
  const auto text = isFile ? readFile(argument) : Result<std::string>(argument);
  if (!text) {
    wrong.say(text.error());
    return std::nullopt;
  }
  auto sheet = asWorksheet(*text);
  if (!sheet) {
    wrong.at(sheet.error(), *text, LineIndex(*text));
    return std::nullopt;
  }
  if (isFile && sheet->dialect.empty()) {
    complain(fmt::format("tessera: '{}': codegen takes a .graphene program or a layout", argument));
    return std::nullopt;
  }
  return *std::move(sheet);
}

}  // namespace

bool isProgramFile(std::string_view argument) { return argument == "-" || argument.ends_with(".graphene"); }

int runCodegenLayout(const CodegenCommandOptions& options, Output& out) {
  if (!options.spec.empty() || !options.architecture.empty()) {
    complain("tessera: --spec and --arch are for programs (.graphene files); layouts have --as and --name");
    return kExitUnreadable;
  }
  const auto language = codegen::languageOf(options.language.empty() ? "cuda" : options.language);
  if (!language) {
    complain(fmt::format("tessera: --as: {}; expected: {}", language.error().message, language.error().expected));
    return kExitUnreadable;
  }
  const Complaints wrong(/*json=*/false, out);
  const std::optional<AsWorksheet> sheet = sheetIn(options.file, wrong);
  if (!sheet) return kExitUnreadable;
  try {
    const WorkBudget limit({.seconds = kBudgetSeconds, .cancel = &interrupted()});
    const Diag missing{"there is no layout; see tessera codegen --help"};
    const std::string& text = sheet->text;
    const bool same = sheet->dialect.empty();
    const auto named = lastValue(same ? splitArgument(text) : splitStatements(text), &interrupted(), missing);
    if (!named) {
      wrong.at(named.error(), text, LineIndex(text));
      return kExitUnreadable;
    }
    const Result<std::string> code = codeOf(*named, *language, options.name);
    if (!code) {
      Diag diag = code.error();
      diag.span = named->span;
      wrong.at(diag, text, LineIndex(text));
      return kExitFailed;
    }
    if (!options.output.empty()) {
      const auto written = writeFile(options.output, *code);
      if (!written) wrong.say(written.error());
      return written ? kExitOk : kExitUnreadable;
    }
    (void)out.line(std::string_view(*code).substr(0, code->size() - 1));
    return kExitOk;
  } catch (const OutOfBudget& end) {
    complain(fmt::format("tessera: {}", end.what()));
    return kExitFailed;
  }
}

}  // namespace tessera
