#include "app/engine/measure/run_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tessera {
namespace {

using namespace measure;

MeasuredBar barOf(const ComparisonRow& row) {
  using Look = MeasuredBar::Look;
  constexpr Look kLooks[] = {Look::Kernel, Look::Variant, Look::Library, Look::Unfused, Look::Kernel};  // by RowKind
  MeasuredBar bar;
  bar.look = row.answer == Answer::Wrong ? Look::Wrong : kLooks[static_cast<std::size_t>(row.kind)];
  bar.name = row.name;
  bar.settings = row.settings;
  if (row.kernels.value_or(1) > 1)
    bar.settings += fmt::format("{}{} kernels", bar.settings.empty() ? "" : ", ", *row.kernels);
  return bar;
}

std::vector<const ComparisonRow*> ran(const ComparisonTable& table) {
  std::vector<const ComparisonRow*> out;
  for (const ComparisonRow& row : table.rows)
    if (row.kind != RowKind::Roofline) out.push_back(&row);
  return out;
}

MeasuredBars times(const ComparisonTable& table) {
  MeasuredBars group;
  group.title = "TIME IN MICROSECONDS: MEDIAN AND QUARTILES";
  for (const ComparisonRow* row : ran(table)) {
    MeasuredBar bar = barOf(*row);
    if (row->time.count > 0) {
      bar.value = row->time.median;
      bar.lower = row->time.lower;
      bar.upper = row->time.upper;
      bar.text = timeOf(*row);
    } else {
      bar.text = row->why.empty() ? "not timed" : row->why;
    }
    group.bars.push_back(std::move(bar));
  }
  for (const ComparisonRow& row : table.rows) {
    if (row.kind != RowKind::Roofline || row.time.count == 0) continue;
    group.line = row.time.median;
    group.lineText = fmt::format("roofline {}, {}", timeOf(row), row.name);
  }
  return group;
}

// The emulator's counts with their ideals; nullopt if no row has any.
std::optional<MeasuredBars> counts(const ComparisonTable& table, const char* title,
                                   std::optional<i64> ComparisonRow::*count, std::optional<i64> ComparisonRow::*ideal,
                                   const char* leastText) {
  MeasuredBars group;
  group.title = title;
  bool any = false, more = false;
  for (const ComparisonRow* row : ran(table)) {
    MeasuredBar bar = barOf(*row);
    if (row->*count) {
      const i64 n = *(row->*count), least = (row->*ideal).value_or(n);
      bar.value = bar.lower = bar.upper = static_cast<double>(n);
      bar.text = n == least ? fmt::format("{}", n) : fmt::format("{} for {}", n, least);
      if (n != least) bar.least = static_cast<double>(least);
      any = any || n > 0;
      more = more || n != least;
    } else {
      bar.text = row->why.empty() ? "not counted" : row->why;
    }
    group.bars.push_back(std::move(bar));
  }
  if (!any) return std::nullopt;
  if (more) group.leastText = leastText;
  return group;
}

MeasuredFact factOf(const ComparisonRow& row) {
  MeasuredFact fact{row.answer == Answer::Right   ? Truth::Proved
                    : row.answer == Answer::Wrong ? Truth::Refuted
                                                  : Truth::Unknown,
                    row.name, ""};
  if (row.answer == Answer::NotCompared) {
    fact.text = row.why.empty() ? "not compared" : "not compared: " + row.why;
    return fact;
  }
  if (row.answer == Answer::Wrong) fact.text = row.why;
  if (row.relativeError && row.answer == Answer::Right) {
    fact.text =
        *row.relativeError == 0 ? "exactly the reference" : fmt::format("relative error {:.2g}", *row.relativeError);
    if (!row.worst.empty() && *row.relativeError > 0) fact.text += "; worst element " + row.worst;
    if (!row.why.empty()) fact.text += "; " + row.why;
  }
  return fact;
}

MeasuredCells resourcesOf(const ComparisonTable& table) {
  MeasuredCells out;
  out.heads = {"", "registers per thread", "bytes spilled", "shared memory", "warps per multiprocessor"};
  out.numbers = {false, true, true, true, true};
  for (const ComparisonRow* row : ran(table)) {
    if (!row->registers) continue;
    const auto text = [](const std::optional<i64>& n, const char* unit) {
      return n ? fmt::format("{}{}", *n, unit) : "";
    };
    out.lines.push_back(
        {row->name, text(row->registers, ""), text(row->spilledBytes, ""), text(row->sharedBytes, " B"),
         row->residentWarps ? fmt::format("{} of {}", *row->residentWarps, row->mostWarps.value_or(0)) : ""});
  }
  return out;
}

// "The unfused program (8 kernels, mlp_unfused) moves 7.00 times the sectors of global memory."
std::string unfusedSentence(const ComparisonTable& t, const ComparisonRow& kernel) {
  for (const ComparisonRow& row : t.rows) {
    if (row.kind != RowKind::Unfused || kernel.sectors.value_or(0) <= 0 || row.sectors.value_or(0) <= 0) continue;
    const i64 kernels = row.kernels.value_or(1);
    return fmt::format(" The unfused program ({} kernel{}, {}) moves {:.2f} times the sectors of global memory.",
                       kernels, kernels == 1 ? "" : "s", row.name,
                       static_cast<double>(*row.sectors) / static_cast<double>(*kernel.sectors));
  }
  return "";
}

std::string sentenceOf(const RanProgram& r) {
  const ComparisonTable& t = r.table;
  const ComparisonRow* const kernel = r.kernel();
  if (kernel == nullptr) return "";
  std::string out;
  if (t.device.empty()) {
    out = r.asked
              ? fmt::format("No time was measured: {}. The emulator ran the same program at these sizes", t.noDevice)
              : "Run measures it on the GPU of this machine. The emulator ran the same program at these sizes";
    out += kernel->answer == Answer::Right   ? ", and its result is right."
           : kernel->answer == Answer::Wrong ? ", and its result is wrong."
                                             : "; nothing was compared.";
    if (!kernel->compiled.empty())
      out += fmt::format(" The PTX of {} ran on the CPU, too: {}.", t.compiler, kernel->compiled);
    return out + unfusedSentence(t, *kernel);
  }
  if (kernel->time.count == 0) return "It was checked but not timed.";
  out = fmt::format("{} takes {}", kernel->name, timeOf(*kernel));
  for (const ComparisonRow& row : t.rows)
    if ((row.kind == RowKind::Library || row.kind == RowKind::Unfused) && row.time.count > 0 && row.time.median > 0)
      out += fmt::format(", {:.2f} times {}'s median", kernel->time.median / row.time.median, row.name);
  if (kernel->roofline > 0) out += fmt::format(", {:.0f} % of the roofline", 100 * kernel->roofline);
  return out + ".";
}

std::string subtitleOf(const ComparisonTable& t) {
  std::string out = t.device.empty() ? "on the emulator" : "on " + t.device;
  if (!t.driver.empty()) out += ", driver " + t.driver;
  for (const auto& [size, value] : t.sizes) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", size, value);
  return out + fmt::format(", seed {}", t.seed);
}

std::vector<FigureBadge> badgesOf(const RanProgram& r) {
  std::vector<FigureBadge> out;
  if (const ComparisonRow* const kernel = r.kernel()) {
    if (kernel->answer == Answer::Right) out.push_back({"right", Role::Proved});
    if (kernel->answer == Answer::Wrong) out.push_back({"wrong", Role::Refuted});
    if (kernel->answer == Answer::NotCompared) out.push_back({"not compared", Role::Unknown});
  }
  if (r.table.device.empty()) out.push_back({r.asked ? "emulator, no GPU" : "emulator, not measured yet"});
  if (r.kept)
    out.push_back({fmt::format("{} {}", r.table.device.empty() ? "ran" : "measured", readableDate(r.table.date))});
  if (r.stale) out.push_back({"stale: the program has changed since", Role::Unknown});
  if (!r.table.compiler.empty()) out.push_back({fmt::format("{}, {}", r.table.architecture, r.table.compiler)});
  return out;
}

}  // namespace

std::string readableDate(const std::string& date) {
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::string form = "dddd-dd-ddTdd:dd";
  for (std::size_t k = 0; k < form.size(); ++k) {
    if (k >= date.size()) return date;
    if (form[k] == 'd' ? std::isdigit(static_cast<unsigned char>(date[k])) == 0 : date[k] != form[k]) return date;
  }
  const int month = (date[5] - '0') * 10 + date[6] - '0';
  if (month < 1 || month > 12) return date;
  return fmt::format("{} {} {}, {} UTC", (date[8] - '0') * 10 + date[9] - '0',
                     kMonths[static_cast<std::size_t>(month - 1)], date.substr(0, 4), date.substr(11, 5));
}

MeasuredPicture pictureOf(const RanProgram& r) {
  MeasuredPicture out;
  out.title = fmt::format("{}: {}", r.table.program, r.table.device.empty() ? "emulated" : "measured");
  out.subtitle = subtitleOf(r.table);
  out.caption = sentenceOf(r);
  out.badges = badgesOf(r);
  if (!r.table.device.empty()) {
    out.groups.push_back(times(r.table));
  } else {
    if (auto group = counts(r.table, "SHARED MEMORY, WAVEFRONTS", &ComparisonRow::wavefronts,
                            &ComparisonRow::idealWavefronts, "without bank conflicts"))
      out.groups.push_back(*std::move(group));
    if (auto group = counts(r.table, "GLOBAL MEMORY, SECTORS OF 32 BYTES", &ComparisonRow::sectors,
                            &ComparisonRow::idealSectors, "if every byte were used"))
      out.groups.push_back(*std::move(group));
  }
  for (const ComparisonRow* row : ran(r.table))
    if (row->answer != Answer::NotCompared || row->kind == RowKind::Kernel) out.checks.push_back(factOf(*row));
  out.resources = resourcesOf(r.table);
  ComparisonCells cells = cellsOf(r.table);
  out.all = {std::move(cells.heads), std::move(cells.numbers), std::move(cells.lines)};
  return out;
}

Result<Figure> drawRun(const RanProgram& ran, std::string_view view, const DrawOptions& options) {
  constexpr std::array<std::string_view, 2> kViews = {"bars", "table"};
  std::string wanted(view.empty() ? kViews.front() : view);
  if (!options.arguments.empty()) wanted = options.arguments.back();
  if (std::ranges::find(kViews, wanted) == kViews.end())
    return Diag{fmt::format("a run is shown as bars or as table, not as '{}'", wanted), "as bars, as table"};
  const MeasuredPicture picture = pictureOf(ran);
  Figure figure = wanted == "bars" ? drawBars(picture) : drawMeasuredTable(picture);
  figure.choices.push_back({"view", {kViews.begin(), kViews.end()}, wanted});
  return figure;
}

}  // namespace tessera
