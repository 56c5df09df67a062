#include "core/hlo/compose/fold_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fold_repeats.h"
#include "core/hlo/compose/structure.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kJoinedParts = 3;
constexpr int kFirstSlice = -3;       // and below: numbers of slices, among those of structures
constexpr std::size_t kLongest = 24;  // characters of the operations in a label; of elementwise ones
constexpr std::size_t kLongestLight = 19;

bool isWord(std::string_view text) {
  return !text.empty() && text.front() != '%' && text.back() != ',' &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c != '"' && c != '\'' && c != ';' && c != 0x7f; });
}

using Item = FoldItem;
using Items = std::vector<FoldItem>;

// What names a region best: products and calls, then what moves data between devices, then the rest.
int rankOf(std::string_view opcode) {
  constexpr std::array<std::string_view, 6> kFirst = {"dot",   "convolution", "custom-call",
                                                      "while", "conditional", "call"};
  if (std::ranges::find(kFirst, opcode) != kFirst.end()) return 0;
  if (opcode == "fusion") return 1;
  if (opcode.starts_with("all-") || opcode.starts_with("collective") || opcode.starts_with("reduce-scatter")) return 2;
  if (opcode.starts_with("reduce") || opcode == "sort" || opcode == "gather" || opcode == "scatter") return 3;
  return opcode == "parameter" || opcode == "reshape" || opcode == "copy" || opcode == "broadcast" ? 5 : 4;
}

class Tree {
 public:
  Tree(const FoldInput& in, const std::vector<FoldUnit>& units) : in_(in), units_(units), structures_(*in.module) {}

  Fold build(const std::vector<int>& parameters) {
    fold_.computation = in_.number;
    fold_.order = parameters;
    for (const FoldUnit& unit : units_) {
      start_.push_back(static_cast<int>(fold_.order.size()));
      fold_.order.insert(fold_.order.end(), unit.members.begin(), unit.members.end());
    }
    start_.push_back(static_cast<int>(fold_.order.size()));
    if (fold_.order.empty()) return std::move(fold_);
    number();
    if (fold_.order.size() == 1) {
      (void)oneOf(0);
      return std::move(fold_);
    }
    fold_.groups.emplace_back();
    std::vector<int> parts;
    if (!parameters.empty()) parts.push_back(parametersOf(static_cast<int>(parameters.size())));
    for (const Item& item : chunked(repeated(itemsOf(0, units_.size(), 0)))) parts.push_back(item.group);
    Group& root = fold_.groups.front();
    root.to = static_cast<int>(fold_.order.size());
    root.kind = Group::Kind::Region;
    root.label = "all";
    if (parts.size() == 1) {  // the last group
      parts = fold_.groups.back().parts;
      fold_.groups.pop_back();
    }
    fold_.groups.front().parts = std::move(parts);
    finish();
    return std::move(fold_);
  }

 private:
  [[nodiscard]] const Instruction& at(int position) const {
    return in_.computation->at(fold_.order[static_cast<std::size_t>(position)]);
  }

  // Positions, and how many values are alive before each.
  void number() {
    const std::size_t count = fold_.order.size();
    position_.assign(in_.computation->instructions.size(), -1);
    for (std::size_t k = 0; k < count; ++k) position_[static_cast<std::size_t>(fold_.order[k])] = static_cast<int>(k);
    std::vector<int> last(count, -1);
    for (std::size_t k = 0; k < count; ++k)
      for (const Feed& feed : in_.feeds[static_cast<std::size_t>(fold_.order[k])])
        last[static_cast<std::size_t>(position_[static_cast<std::size_t>(feed.from)])] = static_cast<int>(k);
    weight_.assign(1, 0);
    std::vector<i64> inside = bodies();
    for (std::size_t k = 0; k < count; ++k) {
      i64 weight = 1;
      const Instruction& i = at(static_cast<int>(k));
      if (i.opcode == "while" || i.opcode == "call" || i.opcode == "conditional")
        for (const int called : calledBy(*in_.module, i)) weight += inside[static_cast<std::size_t>(called)];
      weight_.push_back(weight_.back() + weight);
    }
    alive_.assign(count + 2, 0);
    for (std::size_t k = 0; k < count; ++k) {
      if (last[k] <= static_cast<int>(k) || at(static_cast<int>(k)).opcode == "parameter") continue;
      ++alive_[k + 1];
      --alive_[static_cast<std::size_t>(last[k]) + 1];
    }
    for (std::size_t k = 1; k < alive_.size(); ++k) alive_[k] += alive_[k - 1];
  }

  // The instructions of each computation.
  [[nodiscard]] std::vector<i64> bodies() const {
    std::vector<i64> sizes;
    for (const Computation& c : in_.module->computations) sizes.push_back(static_cast<i64>(c.instructions.size()));
    return sizes;
  }

  int add(Group group) {
    fold_.groups.push_back(std::move(group));
    return static_cast<int>(fold_.groups.size()) - 1;
  }

  int oneOf(int position) { return add({Group::Kind::One, position, position + 1, std::string(at(position).opcode)}); }

  int parametersOf(int count) {
    if (count == 1) return oneOf(0);
    return add({Group::Kind::Parameters,
                0,
                count,
                fmt::format("{} parameters", count),
                {},
                ones(Group::Kind::Parameters, 0, count)});
  }

  // A group for each instruction, in groups of groups.
  std::vector<int> ones(Group::Kind kind, int from, int to) {
    std::vector<int> parts;
    const int count = to - from, most = static_cast<int>(kMostParts) - 1;
    const int step = static_cast<int>(ceilDiv(count, most));
    for (int k = from; k < to; k += step) {
      const int end = std::min(to, k + step);
      if (end == k + 1) {
        parts.push_back(oneOf(k));
        continue;
      }
      const std::string label =
          kind == Group::Kind::Parameters ? fmt::format("{} parameters", end - k) : lightOf(k, end);
      std::vector<int> inner = ones(kind, k, end);
      parts.push_back(add({kind, k, end, label, {}, std::move(inner)}));
    }
    return parts;
  }

  // "3 elementwise: multiply, add"
  [[nodiscard]] std::string lightOf(int from, int to) const {
    std::vector<std::string_view> names;
    for (int k = from; k < to; ++k)
      if (std::ranges::find(names, at(k).opcode) == names.end()) names.push_back(at(k).opcode);
    std::string label;
    for (const std::string_view name : names) {
      if (!label.empty() && label.size() + name.size() > kLongestLight)
        return fmt::format("{} elementwise: {} ...", to - from, label);
      label += fmt::format("{}{}", label.empty() ? "" : ", ", name);
    }
    return fmt::format("{} elementwise: {}", to - from, label);
  }

  // "2 dot, all-reduce, 14 more"
  [[nodiscard]] std::string regionOf(int from, int to) const {
    std::map<std::pair<int, std::string_view>, int> counts;
    for (int k = from; k < to; ++k) ++counts[{rankOf(at(k).opcode), at(k).opcode}];
    std::vector<std::pair<std::pair<int, std::string_view>, int>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, {}, [](const auto& c) { return std::pair(c.first.first, -c.second); });
    std::string label;
    int left = to - from;
    for (const auto& [operation, count] : sorted) {
      const std::string next =
          count == 1 ? std::string(operation.second) : fmt::format("{} {}", count, operation.second);
      if (!label.empty() && label.size() + next.size() > kLongest) break;
      label += fmt::format("{}{}", label.empty() ? "" : ", ", next);
      left -= count;
    }
    return label + (left > 0 ? " ..." : "");
  }

  int tokenOf(std::vector<int> structures) {
    return tokens_.try_emplace(std::move(structures), static_cast<int>(tokens_.size())).first->second;
  }

  // Its structure; of a slice without its place, because unrolled layers differ in it.
  int structureOf(int instruction) {
    constexpr std::array<std::string_view, 3> kSlices = {"slice", "dynamic-slice", "dynamic-update-slice"};
    const Instruction& i = in_.computation->at(instruction);
    if (std::ranges::find(kSlices, i.opcode) == kSlices.end()) return structures_.of(Where{in_.number, instruction});
    std::string text = fmt::format("{} {}", i.opcode, i.shape);
    for (const int operand : i.operands)
      text += fmt::format(" {}", operand < 0 ? -1 : in_.computation->at(operand).shape);
    return kFirstSlice - slices_.try_emplace(std::move(text), static_cast<int>(slices_.size())).first->second;
  }

  Item itemOf(std::size_t u) {
    const int from = start_[u], to = start_[u + 1];
    std::vector<int> structures;
    for (const int i : units_[u].members) structures.push_back(structureOf(i));
    Item item{0, tokenOf(std::move(structures)), from, to};
    item.group = to == from + 1 ? oneOf(from)
                                : add({Group::Kind::Elementwise,
                                       from,
                                       to,
                                       lightOf(from, to),
                                       {},
                                       ones(Group::Kind::Elementwise, from, to)});
    return item;
  }

  // The ancestor of a scope directly under `under`; -1: it is that scope itself, or not inside.
  [[nodiscard]] int below(int scope, int under) const {
    const auto of = [&](int s) -> const FoldScope& { return in_.scopes[static_cast<std::size_t>(s)]; };
    while (scope >= 0 && of(scope).depth > of(under).depth + 1) scope = of(scope).parent;
    return scope >= 0 && of(scope).depth == of(under).depth + 1 && of(scope).parent == under ? scope : -1;
  }

  // The only scope of all units, as deep as possible.
  [[nodiscard]] int commonOf(std::size_t from, std::size_t to, int scope) const {
    for (;;) {
      const int inner = from < to ? below(units_[from].scope, scope) : -1;
      if (inner < 0) return scope;
      for (std::size_t u = from; u < to; ++u)
        if (below(units_[u].scope, scope) != inner) return scope;
      scope = inner;
    }
  }

  [[nodiscard]] std::string pathOf(int scope, int under) const {
    std::string path;
    for (int s = scope; s != under && s > 0; s = in_.scopes[static_cast<std::size_t>(s)].parent)
      path = fmt::format("{}{}{}", in_.scopes[static_cast<std::size_t>(s)].name, path.empty() ? "" : "/", path);
    return path;
  }

  // Units [from, to), all inside of the scope: one item for each run of units of one scope inside of it.
  Items itemsOf(std::size_t from, std::size_t to, int scope) {
    scope = commonOf(from, to, scope);
    Items items;
    for (std::size_t u = from; u < to;) {
      spend();
      const int inner = below(units_[u].scope, scope);
      std::size_t end = u + 1;
      while (inner >= 0 && end < to && below(units_[end].scope, scope) == inner) ++end;
      items.push_back(end == u + 1 ? itemOf(u) : scoped(u, end, scope));
      u = end;
    }
    return items;
  }

  Item scoped(std::size_t from, std::size_t to, int under) {
    const int scope = commonOf(from, to, under);
    Items items = itemsOf(from, to, scope);
    std::vector<int> tokens{-1};
    for (const Item& item : items) tokens.push_back(item.token);
    Item all{0, tokenOf(std::move(tokens)), items.front().from, items.back().to};
    items = chunked(repeated(std::move(items)));
    all.group = join(Group::Kind::Scope, pathOf(scope, under), items);
    if (items.size() > 1) fold_.groups.back().scope = pathOf(scope, 0);
    return all;
  }

  // One group of several items; that of the only item.
  int join(Group::Kind kind, std::string label, const Items& items) {
    if (items.size() == 1) return items.front().group;
    Group group{kind, items.front().from, items.back().to, std::move(label)};
    for (const Item& item : items) group.parts.push_back(item.group);
    return add(std::move(group));
  }

  // --- repetition

  [[nodiscard]] int aliveBefore(const Item& item) const { return alive_[static_cast<std::size_t>(item.from)]; }

  Items repeated(Items items) {
    if (items.size() < 2) return items;
    Items out;
    std::size_t next = 0;
    for (const Repetition& r : repetitionsOf(items, {fold_.order, in_.feeds, position_, alive_})) {
      out.insert(out.end(), items.begin() + static_cast<std::ptrdiff_t>(next),
                 items.begin() + static_cast<std::ptrdiff_t>(r.start));
      out.push_back(itemOf(items, r));
      next = r.end();
    }
    out.insert(out.end(), items.begin() + static_cast<std::ptrdiff_t>(next), items.end());
    return out;
  }

  Item itemOf(const Items& items, const Repetition& r) {
    Items copies;
    std::vector<int> tokens{-2, static_cast<int>(r.copies)};
    for (std::size_t k = 0; k < r.period; ++k) tokens.push_back(items[r.start + k].token);
    for (std::size_t at = r.start; at < r.end(); at += r.period) {
      Items one(items.begin() + static_cast<std::ptrdiff_t>(at),
                items.begin() + static_cast<std::ptrdiff_t>(at + r.period));
      Item copy{0, 0, one.front().from, one.back().to};
      if (one.size() > 1) one = repeated(std::move(one));
      copy.group = join(Group::Kind::Region, regionOf(copy.from, copy.to), chunked(std::move(one)));
      copies.push_back(copy);
    }
    Item all{0, tokenOf(std::move(tokens)), copies.front().from, copies.back().to};
    all.group = repeat(copies);
    return all;
  }

  // Copies in groups of at most kMostParts - 1.
  int repeat(const Items& copies) {
    const std::size_t most = kMostParts - 1;
    const Group& first = fold_.groups[static_cast<std::size_t>(copies.front().group)];
    const std::string what = first.kind == Group::Kind::Scope ? numberless(first.label) : first.label;
    std::size_t step = 1;
    while (static_cast<std::size_t>(ceilDiv(static_cast<i64>(copies.size()), static_cast<i64>(step))) > most)
      step *= most;
    Items parts;
    for (std::size_t k = 0; k < copies.size() && step > 1; k += step) {
      Item part = copies[k];
      const std::size_t end = std::min(copies.size(), k + step);
      part.to = copies[end - 1].to;
      if (end > k + 1)
        part.group = repeat(
            Items(copies.begin() + static_cast<std::ptrdiff_t>(k), copies.begin() + static_cast<std::ptrdiff_t>(end)));
      parts.push_back(part);
    }
    return join(Group::Kind::Repeat, fmt::format("\u00d7{}  {}", copies.size(), what), step > 1 ? parts : copies);
  }

  static std::string numberless(std::string text) {
    std::string out;
    for (const char c : text)
      if (c < '0' || c > '9')
        out += c;
      else if (out.empty() || out.back() != '#')
        out += '#';
    return out;
  }

  // --- cuts

  // At most kMostParts - 1 items: neighbours are joined, between cuts where few values are alive. Groups of joined
  // items have fewer parts, so that shownGroups can choose.
  Items chunked(Items items, std::size_t most = kMostParts - 1) {
    if (items.size() <= most) return items;
    std::vector<std::pair<std::size_t, std::size_t>> pieces{{0, items.size()}};
    while (pieces.size() < most) {
      const auto largest = std::ranges::max_element(
          pieces, {}, [&](const auto& p) { return p.second - p.first < 2 ? -1 : weightOf(items, p.first, p.second); });
      const auto [from, to] = *largest;
      if (to - from < 2) break;
      const std::size_t cut = cutOf(items, from, to);
      *largest = {from, cut};
      pieces.insert(largest + 1, {cut, to});
    }
    Items out;
    for (const auto& [from, to] : pieces) {
      if (to == from + 1) {
        out.push_back(items[from]);
        continue;
      }
      const Items inner = chunked(
          Items(items.begin() + static_cast<std::ptrdiff_t>(from), items.begin() + static_cast<std::ptrdiff_t>(to)),
          kJoinedParts);
      Item part{0, 0, inner.front().from, inner.back().to};
      part.group = join(Group::Kind::Region, regionOf(part.from, part.to), inner);
      out.push_back(part);
    }
    return out;
  }

  // Instructions, with those of bodies.
  [[nodiscard]] i64 weightOf(const Items& items, std::size_t from, std::size_t to) const {
    return weight_[static_cast<std::size_t>(items[to - 1].to)] - weight_[static_cast<std::size_t>(items[from].from)];
  }

  // Beside an item that weighs more than half of all, so that it gets its own box; otherwise in the middle third.
  [[nodiscard]] std::size_t cutOf(const Items& items, std::size_t from, std::size_t to) const {
    const i64 all = weightOf(items, from, to);
    std::size_t first = to, last = from + 1;  // the cuts at the middle third
    for (std::size_t k = from; k < to; ++k) {
      if (2 * weightOf(items, k, k + 1) > all) {
        const bool before = k + 1 == to || (k > from && weightOf(items, from, k) > weightOf(items, k + 1, to));
        return before ? k : k + 1;
      }
      if (k == from) continue;
      const i64 before = weightOf(items, from, k);
      if (3 * before >= all) first = std::min(first, k);
      if (3 * before <= 2 * all) last = std::max(last, k);
    }
    first = std::min(first, to - 1);
    last = std::max(first, last);
    std::size_t best = first;
    const auto away = [&](std::size_t k) { return std::abs(2 * weightOf(items, from, k) - all); };
    for (std::size_t k = first; k <= last; ++k)
      if (std::pair(aliveBefore(items[k]), away(k)) < std::pair(aliveBefore(items[best]), away(best))) best = k;
    return best;
  }

  // Parents, and the scopes that name a group.
  void finish() {
    std::unordered_map<std::string, int> times;
    for (const Group& g : fold_.groups) ++times[g.scope];
    for (std::size_t g = 0; g < fold_.groups.size(); ++g) {
      Group& group = fold_.groups[g];
      if (times[group.scope] > 1 || !isWord(group.scope)) group.scope.clear();
      for (const int part : group.parts) fold_.groups[static_cast<std::size_t>(part)].parent = static_cast<int>(g);
    }
  }

  const FoldInput& in_;
  const std::vector<FoldUnit>& units_;
  Structures structures_;
  Fold fold_;
  std::vector<int> start_;     // of each unit in the order
  std::vector<int> position_;  // of each instruction in the order; -1: plumbing
  std::vector<i64> weight_;    // of all instructions before each position
  std::vector<int> alive_;     // values before each position, without parameters
  std::map<std::vector<int>, int> tokens_;
  std::map<std::string, int> slices_;
};

}  // namespace

Fold treeOf(const FoldInput& in, const std::vector<int>& parameters, const std::vector<FoldUnit>& units) {
  return Tree(in, units).build(parameters);
}

}  // namespace tessera::hlo
