#include "core/hlo/cost/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "core/hlo/compose/structure.h"
#include "core/hlo/text/attributes.h"

namespace tessera::hlo {
namespace {

std::string_view opNameOf(const Instruction& i) { return field(i.value("metadata"), "op_name").value_or(""); }

// The key of each kernel in one way of matching; empty: none.
struct Way {
  const char* by;
  bool name, opName, structure;
};
constexpr Way kWays[] = {
    {"name and structure", true, false, true},
    {"op_name and structure", false, true, true},
    {"structure", false, false, true},
    {"op_name", false, true, false},
    {"name", true, false, false},
};

class Side {
 public:
  Side(const Module& module, const Ranking& ranking, const std::shared_ptr<StructureTable>& table)
      : module_(module), kernels_(ranking.kernels), structures_(module, table), taken_(kernels_.size(), false) {
    for (const KernelWaste& k : kernels_) numbers_.push_back(structures_.of(k.where));
    for (std::size_t k = 0; k < kernels_.size(); ++k) order_.push_back(k);
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
      const Where x = kernels_[a].where, y = kernels_[b].where;
      return std::pair(x.computation, x.instruction) < std::pair(y.computation, y.instruction);
    });
  }
  [[nodiscard]] const std::vector<std::size_t>& inTextOrder() const { return order_; }
  [[nodiscard]] const KernelWaste& operator[](std::size_t k) const { return kernels_[k]; }
  [[nodiscard]] bool taken(std::size_t k) const { return taken_[k]; }
  void take(std::size_t k) { taken_[k] = true; }
  [[nodiscard]] std::string keyOf(std::size_t k, const Way& way) const {
    const Instruction& i = module_.at(kernels_[k].where);
    const std::string_view opName = opNameOf(i);
    if (way.opName && opName.empty()) return "";
    return fmt::format("{}|{}|{}|{}", i.opcode, way.name ? i.name : "", way.opName ? opName : "",
                       way.structure ? numbers_[k] : -1);
  }

 private:
  const Module& module_;
  const std::vector<KernelWaste>& kernels_;
  Structures structures_;
  std::vector<int> numbers_;
  std::vector<std::size_t> order_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<KernelChange> changesOf(const Module& before, const Ranking& rankedBefore, const Module& after,
                                    const Ranking& rankedAfter) {
  const auto table = std::make_shared<StructureTable>();
  Side was(before, rankedBefore, table), is(after, rankedAfter, table);
  std::vector<KernelChange> changes;
  const auto add = [&](std::optional<std::size_t> b, std::optional<std::size_t> a, const char* by) {
    KernelChange c{b, a, by};
    if (a) c.asked += timesAtMost(is[*a].asked(), is[*a].runs), c.needed += timesAtMost(is[*a].needed(), is[*a].runs);
    if (b)
      c.asked -= timesAtMost(was[*b].asked(), was[*b].runs), c.needed -= timesAtMost(was[*b].needed(), was[*b].runs);
    changes.push_back(std::move(c));
  };
  for (const Way& way : kWays) {
    std::unordered_map<std::string, std::vector<std::size_t>> open;  // last first
    for (std::size_t n = was.inTextOrder().size(); n-- > 0;) {
      const std::size_t k = was.inTextOrder()[n];
      if (was.taken(k)) continue;
      if (std::string key = was.keyOf(k, way); !key.empty()) open[std::move(key)].push_back(k);
    }
    for (const std::size_t k : is.inTextOrder()) {
      if (is.taken(k)) continue;
      const auto found = open.find(is.keyOf(k, way));
      if (found == open.end() || found->second.empty()) continue;
      const std::size_t other = found->second.back();
      found->second.pop_back();
      was.take(other);
      is.take(k);
      add(other, k, way.by);
    }
  }
  for (const std::size_t k : was.inTextOrder())
    if (!was.taken(k)) add(k, std::nullopt, "");
  for (const std::size_t k : is.inTextOrder())
    if (!is.taken(k)) add(std::nullopt, k, "");
  std::ranges::stable_sort(
      changes, [](const KernelChange& a, const KernelChange& b) { return std::abs(a.asked) > std::abs(b.asked); });
  return changes;
}

}  // namespace tessera::hlo
