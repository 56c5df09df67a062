#include "render/draw/graphene/use.h"

#include <array>
#include <map>

#include "core/atlas/atlas.h"

namespace tessera::graphene {

int Use::wavefronts() const {
  int sum = 0;
  for (const WarpUse& w : warps) sum += w.banks.wavefronts;
  return sum;
}
int Use::ideal() const {
  int sum = 0;
  for (const WarpUse& w : warps) sum += w.banks.ideal;
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
  for (const auto& [warp, addresses] : lanes) {
    WarpUse one;
    one.warp = warp;
    if (use.shared) {
      const auto made = warpAccess(access, addresses);
      const auto report = made ? bankReport(*made) : Result<BankReport>(made.error());
      if (!report) {
        use.fault = report.error().message;
        continue;
      }
      one.shared = *made;
      one.banks = *report;
    } else {
      const auto report = sectorReport(addresses, access.width);
      if (!report) {
        use.fault = report.error().message;
        continue;
      }
      one.global = *report;
    }
    use.warps.push_back(std::move(one));
  }
  return use;
}

}  // namespace tessera::graphene
