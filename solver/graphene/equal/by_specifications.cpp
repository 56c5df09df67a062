#include "solver/graphene/equal/by_specifications.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/page.h"
#include "core/graphene/assumptions.h"
#include "solver/graphene/equal/definitions.h"
#include "solver/kernel/reference/formulas.h"

namespace tessera::graphene {
namespace {

// Of the budget: for each program, and for a program without another one.
constexpr double kCheckShare = 0.4, kOnlyCheckShare = 0.95;

i64 kernelsOf(const Program& program) {
  return std::ranges::count_if(program.specs, [](const Statement& s) { return std::holds_alternative<Spec>(s.what); });
}
// The refuted value of the only kernel.
const ObligationVerdict* wrongValue(const CheckResult& result) {
  for (const SpecVerdict& spec : result.specs)
    for (const ObligationVerdict& o : spec.obligations)
      if (spec.depth == 0 && o.obligation == Obligation::Value && o.standing == Standing::Refuted && o.finding)
        return &o;
  return nullptr;
}
void refuteByCheck(const ObligationVerdict& wrong, const Listing& wrongOne, const Listing& right, bool first,
                   EqualVerdict& verdict) {
  const Finding& f = *wrong.finding;
  verdict.standing = Standing::Refuted;
  verdict.output = f.tensor.starts_with('%') ? f.tensor.substr(1) : f.tensor;
  verdict.coordinate = f.coordinate;
  const auto number = [](const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == 0 ? value : std::nan("");
  };
  verdict.first = number(first ? f.actual : f.expected);
  verdict.second = number(first ? f.expected : f.actual);
  verdict.reason = fmt::format("{} is proved to compute what both state, and {} does not: {}{}", right.name,
                               wrongOne.name, f.message, atSizes(verdict.sizes));
}
// An obligation that does not hold, of a kernel also a value that is not stated.
std::string openObligation(const CheckResult& result) {
  for (const Standing wanted : {Standing::Refuted, Standing::Unknown, Standing::NotStated})
    for (const SpecVerdict& spec : result.specs)
      for (const ObligationVerdict& o : spec.obligations) {
        const bool value = spec.depth == 0 && !spec.leaf && o.obligation == Obligation::Value;
        if (o.standing == wanted && (wanted != Standing::NotStated || value))
          return fmt::format("{} {} of `{}` is {}: {}", label(o.obligation), graphene::name(o.obligation), spec.spec,
                             graphene::name(o.standing), o.reason);
      }
  return result.specs.empty() ? "it has no specification" : "";
}

// The second side: a program, or the reference as one.
Result<Listing> secondListing(const EqualQuestion& q, const Listing& first, const TwoSizes& sizes) {
  if (q.second) return sizedListing(*q.second, onlySizes(sizes.second, sizeNames(*q.second->program)));
  TESSERA_TRY(Program program, kernel::reference::referenceProgram(q.reference, *first.program, sizes.first));
  return Listing{"the reference", "", std::make_shared<const Program>(std::move(program))};
}

// The outputs with equal definitions; a Diag: which have not, or are not comparable.
Result<std::vector<std::string>> equalOutputs(const Definitions::Outputs& a, const Definitions::Outputs& b,
                                              const EqualQuestion& q) {
  const std::string both = q.second ? "their specifications" : fmt::format("{} and the reference", q.first.name);
  std::vector<std::string> outputs;
  for (const bool ofFirst : {true, false})
    for (const auto& [name, output] : ofFirst ? a : b) {
      const auto& other = ofFirst ? b : a;
      const auto found = other.find(name);
      if (found == other.end() && output.passed) continue;
      if (found == other.end()) return Diag{fmt::format("{} do not both write %{}", both, name)};
      if (!found->second.same(output)) return Diag{fmt::format("{} state different forms of %{}", both, name)};
      if (ofFirst) outputs.push_back(name);
    }
  if (outputs.empty()) return Diag{fmt::format("{} write no tensor in common", both)};
  return outputs;
}

}  // namespace

// Equal definitions of all outputs, and the programs proved.
void bySpecifications(const EqualQuestion& q, const CheckOptions& given, const TwoSizes& sizes, EqualVerdict& verdict) {
  const auto open = [&](std::string reason) { verdict.reason = std::move(reason); };
  verdict.method = "specifications";
  if (kIsPage) return open("the page does not compare equations, the desktop program does");
  const auto one = sizedListing(q.first, onlySizes(sizes.first, sizeNames(*q.first.program)));
  if (!one) return open(one.error().message);
  const auto two = secondListing(q, *one, sizes);
  if (!two) return open(fmt::format("{}{}", q.second ? "" : "the reference: ", two.error().message));
  const Listing &first = *one, &second = *two;
  SizeNames symbols;
  for (const Listing* listing : {&first, &second}) symbols.merge(sizeNames(*listing->program));
  Definitions definitions;
  std::optional<Program> stated;  // inputs of the second, by those of the first
  if (!q.where.empty()) {
    auto made = kernel::reference::inputsProgram(q.where, *first.program, *second.program, sizes.first);
    if (!made) return open(fmt::format("`where`: {}", made.error().message));
    stated = *std::move(made);
  }
  const auto a = definitions.of(*first.program);
  const auto b = definitions.of(*second.program, stated ? &*stated : nullptr);
  if (!a || !b)
    return open(fmt::format("the specifications of {} cannot be compared: {}", a ? second.name : first.name,
                            a ? b.error().message : a.error().message));
  const auto outputs = equalOutputs(*a, *b, q);
  if (!outputs) return open(outputs.error().message);
  const bool same = q.second && q.where.empty() && print(*first.program) == print(*second.program);
  const bool oneKernel =
      q.second && q.where.empty() && kernelsOf(*first.program) == 1 && kernelsOf(*second.program) == 1;
  std::string left[2];
  const ObligationVerdict* wrong[2] = {nullptr, nullptr};
  std::optional<CheckResult> results[2];
  for (const int k : {0, 1}) {
    const Listing* listing = k == 0 ? &first : &second;
    if (k == 1 && (same || !q.second)) break;
    CheckOptions options = given;
    options.architecture = architectureOf(listing->text, q.architecture);
    options.budgetSeconds = (q.second ? kCheckShare : kOnlyCheckShare) * given.budgetSeconds;
    results[k] = checkProgram(*listing->program, options);
    left[k] = openObligation(*results[k]);
    wrong[k] = oneKernel ? wrongValue(*results[k]) : nullptr;
    if (!left[k].empty() && wrong[k] == nullptr)
      return open(fmt::format("both state the same, but {} is not proved: {}", listing->name, left[k]));
  }
  // One computes what both state, and a run of the other one does not.
  for (const int k : {0, 1})
    if (wrong[k] != nullptr && !same && left[1 - k].empty())
      return refuteByCheck(*wrong[k], k == 0 ? first : second, k == 0 ? second : first, k == 0, verdict);
  for (const int k : {0, 1})
    if (!left[k].empty())
      return open(
          fmt::format("both state the same, but {} is not proved: {}", k == 0 ? first.name : second.name, left[k]));
  verdict.standing = Standing::Proved;
  verdict.everySize = !symbols.empty();
  const std::string who = !q.second ? fmt::format("{} is proved to compute the reference's definition", q.first.name)
                          : same    ? "they are the same program, which is proved to compute the same definition"
                                    : "both are proved to compute the same definition";
  std::string every = fmt::format(", for every {}", fmt::join(symbols, ", "));
  std::vector<std::string> assumed;
  for (const Listing* listing : {&first, &second})
    if (std::string text = assumptionsOf(*listing->program);
        !text.empty() && std::ranges::find(assumed, text) == assumed.end())
      assumed.push_back(std::move(text));
  if (!assumed.empty()) every += fmt::format(" with {}", fmt::join(assumed, ", "));
  verdict.reason = fmt::format("{} of {} over the real numbers (rounding ignored){}", who, listOf(*outputs),
                               symbols.empty() ? atSizes(verdict.sizes) : every);
  if (const auto laws = definitions.laws(); !same && !laws.empty())
    verdict.reason += fmt::format("; by {}", fmt::join(laws, ", "));
}

}  // namespace tessera::graphene
