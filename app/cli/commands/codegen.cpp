// tessera codegen: the kernels of a .graphene file as CUDA C++.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/json.h"
#include "app/engine/measure/measure_program.h"
#include "core/atlas/atlas.h"
#include "core/codegen/kernel/kernel.h"
#include "core/graphene/listing.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"
#include "core/graphene/spec_tree.h"

namespace tessera {
namespace {

// "line 6: %out has ..., the text, what was expected".
int refuse(const std::string& file, const Diag& diag, std::string_view document, int exit) {
  complain(fmt::format("tessera: '{}': {}", file, printDiag(diag, document, LineIndex(document))));
  return exit;
}

}  // namespace

int runCodegen(const CodegenCommandOptions& options, Output& out) {
  if (!options.architecture.empty() && !options.architecture.starts_with("sm_")) {
    complain(fmt::format("tessera: '{}' is no architecture; expected: sm_75, sm_80, sm_90a, sm_100a ...",
                         options.architecture));
    return kExitUnreadable;
  }
  auto document = readFile(options.file);
  if (!document) {
    complain("tessera: " + document.error().message);
    return kExitUnreadable;
  }
  if (auto changed = graphene::withSettingWords(*document, options.settings); changed) {
    document = std::move(changed);
  } else {
    return refuse(options.file, changed.error(), *document, kExitUnreadable);
  }
  const auto program = withinBudget(options.budgetSeconds, [&] { return graphene::readProgram(*document); });
  if (!program) return refuse(options.file, program.error(), *document, kExitUnreadable);
  const auto part = onlySpecifications(*program, options.spec);
  if (!part) return refuse(options.file, part.error(), *document, kExitUnreadable);
  codegen::CodegenOptions how;
  how.architecture = graphene::architectureOf(*document, options.architecture);
  const auto source = withinBudget(options.budgetSeconds, [&] { return codegen::emitCuda(*part, how); });
  if (!source) return refuse(options.file, source.error(), *document, kExitFailed);
  if (options.output.empty()) {
    std::string_view rest = source->text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (!out.line(rest.substr(0, end))) break;
      rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
    }
    return kExitOk;
  }
  if (auto written = writeFile(options.output, source->text); !written) {
    complain("tessera: " + written.error().message);
    return kExitUnreadable;
  }
  for (const codegen::Kernel& k : source->kernels) {
    std::string blocks = graphene::print(k.blocks, graphene::namesOf(part->variables));
    (void)out.line(fmt::format("{}: {} blocks of {} threads, {} bytes of shared memory, {}", k.name, blocks, k.threads,
                               k.sharedBytes, source->architecture));
  }
  return kExitOk;
}

}  // namespace tessera
