// tessera codegen: prints the kernels of a .graphene file as CUDA C++.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/measure/measure_program.h"
#include "core/codegen/kernel/kernel.h"
#include "core/graphene/listing.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"

namespace tessera {

int runCodegen(const CodegenCommandOptions& options, Output& out) {
  const Complaints wrong(/*json=*/false, out);
  auto document = readFile(options.file);
  if (!document) {
    wrong.say(document.error());
    return kExitUnreadable;
  }
  const auto refuse = [&](const Diag& diag, int exit = kExitUnreadable) {
    wrong.in(options.file, diag, *document);
    return exit;
  };
  auto changed = graphene::withSettingWords(*document, options.settings);
  if (!changed) return refuse(changed.error());
  document = std::move(changed);
  const auto program = withinBudget(options.budgetSeconds, [&] { return graphene::readProgram(*document); });
  if (!program) return refuse(program.error());
  const auto part = onlySpecifications(*program, options.spec);
  if (!part) return refuse(part.error());
  codegen::CodegenOptions how;
  how.architecture = graphene::architectureOf(*document, options.architecture);
  const auto source = withinBudget(options.budgetSeconds, [&] { return codegen::emitCuda(*part, how); });
  if (!source) return refuse(source.error(), kExitFailed);
  if (options.output.empty()) {
    (void)out.line(std::string_view(source->text).substr(0, source->text.find_last_not_of('\n') + 1));
    return kExitOk;
  }
  if (auto written = writeFile(options.output, source->text); !written) {
    wrong.say(written.error());
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
