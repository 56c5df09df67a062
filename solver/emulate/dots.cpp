#include "solver/emulate/dots.h"

#include <algorithm>

namespace tessera::graphene {

Dots::Row Dots::row(std::span<const Value> values) {
  u64 h = values.size();
  for (const Value v : values) h = (h ^ v) * 0xff51afd7ed558ccdu, h ^= h >> 32;
  const auto same = [&](Row id) { return std::ranges::equal(valuesOf(id), values); };
  if (const auto found = rowOf_.find(h, same)) return *found;
  const auto id = static_cast<Row>(rows_.size());
  rows_.push_back({values_.size(), static_cast<std::uint32_t>(values.size())});
  values_.insert(values_.end(), values.begin(), values.end());
  for (const Value v : values) factors_.push_back(factor(v));
  rowOf_.insert(h, id);
  return id;
}

Dots::List Dots::extended(List list, Row row) {
  if (rows_[row].count == 0) return list;
  const u64 h = splitMix(u64{list} << 32 | row);
  const auto same = [&](List id) { return lists_[id].before == list && lists_[id].last == row; };
  if (const auto found = listOf_.find(h, same)) return *found;
  const auto id = static_cast<List>(lists_.size());
  lists_.push_back({list, row, lists_[list].count + rows_[row].count});
  listOf_.insert(h, id);
  return id;
}

std::vector<Dots::Value> Dots::flat(List list) const {
  std::vector<Value> out(lists_[list].count);
  for (; list != 0; list = lists_[list].before) {
    const std::span<const Value> last = valuesOf(lists_[list].last);
    std::ranges::copy(last, out.begin() + lists_[list].count - static_cast<std::ptrdiff_t>(last.size()));
  }
  return out;
}

bool Dots::permuted(List a, List b, List c, List d) {
  if (a == c && b == d) return true;
  if (lists_[a].count != lists_[c].count) return false;
  const Permutation first = permutation(a, c);
  return first != kNone && first == permutation(b, d);
}

// The place in `to` of each value of `from`.
Dots::Permutation Dots::permutation(List from, List to) {
  const auto [at, fresh] = known_.try_emplace(u64{from} << 32 | to, kNone);
  if (fresh) at->second = searched(from, to);
  return at->second;
}

Dots::Permutation Dots::searched(List from, List to) {
  const auto placesOf = [&](List list) {
    const std::vector<Value> values = flat(list);
    std::vector<std::pair<Value, std::uint32_t>> out;
    for (std::size_t k = 0; k < values.size(); ++k) out.emplace_back(values[k], static_cast<std::uint32_t>(k));
    std::ranges::sort(out);
    return out;
  };
  const auto here = placesOf(from), there = placesOf(to);
  std::vector<std::uint32_t> places(here.size());
  bool identity = true;
  u64 h = 3;
  for (std::size_t k = 0; k < here.size(); ++k) {
    if (here[k].first != there[k].first || (k > 0 && here[k - 1].first == here[k].first)) return kNone;
    places[here[k].second] = there[k].second;
    identity = identity && here[k].second == there[k].second;
  }
  if (identity) return kIdentity;
  for (const std::uint32_t place : places) h = splitMix(h ^ place);
  const auto same = [&](Permutation id) { return permutations_[id - kIdentity - 1] == places; };
  if (const auto found = permutationOf_.find(h, same)) return *found;
  permutations_.push_back(std::move(places));
  const auto id = static_cast<Permutation>(permutations_.size() + kIdentity);
  permutationOf_.insert(h, id);
  return id;
}

}  // namespace tessera::graphene
