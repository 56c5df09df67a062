#include "app/engine/program/check_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/graphene/reader/sized.h"

namespace tessera {

using graphene::CheckResult;
using graphene::ObligationVerdict;
using graphene::SpecVerdict;
using graphene::Standing;

namespace {

// The first unknown obligation with its reason, if nothing is refuted.
std::string unknownOf(const CheckResult& result, std::string_view text) {
  for (const SpecVerdict& spec : result.specs)
    for (const ObligationVerdict& o : spec.obligations)
      if (o.standing == Standing::Unknown)
        return fmt::format("{} {} of `{}`: {}", label(o.obligation), name(o.obligation), excerptOf(text, spec.span),
                           o.reason);
  return "";
}

std::string methodsOf(const CheckResult& result) {
  std::vector<std::string> methods;
  for (const SpecVerdict& spec : result.specs) {
    for (const ObligationVerdict& o : spec.obligations) {
      const bool spoke = o.standing == Standing::Proved || o.standing == Standing::Refuted;
      if (spoke && !o.method.empty() && std::ranges::find(methods, o.method) == methods.end())
        methods.push_back(o.method);
    }
  }
  return fmt::format("{}", fmt::join(methods, ", "));
}

}  // namespace

std::shared_ptr<const CheckResult> checkedProgram(const CheckRequest& request, double budgetSeconds,
                                                  const std::atomic<bool>* cancel) {
  graphene::CheckOptions options;
  options.architecture = graphene::architectureOf(request.listing.text, request.architecture);
  options.budgetSeconds = budgetSeconds;
  if (request.method == "z3") options.method = graphene::CheckMethod::Z3;
  if (request.method == "running") options.method = graphene::CheckMethod::Running;
  options.cancel = cancel;
  return std::make_shared<const CheckResult>(graphene::checkProgram(*request.listing.program, options));
}

std::string findingText(const graphene::Finding& finding, std::string_view said) {
  graphene::Finding shown = finding;
  if (said.find(finding.message) != std::string_view::npos) shown.message.clear();
  return print(shown);
}

std::string countsOf(const CheckResult& result) {
  std::array<int, 4> counts{};
  for (const SpecVerdict& spec : result.specs)
    for (const ObligationVerdict& o : spec.obligations) ++counts[static_cast<std::size_t>(o.standing)];
  std::vector<std::string> parts;
  for (const Standing s : {Standing::Proved, Standing::Refuted, Standing::Unknown, Standing::NotStated})
    if (const int n = counts[static_cast<std::size_t>(s)]; n > 0 || s == Standing::Proved)
      parts.push_back(fmt::format("{} {}", n, name(s)));
  const std::string sizes = result.sizes.empty() || !result.holds()
                                ? ""
                                : fmt::format("; for every {}{}{}", fmt::join(result.sizes, ", "),
                                              result.assumed.empty() ? "" : " with ", result.assumed);
  return fmt::format("{}: {}{}", counted(result.specs.size(), "specification"), fmt::join(parts, ", "), sizes);
}

std::string excerptOf(std::string_view text, Span span) {
  if (span.begin >= text.size()) return "";
  std::string_view piece = text.substr(span.begin, std::min(span.end, text.size()) - span.begin);
  piece = piece.substr(0, std::min(piece.find('\n'), piece.find("//")));
  while (!piece.empty() && (isBlank(piece.back()) || piece.back() == '{')) piece.remove_suffix(1);
  return std::string(piece.substr(0, 160));
}

void negate(Verdict& verdict, const char* held) {
  if (verdict.truth == Truth::Refuted) {
    verdict.truth = Truth::Proved;
    verdict.detail = "the witness: " + (verdict.counterexample ? verdict.counterexample->text : verdict.detail);
  } else if (verdict.truth == Truth::Proved) {
    verdict.truth = Truth::Refuted;
    Counterexample why;
    why.text = held + (verdict.detail.empty() ? "" : ": " + verdict.detail);
    verdict.counterexample = std::move(why);
  }
}

Verdict summaryOf(const CheckResult& result, const CheckRequest& request) {
  Verdict out;
  out.claim = request.text;
  out.method = methodsOf(result);
  for (const SpecVerdict& spec : result.specs)
    for (const ObligationVerdict& o : spec.obligations) out.milliseconds += o.seconds * 1e3;
  if (const graphene::Finding* finding = result.firstFinding()) {
    Counterexample why;
    why.text = fmt::format("{} {}: {}", label(finding->obligation), name(finding->obligation), findingText(*finding));
    const std::string line = excerptOf(request.listing.text, finding->span);
    if (!line.empty()) why.text += fmt::format("\n  `{}`", line);
    out.truth = Truth::Refuted;
    out.counterexample = std::move(why);
  } else if (result.holds()) {
    out.truth = Truth::Proved;
    out.detail = countsOf(result);
  } else {
    out.detail = unknownOf(result, request.listing.text);
  }
  if (request.text.starts_with("not ")) negate(out, "every obligation holds");
  return out;
}

}  // namespace tessera
