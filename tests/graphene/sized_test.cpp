// Sizes that are set while a program is read.
#include "core/graphene/reader/sized.h"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::string kText = R"(// Rows.
// small: M = 3, N=2
%x:[4*M,N].fp32.GL  %y:[4*M,N].fp32.GL
#b:[M].block  #t:[4].thread
%y <- Move<<<#b,#t>>>(%x) {
  @b = #b.indices()  @t = #t.indices()
  for (n = 0; n < N; n += 1) {
    %f = %x[4*@b + @t, n]  %g = %y[4*@b + @t, n]
    %g <- Move(%f)
  }
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

}  // namespace

TEST_CASE("a program with sizes is the one whose text has the numbers") {
  const auto sized = readSized(kText, {{"M", 3}, {"N", 2}});
  REQUIRE(sized.ok());
  const std::string by = replaced(replaced(replaced(kText, "4*M", "12"), "[M]", "[3]"), ",N]", ",2]");
  const auto written = readProgram(replaced(by, "< N", "< 2"));
  REQUIRE(written.ok());
  CHECK(print(*sized) == print(*written));
  // One of them: the other stays a symbol.
  const auto one = readSized(kText, {{"N", 2}});
  REQUIRE(one.ok());
  CHECK(print(*one).find("12") == std::string::npos);
  CHECK(print(*one).find("M*4") != std::string::npos);
  CHECK(print(*readSized(kText, {})) == print(*readProgram(kText)));
}

TEST_CASE("a size that the program has not is named, with those that it has") {
  const auto wrong = readSized(kText, {{"M", 3}, {"K", 2}});
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().message == "the program has no size K");
  CHECK(wrong.error().expected == "N, M");
}

TEST_CASE("small sizes stand in a comment") {
  CHECK(smallSizes(kText) == Sizes{{"M", 3}, {"N", 2}});
  CHECK(smallSizes("%x:[4].fp32.GL\n").empty());
  CHECK(smallSizes("  // small: M = 3\n").empty());
  CHECK(smallSizes("// small: M = 0, = 3, N = x, K = 4").size() == 1);
  REQUIRE(sizeOption("M=128").ok());
  CHECK(*sizeOption("M=128") == std::pair<std::string, i64>("M", 128));
  for (const char* text : {"", "M", "M=", "=3", "M=0", "M=-1", "M=3x", "M=99999999999999999999"})
    CHECK(!sizeOption(text).ok());
}
