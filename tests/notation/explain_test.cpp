// An explanation ends with the operation's result, and its steps contain the numbers of this input.
#include "core/notation/cute/algebra/explain.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/text/text.h"

using namespace tessera;

namespace {

cute::Layout layout(const char* text) { return *cute::parseLayout(text); }

void agrees(const cute::Explanation& e, const Result<cute::Layout>& r) {
  REQUIRE(e.refused == !r.ok());
  REQUIRE(e.result == (r ? print(*r) : r.error().message));
}

}  // namespace

TEST_CASE("composition is explained mode by mode") {
  const cute::Explanation e = explainComposition(layout("(6,2):(8,2)"), layout("(4,3):(3,1)"));
  CHECK(print(e) ==
        "composition((6,2):(8,2), (4,3):(3,1))\n"
        "  1  A coalesced, its last mode unbounded   (6,2):(8,2)\n"
        "  2  mode 0 of B, 4:3, walks A's mode 6:8 in steps of 3:  min(ceil(6 / 3), rest) = 2, stride 3 * 8   2:24\n"
        "  3  mode 0 of B, 4:3, walks A's mode 2:2 in steps of 1:  2 remain in A's last mode, stride 1 * 2   2:2\n"
        "  4  mode 1 of B, 3:1, walks A's mode 6:8 in steps of 1:  min(ceil(6 / 1), rest) = 3, stride 1 * 8   3:8\n"
        "  5  check R(i) = A(B(i)) for every i:  no digit carries into another   ((2,2),3):((24,2),8)\n"
        "= ((2,2),3):((24,2),8)");
  const cute::Explanation wrong = explainComposition(layout("(6,2):(1,7)"), layout("(3,2):(2,3)"));
  CHECK(wrong.refused);
  CHECK(wrong.result.find("at i = 5, A(B(5)) = A(7) = 8") != std::string::npos);
}

TEST_CASE("complement is explained gap by gap") {
  CHECK(print(explainComplement(layout("(2,2):(1,6)"), 24)) ==
        "complement((2,2):(1,6), 24)\n"
        "  1  A without its stride-0 modes, sorted by stride   (2,2):(1,6)\n"
        "  2  the gap below 2:1:  1 / 1 = 1, then the span is 2 * 1 = 2   1:1\n"
        "  3  the gap below 2:6:  6 / 2 = 3, then the span is 2 * 6 = 12   3:2\n"
        "  4  copies of the whole up to 24:  ceil(24 / 12) = 2   2:12\n"
        "= (3,2):(2,12)");
}

TEST_CASE("coalesce is explained neighbour by neighbour") {
  CHECK(print(explainCoalesce(layout("(2,(1,6)):(1,(6,2))"))) ==
        "coalesce((2,(1,6)):(1,(6,2)))\n"
        "  1  modes of extent 1 have no effect:  2 of 3 modes remain   (2,6):(1,2)\n"
        "  2  2:1 continues into 6:2:  2 * 1 = 2   12:1\n"
        "= 12:1");
}

TEST_CASE("explanations of random inputs end as the operations do") {
  std::mt19937 random(1);
  const auto number = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  const auto make = [&] {
    std::vector<cute::IntTuple> s;
    std::vector<cute::IntTuple> d;
    for (int k = number(1, 3); k > 0; --k) {
      s.emplace_back(number(1, 6));
      d.emplace_back(number(-1, 9));
    }
    return *cute::Layout::make(cute::IntTuple::tuple(s), cute::IntTuple::tuple(d));
  };
  for (int trial = 0; trial < 3'000; ++trial) {
    const cute::Layout a = make();
    const cute::Layout b = make();
    agrees(explainComposition(a, b), composition(a, b));
    agrees(explainComplement(a, 24), complement(a, 24));
    agrees(explainRightInverse(a), rightInverse(a));
    agrees(explainLeftInverse(a), leftInverse(a));
    agrees(explainLogicalDivide(a, b), logicalDivide(a, b));
    agrees(explainLogicalProduct(a, b), logicalProduct(a, b));
  }
  const cute::Layout unknown = layout("(?,4):(?,1)");
  CHECK(explainComposition(unknown, layout("4:1")).refused);
  CHECK(explainCoalesce(unknown).result == "coalesce needs numbers, but (?,4):(?,1) has unknown values (`?`)");
}
