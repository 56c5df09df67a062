#include "app/engine/measure/measure_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/graphene/program.h"
#include "core/graphene/walk.h"
#include "solver/measure/report/comparison_rows.h"

namespace tessera {

namespace {

using namespace measure;

bool cancelled(const RunOptions& options) { return options.cancel != nullptr && options.cancel->load(); }

// Progress of variant `at` of `count`.
RunOptions progressOf(RunOptions options, const std::string& name, std::size_t at, std::size_t count) {
  if (options.progress)
    options.progress = [tell = options.progress, name, at, count](const Stage& s) {
      const double before = static_cast<double>(at) + std::max(0.0, s.fraction);
      tell({fmt::format("{}: {}", name, s.what), before / static_cast<double>(count)});
    };
  return options;
}

// "64x8": the extents of a tensor at these sizes.
std::string extentsOf(const graphene::Tensor& t, const graphene::Program& program,
                      const std::map<std::string, i64>& sizes) {
  std::vector<Expr> values;
  for (std::size_t k = 0; k < program.variables.size(); ++k) {
    const auto at = sizes.find(program.variables[k].name);
    const bool size = program.variables[k].kind == graphene::Variable::Kind::Size;
    values.push_back(!size ? Expr::param(static_cast<int>(k))
                           : Expr::constant(at == sizes.end() ? kDefaultSize : at->second));
  }
  std::string out;
  for (const Expr& e : t.extents)
    out += (out.empty() ? "" : "x") + print(substitute(e, {}, values), namesOf(program.variables));
  return out;
}

// Whether the products are equal, as for "64x8" and "512".
bool asMany(const std::string& a, const std::string& b) {
  const auto count = [](std::string_view text) -> std::optional<i64> {
    i64 out = 1;
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find('x'));
      i64 n = 0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), n);
      if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
      out *= n;
      text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    return out;
  };
  const auto left = count(a), right = count(b);
  return left && right && *left == *right;
}

// Why the two compute different things; empty if they do not.
std::string otherComputation(const MeasureRequest& request, const graphene::Baseline& baseline) {
  if (!request.spec.empty() && graphene::outermostOf(*request.listing.program).size() > 1)
    return fmt::format("it computes all of {}, but only %{} is run", request.listing.name, request.spec);
  for (const auto& [name, value] : baseline.sizes) {
    const auto given = request.sizes.find(name);
    const i64 has = given == request.sizes.end() ? kDefaultSize : given->second;
    if (has != value) return fmt::format("it is for {} = {}, but {} is {}", name, value, name, has);
  }
  return "";
}

}  // namespace

ComparisonRow rowOf(const MeasuredProgram& m, RowKind kind, const std::string& name, const std::string& settings) {
  return m.device ? rowOf(*m.device, kind, name, settings) : rowOf(*m.emulated, kind, name, settings);
}

ComparisonTable headOf(const std::string& name, const MeasuredProgram& m, const std::string& why) {
  return m.device ? headOf(name, *m.device) : headOf(name, *m.emulated, why);
}

RunOptions namedProgress(RunOptions options, const std::string& name) {
  if (options.progress)
    options.progress = [tell = options.progress, name](const Stage& s) {
      tell({fmt::format("{}: {}", name, s.what), s.fraction});
    };
  return options;
}

std::string otherSizes(const MeasureRequest& program, const MeasureRequest& other, bool reshaped) {
  for (const graphene::Tensor& a : program.listing.program->operands)
    for (const graphene::Tensor& b : other.listing.program->operands) {
      if (a.threads || b.threads || a.name != b.name || a.memory != graphene::Memory::Global) continue;
      const std::string x = extentsOf(a, *program.listing.program, program.sizes);
      const std::string y = extentsOf(b, *other.listing.program, other.sizes);
      if (x != y && !(reshaped && asMany(x, y)))
        return fmt::format("another size: %{} is {} instead of {}", a.name, y, x);
    }
  return "";
}

Result<std::vector<ComparisonRow>> variantRows(const MeasureRequest& request,
                                               const std::vector<graphene::Variant>& variants,
                                               const RunOptions& options, bool onDevice,
                                               const std::vector<std::string>& sizes) {
  std::vector<ComparisonRow> out;
  for (const graphene::Variant& v : variants) {
    if (!v.listing) {
      out.push_back(missingRow(RowKind::Variant, v.name, v.why));
      continue;
    }
    MeasureRequest one = request;
    one.listing = *v.listing;
    one.emulateOnly = !onDevice;
    if (!sizes.empty()) {
      const auto [begin, end] = graphene::programIn(v.listing->text);
      auto own = graphene::sizesOf(std::string_view(v.listing->text).substr(begin, end - begin), sizes);
      if (!own) {
        out.push_back(missingRow(RowKind::Variant, v.name, own.error().message));
        continue;
      }
      one.sizes = *std::move(own);
    }
    const auto measured = measuredProgram(one, progressOf(options, v.name, out.size(), variants.size()));
    if (cancelled(options)) return Diag{"cancelled"};
    ComparisonRow row = measured ? rowOf(*measured, RowKind::Variant, v.name)
                                 : missingRow(RowKind::Variant, v.name, measured.error().message);
    if (row.why.empty()) row.why = v.note;
    if (row.why.empty()) row.why = otherSizes(request, one);
    out.push_back(std::move(row));
  }
  return out;
}

Result<ComparisonTable> measuredVariants(const MeasureRequest& request, const VariantChoice& choice,
                                         const RunOptions& options) {
  TESSERA_TRY(const MeasuredProgram m, measuredProgram(request, options));
  ComparisonTable table = headOf(request.listing.name, m, m.noDevice);
  table.date = options.date;
  table.rows.push_back(rowOf(m, RowKind::Kernel, request.listing.name));
  std::vector<graphene::Variant> variants;
  for (const std::string& settings : choice.chosen) variants.push_back(variantWith(request.listing, settings));
  if (choice.automatic)
    for (graphene::Variant& v : variantsOf(request.listing))
      if (std::ranges::none_of(variants, [&](const auto& other) { return other.name == v.name; }))
        variants.push_back(std::move(v));
  TESSERA_TRY(std::vector<ComparisonRow> rows,
              variantRows(request, variants, options, m.device.has_value(), choice.sizes));
  for (ComparisonRow& row : rows) table.rows.push_back(std::move(row));
  if (m.device)
    if (auto row = rooflineRow(*m.device)) table.rows.push_back(*std::move(row));
  return table;
}

bool allRight(const ComparisonTable& table) {
  return !table.rows.empty() && table.rows.front().answer == Answer::Right &&
         std::ranges::none_of(table.rows, [](const ComparisonRow& r) { return r.answer == Answer::Wrong; });
}

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
  const std::vector<std::string> names = sizeNames(*unfused->program);
  std::erase_if(one.sizes, [&](const auto& size) { return std::ranges::find(names, size.first) == names.end(); });
  const auto measured = measuredProgram(one, namedProgress(options, name));
  if (!measured) return missing(measured.error().message);
  ComparisonRow row = rowOf(*measured, RowKind::Unfused, name);
  if (row.why.empty()) row.why = otherSizes(request, one, /*reshaped=*/true);
  return row;
}

}  // namespace tessera
