// TMA against a slow restatement of the driver's documentation: the effect of a swizzle mode on each byte, and the
// rules of cuTensorMapEncodeTiled.
#include "core/atlas/tma.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <set>

using namespace tessera;

namespace {

// cuda.h: "Swizzle A-byte chunks within L-byte span". Where byte x of the box goes.
struct Documented {
  const char* mode;
  i64 chunk, span;
};
constexpr Documented kModes[] = {
    {"32B", 16, 32}, {"64B", 16, 64}, {"128B", 16, 128}, {"128B_ATOM_32B", 32, 128}, {"128B_ATOM_64B", 64, 128}};
i64 documented(const Documented& d, i64 x) {
  const i64 chunks = d.span / d.chunk, number = x / d.chunk % chunks, row = x / 128 % chunks;
  return x / d.span * d.span + (number ^ row) * d.chunk + x % d.chunk;
}

std::string modeName(const cute::Swizzle& s, int bits) {
  const auto mode = tmaSwizzleMode(s, bits);
  return mode ? mode->name : "";
}

TmaBox good() {
  TmaBox box;
  box.element = {16, false};
  box.globalExtents = {4096, 4096};
  box.globalStrideBytes = {8192};
  box.box = {64, 128};
  box.swizzle = *tmaSwizzleMode(std::string_view("128B"));
  return box;
}

std::string broken(const TmaBox& box) {
  const auto fault = tmaFault(box);
  if (!fault) return "";
  CHECK(!fault->diag.expected.empty());
  return fault->diag.message;
}

}  // namespace

TEST_CASE("a TMA mode is the one function that the driver documents, for every Sw<B,M,S> and element") {
  for (const int bits : {4, 8, 16, 32, 64})
    for (int b = 0; b <= 4; ++b)
      for (int m = 0; m <= 8; ++m)
        for (int s = -5; s <= 5; ++s) {
          const auto swizzle = cute::Swizzle::make(b, m, s);
          if (!swizzle) continue;
          INFO(print(*swizzle) << " on " << bits << " bits");
          std::string wanted = b == 0 ? "NONE" : "";
          for (const Documented& d : kModes) {
            bool same = b > 0;
            // Element e covers bits [e * bits, (e + 1) * bits); the mode must move it as a whole to where Sw says.
            for (i64 e = 0; e < 4096 * 8 / bits && same; ++e) {
              const i64 first = e * bits / 8, to = (*swizzle)(e)*bits;
              same = documented(d, first) * 8 + e * bits % 8 == to;
            }
            if (same) wanted = d.mode;
          }
          CHECK(modeName(*swizzle, bits) == wanted);
        }
}

TEST_CASE("at most one Sw<2,6,S> can be a mode, and none is: its targets leave the 128 bytes") {
  for (int s = 2; s <= 12; ++s) {
    const auto mode = tmaSwizzleMode(*cute::Swizzle::make(2, 6, s), 8);
    REQUIRE(!mode.ok());
    CHECK(mode.error().hint.find("Sw<1,6,1>") != std::string::npos);
  }
  CHECK(modeName(*cute::Swizzle::make(1, 6, 1), 8) == "128B_ATOM_64B");
  CHECK(modeName(*cute::Swizzle::make(1, 5, 1), 16) == "128B_ATOM_64B");
  const auto bytes = tmaSwizzleMode(*cute::Swizzle::make(3, 3, 3), 8);
  REQUIRE(!bytes.ok());
  CHECK(bytes.error().hint == "on 16-bit elements it is 128B: give their type");
  CHECK(bytes.error().expected ==
        "Sw<1,4,3> (32B), Sw<2,4,3> (64B), Sw<3,4,3> (128B), Sw<2,5,2> (128B_ATOM_32B), Sw<1,6,1> (128B_ATOM_64B), or "
        "Sw<0,M,S> (NONE)");
  CHECK(tmaSwizzleMode(*cute::Swizzle::make(3, 4, 3), 16).error().hint ==
        "it is a mode's swizzle on bytes: omit the type");
  CHECK(!tmaSwizzleMode(cute::Swizzle(), 6).ok());
}

TEST_CASE("modes by name") {
  for (const char* name : {"NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"}) {
    CHECK(tmaSwizzleMode(std::string_view(name))->name == name);
    CHECK(tmaSwizzleMode(std::string_view(fmt::format("CU_TENSOR_MAP_SWIZZLE_{}", name)))->name == name);
  }
  CHECK(!tmaSwizzleMode(std::string_view("256B")).ok());
}

TEST_CASE("the boxes of the issue: odd rows of 4 bits, strides below a row, boxes beyond shared memory") {
  TmaBox box = good();
  CHECK(broken(box).empty());
  box.element = {4, false};
  box.globalExtents = {4095, 4096};
  box.globalStrideBytes = {2048};
  CHECK(broken(box) == "dimension 0 has 4095 elements of 4 bits");
  box.globalExtents = {4094, 4096};
  CHECK(broken(box).empty());
  box = good();
  box.globalStrideBytes = {16};
  CHECK(broken(box) == "dimension 1 has a stride of 16 bytes, a row of 4096 elements takes 8192");
  box = good();
  box.element = {32, false};
  box.globalExtents = {4096, 4096, 64};
  box.globalStrideBytes = {16384, 67108864};
  box.box = {256, 256, 4};
  box.swizzle = *tmaSwizzleMode(std::string_view("NONE"));
  CHECK(broken(box) == "the box takes 1048576 bytes of shared memory, a block has 232448");
  box.box = {256, 227, 1};
  CHECK(broken(box).empty());
  box.box = {256, 228, 1};
  CHECK(broken(box) == "the box takes 233472 bytes of shared memory, a block has 232448");
  box.elementStrides = {1, 2, 1};  // half of the rows
  CHECK(broken(box).empty());
  CHECK(boxBytes(box) == 256 * 114 * 4);
}

TEST_CASE("each rule of cuTensorMapEncodeTiled, one step to either side") {
  const auto with = [](auto change) {
    TmaBox box = good();
    change(box);
    return broken(box);
  };
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {8200}; }) == "dimension 1 has a stride of 8200 bytes");
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {8208}; }).empty());
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {(i64{1} << 40) - 16}; }).empty());
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {i64{1} << 40}; }) ==
        "dimension 1 has a stride of 1099511627776 bytes");
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {-8192}; }) == "dimension 1 has a stride of -8192 bytes");
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {}; }) == "2 extents, 0 strides");
  CHECK(with([](TmaBox& b) { b.globalExtents[1] = i64{1} << 32; }).empty());
  CHECK(with([](TmaBox& b) { b.globalExtents[1] = (i64{1} << 32) + 1; }) == "dimension 1 has extent 4294967297");
  CHECK(with([](TmaBox& b) { b.globalExtents[1] = 0; }) == "dimension 1 has extent 0");
  CHECK(with([](TmaBox& b) { b.box = {64, 256}; }).empty());
  CHECK(with([](TmaBox& b) { b.box = {64, 257}; }) == "the box has 257 elements in dimension 1");
  CHECK(with([](TmaBox& b) { b.box = {64, 0}; }) == "the box has 0 elements in dimension 1");
  CHECK(with([](TmaBox& b) { b.box = {60, 64}; }) == "the box's inner dimension has 120 bytes");
  CHECK(with([](TmaBox& b) { b.box = {64}; }) == "2 extents, 1 box extents");
  CHECK(with([](TmaBox& b) { b.elementStrides = {1, 8}; }).empty());
  CHECK(with([](TmaBox& b) { b.elementStrides = {1, 9}; }) == "element stride 9 in dimension 1");
  CHECK(with([](TmaBox& b) { b.globalAddress = 8; }) == "global address 8 is not a multiple of 16");
  CHECK(with([](TmaBox& b) { b.sharedAddress = 512; }) == "shared address 512 is not a multiple of 1024");
  CHECK(with([](TmaBox& b) { b.sharedAddress = 211 * 1024; }).empty());
  CHECK(with([](TmaBox& b) { b.sharedAddress = 212 * 1024; }) ==
        "the box takes 16384 bytes of shared memory from 217088 on, a block has 232448");
  CHECK(with([](TmaBox& b) { b.globalExtents = {}; }) == "a tensor map of rank 0");
  CHECK(with([](TmaBox& b) { b.element = {6, false}; }) == "packed elements of 6 bits");
  CHECK(with([](TmaBox& b) { b.element = {12, false}; }) == "packed elements of 12 bits");
  for (const auto& [mode, bytes] : {std::pair{"32B", 32}, {"64B", 64}, {"128B", 128}, {"128B_ATOM_64B", 128}})
    for (const int inner : {16, 32, 48, 64, 96, 128, 144, 256})
      CHECK(with([&, wanted = std::string_view(mode)](TmaBox& b) {
              b.box = {inner / 2, 8};
              b.swizzle = *tmaSwizzleMode(wanted);
            }).empty() == (inner <= bytes));
}

TEST_CASE("a refused box is told what would fit") {
  const auto hint = [](auto change) {
    TmaBox box = good();
    change(box);
    const auto fault = tmaFault(box);
    REQUIRE(fault.has_value());
    return fmt::format("{}; {}", fault->diag.expected, fault->diag.hint);
  };
  CHECK(hint([](TmaBox& b) { b.box = {128, 64}; }) == "at most 64 elements; split the box, or use a wider swizzle");
  CHECK(hint([](TmaBox& b) { b.box = {64, 512}; }) == "1 to 256; use several boxes");
  CHECK(hint([](TmaBox& b) { b.box = {12, 64}; }) == "a multiple of 16 bytes; use 16 elements");
  CHECK(hint([](TmaBox& b) { b.globalStrideBytes = {8200}; }) == "a multiple of 16 below 2^40; pad to 8208 bytes");
  CHECK(hint([](TmaBox& b) { b.globalStrideBytes = {8176}; }) == "at least 8192 bytes; ");
}

TEST_CASE("padded types: 128 at a time, on 32 bytes, with the modes that they have") {
  TmaBox box = good();
  box.element = *tmaElement("CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B");
  CHECK(box.element == *tmaElement("e3m2"));
  box.globalExtents = {4096, 64};
  box.globalStrideBytes = {3072};
  box.box = {128, 64};
  CHECK(broken(box).empty());
  CHECK(boxBytes(box) == 128 * 64);  // a byte an element in shared memory, six bits of one in global memory
  const auto with = [&](auto change) {
    TmaBox b = box;
    change(b);
    return broken(b);
  };
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {3056}; }) == "dimension 1 has a stride of 3056 bytes");
  CHECK(with([](TmaBox& b) { b.globalStrideBytes = {3040}; }) ==
        "dimension 1 has a stride of 3040 bytes, a row of 4096 elements takes 3072");
  CHECK(with([](TmaBox& b) { b.globalExtents[0] = 4000; }) == "dimension 0 has 4000 elements");
  CHECK(with([](TmaBox& b) { b.box[0] = 64; }) == "the box's inner dimension has 64 elements");
  CHECK(with([](TmaBox& b) { b.globalAddress = 16; }) == "global address 16 is not a multiple of 32");
  for (const auto& [mode, six, four] : {std::tuple{"NONE", true, true},
                                        {"32B", false, false},
                                        {"64B", false, false},
                                        {"128B", true, true},
                                        {"128B_ATOM_32B", true, true},
                                        {"128B_ATOM_32B_FLIP_8B", false, false},
                                        {"128B_ATOM_64B", true, false}}) {
    box.swizzle = *tmaSwizzleMode(std::string_view(mode));
    INFO(mode);
    CHECK(broken(box).empty() == six);
    TmaBox padded = box;
    padded.element = *tmaElement("16U4_ALIGN16B");
    CHECK(broken(padded).empty() == four);
  }
  CHECK(!tmaElement(i64{1}).ok());
  CHECK(!tmaElement("u128").ok());
  CHECK(!tmaElement("FLOAT8").ok());
}

TEST_CASE("an accepted tensor never overlaps itself; padded ones are accepted in every order of their dimensions") {
  std::mt19937 random(5);
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    TmaBox box = good();
    box.swizzle = *tmaSwizzleMode(std::string_view("NONE"));
    const int bits[] = {4, 8, 16, 32, 64};
    box.element = {bits[random() % 5], false};
    const std::size_t rank = 1 + random() % 4;
    box.globalExtents = {static_cast<i64>(2 + 2 * (random() % 20))};
    box.globalStrideBytes = {};
    for (std::size_t d = 1; d < rank; ++d) {
      box.globalExtents.push_back(1 + static_cast<i64>(random() % 4));
      box.globalStrideBytes.push_back(16 * static_cast<i64>(random() % 40));
    }
    box.box.assign(rank, 1);
    box.box[0] = 128 / box.element.bits;
    if (!broken(box).empty()) continue;
    ++accepted;
    std::set<i64> seen;  // first bit of every element
    i64 count = 1;
    for (const i64 e : box.globalExtents) count *= e;
    for (i64 i = 0; i < count; ++i) {
      i64 rest = i / box.globalExtents[0], at = i % box.globalExtents[0] * box.element.bits;
      for (std::size_t d = 1; d < rank; ++d) {
        at += rest % box.globalExtents[d] * box.globalStrideBytes[d - 1] * 8;
        rest /= box.globalExtents[d];
      }
      CHECK(seen.insert(at).second);
    }
  }
  CHECK(accepted > 500);
  for (int round = 0; round < 500; ++round) {
    TmaBox box = good();
    box.globalExtents = {64, 0, 0, 0, 0};
    box.globalStrideBytes.assign(4, 0);
    std::vector<std::size_t> order = {1, 2, 3, 4};
    std::shuffle(order.begin(), order.end(), random);
    i64 stride = 128;
    for (const std::size_t d : order) {
      box.globalExtents[d] = 1 + static_cast<i64>(random() % 9);
      box.globalStrideBytes[d - 1] = stride;
      stride = stride * box.globalExtents[d] + 16 * static_cast<i64>(random() % 3);
    }
    box.box = {64, 1, 1, 1, 1};
    CHECK(broken(box).empty());
  }
}
