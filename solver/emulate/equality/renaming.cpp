#include "solver/emulate/equality/renaming.h"

#include <algorithm>

#include "core/base/work.h"

namespace tessera::graphene {

bool Renaming::maps(const Pair& from, const Pair& to) {
  // The names kept for earlier pairs may be more than this pair needs.
  if (!walk(from, to)) return false;
  if (consistent()) return true;
  kept_.clear();
  keptLists_.clear();
  return walk(from, to) && consistent();
}

bool Renaming::walk(const Pair& from, const Pair& to) {
  image_.clear();
  source_.clear();
  renamed_.clear();
  open_.assign({{from.first, to.first}, {from.second, to.second}});
  while (!open_.empty()) {
    const auto [a, b] = open_.back();
    open_.pop_back();
    if (!match(a, b)) return false;
  }
  return true;
}

bool Renaming::match(Value from, Value to) {
  if (from == to) {
    keep(from);
    return true;
  }
  if (const Value known = image_.at(from); known != Terms::absent()) return known == to;
  spend(1);
  const Terms::Node &a = terms_.node(from), &b = terms_.node(to);
  if (a.kind != b.kind || a.operation != b.operation) return false;
  image_.set(from, to);
  switch (a.kind) {
    case Terms::Kind::Undefined:
    case Terms::Kind::Constant:  // equal ones are one node
      return false;
    case Terms::Kind::Input:
      if (source_.has(to)) return false;
      source_.set(to, from);
      renamed_.emplace_back(from, to);
      return true;
    case Terms::Kind::Unary:
      open_.emplace_back(a.a, b.a);
      return true;
    case Terms::Kind::Binary:
    case Terms::Kind::Set:
      open_.emplace_back(a.a, b.a);
      open_.emplace_back(a.b, b.b);
      return true;
    case Terms::Kind::Sum:
      if ((a.b == Terms::undefined()) != (b.b == Terms::undefined()) || a.count != b.count) return false;
      open_.emplace_back(a.a, b.a);
      if (a.b != Terms::undefined()) open_.emplace_back(a.b, b.b);
      return matchProducts(a, b) && matchLists(a.left(), b.left()) && matchLists(a.right(), b.right());
  }
  return false;
}

// The factors of a product are in the order of their numbers, which says nothing.
bool Renaming::matchProducts(const Terms::Node& a, const Terms::Node& b) {
  const std::span<const Terms::Product> from = terms_.productsOf(a), to = terms_.productsOf(b);
  spend(static_cast<i64>(from.size() / 4));
  for (std::size_t k = 0; k < from.size(); ++k) {
    auto [x, y] = to[k];
    if (!likely(from[k].first, x) || !likely(from[k].second, y)) std::swap(x, y);
    if (!match(from[k].first, x) || !match(from[k].second, y)) return false;
  }
  return true;
}

bool Renaming::matchLists(Dots::List from, Dots::List to) {
  if (from == to && keptLists_.has(from)) return true;
  const std::vector<Value> a = terms_.dots().flat(from), b = terms_.dots().flat(to);
  if (from == to) keptLists_.set(from, from);
  spend(static_cast<i64>(a.size() / 8));
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!match(a[k], b[k])) return false;
  return true;
}

bool Renaming::likely(Value from, Value to) const {
  if (from == to) return true;
  if (const Value known = image_.at(from); known != Terms::absent()) return known == to;
  const Terms::Node &a = terms_.node(from), &b = terms_.node(to);
  return a.kind == b.kind && a.operation == b.operation;
}

void Renaming::keep(Value shared) {
  if (kept_.has(shared)) return;
  const auto take = [&](Value x) {
    if (kept_.has(x)) return;
    kept_.set(x, x);
    below_.push_back(x);
  };
  take(shared);
  while (!below_.empty()) {
    const Value x = below_.back();
    below_.pop_back();
    spend(1);
    eachPart(terms_, x, take);
  }
}

bool Renaming::consistent() const {
  return std::ranges::all_of(renamed_, [&](const auto& r) { return !kept_.has(r.first) && !kept_.has(r.second); });
}

}  // namespace tessera::graphene
