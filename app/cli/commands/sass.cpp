// tessera sass: loops, issue cycles, spills and uncovered dependencies of machine code (core/sass/report.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands.h"
#include "app/cli/commands/sass_report.h"
#include "app/cli/io/report.h"
#include "app/files/machine_file.h"

namespace tessera {
namespace {

class SassCommand {
 public:
  SassCommand(const SassCommandOptions& options, Output& out) : options_(options), out_(out) {}

  int run() {
    auto bytes = readFile(options_.file);
    if (!bytes) return refuse(bytes.error(), "");
    auto file = openMachineCode(*bytes, options_.file, {options_.architecture});
    if (!file) return refuse(file.error(), "");
    std::vector<sass::Kernel> kernels;
    for (const std::string& text : file->texts) {
      auto read = withinBudget(options_.budgetSeconds, [&] { return sass::read(text); });
      if (!read) return refuse(read.error(), text);
      for (sass::Kernel& kernel : read->kernels) kernels.push_back(std::move(kernel));
    }
    if (auto chosen = choose(kernels); !chosen) return refuse(chosen.error(), "");
    bool passed = true;
    for (const sass::Kernel& kernel : kernels) {
      auto report =
          withinBudget(options_.budgetSeconds, [&]() -> Result<sass::KernelReport> { return sass::reportOf(kernel); });
      if (!report) return refuse(report.error(), "");
      addFacts(file->facts, *report);
      print(kernel, *report, file->from);
      passed = passed && report->dependencies.findings.empty();
    }
    return passed ? kExitOk : kExitFailed;
  }

 private:
  // Those of --entry, with control words.
  Result<void> choose(std::vector<sass::Kernel>& kernels) const {
    std::vector<std::string> names;
    for (const sass::Kernel& k : kernels) names.push_back(k.name);
    std::erase_if(kernels, [&](const sass::Kernel& k) { return k.name.find(options_.entry) == std::string::npos; });
    if (kernels.empty()) {
      names.resize(std::min<std::size_t>(names.size(), 8));
      return Diag{fmt::format("there is no kernel '{}'", options_.entry),
                  fmt::format("a part of one of: {}", fmt::join(names, ", "))};
    }
    for (const sass::Kernel& k : kernels)
      if (!k.encoded)
        return Diag{fmt::format("the listing of {} has no encodings, so no control words", k.name),
                    "a line /* 0x... */ for each half of an instruction", "nvdisasm -c -hex FILE.cubin"};
    return {};
  }

  static void addFacts(const std::vector<sass::CubinKernel>& facts, sass::KernelReport& report) {
    for (const sass::CubinKernel& fact : facts) {
      if (fact.name != report.name) continue;
      report.sharedBytes = fact.sharedBytes;
      report.localBytes = fact.localBytes;
      if (fact.registers > 0) report.registers = fact.registers, report.declared = true;
    }
  }

  void print(const sass::Kernel& kernel, const sass::KernelReport& report, const std::string& from) {
    if (options_.json) {
      (void)out_.line(sassReportJson(kernel, report));
      return;
    }
    std::string head = kernel.name;
    if (!kernel.architecture.empty())
      head += fmt::format(" ({}{}{})", kernel.architecture, from.empty() ? "" : ", ", from);
    (void)out_.line(head);
    for (const std::string& line : sassReportText(kernel, report)) (void)out_.line(line);
  }

  int refuse(const Diag& diag, std::string_view text) {
    Complaints(options_.json, out_).in(options_.file, diag, text);
    return kExitUnreadable;
  }

  const SassCommandOptions& options_;
  Output& out_;
};

}  // namespace

int runSass(const SassCommandOptions& options, Output& out) { return SassCommand(options, out).run(); }

}  // namespace tessera
