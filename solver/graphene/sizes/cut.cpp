#include "solver/graphene/sizes/cut.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"

namespace tessera::graphene {

Cut::Cut(const Plan& plan, CutAt at) : plan_(plan), at_(std::move(at)) {
  regions_.assign(plan.leaves.size(), TextRegion::Before);
  std::size_t begin = plan.steps.size(), end = plan.steps.size();
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    if (step.code == PlanStep::Code::Loop && step.index == at_.loop) begin = s, end = step.target;
    if (step.code == PlanStep::Code::Leaf)
      regions_[step.index] = s < begin ? TextRegion::Before : s < end ? TextRegion::Inside : TextRegion::After;
  }
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
  if (t.block != 0 || regions_[t.leaf] == TextRegion::Before) return;
  const bool inside = regions_[t.leaf] == TextRegion::Inside;
  for (int c = 0; c < 2; ++c) {
    if (inside && t.iteration < at_.at + c * at_.steps) break;
    if (const auto late = lateFrom_.find(t.root); late != lateFrom_.end()) {
      auto& [dim, from] = late->second;
      if (c == 0) from = std::min(from, t.coordinate[dim]);
      continue;
    }
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

Cut::Age Cut::inputAge(const Terms::Node& input, int cut) const {
  const auto late = lateFrom_.find(input.operation);
  if (late == lateFrom_.end()) return Age::Neither;
  const auto [dim, from] = late->second;
  const i64* at = coordinate(input.operation, input.element);
  if (at == nullptr) return Age::Mixed;
  return at[dim] >= from + cut * at_.late.at(input.operation)[dim] ? Age::Late : Age::Early;
}

void Cut::Opaque::insert(const Terms& terms, Terms::Value v) {
  values.insert(v);
  const Terms::Node& n = terms.node(v);
  if (n.kind != Terms::Kind::Sum || n.left == 0) return;
  const Terms::Node& base = terms.node(n.a);
  const bool zero = base.kind == Terms::Kind::Constant && base.number == 0;
  sums.insert({zero ? kAnyBase : n.a, n.left, n.right});
}

namespace {

// The parts of a sum that is over an opaque one: the rows of factors after it.
struct SumParts {
  SumParts(const Terms& terms, const Terms::Node& n, const std::set<std::array<std::uint32_t, 3>>& sums) {
    Dots::List left = n.left, right = n.right;
    for (; left != 0; left = terms.dots().beforeOf(left), right = terms.dots().beforeOf(right)) {
      if (sums.contains({n.a, left, right})) return;
      if (sums.contains({Cut::kAnyBase, left, right})) break;
      rows.insert(rows.end(), {terms.dots().lastOf(left), terms.dots().lastOf(right)});
    }
    values.push_back(n.a);
  }
  std::vector<Terms::Value> values;
  std::vector<Dots::Row> rows;
};

}  // namespace

Cut::Age Cut::ageOf(const Terms& terms, Terms::Value v, int cut, const Opaque& over, Ages& known) const {
  auto& ages = known.values;
  auto& rows = known.rows;
  const auto both = [](Age a, Age b) { return a == b || b == Age::Neither ? a : a == Age::Neither ? b : Age::Mixed; };
  std::vector<Terms::Value> open{v};
  while (!open.empty()) {
    const Terms::Value x = open.back();
    open.pop_back();
    if (ages.contains(x)) continue;
    spend(1);
    const Terms::Node& n = terms.node(x);
    if (over.values.contains(x)) {
      ages[x] = Age::Neither;
      continue;
    }
    if (n.kind == Terms::Kind::Input) {
      ages[x] = inputAge(n, cut);
      continue;
    }
    Age age = Age::Neither;
    bool all = true;
    const auto part = [&](Terms::Value p) {
      const auto at = ages.find(p);
      if (at != ages.end()) age = both(age, at->second);
      if (at == ages.end() && all) open.push_back(x);  // again, after its parts
      if (at == ages.end()) open.push_back(p);
      all = all && at != ages.end();
    };
    if (n.kind == Terms::Kind::Sum && n.left != 0) {
      const SumParts parts(terms, n, over.sums);
      for (const Terms::Value p : parts.values) part(p);
      for (const Dots::Row row : parts.rows) {
        const auto at = rows.find(row);
        if (at != rows.end()) {
          age = both(age, at->second);
          continue;
        }
        const Age before = std::exchange(age, Age::Neither);
        bool whole = true;
        for (const Terms::Value p : terms.dots().valuesOf(row)) {
          whole = whole && ages.contains(p);
          part(p);
        }
        if (whole) rows[row] = age;
        age = both(before, age);
      }
    } else {
      eachPart(terms, x, part);
    }
    if (all) ages[x] = age;
  }
  return ages.at(v);
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
  Ages whole[2], beyond;
  std::unordered_map<Terms::Value, Terms::Value> next;
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
      if (a == b && ageOf(terms, a, 0, nothing, whole[0]) == Age::Neither) continue;
      const std::string name = "%" + root.tensor.name;
      if (a == Terms::undefined() || b == Terms::undefined()) {
        undefined_ = true;
        return fail(name + " may be read before it is written");
      }
      // Numbers are folded, so what becomes of one does not show.
      if (x.kind == Terms::Kind::Constant || y.kind == Terms::Kind::Constant)
        return fail(fmt::format("{} is another number at each step", name));
      for (int c = 0; c < 2; ++c) {
        const Age age = ageOf(terms, c == 0 ? a : b, c, nothing, whole[c]);
        if (age != Age::Early && age != Age::Neither)
          return fail(fmt::format("{} holds values of earlier and of later steps", name));
      }
      if (next.try_emplace(a, b).first->second != b)
        return fail(fmt::format("{} has equal values in two places that do not stay equal", name));
      carried_[0].insert(terms, a);
      carried_[1].insert(terms, b);
      carried.emplace_back(static_cast<int>(r), b);
    }
  for (const auto& [r, b] : carried) {
    const Age age = ageOf(terms, b, 0, carried_[0], beyond);
    if (age != Age::Late && age != Age::Neither)
      return fail(fmt::format("what %{} becomes is no function of what was held and of new inputs",
                              plan_.roots[r].tensor.name));
  }
}

void Cut::outputs(Terms& terms) {
  Ages beyond[2];
  for (const auto& [expected, actual] : pairs_) {
    if (!terms.equal(expected, actual))
      return fail("the values are equal by laws of real numbers, for which no invariant of the loop is known");
    for (int c = 0; c < 2; ++c) {
      const Age age = ageOf(terms, actual, c, carried_[c], beyond[c]);
      if (age != Age::Late && age != Age::Neither)
        return fail("a result uses an input of the first steps, not only what the loop carries");
    }
  }
}

void Cut::ended(Terms& terms) {
  if (others_) fail("the blocks are not shifts of the first");
  // Whether a conversion of an integer sum is exact depends on its length.
  for (const Root& root : plan_.roots)
    if (root.type.precision == 0) fail(fmt::format("%{} has integers, whose sums grow", root.tensor.name));
  if (!obstacle_.empty()) return;
  lateInputs(terms);
  held(terms);
  if (obstacle_.empty()) outputs(terms);
  for (auto& first : first_) first.clear();
}

}  // namespace tessera::graphene
