// Text is meaning: the printed text of a value parses to the same value. A layout converted to another notation is the
// same layout, both as the call to_Y(X) and as the text that it printed. The values are random, of every notation. Each
// has a table that plain loops in this file compute, never the product.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "core/layout/hardware.h"
#include "core/worksheet/value.h"
#include "tests/agree/families.h"
#include "tests/support/ask.h"
#include "tests/support/volume.h"

using namespace tessera;

namespace {

using Ints = std::vector<i64>;
using Place = std::map<std::string, i64>;           // axis -> value, zeros left out; the only memory is "m"
using Relation = std::set<std::pair<Ints, Place>>;  // element -> place, all of them

struct Random {
  std::mt19937_64 engine;
  i64 operator()(i64 n) { return static_cast<i64>(engine() % static_cast<u64>(n)); }
  bool once(i64 in) { return (*this)(in) == 0; }
  template <typename T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>((*this)(static_cast<i64>(list.size())))];
  }
};

// A text and what it means.
struct Sample {
  std::string text;
  Relation meaning;
  std::vector<std::string> must;  // notations that can express it
};

// Every coordinate of the extents, in no order that matters.
void forAll(const Ints& extents, const std::function<void(const Ints&)>& visit) {
  Ints at(extents.size(), 0);
  while (true) {
    visit(at);
    std::size_t k = 0;
    for (; k < at.size(); ++k) {
      if (++at[k] < extents[k]) break;
      at[k] = 0;
    }
    if (k == at.size()) return;
  }
}

i64 product(const Ints& v) {
  i64 p = 1;
  for (const i64 x : v) p *= x;
  return p;
}

void put(Place& place, const std::string& axis, i64 value) {
  if ((place[axis] += value) == 0) place.erase(axis);
}

Place inMemory(i64 address) {
  Place place;
  put(place, "m", address);
  return place;
}

// What a value of the product says, point by point; nullopt for one whose sides have no names to compare.
std::optional<Relation> relationOf(const Value& value) {
  const Result<Arrow> arrow = arrowOf(value);
  if (!arrow || !arrow->map.params().empty()) return std::nullopt;
  const Map& map = arrow->map;
  const bool back = arrow->to.kind == SpaceKind::Elements;  // from the hardware, or a memory, to elements
  if (!back && map.axes().size() != 1 && arrow->to.kind == SpaceKind::Coordinates) return std::nullopt;
  Ints extents = extentsOf(arrow->from);
  std::vector<i64> fans;
  for (const int k : map.fanDigits()) fans.push_back(map.digits()[static_cast<std::size_t>(k)].extent);
  Relation out;
  forAll(extents, [&](const Ints& from) {
    Ints coord = from;
    for (std::size_t k = 0; k < coord.size(); ++k) coord[k] += arrow->from.modes[k].lo;
    const Ints digits = digitsAt(*arrow, coord);
    forAll(fans, [&](const Ints& fan) {
      Ints point = digits;
      std::size_t next = 0;
      for (const int k : map.fanDigits()) point[static_cast<std::size_t>(k)] = fan[next++];
      for (const Guard& g : map.guards()) {
        const i64 v = evaluate(g.value, point);
        if (v < g.lo || v > g.hi) return;
      }
      if (back) {
        Ints element;
        Place place;
        for (const Axis& a : map.axes()) element.push_back(evaluate(a.value, point));
        for (std::size_t k = 0; k < coord.size(); ++k) put(place, hardwareAxis(arrow->from.modes[k].name), coord[k]);
        out.emplace(element, place);
        return;
      }
      Place place;
      for (const Axis& a : map.axes())
        put(place, map.axes().size() == 1 && arrow->to.kind != SpaceKind::Hardware ? "m" : hardwareAxis(a.name),
            evaluate(a.value, point));
      out.emplace(coord, place);
    });
  });
  return out;
}

// --- random values

struct Tree {  // a nested shape with its strides
  i64 extent = 1, stride = 0;
  std::vector<Tree> children;
  [[nodiscard]] i64 size() const {
    if (children.empty()) return extent;
    i64 p = 1;
    for (const Tree& t : children) p *= t.size();
    return p;
  }
  [[nodiscard]] i64 at(i64 index) const {
    if (children.empty()) return index * stride;
    i64 sum = 0;
    for (std::size_t k = 0; k < children.size(); ++k) {
      const i64 size = children[k].size();
      sum += children[k].at(k + 1 == children.size() ? index : index % size);
      index /= size;
    }
    return sum;
  }
  [[nodiscard]] std::string text(bool strides) const {
    if (children.empty()) return std::to_string(strides ? stride : extent);
    std::string out = "(";
    for (const Tree& t : children) out += (out.size() == 1 ? "" : ",") + t.text(strides);
    return out + ")";
  }
  void leaves(std::vector<Tree*>& into) {
    if (children.empty()) into.push_back(this);
    for (Tree& t : children) t.leaves(into);
  }
};

Tree randomTree(Random& random, int depth, bool powers) {
  Tree t;
  if (depth > 0 && random.once(3)) {
    for (i64 n = 1 + random(3); n > 0; --n) t.children.push_back(randomTree(random, depth - 1, powers));
    return t;
  }
  t.extent = random.once(4) ? 1 : powers ? i64{1} << (1 + random(2)) : 1 + random(5);
  return t;
}

// A layout of rank 0 to 4. compact: the strides are a permutation's.
Tree randomLayout(Random& random, bool compact, bool negative, bool powers) {
  constexpr i64 kMost = 300;  // elements
  Tree t;
  const i64 rank = random(5);
  while (static_cast<i64>(t.children.size()) < rank) {
    t.children.push_back(randomTree(random, 2, powers));
    if (t.size() > kMost) t.children.back() = Tree{};
  }
  std::vector<Tree*> leaves;
  if (rank > 0) t.leaves(leaves);
  std::vector<Tree*> order = leaves;
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(random(static_cast<i64>(k)))]);
  i64 next = 1;
  for (Tree* leaf : order) {
    leaf->stride = next;
    next *= leaf->extent;
    if (!compact && random.once(3)) leaf->stride = random(12);
    if (negative && random.once(4)) leaf->stride = -leaf->stride;
    if (leaf->extent == 1 && random.once(2)) leaf->stride = random(20);
  }
  return t;
}

Ints modesOf(const Tree& t) {
  Ints extents;
  for (const Tree& mode : t.children) extents.push_back(mode.size());
  return extents;
}

i64 leastOf(const Tree& t) {
  i64 least = 0;
  std::vector<Tree*> leaves;
  Tree copy = t;
  copy.leaves(leaves);
  for (const Tree* leaf : leaves) least += std::min<i64>(0, (leaf->extent - 1) * leaf->stride);
  return least;
}

Relation memoryRelation(const Tree& t, const std::function<i64(i64)>& outer) {
  Relation out;
  forAll(modesOf(t), [&](const Ints& c) {
    i64 sum = 0;
    for (std::size_t k = 0; k < c.size(); ++k) sum += t.children[k].at(c[k]);
    out.emplace(c, inMemory(outer(sum)));
  });
  return out;
}

std::string cuteText(const Tree& t) { return t.children.empty() ? "():()" : t.text(false) + ":" + t.text(true); }

Sample cute(Random& random) {
  const bool compact = random.once(2);
  const Tree t = randomLayout(random, compact, !compact && random.once(2), random.once(2));
  Sample s{cuteText(t), memoryRelation(t, [](i64 x) { return x; }), {"to_cute", "to_map", "to_indexing_map"}};
  if (!t.children.empty()) s.must.emplace_back("to_axe");
  return s;
}

// Sw<b,m,s>(x), by its definition.
i64 swizzled(i64 b, i64 m, i64 s, i64 x) {
  const i64 mask = (i64{1} << b) - 1;
  return s >= 0 ? x ^ (((x >> (m + s)) & mask) << m) : x ^ (((x >> m) & mask) << (m - s));
}

struct RandomSwizzle {
  i64 b, m, s;
  explicit RandomSwizzle(Random& random) : b(random(4)), m(random(4)), s(b + random(2)) {
    if (random.once(3)) s = -s;
  }
};

Sample composed(Random& random) {
  const RandomSwizzle z(random);
  const Tree t = randomLayout(random, random.once(2), random.once(3), random.once(2));
  const i64 offset = random.once(2) ? 0 : random(9) - leastOf(t);
  if (offset + leastOf(t) < 0 || t.children.empty()) return cute(random);
  return {fmt::format("Sw<{},{},{}> o {} o {}", z.b, z.m, z.s, offset, cuteText(t)),
          memoryRelation(t, [&](i64 x) { return swizzled(z.b, z.m, z.s, offset + x); }),
          {"to_cute", "to_map", "to_indexing_map"}};
}

// On the bits of an address, for elements of so many bits; the text says so in one of three ways.
Sample onBytes(Random& random) {
  const RandomSwizzle z(random);
  const Tree t = randomLayout(random, random.once(2), false, true);
  if (t.children.empty()) return cute(random);
  const auto [type, bits] = random.of(
      std::vector<std::pair<std::string, i64>>{{"b1", 1}, {"u4", 4}, {"u8", 8}, {"f16", 16}, {"f32", 32}, {"f64", 64}});
  const i64 m = z.m + 3;  // 8 elements at least stay together
  const auto at = [&, width = bits](i64 x) {
    return swizzled(z.b, m + 3, std::abs(z.s), x * width) / width;
  };  // bytes are 2^3 bits
  // A source or target bit inside an element would be no function of elements; keep those above it.
  const i64 s = std::abs(z.s);
  switch (random(3)) {
    case 0:
      return {fmt::format("Sw<{},{},{}> o smem_ptr[{}b](unset) o {}", z.b, m, s, bits, cuteText(t)),
              memoryRelation(t, at),
              {"to_cute", "to_map", "to_indexing_map"}};
    case 1:
      return {fmt::format("S<{},{},{}> o 0 o {} over {}", z.b, m, s, cuteText(t), type),
              memoryRelation(t, at),
              {"to_cute", "to_map", "to_indexing_map"}};
    default:
      return {fmt::format("Sw<{},{},{}>_smem_ptr[{}b](0x7f2d0{:07x}) o {}", z.b, m, s, bits, 0x100000 * random(4),
                          cuteText(t)),
              memoryRelation(t, at),
              {"to_cute", "to_map", "to_indexing_map"}};
  }
}

// (4,5):(1,4) o 2 o L, read by the remainder of the last mode.
Sample affine(Random& random) {
  const Tree t = randomLayout(random, random.once(2), false, false);
  const i64 offset = random(5);
  if (t.children.empty()) return cute(random);
  const i64 a = 2 + random(4), da = random(9), b = 2 + random(4), db = random(9);
  return {fmt::format("({},{}):({},{}) o {} o {}", a, b, da, db, offset, cuteText(t)),
          memoryRelation(t, [&](i64 x) { return (offset + x) % a * da + (offset + x) / a * db; }),
          {"to_map", "to_indexing_map"}};
}

struct AxeIter {
  i64 extent, stride;
  std::string axis;
};

Sample axe(Random& random) {
  const std::vector<std::string> all = {"m", "lane", "reg", "warp"};
  const bool memory = random.once(2);
  const std::vector<std::string> axes = memory ? std::vector<std::string>{"m"} : all;
  std::vector<AxeIter> iters, replicas;
  i64 next = 1;
  for (i64 n = 1 + random(4); n > 0; --n) {
    const i64 extent = random.once(5) ? 1 : i64{1} << (1 + random(2));
    iters.push_back({extent, memory && random.once(4) ? random(9) - 2 : next, random.of(axes)});
    next *= extent;
  }
  if (random.once(3)) replicas.push_back({2, next, random.of(axes)});
  const auto list = [](const std::vector<AxeIter>& its) {
    std::string extents, strides;
    for (const AxeIter& it : its) {
      extents += fmt::format("{}{}", extents.empty() ? "" : ",", it.extent);
      strides += fmt::format("{}{}{}", strides.empty() ? "" : ",", it.stride, it.axis == "m" ? "" : "@" + it.axis);
    }
    return its.size() == 1 ? extents + ":" + strides : "(" + extents + "):(" + strides + ")";
  };
  std::string text = "S[" + list(iters) + "]";
  if (!replicas.empty()) text += " + R[" + list(replicas) + "]";
  const i64 offset = random.once(3) ? 1 + random(4) : 0;
  const std::string where = random.of(axes);
  if (offset != 0) text += fmt::format(" + {}{}", offset, where == "m" ? "" : "@" + where);
  Ints shape;
  for (const AxeIter& it : iters) shape.push_back(it.extent);
  if (random.once(2)) {  // another shape: two neighbours joined, or all
    if (shape.size() > 1 && random.once(2)) {
      const auto k = static_cast<std::size_t>(random(static_cast<i64>(shape.size()) - 1));
      shape[k] *= shape[k + 1];
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    } else if (random.once(2)) {
      shape = {product(shape)};
    }
    text += fmt::format(" over ({})", fmt::join(shape, ","));
  }
  Relation meaning;
  forAll(shape, [&](const Ints& c) {
    i64 linear = 0;  // the last dimension fastest
    for (std::size_t k = 0; k < c.size(); ++k) linear = linear * shape[k] + c[k];
    Place place;
    put(place, where, offset);
    for (std::size_t k = iters.size(); k-- > 0;) {
      put(place, iters[k].axis, linear % iters[k].extent * iters[k].stride);
      linear /= iters[k].extent;
    }
    for (i64 r = 0; r < (replicas.empty() ? 1 : 2); ++r) {
      Place copy = place;
      if (r == 1) put(copy, replicas[0].axis, replicas[0].stride);
      meaning.emplace(c, copy);
    }
  });
  Sample s{text, std::move(meaning), {"to_axe", "to_map", "to_indexing_map"}};
  if (memory && replicas.empty()) s.must.emplace_back("to_cute");
  return s;
}

Sample swizzledAxe(Random& random) {
  const RandomSwizzle z(random);
  const i64 rows = i64{1} << (1 + random(3)), columns = i64{1} << (1 + random(4)), pitch = columns + random(3) * 4;
  Relation meaning;
  forAll({rows, columns},
         [&](const Ints& c) { meaning.emplace(c, inMemory(swizzled(z.b, z.m, z.s, c[0] * pitch + c[1]))); });
  return {fmt::format("Sw<{},{},{}> o S[({},{}):({},1)]{}", z.b, z.m, z.s, rows, columns, pitch,
                      random.once(2) ? fmt::format(" over ({},{})", rows, columns) : ""),
          std::move(meaning),
          {"to_cute", "to_map", "to_indexing_map"}};
}

// dim0 = [[..], ..], dim1 = [..] -> offset N, with random bases; or register, lane -> dim0, dim1.
Sample linearBases(Random& random) {
  const bool memory = random.once(2);
  const std::vector<std::string> ins =
      memory ? std::vector<std::string>{"dim0", "dim1"} : std::vector<std::string>{"register", "lane", "warp"};
  const Ints outs = memory ? Ints{64} : Ints{8, 8};
  std::vector<std::vector<Ints>> bases;
  std::string text;
  for (const std::string& in : ins) {
    bases.emplace_back();
    std::string list;
    for (i64 n = random(3); n > 0; --n) {
      Ints basis;
      for (const i64 size : outs) basis.push_back(random.once(3) ? random(size) : (i64{1} << random(6)) % size);
      list += fmt::format("{}[{}]", list.empty() ? "" : ", ", fmt::join(basis, ", "));
      bases.back().push_back(std::move(basis));
    }
    text += fmt::format("{}{} = [{}]", text.empty() ? "" : ", ", in, list);
  }
  text += memory ? " -> offset 64" : " -> dim0 8, dim1 8";
  Ints extents;
  for (const auto& list : bases) extents.push_back(i64{1} << list.size());
  Relation meaning;
  forAll(extents, [&](const Ints& c) {
    Ints value(outs.size(), 0);
    for (std::size_t k = 0; k < c.size(); ++k)
      for (std::size_t bit = 0; bit < bases[k].size(); ++bit)
        for (std::size_t o = 0; o < outs.size(); ++o)
          if ((c[k] >> bit & 1) != 0) value[o] ^= bases[k][bit][o];
    if (memory) {
      meaning.emplace(c, inMemory(value[0]));
    } else {
      Place place;
      for (std::size_t k = 0; k < c.size(); ++k) put(place, hardwareAxis(ins[k]), c[k]);
      meaning.emplace(value, place);
    }
  });
  return {text, std::move(meaning), {"to_linear", "to_map", "to_indexing_map"}};
}

// Sizes and order, and tiles that divide.
Sample xlaArray(Random& random) {
  Ints sizes, order;
  for (i64 n = random(5); n > 0; --n) sizes.push_back(random.once(4) ? 1 : 1 + random(5));
  for (std::size_t k = 0; k < sizes.size(); ++k) order.push_back(static_cast<i64>(k));
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(random(static_cast<i64>(k)))]);
  const std::string type = random.of(std::vector<std::string>{"f32", "bf16", "s8"});
  std::string text = fmt::format("{}[{}]", type, fmt::join(sizes, ","));
  if (!sizes.empty()) text += fmt::format("{{{}}}", fmt::join(order, ","));
  Relation meaning;
  forAll(sizes, [&](const Ints& c) {
    i64 address = 0;
    for (std::size_t k = order.size(); k-- > 0;)  // minor to major: the last is the slowest
      address = address * sizes[static_cast<std::size_t>(order[k])] + c[static_cast<std::size_t>(order[k])];
    meaning.emplace(c, inMemory(address));
  });
  return {text, std::move(meaning), {"to_xla", "to_axe", "to_cute", "to_map", "to_indexing_map"}};
}

Sample indexingMap(Random& random) {
  const i64 rank = 1 + random(3);
  std::string names, domain;
  Ints lo, extents;
  for (i64 k = 0; k < rank; ++k) {
    lo.push_back(random.once(3) ? random(4) : 0);
    extents.push_back(1 + random(5));
    names += fmt::format("{}d{}", k == 0 ? "" : ", ", k);
    domain += fmt::format("{}d{} in [{}, {}]", k == 0 ? "" : ", ", k, lo.back(), lo.back() + extents.back() - 1);
  }
  const i64 a = random(rank), b = random(rank), factor = 1 + random(6), divisor = 1 + random(4), more = random(9);
  const std::string value =
      fmt::format("d{} * {} + (d{} + {}) floordiv {} + d{} mod {}", a, factor, b, more, divisor, a, divisor);
  const bool bounded = random.once(3);
  if (bounded) domain += fmt::format(", d{} + d{} in [1, 6]", a, b);
  Relation meaning;
  forAll(extents, [&](const Ints& c) {
    Ints d = c;
    for (std::size_t k = 0; k < d.size(); ++k) d[k] += lo[k];
    const i64 x = d[static_cast<std::size_t>(a)], y = d[static_cast<std::size_t>(b)];
    if (bounded && (x + y < 1 || x + y > 6)) return;
    meaning.emplace(d, inMemory(x * factor + (y + more) / divisor + x % divisor));
  });
  return {fmt::format("({}) -> ({}{}), domain: {}", names, random.once(2) ? "offset: " : "", value, domain),
          std::move(meaning),
          {"to_map", "to_indexing_map"}};
}

// %A:[4,(2,4):1,(4,8)].fp32.GL
Sample grapheneTensor(Random& random) {
  const Tree t = randomLayout(random, random.once(2), false, random.once(2));
  if (t.children.empty()) return cute(random);
  Tree flat;  // a dimension nests once
  for (Tree mode : t.children) {
    std::vector<Tree*> leaves;
    mode.leaves(leaves);
    Tree one;
    for (const Tree* leaf : leaves) one.children.push_back(*leaf);
    flat.children.push_back(one.children.size() == 1 ? one.children[0] : one);
  }
  std::string shape = flat.text(false), stride = flat.text(true);
  return {fmt::format("%A:[{}:{}].fp32.SH", shape.substr(1, shape.size() - 2), stride.substr(1, stride.size() - 2)),
          memoryRelation(flat, [](i64 x) { return x; }),
          {"to_cute", "to_map", "to_indexing_map"}};
}

const std::vector<std::pair<const char*, Sample (*)(Random&)>> kMakers = {{"CuTe", cute},
                                                                          {"composed", composed},
                                                                          {"on bytes", onBytes},
                                                                          {"affine", affine},
                                                                          {"Axe", axe},
                                                                          {"swizzled Axe", swizzledAxe},
                                                                          {"bases", linearBases},
                                                                          {"XLA", xlaArray},
                                                                          {"indexing map", indexingMap},
                                                                          {"Graphene", grapheneTensor}};

const std::vector<std::string> kTranslations = {"to_cute", "to_axe", "to_linear",
                                                "to_xla",  "to_map", "to_indexing_map"};

std::string truth(const Answer& a) { return a.truth ? std::string(name(*a.truth)) : a.ok ? "no verdict" : "refused"; }

void proved(const std::string& a, const std::string& b) {
  const Answer same = ask("equal(" + a + ", " + b + ")");
  INFO("equal(" << a << ", " << b << "): " << same.text);
  CHECK(truth(same) == "proved");
}

// The meaning as this value can say it.
Relation comparable(const Relation& meaning, const Value& value) {
  Relation out;
  const Result<Arrow> arrow = arrowOf(value);
  const bool unnamed = arrow->to.kind == SpaceKind::Coordinates;
  const bool rank1 = arrow->from.modes.size() == 1;
  for (auto [element, place] : meaning) {
    if (element.empty() && rank1) element = {0};  // Axe has no shape of rank 0: one element is (0) there
    if (unnamed && place.size() == 1) place = inMemory(place.begin()->second);
    out.emplace(std::move(element), std::move(place));
  }
  return out;
}

bool onHardware(const Value& value) {
  const Result<Arrow> arrow = arrowOf(value);
  return arrow && isDistribution(*arrow);
}

// Of the value, of its text, of what it is in every other notation and of the text of that.
void holds(const std::string& text, const std::optional<Relation>& meaning, const std::vector<std::string>& must) {
  const Answer value = ask(text);
  INFO(text << " is " << value.text);
  REQUIRE(value.ok);
  const auto means = [&](const std::optional<Value>& v, const std::string& what) {
    if (!v || !meaning) return;
    const std::optional<Relation> found = relationOf(*v);
    INFO(what);
    if (found) CHECK(*found == comparable(*meaning, *v));
  };
  means(value.value, text);
  proved(text, value.text);
  const Answer again = ask(value.text);
  CHECK(again.text == value.text);
  means(again.value, value.text);
  for (const std::string& to : kTranslations) {
    // The bases of a padded layout are its linear part, as the compiler has them.
    if (to == "to_linear" && text.find("padded_shared") != std::string::npos) continue;
    const Answer other = ask(to + "(" + text + ")");
    INFO(to << " gives " << other.text);
    if (std::find(must.begin(), must.end(), to) != must.end()) CHECK(other.ok);
    if (!other.ok) continue;
    // (thread, value) -> index of the tile is another table; equal knows how the two belong together.
    const bool threadValue = to == "to_cute" && onHardware(*value.value);
    if (!threadValue) means(other.value, to);
    proved(text, to + "(" + text + ")");
    proved(text, other.text);
    const Answer pasted = ask(other.text);
    CHECK(pasted.ok);
    if (!threadValue) means(pasted.value, other.text);
  }
}

}  // namespace

TEST_CASE("text is meaning: every spelling of the families, as printed and in every other notation") {
  for (const Family& family : kFamilies)
    for (const std::string& spelling : family.spellings) holds(spelling, std::nullopt, {});
}

TEST_CASE("text is meaning: what no random value is") {
  for (const char* text : {
           "zN<2>(32,48)",
           "nZ<2>(32,48)",
           "zZ<4>(32,32)",
           "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}> "
           "over (32,16)",
           "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}> over "
           "(16,8)",
           "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> over (64,64)",
           "f32[16,128]{1,0:T(8,128)}",
           "bf16[16,256]{1,0:T(8,128)(2,1)}",
           "f32[10,200]{1,0:T(8,128)}",
           "bf16[8,128]{1,0:S(1)}",
           "tmem_[32b](0x0010.0004) o (8,4):(65536,1)",
           "subptr[4b](0x400.1) o (8):(1)",
           "counting_iter(42) o (4,5):(1,4)",
           "(4,(2,3)):(1@0,(1@0@1,1@1@1))",
           "ArithTuple(0,3) o (4,5):(1@0,1@1)",
           "tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>",
           "!cute.memref<f16, smem, align<1024>, \"S<3,4,3> o 0 o (8,64):(64,1)\">",
           "ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>",
           "Sw<3,4,3>_smem_ptr[16b](0x80) o 64:1",
           "%s:Sw<3,3,3> o [64,64:64,1].fp16.SH",
           "atlas(mma.m16n8k16, A)",
           "S[(2,128,512):(512@F,1@P,1@F)] over (256,512)",
           "to_map(((2,2),4):((8,1),2))",
           "S[(8,4):(1@tx,8@tx)] over (32)",
           "S[(2,64):(1@gpuid,1)] over (128)",
       }) {
    holds(text, std::nullopt, {});
  }
}

TEST_CASE("text is meaning: random values of every notation") {
  for (const auto& [name, make] : kMakers) {
    Random random{std::mt19937_64(20261125)};
    for (i64 n = test::volume(200, 20'000); n > 0; --n) {
      const Sample sample = make(random);
      INFO(name);
      holds(sample.text, sample.meaning, sample.must);
    }
  }
}

TEST_CASE("distributions are equal exactly where they put every element at the same places") {
  // A register is no lane: few bases over few places, so that many pairs differ in the place only.
  Random random{std::mt19937_64(20261124)};
  const std::vector<std::string> places = {"register", "lane", "warp"};
  const auto some = [&] {
    std::map<std::string, std::string> bases;
    for (i64 n = 0; n < 2; ++n) {
      std::string& list = bases[places[static_cast<std::size_t>(random(3))]];
      list += fmt::format("{}[{}]", list.empty() ? "" : ", ", random.once(8) ? 0 : i64{1} << n);
    }
    std::string text;
    for (const std::string& p : places) text += fmt::format("{}{} = [{}]", text.empty() ? "" : ", ", p, bases[p]);
    return text + " -> dim0 4";
  };
  int same = 0, apart = 0;
  for (i64 n = test::volume(400, 20'000); n > 0; --n) {
    const std::string a = some(), b = random.once(4) ? "to_axe(" + some() + ")" : some();
    const Answer x = ask(a), y = ask(b), both = ask("equal(" + a + ", " + b + ")");
    if (!x.ok || !y.ok) continue;  // no Axe layout
    const std::optional<Relation> first = relationOf(*x.value), second = relationOf(*y.value);
    REQUIRE(first);
    REQUIRE(second);
    INFO("equal(" << a << ", " << b << "): " << both.text);
    REQUIRE((truth(both) == "proved") == (*first == *second));
    REQUIRE((truth(both) == "refuted") == (*first != *second));
    ++(*first == *second ? same : apart);
  }
  CHECK(same > 10);
  CHECK(apart > 10);
}
