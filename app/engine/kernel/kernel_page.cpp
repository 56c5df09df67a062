#include "app/engine/kernel/kernel_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/kernel/kernel_value.h"
#include "app/show/show.h"
#include "core/code/index_code.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

constexpr std::size_t kMostBanks = 4;

Verdict verdictOf(const KernelAnswer& answer) {
  Verdict out;
  out.truth = answer.passed()                                     ? Truth::Proved
              : answer.report.verdict == kernel::Verdict::Unknown ? Truth::Unknown
                                                                  : Truth::Refuted;
  out.claim = fmt::format("{} runs without races and errors", answer.entry->name);
  out.detail = verdictText(answer.report);
  return out;
}

void addPicture(std::vector<ReportPart>& parts, const code::IndexCode& code, std::string_view view,
                const std::string& title) {
  DrawOptions options;
  options.name = title;
  auto figure = draw(Value(Layout(code)), view, options);
  if (!figure) return;
  parts.push_back({.kind = ReportPart::Kind::Picture});
  parts.back().figure = std::make_shared<const Figure>(*std::move(figure));
}

// The accesses to shared memory with the most wavefronts above the least possible.
std::vector<std::size_t> worstAccesses(const code::IndexCode& code) {
  const auto excess = [&](std::size_t k) { return code.run->costs[k].wavefronts - code.run->costs[k].ideal; };
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < code.values->size(); ++k)
    if ((*code.values)[k].isShared && !(*code.values)[k].fault && excess(k) > 0) out.push_back(k);
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return excess(a) > excess(b); });
  if (out.size() > kMostBanks) out.resize(kMostBanks);
  return out;
}

}  // namespace

std::vector<ReportPart> partsOfKernel(const KernelAnswer& answer, const KernelFile& file, const std::string& path) {
  using Kind = ReportPart::Kind;
  std::vector<ReportPart> out;
  out.push_back({Kind::Prose, fmt::format("# {}\n{}", answer.entry->name, path)});
  out.push_back({.kind = Kind::Verdict});
  out.back().verdict = verdictOf(answer);
  KernelSource source(file, path);
  std::string text;
  for (const std::string& line : kernelAnswerText(answer, source)) text += (text.empty() ? "" : "\n") + line;
  out.push_back({Kind::Code, text});
  SourceLines lines(file, path, answer.report);
  const auto code = kernelCode(lines, answer.report, answer.given);
  if (!code) return out;
  addPicture(out, *code, "source", answer.entry->name);
  for (const std::size_t k : worstAccesses(*code)) {
    code::IndexCode one = *code;
    one.selected = k;
    addPicture(out, one, "banks", fmt::format("line {}", one.value().line));
  }
  return out;
}

}  // namespace tessera
