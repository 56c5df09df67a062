#include "app/engine/measure/tune_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/engine/measure/measure_program.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/sized.h"

namespace tessera {
namespace {

Result<void> everySizeIsGiven(const measure::TuneRequest& request) {
  // Any candidate: all have the same symbols.
  TESSERA_TRY(const auto candidates, graphene::candidatesOf(request.text, request.fixed));
  if (candidates.empty()) return {};
  TESSERA_TRY(const std::string text, graphene::withSettings(request.text, candidates.front()));
  TESSERA_TRY(const graphene::Program program, graphene::readProgram(text));
  std::map<std::string, i64> given;
  for (const graphene::Settings& candidate : candidates) {
    auto sizes = graphene::sizesOf(request.text, request.sizes, candidate);
    if (!sizes && &candidate == &candidates.back()) return sizes.error();
    if (!sizes) continue;
    given = *std::move(sizes);
    break;
  }
  std::vector<std::string> missing = sizeNames(program);
  std::erase_if(missing, [&](const std::string& name) { return given.contains(name); });
  if (!missing.empty())
    return Diag{fmt::format("{} {} not given", fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are"),
                fmt::format("--size {}=1024", missing.front())};
  return knownSizes(program, given);
}

}  // namespace

Result<measure::TuneRequest> tuneRequest(TuneWords words) {
  measure::TuneRequest out;
  TESSERA_TRY(out.fixed, graphene::settingsOf(words.settings));
  out.sizes = std::move(words.sizes);
  out.name = std::move(words.name);
  out.text = std::move(words.text);
  out.architecture = graphene::architectureOf(out.text, words.architecture);
  if (!out.architecture.starts_with("sm_"))
    return Diag{fmt::format("'{}' is not an architecture", out.architecture), "sm_75, sm_80, sm_90a ..."};
  out.proveSeconds = words.proveSeconds;
  TESSERA_CHECKED(everySizeIsGiven(out));
  return out;
}

}  // namespace tessera
