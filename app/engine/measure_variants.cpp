#include "app/engine/measure_variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/measure/comparison_rows.h"

namespace tessera {
namespace {

using namespace measure;

bool cancelled(const RunOptions& options) { return options.cancel != nullptr && options.cancel->load(); }

ComparisonRow rowOfProgram(const MeasuredProgram& m, RowKind kind, const std::string& name) {
  return m.device ? rowOf(*m.device, kind, name) : rowOf(*m.emulated, kind, name);
}

RunOptions namedProgress(RunOptions options, const std::string& name) {
  if (options.progress)
    options.progress = [tell = options.progress, name](const Stage& s) {
      tell({fmt::format("{}: {}", name, s.what), s.fraction});
    };
  return options;
}

}  // namespace

Result<std::vector<ComparisonRow>> variantRows(const MeasureRequest& request,
                                               const std::vector<graphene::Variant>& variants,
                                               const RunOptions& options, bool onDevice) {
  std::vector<ComparisonRow> out;
  for (const graphene::Variant& v : variants) {
    if (!v.listing) {
      out.push_back(missingRow(RowKind::Variant, v.name, v.why));
      continue;
    }
    MeasureRequest one = request;
    one.listing = *v.listing;
    one.emulateOnly = !onDevice;
    const auto measured = measuredProgram(one, namedProgress(options, v.name));
    if (cancelled(options)) return Diag{"cancelled", "", "", {}};
    ComparisonRow row = measured ? rowOfProgram(*measured, RowKind::Variant, v.name)
                                 : missingRow(RowKind::Variant, v.name, measured.error().message);
    if (row.why.empty()) row.why = v.note;
    out.push_back(std::move(row));
  }
  return out;
}

Result<ComparisonTable> measuredVariants(const MeasureRequest& request, const VariantChoice& choice,
                                         const RunOptions& options) {
  TESSERA_TRY(const MeasuredProgram m, measuredProgram(request, options));
  ComparisonTable table =
      m.device ? headOf(request.listing.name, *m.device) : headOf(request.listing.name, *m.emulated, m.noDevice);
  table.date = options.date;
  table.rows.push_back(rowOfProgram(m, RowKind::Kernel, request.listing.name));
  std::vector<graphene::Variant> variants;
  for (const std::string& settings : choice.chosen) variants.push_back(variantWith(request.listing, settings));
  if (choice.automatic)
    for (graphene::Variant& v : variantsOf(request.listing))
      if (std::none_of(variants.begin(), variants.end(), [&](const auto& other) { return other.name == v.name; }))
        variants.push_back(std::move(v));
  TESSERA_TRY(std::vector<ComparisonRow> rows, variantRows(request, variants, options, m.device.has_value()));
  for (ComparisonRow& row : rows) table.rows.push_back(std::move(row));
  if (m.device)
    if (auto row = rooflineRow(*m.device)) table.rows.push_back(*std::move(row));
  return table;
}

bool allRight(const ComparisonTable& table) {
  return !table.rows.empty() && table.rows.front().answer == Answer::Right &&
         std::none_of(table.rows.begin(), table.rows.end(),
                      [](const ComparisonRow& r) { return r.answer == Answer::Wrong; });
}

}  // namespace tessera
