#include "core/hlo/compose/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <utility>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fold_tree.h"
#include "core/hlo/ops/op_maps.h"
#include "core/hlo/text/attributes.h"

namespace tessera::hlo {
namespace {

constexpr int kFewParameters = 6;  // each of its own box
constexpr int kDeepestScope = 12;  // components of a scope; further ones are ignored

i64 sizeOf(const xla::Shape& shape) {
  i64 bytes = 0;
  if (shape.kind() == xla::Shape::Kind::Tuple) {
    for (const xla::Shape& element : shape.elements()) bytes = checkedAdd(bytes, sizeOf(element)).value_or(INT64_MAX);
    return bytes;
  }
  if (!shape.isArray()) return 0;
  bytes = shape.storedBits();
  for (const i64 size : shape.sizes()) bytes = checkedMul(bytes, size).value_or(INT64_MAX);
  return bytes == INT64_MAX ? bytes : ceilDiv(bytes, 8);
}

bool passes(const Instruction& i) {
  constexpr std::array<std::string_view, 4> kPassing = {"get-tuple-element", "tuple", "bitcast", "after-all"};
  return std::ranges::find(kPassing, i.opcode) != kPassing.end();
}

// The scope of op_name="jit(f)/decoder/layer_3/dot_general": its components but the last, which is the operation, and
// the first that only name the traced function.
std::vector<std::string_view> scopeOf(const Instruction& i) {
  auto name = field(i.value("metadata"), "op_name").value_or("");
  if (name.size() < 2 || name.front() != '"') return {};
  name = name.substr(1, name.size() - 2);
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t k = 0; k < name.size() && parts.size() < kDeepestScope; ++k) {
    depth += name[k] == '(' || name[k] == '[' ? 1 : name[k] == ')' || name[k] == ']' ? -1 : 0;
    if (name[k] != '/' || depth > 0) continue;
    const std::string_view part = name.substr(from, k - from);
    if (!part.empty() && !(parts.empty() && (part.starts_with("jit(") || part.starts_with("pjit("))))
      parts.push_back(part);
    from = k + 1;
  }
  return parts;
}

// What is drawn in one box with its neighbours, if the values have one user.
bool isLight(const Instruction& i) {
  constexpr std::array<std::string_view, 4> kMoves = {"broadcast", "reshape", "copy", "iota"};
  return isElementwise(i.opcode) || std::ranges::find(kMoves, i.opcode) != kMoves.end();
}

// The order of units: topological, otherwise by text, leaving a scope as late as possible.
class Ordering {
 public:
  Ordering(const FoldInput& in, const std::vector<FoldUnit>& units) : scopes_(in.scopes), units_(units) {
    std::vector<int> unitOf(in.computation->instructions.size(), -1);
    for (std::size_t u = 0; u < units.size(); ++u)
      for (const int i : units[u].members) unitOf[static_cast<std::size_t>(i)] = static_cast<int>(u);
    next_.resize(units.size());
    waits_.resize(units.size(), 0);
    for (std::size_t u = 0; u < units.size(); ++u)
      for (const int i : units[u].members)
        for (const Feed& feed : in.feeds[static_cast<std::size_t>(i)]) {
          const int from = unitOf[static_cast<std::size_t>(feed.from)];
          if (from < 0 || from == static_cast<int>(u)) continue;
          next_[static_cast<std::size_t>(from)].push_back(static_cast<int>(u));
          ++waits_[u];
        }
    ready_.resize(scopes_.size());
  }

  std::vector<int> run() {
    std::vector<int> order;
    done_.assign(units_.size(), false);
    for (std::size_t u = 0; u < units_.size(); ++u)
      if (waits_[u] == 0) add(static_cast<int>(u));
    int scope = 0;
    for (int u = take(scope); u >= 0; u = take(scope)) {
      spend();
      done_[static_cast<std::size_t>(u)] = true;
      order.push_back(u);
      scope = units_[static_cast<std::size_t>(u)].scope;
      for (const int to : next_[static_cast<std::size_t>(u)])
        if (--waits_[static_cast<std::size_t>(to)] == 0) add(to);
    }
    for (std::size_t u = 0; u < units_.size(); ++u)  // on a cycle, or after one
      if (!done_[u]) order.push_back(static_cast<int>(u));
    return order;
  }

 private:
  void add(int u) {
    for (int s = units_[static_cast<std::size_t>(u)].scope; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent)
      ready_[static_cast<std::size_t>(s)].push(u);
  }

  int take(int scope) {
    for (int s = scope; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
      auto& queue = ready_[static_cast<std::size_t>(s)];
      while (!queue.empty() && done_[static_cast<std::size_t>(queue.top())]) queue.pop();
      if (!queue.empty()) return queue.top();
    }
    return -1;
  }

  const std::vector<FoldScope>& scopes_;
  const std::vector<FoldUnit>& units_;
  std::vector<std::vector<int>> next_;
  std::vector<int> waits_;
  std::vector<std::priority_queue<int, std::vector<int>, std::greater<>>> ready_;
  std::vector<bool> done_;
};

// The scopes of all instructions as a tree; returns the scope of each instruction. Without op_name it is that of the
// first user, or of what is read.
std::vector<int> addScopes(FoldInput& in) {
  std::map<std::pair<int, std::string_view>, int> known;
  in.scopes.push_back({});
  std::vector<int> scopes;
  for (const Instruction& i : in.computation->instructions) {
    int at = 0;
    for (const std::string_view name : scopeOf(i)) {
      const auto [found, isNew] = known.try_emplace({at, name}, static_cast<int>(in.scopes.size()));
      if (isNew) in.scopes.push_back({at, in.scopes[static_cast<std::size_t>(at)].depth + 1, name});
      at = found->second;
    }
    scopes.push_back(field(i.value("metadata"), "op_name") ? at : -1);
  }
  if (in.scopes.size() == 1) return std::vector<int>(scopes.size(), 0);
  for (std::size_t i = scopes.size(); i-- > 0;)
    for (const Feed& feed : in.feeds[i])
      if (int& of = scopes[static_cast<std::size_t>(feed.from)]; of < 0) of = scopes[i];
  for (std::size_t i = 0; i < scopes.size(); ++i)
    for (const Feed& feed : in.feeds[i])
      if (scopes[i] < 0) scopes[i] = scopes[static_cast<std::size_t>(feed.from)];
  for (int& of : scopes) of = std::max(of, 0);
  return scopes;
}

// Instructions that a computation's result consists of, through plumbing.
std::vector<bool> results(const FoldInput& in) {
  std::vector<bool> out(in.computation->instructions.size(), false);
  if (in.computation->root < 0) return out;
  if (!isPlumbing(*in.computation, in.computation->root)) out[static_cast<std::size_t>(in.computation->root)] = true;
  for (const Feed& feed : feedsOf(*in.module, *in.computation, in.computation->root))
    if (isPlumbing(*in.computation, in.computation->root)) out[static_cast<std::size_t>(feed.from)] = true;
  return out;
}

// Trees of light instructions, in the order of their roots.
std::vector<FoldUnit> unitsOf(const FoldInput& in, const std::vector<int>& scopes) {
  const auto& instructions = in.computation->instructions;
  std::vector<int> user(instructions.size(), -1);  // -2: several
  for (std::size_t i = 0; i < instructions.size(); ++i)
    for (const Feed& feed : in.feeds[i]) {
      int& of = user[static_cast<std::size_t>(feed.from)];
      of = of == -1 || of == static_cast<int>(i) ? static_cast<int>(i) : -2;
    }
  const std::vector<bool> isResult = results(in);
  std::vector<std::vector<int>> members(instructions.size());
  std::vector<int> rootOf(instructions.size());
  for (std::size_t i = instructions.size(); i-- > 0;) {
    const int to = user[i];
    rootOf[i] = static_cast<int>(i);
    if (to > static_cast<int>(i) && !isResult[i] && isLight(instructions[i]) &&
        isLight(instructions[static_cast<std::size_t>(to)]) && scopes[i] == scopes[static_cast<std::size_t>(to)])
      rootOf[i] = rootOf[static_cast<std::size_t>(to)];
  }
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (!isPlumbing(*in.computation, static_cast<int>(i)) && instructions[i].opcode != "parameter")
      members[static_cast<std::size_t>(rootOf[i])].push_back(static_cast<int>(i));
  std::vector<FoldUnit> units;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (!members[i].empty()) units.push_back({std::move(members[i]), scopes[i]});
  return units;
}

}  // namespace

bool isPlumbing(const Computation& computation, int instruction) {
  const Instruction& i = computation.at(instruction);
  if (i.opcode == "constant" || passes(i)) return true;
  return i.opcode == "broadcast" && i.operands.size() == 1 && i.operands[0] >= 0 &&
         computation.at(i.operands[0]).opcode == "constant" && i.value("dimensions", "{}") == "{}";
}

std::vector<Feed> feedsOf(const Module& module, const Computation& computation, int instruction) {
  std::vector<Feed> feeds;
  std::vector<int> open;  // the last is next
  const auto push = [&](const Instruction& i) {
    for (std::size_t k = i.operands.size(); k-- > 0;)
      if (i.operands[k] >= 0) open.push_back(i.operands[k]);
  };
  push(computation.at(instruction));
  std::size_t steps = 0;
  const std::size_t most = 4 * computation.instructions.size() + 64;  // a cycle of plumbing, or tuples of tuples
  while (!open.empty() && ++steps < most) {
    int at = open.back();
    open.pop_back();
    const i64 bytes = sizeOf(module.shapeOf(computation.at(at)));
    std::vector<std::size_t> path;  // of tuple elements
    while (++steps < most) {
      const Instruction& i = computation.at(at);
      if (i.opcode == "constant" || (isPlumbing(computation, at) && !passes(i))) break;
      if (!passes(i)) {
        feeds.push_back({at, bytes});
        break;
      }
      if (i.opcode == "tuple" || i.opcode == "after-all") {
        if (path.empty() || path.back() >= i.operands.size()) {
          push(i);
          break;
        }
        at = i.operands[path.back()];
        path.pop_back();
      } else {
        if (i.opcode == "get-tuple-element")
          path.push_back(static_cast<std::size_t>(wholeNumber(i.value("index")).value_or(0)));
        at = i.operands.empty() ? -1 : i.operands[0];
      }
      if (at < 0) break;
    }
  }
  return feeds;
}

Fold foldOf(const Module& module, int computation) {
  FoldInput in{&module, computation, &module.computation(computation), {}, {}};
  const std::size_t count = in.computation->instructions.size();
  for (std::size_t i = 0; i < count; ++i)
    in.feeds.push_back(isPlumbing(*in.computation, static_cast<int>(i))
                           ? std::vector<Feed>()
                           : feedsOf(module, *in.computation, static_cast<int>(i)));
  const std::vector<int> scopes = addScopes(in);
  const std::vector<FoldUnit> units = unitsOf(in, scopes);
  std::vector<FoldUnit> ordered;
  for (const int u : Ordering(in, units).run()) ordered.push_back(units[static_cast<std::size_t>(u)]);
  std::vector<int> parameters;
  for (std::size_t i = 0; i < count; ++i)
    if (in.computation->instructions[i].opcode == "parameter") parameters.push_back(static_cast<int>(i));
  return treeOf(in, parameters, ordered);
}

std::vector<int> shownGroups(const Fold& fold, int group, std::size_t most) {
  const auto at = [&](int g) -> const Group& { return fold.groups[static_cast<std::size_t>(g)]; };
  const auto opens = [&](int g) {
    const Group& of = at(g);
    const bool alike = of.kind == at(group).kind && of.kind != Group::Kind::Repeat;  // a part of one long list
    return !of.parts.empty() && (of.kind == Group::Kind::Scope || of.kind == Group::Kind::Region || alike ||
                                 (of.kind == Group::Kind::Parameters && of.count() <= kFewParameters));
  };
  std::vector<int> shown = at(group).parts;
  if (shown.empty()) return {group};
  const auto less = [&](int a, int b) {
    return std::pair(at(a).count(), -at(a).from) < std::pair(at(b).count(), -at(b).from);
  };
  std::priority_queue<int, std::vector<int>, decltype(less)> open(less);
  for (const int g : shown)
    if (opens(g)) open.push(g);
  std::vector<int> replaced;
  std::size_t count = shown.size();
  while (!open.empty()) {
    const int g = open.top();
    open.pop();
    if (count - 1 + at(g).parts.size() > most) continue;
    count += at(g).parts.size() - 1;
    replaced.push_back(g);
    for (const int part : at(g).parts) {
      shown.push_back(part);
      if (opens(part)) open.push(part);
    }
  }
  std::ranges::sort(replaced);
  std::erase_if(shown, [&](int g) { return std::ranges::binary_search(replaced, g); });
  std::ranges::sort(shown, {}, [&](int g) { return at(g).from; });
  return shown;
}

std::string nameOf(const Module& module, const Fold& fold, int group) {
  const Group& g = fold.groups[static_cast<std::size_t>(group)];
  if (!g.scope.empty()) return g.scope;
  const auto name = [&](int position) {
    return module.at({fold.computation, fold.order[static_cast<std::size_t>(position)]}).name;
  };
  return g.count() == 1 ? fmt::format("%{}", name(g.from)) : fmt::format("%{}..%{}", name(g.from), name(g.to - 1));
}

std::optional<int> groupNamed(const Module& module, const Fold& fold, std::string_view name) {
  for (std::size_t g = 0; g < fold.groups.size(); ++g)
    if (nameOf(module, fold, static_cast<int>(g)) == name) return static_cast<int>(g);
  return std::nullopt;
}

std::vector<GroupEdge> edgesBetween(const Module& module, const Fold& fold, const std::vector<int>& shown) {
  const Computation& c = module.computation(fold.computation);
  std::vector<int> boxOf(c.instructions.size(), -1);
  for (std::size_t b = 0; b < shown.size(); ++b) {
    const Group& g = fold.groups[static_cast<std::size_t>(shown[b])];
    for (int k = g.from; k < g.to; ++k)
      boxOf[static_cast<std::size_t>(fold.order[static_cast<std::size_t>(k)])] = static_cast<int>(b);
  }
  struct Value {
    int to, from, instruction;
    i64 bytes;
  };
  std::vector<Value> values;
  for (std::size_t i = 0; i < c.instructions.size(); ++i) {
    if (boxOf[i] < 0) continue;
    for (const Feed& feed : feedsOf(module, c, static_cast<int>(i)))
      if (boxOf[static_cast<std::size_t>(feed.from)] != boxOf[i])
        values.push_back({boxOf[i], boxOf[static_cast<std::size_t>(feed.from)], feed.from, feed.bytes});
  }
  std::ranges::sort(values, {}, [](const Value& v) { return std::tuple(v.to, v.from, v.instruction, -v.bytes); });
  std::vector<GroupEdge> edges;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Value& v = values[k];
    const bool same = k > 0 && values[k - 1].to == v.to && values[k - 1].from == v.from;
    if (!same) edges.push_back({v.from, v.to, 0, 0});
    if (same && values[k - 1].instruction == v.instruction) continue;
    ++edges.back().values;
    edges.back().bytes = checkedAdd(edges.back().bytes, v.bytes).value_or(INT64_MAX);
  }
  return edges;
}

}  // namespace tessera::hlo
