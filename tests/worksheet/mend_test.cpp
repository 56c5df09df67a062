// Hints are tested like answers: the text that "did you mean" suggests evaluates, and equals the undamaged one. Issue
// 25, B19.
#include "core/worksheet/statements/mend.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "support/volume.h"
#include "worksheet/run.h"

using namespace tessera;

namespace {

constexpr std::string_view kMean = "did you mean ";

std::string suggested(std::string_view text) {
  const std::string hint = complaint(text).diag.hint;
  return hint.starts_with(kMean) ? hint.substr(kMean.size()) : "";
}

const std::vector<std::string> kGood = {
    "(4,8):(8,1)",
    "((2,2),4):((1,4),2)",
    "A = ((2,2),(4,2)):((1,8),(2,16))",
    "Sw<3,3,3> o (64,64):(64,1)",
    "Layout<Shape<_4,_8>,Stride<_8,_1>>",
    "Layout<Shape<Shape<_2,_2>,_8>,Stride<Stride<_1,_4>,_8>>",
    "make_layout(make_shape(4,8), make_stride(8,1))",
    "f32[4,8]{1,0}",
    "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
    "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)]",
    "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]",
    "composition((6,2):(8,2), (4,3):(3,1))",
    "size((4,8):(8,1))",
    "prove injective((4,8):(8,1))",
    "assert size((4,8)) == 32",
    "zN<2>(32,48)",
};

}  // namespace

TEST_CASE("the one edit that makes a text readable is suggested") {
  CHECK(suggested("(4,8:(8,1)") == "(4,8):(8,1)");
  CHECK(suggested("Layout<Shape<_4,_8>,Stride<_8,_1>") == "Layout<Shape<_4,_8>,Stride<_8,_1>>");
  CHECK(suggested("(4,8)):(8,1)") == "(4,8):(8,1)");
  CHECK(suggested("4,8):(8,1)") == "(4,8):(8,1)");
  CHECK(suggested("(4,8]:(8,1)") == "(4,8):(8,1)");
  CHECK(suggested("bf17[8,16]") == "bf16[8,16]");
  CHECK(suggested("Sw<3,3,3> 0 (64,64):(64,1)") == "Sw<3,3,3> o (64,64):(64,1)");
  CHECK(complaint("(4,8:(8,1)").diag.message == "a ')' is missing");
  CHECK(complaint("(4,8:(8,1)").diag.span.begin == 4);
}

TEST_CASE("nothing is suggested where nothing helps, or two edits help differently") {
  CHECK(suggested("(4,8:(8,2").empty());
  CHECK(suggested("nosuch((4,8)").empty());
  CHECK(suggested("(4,8):(8,1,2)") != "(4,8):(8,1,2)");
  CHECK(suggested(std::string(3000, '(')).empty());
}

TEST_CASE("a suggested edit of a damaged text evaluates and is the text") {
  std::mt19937_64 random(25);
  i64 suggestions = 0, restored = 0, damaged = 0;
  for (i64 n = 0; n < test::volume(1'500, 100'000); ++n) {
    const std::string& good = kGood[static_cast<std::size_t>(n) % kGood.size()];
    std::vector<std::size_t> brackets;
    for (std::size_t k = 0; k < good.size(); ++k)
      if (std::string_view("()[]{}<>").find(good[k]) != std::string_view::npos &&
          !(good[k] == '>' && good[k - 1] == '-'))
        brackets.push_back(k);
    std::string bad = good;
    const std::size_t at = brackets[random() % brackets.size()];
    if (random() % 4 == 0) {
      bad.insert(at, 1, good[at]);
    } else {
      bad.erase(at, 1);
    }
    const Complaint said = complaint(bad);
    if (said.diag.message.empty()) continue;  // it reads, as something else
    ++damaged;
    const std::string hint = suggested(bad);
    INFO(bad << "   hint: " << said.diag.hint);
    if (hint.empty()) continue;
    ++suggestions;
    REQUIRE(last(hint).find("error:") != 0);
    restored += last(hint) == last(good) ? 1 : 0;
  }
  CAPTURE(damaged, suggestions, restored);
  CHECK(suggestions * 4 >= damaged * 3);      // most damages have one edit: 7,965 of 10,000
  CHECK(restored * 100 >= suggestions * 97);  // the rest: another layout, as near in the text
}

TEST_CASE("messages say what is missing and where") {
  CHECK(complaint("register = [[0,1],[0,2,1]]").diag.message.find("but the layout has") != std::string::npos);
  CHECK(complaint("S[(8,2):(4@lane,1@)]").diag.expected.find("1@lane") != std::string::npos);
  const std::string head = "graphene p { %a:[8].fp32.GL #b:[1].block #w:[8].thread\n";
  CHECK(complaint(head + "%a <- %a\n}").diag.message == "a specification is missing between `<-` and the tensor");
  CHECK(complaint(head + "%a <- Move<<<#b,#w>>>(%a[@t])\n}").diag.message ==
        "%a[@t] is a view: an operand must be a name");
  CHECK(complaint(head + "%c:[8].fp99.GL\n}").diag.message == "'fp99' is not an element type");
  CHECK(complaint("%a:[9].fp99.GL").piece == "fp99");
  CHECK(last("%a:[4,8:8,1].fp32.GL.tile([_],[2:1])") == last("%a:[4,8:8,1].fp32.GL.tile(_,[2:1])"));
}
