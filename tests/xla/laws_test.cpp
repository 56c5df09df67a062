// The laws of addresses, compared with a model that only copies cells.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "core/map/compose.h"
#include "core/notation/cute/notation.h"
#include "core/notation/xla/edit.h"
#include "core/notation/xla/notation.h"
#include "tests/support/volume.h"
#include "tests/xla/xla_model.h"

using namespace tessera;
using namespace tessera::xla_model;

TEST_CASE("every slot of a random array holds what the model says") {
  Random random{std::mt19937_64(7)};
  for (int round = 0; round < 1500; ++round) {
    const xla::Shape shape = randomShape(random);
    INFO(print(shape));
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    const std::vector<Cell> memory = memoryOf(shape);
    REQUIRE(addressing.slots() == static_cast<i64>(memory.size()));
    i64 real = 0;
    for (std::size_t slot = 0; slot < memory.size(); ++slot) {
      const xla::Addressing::Slot found = addressing.at(static_cast<i64>(slot));
      REQUIRE(found.padding == !memory[slot].has_value());
      if (!memory[slot]) continue;
      ++real;
      REQUIRE(found.index == *memory[slot]);
      REQUIRE(addressing.linear(found.index) == static_cast<i64>(slot));
    }
    REQUIRE(real == addressing.elements());
  }
}

TEST_CASE("the Map is the address, and the physical Map its inverse with the padding guarded out") {
  Random random{std::mt19937_64(11)};
  for (int round = 0; round < 400; ++round) {
    const xla::Shape shape = randomShape(random);
    INFO(print(shape));
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    if (addressing.elements() == 0) {
      REQUIRE_FALSE(toMap(shape).ok());
      continue;
    }
    const Map map = *toMap(shape);
    const Map physical = *xla::physicalMap(shape);
    REQUIRE(map.axes().at(0).extent == addressing.slots());
    for (i64 slot = 0; slot < addressing.slots(); ++slot) {
      const auto found = addressing.at(slot);
      const std::vector<i64> point{slot};
      REQUIRE(physical.isReal(point) == !found.padding);
      if (found.padding) continue;
      REQUIRE(map.at(found.index) == std::vector<i64>{slot});
      REQUIRE(physical.at(point) == found.index);
    }
  }
}

TEST_CASE("parse(print(x)) == x, arrays and tuples") {
  Random random{std::mt19937_64(13)};
  for (int round = 0; round < 3000; ++round) {
    std::vector<xla::Shape> elements;
    for (i64 n = random(1, 12); n > 0; --n) elements.push_back(randomShape(random));
    elements.push_back(xla::Shape::token());
    elements.push_back(*xla::Shape::buffer(elements.front()));
    elements.push_back(xla::Shape::tuple({elements.front(), xla::Shape::opaque(), xla::Shape()}));
    const xla::Shape tuple = xla::Shape::tuple(elements);
    const auto again = xla::parseShape(print(tuple));
    INFO(print(tuple));
    REQUIRE(again.ok());
    REQUIRE(*again == tuple);
  }
}

TEST_CASE("untiled is what it says: the same addresses without the tiles") {
  Random random{std::mt19937_64(17)};
  int yes = 0;
  for (int round = 0; round < 3000; ++round) {
    xla::Shape shape = randomShape(random);
    if (random(0, 1) == 0) {  // whole minor tiles are often untiled
      const i64 a = random(1, 4), b = random(1, 4);
      xla::Layout layout;
      layout.tiles = {{a, b}};
      shape = *xla::Shape::array("f32", std::vector<i64>{a * random(1, 3), b}, layout);
    }
    INFO(print(shape));
    bool same = true;
    xla::Layout plain = shape.layout();
    plain.tiles.clear();
    plain.tailAlignment = 1;
    same = memoryOf(shape) == memoryOf(*xla::Shape::array(shape.type().name, shape.dims(), plain));
    yes += same ? 1 : 0;
    REQUIRE(xla::isUntiled(shape) == same);
  }
  CHECK(yes > 300);
}

TEST_CASE("one tile of a dense rank >= 2 array: XLA's top-tile address is ours") {
  Random random{std::mt19937_64(19)};
  int seen = 0;
  for (int round = 0; round < 4000; ++round) {
    const xla::Shape shape = randomShape(random);
    const auto& tiles = shape.layout().tiles;
    const bool star = !tiles.empty() && std::count(tiles[0].begin(), tiles[0].end(), xla::kCombine) > 0;
    if (tiles.size() > 1 || star || shape.rank() < 2) continue;
    if (!tiles.empty() && tiles[0].size() > shape.rank()) continue;
    ++seen;
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    for (i64 slot = 0; slot < addressing.slots(); ++slot) {
      const auto found = addressing.at(slot);
      if (!found.padding) REQUIRE(xla::topTileLinear(shape, found.index) == slot);
    }
  }
  CHECK(seen > 500);
}

namespace {
// Whether out, at the row-major reshape of every element of in, has that element's slot.
bool reshapeKeepsSlots(const xla::Shape& in, const xla::Shape& out) {
  const xla::Addressing a = *xla::Addressing::create(in), b = *xla::Addressing::create(out);
  for (i64 n = 0; n < a.elements(); ++n) {
    const auto x = delinearize(n, in.sizes(), LinearOrder::Lex), y = delinearize(n, out.sizes(), LinearOrder::Lex);
    if (a.linear(x) != b.linear(y)) return false;
  }
  return true;
}

// Whether out at (x[perm[0]], x[perm[1]], ..) has the slot of in at x, for every element x.
bool transposeKeepsSlots(const xla::Shape& in, const xla::Shape& out, const Ints& perm) {
  const xla::Addressing a = *xla::Addressing::create(in), b = *xla::Addressing::create(out);
  for (i64 n = 0; n < a.elements(); ++n) {
    const auto x = delinearize(n, in.sizes(), LinearOrder::Lex);
    Ints y;
    for (const i64 k : perm) y.push_back(x[static_cast<std::size_t>(k)]);
    for (std::size_t k = 0; k < y.size(); ++k)
      if (y[k] >= out.sizes()[k]) return false;
    if (a.linear(x) != b.linear(y)) return false;
  }
  return true;
}
}  // namespace

TEST_CASE("a reshape is a bitcast exactly when every element keeps its address") {
  Random random{std::mt19937_64(23)};
  const std::vector<Ints> factors = {{24},   {2, 12},   {4, 6}, {2, 3, 4},   {1, 24, 1},
                                     {3, 8}, {2, 2, 6}, {6, 4}, {2, 2, 2, 3}};
  int free = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto pick = [&] {
      const Ints sizes = factors[static_cast<std::size_t>(random(0, static_cast<i64>(factors.size()) - 1))];
      xla::Layout layout;
      for (std::size_t k = 0; k < sizes.size(); ++k) layout.minorToMajor.push_back(static_cast<i64>(k));
      std::shuffle(layout.minorToMajor.begin(), layout.minorToMajor.end(), random.engine);
      return *xla::Shape::array("f32", sizes, layout);
    };
    const xla::Shape in = pick(), out = pick();
    INFO(print(in) << " -> " << print(out));
    const bool keeps = *reshapeIsBitcast(in, out);
    REQUIRE(keeps == reshapeKeepsSlots(in, out));
    free += keeps ? 1 : 0;
    // For every decomposition, following it element by element ends at the same address.
    const xla::Bitcast how = *decomposeBitcast(in, out);
    const xla::Addressing a = *xla::Addressing::create(in), b = *xla::Addressing::create(out);
    for (i64 slot = 0; slot < 24; ++slot) {
      const Ints x = a.at(slot).index, y = b.at(slot).index;
      Ints made = x;
      if (how.kind == xla::Bitcast::Kind::Reshape) {
        made = delinearize(linearize(x, in.sizes(), LinearOrder::Lex), out.sizes(), LinearOrder::Lex);
      } else if (how.kind == xla::Bitcast::Kind::Transpose) {
        for (std::size_t k = 0; k < x.size(); ++k) made[k] = x[static_cast<std::size_t>(how.transpose1[k])];
      } else {
        for (std::size_t k = 0; k < x.size(); ++k) made[k] = x[static_cast<std::size_t>(how.transpose1[k])];
        made =
            delinearize(linearize(made, how.shape1->sizes(), LinearOrder::Lex), how.reshape->sizes(), LinearOrder::Lex);
        Ints last(made.size());
        for (std::size_t k = 0; k < made.size(); ++k) last[k] = made[static_cast<std::size_t>(how.transpose2[k])];
        made = last;
      }
      REQUIRE(made == y);
    }
  }
  CHECK(free > 50);
}

TEST_CASE("a tile that gives each row a tile of its own moves what a reshape without tiles would keep") {
  const xla::Shape in = *xla::parseShape("f32[4,128]{1,0:T(8,128)}");
  const xla::Shape out = *xla::parseShape("f32[4,1,128]{2,1,0:T(8,128)}");
  CHECK_FALSE(*reshapeIsBitcast(in, out));
  CHECK(decomposeBitcast(in, out)->kind == xla::Bitcast::Kind::None);
  CHECK(*reshapeIsBitcast(in, *xla::parseShape("f32[512]")));
  // Large sizes, whole and partial tiles.
  CHECK(*reshapeIsBitcast(*xla::parseShape("f32[65536,8192]{1,0:T(8,128)}"),
                          *xla::parseShape("f32[64,1024,8192]{2,1,0:T(8,128)}")));
  CHECK_FALSE(*reshapeIsBitcast(*xla::parseShape("f32[65536,8192]{1,0:T(8,128)}"), *xla::parseShape("f32[536870912]")));
  CHECK(*reshapeIsBitcast(*xla::parseShape("f32[1001,50257]{1,0:T(8,128)}"),
                          *xla::parseShape("f32[1,1001,50257]{2,1,0:T(8,128)}")));
  CHECK_FALSE(*reshapeIsBitcast(*xla::parseShape("f32[1001,50257]{1,0:T(8,128)}"),
                                *xla::parseShape("f32[7,143,50257]{2,1,0:T(8,128)}")));
}

TEST_CASE("bitcasts of tiled arrays are those in which every element keeps its slot") {
  Random random{std::mt19937_64(31)};
  const std::vector<Ints> factors = {{24},   {2, 12}, {4, 6},    {2, 3, 4}, {1, 24}, {24, 1}, {2, 1, 12},
                                     {6, 4}, {4, 4},  {4, 1, 4}, {16},      {2, 8},  {8, 2},  {2, 2, 4}};
  const std::vector<std::vector<Ints>> tilings = {
      {},       {{2}},      {{4}}, {{3}}, {{2, 4}}, {{4, 2}}, {{1, 4}}, {{4, 4}, {2, 1}}, {{2, 2}}, {{8, 4}, {2, 1}},
      {{2, 1}}, {{12}, {2}}};
  int reshapes = 0, transposes = 0, others = 0;
  const i64 rounds = tessera::test::volume(3000, 300'000);
  for (i64 round = 0; round < rounds; ++round) {
    const std::size_t family = random(0, 1) == 0 ? 0 : 8;
    const auto& tiles = tilings[static_cast<std::size_t>(random(0, static_cast<i64>(tilings.size()) - 1))];
    const auto pick = [&] {
      const Ints sizes = factors[family + static_cast<std::size_t>(random(0, family == 0 ? 7 : 5))];
      xla::Layout layout;
      for (std::size_t k = 0; k < sizes.size(); ++k) layout.minorToMajor.push_back(static_cast<i64>(k));
      std::shuffle(layout.minorToMajor.begin(), layout.minorToMajor.end(), random.engine);
      layout.tiles = random(0, 3) == 0 ? tilings[static_cast<std::size_t>(random(0, 11))] : tiles;
      return *xla::Shape::array("f32", sizes, layout);
    };
    const xla::Shape in = pick(), out = pick();
    INFO(print(in) << " -> " << print(out));
    const bool reshape = *reshapeIsBitcast(in, out);
    REQUIRE(reshape == reshapeKeepsSlots(in, out));
    reshapes += reshape ? 1 : 0;
    bool any = false;
    if (in.rank() == out.rank()) {
      Ints perm(in.rank());
      std::iota(perm.begin(), perm.end(), 0);
      do {
        Ints sizes;
        for (const i64 k : perm) sizes.push_back(in.sizes()[static_cast<std::size_t>(k)]);
        const bool moved = sizes == out.sizes() && transposeKeepsSlots(in, out, perm);
        REQUIRE(*transposeIsBitcast(in, out, perm) == moved);
        any = any || moved;
      } while (std::next_permutation(perm.begin(), perm.end()));
    }
    const auto perm = *transposeOfBitcast(in, out);
    REQUIRE(perm.has_value() == any);
    if (perm) REQUIRE(transposeKeepsSlots(in, out, *perm));
    transposes += any ? 1 : 0;
    const xla::Bitcast how = *decomposeBitcast(in, out);
    if (how.kind != xla::Bitcast::Kind::TransposeReshapeTranspose) continue;
    ++others;
    const xla::Addressing a = *xla::Addressing::create(in), b = *xla::Addressing::create(out);
    for (i64 n = 0; n < a.elements(); ++n) {
      const Ints x = delinearize(n, in.sizes(), LinearOrder::Lex);
      Ints turned, last;
      for (const i64 k : how.transpose1) turned.push_back(x[static_cast<std::size_t>(k)]);
      const Ints cut =
          delinearize(linearize(turned, how.shape1->sizes(), LinearOrder::Lex), how.reshape->sizes(), LinearOrder::Lex);
      for (const i64 k : how.transpose2) last.push_back(cut[static_cast<std::size_t>(k)]);
      REQUIRE(a.linear(x) == b.linear(last));
    }
  }
  CHECK(reshapes > rounds / 100);
  CHECK(transposes > rounds / 100);
  CHECK(others > rounds / 200);
}

TEST_CASE("an array of one dimension, cut by its tile, is one mode of a CuTe layout") {
  for (const char* text : {"f32[1024]{0:T(128)}", "bf16[1024]{0:T(512)(128)(2,1)}", "f32[1024]{0:T(8,128)(2,1)}"}) {
    const xla::Shape shape = *xla::parseShape(text);
    const auto cute = toCute(shape);
    if (!cute) continue;
    INFO(text);
    CHECK(cute->rank() == 1);
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    for (i64 n = 0; n < 1024; ++n) CHECK(cute->crd2idx(cute::IntTuple(n))->value() == addressing.linear(Ints{n}));
  }
}

TEST_CASE("reordering the logical dimensions leaves every byte where it is") {
  Random random{std::mt19937_64(29)};
  for (int round = 0; round < 500; ++round) {
    const xla::Shape shape = randomShape(random);
    Ints perm;
    for (std::size_t k = 0; k < shape.rank(); ++k) perm.push_back(static_cast<i64>(k));
    std::shuffle(perm.begin(), perm.end(), random.engine);
    const xla::Shape other = *reorderDimensions(shape, perm);
    const auto a = memoryOf(shape), b = memoryOf(other);
    REQUIRE(a.size() == b.size());
    for (std::size_t slot = 0; slot < a.size(); ++slot) {
      REQUIRE(a[slot].has_value() == b[slot].has_value());
      if (!a[slot]) continue;
      for (std::size_t k = 0; k < perm.size(); ++k)
        REQUIRE((*b[slot])[k] == (*a[slot])[static_cast<std::size_t>(perm[k])]);
    }
  }
}

TEST_CASE("sizes of the seed's array and of huge ones") {
  const xla::Shape seed = *xla::parseShape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}");
  const xla::Sizes sizes = *xla::sizesOf(seed);
  CHECK(sizes.slots == 167772160);
  CHECK(sizes.bytes == 335544320);
  CHECK(sizes.waste == 0.0);
  CHECK(sizes.arraySize == 335544320);
  const xla::Addressing addressing = *xla::Addressing::create(seed);
  CHECK(addressing.linear(Ints{3, 0, 10, 200}) == 63047056);
  CHECK(addressing.at(63047056).index == Ints{3, 0, 10, 200});
  // 2^62 slots of one byte: the last element's address is the last slot.
  const xla::Shape huge = *xla::parseShape("s8[2147483648,2147483648]{1,0:T(8,128)}");
  const xla::Addressing big = *xla::Addressing::create(huge);
  CHECK(big.linear(Ints{2147483647, 2147483647}) == (i64{1} << 62) - 1);
  CHECK(describe(*xla::sizesOf(*xla::parseShape("f32[3,5]{1,0:T(3,5)(2,1)}"))) ==
        "15 elements, 20 slots of 32 bits, 80 bytes, 25 % padding; XLA's ArraySize gives 60 bytes (it reads the first "
        "tile only)");
  CHECK(xla::sizesOf(*xla::parseShape("(f32[2], (s8[3], token[]))"))->bytes == 11);
}

TEST_CASE("contiguity: runs of that length are adjacent everywhere, and longer ones are not") {
  Random random{std::mt19937_64(41)};
  int checked = 0, longer = 0;
  for (int round = 0; round < 3000; ++round) {
    const xla::Shape shape = randomShape(random);
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    if (addressing.elements() == 0 || addressing.elements() > 4000) continue;
    INFO(print(shape));
    const Ints runs = xla::contiguity(addressing.expansion(), shape.sizes());
    const bool merges = print(shape).find('*') != std::string::npos;
    // The slow way: every run of n elements along d that starts at a multiple of n.
    const auto holds = [&](std::size_t d, i64 n) {
      for (i64 e = 0; e < addressing.elements(); ++e) {
        Ints at = delinearize(e, shape.sizes(), LinearOrder::Colex);
        if (at[d] % n == 0 || at[d] == 0) continue;
        const i64 slot = addressing.linear(at);
        --at[d];
        if (addressing.linear(at) + 1 != slot) return false;
      }
      return true;
    };
    for (std::size_t d = 0; d < runs.size(); ++d) {
      CHECK(holds(d, runs[d]));
      ++checked;
      longer += runs[d] > 1;
      for (i64 n = runs[d] + 1; n <= shape.sizes()[d] && !merges; ++n) CHECK_FALSE(holds(d, n));
    }
  }
  CHECK(checked > 3000);
  CHECK(longer > 1000);
  const xla::Shape p = *xla::parseShape("bf16[16,256]{1,0:T(8,128)(2,1)}");
  CHECK(xla::contiguity(xla::Addressing::create(p)->expansion(), p.sizes()) == Ints{2, 1});
}

TEST_CASE("the CuTe layout of an array is the same function; refused exactly where there is none to be had that way") {
  Random random{std::mt19937_64(37)};
  int translated = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const xla::Shape shape = randomShape(random);
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    if (addressing.elements() == 0) continue;
    INFO(print(shape));
    const auto cute = toCute(shape);
    if (!cute) {
      ++refused;
      CHECK_FALSE(shape.layout().tiles.empty());
      continue;
    }
    ++translated;
    INFO(print(*cute));
    for (i64 n = 0; n < addressing.elements(); ++n) {
      const Ints index = delinearize(n, shape.sizes(), LinearOrder::Colex);
      REQUIRE((*cute)(n) == addressing.linear(index));
    }
  }
  CHECK(translated > 800);
  CHECK(refused > 300);
  CHECK(print(*toCute(*xla::parseShape("bf16[4,8]{1,0:T(2,4)(2,1)}"))) == "((2,2),(4,2)):((1,16),(2,8))");
  CHECK(toCute(*xla::parseShape("f32[3,5]{1,0:T(2,2)}")).error().message ==
        "a tile of 2 does not divide the 3 of dimension 0 of f32[3,5]{1,0:T(2,2)}");
}
