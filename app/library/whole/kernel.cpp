#include <fmt/format.h>

#include "app/engine/program/check_graphene.h"
#include "app/engine/program/check_program.h"
#include "app/library/whole/inside.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"

namespace tessera::api {
namespace {

tessera::Result<graphene::Listing> listingOf(const std::string& text, const std::vector<std::string>& words) {
  graphene::Sizes sizes;
  for (const std::string& word : words) {
    TESSERA_TRY(const auto one, graphene::sizeOption(word));
    sizes[one.first] = one.second;
  }
  return sizes.empty() ? graphene::readListing("program", text) : graphene::readSizedListing("program", text, sizes);
}

Obligation obligationOf(const graphene::ObligationVerdict& o, const LineIndex& index) {
  Obligation out;
  out.label = label(o.obligation);
  out.name = name(o.obligation);
  out.standing = name(o.standing);
  out.method = o.method;
  out.reason = o.reason;
  if (!o.finding) return out;
  out.finding = print(*o.finding);
  if (!o.finding->span.empty()) out.findingLine = index.at(o.finding->span.begin).line;
  return out;
}

tessera::Result<KernelReport> checked(const std::string& text, const KernelOptions& options) {
  if (!options.architecture.empty() && !options.architecture.starts_with("sm_"))
    return Diag{fmt::format("'{}' is no architecture", options.architecture), "sm_75, sm_80, sm_90a ..."};
  TESSERA_TRY(graphene::Listing listing, listingOf(text, options.sizes));
  const CheckRequest request{std::move(listing), "program", options.architecture, ""};
  const auto result = checkedProgram(request, options.work.seconds, Access::flagOf(options.work));
  if (result->specs.empty()) return Diag{"there is no specification to check", "%out <- Move(%in) { ... }"};
  const LineIndex index(text);
  const ProgramText where{text, 0, ""};
  KernelReport out;
  for (const graphene::SpecVerdict& spec : result->specs) {
    Specification one{spec.spec, spec.atom, index.at(spec.span.begin).line, spec.depth, spec.leaf, {}};
    for (const graphene::ObligationVerdict& o : spec.obligations) one.obligations.push_back(obligationOf(o, index));
    out.specifications.push_back(std::move(one));
    out.text += checklistOf(spec, where, index) + "\n";
    out.json += jsonOf(spec, where, index) + "\n";
  }
  out.summary = countsOf(*result);
  out.text += out.summary + "\n";
  out.holds = result->holds();
  return out;
}

}  // namespace

Result<KernelReport> checkKernel(std::string_view program, const KernelOptions& options) {
  return guarded<KernelReport>(options.work, program, [&]() -> tessera::Result<KernelReport> {
    TESSERA_TRY(const std::string text, graphene::withSettingWords(program, options.settings));
    return checked(text, options);
  });
}

}  // namespace tessera::api
