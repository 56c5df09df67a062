// tessera codegen LAYOUT: generates index code for a layout. `tessera codegen FILE` is in codegen.cpp.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/engine.h"
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

}  // namespace

bool isProgramFile(std::string_view argument) { return argument == "-" || argument.ends_with(".graphene"); }

int runCodegenLayout(const CodegenCommandOptions& options, Output& out) {
  if (!options.spec.empty() || !options.architecture.empty()) {
    complain("tessera: --spec and --arch are for programs (.graphene files); layouts have --as and --name");
    return kExitUnreadable;
  }
  if (namesFile(options.file)) {
    complain(fmt::format("tessera: '{}': codegen takes a .graphene program or a layout", options.file));
    return kExitUnreadable;
  }
  const auto language = codegen::languageOf(options.language.empty() ? "cuda" : options.language);
  if (!language) {
    complain(fmt::format("tessera: --as: {}; expected: {}", language.error().message, language.error().expected));
    return kExitUnreadable;
  }
  const Complaints wrong(/*json=*/false, out);
  try {
    const WorkBudget limit({.seconds = kBudgetSeconds, .cancel = &interrupted()});
    const Diag missing{"there is no layout; see tessera codegen --help"};
    const auto named = lastValue(splitArgument(options.file), &interrupted(), missing);
    if (!named) {
      wrong.at(named.error(), options.file, LineIndex(options.file));
      return kExitUnreadable;
    }
    const Result<std::string> code = codeOf(*named, *language, options.name);
    if (!code) {
      Diag diag = code.error();
      diag.span = named->span;
      wrong.at(diag, options.file, LineIndex(options.file));
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
