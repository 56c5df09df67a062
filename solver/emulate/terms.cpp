#include "solver/emulate/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/base/work_budget.h"

namespace tessera::graphene {

namespace {

bool isZero(const Terms::Node& n) { return n.kind == Terms::Kind::Constant && n.number == 0; }
// A base and lists, nothing else.
bool isDot(const Terms::Node& n) { return n.kind == Terms::Kind::Sum && n.b == Terms::undefined() && n.count == 0; }

constexpr int kMaxPrintDepth = 8;
constexpr std::size_t kFewDots = std::size_t{1} << 16;
constexpr int kMostFlat = 64;
constexpr i64 kMostElements = i64{1} << 24, kMostCopies = i64{1} << 16;  // of inputs found by position

// The values of the one list, then those of the other.
Dots::List joined(Dots& dots, Dots::List list, Dots::List rest) {
  if (list == 0) return rest;
  std::vector<Dots::Row> rows;
  for (; rest != 0; rest = dots.beforeOf(rest)) rows.push_back(dots.lastOf(rest));
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) list = dots.extended(list, *row);
  return list;
}

// A sum with the lists of all its summands as one: a*b + (c*d + x) is the lists (a,c), (b,d), and x.
struct FlatSum {
  Dots::List left = 0, right = 0;
  std::vector<Terms::Value> others;  // sorted, without zeros
};

// nullopt: it has single products, or too many sums.
std::optional<FlatSum> flatSum(const Pages<Terms::Node>& nodes, Dots& dots, Terms::Value v) {
  FlatSum out;
  std::vector<Terms::Value> open{v};
  for (int sums = 0; !open.empty();) {
    const Terms::Value at = open.back();
    const Terms::Node& n = nodes[at];
    open.pop_back();
    if (n.kind != Terms::Kind::Sum) {
      if (!isZero(n)) out.others.push_back(at);
      continue;
    }
    if (n.count != 0 || ++sums > kMostFlat) return std::nullopt;
    out.left = joined(dots, n.left(), out.left);
    out.right = joined(dots, n.right(), out.right);
    open.push_back(n.a);
    if (n.b != Terms::undefined()) open.push_back(n.b);
  }
  std::ranges::sort(out.others);
  return out;
}

Terms::Range times(const Terms::Range& a, const Terms::Range& b) {
  const auto [least, most] = std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
  return {least, most};
}

}  // namespace

Terms::Terms() {
  nodes_.push(Node());
  operations_ = {"+", "*", "max", "min"};
}

Terms::Value Terms::intern(const Node& node) {
  u64 x = node.a, y = node.b;
  if (node.kind == Kind::Constant) x = std::bit_cast<u64>(node.number);
  if (node.kind == Kind::Input) x = static_cast<u64>(node.copy), y = static_cast<u64>(node.element);
  const u64 head = static_cast<u64>(node.kind) << 32 | static_cast<std::uint32_t>(node.operation);
  const u64 hash = splitMix(splitMix(head ^ splitMix(x)) ^ y);
  const auto same = [&](Value id) {
    const Node& have = nodes_[id];
    if (have.kind != node.kind || have.operation != node.operation) return false;
    if (node.kind == Kind::Constant) return std::bit_cast<u64>(have.number) == std::bit_cast<u64>(node.number);
    if (node.kind == Kind::Input) return have.copy == node.copy && have.element == node.element;
    return have.a == node.a && have.b == node.b;
  };
  if (const auto found = table_.find(hash, same)) return *found;
  const Value id = nodes_.push(node);
  table_.insert(hash, id);
  return id;
}

Terms::Value Terms::constant(double value) {
  Node node(Kind::Constant, 0, 0, 0);
  node.number = value == 0 ? 0 : value;  // normalize negative zero
  return intern(node);
}

Terms::Value Terms::input(int tensor, i64 copy, i64 element) {
  Node node(Kind::Input, tensor, 0, 0);
  node.element = element;
  node.copy = copy;
  if (element < 0 || element >= kMostElements || copy < -1 || copy >= kMostCopies) return intern(node);
  if (inputs_.size() <= static_cast<std::size_t>(tensor)) inputs_.resize(static_cast<std::size_t>(tensor) + 1);
  auto& copies = inputs_[tensor];
  if (std::ssize(copies) <= copy + 1) copies.resize(static_cast<std::size_t>(copy) + 2);
  auto& elements = copies[copy + 1];
  if (std::ssize(elements) <= element) elements.resize(static_cast<std::size_t>(element + element / 2) + 8, 0);
  Value& value = elements[element];
  if (value == 0) value = nodes_.push(node);
  return value;
}

int Terms::operation(std::string_view name) {
  const auto found = std::ranges::find(operations_, name);
  if (found != operations_.end()) return static_cast<int>(found - operations_.begin());
  operations_.emplace_back(name);
  return static_cast<int>(operations_.size()) - 1;
}

Terms::Value Terms::unary(int operation, Value a) {
  a = closed(a);
  if (a == undefined() || operations_[operation] == "id") return a;
  return intern({Kind::Unary, operation, a, 0});
}

Terms::Value Terms::binary(int operation, Value a, Value b) {
  if (a == undefined() || b == undefined()) return undefined();
  const std::string& name = operations_[operation];
  if (name == "+") {
    Node node(Kind::Sum, 0, summand(a), summand(b));
    node.lists = {};
    node.hash = sumHash(node.a) + sumHash(node.b);
    for (const auto& [base, dot] : {std::pair(node.a, node.b), std::pair(node.b, node.a)})
      if (isDot(nodes_[dot]) && isZero(nodes_[nodes_[dot].a]) && !isDot(nodes_[base])) {
        node.a = base, node.b = undefined();
        node.lists = nodes_[dot].lists;
        return internDot(node);
      }
    return nodes_.push(node);
  }
  if (name == "*") {
    const Product product(closed(a), closed(b));
    return add(constant(0), {&product, 1});
  }
  if (name != "max" && name != "min") return intern({Kind::Binary, operation, closed(a), closed(b)});
  if (a == b) return a;
  return intern({Kind::Set, operation, std::min(a, b), std::max(a, b)});
}

Terms::Value Terms::integerBinary(int operation, Value a, Value b, const NumberFormat&) {
  return binary(nameOf(operation) == "/" ? this->operation("whole /") : operation, a, b);
}

void Terms::describe(int tensor, const NumberFormat& type) {
  if (std::ssize(types_) <= tensor) types_.resize(static_cast<std::size_t>(tensor) + 1);
  types_[tensor] = type;
}

const NumberFormat* Terms::typeOf(int tensor) const {
  return tensor < std::ssize(types_) && types_[tensor] ? &*types_[tensor] : nullptr;
}

int Terms::conversion(const NumberFormat& from, const NumberFormat& to, std::string_view element) {
  if (!losesIntegers(from, to)) return -1;
  if (from.precision == 0 && leastOf(from) >= leastOf(to) && mostOf(from) <= mostOf(to))
    return operation(fmt::format("near {}", element));
  return operation(fmt::format("{} {}", from.precision == 0 && to.precision == 0 ? "mod" : "to", element));
}

Terms::Value Terms::convert(Value v, int conversion, const NumberFormat& from, const NumberFormat& to) {
  if (conversion < 0 || v == undefined()) return v;
  if (nodes_[v].kind == Kind::Constant) {
    if (to.precision > 0) return v;
    return constant(converted(nodes_[v].number, from, to));
  }
  if (const auto range = integerRange(v)) {
    const double whole = std::ldexp(1.0, to.precision);  // a floating type holds every integer up to here
    const double most = to.precision > 0 ? std::fmin(whole, mostOf(to)) : mostOf(to);
    const double least = to.precision > 0 ? -most : leastOf(to);
    if (range->least >= least && range->most <= most) return v;
  }
  return unary(conversion, v);
}

std::optional<Terms::Range> Terms::integerRange(Value v) {
  std::vector<std::pair<Value, bool>> open{{v, false}};  // true: its parts are done
  while (!open.empty()) {
    const auto [x, ready] = open.back();
    open.pop_back();
    if (ranges_.count(x) != 0) continue;
    spend(1);
    const Node& n = nodes_[x];
    const bool parts = n.kind == Kind::Unary || n.kind == Kind::Binary || n.kind == Kind::Set || n.kind == Kind::Sum;
    if (parts && !ready) {
      open.emplace_back(x, true);
      open.emplace_back(n.a, false);
      if (n.kind != Kind::Unary) open.emplace_back(n.b, false);
      for (u64 i = n.begin; n.kind == Kind::Sum && i < n.begin + n.count; ++i) {
        open.emplace_back(pool_[i].first, false);
        open.emplace_back(pool_[i].second, false);
      }
      if (n.kind == Kind::Sum)
        for (const Dots::List list : {n.left(), n.right()})
          for (const Value factor : dots_.flat(list)) open.emplace_back(factor, false);
      continue;
    }
    ranges_.emplace(x, rangeOf(n));
  }
  return ranges_.at(v);
}

std::optional<Terms::Range> Terms::rangeOf(const Node& n) const {
  const auto of = [](const NumberFormat* type) {
    return type == nullptr || type->precision > 0 ? std::nullopt : std::optional(Range{leastOf(*type), mostOf(*type)});
  };
  const auto at = [&](Value x) { return ranges_.at(x); };
  const bool named = n.kind == Kind::Unary || n.kind == Kind::Binary;  // for an input it is the tensor
  const std::string_view name = named ? std::string_view(nameOf(n.operation)) : std::string_view();
  switch (n.kind) {
    case Kind::Undefined:
      return std::nullopt;
    case Kind::Input:
      return of(typeOf(n.operation));
    case Kind::Constant:
      return std::trunc(n.number) == n.number ? std::optional(Range{n.number, n.number}) : std::nullopt;
    case Kind::Unary: {
      if (name.starts_with("to ") || name.starts_with("mod ")) {
        const auto type = numberFormat(name.substr(name.find(' ') + 1));
        return type ? of(&*type) : std::nullopt;
      }
      const auto a = at(n.a);
      if (a && name == "neg") return Range{-a->most, -a->least};
      if (a && name == "relu") return Range{std::fmax(a->least, 0), std::fmax(a->most, 0)};
      return std::nullopt;
    }
    case Kind::Binary:
    case Kind::Set: {
      const auto a = at(n.a), b = at(n.b);
      if (!a || !b || (n.kind == Kind::Binary && name != "-")) return std::nullopt;
      if (n.kind == Kind::Binary) return Range{a->least - b->most, a->most - b->least};
      return Range{std::fmin(a->least, b->least), std::fmax(a->most, b->most)};
    }
    case Kind::Sum: {
      std::optional<Range> out = at(n.a);
      const auto add = [&](const std::optional<Range>& r) {
        out = out && r ? std::optional(Range{out->least + r->least, out->most + r->most}) : std::nullopt;
      };
      if (n.b != undefined()) add(at(n.b));
      for (u64 i = n.begin; i < n.begin + n.count && out; ++i) {
        const auto a = at(pool_[i].first), b = at(pool_[i].second);
        add(a && b ? std::optional(times(*a, *b)) : std::nullopt);
      }
      const std::vector<Value> x = dots_.flat(n.left()), y = dots_.flat(n.right());
      for (std::size_t k = 0; k < x.size() && out; ++k) {
        const auto a = at(x[k]), b = at(y[k]);
        add(a && b ? std::optional(times(*a, *b)) : std::nullopt);
      }
      return out;
    }
  }
  return std::nullopt;
}

u64 Terms::sumHash(Value v) const {
  const Node& n = nodes_[v];
  if (n.kind == Kind::Sum) return n.hash;
  return n.kind == Kind::Constant ? 0 : splitMix(v);
}

Terms::Value Terms::add(Value base, std::span<const Product> products) {
  if (base == undefined()) return base;
  Node node(Kind::Sum, 0, summand(base), 0);
  node.begin = pool_.size();
  node.hash = sumHash(node.a);
  for (const auto& [a, b] : products) {
    if (a == undefined() || b == undefined()) {
      pool_.resize(node.begin);
      return undefined();
    }
    const Value x = closed(a), y = closed(b);
    if (isZero(nodes_[x]) || isZero(nodes_[y])) continue;
    pool_.emplace_back(std::min(x, y), std::max(x, y));
    node.hash += Dots::hash(x, y);
  }
  node.count = static_cast<std::uint32_t>(pool_.size() - node.begin);
  if (node.count == 0) node.lists = {};
  return nodes_.push(node);
}

Dots::Row Terms::row(std::span<const Value> factors) {
  std::vector<Value> all;
  std::uint8_t mark = kPlain;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Value x = closed(factors[k]);
    if (x == undefined()) mark |= kUndefined;
    if (isZero(nodes_[x])) mark |= kZero;
    if (x == factors[k]) continue;
    if (all.empty()) all.assign(factors.begin(), factors.end());
    all[k] = x;
  }
  const Dots::Row out = dots_.row(all.empty() ? factors : all);
  if (out >= rowMarks_.size()) rowMarks_.resize(std::size_t{out} + 1, 0);
  rowMarks_[out] = mark;
  return out;
}

Terms::Value Terms::addRows(Value base, Dots::Row a, Dots::Row b) {
  if (base == undefined() || ((rowMarks_[a] | rowMarks_[b]) & kUndefined) != 0) return undefined();
  if (((rowMarks_[a] | rowMarks_[b]) & kZero) != 0) {
    const std::span<const Value> x = dots_.valuesOf(a), y = dots_.valuesOf(b);
    std::vector<Product> products;
    for (std::size_t k = 0; k < x.size(); ++k) products.emplace_back(x[k], y[k]);
    return add(base, products);
  }
  const Value from = summand(base);
  Node node(Kind::Sum, 0, from, 0);
  node.lists = {};
  if (isDot(nodes_[from])) node.a = nodes_[from].a, node.lists = nodes_[from].lists;
  node.lists = {dots_.extended(node.lists.left, a), dots_.extended(node.lists.right, b)};
  node.hash = sumHash(from) + dots_.hashOfRows(a, b);
  return internDot(node);
}

// The steps of a loop often compute the same from the same registers, in an inner specification. Where they do not, an
// index only takes memory.
Terms::Value Terms::internDot(const Node& node) {
  if (dotOf_.size() >= kFewDots && dotsFound_ < dotOf_.size() / 4) return nodes_.push(node);
  const u64 hash = splitMix(splitMix(u64{node.left()} << 32 | node.right()) ^ node.a);
  const auto same = [&](Value id) {
    const Node& have = nodes_[id];
    return have.a == node.a && have.left() == node.left() && have.right() == node.right();
  };
  if (const auto found = dotOf_.find(hash, same)) {
    ++dotsFound_;
    return *found;
  }
  const Value id = nodes_.push(node);
  dotOf_.insert(hash, id);
  return id;
}

Terms::Sum Terms::sum(Value v) {
  Sum out;
  std::map<Value, u64, std::greater<>> open{{v, 1}};  // children have smaller numbers, so each node is visited once
  std::map<Value, u64> terms;
  std::vector<std::pair<Product, u64>> products;
  while (!open.empty()) {
    const auto [at, times] = *open.begin();
    open.erase(open.begin());
    const Node& n = nodes_[at];
    if (n.kind == Kind::Constant) {
      out.constant += n.number * static_cast<double>(times);
    } else if (n.kind != Kind::Sum) {
      terms[at] += times;
    } else {
      open[n.a] += times;
      if (n.b != undefined()) open[n.b] += times;
      for (u64 i = n.begin; i < n.begin + n.count; ++i) products.emplace_back(pool_[i], times);
      const std::vector<Value> x = dots_.flat(n.left()), y = dots_.flat(n.right());
      for (std::size_t k = 0; k < x.size(); ++k)
        products.emplace_back(Product(std::min(x[k], y[k]), std::max(x[k], y[k])), times);
    }
  }
  out.terms.assign(terms.begin(), terms.end());
  std::ranges::sort(products);
  for (const auto& [product, times] : products) {
    if (out.products.empty() || out.products.back().first != product) out.products.emplace_back(product, 0);
    out.products.back().second += times;
  }
  return out;
}

std::vector<Terms::Value> Terms::setOf(Value v) const {
  const int operation = nodes_[v].operation;
  std::vector<Value> out, open{v};
  std::set<Value> seen{v};
  while (!open.empty()) {
    const Value at = open.back();
    open.pop_back();
    const Node& n = nodes_[at];
    if (n.kind != Kind::Set || n.operation != operation) {
      out.push_back(at);
      continue;
    }
    if (seen.insert(n.a).second) open.push_back(n.a);
    if (seen.insert(n.b).second) open.push_back(n.b);
  }
  return out;
}

std::vector<Terms::Value> Terms::set(Value v) {
  std::vector<Value> out = nodes_[v].kind == Kind::Set ? setOf(v) : std::vector<Value>{v};
  for (Value& x : out) x = closed(x);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// What their lists show. False: they may still be one multiset.
bool Terms::sameLists(Value v, Value w) {
  while (v != w) {
    const Node x = nodes_[v], y = nodes_[w];
    if (x.kind != Kind::Sum || y.kind != Kind::Sum || x.count != 0 || y.count != 0 || x.hash != y.hash) return false;
    const bool lists = x.left() != 0 || y.left() != 0;
    // Two summands: one is the same.
    if (!lists && (x.b == y.b || x.b == y.a)) {
      v = x.a, w = x.b == y.b ? y.a : y.b;
    } else if (!lists && (x.a == y.b || x.a == y.a)) {
      v = x.b, w = x.a == y.b ? y.a : y.b;
    } else {
      const std::optional<FlatSum> a = flatSum(nodes_, dots_, v), b = flatSum(nodes_, dots_, w);
      if (!a || !b || a->others != b->others) return false;
      return dots_.permuted(a->left, a->right, b->left, b->right) ||
             dots_.permuted(a->left, a->right, b->right, b->left);
    }
  }
  return true;
}

bool Terms::hasLists(Value v) const {
  while (nodes_[v].kind == Kind::Sum) {
    if (nodes_[v].left() != 0) return true;
    const Node& n = nodes_[v];
    if (n.b != undefined() && nodes_[n.b].kind == Kind::Sum && nodes_[n.b].left() != 0) return true;
    v = n.a;
  }
  return false;
}

Terms::Value Terms::canonical(Value v) {
  if (!opens(v)) return v;
  if (nodes_[v].same != 0) return nodes_[v].same;
  Value same = v;
  if (nodes_[v].kind == Kind::Set) {
    std::vector<Value> parts = set(v);
    same = parts.size() == 1 ? parts[0] : sets_.try_emplace({nodes_[v].operation, std::move(parts)}, v).first->second;
  } else {
    const bool whole = hasLists(v);  // otherwise it may be a single value
    const Sum mine = whole ? Sum{} : sum(v);
    if (!whole && mine.products.empty() && mine.terms.size() == 1 && mine.terms[0].second == 1 && mine.constant == 0) {
      same = mine.terms[0].first;
    } else if (!whole && mine.products.empty() && mine.terms.empty()) {
      same = constant(mine.constant);
    } else {
      const auto [begin, end] = sums_.equal_range(nodes_[v].hash);
      const auto at = std::find_if(begin, end, [&](const auto& row) {
        return whole ? sameLists(row.second, v) || sum(row.second) == sum(v) : sum(row.second) == mine;
      });
      same = at == end ? sums_.emplace(nodes_[v].hash, v)->second : at->second;
    }
  }
  nodes_[v].same = same;
  return same;
}

bool Terms::equal(Value a, Value b) {
  if (a == b) return true;
  const bool sums = nodes_[a].kind == Kind::Sum && nodes_[b].kind == Kind::Sum;
  if (sums && nodes_[a].hash != nodes_[b].hash) return false;
  if (sums && nodes_[a].same == 0 && nodes_[b].same == 0) return sameLists(a, b) || sum(a) == sum(b);
  return canonical(a) == canonical(b);
}

std::string Terms::print(Value v, const Names& names, int most) { return print(v, names, most, 0); }

std::string Terms::print(Value v, const Names& names, int most, int depth) {
  if (depth > kMaxPrintDepth) return "...";
  const Node n = nodes_[v];
  const auto inner = [&](Value x) { return print(x, names, most, depth + 1); };
  switch (n.kind) {
    case Kind::Undefined:
      return "undefined";
    case Kind::Input:
      if (n.isGuard()) return fmt::format("[size {} > {}]", -2 - n.copy, n.element);
      return names(n.operation, n.copy, n.element);
    case Kind::Constant:
      return fmt::format("{}", n.number);
    case Kind::Unary:
      return fmt::format("{}({})", operations_[n.operation], inner(n.a));
    case Kind::Binary:
      return fmt::format("({} {} {})", inner(n.a), operations_[n.operation], inner(n.b));
    case Kind::Set: {
      const std::vector<Value> set = setOf(v);
      const auto shown = std::min(set.size(), static_cast<std::size_t>(most));
      auto parts = mapped<std::string>(std::span(set).first(shown), inner);
      if (parts.size() < set.size()) parts.push_back(fmt::format("{} more", set.size() - parts.size()));
      return fmt::format("{}({})", operations_[n.operation], fmt::join(parts, ", "));
    }
    case Kind::Sum:
      return printSum(v, names, most, depth);
  }
  return "";
}

std::string Terms::printSum(Value v, const Names& names, int most, int depth) {
  const Sum s = sum(v);
  std::vector<std::string> parts;
  const auto times = [](u64 n) { return n == 1 ? std::string() : fmt::format("{}*", n); };
  const auto inner = [&](Value x) { return print(x, names, most, depth + 1); };
  if (s.constant != 0 || (s.terms.empty() && s.products.empty())) parts.push_back(fmt::format("{}", s.constant));
  std::size_t shown = 0;
  for (const auto& [term, n] : s.terms)
    if (shown++ < static_cast<std::size_t>(most)) parts.push_back(times(n) + inner(term));
  for (const auto& [product, n] : s.products)
    if (shown++ < static_cast<std::size_t>(most))
      parts.push_back(fmt::format("{}{}*{}", times(n), inner(product.first), inner(product.second)));
  if (shown > static_cast<std::size_t>(most))
    parts.push_back(fmt::format("{} more", shown - static_cast<std::size_t>(most)));
  const std::string text = fmt::format("{}", fmt::join(parts, " + "));
  return depth > 0 && parts.size() > 1 ? "(" + text + ")" : text;
}

std::string Terms::difference(Value expected, Value actual, const Names& names) {
  if (equal(expected, actual)) return "";
  if (nodes_[expected].kind == Kind::Set && nodes_[actual].kind == Kind::Set &&
      nodes_[expected].operation == nodes_[actual].operation) {
    const std::vector<Value> a = set(expected), b = set(actual);
    const std::string& name = nameOf(nodes_[expected].operation);
    for (const Value x : a)
      if (!std::ranges::binary_search(b, x)) return fmt::format("{} is missing in {}", print(x, names, 4, 1), name);
    for (const Value x : b)
      if (!std::ranges::binary_search(a, x))
        return fmt::format("{} is not among the {} arguments of {}", print(x, names, 4, 1), a.size(), name);
  }
  if (expected == undefined() || actual == undefined() ||
      (nodes_[expected].kind != Kind::Sum && nodes_[actual].kind != Kind::Sum))
    return fmt::format("expected {}, got {}", print(expected, names), print(actual, names));
  const Sum a = sum(expected), b = sum(actual);
  const auto inner = [&](Value x) { return print(x, names, 4, 1); };
  const auto first = [](const auto& expects, const auto& has, const auto& text) -> std::string {
    std::map<std::decay_t<decltype(expects[0].first)>, std::pair<u64, u64>> counts;
    for (const auto& [part, n] : expects) counts[part].first = n;
    for (const auto& [part, n] : has) counts[part].second = n;
    const auto at = std::ranges::find_if(counts, [](const auto& c) { return c.second.first != c.second.second; });
    if (at == counts.end()) return "";
    const auto [wanted, got] = at->second;
    return text(at->first) + (got == 0 ? " is missing" : fmt::format(" occurs {} times, not {}", got, wanted));
  };
  std::string out = first(a.terms, b.terms, inner);
  if (out.empty())
    out = first(a.products, b.products, [&](const Product& p) { return inner(p.first) + "*" + inner(p.second); });
  return out.empty() ? fmt::format("the sum begins with {}, not {}", b.constant, a.constant) : out;
}

}  // namespace tessera::graphene
