#include <fmt/format.h>

#include "app/engine/program/certificate_json.h"
#include "app/engine/program/check_graphene.h"
#include "app/engine/program/check_program.h"
#include "app/library/whole/inside.h"
#include "core/graphene/obligation.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"

namespace tessera::api {
namespace {

tessera::Result<graphene::Sizes> sizesOf(const std::string& text, const KernelOptions& options) {
  graphene::Sizes sizes;
  for (const std::string& word : options.sizes) {
    if (word == "small") {
      for (const auto& [symbol, value] : graphene::smallSizes(text)) sizes.try_emplace(symbol, value);
      continue;
    }
    TESSERA_TRY(const auto one, graphene::sizeOption(word));
    sizes[one.first] = one.second;
  }
  return sizes;
}

tessera::Result<graphene::Listing> listingOf(const std::string& text, const KernelOptions& options) {
  const std::string name = options.file.empty() ? "program" : options.file;
  TESSERA_TRY(const graphene::Sizes sizes, sizesOf(text, options));
  return sizes.empty() ? graphene::readListing(name, text) : graphene::readSizedListing(name, text, sizes);
}

Obligation obligationOf(const graphene::ObligationVerdict& o, const LineIndex& index) {
  Obligation out{std::string(label(o.obligation)),
                 std::string(name(o.obligation)),
                 std::string(name(o.standing)),
                 o.method,
                 o.reason,
                 ""};
  if (!o.finding) return out;
  out.finding = print(*o.finding);
  if (!o.finding->span.empty()) out.findingLine = index.at(o.finding->span.begin).line;
  return out;
}

// Nothing is certified about a program with a refuted obligation.
std::string certified(const CheckRequest& request, const graphene::CheckResult& result, const std::string& text,
                      const KernelOptions& options) {
  if (result.firstFinding() != nullptr) return "";
  graphene::CheckOptions how;
  how.architecture = graphene::architectureOf(text, options.architecture);
  how.budgetSeconds = options.work.seconds;
  how.cancel = Access::flagOf(options.work);
  const auto sizes = sizesOf(text, options);
  const auto parameters = graphene::parametersOf(text);
  const bool head = (parameters && !parameters->all.empty()) || text.find("def ") != std::string::npos;
  return certificateJson(graphene::certificateOf(*request.listing.program, result, how, head), text,
                         sizes ? *sizes : graphene::Sizes{});
}

KernelReport checked(graphene::Listing listing, const std::string& text, const KernelOptions& options) {
  const LineIndex index(text);
  KernelReport out;
  for (const Diag& note : graphene::notesOf(*listing.program)) out.notes.push_back(errorOf(note, text, index));
  const CheckRequest request{std::move(listing), "program", options.architecture, ""};
  const auto result = checkedProgram(request, options.work.seconds, Access::flagOf(options.work));
  const ProgramText where{text, 0, options.file};
  for (const graphene::SpecVerdict& spec : result->specs) {
    Specification one{spec.spec,
                      spec.atom,
                      index.at(spec.span.begin).line,
                      spec.depth,
                      spec.leaf,
                      {},
                      publicTruth(truthOf(spec)),
                      checklistOf(spec, where, index),
                      jsonOf(spec, where, index)};
    for (const graphene::ObligationVerdict& o : spec.obligations) one.obligations.push_back(obligationOf(o, index));
    out.specifications.push_back(std::move(one));
  }
  out.summary = countsOf(*result);
  if (options.certificate) out.certificate = certified(request, *result, text, options);
  out.holds = !result->specs.empty() && result->holds();
  return out;
}

}  // namespace

std::string KernelReport::text() const {
  std::string out;
  for (const Specification& spec : specifications) out += spec.checklist + "\n";
  return out + summary + "\n";
}

Result<KernelReport> checkKernel(std::string_view program, const KernelOptions& options) {
  const Result<std::string> text = guarded<std::string>(options.work, program, [&]() -> tessera::Result<std::string> {
    if (!options.architecture.empty() && !options.architecture.starts_with("sm_"))
      return Diag{fmt::format("'{}' is not an architecture", options.architecture), "sm_75, sm_80, sm_90a ..."};
    return graphene::withSettingWords(program, options.settings);
  });
  if (!text) return text.error();
  Options whole;
  whole.seconds = 1e9;  // reading and each obligation have their own budgets; after a cancel, the rest is unknown
  return guarded<KernelReport>(whole, *text, [&]() -> tessera::Result<KernelReport> {
    TESSERA_TRY(graphene::Listing listing, [&] {
      const WorkBudget reading({.seconds = options.work.seconds, .cancel = Access::flagOf(options.work)});
      return listingOf(*text, options);
    }());
    return checked(std::move(listing), *text, options);
  });
}

}  // namespace tessera::api
