// Memory types: buffers in consecutive places, views at the place of their allocation, descriptors, and the refusals of
// the compiler's verifiers.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/map/map.h"
#include "core/notation/convert.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/notation.h"

using namespace tessera;

namespace {

using Shape = std::vector<i64>;

const std::string kShared = "#ttg.shared_memory", kTensor = "#ttng.tensor_memory";
const std::string kPlain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";

std::string textOf(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::string memdesc(const Shape& shape, const std::string& layout, const Shape& alloc = {},
                    const std::string& space = kShared, const std::string& element = "f16") {
  return fmt::format("!ttg.memdesc<{}x{}, {}, {}, mutable{}>", textOf(shape), element, layout, space,
                     alloc.empty() ? "" : ", " + textOf(alloc));
}

triton::Type typeOf(const std::string& text) {
  INFO(text);
  const auto parsed = triton::parse(text);
  if (!parsed) FAIL(parsed.error().message);
  REQUIRE(parsed->types.size() == 1);
  return parsed->types[0];
}

Map placesOf(const std::string& text) {
  INFO(text);
  const auto map = memoryMap(typeOf(text));
  if (!map) FAIL(map.error().message);
  return *map;
}

std::string refusal(const std::string& text) {
  INFO(text);
  const auto parsed = triton::parse(text);
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

std::vector<Shape> everyCoordinate(const Shape& shape) {
  std::vector<Shape> all = {{}};
  for (const i64 extent : shape) {
    std::vector<Shape> next;
    for (const Shape& prefix : all)
      for (i64 v = 0; v < extent; ++v) {
        next.push_back(prefix);
        next.back().push_back(v);
      }
    all = std::move(next);
  }
  return all;
}

i64 axisOf(const Map& map, const Shape& coord, const std::string& name) {
  const auto at = map.at(coord);
  for (std::size_t k = 0; k < at.size(); ++k)
    if (map.axes()[k].name == name) return at[k];
  return -1;
}

// The address in one buffer, from the definition of the layout.
i64 swizzled(i64 vec, i64 perPhase, i64 maxPhase, bool rotating, i64 columns, i64 row, i64 column) {
  i64 phase = row / perPhase % maxPhase;
  if (rotating) phase ^= row / perPhase / maxPhase % maxPhase;
  return row * columns + (column ^ (vec * phase % columns));
}

}  // namespace

TEST_CASE("buffers of swizzled and rotating layouts lie in consecutive places") {
  std::mt19937 random(1);
  const auto power = [&](unsigned most) { return i64{1} << random() % most; };
  for (int n = 0; n < 60; ++n) {
    const i64 vec = power(4), perPhase = power(3), maxPhase = power(4), rows = power(6), columns = power(6);
    const i64 buffers = 1 + static_cast<i64>(random() % 5);
    const bool rotating = n % 2 == 1;
    const std::string layout =
        fmt::format("#ttg.{}<{{vec = {}, perPhase = {}, maxPhase = {}, order = [1, 0]}}>",
                    rotating ? "amd_rotating_shared" : "swizzled_shared", vec, perPhase, maxPhase);
    const std::string text = memdesc({buffers, rows, columns}, layout);
    INFO(text);
    const Map map = placesOf(text);
    REQUIRE(map.digits().size() == 3);
    CHECK(map.digits()[0].extent == buffers);
    for (const Shape& c : everyCoordinate({buffers, rows, columns}))
      REQUIRE(axisOf(map, c, "offset") ==
              c[0] * rows * columns + swizzled(vec, perPhase, maxPhase, rotating, columns, c[1], c[2]));
  }
}

TEST_CASE("padding counts on from one buffer to the next") {
  for (const char* pads : {"32:+4", "32:+4, 128:+8", "1024:+4", "256:+16, 512:+2"})
    for (const i64 buffers : {1, 2, 3, 5}) {
      const std::string layout = fmt::format("#ttg.padded_shared<[{}] {{order = [1, 0], shape = [8, 32]}}>", pads);
      const auto intervals = std::get<triton::PaddedShared>(triton::parseEncoding(layout)->value).intervals;
      const Map map = placesOf(memdesc({buffers, 8, 32}, layout));
      for (const Shape& c : everyCoordinate({buffers, 8, 32})) {
        REQUIRE(axisOf(map, c, "address") == triton::paddedOffset(intervals, 256 * c[0] + 32 * c[1] + c[2]));
      }
      for (const Axis& axis : map.axes())
        if (axis.name == "address") CHECK(axis.extent == triton::paddedSize(intervals, 256 * buffers));
    }
}

// What Triton 3.9.0 multiplies the index of ttg.memdesc_index by, read off its LLVM dialect.
TEST_CASE("the distance of two buffers is the compiler's") {
  struct Row {
    const char* layout;
    Shape one;
    i64 distance;
  };
  for (const Row& row : {
           Row{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", {64, 64}, 4096},
           Row{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[1, 0]]}>",
               {64, 64},
               2048},
           Row{"#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 8, fp4Padded = true}>", {64, 64}, 8192},
           Row{"#ttg.shared_linear<{offset = [[0, 1], [0, 0], [0, 2], [1, 0], [2, 0]]}, alignment = 16>", {4, 4}, 32},
           Row{"#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]], block = [[2, 0]]}, alignment = 16>", {4, 4}, 8},
           Row{"#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 16, rank = 3}>",
               {64, 4, 4},
               16384},
           Row{"#ttg.amd_rotating_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", {64, 64}, 4096},
           Row{"#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = "
               "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>}>",
               {64, 64},
               2048},
       }) {
    Shape shape = row.one;
    shape.insert(shape.begin(), 3);
    const Map map = placesOf(memdesc(shape, row.layout, {}, kShared, "i8")),
              one = *memoryMap(*triton::parseEncoding(row.layout), row.one);
    std::mt19937 random(2);
    for (int n = 0; n < 50; ++n) {
      Shape c, inner;
      for (const i64 extent : shape) c.push_back(static_cast<i64>(random() % static_cast<unsigned>(extent)));
      inner.assign(c.begin() + 1, c.end());
      for (const char* axis : {"block", "partition"}) CHECK(axisOf(map, c, axis) == axisOf(one, inner, axis));
      CHECK(axisOf(map, c, "offset") == row.distance * c[0] + axisOf(one, inner, "offset"));
    }
  }
}

TEST_CASE("the buffer's bits are the outermost bases, and the bases are the map turned round") {
  for (const std::string& layout :
       {kPlain, std::string("#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [0, 1]}>"),
        std::string("#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>")})
    for (const i64 buffers : {1, 2, 4}) {
      const std::string text = memdesc({buffers, 8, 16}, layout);
      INFO(text);
      const triton::Type type = typeOf(text);
      const auto bases = toLinear(type);
      REQUIRE(bases.ok());
      const Map map = *memoryMap(type);
      REQUIRE(bases->inSize("offset") == buffers * 128);
      for (i64 offset = 0; offset < buffers * 128; ++offset) {
        const Shape c = bases->at({offset, 0});
        CHECK(c[0] == offset / 128);
        CHECK(axisOf(map, c, "offset") == offset);
      }
    }
  const auto three = toLinear(typeOf(memdesc({3, 8, 16}, kPlain)));
  REQUIRE_FALSE(three.ok());
  CHECK(three.error().message == "3 buffers, but bases need a power of two");
}

TEST_CASE("a view lies where its allocation does") {
  // the quoted one: 2x4 of 2x8
  const Map quoted = placesOf(memdesc({2, 4}, kPlain, {2, 8}));
  for (const Shape& c : everyCoordinate({2, 4})) CHECK(axisOf(quoted, c, "offset") == 8 * c[0] + c[1]);
  for (const std::string& layout :
       {kPlain, std::string("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>"),
        std::string("#ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 2, order = [0, 1]}>"),
        std::string("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [4, 8]}>")})
    for (const Shape& seen : std::vector<Shape>{{1, 1}, {2, 4}, {4, 2}, {4, 8}})
      for (const i64 before : {0, 1, 2, 3})  // dimensions that were indexed away
        for (const i64 buffers : {0, 2, 3}) {
          Shape view = seen, whole = {4, 8};
          if (buffers > 0) view.insert(view.begin(), buffers - 1), whole.insert(whole.begin(), buffers);
          Shape alloc = whole;
          // Only whole tensors are indexed, and what counts buffers is not counted twice.
          if (before > 0) alloc.insert(alloc.begin(), before);
          const std::string text = memdesc(view, layout, alloc);
          INFO(text);
          const Map part = placesOf(text), all = placesOf(memdesc(whole, layout));
          for (const Shape& c : everyCoordinate(view)) CHECK(part.at(c) == all.at(c));
          CHECK(part.axes()[0].extent == all.axes()[0].extent);
        }
  // Its bases are the allocation's, and so it has no Axe form by way of them.
  const triton::Type type = typeOf(memdesc({2, 4}, kPlain, {2, 8}));
  CHECK(toLinear(type)->outSize("dim1") == 8);
  const Layout layout(type);
  const auto axe = toAxe(layout);
  REQUIRE(axe.ok());
  CHECK(print(*axe) == "S[(2,4):(8,1)] over (2,4)");
  CHECK(print(*toCute(layout)) == "(2,4):(8,1)");
}

TEST_CASE("buffers of tensor memory follow each other along its columns") {
  const std::string layout = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>";
  for (const i64 buffers : {1, 2, 3}) {
    const triton::Type type = typeOf(memdesc({buffers, 128, 64}, layout, {}, kTensor, "f32"));
    const Layout value(type);
    const Map map = *memoryMap(type);
    for (const Shape& c : std::vector<Shape>{{0, 0, 0}, {buffers - 1, 3, 4}, {buffers - 1, 127, 63}}) {
      CHECK(axisOf(map, c, "row") == c[1]);
      CHECK(axisOf(map, c, "col") == 64 * c[0] + c[2]);
    }
    CHECK(value.arrow().ok());
    if (buffers != 3) CHECK(toLinear(type)->inSize("col") == 64 * buffers);
  }
}

TEST_CASE("types print as the compiler prints them, and parse back") {
  for (const std::string& text : {memdesc({2, 64, 64}, kPlain), memdesc({64, 32}, kPlain, {3, 64, 64}),
                                  memdesc({3, 2, 4}, kPlain, {5, 2, 8}), "!tt.tensordesc<128x64xf16, " + kPlain + ">",
                                  std::string("!tt.tensordesc<128x64xf16>"), "tensor<2x4xf16, " + kPlain + ">"}) {
    INFO(text);
    CHECK(print(typeOf(text)) == text);
  }
  CHECK(print(typeOf(memdesc({2, 4}, kPlain, {2, 4}))) == memdesc({2, 4}, kPlain));  // the allocation is the shape
  const triton::Type descriptor = typeOf("!tt.tensordesc<8x64xf16, " + kPlain + ">");
  CHECK(descriptor == typeOf("!tt.tensordesc<tensor<8x64xf16, " + kPlain + ">>"));  // as older versions print it
  CHECK(*toLinear(descriptor) == *toLinear(*triton::parseEncoding(kPlain), {8, 64}));
  // under its aliases the type is the same
  const auto text =
      triton::parse("#s = " + kPlain + "\n#smem = #ttg.shared_memory\n!ttg.memdesc<2x4x4xf16, #s, #smem>");
  REQUIRE(text.ok());
  CHECK(toLinear(text->types.at(0))->inSize("offset") == 32);
  const auto file = triton::parse("#s = " + kPlain +
                                  "\nmodule {\n tt.func @f(%a: !tt.tensordesc<tensor<8x8xf16, #s>>, "
                                  "%b: !ttg.memdesc<2x8x8xf16, #s, #ttg.shared_memory>, %c: !ttg.memdesc<8xf16, #s, "
                                  "#ttg.shared_memory>)}");
  REQUIRE(file.ok());
  CHECK(file->types.size() == 2);  // the last one is none
}

TEST_CASE("what a memdesc cannot be is refused with the numbers") {
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK_THAT(refusal(text), Catch::Contains(part));
  };
  says(memdesc({4, 4, 4, 4}, kPlain), "rank 2, but the shape 4x4x4x4 has 4 dimensions");
  says(memdesc({4}, kPlain), "rank 2, but the shape 4 has 1 dimensions");
  says(memdesc({4, 48}, kPlain), "extent 48");
  says(memdesc({2, 4}, kPlain, {2, 12}), "allocation 2x12 has the extent 12");
  says(memdesc({4, 8}, kPlain, {2, 8}), "larger than its allocation 2x8");
  says(memdesc({2, 4}, kPlain, {8}), "fewer dimensions");
  says(memdesc({2, 4}, kPlain, {}, kTensor), "is not in #ttng.tensor_memory");
  says(memdesc({2, 4}, kPlain, {}, kShared, "i1"), "1 bits");
  says("!ttg.memdesc<2x4xf16, #ttg.linear<{register = [[0, 1]], lane = [], warp = [], block = []}>, " + kShared + ">",
       "#ttg.linear is not a memory layout");
  says("!ttg.memdesc<2x4xf16, " + kPlain + ">", "before the memory space");
  says("!ttg.memdesc<2x4xf16, " + kPlain + ", " + kShared + ", 2x4, mutable>", "end of the memdesc");
  says("tensor<?x4xf16, " + kPlain + ">", "every extent");
  says(memdesc({2, 4}, kPlain) + " over (2,4)", "contains its shape");
  says(memdesc({8, 32}, "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16}>"), "swizzle of 128 bytes");
  says(memdesc({8, 8}, "#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [4, 8]}>"), "4 elements along dimension 0");
  says(memdesc({64, 64}, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>", {}, kTensor),
       "smaller than 128x64");
}

// triton_verifier.jsonl: what Triton 3.9.0 says of attributes and types: accepted or not, and the bases of some. Left
// out is what it accepts and has no lowering for (a swizzle of 3, mfma of rank 1).
TEST_CASE("attributes and types are refused as the Triton library refuses them") {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/triton_verifier.jsonl");
  std::map<std::string, int> counts;
  for (std::string line; std::getline(in, line);) {
    const auto row = nlohmann::json::parse(line);
    const std::string text = row.at("text").get<std::string>();
    INFO(line);
    const auto parsed = triton::parse(text);
    if (row.contains("accepted")) {
      CHECK(parsed.ok() == row.at("accepted").get<bool>());
      if (!parsed.ok()) CHECK_FALSE(parsed.error().span.empty());
      ++counts[row.at("accepted").get<bool>() ? "accepted" : "refused"];
      continue;
    }
    REQUIRE(parsed.ok());
    const auto linear = toLinear(*parsed->encoding, row.at("shape").get<Shape>());
    if (!linear) FAIL(linear.error().message);
    for (const auto& [name, bases] : row.at("bases").items())
      for (const linear::In& dim : linear->ins())
        if (dim.name == name) CHECK(dim.bases == bases.get<std::vector<linear::Basis>>());
    ++counts["bases"];
  }
  CHECK(counts["accepted"] > 200);
  CHECK(counts["refused"] > 200);
  CHECK(counts["bases"] > 80);
}

TEST_CASE("one warp of wmma has no bases, and the rank is then a key of its own") {
  const auto one = triton::parseEncoding("#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {}}>");
  REQUIRE(one.ok());
  CHECK(*one == *triton::parseEncoding("#ttg.amd_wmma<{version = 2, ctaLayout = {register = [], warp = []}}>"));
  CHECK(print(*one) == "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {}}>");
  CHECK(toLinear(*one, {16, 16})->inSize("warp") == 1);
  // The text says no rank: it lays out matrices and batches of them.
  CHECK(*toLinear(*one, {2, 16, 16}) ==
        *toLinear(*triton::parseEncoding("#ttg.amd_wmma<{version = 2, ctaLayout = {}, rank = 3}>"), {2, 16, 16}));
  CHECK_FALSE(toLinear(*one, {16}).ok());
  CHECK_FALSE(toLinear(*one, {2, 2, 16, 16}).ok());
  const auto three = triton::parseEncoding("#ttg.amd_wmma<{version = 2, ctaLayout = {}, rank = 3}>");
  REQUIRE(three.ok());
  CHECK(*triton::parseEncoding(print(*three)) == *three);
  CHECK(toLinear(*three, {2, 16, 16}).ok());
  CHECK_FALSE(toLinear(*three, {16, 16}).ok());
  CHECK_THAT(refusal("#ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 1]]}, rank = 3}>"),
             Catch::Contains("rank is 3"));
  CHECK_THAT(refusal("#ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 1], [2, 0]]}}>"),
             Catch::Contains("not surjective"));
  CHECK_THAT(refusal("#ttg.amd_wmma<{version = 3, ctaLayout = {warp = [[0, 1]]}}>"), Catch::Contains("instrShape"));
}
