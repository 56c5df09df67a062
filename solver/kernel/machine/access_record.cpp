#include "solver/kernel/machine/access_record.h"

#include <algorithm>

#include "solver/kernel/machine/memories.h"

namespace tessera::kernel {

using ptx::Space;

std::optional<u64> AccessRecord::moved(const Addresses& a, const Addresses& b) {
  const auto by = [&](std::size_t l) { return static_cast<u64>(a[l]) - static_cast<u64>(b[l]); };
  std::size_t first = 0;
  while (first < kLanes && a[first] == kInactive) ++first;
  if (first == kLanes || b[first] == kInactive) return std::nullopt;
  const u64 all = by(first);
  bool other = false;
  for (std::size_t l = 0; l < kLanes; ++l)
    other |= (a[l] == kInactive) != (b[l] == kInactive) || (by(l) != all && a[l] != kInactive);
  return other ? std::nullopt : std::optional(all);
}

void AccessRecord::keep(OfStep& s, Sample sample, const Addresses& addresses) {
  const auto by = s.patterns.empty() ? std::nullopt : moved(addresses, s.patterns.back());
  if (!by) s.patterns.push_back(addresses);
  sample.pattern = static_cast<std::uint32_t>(s.patterns.size() - 1);
  sample.moved = by.value_or(0);
  s.samples.push_back(sample);
}

void AccessRecord::add(int step, const Block& block, const Warp& w, Space space, const AtlasAccess& access,
                       const std::array<i64, kLanes>& addresses, int argument) {
  OfStep& s = steps_[static_cast<std::size_t>(step)];
  Mask lanes = 0;
  for (int l = 0; l < kLanes; ++l) lanes |= static_cast<Mask>(addresses[l] != kInactive) << l;
  if (lanes == 0) return;
  const i64 active = __builtin_popcount(lanes);
  Last& last = s.last[access.space == MemorySpace::Shared ? 1 : 0];
  const auto by = last.width == access.width ? moved(addresses, last.addresses) : std::nullopt;
  const bool known = by && *by % 128 == 0;
  if (!known) {
    WarpAccess request;
    static_cast<AtlasAccess&>(request) = access;
    request.addresses = addresses;
    last = {addresses, access.width, {}};
    for (const i64 a : addresses) {
      if (a == kInactive) continue;
      last.lowest = std::min(last.lowest, a);
      last.highest = std::max(last.highest, a);
    }
    graphene::count(last.cost, request);
  }
  s.counts += last.cost;
  if (space == Space::Global && program_.steps[static_cast<std::size_t>(step)].space == Space::Shared) return;
  ++s.counts.executions;
  s.counts.lanes += active;
  const bool first = !s.used;
  s.used = true;
  if (first) s.lanes = lanes;
  s.line.sameLanes = s.line.sameLanes && s.lanes == lanes;
  s.line.space = space;
  s.line.width = access.width;
  s.line.store = access.direction == AccessDirection::Write;
  s.line.bytes += active * access.width;
  const i64 movedBy = known ? static_cast<i64>(*by) : 0;
  s.line.range.lowest = std::min(s.line.range.lowest, last.lowest + movedBy);
  s.line.range.highest = std::max(s.line.range.highest, last.highest + movedBy);
  s.line.argument = first || s.line.argument == argument ? argument : -1;
  constexpr std::size_t kSamples = 256;
  if (s.samples.size() < kSamples)
    keep(s, {block.index, w.index, static_cast<std::uint32_t>(s.counts.executions - 1), 0, 0}, addresses);
}

void AccessRecord::add(int step, WholeAccess access) {
  OfStep& s = steps_[static_cast<std::size_t>(step)];
  s.used = true;
  ++s.counts.executions;
  s.line.space = access.space;
  s.line.store = access.store;
  s.line.width = static_cast<int>(access.bytes);
  s.line.bytes += access.bytes;
  s.line.sameLanes = false;
  std::sort(access.sectors.begin(), access.sectors.end());
  s.counts.sectors += std::unique(access.sectors.begin(), access.sectors.end()) - access.sectors.begin();
  s.counts.idealSectors += (access.moved + 31) / 32;
}

std::vector<AccessLine> AccessRecord::takeLines() {
  std::vector<AccessLine> out;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (!steps_[k].used) continue;
    AccessLine line = std::move(steps_[k].line);
    line.samples.reserve(steps_[k].samples.size());
    for (const Sample& from : steps_[k].samples) {
      AccessLine::Sample sample{from.block, from.warp, from.visit, {}};
      const Addresses& addresses = steps_[k].patterns[from.pattern];
      for (std::size_t l = 0; l < kLanes; ++l)
        sample.at[l] = addresses[l] == kInactive ? -1 : static_cast<i64>(static_cast<u64>(addresses[l]) + from.moved);
      line.samples.push_back(sample);
    }
    steps_[k].samples = {};
    const ptx::Instruction& source = *program_.steps[k].source;
    if (line.space == Space::Shared && line.range.lowest <= line.range.highest) {
      const auto [name, offset] = program_.sharedVariableAt(line.range.lowest);
      if (program_.sharedVariableAt(line.range.highest + line.width - 1).second == offset) {
        line.range.variable = readableName(name);
        line.range.variableAt = offset;
      }
    }
    line.step = static_cast<int>(k);
    line.line = source.line;
    line.location = source.location;
    line.op = source.opcode.text;
    line.warps = steps_[k].counts.executions;
    line.wavefronts = steps_[k].counts.wavefronts;
    line.ideal = steps_[k].counts.idealWavefronts;
    line.sectors = steps_[k].counts.sectors;
    line.idealSectors = steps_[k].counts.idealSectors;
    out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(), [](const AccessLine& a, const AccessLine& b) { return a.line < b.line; });
  return out;
}

}  // namespace tessera::kernel
