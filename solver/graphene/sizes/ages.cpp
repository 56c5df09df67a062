#include "solver/graphene/sizes/ages.h"

#include "core/base/work.h"

namespace tessera::graphene {

void Opaque::insert(const Terms& terms, Terms::Value v) {
  const Terms::Node& n = terms.node(v);
  values.insert(v);
  if (n.same != Terms::undefined()) values.insert(n.same);
  if (n.kind != Terms::Kind::Sum || n.left() == 0) return;
  const Terms::Node& base = terms.node(n.a);
  const bool zero = base.kind == Terms::Kind::Constant && base.number == 0;
  sums.emplace(std::array{zero ? kAnyBase : n.a, n.left(), n.right()}, v);
  if (n.left() >= lefts.size()) lefts.resize(std::size_t{n.left()} + 1);
  lefts[n.left()] = true;
}

SumParts::SumParts(const Terms& terms, const Terms::Node& sum, const Opaque& opaque) {
  Dots::List left = sum.left(), right = sum.right();
  const auto isOver = [&](Terms::Value base) {
    const auto at = opaque.sums.find({base, left, right});
    if (at != opaque.sums.end()) over = at->second;
    return at != opaque.sums.end();
  };
  for (; left != 0; left = terms.dots().beforeOf(left), right = terms.dots().beforeOf(right)) {
    const bool known = left < opaque.lefts.size() && opaque.lefts[left];
    if (known && isOver(sum.a)) return;
    if (known && isOver(Opaque::kAnyBase)) break;
    rows.emplace_back(terms.dots().lastOf(left), terms.dots().lastOf(right));
  }
  values.push_back(sum.a);
}

Age Ages::of(Terms::Value v) {
  std::vector<Terms::Value> open{v};
  while (!open.empty()) {
    const Terms::Value x = open.back();
    open.pop_back();
    if (values_.at(x)) continue;
    spend(1);
    const Terms::Node& n = terms_.node(x);
    if (n.kind == Terms::Kind::Input) {
      values_.set(x, input_(n));
      continue;
    }
    Age age = Age::Neither;
    bool all = true;
    const auto part = [&](Terms::Value p) {
      const auto known = values_.at(p);
      if (known) age = both(age, *known);
      if (!known && all) open.push_back(x);  // again, after its parts
      if (!known) open.push_back(p);
      all = all && known;
    };
    const auto row = [&](Dots::Row r) {
      if (const auto known = rows_.at(r)) {
        age = both(age, *known);
        return;
      }
      const Age before = std::exchange(age, Age::Neither);
      bool whole = true;
      for (const Terms::Value p : terms_.dots().valuesOf(r)) {
        whole = whole && values_.at(p).has_value();
        part(p);
      }
      if (whole) rows_.set(r, age);
      age = both(before, age);
    };
    if (n.kind == Terms::Kind::Sum && n.left() != 0) {
      const SumParts parts(terms_, n, over_);
      for (const Terms::Value p : parts.values) part(p);
      for (const auto& [a, b] : parts.rows) {
        row(a);
        row(b);
      }
    } else {
      eachPart(terms_, x, part);
    }
    if (all) values_.set(x, age);
  }
  return *values_.at(v);
}

}  // namespace tessera::graphene
