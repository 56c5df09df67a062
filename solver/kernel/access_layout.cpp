#include "solver/kernel/access_layout.h"

#include <algorithm>
#include <map>

#include "core/notation/inverse.h"

namespace tessera::kernel {

std::optional<AccessTable> accessTable(const AccessLine& line) {
  if (line.samples.empty()) return std::nullopt;
  // Executions of each (block, warp), in order.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const AccessLine::Sample*>> by;
  for (const AccessLine::Sample& s : line.samples) {
    if (std::any_of(s.at.begin(), s.at.end(), [](i64 a) { return a < 0; })) return std::nullopt;
    by[{s.block, s.warp}].push_back(&s);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> warps;
  for (const auto& [key, samples] : by) warps[key.first].push_back(key.second);
  const auto& firstWarps = warps.begin()->second;
  std::size_t visits = by.begin()->second.size();
  // The record ends somewhere: whole blocks of it are used, or of the only block whole visits.
  const bool all = static_cast<i64>(line.samples.size()) == line.warps;
  if (!all) {
    if (warps.size() > 1) {
      warps.erase(std::prev(warps.end()));
    } else {
      for (const auto& [key, samples] : by) visits = std::min(visits, samples.size());
    }
  }
  for (const auto& [block, of] : warps) {
    if (of != firstWarps) return std::nullopt;
    for (const std::uint32_t w : of)
      if (by[{block, w}].size() < visits || (all && by[{block, w}].size() != visits)) return std::nullopt;
  }
  AccessTable out;
  i64 lowest = INT64_MAX;
  for (const auto& [block, of] : warps)
    for (std::size_t v = 0; v < visits; ++v)
      for (const std::uint32_t w : of)
        for (const i64 a : by[{block, w}][v]->at) {
          out.table.values.push_back(a);
          lowest = std::min(lowest, a);
        }
  for (i64& v : out.table.values) v -= lowest;
  out.offset = lowest;
  const std::pair<i64, const char*> modes[] = {{32, "lane"},
                                               {static_cast<i64>(firstWarps.size()), "warp"},
                                               {static_cast<i64>(visits), "visit"},
                                               {static_cast<i64>(warps.size()), "block"}};
  for (const auto& [extent, name] : modes)
    if (extent > 1) {
      out.table.extents.push_back(extent);
      out.modes.emplace_back(name);
    }
  return out;
}

std::string accessLayout(const AccessLine& line) {
  const auto table = accessTable(line);
  if (!table || static_cast<i64>(table->table.values.size()) > kMostTablePoints) return {};
  const TableForms found = formsOfTable(table->table);
  if (found.forms.empty()) return {};
  const auto layout = layoutOfForm(found.forms.front());
  return layout ? layout->text() : std::string();
}

}  // namespace tessera::kernel
