#include "app/engine/measure/predict_accesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/engine/engine.h"
#include "core/graphene/reader/sized.h"
#include "core/worksheet/functions/tile_value.h"

namespace tessera {
namespace {

Result<void> complete(PredictionTable& table, const std::vector<measure::SharedAccess>& accesses, bool whole,
                      const measure::RunOptions& options, const PredictOptions& how) {
  if (how.report) measure::addCounters(table, *how.report, whole);
  if (how.measure) return measure::measureRows(table, accesses, options);
  table.notMeasured = how.notAsked;
  for (PredictionRow& row : table.rows) row.why = how.notAsked;
  return {};
}

}  // namespace

Result<PredictionTable> predictAccesses(const MeasureRequest& request, const measure::RunOptions& options,
                                        const PredictOptions& how) {
  TESSERA_TRY(const graphene::Program program, onlySpecifications(*request.listing.program, request.spec));
  measure::AccessOptions asked;
  std::vector<std::string> chosen;
  asked.sizes = completeSizes(program, request.sizes, chosen);
  asked.architecture = graphene::architectureOf(request.listing.text, request.architecture);
  asked.maxSteps = request.maxSteps;
  asked.cancel = options.cancel;
  if (options.progress) options.progress({"finding the accesses", 0});
  TESSERA_TRY(const measure::ProgramAccesses found, measure::accessesOf(program, asked));
  if (options.cancel != nullptr && options.cancel->load()) return Diag{"cancelled"};
  // Names of the kernels; a program without generated code is predicted too.
  std::vector<std::string> kernels;
  if (const auto source = codegen::emitCuda(program, {asked.architecture}); source)
    for (const codegen::Kernel& k : source->kernels) kernels.push_back(k.name);
  PredictionTable table = measure::predictions(found.accesses, kernels);
  table.title = request.listing.name.empty() ? "program" : request.listing.name;
  for (PredictionRow& row : table.rows) row.line = lineColumn(request.listing.text, row.span.begin).line;
  if (!found.stopped.empty())
    table.remark =
        fmt::format("The emulator stopped after {} warp instructions; later accesses are missing", found.steps);
  if (!chosen.empty())
    table.remark += fmt::format("{}Default sizes: {} = {}", table.remark.empty() ? "" : "; ",
                                fmt::join(chosen, fmt::format(" = {}, ", kDefaultSize)), kDefaultSize);
  TESSERA_CHECKED(complete(table, found.accesses, found.stopped.empty(), options, how));
  return table;
}

Result<PredictionTable> predictAccess(const std::string& layout, const std::string& access, const std::string& type,
                                      const measure::RunOptions& options, const PredictOptions& how) {
  const Diag missing{"there is no layout", "a layout, such as '(64,64):(64,1)'"};
  TESSERA_TRY(const NamedValue named, lastValue(splitStatements(layout), options.cancel, missing));
  const Value& value = *named.value;
  TESSERA_TRY(const AccessSpec spec, parseAccess(access));
  int bits = elementBitsOf(value).value_or(16);
  if (!type.empty()) {
    TESSERA_TRY(bits, elementBits(type));
  }
  TESSERA_TRY(const TileMap map, tileMapOf(value));
  TESSERA_TRY(const Tile tile, tileOf(value, bits));
  TESSERA_TRY(const measure::SharedAccess found, measure::accessOver(tile, map.map, map.rowDigits, spec));
  PredictionTable table = measure::predictions({found});
  table.title = fmt::format("{} over {}, elements of {} bits", spec.text, print(value), bits);
  TESSERA_CHECKED(complete(table, {found}, true, options, how));
  return table;
}

Result<PredictionTable> predictionsOf(const graphene::Listing& listing, const std::atomic<bool>* cancel) {
  constexpr i64 kShortRun = 50'000;
  measure::RunOptions options;
  options.cancel = cancel;
  PredictOptions how;
  how.measure = false;
  how.notAsked = "a picture is not measured; run tessera measure FILE --accesses";
  MeasureRequest request;
  request.listing = listing;
  request.maxSteps = kShortRun;
  return predictAccesses(request, options, how);
}

}  // namespace tessera
