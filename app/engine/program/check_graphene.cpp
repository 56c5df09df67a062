#include "app/engine/program/check_graphene.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/program/check_program.h"

namespace tessera {

using graphene::Finding;
using graphene::Instance;
using graphene::ObligationVerdict;
using graphene::SpecVerdict;
using graphene::Standing;

namespace {

std::string lineOf(Span span, const ProgramText& where, const LineIndex& index) {
  const Span at = span.shifted(where.begin);
  return fmt::format("line {}: {}", index.at(at.begin).line, excerptOf(where.document, at));
}

std::string findingLines(const Finding& finding, std::string_view said, const std::string& margin,
                         const ProgramText& where, const LineIndex& index) {
  const std::string text = findingText(finding, said);
  std::string out = text.empty() ? "" : fmt::format("\n{}{}", margin, text);
  if (!finding.span.empty()) out += fmt::format("\n{}{}", margin, lineOf(finding.span, where, index));
  for (const Instance& i : finding.instances)  // the other side of a race is elsewhere
    if (!i.span.empty() && i.span != finding.span) out += fmt::format("\n{}{}", margin, lineOf(i.span, where, index));
  return out;
}

std::string explained(const ObligationVerdict& o) {
  // Not stated: no method decided it.
  const bool decided = !o.method.empty() && o.standing != Standing::NotStated;
  std::string out = !decided ? "" : o.method == "static" ? "by static analysis" : "by " + o.method;
  if (!o.reason.empty()) out += (out.empty() ? "" : ": ") + o.reason;
  return out;
}

}  // namespace

std::string checklistOf(const SpecVerdict& spec, const ProgramText& where, const LineIndex& index) {
  const std::string margin(static_cast<std::size_t>(2 * std::clamp(spec.depth, 0, 40)), ' ');
  std::string out = fmt::format("{}line {}: {}", margin, index.at(spec.span.begin + where.begin).line, spec.spec);
  if (!spec.atom.empty()) out += fmt::format("   {}", spec.atom);
  for (const ObligationVerdict& o : spec.obligations) {
    std::string line = fmt::format("\n{}      {} {:<12} {:<11} {}", margin, label(o.obligation), name(o.obligation),
                                   name(o.standing), explained(o));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    if (o.finding) out += findingLines(*o.finding, o.reason, margin + "          ", where, index);
  }
  return out;
}

Truth truthOf(const SpecVerdict& spec) {
  const auto some = [&](Standing s) {
    return std::any_of(spec.obligations.begin(), spec.obligations.end(),
                       [s](const ObligationVerdict& o) { return o.standing == s; });
  };
  return some(Standing::Refuted) ? Truth::Refuted : some(Standing::Unknown) ? Truth::Unknown : Truth::Proved;
}

}  // namespace tessera
