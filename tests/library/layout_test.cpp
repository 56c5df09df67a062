// The library's layouts against the program's own answers.
#include "core/notation/cute/layout.h"

#include <tessera/layout.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/swizzle/find_swizzle.h"
#include "core/atlas/atlas.h"
#include "core/map/tabulate.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace ts = tessera::api;
using tessera::i64;

namespace {

// One or more of each notation, size 1 and nested modes included.
const std::vector<std::string> kLayouts = {
    "1:0",
    "(4,8):(8,1)",
    "((2,2),8):((1,16),2)",
    "(4,8)",
    "Sw<3,3,3> o (8,64):(64,1)",
    "(4,8):(1,1)",
    "S[(4,8):(8,1)] over (4,8)",
    "S[(8,4):(4@lane,1@lane)]",
    "f32[4,8]{1,0}",
    "bf16[16,64]{1,0:T(8,32)}",
    "f32[3,5]{0,1}",
    "(d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]",
    "(d0) -> (d0), domain: d0 in [3, 9]",
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}> over (8,8)",
    "composition((6,2):(8,2), (4,3):(3,1))",
};

tessera::Value valueOf(const std::string& text) {
  tessera::Scope scope;
  const tessera::Evaluated e = tessera::evaluate(tessera::splitArgument(text).front(), scope);
  INFO(text);
  REQUIRE(e.value.has_value());
  return *e.value;
}

// Every coordinate of a shape that counts from `from`.
std::vector<ts::Numbers> coordinates(const tessera::Arrow& arrow) {
  std::vector<ts::Numbers> all = {{}};
  for (const tessera::Mode& mode : arrow.from.modes) {
    std::vector<ts::Numbers> longer;
    for (const ts::Numbers& c : all)
      for (i64 k = 0; k < mode.extent(); ++k) {
        longer.push_back(c);
        longer.back().push_back(mode.lo + k);
      }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

TEST_CASE("a layout says of itself what the program says of it") {
  for (const std::string& text : kLayouts) {
    INFO(text);
    const auto layout = ts::layout(text);
    REQUIRE(layout);
    const auto own = tessera::layoutOf(valueOf(text));
    REQUIRE(own);
    CHECK(layout->text() == own->text());
    CHECK(layout->kind() == own->kind());
    CHECK(layout->size() == own->arrow()->map.size());
    CHECK(layout->shape() == extentsOf(own->arrow()->from));
    const auto again = ts::layout(layout->text());
    REQUIRE(again);
    CHECK(*again == *layout);
  }
}

TEST_CASE("at, places and backward agree with the arrow, coordinate by coordinate") {
  for (const std::string& text : kLayouts) {
    INFO(text);
    const ts::Layout layout = ts::layout(text).value();
    const tessera::Arrow arrow = *tessera::layoutOf(valueOf(text))->arrow();
    for (const ts::Numbers& c : coordinates(arrow)) {
      ts::Numbers index;
      const ts::Numbers digits = digitsAt(arrow, c);
      for (const int k : arrow.map.indexDigits()) index.push_back(digits[static_cast<std::size_t>(k)]);
      const auto places = layout.places(c);
      REQUIRE(places);
      CHECK(*places == arrow.map.imageOf(index));
      const auto at = layout.at(c);
      CHECK(at.ok() == (places->size() == 1));
      if (at) CHECK(*at == places->front());
      for (const ts::Numbers& p : *places) {
        const auto back = layout.backward(p);
        REQUIRE(back);
        CHECK(std::count(back->begin(), back->end(), c) == 1);
        for (const ts::Numbers& other : *back) {
          const auto theirs = layout.places(other);
          REQUIRE(theirs);
          CHECK(std::count(theirs->begin(), theirs->end(), p) == 1);
        }
      }
    }
  }
}

TEST_CASE("a table is at() of each linear index") {
  for (const std::string& text : kLayouts) {
    INFO(text);
    const ts::Layout layout = ts::layout(text).value();
    for (std::size_t axis = 0; axis < layout.axes().size(); ++axis) {
      const auto table = layout.table(axis);
      REQUIRE(table);
      REQUIRE(table->size() == static_cast<std::size_t>(*layout.size()));
      if (layout.rank() < 2) continue;  // a single number is a coordinate then
      for (std::size_t n = 0; n < table->size(); ++n)
        CHECK((*table)[n] == layout.at({static_cast<i64>(n)}).value()[axis]);
    }
  }
  // Worked: (4,8):(8,1) counts its first mode fastest.
  const ts::Numbers table = ts::layout("(4,8):(8,1)")->table().value();
  CHECK(ts::Numbers(table.begin(), table.begin() + 6) == ts::Numbers{0, 8, 16, 24, 1, 9});
}

TEST_CASE("the numbers of the header's example") {
  const ts::Layout s = ts::layout("Sw<3,3,3> o (64,64):(64,1)").value();
  CHECK(s.size() == 4096);
  // 3*64 + 5 = 197 = 011 000 101b: its bits 6 to 8 (011) flip bits 3 to 5: 197 ^ 24 = 221.
  CHECK(s.at({3, 5}).value() == ts::Numbers{221});
  CHECK(s.backward(221).value() == std::vector<ts::Numbers>{{3, 5}});
  const auto banks = ts::bankReport(s, "ldmatrix.x4", "fp16");
  REQUIRE(banks);
  // 4096 halves, 64 of them a matrix of 8x8, a wavefront each.
  CHECK(banks->wavefronts == 64);
  CHECK(banks->ideal == 64);
  CHECK(banks->conflictFree());
  CHECK(banks->phases == std::vector<int>{1, 1, 1, 1});
}

TEST_CASE("a translation is the same function, or refused") {
  for (const std::string& text : kLayouts) {
    const ts::Layout layout = ts::layout(text).value();
    for (const std::string& notation : ts::notations()) {
      INFO(text << " to " << notation);
      const auto other = layout.to(notation);
      if (!other) {
        CHECK_FALSE(other.error().message.empty());
        continue;
      }
      // One axis counted in one order: the tables are comparable. (Registers may be numbered anew.)
      const bool comparable = layout.axes().size() == 1 && other->axes().size() == 1 &&
                              layout.firstModeFastest() == other->firstModeFastest();
      if (comparable) CHECK(layout.table().value() == other->table().value());
    }
  }
  const ts::Layout row = ts::layout("(4,8):(8,1)").value();
  CHECK(row.to("axe")->text() == "S[(4,8):(8,1)] over (4,8)");
  CHECK(ts::layout("f32[4,8]{1,0}")->to("cute")->text() == "(4,8):(8,1)");
  CHECK(row.to("esperanto").error().message.find("esperanto") != std::string::npos);
}

TEST_CASE("banks, sectors and swizzles are the program's") {
  const ts::Layout tile = ts::layout("(64,64):(64,1)").value();
  const auto banks = ts::bankReport(tile, "ldmatrix.x4", "fp16");
  REQUIRE(banks);
  CHECK(tessera::textOf(valueOf("wavefronts((64,64):(64,1), ldmatrix.x4, fp16)")) ==
        "{wavefronts: " + std::to_string(banks->wavefronts) + ", ideal: " + std::to_string(banks->ideal) +
            ", excess: " + std::to_string(banks->excess) + "}");
  CHECK(banks->degree == 8);  // rows of 128 bytes: the 8 rows of a matrix begin in one bank
  CHECK_FALSE(banks->conflict.empty());
  CHECK_FALSE(ts::bankReport(tile, "ld.global.v4.b32", "fp16").ok());
  const auto sectors = ts::sectorReport(tile, "ld.global.v4.b32", "fp16");
  REQUIRE(sectors);
  CHECK(sectors->coalesced());
  CHECK(sectors->sectors == 64 * 64 * 2 / 32);

  ts::Numbers column;
  for (i64 lane = 0; lane < 32; ++lane) column.push_back(128 * lane);
  const auto one = ts::bankReport(column, 4);
  REQUIRE(one);
  CHECK(one->wavefronts == 32);
  CHECK(one->degree == 32);
  CHECK_FALSE(ts::bankReport({1}, 4).ok());
  CHECK_FALSE(ts::bankReport(ts::Numbers(33, 0), 4).ok());

  const auto found = ts::findSwizzle(tile, {"ldmatrix.x4", "cp.async16"}, "fp16");
  REQUIRE(found);
  const std::array specs = {*tessera::parseAccess("ldmatrix.x4"), *tessera::parseAccess("cp.async16")};
  const auto own = tessera::findSwizzle(*tessera::cute::parseLayout("(64,64):(64,1)"), 16, specs);
  REQUIRE(own);
  REQUIRE(found->swizzles.size() == own->swizzles.size());
  REQUIRE(found->paddings.size() == own->paddings.size());
  CHECK(found->candidates == own->candidates);
  for (std::size_t k = 0; k < own->swizzles.size(); ++k) {
    CHECK(found->swizzles[k].layout.text() == own->swizzles[k].cute);
    CHECK(found->swizzles[k].cuda == own->swizzles[k].cuda);
    CHECK(ts::bankReport(found->swizzles[k].layout, "ldmatrix.x4", "fp16")->conflictFree());
  }
  CHECK_FALSE(ts::findSwizzle(tile, {}, "fp16").ok());
  CHECK_FALSE(ts::findSwizzle(tile, {"ld.global.v4.b32"}, "fp16").ok());
  CHECK_FALSE(ts::findSwizzle(tile, {"ldmatrix.x4"}, "fp17").ok());
}

TEST_CASE("what is wrong with a text comes with its place") {
  const auto layout = ts::layout("(8,4):(4,1,2)");
  REQUIRE_FALSE(layout);
  const ts::Error& error = layout.error();
  CHECK(error.line == 1);
  CHECK(error.column == 7);
  CHECK(error.begin == 6);
  CHECK(error.end == 13);
  CHECK(error.marked().find("\n        ^^^^^^^") != std::string::npos);
  for (const char* text : {"", " ", "prove injective((4,8):(8,1))", "A = (4,8):(8,1)", "injective((4,8):(8,1))", "X",
                           "\"a text\"", "(4,8):(8,1); (4,8):(8,1)", "\xff", "show (4,8)"}) {
    INFO(text);
    CHECK_FALSE(ts::layout(text).ok());
    CHECK_FALSE(ts::layout(text).error().message.empty());
  }
  const ts::Layout row = ts::layout("(4,8):(8,1)").value();
  for (const ts::Numbers& c : std::vector<ts::Numbers>{{}, {4, 0}, {-1, 0}, {0, 8}, {0, 0, 0}, {32}, {-1}})
    CHECK_FALSE(row.at(c).ok());
  CHECK_FALSE(row.backward({0, 0}).ok());
  CHECK(row.backward(32).value().empty());
  CHECK_FALSE(row.table(1).ok());
  CHECK_FALSE(ts::layout("(1000000,1000000):(1000000,1)")->table().ok());
}

TEST_CASE("a swizzle alone has no shape, and says so when it is asked") {
  const auto swizzle = ts::layout("Sw<3,3,3>");
  REQUIRE(swizzle);
  CHECK_FALSE(swizzle->size().has_value());
  CHECK_FALSE(swizzle->at({0}).ok());
  CHECK_FALSE(swizzle->backward(0).ok());
  CHECK_FALSE(swizzle->table().ok());
}

TEST_CASE("a cancelled call and a spent budget are errors") {
  const ts::CancelFlag flag;
  flag.raise();
  ts::Options stopped;
  stopped.cancel = &flag;
  const ts::Layout big = ts::layout("(4096,4096):(4096,1)").value();
  CHECK(big.table(0, stopped).error().message == "cancelled");
  ts::Options poor;
  poor.seconds = 1e-5;
  CHECK(big.table(0, poor).error().message.find("out of budget") != std::string::npos);
}

TEST_CASE("damaged texts are read or refused, and nothing is thrown") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string bytes = "(),:<>[]{}@#%-+*/ o09azS\n\"\\\xff";
  ts::Options few;
  few.seconds = 0.02;
  for (int round = 0; round < 4000; ++round) {
    std::string text = kLayouts[below(kLayouts.size())];
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size() + 1);
      const std::size_t what = below(3);
      if (what == 0) text.insert(at, 1, bytes[below(bytes.size())]);
      if (what == 1) text.erase(at, 1 + below(4));
      if (what == 2) text.insert(at, text.substr(below(text.size() + 1), below(8)));
    }
    INFO("seed 1, round " << round << ": " << text);
    const auto layout = ts::layout(text, {}, few);
    if (!layout) {
      CHECK_FALSE(layout.error().message.empty());
      CHECK(layout.error().begin <= layout.error().end);
      CHECK(layout.error().end <= text.size() + 1);
      continue;
    }
    (void)layout->at(ts::Numbers(layout->rank(), 0));
    (void)layout->backward(ts::Numbers(layout->axes().size(), 1), few);
    (void)layout->to(ts::notations()[below(ts::notations().size())], few);
    (void)ts::bankReport(*layout, "ldmatrix.x4", "fp16", few);
  }
}
