// Layouts with symbolic sizes: the text denotes a family, and claims about it hold for every size.
#include "core/notation/axe/text/parametric.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/notation/axe/eval.h"
#include "solver/prove/prove.h"
#include "tests/support/whole_text.h"

using namespace tessera;

namespace {

Map mapOf(const std::string& text) {
  const auto map = wholeText(text, axe::parseParametricPrefix);
  INFO(text << (map ? "" : ": " + map.error().message));
  REQUIRE(map.ok());
  return *map;
}

Verdict injective(const std::string& text) { return prove({claims::Injective{mapOf(text)}}); }

}  // namespace

TEST_CASE("with numbers for the names the map is the ordinary layout's") {
  const Map map = mapOf("S[(n,4,m):(4*m@lane,m,1)] + R[2:n*m@warp] + 3@warp for n in [1, 5], m in [1, 3]");
  for (i64 n = 1; n <= 5; ++n) {
    for (i64 m = 1; m <= 3; ++m) {
      const auto layout =
          axe::parse(fmt::format("S[({0},4,{1}):({2}@lane,{1},1)] + R[2:{3}@warp] + 3@warp", n, m, 4 * m, n * m));
      REQUIRE(layout.ok());
      const auto plain = toMap(*layout, {n, 4, m});
      REQUIRE(plain.ok());
      const std::vector<i64> params{n, m};
      i64 real = 0;
      for (i64 a = 0; a < 5; ++a)
        for (i64 b = 0; b < 4; ++b)
          for (i64 c = 0; c < 3; ++c) {
            const std::vector<i64> at{a, b, c};
            const bool inside = a < n && c < m;
            const auto image = map.imageOf(at, params);
            CHECK(image.empty() == !inside);
            if (!inside) continue;
            ++real;
            CHECK(image == plain->imageOf(at));
          }
      CHECK(real == n * 4 * m);
    }
  }
}

TEST_CASE("claims hold for every size, or name the size at which they break") {
  CHECK(injective("S[(n,8):(8@m,1@m)] for n in [1, 1000000000]").truth == Truth::Proved);
  const Verdict broken = injective("S[(n,8):(7@m,1@m)] for n in [1, 4096]");
  if (broken.truth != Truth::Unknown) {  // undecided without Z3
    CHECK(broken.truth == Truth::Refuted);
    CHECK(broken.counterexample->text.find("for n=") != std::string::npos);
  }
  const Verdict product = injective("S[(n,m):(m,1)] for m in [1, 1000000], n in [1, 1000000]");
  if (haveZ3()) CHECK(product.truth == Truth::Proved);
  // Small ranges by every method that decides them.
  for (const char* text : {"S[(n,m):(m,1)] for m in [1, 6], n in [1, 6]", "S[(n,m):(n,1)] for m in [1, 6], n in [1, 6]",
                           "S[(n,4):(4,1)] + R[2:n*4] for n in [1, 6]", "S[(n,4):(4,1)] + R[2:n*3] for n in [1, 6]"}) {
    Claim claim{claims::Injective{mapOf(text)}, Method::Exhaustive};
    const Truth truth = prove(claim).truth;
    CHECK(truth != Truth::Unknown);
    claim.method = Method::Z3;
    const Verdict z3 = prove(claim);
    INFO(text << " " << z3.detail);
    if (haveZ3() && z3.truth != Truth::Unknown) CHECK(z3.truth == truth);
  }
}

TEST_CASE("what cannot be read is named at its place") {
  const auto message = [](const std::string& text) {
    const auto map = wholeText(text, axe::parseParametricPrefix);
    REQUIRE(!map.ok());
    return map.error().message + " | " +
           text.substr(map.error().span.begin, map.error().span.end - map.error().span.begin);
  };
  CHECK(message("S[(k,8):(8,1)] for n in [1, 4]") == "'k' has no range | k");
  CHECK(message("S[(n,8):(8,1)] for n in [5, 4]") == "n has no value between 5 and 4 | n in [5, 4]");
  CHECK(message("S[(n,8):(8,1)] for n in [0, 4]") == "an extent may be below 1 here | n");
  CHECK(message("S[(n,n):(n,1)] for n in [1, 9223372036854775807]").find("64-bit") != std::string::npos);
  CHECK(message("S[(n*n*n,1):(1,1)] for n in [1, 9223372036854775807]").find("does not fit in 64 bits") !=
        std::string::npos);
  for (const char* text :
       {"S[(n,8):(8)] for n in [1, 4]", "S[(n,8):(8,1,1)] for n in [1, 4]", "S[n:1 for n in [1, 4]",
        "S[(n,8):(8,1)] x for n in [1, 4]", "S[(n,8):(8@,1)] for n in [1, 4]", "S[(n,8):(8,1)] for n in [1, 4"})
    CHECK(!wholeText(text, axe::parseParametricPrefix).ok());
}
