// Text is meaning: the printed text of a value parses to the same value. A layout converted to another notation is the
// same layout, both as the call to_Y(X) and as the text that it printed. The values are random, of every notation.
// Plain loops in tests/agree/random_values.cpp compute their tables, never the product.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/layout/hardware.h"
#include "core/worksheet/value.h"
#include "tests/agree/families.h"
#include "tests/agree/random_values.h"
#include "tests/support/ask.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::test;

namespace {

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
