// Equal functions give equal answers. If equal(A, B) is proved and both have the same shape, every claim, size, place
// and count of A is that of B, and the code printed for either is the function of both.
//
// A group is one function in many spellings: nested and flat, with modes of one element, as CuTe, Axe, a formula with
// xor, an indexing map, or C. They are compared with the first of them. Excluded: spellings in the opposite direction
// (bases from registers to elements), whose claims are about the converse, and the codomains that XLA arrays declare.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <regex>

#include "tests/support/ask.h"
#include "tests/support/volume.h"

using namespace tessera;

namespace {

struct Random {
  std::mt19937_64 engine;
  i64 operator()(i64 n) { return static_cast<i64>(engine() % static_cast<u64>(n)); }
  i64 of(std::initializer_list<i64> list) { return list.begin()[(*this)(static_cast<i64>(list.size()))]; }
};

using Ints = std::vector<i64>;

std::string tuple(const Ints& v) { return fmt::format("({})", fmt::join(v, ",")); }

struct Group {
  Ints shape;
  std::vector<std::string> spellings;
  bool hardware = false;  // places on lanes, warps and registers
  bool declared = false;  // a spelling declares a codomain beyond its largest value (XLA's padding)
};

// A swizzle, or none (bits 0).
struct Sw {
  i64 bits = 0, base = 0, shift = 0;
};

Group randomGroup(Random& random) {
  Group g;
  const auto rank = static_cast<std::size_t>(random.of({1, 2, 2, 2, 3}));
  Ints strides(rank), order(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    g.shape.push_back(random.of({1, 2, 4, 8, 3, 6}));
    order[k] = static_cast<i64>(k);
  }
  std::shuffle(order.begin(), order.end(), random.engine);
  i64 next = random.of({1, 1, 1, 2});
  for (const i64 k : order) {
    strides[static_cast<std::size_t>(k)] = next;
    next *= g.shape[static_cast<std::size_t>(k)];
    if (random(5) == 0) next += random.of({1, 4});
  }
  if (random(6) == 0) strides[static_cast<std::size_t>(random(static_cast<i64>(rank)))] = random.of({0, 1, 2, -1, -3});
  const bool negative = *std::min_element(strides.begin(), strides.end()) < 0;
  Sw sw;
  if (!negative && random(2) == 0) {
    const i64 bits = random.of({1, 2, 3});
    sw = {bits, random(4), (bits + random(3)) * random.of({1, 1, -1})};
  }
  const i64 offset = random.of({0, 0, 0, 0, 3, 8});
  // CuTe, flat and with modes cut in two.
  const std::string flat =
      rank == 1 ? fmt::format("{}:{}", g.shape[0], strides[0]) : tuple(g.shape) + ":" + tuple(strides);
  std::string shape, stride;
  for (std::size_t k = 0; k < rank; ++k) {
    const i64 n = g.shape[k], s = strides[k], cut = n % 3 == 0 && n > 3 ? 3 : 2;
    const bool split = n > cut && n % cut == 0 && random(2) == 0;
    shape += (k == 0 ? "" : ",") + (split ? tuple({cut, n / cut}) : std::to_string(n));
    stride += (k == 0 ? "" : ",") + (split ? tuple({s, s * cut}) : std::to_string(s));
  }
  const std::string nested = "(" + shape + "):(" + stride + ")";
  const std::string axeOffset = offset == 0 ? "" : fmt::format(" + {}", offset);
  const std::string axe = fmt::format("S[{}]{} over {}", flat, axeOffset, tuple(g.shape));
  // With an iter of one element in front.
  const std::string longer = fmt::format("S[(1,{}):(0,{})]{} over {}", fmt::join(g.shape, ","), fmt::join(strides, ","),
                                         axeOffset, tuple(g.shape));
  std::string sum = std::to_string(offset), names, domain;
  for (std::size_t k = 0; k < rank; ++k) {
    sum += fmt::format(" + d{} * {}", k, strides[k]);
    names += fmt::format("{}d{}", k == 0 ? "" : ", ", k);
    domain += fmt::format("{}d{} in [0, {}]", k == 0 ? "" : ", ", k, g.shape[k] - 1);
  }
  std::string formula = sum;
  const std::string head = fmt::format("Sw<{},{},{}> o ", sw.bits, sw.base, sw.shift);
  if (sw.bits > 0) {
    const i64 from = sw.base + std::max<i64>(0, sw.shift), to = sw.base + std::max<i64>(0, -sw.shift);
    formula = fmt::format("({}) xor ((({}) floordiv {}) mod {}) * {}", sum, sum, i64{1} << from, i64{1} << sw.bits,
                          i64{1} << to);
    g.spellings = {fmt::format("{}{} o {}", head, offset, flat), fmt::format("{}{} o {}", head, offset, nested),
                   head + axe};
  } else if (offset != 0) {
    g.spellings = {axe, longer, fmt::format("Sw<0,4,3> o {} o {}", offset, flat)};
  } else {
    g.spellings = {flat, nested, axe, longer};
    if (rank == 2)
      g.spellings.push_back(fmt::format("%A:[{},{}:{},{}].fp32.SH", g.shape[0], g.shape[1], strides[0], strides[1]));
  }
  const std::string map = fmt::format("({}) -> (offset: {}), domain: {}", names, formula, domain);
  g.spellings.push_back(map);
  g.spellings.push_back(fmt::format("({}) -> ({}), domain: {}", names, formula, domain));
  g.spellings.push_back("to_map(" + g.spellings[0] + ")");
  for (const char* form : {"to_cute", "to_axe", "to_xla"}) g.spellings.push_back(fmt::format("{}({})", form, map));
  return g;
}

// An XLA array with tiles, and its translations.
Group randomArray(Random& random) {
  Group g;
  const auto rank = static_cast<std::size_t>(random.of({1, 2, 2, 3}));
  Ints order;
  for (std::size_t k = 0; k < rank; ++k) {
    g.shape.push_back(random.of({1, 2, 3, 4, 8, 16}));
    order.push_back(static_cast<i64>(k));
  }
  std::shuffle(order.begin(), order.end(), random.engine);
  static const std::vector<const char*> kTiles = {"T(2,4)", "T(4)", "T(8,4)(2,1)", "T(4,2)", "T(2,8)(4,1)", "T(3)"};
  const std::string array = fmt::format("f32[{}]{{{}:{}}}", fmt::join(g.shape, ","), fmt::join(order, ","),
                                        kTiles[static_cast<std::size_t>(random(static_cast<i64>(kTiles.size())))]);
  g.declared = true;
  g.spellings = {array};
  for (const char* form : {"to_map", "to_cute", "to_axe", "to_indexing_map"})
    g.spellings.push_back(fmt::format("{}({})", form, array));
  g.spellings.push_back(fmt::format("to_cute(to_map({}))", array));
  return g;
}

// An Axe layout on lanes, warps and registers, with its iters cut and ones of one element between them.
Group randomDistribution(Random& random) {
  Group g;
  g.hardware = true;
  std::map<std::string, i64> next;
  std::string extents, strides, cutExtents, cutStrides;
  const auto add = [](std::string& e, std::string& d, i64 extent, i64 stride, const std::string& axis) {
    e += fmt::format("{}{}", e.empty() ? "" : ",", extent);
    d += fmt::format("{}{}@{}", d.empty() ? "" : ",", stride, axis);
  };
  for (int k = 0; k < 2; ++k) {
    const i64 extent = random.of({2, 4, 8});
    g.shape.push_back(extent);
    for (i64 left = extent; left > 1;) {
      const i64 part = left % 4 == 0 ? random.of({2, 4}) : 2;
      left /= part;
      const std::string axis = std::vector<const char*>{"lane", "warp", "reg"}[static_cast<std::size_t>(random(3))];
      i64& stride = next.emplace(axis, 1).first->second;
      add(extents, strides, part, stride, axis);
      if (part == 4 && random(2) == 0) {
        add(cutExtents, cutStrides, 2, 2 * stride, axis);
        add(cutExtents, cutStrides, 2, stride, axis);
      } else {
        add(cutExtents, cutStrides, part, stride, axis);
      }
      if (random(3) == 0) add(cutExtents, cutStrides, 1, random(5), "lane");
      stride *= part * (random(8) == 0 ? 2 : 1);
    }
  }
  std::string behind = random(3) == 0 ? fmt::format(" + R[2:{}@warp]", next.emplace("warp", 1).first->second) : "";
  behind += std::vector<const char*>{"", " + 1@warp", " + 2@lane"}[static_cast<std::size_t>(random(3))];
  const std::string over = " over " + tuple(g.shape);
  const std::string plain = fmt::format("S[({}):({})]{}{}", extents, strides, behind, over);
  const std::string cut = fmt::format("S[({}):({})]{}{}", cutExtents, cutStrides, behind, over);
  g.spellings = {plain, cut, fmt::format("canonicalize({}){}", cut, over), fmt::format("to_map({})", plain),
                 fmt::format("to_map({})", cut)};
  return g;
}

Group anyGroup(Random& random) {
  const i64 kind = random(5);
  return kind == 0 ? randomArray(random) : kind == 1 ? randomDistribution(random) : randomGroup(random);
}

// Asked of what lies on hardware, too.
const std::vector<const char*> kEverywhere = {
    "injective({0})",     "surjective({0})",    "bijective({0})",     "surjective({0}, 8)",
    "bijective({0}, 16)", "roundtrip({0})",     "in_bounds({0})",     "in_bounds({0}, 12)",
    "disjoint({0})",      "not injective({0})", "size({0})",          "size({0}, 0)",
    "rank({0})",          "forward({0}, {1})",  "backward({0}, {2})", "backward({0}, {3})",
};
const std::vector<const char*> kInMemory = {
    "conflict_free({0}, ld.shared, f32)",
    "conflict_free({0}, ld.shared.column, f32)",
    "coalesced({0}, ld.global, f32)",
    "vectorizes({0}, 8, f32)",
    "vectorizes({0}, 16, f32)",
    "aligned({0}, 8, f32)",
    "aligned({0}, 16, f32)",
    "vector_bytes({0}, f32)",
    "wavefronts({0}, ld.shared, f32)",
    "sectors({0}, ld.global, f32)",
};

// A place says 0 of an axis, or leaves it out.
std::string answered(const Answer& a) {
  if (a.truth) return std::string(name(*a.truth));
  if (!a.ok) return "refused";
  static const std::regex kZero("\\w+: 0, |, \\w+: 0(?=[,}])|\\w+: 0(?=})");
  return a.text[0] == '[' ? std::regex_replace(a.text, kZero, "") : a.text;
}

// The printed C as an index formula, which is a layout again: S(i, j) = EXPRESSION over (..). "" where it is no single
// expression.
std::string formulaOfCode(const std::string& code, const Ints& shape) {
  const auto at = code.find(" offset(");
  const auto map = code.find(" map_at(");
  const auto begin = at != std::string::npos ? at + 8 : map != std::string::npos ? map + 8 : std::string::npos;
  if (begin == std::string::npos) return "";
  const auto end = code.find(')', begin), from = code.find("return ", end), to = code.find(';', from);
  if (code.find_first_not_of(" {\n", end + 1) != from || to == std::string::npos) return "";
  std::string parameters;
  for (std::size_t k = begin; k < end;) {
    const std::size_t comma = std::min(code.find(',', k), end);
    const std::string one = code.substr(k, comma - k);
    parameters += (parameters.empty() ? "" : ", ") + one.substr(one.rfind(' ') + 1);
    k = comma + 1;
  }
  return fmt::format("F({}) = {} over {}", parameters, code.substr(from + 7, to - from - 7), tuple(shape));
}

}  // namespace

TEST_CASE("equal functions give equal answers") {
  Random random{std::mt19937_64(20261123)};
  i64 compared = 0, codes = 0;
  const i64 groups = test::volume(80, 5000);
  for (i64 n = 0; n < groups; ++n) {
    const Group g = anyGroup(random);
    const std::string& first = g.spellings[0];
    Ints point;
    for (const i64 e : g.shape) point.push_back(random(e));
    const std::string place = std::to_string(random(24));
    const std::string lane = fmt::format("{{lane: {}, warp: {}}}", random(4), random(3));
    const auto put = [&](const char* question, const std::string& spelling) {
      return fmt::format(fmt::runtime(question), spelling, tuple(point), place, lane);
    };
    std::vector<const char*> questions = kEverywhere;
    if (!g.hardware) questions.insert(questions.end(), kInMemory.begin(), kInMemory.end());
    std::erase_if(questions, [&](const std::string& q) {
      return (g.declared && (q == "surjective({0})" || q == "bijective({0})")) ||
             (g.hardware && q == "backward({0}, {2})");
    });
    std::map<std::string, std::string> expected;
    for (const char* question : questions) expected[question] = answered(ask(put(question, first)));
    for (const std::string& spelling : g.spellings) {
      const Answer same = ask(fmt::format("equal({}, {})", first, spelling));
      INFO(first << "  |  " << spelling << "  |  " << same.text);
      if (!same.truth) {  // a form that cannot say it
        CHECK(spelling.rfind("to_", 0) == 0);
        continue;
      }
      CHECK(same.truth == Truth::Proved);
      if (same.truth != Truth::Proved) continue;
      ++compared;
      for (const char* question : questions) {
        INFO(put(question, spelling));
        CHECK(answered(ask(put(question, spelling))) == expected[question]);
      }
      if (g.hardware) continue;
      const Answer code = ask(fmt::format("code({}, c)", spelling));
      CHECK(code.ok);
      const std::string formula = formulaOfCode(code.text, g.shape);
      if (formula.empty()) continue;
      ++codes;
      const Answer runs = askAll(formula + "\nprove equal(F, " + first + ")");
      INFO(formula << "  |  " << runs.text);
      CHECK(runs.truth == Truth::Proved);
    }
  }
  CHECK(compared > groups * 4);
  CHECK(codes > groups * 2);
}

TEST_CASE("where nothing declares a codomain it ends at the largest value") {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"Sw<1,2,3> o S[8:1]", "8:1"},
      {"Sw<3,3,3> o S[(8,40):(40,1)] over (8,40)", "Sw<3,3,3> o (8,40):(40,1)"},
      {"Sw<1,0,-2> o 2:5", "2:1"},
      {"(d0) -> (d0 xor (d0 floordiv 8)), domain: d0 in [0, 7]", "8:1"},
      {"(d0, d1) -> ((d0 * 40 + d1) xor ((d0 * 40 + d1) floordiv 64 mod 8 * 8)), domain: d0 in [0, 7], d1 in [0, 39]",
       "Sw<3,3,3> o (8,40):(40,1)"},
      {"(d0) -> ((d0 xor 3) - 8), domain: d0 in [0, 3]", "(d0) -> (d0 * -1 - 5), domain: d0 in [0, 3]"},
  };
  for (const auto& [a, b] : pairs) {
    for (const char* claim : {"injective", "surjective", "bijective", "in_bounds"}) {
      const Answer x = ask(fmt::format("{}({})", claim, a)), y = ask(fmt::format("{}({})", claim, b));
      INFO(claim << ": " << a << ": " << x.text << "; " << b << ": " << y.text);
      CHECK(x.truth.has_value());
      CHECK(x.truth == y.truth);
    }
  }
  CHECK(ask("bijective(Sw<1,2,3> o S[8:1])").truth == Truth::Proved);
  CHECK(ask("bijective(Sw<3,3,3> o S[(8,40):(40,1)] over (8,40))").truth == Truth::Proved);
  // What declares more keeps it, and a number asks both alike.
  CHECK(ask("bijective(f32[3,128]{1,0:T(8,128)})").truth == Truth::Refuted);
  CHECK(ask("bijective(f32[3,128]{1,0:T(8,128)}, 384)").truth == Truth::Proved);
  CHECK(ask("bijective((3,128):(128,1))").truth == Truth::Proved);
  CHECK(ask("surjective(S[8:1@lane])").truth == Truth::Refuted);
}

TEST_CASE("a place is an address, a lane or a warp, and these differ") {
  const std::vector<std::pair<const char*, const char*>> differ = {
      {"S[8:1]", "S[8:1] + 1@warp"},  {"8:1", "S[8:1] + 1@warp"}, {"f32[8]", "S[8:1] + 1@warp"},
      {"S[8:1@lane]", "S[8:1@warp]"}, {"S[8:1]", "S[8:1@lane]"},
  };
  for (const auto& [a, b] : differ) {
    INFO(a << " | " << b);
    CHECK(ask(fmt::format("equal({}, {})", a, b)).truth == Truth::Refuted);
    CHECK(ask(fmt::format("equal({}, {})", b, a)).truth == Truth::Refuted);
  }
  CHECK(ask("equal(S[8:1@m], 8:1)").truth == Truth::Proved);
  CHECK(ask("equal(S[8:1], S[8:1] + 0@warp)").truth == Truth::Proved);
}

TEST_CASE("a Triton layout in memory equals its bases") {
  const std::vector<std::string> layouts = {
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0], CGALayout = [[1, 0]]}> over (16,16)",
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0], CGALayout = [[0, 0]]}> over (16,16)",
      "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], CGALayout = [[0, 1], [1, 0]]}> over "
      "(32,16)",
      "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], CGALayout = [[0, 1], [0, 0]]}> over "
      "(32,16)",
      "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}> over "
      "(16,128)",
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}> "
      "over "
      "(32,64)",
      "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {}}> over (2,16,16)",
      "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {}}> over (16,16)",
  };
  for (const std::string& layout : layouts) {
    const std::string linear = ask("to_linear(" + layout + ")").text;
    for (const std::string& other : {"to_linear(" + layout + ")", linear, layout}) {
      const Answer a = ask(fmt::format("equal({}, {})", layout, other));
      INFO(layout << " | " << other << ": " << a.text);
      CHECK(a.truth == Truth::Proved);
      CHECK(ask(fmt::format("equal({}, {})", other, layout)).truth == Truth::Proved);
    }
  }
  // One basis changed is another layout.
  CHECK(ask("equal(#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0], CGALayout = [[0, 0]]}> "
            "over (4,4), offset = [[0, 1], [0, 2], [1, 1], [2, 2]], block = [[0, 1]] -> dim0 4, dim1 4)")
            .truth == Truth::Refuted);
}

TEST_CASE("a layout is recognised by its values where its formula hides it") {
  CHECK(askAll("F(row) = ((row * 5) / 4 * 8) over (2)\nto_cute(F)").text == "2:8");
  CHECK(ask("to_cute((d0) -> (min(d0, 3) + max(d0, 3) * 2), domain: d0 in [0, 1])").text != "");
  CHECK(ask("to_cute((d0, d1) -> ((d0 * 9 + 1) floordiv 3 + d1 * 6 - d0), domain: d0 in [0, 2], d1 in [0, 1])").text ==
        "(3,2):(2,6)");
}
