#include "render/draw/hlo/ranking_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "render/draw/hlo/hlo.h"

namespace tessera::hlo {
namespace {

enum Column : std::size_t { Rank, Kernel, RunCount, Requested, Needed, Times, Source };

// By computation, the door of the instruction of `drawn` that runs it.
std::vector<int> doorsOfBodies(const Module& module, int drawn, const std::vector<int>& doors) {
  std::vector<int> door(module.computations.size(), -1);
  for (std::size_t i = 0; i < doors.size(); ++i) {
    const Instruction& instruction = module.computation(drawn).at(static_cast<int>(i));
    if (doors[i] < 0 ||
        (instruction.opcode != "while" && instruction.opcode != "conditional" && instruction.opcode != "call"))
      continue;
    std::vector<int> open = calledBy(module, instruction);
    while (!open.empty()) {
      const int c = open.back();
      open.pop_back();
      if (c == drawn || door[static_cast<std::size_t>(c)] >= 0) continue;
      door[static_cast<std::size_t>(c)] = doors[i];
      for (const Instruction& inner : module.computation(c).instructions)
        for (const int called : calledBy(module, inner)) open.push_back(called);
    }
  }
  return door;
}

class RankingRows final : public RowSource {
 public:
  RankingRows(const Listing& listing, std::shared_ptr<const Ranking> ranking, int drawn, std::vector<int> doors)
      : module_(listing.module),
        ranking_(std::move(ranking)),
        drawn_(drawn),
        doors_(std::move(doors)),
        bodies_(doorsOfBodies(*module_, drawn, doors_)),
        isTraced_(std::ranges::any_of(ranking_->kernels, [this](const KernelWaste& k) {
          return !sourceOf(*module_, module_->at(k.where)).empty();
        })) {}

  [[nodiscard]] std::span<const RowColumn> columns() const override {
    static const std::array<RowColumn, 7> kColumns = {
        RowColumn{"rank", "By wasted bytes times runs, the most first", 36, true, true},
        RowColumn{"kernel", "The instruction", 60, false, true},
        RowColumn{"runs", "Of the kernel in one run of the module", 44, true, false, 480},
        RowColumn{"requested", "Bytes in sectors of 32, of one run, without caches", 68},
        RowColumn{"needed", "Bytes of the elements that are read, each once", 60, true, false, 400},
        RowColumn{"times", "Requested by needed", 54},
        RowColumn{"source", "The line of the traced program", 40, false, true, 540},
    };
    return std::span(kColumns).first(isTraced_ ? kColumns.size() : kColumns.size() - 1);
  }
  [[nodiscard]] i64 rows() const override { return static_cast<i64>(ranking_->kernels.size()); }

  [[nodiscard]] std::string text(i64 row, std::size_t column) const override {
    const KernelWaste& k = at(row);
    const bool known = k.why.empty() && k.needed() > 0;
    switch (column) {
      case Rank:
        return fmt::format("{}", row + 1);
      case Kernel:
        return fmt::format("%{}", module_->at(k.where).name);
      case RunCount:
        return k.runsKnown ? fmt::format("{}", k.runs) : fmt::format("{}+", k.runs);
      case Requested:
        return known ? bytesText(k.asked()) : "unknown";
      case Needed:
        return known ? bytesText(k.needed()) : "unknown";
      case Times:
        if (!known) return "";
        return number(row, Times) < 1000 ? fmt::format("{:.3g}", number(row, Times))
                                         : fmt::format("{:.0f}", number(row, Times));
      default:
        return sourceOf(*module_, module_->at(k.where));
    }
  }

  [[nodiscard]] double number(i64 row, std::size_t column) const override {
    const KernelWaste& k = at(row);
    switch (column) {
      case Rank:
        return static_cast<double>(row);
      case RunCount:
        return static_cast<double>(k.runs);
      case Requested:
        return static_cast<double>(k.asked());
      case Needed:
        return static_cast<double>(k.needed());
      case Times:
        return k.needed() > 0 ? static_cast<double>(k.asked()) / static_cast<double>(k.needed()) : 0;
      default:
        return 0;
    }
  }

  [[nodiscard]] int box(i64 row) const override {
    const Where where = at(row).where;
    if (where.computation != drawn_) return bodies_[static_cast<std::size_t>(where.computation)];
    const auto i = static_cast<std::size_t>(where.instruction);
    return i < doors_.size() ? doors_[i] : -1;
  }

  [[nodiscard]] FigureDoor door(i64 row) const override {
    return {{}, doorTo(*module_, at(row).where), "kernel", "", {}};
  }

  [[nodiscard]] std::string note() const override {
    if (!ranking_->why.empty())
      return fmt::format("{} not examined: {}.", counted(ranking_->missing, "instruction"), ranking_->why);
    return ranking_->kernels.empty() ? "No instruction of this module reads memory." : "";
  }

 private:
  [[nodiscard]] const KernelWaste& at(i64 row) const { return ranking_->kernels[static_cast<std::size_t>(row)]; }

  std::shared_ptr<const Module> module_;
  std::shared_ptr<const Ranking> ranking_;
  int drawn_;
  std::vector<int> doors_, bodies_;
  bool isTraced_;  // some kernel has a source line; otherwise there is no column for it
};

}  // namespace

std::shared_ptr<const RowSource> rankingRows(const Listing& listing, std::shared_ptr<const Ranking> ranking,
                                             int computation, const std::vector<int>& doors) {
  return std::make_shared<RankingRows>(listing, std::move(ranking), computation, doors);
}

}  // namespace tessera::hlo
