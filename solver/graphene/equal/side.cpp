#include "solver/graphene/equal/side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/arith.h"
#include "solver/kernel/symbolic/value_terms.h"

namespace tessera::graphene {
namespace {

const NumberFormat kDouble{64, 53, -1022, 1023};
constexpr i64 kMostPortElements = i64{1} << 23;  // over all ports of a side

// The index of an element in row-major order of the declared dimensions, which are `extents`.
i64 rowMajorOf(const measure::Operand& o, i64 element, const std::vector<i64>& extents) {
  const std::vector<i64> at = o.coordinate(element);
  i64 out = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) out = out * extents[d] + at[d];
  return o.copyOf(element) * (o.elements / o.copies) + out;
}

// What the kernels do with each root, in order.
void addUses(const Plan& plan, int root, Port& port) {
  for (const int k : plan.kernels) {
    const PlanSpec& kernel = plan.specs[k];
    bool reads = false, writes = false;
    for (std::size_t o = 0; o < kernel.operands.size(); ++o) {
      if (kernel.operands[o].root != root) continue;
      const bool out = o < static_cast<std::size_t>(kernel.outputs);
      writes = writes || out;
      reads = reads || !out || kernel.spec->kind == SpecKind::MatMul;
    }
    if (reads && port.output) port.passed = true;
    if (reads && !port.output) port.input = true;
    if (writes) {
      port.output = true;
      port.passed = false;
    }
  }
}

}  // namespace

double constantMeant(double value) {
  const auto single = static_cast<float>(value);
  const double meant = kernel::meantBy(single);
  return meant == static_cast<double>(single) ? value : meant;
}

std::string Port::shapeText() const {
  const std::string one = fmt::format("[{}].{}", fmt::join(extents, ","), element);
  return copies == 1 ? one : fmt::format("{} in {} copies", one, copies);
}

std::vector<i64> Port::coordinateOf(i64 e) const {
  std::vector<i64> out(extents.size(), 0);
  i64 left = e % std::max<i64>(elements / copies, 1);
  for (std::size_t d = extents.size(); d-- > 0;) {
    out[d] = left % extents[d];
    left /= extents[d];
  }
  return out;
}

std::string Port::elementText(i64 e) const {
  const std::string at = fmt::format("%{}[{}]", name, fmt::join(coordinateOf(e), ","));
  return copies == 1 ? at : fmt::format("{} of copy {}", at, e / (elements / copies));
}

const Port* Side::port(std::string_view name) const {
  const auto found = std::ranges::find_if(ports_, [&](const Port& p) { return p.name == name; });
  return found == ports_.end() ? nullptr : &*found;
}

i64 Side::elements() const {
  i64 out = 0;
  for (const Port& p : ports_) out += p.elements;
  return out;
}

Result<Side> Side::of(std::string name, std::shared_ptr<const Program> program, const std::string& architecture) {
  Side out;
  out.name_ = std::move(name);
  out.program_ = std::move(program);
  TESSERA_TRY(Plan plan, makePlan(*out.program_, {{}, architecture}));
  if (plan.kernels.empty()) return Diag{out.name_ + " has no kernel", "a program with a specification"};
  TESSERA_TRY(const std::vector<measure::Operand> operands,
              measure::operandsOf(*out.program_, {}, plan.blocks, plan.threads));
  i64 all = 0;
  for (const measure::Operand& o : operands) all += o.elements;
  if (all > kMostPortElements)
    return Diag{fmt::format("{} has {} elements, too many to run it", out.name_, all),
                fmt::format("at most {}", kMostPortElements), "smaller sizes"};
  for (std::size_t r = 0; r < plan.roots.size(); ++r) {
    if (!plan.roots[r].operand) continue;
    const auto o = std::ranges::find(operands, plan.roots[r].tensor.name, &measure::Operand::name);
    if (o == operands.end() || o->elements < 1) continue;
    Port port{o->name, o->element, o->type, o->extents(), o->copies, o->elements};
    i64 volume = 1;
    for (const i64 extent : port.extents)
      if (volume <= port.elements) volume *= std::max<i64>(extent, 0);
    // Not a box (a tile of another size beside the rest): slots in order.
    const bool box = volume * port.copies == port.elements;
    if (!box) port.extents = {port.elements / port.copies};
    addUses(plan, static_cast<int>(r), port);
    Place place{static_cast<int>(r), std::vector<measure::PlaceOfElement>(static_cast<std::size_t>(o->elements))};
    std::unordered_map<i64, i64> first;
    spend(o->elements / 4 + 1);
    for (i64 e = 0; e < o->elements; ++e) {
      const i64 at = box ? rowMajorOf(*o, e, port.extents) : e;
      if (at < 0 || at >= o->elements) return Diag{fmt::format("%{} has elements outside its shape", o->name)};
      place.at[static_cast<std::size_t>(at)] = measure::placeOf(plan, plan.roots[r], *o, e);
    }
    bool shared = false;
    port.alias.resize(static_cast<std::size_t>(o->elements));
    for (i64 e = 0; e < o->elements; ++e) {
      const measure::PlaceOfElement& at = place.at[static_cast<std::size_t>(e)];
      const auto [known, fresh] = first.try_emplace(placeIn(plan, plan.roots[r], at.block, at.thread, at.address), e);
      port.alias[static_cast<std::size_t>(e)] = known->second;
      shared = shared || !fresh;
    }
    if (!shared) port.alias.clear();
    out.ports_.push_back(std::move(port));
    out.places_.push_back(std::move(place));
  }
  Plan exact = plan;
  for (Root& root : exact.roots)
    if (root.type.precision > 0) root.type = kDouble;
  for (PlanLeaf& leaf : exact.leaves) leaf.constant = constantMeant(leaf.constant);
  out.plan_ = std::make_shared<const Plan>(std::move(plan));
  out.exact_ = std::make_shared<const Plan>(std::move(exact));
  return out;
}

}  // namespace tessera::graphene
