// Banks, sectors and the search for a swizzle.
#include <fmt/format.h>

#include "app/library/layout/inside.h"
#include "core/analysis/access/tile.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/atlas/atlas.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"

namespace tessera::api {
namespace {

struct Asked {
  Tile tile;
  AccessSpec spec;
};

tessera::Result<Asked> asked(const Layout& layout, std::string_view access, std::string_view type, MemorySpace space) {
  TESSERA_TRY(AccessSpec spec, parseAccess(access));
  if (spec.space != space)
    return Diag{
        fmt::format("{} does not touch {} memory", spec.text, space == MemorySpace::Shared ? "shared" : "global"),
        space == MemorySpace::Shared ? "ldmatrix.x4, ld.shared.v4.b32 ..." : "ld.global.v4.b32 ..."};
  TESSERA_TRY(const int bits, elementBits(type));
  TESSERA_TRY(Tile tile, tileOf(Access::valueOf(layout), bits));
  return Asked{std::move(tile), std::move(spec)};
}

tessera::Result<BankReport> banksOf(const Layout& layout, std::string_view access, std::string_view type) {
  TESSERA_TRY(const Asked what, asked(layout, access, type, MemorySpace::Shared));
  TESSERA_TRY(const std::vector<TileAccess> list, accesses(what.tile, what.spec));
  const TileBankReport all = tessera::bankReport(list);
  BankReport out{all.instructions, all.wavefronts, all.ideal, all.excess, all.conflictDegree, {}, all.text};
  const TileAccess* worst = all.worst ? &*all.worst : list.empty() ? nullptr : &list.front();
  if (worst == nullptr) return out;
  TESSERA_TRY(tessera::BankReport one, tessera::bankReport(worst->warp));
  out.phases = std::move(one.phaseWavefronts);
  return out;
}

tessera::Result<BankReport> banksOf(const Numbers& addresses, int width, std::string_view kind) {
  if (addresses.size() > kWarpLanes)
    return Diag{fmt::format("a warp has 32 lanes, these are {} addresses", addresses.size())};
  const std::vector<std::optional<i64>> lanes(addresses.begin(), addresses.end());
  TESSERA_TRY(const WarpAccess access, warpAccess(kind, width, lanes));
  TESSERA_TRY(tessera::BankReport one, tessera::bankReport(access));
  BankReport out{1, one.wavefronts, one.ideal, one.excess, one.conflictDegree, std::move(one.phaseWavefronts), ""};
  if (const auto worst = out.excess > 0 ? worstConflict(access) : std::nullopt) out.conflict = worst->text;
  return out;
}

SwizzleChoice choiceOf(const SwizzleAnswer& answer) {
  const bool swizzled = answer.kind == SwizzleAnswer::Kind::Swizzled;
  tessera::Layout layout(answer.layout);
  if (swizzled)
    if (auto composed = cute::parseComposedLayout(answer.cute)) layout = tessera::Layout(*std::move(composed));
  return SwizzleChoice{
      Access::made(std::move(layout)), answer.padding, answer.bytes, answer.cuda, answer.tma, answer.triton};
}

tessera::Result<SwizzleSearch> searched(const Layout& layout, const std::vector<std::string>& names,
                                        std::string_view type, const Options& options) {
  std::vector<AccessSpec> specs;
  for (const std::string& name : names) {
    TESSERA_TRY(AccessSpec spec, parseAccess(name));
    if (spec.space == MemorySpace::Global)
      return Diag{fmt::format("{} does not touch shared memory", spec.text), "an access to shared memory"};
    specs.push_back(std::move(spec));
  }
  if (specs.empty()) return Diag{"no access is given", "ldmatrix.x4, cp.async16 ..."};
  TESSERA_TRY(const int bits, elementBits(type));
  const tessera::Layout& value = Access::valueOf(layout);
  TESSERA_CHECKED(memoryArrowOf(value));
  tessera::Result<cute::Layout> plain = plainCuteOf(value);
  if (!plain) {  // its own swizzle is replaced
    if (const auto swizzled = swizzledCuteOf(value)) plain = swizzled->inner();
  }
  if (!plain) return plain.error();
  SwizzleSearchOptions how;
  how.cancel = Access::flagOf(options);
  TESSERA_TRY(const tessera::SwizzleSearch found, tessera::findSwizzle(*plain, bits, specs, how));
  SwizzleSearch out;
  for (const SwizzleAnswer& a : found.swizzles) out.swizzles.push_back(choiceOf(a));
  for (const SwizzleAnswer& a : found.paddings) out.paddings.push_back(choiceOf(a));
  for (const SwizzleClash& c : found.clash) out.clash.push_back(c.text);
  out.candidates = found.candidates;
  return out;
}

}  // namespace

Result<BankReport> bankReport(const Layout& layout, std::string_view access, std::string_view type,
                              const Options& options) {
  return guarded<BankReport>(options, {}, [&] { return banksOf(layout, access, type); });
}

Result<BankReport> bankReport(const Numbers& addresses, int width, std::string_view kind) {
  return guarded<BankReport>({}, {}, [&] { return banksOf(addresses, width, kind); });
}

Result<SectorReport> sectorReport(const Layout& layout, std::string_view access, std::string_view type,
                                  const Options& options) {
  return guarded<SectorReport>(options, {}, [&]() -> tessera::Result<SectorReport> {
    TESSERA_TRY(const Asked what, asked(layout, access, type, MemorySpace::Global));
    TESSERA_TRY(const TileSectorReport report, tileSectors(what.tile, what.spec));
    return SectorReport{report.instructions, report.sectors, report.idealSectors, report.lines};
  });
}

Result<SwizzleSearch> findSwizzle(const Layout& layout, const std::vector<std::string>& names, std::string_view type,
                                  const Options& options) {
  return guarded<SwizzleSearch>(options, {}, [&] { return searched(layout, names, type, options); });
}

}  // namespace tessera::api
