#include "solver/measure/predict/shared_access.h"

#include <fmt/format.h>

#include <numeric>

#include "core/analysis/access/access_map.h"
#include "core/base/arith.h"
#include "core/codegen/index/index_function.h"
#include "core/expr/simplify.h"
#include "core/notation/cute/notation.h"
#include "solver/emulate/machine.h"

namespace tessera::measure {
namespace {

constexpr i64 kRow = i64{kBanks} * kBankBytes;
constexpr std::size_t kMostPatterns = 4096;

// Name of an access in which each lane moves its own bytes: ld.shared.v4.
std::string plainName(const AtlasAccess& access) {
  const char* const verb = access.direction == AccessDirection::Read ? "ld" : "st";
  return access.width < 4 ? fmt::format("{}.shared.u{}", verb, 8 * access.width)
                          : fmt::format("{}.shared.v{}", verb, access.width / 4);
}

// The distinct patterns of one access.
class Patterns {
 public:
  // Returns false if the pattern is known (its count then increases) or if there are too many.
  bool add(WarpAccess warp, SharedAccess& to) {
    i64 least = kInactive;
    for (const i64 a : warp.addresses)
      if (a != kInactive && (least == kInactive || a < least)) least = a;
    if (least == kInactive) return false;
    const i64 base = floorDiv(least, kRow) * kRow;
    for (i64& a : warp.addresses)
      if (a != kInactive) a -= base;
    if (const auto known = known_.find(warp.addresses); known != known_.end()) {
      ++to.patterns[known->second].times;
      return false;
    }
    const auto report = bankReport(warp);
    if (!report) return false;  // misaligned: the emulator has reported it
    const AccessPattern made{{}, warp, base, 1, report->wavefronts, report->ideal, best(*report)};
    if (known_.size() >= kMostPatterns)
      for (AccessPattern& p : to.patterns)
        if (p.wavefronts == made.wavefronts && p.ideal == made.ideal && p.merged == made.merged)
          return ++p.times, false;
    known_[warp.addresses] = to.patterns.size();
    to.patterns.push_back(made);
    return true;
  }

 private:
  static std::optional<int> best(const BankReport& report) {
    if (!report.mergedPhases) return std::nullopt;
    const int sum = std::accumulate(report.mergedPhases->begin(), report.mergedPhases->end(), 0);
    return sum == report.wavefronts ? std::nullopt : std::optional(sum);
  }
  std::map<std::array<i64, kWarpLanes>, std::size_t> known_;  // by addresses
};

// Sets the box of all observed values, and whether the formula gives all addresses.
void checkFormula(SharedAccess& access, const std::vector<i64>& most) {
  access.box.digits.assign(access.names.size(), {0, 0});
  for (std::size_t k = 0; k < most.size(); ++k) access.box.digits[k].hi = most[k];
  for (const AccessPattern& p : access.patterns)
    for (std::size_t k = 0; k < p.values.size(); ++k) {
      Range& r = access.box.digits[k];
      r.lo = std::min(r.lo, p.values[k]);
      r.hi = std::max(r.hi, p.values[k] + (k == 0 ? kWarpLanes - 1 : 0));
    }
  access.byte = simplified(access.byte, access.box);
  access.formula = factsOf(access.byte, access.box).fits;
  for (const AccessPattern& p : access.patterns) {
    std::vector<i64> at = p.values;
    for (int lane = 0; lane < kWarpLanes && access.formula; ++lane) {
      const i64 said = p.warp.addresses[lane];
      at[0] = p.values[0] + lane;
      if (said != kInactive) access.formula = evaluate(access.byte, at) == said + p.base;
    }
  }
}

// ---- a program

using graphene::Plan;
using graphene::PlanLeaf;
using graphene::PlanOperand;

class Collector : public graphene::Observer {
 public:
  explicit Collector(const Plan& plan) : plan_(plan) {}
  [[nodiscard]] bool wants(int) const override { return false; }
  [[nodiscard]] bool wantsRequests() const override { return true; }
  void requested(const graphene::WarpRequest& a) override {
    if (a.access.space != MemorySpace::Shared) return;
    const auto [at, fresh] = found_.try_emplace({a.leaf, a.operand, a.access.direction}, accesses_.size());
    if (fresh) begin(a);
    SharedAccess& access = accesses_[at->second];
    most_[at->second] = std::max(most_[at->second], a.block);
    if (!patterns_[at->second].add(a.access, access)) return;
    std::vector<i64>& values = access.patterns.back().values;
    values = {i64{kWarpLanes} * a.warp, a.block};
    values.insert(values.end(), a.loops.begin(), a.loops.end());
  }

  // In text order.
  std::vector<SharedAccess> take() {
    std::vector<SharedAccess> out;
    for (const auto& [key, at] : found_) {
      if (accesses_[at].patterns.empty()) continue;
      checkFormula(accesses_[at], {plan_.threads - 1, most_[at]});
      out.push_back(std::move(accesses_[at]));
    }
    return out;
  }

 private:
  void begin(const graphene::WarpRequest& a) {
    const PlanLeaf& leaf = plan_.leaves[a.leaf];
    const PlanOperand& operand = leaf.operands[a.operand];
    const graphene::Root& root = plan_.roots[operand.root];
    SharedAccess& made = accesses_.emplace_back();
    made.instruction = a.access.matrices > 0 || leaf.atom.async ? leaf.atom.name : plainName(a.access);
    made.operand = operand.name;
    const std::string text = graphene::print(root.tensor);
    const std::size_t colon = text.find(':');
    made.layout = colon == std::string::npos ? text : text.substr(colon + 1);
    made.span = leaf.span;
    made.kernel = kernelOf(leaf);
    made.names = {"thread", "block"};
    for (const graphene::PlanLoop& loop : plan_.loops)
      made.names.push_back(codegen::identifierLike(loop.name, made.names));
    made.byte = byteOf(operand, root);
    patterns_.emplace_back();
    most_.push_back(0);
  }

  // In a plan, digit 0 is the block and digit 1 the thread; here they are swapped.
  [[nodiscard]] Expr byteOf(const PlanOperand& operand, const graphene::Root& root) const {
    std::vector<Expr> digits = {Expr::digit(1), Expr::digit(0)};
    for (int k = 0; k < static_cast<int>(plan_.loops.size()); ++k) digits.push_back(Expr::digit(k + 2));
    const Expr at = substitute(plan_.columns[operand.offset].expression, digits) + operand.slots.addresses[0];
    return cute::swizzled(operand.swizzle, at) * std::max<i64>(1, root.type.bits / 8);
  }

  [[nodiscard]] int kernelOf(const PlanLeaf& leaf) const {
    const int outermost = leaf.parent < 0 ? -1 : plan_.specs[leaf.parent].kernel;
    const auto at = std::ranges::find(plan_.kernels, outermost);
    return at == plan_.kernels.end() ? 0 : static_cast<int>(at - plan_.kernels.begin());
  }

  const Plan& plan_;
  std::map<std::tuple<int, int, AccessDirection>, std::size_t> found_;
  std::vector<SharedAccess> accesses_;
  std::vector<Patterns> patterns_;
  std::vector<i64> most_;  // the highest block
};

// ---- a layout

// The digits of an AccessMap, with lane and phase computed from the thread's number.
std::vector<Expr> lanesOf(const LanePhases& phases, std::size_t digits) {
  const Expr thread = Expr::digit(0);
  const bool split = phases.count > 1;
  std::vector<Expr> out = {split ? mod(thread, phases.lanes) : thread,
                           split ? floorDiv(thread, phases.lanes) : Expr::constant(0)};
  for (std::size_t k = 2; k < digits; ++k) out.push_back(Expr::digit(static_cast<int>(k) - 1));
  return out;
}

// Digits of position k of accesses(): the other dimension is the outer one, the dimension of the lanes the inner one.
std::vector<i64> positionOf(const Map& lanes, std::size_t k) {
  const auto& digits = lanes.digits();
  const auto n = static_cast<i64>(k);
  if (digits.size() < 4) return {0, n};
  return {0, n % digits[2].extent, n / digits[2].extent};
}

Result<AccessSpec> sharedSide(const AccessSpec& spec) {
  if (spec.space == MemorySpace::Shared) return spec;
  if (spec.instruction.starts_with("cp.async")) return sideOf(spec, AccessDirection::Write, MemorySpace::Shared);
  return Diag{fmt::format("{} does not touch shared memory", spec.text),
              "ldmatrix, stmatrix, ld.shared, st.shared or cp.async"};
}

}  // namespace

Result<ProgramAccesses> accessesOf(const graphene::Program& program, const AccessOptions& options) {
  TESSERA_TRY(const Plan plan, graphene::makePlan(program, {options.sizes, options.architecture}));
  graphene::Numbers numbers;
  Collector collector(plan);
  graphene::Machine<graphene::Numbers> machine(
      plan, numbers, {.maxSteps = options.maxSteps, .observer = &collector, .cancel = options.cancel});
  machine.run();
  return ProgramAccesses{collector.take(), machine.stopped(), machine.steps()};
}

Result<SharedAccess> accessOver(const Tile& tile, const Map& map, int rowDigits, const AccessSpec& given) {
  TESSERA_TRY(const AccessSpec spec, sharedSide(given));
  TESSERA_TRY(const std::vector<TileAccess> all, accesses(tile, spec));
  if (all.empty()) return Diag{fmt::format("{} does not fit anywhere in {}", spec.text, tile.text()), "a larger tile"};
  SharedAccess out;
  const AtlasAccess& access = all.front().warp;
  out.instruction =
      access.matrices > 0 || spec.instruction.starts_with("cp.async") ? spec.instruction : plainName(access);
  out.layout = tile.text();
  out.names = {"thread"};
  const bool alongRow = tile.contiguousDimension() == 1;
  const auto lanes = accessMap(spec, tile.rows(), tile.columns(), alongRow, tile.elementBits());
  if (lanes) {
    const auto& digits = lanes->lanes.map.digits();
    for (std::size_t k = 2; k < digits.size(); ++k)
      out.names.push_back(codegen::identifierLike(digits[k].name, out.names));
    const auto& axes = lanes->lanes.map.axes();
    const Expr element = offsetAt(map, rowDigits, axes[0].value, axes[1].value);
    out.byte = floorDiv(substitute(element, lanesOf(access.phases, digits.size())) * i64{tile.elementBits()}, 8);
  }
  Patterns patterns;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!patterns.add(all[k].warp, out)) continue;
    out.patterns.back().values = lanes ? positionOf(lanes->lanes.map, k) : std::vector<i64>{0};
  }
  checkFormula(out, {});
  out.formula = out.formula && lanes.ok();
  return out;
}

}  // namespace tessera::measure
