#include "solver/emulate/guards/boxes.h"

#include <algorithm>

namespace tessera::graphene {

Boxes::Boxes(const std::vector<i64>& most) {
  Row all;
  for (const i64 m : most) all.push_back({1, m});
  rows_.push_back(all);
  numbers_.emplace(std::move(all), kAll);
}

Boxes::Id Boxes::numberOf(Row row) {
  if (std::ranges::any_of(row, [](const Span& s) { return s.least > s.most; })) return kEmpty;
  const auto [at, fresh] = numbers_.try_emplace(row, static_cast<Id>(rows_.size()));
  if (fresh) rows_.push_back(std::move(row));
  return at->second;
}

Boxes::Id Boxes::narrowed(Id box, int size, Span span) {
  if (box == kEmpty) return kEmpty;
  Row row = rows_[box];
  row[size] = {std::max(row[size].least, span.least), std::min(row[size].most, span.most)};
  return numberOf(std::move(row));
}

template <class Combine>
Boxes::Id Boxes::combined(Id a, Id b, Combine combine) {
  Row row = rows_[a];
  for (std::size_t s = 0; s < row.size(); ++s) row[s] = combine(row[s], rows_[b][s]);
  return numberOf(std::move(row));
}

Boxes::Id Boxes::common(Id a, Id b) {
  if (a == b || b == kAll) return a;
  if (a == kAll) return b;
  if (a == kEmpty || b == kEmpty) return kEmpty;
  return combined(a, b, [](const Span& x, const Span& y) {
    return Span{std::max(x.least, y.least), std::min(x.most, y.most)};
  });
}

Boxes::Id Boxes::around(Id a, Id b) {
  if (a == b || b == kEmpty) return a;
  if (a == kEmpty) return b;
  if (a == kAll || b == kAll) return kAll;
  return combined(a, b, [](const Span& x, const Span& y) {
    return Span{std::min(x.least, y.least), std::max(x.most, y.most)};
  });
}

std::optional<Boxes::Id> Boxes::together(Id a, Id b) {
  if (contains(a, b)) return a;
  if (contains(b, a)) return b;
  // They differ in one size, where their spans meet.
  int apart = 0;
  for (std::size_t s = 0; s < sizes(); ++s) {
    const Span &x = rows_[a][s], &y = rows_[b][s];
    if (x == y) continue;
    ++apart;
    if (std::max(x.least, y.least) > std::min(x.most, y.most) + 1) return std::nullopt;
  }
  return apart == 1 ? std::optional(around(a, b)) : std::nullopt;
}

std::optional<Boxes::Id> Boxes::without(Id whole, Id part) {
  if (part == kEmpty) return whole;
  std::optional<Id> out;
  for (std::size_t s = 0; s < sizes(); ++s) {
    const Span x = rows_[whole][s], y = rows_[part][s];
    if (x == y) continue;
    if (out || (x.least != y.least && x.most != y.most)) return std::nullopt;
    const Span rest = x.least == y.least ? Span{y.most + 1, x.most} : Span{x.least, y.least - 1};
    out = narrowed(whole, static_cast<int>(s), rest);
  }
  return out.value_or(kEmpty);
}

}  // namespace tessera::graphene
