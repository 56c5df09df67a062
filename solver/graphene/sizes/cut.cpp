#include "solver/graphene/sizes/cut.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "solver/graphene/sizes/carried_sums.h"

namespace tessera::graphene {

Cut::Cut(const Plan& plan, CutAt at, const PlanRegions& regions) : plan_(plan), at_(std::move(at)), regions_(regions) {
  for (auto& first : first_) {
    first.resize(plan.roots.size());
    for (std::size_t r = 0; r < plan.roots.size(); ++r)
      if (plan.roots[r].memory != Memory::Global)
        first[r].resize(static_cast<std::size_t>(plan.roots[r].places * plan.roots[r].copies));
  }
  for (std::size_t r = 0; r < plan.roots.size(); ++r) {
    const Root& root = plan.roots[r];
    if (root.memory != Memory::Global) continue;
    const auto slots = slotsOf(root.tensor);
    if (!slots) {
      fail("the elements of a tensor cannot be listed");
      continue;
    }
    auto& all = coordinates_[static_cast<int>(r)];
    all.assign(static_cast<std::size_t>(root.places) * slots->dims, -1);
    for (std::size_t s = 0; s < slots->count; ++s)
      std::copy_n(slots->coordinates.begin() + static_cast<std::ptrdiff_t>(s * slots->dims), slots->dims,
                  all.begin() + static_cast<std::ptrdiff_t>(slots->addresses[s] * static_cast<i64>(slots->dims)));
  }
  for (const auto& [root, by] : at_.late) {
    const auto moved = std::ranges::count_if(by, [](i64 b) { return b != 0; });
    if (moved > 1) fail(fmt::format("%{} is shifted along two dimensions", plan.roots[root].tensor.name));
    if (moved != 1) continue;
    const auto d = std::ranges::find_if(by, [](i64 b) { return b != 0; }) - by.begin();
    lateFrom_[root] = {static_cast<std::size_t>(d), INT64_MAX};
  }
}

bool Cut::wants(int root) const {
  const Root& r = plan_.roots[root];
  return r.memory != Memory::Global || lateFrom_.contains(root);
}

void Cut::touch(const Touched& t) {
  others_ = others_ || t.block != 0;
  const TextRegion where = regions_.ofLeaf[t.leaf].where;
  if (t.block != 0 || where == TextRegion::Before) return;
  const bool inside = where == TextRegion::Inside;
  if (inside && t.iteration < at_.at) return;
  if (plan_.roots[t.root].memory == Memory::Global) {
    auto& [dim, from] = lateFrom_.at(t.root);
    from = std::min(from, t.coordinate[dim]);
    return;
  }
  for (int c = 0; c < 2; ++c) {
    if (inside && t.iteration < at_.at + c * at_.steps) break;
    auto& first = first_[c][t.root];
    const i64 place = placeIn(plan_, plan_.roots[t.root], t.block, t.thread, t.address);
    if (place < 0 || place >= std::ssize(first) || first[place].seen) continue;
    spend(1);
    const auto value = machine_->value(t.root, t.block, t.thread, t.address);
    first[place] = {value.value_or(Terms::undefined()), true, !t.write};
  }
}

const i64* Cut::coordinate(int root, i64 address) const {
  const auto at = coordinates_.find(root);
  if (at == coordinates_.end()) return nullptr;
  const std::size_t dims = plan_.roots[root].tensor.extents.size();
  const std::size_t from = static_cast<std::size_t>(address) * dims;
  return address < 0 || from + dims > at->second.size() ? nullptr : at->second.data() + from;
}

Age Cut::inputAge(const Terms::Node& input, int cut) const {
  const auto late = lateFrom_.find(input.operation);
  if (late == lateFrom_.end()) return Age::Neither;
  const auto [dim, from] = late->second;
  const i64* at = coordinate(input.operation, input.element);
  if (at == nullptr) return Age::Mixed;
  return at[dim] >= from + cut * at_.late.at(input.operation)[dim] ? Age::Late : Age::Early;
}

bool Cut::isMoved(const Terms::Node& a, const Terms::Node& b) const {
  if (a.operation != b.operation || a.copy != b.copy) return false;
  const i64 *from = coordinate(a.operation, a.element), *to = coordinate(b.operation, b.element);
  if (from == nullptr || to == nullptr) return a.element == b.element;
  const auto by = at_.late.find(a.operation);
  for (std::size_t d = 0; d < plan_.roots[a.operation].tensor.extents.size(); ++d)
    if (to[d] - from[d] != (by == at_.late.end() ? 0 : by->second[d])) return false;
  return true;
}

// Inputs that are held at the first cut are late, like those read after it.
void Cut::lateInputs(const Terms& terms) {
  for (const auto& places : first_[0])
    for (const First& f : places) {
      if (!f.read || terms.node(f.value).kind != Terms::Kind::Input) continue;
      const auto late = lateFrom_.find(terms.node(f.value).operation);
      if (late == lateFrom_.end()) continue;
      if (const i64* at = coordinate(late->first, terms.node(f.value).element))
        late->second.second = std::min(late->second.second, at[late->second.first]);
    }
}

void Cut::held(Terms& terms) {
  const Opaque nothing;
  Ages whole[2] = {{terms, ageAt(0), nothing}, {terms, ageAt(1), nothing}};
  std::vector<std::pair<int, Terms::Value>> carried;
  for (std::size_t r = 0; r < plan_.roots.size(); ++r)
    for (std::size_t p = 0; p < first_[0][r].size(); ++p) {
      const First& now = first_[0][r][p];
      if (!now.read) continue;
      const Root& root = plan_.roots[r];
      const i64 copy = static_cast<i64>(p) / root.places;
      const auto turns = at_.turning.find(static_cast<int>(r));
      const i64 place = static_cast<i64>(p) % root.places;
      const i64 address = turns == at_.turning.end() ? place : turns->second(place);
      if (address >= root.places) return fail(fmt::format("%{} has no stage to turn to", root.tensor.name));
      const First& later = first_[1][r][copy * root.places + address];
      const Terms::Value a = now.value;
      const Terms::Value b = later.seen
                                 ? later.value
                                 : machine_->value(static_cast<int>(r), 0, copy, address).value_or(Terms::undefined());
      const Terms::Node &x = terms.node(a), &y = terms.node(b);
      if (x.kind == Terms::Kind::Input && y.kind == Terms::Kind::Input && isMoved(x, y)) continue;
      if (a == b && whole[0].of(a) == Age::Neither) continue;
      const std::string name = "%" + root.tensor.name;
      if (a == Terms::undefined() || b == Terms::undefined()) {
        undefined_ = true;
        return fail(name + " may be read before it is written");
      }
      // Numbers are folded, also those that are sums, so what becomes of one does not show.
      const auto numberOf = [&](Terms::Value v, int c) -> std::optional<double> {
        if (whole[c].of(v) != Age::Neither) return std::nullopt;
        const Terms::Node& n = terms.node(terms.canonical(v));
        return n.kind == Terms::Kind::Constant ? std::optional(n.number) : std::nullopt;
      };
      const auto before = numberOf(a, 0), after = numberOf(b, 1);
      if (before && before == after) continue;
      if (before || after) return fail(fmt::format("{} is another number at each step", name));
      for (int c = 0; c < 2; ++c) {
        const Age age = whole[c].of(c == 0 ? a : b);
        if (age != Age::Early && age != Age::Neither)
          return fail(fmt::format("{} holds values of earlier and of later steps", name));
      }
      if (next_.try_emplace(a, b).first->second != b)
        return fail(fmt::format("{} has equal values in two places that do not stay equal", name));
      carried_[0].insert(terms, a);
      carried_[1].insert(terms, b);
      carried.emplace_back(static_cast<int>(r), b);
    }
  Ages beyond(terms, ageAt(0), carried_[0]);
  for (const auto& [r, b] : carried) {
    const Age age = beyond.of(b);
    if (age != Age::Late && age != Age::Neither)
      return fail(fmt::format("what %{} becomes is no function of what was held and of new inputs",
                              plan_.roots[r].tensor.name));
  }
}

void Cut::outputs(Terms& terms) {
  Ages beyond[2] = {{terms, ageAt(0), carried_[0]}, {terms, ageAt(1), carried_[1]}};
  std::optional<CarriedSums> sums;
  for (const auto& [expected, actual] : pairs_) {
    for (Ages& ages : beyond) {
      const Age age = ages.of(actual);
      if (age != Age::Late && age != Age::Neither)
        return fail("a result uses an input of the first steps, not only what the loop carries");
    }
    if (terms.equal(expected, actual)) {
      asTerms_ = true;
      continue;
    }
    if (!sums) sums.emplace(terms, next_, carried_[0], std::array{ageAt(0), ageAt(1)});
    if (std::string why = sums->ended(expected, actual); !why.empty()) return fail(std::move(why));
  }
}

void Cut::ended(Terms& terms) {
  if (others_) fail("the blocks are not shifts of the first");
  // Whether a conversion of an integer sum is exact depends on its length.
  for (const Root& root : plan_.roots)
    if (root.type.precision == 0 && root.barriers < 0)
      fail(fmt::format("%{} has integers, whose sums grow", root.tensor.name));
  if (!obstacle_.empty()) return;
  lateInputs(terms);
  held(terms);
  if (obstacle_.empty()) outputs(terms);
  for (auto& first : first_) first.clear();
}

}  // namespace tessera::graphene
