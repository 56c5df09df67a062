// The laws of linear layouts by enumeration, of attribute text, and of translations.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/map/map.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/eval.h"
#include "core/notation/convert.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"

using namespace tessera;

namespace {

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  i64 below(i64 n) { return static_cast<i64>(engine() % static_cast<unsigned>(n)); }
  linear::Layout layout(std::vector<std::string> ins, const std::vector<std::string>& outs, int mostBits = 3) {
    std::vector<linear::Out> sized;
    for (const std::string& n : outs) sized.push_back({n, i64{1} << below(mostBits + 1)});
    std::vector<linear::In> dims;
    for (std::string& n : ins) {
      linear::In in{std::move(n), {}};
      for (i64 b = below(mostBits + 1); b > 0; --b) {
        linear::Basis basis;
        for (const linear::Out& out : sized) basis.push_back(below(out.size));
        in.bases.push_back(std::move(basis));
      }
      dims.push_back(std::move(in));
    }
    return *linear::Layout::create(std::move(dims), std::move(sized));
  }
};

// Every input tuple of a layout.
std::vector<std::vector<i64>> everyInput(const linear::Layout& l) {
  std::vector<std::vector<i64>> all = {{}};
  for (const linear::In& in : l.ins()) {
    std::vector<std::vector<i64>> next;
    for (const auto& prefix : all)
      for (i64 v = 0; v < (i64{1} << in.bases.size()); ++v) {
        next.push_back(prefix);
        next.back().push_back(v);
      }
    all = std::move(next);
  }
  return all;
}

i64 valueOf(const linear::NamedValues& values, const std::string& name) {
  for (const auto& [n, v] : values)
    if (n == name) return v;
  return 0;
}

linear::NamedValues namedInput(const linear::Layout& l, const std::vector<i64>& x) {
  linear::NamedValues named;
  for (std::size_t k = 0; k < x.size(); ++k) named.push_back({l.ins()[k].name, x[k]});
  return named;
}

}  // namespace

TEST_CASE("L(x ^ y) = L(x) ^ L(y), and the map is L") {
  Random random(1);
  for (int n = 0; n < 200; ++n) {
    const linear::Layout l = random.layout({"register", "lane"}, {"dim0", "dim1"});
    INFO(print(l));
    const auto map = toMap(l);
    REQUIRE(map.ok());
    const auto all = everyInput(l);
    std::set<std::vector<i64>> image;
    for (const auto& x : all) {
      CHECK(map->at(x) == l.at(x));
      image.insert(l.at(x));
      const auto& y = all[static_cast<std::size_t>(random.below(static_cast<i64>(all.size())))];
      std::vector<i64> both, sum;
      for (std::size_t k = 0; k < x.size(); ++k) both.push_back(x[k] ^ y[k]);
      const auto lx = l.at(x), ly = l.at(y);
      for (std::size_t k = 0; k < lx.size(); ++k) sum.push_back(lx[k] ^ ly[k]);
      CHECK(l.at(both) == sum);
    }
    CHECK(l.isInjective() == (image.size() == all.size()));
    CHECK(l.isSurjective() == (image.size() == (std::size_t{1} << l.outBits())));
    CHECK(*linear::parse(print(l)) == l);
    CHECK(*linear::parse(toString(l)) == l);
  }
}

TEST_CASE("the product is the direct sum") {
  Random random(2);
  for (int n = 0; n < 200; ++n) {
    const linear::Layout a = random.layout({"i", "j"}, {"x", "y"}, 2), b = random.layout({"j", "k"}, {"y", "z"}, 2);
    const auto p = multiply(a, b);
    REQUIRE(p.ok());
    INFO(print(a) << " * " << print(b));
    for (const auto& input : everyInput(*p)) {
      const linear::NamedValues in = namedInput(*p, input);
      const i64 j = valueOf(in, "j"), low = j % a.inSize("j"), high = j / a.inSize("j");
      const auto va = a.at({valueOf(in, "i"), low}), vb = b.at({high, valueOf(in, "k")});
      const linear::NamedValues got = *p->apply(in);
      CHECK(valueOf(got, "x") == va[0]);
      CHECK(valueOf(got, "y") == va[1] + a.outSize("y") * vb[0]);
      CHECK(valueOf(got, "z") == vb[1]);
    }
    // and dividing takes it apart
    const auto right = divideLeft(*p, a), left = divideRight(*p, b);
    REQUIRE(right.has_value());
    REQUIRE(left.has_value());
    CHECK(*transposeOuts(*transposeIns(*multiply(a, *right), p->inNames()), p->outNames()) == *p);
    CHECK(*transposeOuts(*transposeIns(*multiply(*left, b), p->inNames()), p->outNames()) == *p);
  }
  CHECK_FALSE(multiply(Random(1).layout({"a", "b"}, {"x"}), Random(1).layout({"b", "a"}, {"x"})).ok());
}

TEST_CASE("compose applies one after the other") {
  Random random(3);
  for (int n = 0; n < 200; ++n) {
    const linear::Layout inner = random.layout({"i", "j"}, {"x", "y"});
    std::vector<linear::In> ins;
    for (const linear::Out& out : inner.outs()) {
      linear::In in{out.name, {}};
      for (i64 b = 1; b < out.size; b *= 2) in.bases.push_back({random.below(8), random.below(4)});
      ins.push_back(std::move(in));
    }
    const linear::Layout outer = *linear::Layout::create(std::move(ins), {{"u", 8}, {"v", 4}});
    const auto c = compose(inner, outer);
    REQUIRE(c.ok());
    for (const auto& x : everyInput(inner)) CHECK(c->at(x) == outer.at(inner.at(x)));
  }
}

TEST_CASE("inverses invert, or say why not") {
  Random random(4);
  int inverted = 0, solved = 0, refusedCount = 0;
  for (int n = 0; n < 3000; ++n) {
    const linear::Layout l = random.layout({"i", "j"}, {"x", "y"}, 2);
    const auto inverse = invert(l);
    CHECK(inverse.ok() == l.isInvertible());
    if (inverse) {
      ++inverted;
      for (const auto& x : everyInput(l)) CHECK(inverse->at(l.at(x)) == x);
    }
    const auto right = pseudoinvert(l);
    CHECK(right.ok() == l.isSurjective());
    if (right)
      for (const auto& y : everyInput(*right)) CHECK(l.at(right->at(y)) == y);
    const linear::Layout b = random.layout({"j", "k"}, {"x", "y"}, 2);
    bool reaches = b.outSize("x") <= l.outSize("x") && b.outSize("y") <= l.outSize("y");
    std::set<std::vector<i64>> image;
    for (const auto& x : everyInput(l)) image.insert(l.at(x));
    for (const auto& x : everyInput(b)) reaches = reaches && image.count(b.at(x)) != 0;
    const auto c = invertAndCompose(b, l);
    INFO(print(b) << " over " << print(l));
    CHECK(c.ok() == reaches);
    if (!c) {
      ++refusedCount;
      continue;
    }
    ++solved;
    for (const auto& x : everyInput(b)) CHECK(l.at(c->at(x)) == b.at(x));
  }
  CHECK(inverted > 50);
  CHECK(solved > 200);
  CHECK(refusedCount > 200);
}

TEST_CASE("free variables are the bits that change nothing once the others are chosen") {
  Random random(5);
  for (int n = 0; n < 300; ++n) {
    const linear::Layout l = random.layout({"i", "j"}, {"x"});
    const linear::NamedValues masks = freeVariableMasks(l);
    std::set<std::vector<i64>> image, reduced;
    int freeBits = 0;
    for (const auto& [name, mask] : masks) freeBits += __builtin_popcountll(static_cast<u64>(mask));
    for (const auto& x : everyInput(l)) {
      image.insert(l.at(x));
      reduced.insert(l.at({x[0] & ~masks[0].second, x[1] & ~masks[1].second}));
    }
    CHECK(image == reduced);
    CHECK((std::size_t{1} << (l.inBits() - freeBits)) == image.size());
  }
}

TEST_CASE("the accumulator of mma.m16n8 is one layout in four notations") {
  const auto encoding = triton::parseEncoding(
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>");
  REQUIRE(encoding.ok());
  const linear::Layout linear = *toLinear(*encoding, {16, 8});
  const axe::Layout axe = *axe::parse("S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)]");
  const cute::Layout cute = *cute::parseLayout("((4,8),(2,2)):((32,1),(16,8))");
  CHECK(*toAxe(linear) == axe);
  CHECK(*toLinear(axe, {16, 8}) == linear);
  CHECK(*toThreadValue(linear) == cute);
  CHECK(*threadValueToLinear(cute, {16, 8}) == linear);
  for (i64 lane = 0; lane < 32; ++lane)
    for (i64 reg = 0; reg < 4; ++reg) {
      const i64 row = lane / 4 + 8 * (reg / 2), column = 2 * (lane % 4) + reg % 2;  // the PTX formula
      CHECK(linear.at({reg, lane, 0, 0}) == std::vector<i64>{row, column});
      CHECK(cute(lane + 32 * reg) == row + 16 * column);
      CHECK(*backward(axe, {16, 8}, {{"lane", lane}, {"reg", reg}}) == std::vector<std::vector<i64>>{{row, column}});
    }
}

TEST_CASE("CuTe to Axe and back keeps every value; Axe to CuTe refuses what CuTe cannot say") {
  for (const char* text :
       {"(4,8):(8,1)", "((2,2),8):((1,16),2)", "12:3", "(3,(2,5)):(1,(15,3))", "(4,8):(1,-4)", "(2,3):(0,1)"}) {
    INFO(text);
    const cute::Layout cute = *cute::parseLayout(text);
    const axe::Layout axe = *toAxe(cute);
    const std::vector<i64> shape = *axeShapeOf(cute);
    const cute::Layout again = *toCute(axe, shape);
    i64 x = 0;
    // Colex over CuTe's linear index is the coordinate read backwards.
    for (i64 i = 0; i < cute.size(); ++i, ++x) {
      const std::vector<i64> c = delinearize(i, shape, LinearOrder::Colex);
      const auto place = forward(axe, shape, c);
      REQUIRE(place.ok());
      REQUIRE(place->size() == 1);
      const auto m = (*place)[0].find("m");
      CHECK((m == (*place)[0].end() ? 0 : m->second) == cute(i));
      CHECK(again(i) == cute(i));
    }
  }
  const auto says = [](const auto& r, const char* part) {
    REQUIRE_FALSE(r.ok());
    CHECK(r.error().message.find(part) != std::string::npos);
  };
  says(toCute(*axe::parse("S[4:1] + R[2:4]"), {4}), "replicas");
  says(toCute(*axe::parse("S[(4,2):(1@lane,1@reg)]"), {8}), "lane and reg");
  says(toCute(*axe::parse("S[4:1] + 3"), {4}), "3@m");
  says(toLinear(*axe::parse("S[6:1@lane]"), {6}), "power of two");
  says(toLinear(*axe::parse("S[4:2@lane]"), {4}), "are not used");
  says(toLinear(*axe::parse("S[4:1@lane] + 1@lane"), {4}), "offset");
  says(toLinear(*cute::parseLayout("(4,4):(1,3)")), "carries");
  says(toAxe(*toLinear(
           *triton::parseEncoding("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>"),
           {4, 4})),
       "swizzle");
}

TEST_CASE("linear layouts that permute bits survive the way through Axe") {
  for (const char* text : {
           "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
           "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [0, 1]}>",
           "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
           "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>",
       })
    for (const std::vector<i64>& shape : std::vector<std::vector<i64>>{{64, 64}, {128, 32}, {16, 16}}) {
      INFO(text << " over " << axe::printShape(shape));
      const linear::Layout linear = *toLinear(*triton::parseEncoding(text), shape);
      const auto axe = toAxe(linear);
      if (!axe) FAIL(axe.error().message);
      const auto back = toLinear(*axe, shape);
      if (!back) FAIL(back.error().message);
      CHECK(*back == linear);
      // Each (register, lane, warp, block) is a place of the element it holds.
      for (int probe = 0; probe < 50; ++probe) {
        std::vector<i64> x;
        axe::Place place;
        for (const linear::In& in : linear.ins()) {
          x.push_back((probe * 37 + 11) % (i64{1} << in.bases.size()));
          place[in.name == "register" ? "reg" : in.name == "block" ? "cta" : in.name] = x.back();
        }
        CHECK(*backward(*axe, shape, place) == std::vector<std::vector<i64>>{linear.at(x)});
      }
    }
}

TEST_CASE("attribute text: whole types, aliases, files") {
  const auto type = triton::parse(
      "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
      "tensor<128xf16, #b>");
  REQUIRE(type.ok());
  CHECK(type->shape == std::vector<i64>{128});
  CHECK(type->types[0].element == "f16");
  CHECK(toLinear(type->types[0]).ok());
  CHECK(print(type->types[0]) ==
        "tensor<128xf16, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>");
  const auto pointers =
      triton::parse("tensor<8x64x!tt.ptr<f32>, #ttg.linear<{register = [[0, 1]], lane = [], warp = [], block = []}>>");
  REQUIRE(pointers.ok());
  CHECK(pointers->types[0].element == "!tt.ptr<f32>");
  const auto file = triton::parse(R"(
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#loc = loc(unknown)
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%arg0: !tt.ptr<f16>) {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %1 = ttg.local_load %0 : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #blocked>
    %2 = arith.constant dense<0> : tensor<64xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
  }
})");
  REQUIRE(file.ok());
  CHECK(file->aliases.size() == 3);
  CHECK(file->types.size() == 3);
  for (const triton::Type& t : file->types) CHECK(toLinear(*t.encoding, t.shape).ok());
  const auto over =
      triton::parse("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> over (64, 64)");
  REQUIRE(over.ok());
  CHECK(over->shape == std::vector<i64>{64, 64});
}

TEST_CASE("bad attribute text gets a place and the numbers") {
  struct Row {
    const char* text;
    const char* part;
  };
  for (const Row& row : {
           Row{"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4, 1], order = [0]}>",
               "1, 1, 2 and 1"},
           Row{"#ttg.blocked<{sizePerThread = [1]}>", "threadsPerWarp"},
           Row{"#ttg.nothing<{}>", "not a layout attribute"},
           Row{"#ttg.slice<{dim = 0, parent = #mma}>", "#mma is not defined"},
           Row{"#ttg.blocked<{sizePerThread = [1", "`]` is missing"},
           Row{"#ttg.blocked", "not followed by"},
           Row{"tensor<0xf16, #ttg.shared_memory>", "extent"},
           Row{"", "no layout attribute"},
       }) {
    INFO(row.text);
    const auto got = triton::parse(row.text);
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().message.find(row.part) != std::string::npos);
  }
  std::string deep;
  for (int k = 0; k < 5000; ++k) deep += "#ttg.slice<{dim = 0, parent = ";
  CHECK_FALSE(triton::parse(deep).ok());
  const triton::Encoding blocked = *triton::parseEncoding(
      "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>");
  CHECK(toLinear(blocked, {24, 24}).error().message.find("24 is not a power of two") != std::string::npos);
  CHECK(toLinear(blocked, {32}).error().message.find("rank 2") != std::string::npos);
  CHECK_FALSE(toLinear(*triton::parseEncoding(
                           "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"),
                       {8, 32})
                  .ok());
}

TEST_CASE("padding and memory maps") {
  const triton::Encoding padded =
      *triton::parseEncoding("#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 32]}>");
  const auto map = memoryMap(padded, {8, 32});
  REQUIRE(map.ok());
  for (i64 i = 0; i < 8; ++i)
    for (i64 j = 0; j < 32; ++j) CHECK(map->at(std::vector<i64>{i, j})[0] == 36 * i + j);
  const triton::Encoding swizzled =
      *triton::parseEncoding("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>");
  const auto places = memoryMap(swizzled, {64, 64});
  REQUIRE(places.ok());
  for (i64 i = 0; i < 64; ++i)
    for (i64 j = 0; j < 64; ++j)
      CHECK(places->at(std::vector<i64>{i, j})[0] == 64 * i + (((j / 8) ^ (i % 8)) * 8 + j % 8));
  const triton::Encoding parts = *triton::parseEncoding(
      "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = "
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>}>");
  const auto piece = memoryMap(parts, {128, 32});
  REQUIRE(piece.ok());
  for (i64 i = 0; i < 128; ++i)
    for (i64 j = 0; j < 32; ++j) {
      const auto at = piece->at(std::vector<i64>{i, j});
      const i64 p = i / 16;  // pieces of 16 rows, dealt to the partitions in turn
      for (std::size_t k = 0; k < at.size(); ++k) {
        if (piece->axes()[k].name == "partition") CHECK(at[k] == p % 2);
        if (piece->axes()[k].name == "offset") CHECK(at[k] == (p / 2) * 512 + (i % 16) * 32 + j);
      }
    }
}
