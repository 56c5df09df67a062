#include "render/draw/graphene/moment.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/atlas/atlas.h"

namespace tessera::graphene {
namespace {

constexpr std::size_t kMostTouches = 1 << 16;
constexpr i64 kRow = 32;  // wrap width of a one-dimensional tensor

u64 hashOf(std::string_view text) {
  u64 h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

// The first touch of one group, by (operand, lane).
using GroupTouches = std::map<std::pair<std::size_t, std::size_t>, std::size_t>;

class Maker {
 public:
  Maker(const Steps& steps, Moment& m) : steps_(steps), m_(m), spec_(*m.row->spec) {}

  void run(i64 focus) {
    std::size_t each = 0;
    for (std::size_t o = 0; o < spec_.outputs.size() + spec_.inputs.size(); ++o) {
      auto slots = steps_.slots(m_.step, o);
      slots_.push_back(slots ? *std::move(slots) : Slots());
      each += slots_.back().count();
    }
    const auto most = static_cast<i64>(kMostTouches / std::max<std::size_t>(each, 1));
    m_.whole = m_.threads <= most;
    const i64 from = m_.whole ? 0 : focus / 32 * 32, to = m_.whole ? m_.threads : std::min(m_.threads, from + 32);
    std::set<i64> grouped;
    for (i64 t = from; t < to; ++t) {
      const std::vector<i64> values = steps_.values(m_.step, m_.block, t);
      if (!steps_.enabled(m_.step, values)) continue;
      m_.executing.push_back(t);
      if (grouped.count(t) != 0) continue;
      const std::vector<i64> lanes = steps_.group(m_.step, values);
      grouped.insert(lanes.begin(), lanes.end());
      addGroup(lanes);
    }
  }

 private:
  void addGroup(const std::vector<i64>& lanes) {
    const std::size_t number = m_.groups.size();
    m_.groups.push_back(lanes);
    GroupTouches mine;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::vector<i64> values = steps_.values(m_.step, m_.block, lanes[lane]);
      if (!steps_.enabled(m_.step, values)) continue;
      for (std::size_t o = 0; o < slots_.size(); ++o) {
        if (lane > 0 && m_.row->atom && matrixOf(*m_.row->atom, o) != nullptr) continue;  // one per group
        mine[{o, lane}] = m_.touches.size();
        std::size_t slot = 0;
        for (Slot& at : slots_[o].at(values)) {
          m_.touches.push_back({o, o < spec_.outputs.size(), lanes[lane], slot, number, lane, std::move(at)});
          ++slot;
        }
      }
    }
    addMoves(mine, lanes.size());
  }

  // Index of the touch of slot `s` of the group; nullopt if that lane does not take part.
  [[nodiscard]] std::optional<std::size_t> touchOf(const GroupTouches& mine, std::size_t o, std::size_t s) const {
    if (o >= slots_.size() || slots_[o].count() == 0) return std::nullopt;
    const auto at = mine.find({o, s / slots_[o].count()});
    if (at == mine.end()) return std::nullopt;
    return at->second + s % slots_[o].count();
  }

  void addMoves(const GroupTouches& mine, std::size_t lanes) {
    const std::size_t out = spec_.outputs.size();
    if (out == 0 || m_.moves.size() > kMostTouches) return;
    if (!m_.row->atom) {  // without an atom the map is unknown, except for a Move
      for (std::size_t s = 0; spec_.kind == SpecKind::Move && s < lanes * slots_[0].count(); ++s) join(mine, out, s, s);
      return;
    }
    const Atom& atom = *m_.row->atom;
    for (std::size_t s = 0; s < atom.terms.size(); ++s) {
      for (const AtomTerm& term : atom.terms[s]) {
        if (m_.moves.size() > kMostTouches) return;
        join(mine, out, static_cast<std::size_t>(term.a), s);
        if (spec_.inputs.size() > 1) join(mine, out + 1, static_cast<std::size_t>(term.b), s);
      }
    }
  }
  void join(const GroupTouches& mine, std::size_t input, std::size_t from, std::size_t to) {
    const auto a = touchOf(mine, input, from), b = touchOf(mine, 0, to);
    if (a && b) m_.moves.emplace_back(*a, *b);
  }

  const Steps& steps_;
  Moment& m_;
  const Spec& spec_;
  std::vector<Slots> slots_;
};

}  // namespace

Moment momentOf(const Steps& steps, i64 n, i64 block, i64 focus) {
  Moment m;
  m.step = steps.at(n);
  m.block = block;
  m.threads = steps.threads(m.step.kernel);
  if (m.step.row >= 0) {
    m.row = &steps.tree().rows[static_cast<std::size_t>(m.step.row)];
    if (m.row->spec->kind != SpecKind::Allocate) Maker(steps, m).run(focus);
    return m;
  }
  for (i64 t = 0; t < std::min<i64>(m.threads, 1024); ++t)
    if (steps.enabled(m.step, steps.values(m.step, block, t))) m.executing.push_back(t);
  return m;
}

RootPlan planOf(const Steps& steps, int root, i64 threads) {
  RootPlan plan;
  plan.root = root;
  plan.tensor = std::make_shared<const Tensor>(*steps.tree().roots[static_cast<std::size_t>(root)].tensor);
  plan.extents = extentsOf(*plan.tensor, steps.sizes());
  plan.registers = plan.tensor->memory == Memory::Register;
  std::vector<i64> named = plan.extents;
  named.push_back(static_cast<i64>(hashOf(nameOf(*plan.tensor)) >> 1));
  plan.domain = pointDomain(named);
  if (plan.registers) {
    plan.rows = threads;
    if (const auto slots = Slots::of(*plan.tensor, steps.sizes()))
      for (const i64 a : slots->addresses(steps.sizes())) plan.cols = std::max(plan.cols, a + 1);
    return plan;
  }
  if (plan.extents.size() == 1) {
    const i64 n = plan.extents[0];
    plan.cols = n <= 2 * kRow ? std::max<i64>(n, 1) : kRow;
    plan.rows = std::max<i64>((n + plan.cols - 1) / plan.cols, 1);
  } else if (!plan.extents.empty()) {
    plan.cols = std::max<i64>(plan.extents.back(), 1);
    for (std::size_t d = 0; d + 1 < plan.extents.size(); ++d) plan.rows *= std::max<i64>(plan.extents[d], 1);
  }
  return plan;
}

std::pair<i64, i64> RootPlan::cellOf(const Touch& t) const {
  return registers ? std::pair{t.thread, t.at.address} : cellOf(t.at.coordinate);
}

std::pair<i64, i64> RootPlan::cellOf(const std::vector<i64>& coordinate) const {
  if (coordinate.empty()) return {0, 0};
  for (std::size_t d = 0; d < coordinate.size() && d < extents.size(); ++d)
    if (coordinate[d] < 0 || coordinate[d] >= extents[d]) return {-1, -1};
  if (coordinate.size() == 1) return {coordinate[0] / cols, coordinate[0] % cols};
  i64 row = 0;
  for (std::size_t d = 0; d + 1 < coordinate.size(); ++d) row = row * extents[d] + coordinate[d];
  return {row, coordinate.back()};
}

std::vector<i64> RootPlan::coordinateOf(i64 row, i64 col) const {
  if (extents.empty()) return {};
  if (extents.size() == 1) return {row * cols + col};
  std::vector<i64> out(extents.size());
  out.back() = col;
  for (std::size_t d = extents.size() - 1; d-- > 0;) {
    out[d] = row % std::max<i64>(extents[d], 1);
    row /= std::max<i64>(extents[d], 1);
  }
  return out;
}

bool RootPlan::inside(i64 row, i64 col) const {
  if (row < 0 || col < 0 || row >= rows || col >= cols) return false;
  return registers || extents.size() != 1 || row * cols + col < extents[0];
}

Point RootPlan::point(i64 row, i64 col) const { return inside(row, col) ? Point{domain, row * cols + col} : Point{}; }

std::optional<std::pair<i64, i64>> RootPlan::cellOf(Point p) const {
  if (p.domain != domain || p.index < 0 || !inside(p.index / cols, p.index % cols)) return std::nullopt;
  return std::pair{p.index / cols, p.index % cols};
}

std::string typeOf(const Tensor& tensor, const Program& program) {
  Tensor bare = tensor;
  bare.holds = {};
  bare.symbols = namesOf(program.variables);
  const std::string text = print(bare);
  return text.substr(text.find(':') + 1);
}

std::pair<i64, i64> Use::cost() const {
  i64 all = 0, ideal = 0;
  for (const WarpUse& w : warps) {
    all += w.shared ? w.shared->report.wavefronts : w.global->sectors;
    ideal += w.shared ? w.shared->report.ideal : w.global->idealSectors;
  }
  return {all, ideal};
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
