#include "app/engine/measure/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "app/engine/measure/measure_program.h"
#include "app/engine/measure/measure_variants.h"
#include "core/graphene/reader/sized.h"
#include "solver/measure/report/comparison_rows.h"
#include "solver/measure/report/library_product.h"

namespace tessera {
namespace {

using namespace measure;

constexpr const char* kLibrary = "cuBLASLt";
constexpr const char* kNoDevice = "there is no device";

MeasureRequest measureRequest(const RunRequest& request, bool asked) {
  MeasureRequest out;
  out.listing = request.listing;
  out.spec = request.spec;
  out.architecture = graphene::architectureOf(request.listing.text, request.architecture);
  out.sizes = request.sizes;
  out.emulateOnly = request.emulate || !asked;
  if (!asked) out.maxSteps = kUnaskedSteps;
  return out;
}

RunOptions runOptions(const RunRequest& request, const RunSettings& settings, const JobContext& context) {
  RunOptions out;
  out.seed = request.seed;
  out.worker = settings.worker.empty() ? workerCommand() : settings.worker;
  out.cancel = context.cancel;
  out.date = settings.now != nullptr ? settings.now() : utcNow();
  if (context.progress) out.progress = [&context](const Stage& stage) { context.progress(stage.fraction, stage.what); };
  return out;
}

// The same product by the library on the same inputs.
Result<ComparisonRow> libraryRow(const MeasuredProgram& m, const graphene::Program& program,
                                 const RunOptions& options) {
  if (!m.device) return missingRow(RowKind::Library, kLibrary, kNoDevice);
  TESSERA_TRY(const Launches launches, launchesOf(m.source, program, m.device->sizes));
  const auto product = libraryProductOf(program, launches.operands, m.device->sizes);
  if (!product) return missingRow(RowKind::Library, kLibrary, product.error().message);
  const auto measured = runBaseline(product->gemm, namedProgress(options, kLibrary));
  if (options.cancel != nullptr && options.cancel->load()) return Diag{"cancelled"};
  if (!measured) return missingRow(RowKind::Library, kLibrary, measured.error().message);
  ComparisonRow row = rowOf(*measured, RowKind::Library, kLibrary);
  if (row.why.empty()) row.why = product->note;
  return row;
}

std::string nameOf(const RunRequest& request) {
  return request.spec.empty() ? request.listing.name : fmt::format("{} spec %{}", request.listing.name, request.spec);
}

std::string settingsText(const RunRequest& request) {
  std::string out;
  for (const auto& [parameter, value] : request.settings)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", parameter, value);
  return out;
}

std::vector<graphene::Variant> variantsFor(const RunRequest& request) {
  std::vector<graphene::Variant> out;
  if (request.variants) out = graphene::variantsOf(request.listing);
  for (const std::string& chosen : request.chosen) out.push_back(graphene::variantWith(request.listing, chosen));
  return out;
}

Result<RanProgram> measuredNow(const RunRequest& request, const RunSettings& settings, const JobContext& context,
                               bool asked) {
  const RunOptions options = runOptions(request, settings, context);
  if (context.progress) context.progress(0, asked ? "looking for a device" : "emulating");
  TESSERA_TRY(const MeasuredProgram m, measuredProgram(measureRequest(request, asked), options));
  RanProgram out;
  out.asked = asked;
  out.chosen = m.chosen;
  const std::string name = nameOf(request), set = settingsText(request);
  const std::string why = !asked            ? "not measured yet"
                          : request.emulate ? "the statement says 'by emulator'"
                                            : m.noDevice;
  out.table = headOf(name, m, why);
  out.table.date = options.date;
  out.table.rows.push_back(rowOf(m, RowKind::Kernel, name, set));
  TESSERA_TRY(std::vector<ComparisonRow> variants,
              variantRows(measureRequest(request, asked), variantsFor(request), options, m.device.has_value()));
  for (ComparisonRow& row : variants) out.table.rows.push_back(std::move(row));
  if (request.unfused) {
    out.table.rows.push_back(baselineRow(measureRequest(request, asked), {request.unfused->name, request.unfusedSizes},
                                         *request.unfused, options, m.device.has_value()));
    if (context.cancelled()) return Diag{"cancelled"};
  }
  if (request.library) {
    TESSERA_TRY(const graphene::Program part, onlySpecifications(*request.listing.program, request.spec));
    TESSERA_TRY(ComparisonRow row, libraryRow(m, part, options));
    out.table.rows.push_back(std::move(row));
  }
  if (m.device)
    if (auto row = rooflineRow(*m.device)) out.table.rows.push_back(*std::move(row));
  return out;
}

}  // namespace

const ComparisonRow* RanProgram::kernel() const {
  const auto found = std::ranges::find(table.rows, RowKind::Kernel, &ComparisonRow::kind);
  return found == table.rows.end() ? nullptr : &*found;
}

bool RanProgram::right() const { return kernel() != nullptr && kernel()->answer == Answer::Right; }

bool RanProgram::wrong() const { return kernel() != nullptr && kernel()->answer == Answer::Wrong; }

Result<RanProgram> ranProgram(const RunRequest& request, const RunSettings& settings, const JobContext& context) {
  const bool asked = !settings.results || settings.results->takeAsked(request.key);
  const std::string sum =
      programSum(request.listing) + (request.unfused ? "-" + programSum(*request.unfused) : std::string());
  if (!asked) {
    if (auto kept = settings.results->find(request.key))
      return RanProgram{std::move(kept->table), true, true, kept->program != sum, request.view, {}};
  }
  TESSERA_TRY(RanProgram out, measuredNow(request, settings, context, asked));
  out.view = request.view;
  if (asked && settings.results && !context.cancelled()) settings.results->keep({request.key, sum, out.table});
  return out;
}

std::string utcNow() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string summaryOf(const RanProgram& ran) {
  const ComparisonRow* const kernel = ran.kernel();
  const std::string where = fmt::format("{} on {}", ran.table.program, whereOf(ran.table));
  if (kernel == nullptr) return where;
  std::string out = fmt::format("{}: {}", where, name(kernel->answer));
  if (kernel->time.count > 0) out += ", " + timeOf(*kernel);
  if (kernel->answer != Answer::Right && !kernel->why.empty()) out += fmt::format(": {}", kernel->why);
  return out;
}

}  // namespace tessera
