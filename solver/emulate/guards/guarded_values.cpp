#include "solver/emulate/guards/guarded_values.h"

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/work_budget.h"

namespace tessera::graphene {

Boxes::Id GuardedValues::below(Boxes::Id box, const GuardedExtent& extent, i64 coordinate) {
  // coordinate < unit * size + more
  const i64 least = floorDiv(coordinate - extent.more, extent.unit) + 1;
  return boxes_.narrowed(box, extent.guard, {least, INT64_MAX});
}

Boxes::Id GuardedValues::inside(int root, i64 address) {
  const Root& r = plan_.roots[root];
  if (r.guarded.empty()) return Boxes::kAll;
  auto [at, fresh] = inside_.try_emplace(root);
  if (fresh) {
    at->second.assign(static_cast<std::size_t>(r.places), Boxes::kAll);
    if (const auto slots = slotsOf(r.tensor)) {
      spend(static_cast<i64>(slots->count));
      for (std::size_t s = 0; s < slots->count; ++s) {
        const i64 place = r.tensor.swizzle(slots->addresses[s]);
        if (place < 0 || place >= r.places) continue;
        for (std::size_t d = 0; d < slots->dims; ++d)
          if (r.guarded[d].guard >= 0)
            at->second[place] = below(at->second[place], r.guarded[d], slots->coordinates[s * slots->dims + d]);
      }
    }
  }
  return address < 0 || address >= std::ssize(at->second) ? Boxes::kAll : at->second[address];
}

GuardedValues::Value GuardedValues::size(int guard, i64 unit, i64 more) {
  std::vector<Terms::Product> all;
  const Value times = terms_.constant(static_cast<double>(unit));
  // size = 1 + [size > 1] + [size > 2] + ...
  for (i64 t = 1; t < plan_.guards[guard].most; ++t) all.emplace_back(above(guard, t), times);
  return terms_.add(terms_.constant(static_cast<double>(unit + more)), all);
}

Boxes::Id GuardedValues::support(Value v, int depth) {
  const auto known = supports_.find(v);
  if (known != supports_.end()) return known->second;
  if (depth > kMaxDepth) return Boxes::kAll;
  spend(1);
  const Boxes::Id box = supportOf(terms_.node(v), depth);
  supports_.emplace(v, box);
  return box;
}

Boxes::Id GuardedValues::supportOf(const Terms::Node& of, int depth) {
  const Terms::Node n = of;  // the nodes may move
  switch (n.kind) {
    case Terms::Kind::Constant:
      return n.number == 0 ? Boxes::kEmpty : Boxes::kAll;
    case Terms::Kind::Input:
      if (n.isGuard()) return boxes_.narrowed(Boxes::kAll, static_cast<int>(-2 - n.copy), {n.element + 1, INT64_MAX});
      return plan_.roots[n.operation].memory == Memory::Global ? inside(n.operation, n.element) : Boxes::kAll;
    case Terms::Kind::Unary: {
      const std::string& name = terms_.nameOf(n.operation);
      const bool keepsZero = name == "neg" || name == "relu" || name.find(' ') != std::string::npos;
      return keepsZero ? support(n.a, depth + 1) : Boxes::kAll;
    }
    case Terms::Kind::Binary:
      if (terms_.nameOf(n.operation) != "-") return Boxes::kAll;
      return boxes_.around(support(n.a, depth + 1), support(n.b, depth + 1));
    case Terms::Kind::Sum: {
      if (n.left() != 0 || n.count > kFew) return Boxes::kAll;
      Boxes::Id out = support(n.a, depth + 1);
      if (n.b != Terms::undefined()) out = boxes_.around(out, support(n.b, depth + 1));
      const std::span<const Terms::Product> products = terms_.productsOf(n);
      for (const auto& [x, y] : std::vector<Terms::Product>(products.begin(), products.end()))
        out = boxes_.around(out, boxes_.common(support(x, depth + 1), support(y, depth + 1)));
      return out;
    }
    case Terms::Kind::Set:
    case Terms::Kind::Undefined:
      break;
  }
  return Boxes::kAll;
}

std::optional<GuardedValues::Value> GuardedValues::times(Boxes::Id box, Value v) {
  if (v == Terms::undefined() || box == Boxes::kEmpty) return std::nullopt;
  if (boxes_.contains(box, support(v))) return v;
  for (std::size_t g = 0; g < boxes_.sizes(); ++g) {
    const Boxes::Span span = boxes_.of(box, static_cast<int>(g));
    if (span.most < plan_.guards[g].most) return std::nullopt;
    if (span.least > 1) v = terms_.binary(terms_.operation("*"), above(static_cast<int>(g), span.least - 1), v);
  }
  return v;
}

Boxes::Id GuardedValues::definedIn(const Write& write) {
  const Root& r = plan_.roots[write.root];
  if (r.memory == Memory::Global) return inside(write.root, write.place % r.places);
  if (write.before == Terms::undefined()) return Boxes::kEmpty;
  const auto found = partial_.find(keyOf(write.root, write.place));
  return found == partial_.end() || found->second.instance != write.instance ? Boxes::kAll : found->second.box;
}

bool GuardedValues::isDefined(int root, i64 place, std::uint32_t instance, Boxes::Id box) {
  if (plan_.roots[root].memory == Memory::Global) return true;  // O2
  const auto found = partial_.find(keyOf(root, place));
  return found == partial_.end() || found->second.instance != instance || boxes_.contains(found->second.box, box);
}

std::optional<GuardedValues::Value> GuardedValues::rest(Value v, Value part) {
  const Terms::Node n = terms_.node(v), p = terms_.node(part);
  if (n.kind != Terms::Kind::Sum || part == Terms::undefined()) return std::nullopt;
  std::vector<std::pair<Dots::Row, Dots::Row>> rows;
  const auto isOver = [&](Dots::List left, Dots::List right) {  // the lists of v are those and `rows`
    rows.clear();
    Dots::List x = n.left(), y = n.right();
    for (; x != left && x != 0; x = terms_.dots().beforeOf(x), y = terms_.dots().beforeOf(y))
      rows.emplace_back(terms_.dots().lastOf(x), terms_.dots().lastOf(y));
    std::ranges::reverse(rows);
    return x == left && y == right;
  };
  std::optional<Value> out;
  if (n.a == part && isOver(0, 0)) {
    out = n.b == Terms::undefined() ? terms_.constant(0) : n.b;
  } else if (n.b == part && isOver(0, 0)) {
    out = n.a;
  } else if (p.kind == Terms::Kind::Sum && p.count == 0 && p.left() != 0 && p.a == n.a && p.b == n.b && n.count == 0 &&
             isOver(p.left(), p.right())) {
    out = terms_.constant(0);
  } else {
    return std::nullopt;
  }
  const std::span<const Terms::Product> products = terms_.productsOf(n);
  if (!products.empty()) out = terms_.add(*out, std::vector<Terms::Product>(products.begin(), products.end()));
  for (const auto& [x, y] : rows) out = terms_.addRows(*out, x, y);
  return out;
}

std::optional<GuardedValues::Value> GuardedValues::merged(const Write& write, Boxes::Id old) {
  const auto plus = [&](Value x, std::optional<Value> y) {
    return y ? std::optional(terms_.binary(terms_.operation("+"), x, *y)) : std::nullopt;
  };
  if (boxes_.contains(old, write.box))
    if (const auto added = rest(write.value, write.before)) return plus(write.before, times(write.box, *added));
  if (boxes_.contains(write.box, boxes_.common(old, support(write.before)))) return times(write.box, write.value);
  if (!boxes_.disjoint(write.box, old)) return std::nullopt;
  const auto first = times(old, write.before);
  return first ? plus(*first, times(write.box, write.value)) : std::nullopt;
}

std::optional<GuardedValues::Value> GuardedValues::written(const Write& write) {
  const bool global = plan_.roots[write.root].memory == Memory::Global;
  const Boxes::Id old = definedIn(write);
  Boxes::Id now = write.box;
  Value value = write.value;
  if (!boxes_.contains(write.box, old)) {
    const auto both = boxes_.together(write.box, old);
    const auto all = both ? merged(write, old) : std::nullopt;
    if (all) value = *all, now = *both;
    if (!all && global) return std::nullopt;
  }
  if (now == Boxes::kAll || global)
    partial_.erase(keyOf(write.root, write.place));
  else
    partial_[keyOf(write.root, write.place)] = {write.instance, now};
  return value;
}

}  // namespace tessera::graphene
