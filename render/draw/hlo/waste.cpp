// waste: the kernels of a module, the one with the most excess memory traffic first. A bar shows needed and requested
// bytes; a click opens the kernel's reads.
#include "core/hlo/cost/waste.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/chars.h"
#include "core/hlo/compose/structure.h"
#include "core/hlo/ops/op_maps.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/hlo/hlo.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostRows = 60;
constexpr double kName = 205, kBars = 220, kRow = 44, kOperand = 18, kWide = kName + kBars + 290;

std::string verdictText(const OperandWaste& w) {
  if (w.warps.verdict == WarpVerdict::Unknown) return "warps not known";
  return std::string(nameOf(w.warps.verdict));
}

// "%x   each 125 times   scattered   2.6 MB for 65 KB"
std::string operandText(const OperandWaste& w) {
  std::string out = fmt::format("%{}", w.name);
  if (w.times() > 1.005)
    out += w.times() < 1000 ? fmt::format("  each {:.4g} times", w.times())
                            : fmt::format("  each {:.0f} times", w.times());
  out += "  " + verdictText(w);
  if (w.needed && w.asked) out += fmt::format("  {} for {}", bytesText(*w.asked), bytesText(*w.needed));
  if (!w.usage.distinct) out += "  not counted: " + (w.usage.why.empty() ? w.why : w.usage.why);
  return out;
}

Role roleOf(const OperandWaste& w) {
  if (w.soundness != Soundness::Exact || !w.usage.distinct) return Role::Unknown;
  return w.wasted() > 0 ? Role::Muted : Role::Faint;
}

// One row per kernel: its name, a bar, a line per operand.
class WastePicture {
 public:
  explicit WastePicture(const Listing& listing)
      : module_(*listing.module), ranking_(keptRanking(module_)), kernels_(ranking_->kernels) {
    figure_ = titledFigure(fmt::format("{} as waste", listing.name), print(listing),
                           {"rank", "kernel", "operand", "name", "times", "warps", "needed", "asked"});
    std::map<std::pair<int, i64>, std::size_t> rowOf;  // by structure and runs
    Structures structures(module_);
    for (const KernelWaste& k : kernels_) {
      most_ = std::max({most_, k.asked(), k.needed()});
      const auto row = rowOf.try_emplace({structures.of(k.where), k.runs}, rows_.size());
      if (row.second)
        rows_.push_back({&k, 1});
      else
        ++rows_[row.first->second].count;
    }
  }

  Figure finish() {
    if (kernels_.empty())
      addText(figure_, 0, 8, "No instruction of this module reads memory", 12, Face::Sans, Role::Muted);
    for (std::size_t n = 0; n < std::min(rows_.size(), kMostRows); ++n) addRow(n, *rows_[n].kernel, rows_[n].count);
    figure_.caption = kernels_.empty() ? "" : captionOf(kernels_.front());
    fitSize(figure_);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] const Instruction& instructionOf(const KernelWaste& k) const { return module_.at(k.where); }

  void addRow(std::size_t n, const KernelWaste& k, std::size_t count) {
    const Instruction& i = instructionOf(k);
    const double top = y_, nameRoom = kName - 38;
    const std::string name = count == 1 ? fmt::format("%{}", i.name) : fmt::format("\u00d7{}  %{}", count, i.name);
    addText(figure_, 18, top + 12, fmt::format("{}", n + 1), 11, Face::Mono, Role::Faint, Align::Right);
    addFitted(figure_, 30, top + 12, nameRoom, name, 12, Face::Mono, Role::Text);
    const std::string below = fmt::format("{}, {}", i.opcode, k.plan.empty() ? "no plan" : k.plan);
    addFitted(figure_, 30, top + 28, nameRoom, below, 10.5, Face::Sans, Role::Faint);
    addBar(k);
    double line = top + 32;
    for (const OperandWaste& w : k.operands) {
      addFitted(figure_, kName, line, kWide - kName, operandText(w), 10.5, Face::Mono, roleOf(w));
      line += kOperand;
      figure_.table.push_back({fmt::format("{}", n + 1), std::string(i.name), fmt::format("{}", w.operand), w.name,
                               fmt::format("{:.6g}", w.times()), verdictText(w),
                               w.needed ? fmt::format("{}", *w.needed) : "",
                               w.asked ? fmt::format("{}", *w.asked) : ""});
    }
    y_ = std::max(top + kRow, line - 2);
    figure_.doors.push_back({{0, top, kWide, y_ - top}, doorTo(module_, k.where), "kernel", ""});
    addLine(figure_, 0, y_, kWide, y_, Role::Hairline, 0.75);
    y_ += 6;
  }

  // The needed bytes, in grey, over the requested ones.
  void addBar(const KernelWaste& k) {
    const auto bar = [&](i64 bytes, Paint paint) {
      if (bytes <= 0) return;
      const double wide = kBars * static_cast<double>(bytes) / static_cast<double>(most_);
      addBox(figure_, {kName, y_ + 5, std::max(1.5, wide), 14}, paint, {}, 2);
    };
    bar(k.asked(), {Role::Heat, 0, 0, wasteLevel(k.needed(), k.asked())});
    bar(std::min(k.needed(), k.asked()), {Role::Shade, 3});
    addText(figure_, kName + kBars + 14, y_ + 12, textOf(k), 11, Face::Sans, k.wasted() > 0 ? Role::Text : Role::Muted);
  }

  [[nodiscard]] std::string captionOf(const KernelWaste& first) const {
    std::string out =
        "Grey: the bytes needed, each element once; warm: the excess, in sectors of 32 bytes, without caches.";
    if (first.wasted() > 0) out += fmt::format(" %{} first: {}.", instructionOf(first).name, textOf(first));
    out += " Click a kernel for its page.";
    if (rows_.size() < kernels_.size()) out += " Kernels that do the same share a row (\u00d7n).";
    if (rows_.size() > kMostRows) out += fmt::format(" {} more rows are not shown.", rows_.size() - kMostRows);
    if (!ranking_->why.empty())
      out += fmt::format(" {} not examined: {}.", counted(ranking_->missing, "instruction"), ranking_->why);
    return out;
  }

  const Module& module_;
  struct Row {                  // kernels of one structure
    const KernelWaste* kernel;  // the first
    std::size_t count;
  };
  std::shared_ptr<const Ranking> ranking_;
  const std::vector<KernelWaste>& kernels_;
  std::vector<Row> rows_;
  Figure figure_;
  i64 most_ = 1;
  double y_ = 0;
};

}  // namespace

float wasteLevel(i64 needed, i64 asked) {
  if (needed <= 0 || static_cast<double>(asked) * 0.9 <= static_cast<double>(needed))
    return 0;  // a tenth can come from misaligned starts of sectors
  const double times = static_cast<double>(asked) / static_cast<double>(needed);
  return static_cast<float>(std::clamp(0.2 + 0.8 * std::log2(times) / 5, 0.2, 1.0));  // 32 times: a sector per byte
}

std::string doorTo(const Module& module, Where where) {
  const Computation& c = module.computation(where.computation);
  return fmt::format("%{}.%{}", c.name, c.at(where.instruction).name);
}

Result<Figure> drawWaste(const Listing& listing, const DrawOptions& options) {
  TESSERA_CHECKED(expectNoWords(options.arguments, "waste", "show NAME as waste"));
  return WastePicture(listing).finish();
}

}  // namespace tessera::hlo
