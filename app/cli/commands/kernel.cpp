// tessera kernel: runs a kernel given as PTX on the CPU (solver/kernel/kernel.h).
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/commands/kernel_report.h"
#include "app/cli/io/report.h"
#include "core/base/words.h"
#include "solver/kernel/launch/prepare.h"
#include "solver/kernel/prove/prove_kernel.h"
#include "solver/kernel/reference/check.h"
#include "solver/kernel/reference/proof.h"

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
    return execute();
  }

 private:
  Result<void> prepare() {
    TESSERA_TRY(kernel::Prepared made, kernel::prepare(file_.module, options_.launch, readFile));
    if (options_.prove && options_.reference.empty())
      return Diag{"--prove needs a reference to prove", "--reference 'C = A @ B'"};
    entry_ = made.entry;
    launch_ = std::move(made.launch);
    given_ = std::move(made.given);
    for (const std::string& text : options_.outputs) TESSERA_CHECKED(output(text));
    return {};
  }

  // "2=C.npy", or the name of a parameter.
  Result<void> output(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      return Diag{fmt::format("--out '{}' names no file", text), "--out N=FILE.npy"};
    const std::string which = text.substr(0, equals);
    KernelOutput out{given_.size(), text.substr(equals + 1)};
    if (const auto number = wholeNumber(which); number && *number >= 0)
      out.parameter = static_cast<std::size_t>(*number);
    else
      for (std::size_t k = 0; k < given_.size(); ++k)
        if (given_[k].name == which || entry_->parameters[k].name == which) out.parameter = k;
    if (out.parameter >= given_.size())
      return Diag{fmt::format("--out {}: there is no such parameter", which), kernel::parametersText(*entry_)};
    const kernel::Given& given = given_[out.parameter];
    if (given.argument.kind != kernel::Argument::Kind::Buffer &&
        given.argument.kind != kernel::Argument::Kind::TensorMap)
      return Diag{fmt::format("--out {}: the argument of {} is not a buffer", which, given.name),
                  fmt::format("--arg f32[1024]=0 or --arg @FILE.npy for parameter {}", out.parameter)};
    outputs_.push_back(std::move(out));
    return {};
  }

  int execute() {
    const WorkBudget limit({.cancel = &interrupted()});
    std::optional<std::vector<kernel::Synchronization>> barriers;
    auto report = [&]() -> Result<kernel::Report> {
      try {
        TESSERA_TRY(kernel::Report ran, kernel::proveForAll(file_.module, launch_));
        if (!options_.reference.empty()) {
          TESSERA_TRY(compared_, kernel::reference::check(options_.reference, given_, options_.tolerance, ran));
        }
        const bool passed = ran.verdict == kernel::Verdict::Clean || ran.verdict == kernel::Verdict::Benign;
        if (options_.prove && passed) {
          TESSERA_TRY(proofs_, kernel::reference::prove(file_.module, launch_, options_.reference, given_));
          kernel::reference::judge(proofs_, ran);
        }
        if (options_.barriers && passed) {
          TESSERA_TRY(barriers, kernel::withoutEach(file_.module, launch_));
        }
        return ran;
      } catch (const OutOfBudget& end) {
        return Diag{end.what()};
      }
    }();
    if (!report) return refuse(report.error(), report.error().span.empty() ? "" : options_.reference);
    for (const KernelOutput& out : outputs_)
      if (auto written = write(out, *report); !written) return refuse(written.error(), "");
    KernelSource source(file_, options_.file);
    if (options_.json) {
      (void)out_.line(kernelReportJson(*report, source, barriers ? &*barriers : nullptr, proofs_));
    } else {
      std::string head = entry_->name;
      if (!file_.from.empty()) head += fmt::format(" ({})", file_.from);
      (void)out_.line(head);
      for (const kernel::reference::Compared& c : compared_) (void)out_.line(kernel::reference::textOf(c));
      for (const kernel::reference::Proof& p : proofs_) (void)out_.line(kernel::reference::textOf(p));
      for (const std::string& line : kernelReportText(*report, source)) (void)out_.line(line);
      if (barriers)
        for (const std::string& line : barriersText(*barriers, source)) (void)out_.line(line);
    }
    const bool passed = report->verdict == kernel::Verdict::Clean || report->verdict == kernel::Verdict::Benign;
    return passed ? kExitOk : kExitFailed;
  }

  Result<void> write(const KernelOutput& out, const kernel::Report& report) {
    if (out.parameter >= report.buffers.size()) return Diag{"the run has no buffer for this parameter"};
    return writeFile(out.path, writeNpy(kernel::arrayOf(given_[out.parameter], report.buffers[out.parameter])));
  }

  int refuse(const Diag& diag, std::string_view text) {
    Complaints(options_.json, out_).in(options_.file, diag, text);
    return kExitUnreadable;
  }

  const KernelCommandOptions& options_;
  Output& out_;
  KernelFile file_;
  const ptx::Function* entry_ = nullptr;
  kernel::Launch launch_;
  std::vector<kernel::Given> given_;
  std::vector<KernelOutput> outputs_;
  std::vector<kernel::reference::Compared> compared_;
  std::vector<kernel::reference::Proof> proofs_;
};

}  // namespace

int runKernel(const KernelCommandOptions& options, Output& out) { return KernelCommand(options, out).run(); }

}  // namespace tessera
