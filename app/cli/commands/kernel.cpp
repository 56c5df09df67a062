// tessera kernel: runs a kernel given as PTX on the CPU (solver/kernel/kernel.h).
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/kernel/kernel_page.h"
#include "app/engine/kernel/kernel_report.h"
#include "core/base/words.h"

namespace tessera {
namespace {

struct KernelOutput {
  std::size_t parameter = 0;
  std::string path;
};

class KernelCommand {
 public:
  KernelCommand(const KernelCommandOptions& options, Output& out) : options_(options), out_(out) {}

  int run() {
    auto bytes = readFile(options_.file);
    if (!bytes) return refuse(bytes.error(), "");
    std::string text;
    auto opened = openKernel(*bytes, options_.file, {options_.architecture}, text);
    if (!opened) return refuse(opened.error(), text);
    file_ = *std::move(opened);
    auto prepared = prepare();
    if (!prepared) return refuse(prepared.error(), "");
    return execute(*std::move(prepared));
  }

 private:
  Result<kernel::Prepared> prepare() {
    TESSERA_TRY(kernel::Prepared made, preparedKernel(file_, options_.run, readFile));
    for (const std::string& text : options_.outputs) TESSERA_CHECKED(output(text, made));
    return made;
  }

  // "2=C.npy", or the name of a parameter.
  Result<void> output(const std::string& text, const kernel::Prepared& made) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      return Diag{fmt::format("--out '{}' names no file", text), "--out N=FILE.npy"};
    const std::string which = text.substr(0, equals);
    const std::vector<kernel::Given>& arguments = made.given;
    KernelOutput out{arguments.size(), text.substr(equals + 1)};
    if (const auto number = wholeNumber(which); number && *number >= 0)
      out.parameter = static_cast<std::size_t>(*number);
    else
      for (std::size_t k = 0; k < arguments.size(); ++k)
        if (arguments[k].name == which || made.entry->parameters[k].name == which) out.parameter = k;
    if (out.parameter >= arguments.size())
      return Diag{fmt::format("--out {}: there is no such parameter", which), kernel::parametersText(*made.entry)};
    const kernel::Given& given = arguments[out.parameter];
    if (given.argument.kind != kernel::Argument::Kind::Buffer &&
        given.argument.kind != kernel::Argument::Kind::TensorMap)
      return Diag{fmt::format("--out {}: the argument of {} is not a buffer", which, given.name),
                  fmt::format("--arg f32[1024]=0 or --arg @FILE.npy for parameter {}", out.parameter)};
    outputs_.push_back(std::move(out));
    return {};
  }

  int execute(kernel::Prepared prepared) {
    const WorkBudget limit({.cancel = &interrupted()});
    const auto answer = runKernelFile(file_, options_.run, std::move(prepared));
    if (!answer) return refuse(answer.error(), answer.error().span.empty() ? "" : options_.run.reference);
    for (const KernelOutput& out : outputs_)
      if (auto written = write(out, *answer); !written) return refuse(written.error(), "");
    if (!options_.page.empty()) {
      const std::vector<ReportPart> parts = partsOfKernel(*answer, file_, options_.file);
      const auto written = writeFile(options_.page, htmlOf(titleOf(parts, options_.page), parts));
      if (!written) return refuse(written.error(), "");
    }
    KernelSource source(file_, options_.file);
    if (options_.json) {
      (void)out_.line(kernelAnswerJson(*answer, source));
    } else {
      std::string head = answer->entry->name;
      if (!file_.from.empty()) head += fmt::format(" ({})", file_.from);
      (void)out_.line(head);
      for (const std::string& line : kernelAnswerText(*answer, source)) (void)out_.line(line);
    }
    return answer->passed() ? kExitOk : kExitFailed;
  }

  static Result<void> write(const KernelOutput& out, const KernelAnswer& answer) {
    const std::vector<std::vector<std::byte>>& buffers = answer.report.buffers;
    if (out.parameter >= buffers.size()) return Diag{"the run has no buffer for this parameter"};
    return writeFile(out.path, writeNpy(kernel::arrayOf(answer.given[out.parameter], buffers[out.parameter])));
  }

  int refuse(const Diag& diag, std::string_view text) {
    Complaints(options_.json, out_).in(options_.file, diag, text);
    return kExitUnreadable;
  }

  const KernelCommandOptions& options_;
  Output& out_;
  KernelFile file_;
  std::vector<KernelOutput> outputs_;
};

}  // namespace

int runKernel(const KernelCommandOptions& options, Output& out) { return KernelCommand(options, out).run(); }

}  // namespace tessera
