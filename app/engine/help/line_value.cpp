#include "app/engine/help/line_value.h"

#include <tuple>

#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/run_pictures.h"
#include "app/engine/measure/run_program.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

// "Sw<3,3,3> o 0 o (64,64):(64,1), and 4 more": the first answer of a search; the picture shows the others.
std::string foundText(const SwizzleFinding& finding) {
  if (finding.linear) return finding.linear->exists() ? print(*finding.linear) : "none: " + finding.linear->none;
  const auto& [swizzles, paddings] = std::tie(finding.search.swizzles, finding.search.paddings);
  const std::size_t count = swizzles.size() + paddings.size();
  if (count == 0) return "nothing serves all accesses";
  const SwizzleAnswer& first = swizzles.empty() ? paddings.front() : swizzles.front();
  return first.cute + (count > 1 ? ", and " + std::to_string(count - 1) + " more" : "");
}

// "41.2 us", "right on the emulator"
std::string runText(const RanProgram& ran) {
  const measure::ComparisonRow* const kernel = ran.kernel();
  if (kernel == nullptr) return "";
  std::string text = kernel->time.count > 0 ? timeOf(*kernel) : std::string(name(kernel->answer));
  if (ran.table.device.empty()) text += " on the emulator";
  if (ran.kept) text += ", " + readableDate(ran.table.date);
  return text;
}

}  // namespace

std::string lineValue(const Outcome& o) {
  const StatementKind kind = o.statement.kind;
  if (o.diag || o.verdict || o.learner.task) return "";
  if (o.ran) return runText(*o.ran);
  if (!o.value) return "";
  if (const auto* found = kind == StatementKind::Find ? as<SwizzleFinding>(*o.value) : nullptr)
    return foundText(*found);
  if (kind != StatementKind::Expression && kind != StatementKind::Bind && kind != StatementKind::Find) return "";
  std::string text = print(*o.value);
  // A literal that prints as typed needs no echo.
  return o.statement.text.find(text) == std::string::npos ? text : "";
}

}  // namespace tessera
