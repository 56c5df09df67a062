#include "render/draw/graphene/use.h"

#include <array>
#include <map>

#include "core/atlas/atlas.h"

namespace tessera::graphene {

int Use::wavefronts() const {
  int sum = 0;
  for (const WarpUse& w : warps) sum += w.shared ? w.shared->report.wavefronts : 0;
  return sum;
}
int Use::ideal() const {
  int sum = 0;
  for (const WarpUse& w : warps) sum += w.shared ? w.shared->report.ideal : 0;
  return sum;
}

Use useOf(const Moment& m) {
  Use use;
  if (m.row == nullptr || !m.row->atom || !m.row->atom->access || m.row->atom->accessOperand < 0) return use;
  const AtlasAccess& access = *m.row->atom->access;
  const auto o = static_cast<std::size_t>(m.row->atom->accessOperand);
  const Spec& spec = *m.row->spec;
  if (o >= spec.outputs.size() + spec.inputs.size()) return use;
  const Tensor& tensor = operandOf(spec, o);
  const auto bits = elementBits(tensor.element);
  if (!bits) return use;
  use.operand = static_cast<int>(o);
  use.shared = access.space == MemorySpace::Shared;
  std::map<i64, std::vector<std::optional<i64>>> lanes;
  for (const Touch& t : m.touches) {
    if (t.operand != o || t.slot != 0) continue;
    auto& warp = lanes[t.thread / kWarpLanes];
    warp.resize(kWarpLanes);
    const i64 lane = t.thread % kWarpLanes;
    if (access.matrices == 0 || lane < access.phases.active())
      warp[static_cast<std::size_t>(lane)] = t.at.address * *bits / 8;
  }
  const auto take = [&use](auto counted, auto& into) {
    if (counted)
      into = *std::move(counted);
    else
      use.fault = counted.error().message;
    return into.has_value();
  };
  const auto banksOf = [&access](const std::vector<std::optional<i64>>& at) -> Result<BankAccess> {
    TESSERA_TRY(const WarpAccess made, warpAccess(access, at));
    return bankAccess(made);
  };
  for (const auto& [warp, addresses] : lanes) {
    WarpUse one;
    one.warp = warp;
    if (!(use.shared ? take(banksOf(addresses), one.shared) : take(sectorReport(addresses, access.width), one.global)))
      continue;
    use.warps.push_back(std::move(one));
  }
  return use;
}

}  // namespace tessera::graphene
