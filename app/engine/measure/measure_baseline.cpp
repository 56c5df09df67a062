#include "app/engine/measure/measure_baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/measure/measure_variants.h"
#include "core/graphene/walk.h"
#include "solver/measure/report/comparison_rows.h"

namespace tessera {
namespace {

using namespace measure;

// Why the two compute different things; empty if they do not.
std::string otherComputation(const MeasureRequest& request, const graphene::Baseline& baseline) {
  if (!request.spec.empty() && graphene::outermostOf(*request.listing.program).size() > 1)
    return fmt::format("it does what all of {} does, and %{} alone is run", request.listing.name, request.spec);
  for (const auto& [name, value] : baseline.sizes) {
    const auto given = request.sizes.find(name);
    const i64 has = given == request.sizes.end() ? kDefaultSize : given->second;
    if (has != value) return fmt::format("it is for {} = {}, and {} is {}", name, value, name, has);
  }
  return "";
}

bool hasSize(const graphene::Program& program, const std::string& name) {
  return std::any_of(program.variables.begin(), program.variables.end(), [&](const graphene::Variable& v) {
    return v.kind == graphene::Variable::Kind::Size && v.name == name;
  });
}

}  // namespace

ComparisonRow baselineRow(const MeasureRequest& request, const graphene::Baseline& baseline,
                          const Result<graphene::Listing>& unfused, const RunOptions& options, bool onDevice) {
  const std::string name = nameOf(baseline);
  const auto missing = [&](const std::string& why) { return missingRow(RowKind::Unfused, name, why); };
  if (!unfused) return missing(unfused.error().message);
  if (const std::string why = otherComputation(request, baseline); !why.empty()) return missing(why);
  MeasureRequest one = request;
  one.listing = *unfused;
  one.spec.clear();
  one.emulateOnly = !onDevice;
  std::erase_if(one.sizes, [&](const auto& size) { return !hasSize(*one.listing.program, size.first); });
  const auto measured = measuredProgram(one, namedProgress(options, name));
  if (!measured) return missing(measured.error().message);
  ComparisonRow row = rowOf(*measured, RowKind::Unfused, name);
  if (row.why.empty()) row.why = otherSizes(request, one, /*reshaped=*/true);
  return row;
}

}  // namespace tessera
