#include "app/engine/measure_baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graphene/program.h"
#include "solver/measure/comparison_rows.h"

namespace tessera {
namespace {

using namespace measure;

std::string withoutBlanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

std::string nameOf(const Baseline& baseline) {
  const std::size_t dot = baseline.file.rfind(".graphene");
  return dot == std::string::npos ? baseline.file : baseline.file.substr(0, dot);
}

// Why the two do not compute the same; empty: they do.
std::string differentSizes(const MeasureRequest& request, const Baseline& baseline) {
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

std::optional<Baseline> baselineOf(std::string_view program) {
  constexpr std::string_view kHead = "// baseline:";
  std::size_t at = program.find(kHead);
  while (at != std::string_view::npos && at != 0 && program[at - 1] != '\n') at = program.find(kHead, at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view line = program.substr(at + kHead.size());
  line = line.substr(0, line.find('\n'));
  Baseline out;
  if (const std::size_t open = line.find('('), close = line.rfind(')');
      open != std::string_view::npos && close != std::string_view::npos && close > open) {
    out.sizes = graphene::smallSizes(fmt::format("// small:{}\n", line.substr(open + 1, close - open - 1)));
    line = line.substr(0, open);
  }
  out.file = withoutBlanks(line);
  if (out.file.empty()) return std::nullopt;
  return out;
}

ComparisonRow baselineRow(const MeasureRequest& request, const Baseline& baseline, const Result<std::string>& text,
                          const RunOptions& options, bool onDevice) {
  const auto missing = [&](const std::string& why) { return missingRow(RowKind::Unfused, nameOf(baseline), why); };
  if (!text) return missing(text.error().message);
  if (const std::string why = differentSizes(request, baseline); !why.empty()) return missing(why);
  auto listing = graphene::readListing(nameOf(baseline), *text);
  if (!listing) return missing(listing.error().message);
  MeasureRequest one = request;
  one.spec.clear();
  one.emulateOnly = !onDevice;
  std::erase_if(one.sizes, [&](const auto& size) { return !hasSize(*listing->program, size.first); });
  one.listing = *std::move(listing);
  const auto measured = measuredProgram(one, options);
  if (!measured) return missing(measured.error().message);
  return measured->device ? rowOf(*measured->device, RowKind::Unfused, nameOf(baseline))
                          : rowOf(*measured->emulated, RowKind::Unfused, nameOf(baseline));
}

}  // namespace tessera
