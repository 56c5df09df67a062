// The meaning of a generic specification: equations are parsed, printed, and refused with their place.
#include "core/graphene/meaning.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::string kHead = "%x:[4,32:32,1].fp32.GL  %y:[4,32:32,1].fp32.GL\n#b:[1].block  #w:[32:1].thread\n";
const std::string kBody = "{\n  @l = #w.indices()\n}\n";

std::string with(const std::string& equations) {
  return kHead + "%y <- Spec<f><<<#b,#w>>>(%x) means {\n" + equations + "\n} " + kBody;
}

// The equations as they are printed.
std::string printed(const std::string& equations) {
  const auto program = readProgram(with(equations));
  INFO(equations);
  if (!program) FAIL(program.error().message);
  const std::string once = print(*program);
  const auto again = readProgram(once);
  INFO(once);
  if (!again) FAIL(again.error().message);
  CHECK(print(*again) == once);
  const std::size_t from = once.find("means {\n") + 8, to = once.find("\n} {", from);
  std::string out = once.substr(from, to - from);
  while (out.starts_with(' ')) out.erase(0, 1);
  for (std::size_t at = out.find("\n  "); at != std::string::npos; at = out.find("\n  ", at + 1)) out.erase(at + 1, 2);
  return out;
}

struct Refusal {
  std::string piece, message;
};
Refusal refusal(const std::string& equations) {
  const std::string text = with(equations);
  const auto program = readProgram(text);
  INFO(text);
  REQUIRE_FALSE(program.ok());
  const Span span = program.error().span;
  REQUIRE(span.end <= text.size());
  return {text.substr(span.begin, span.end - span.begin), program.error().message};
}

}  // namespace

TEST_CASE("equations of a specification are printed as they are read") {
  CHECK(printed("%y[i,j]=%x[i,j]") == "%y[i,j] = %x[i,j]");
  CHECK(printed(
            "m[i] = max(k < 32) %x[i,k]\n s[i] = sum(k<32) exp(%x[i,k]-m[i])  %y[i,j] = exp(%x[i,j] - m[i]) / s[i]") ==
        "m[i] = max(k < 32) %x[i,k]\ns[i] = sum(k < 32) exp(%x[i,k] - m[i])\n%y[i,j] = exp(%x[i,j] - m[i]) / s[i]");
  CHECK(printed("c = 0.125 %y[i,j] = -c*(%x[i,j]+1e-5)") == "c = 0.125\n%y[i,j] = neg(c) * (%x[i,j] + 1e-05)");
  CHECK(printed("%y[i,j] = sum(a<2,b=1<3) %x[2*a%4,b] + -inf") == "%y[i,j] = sum(a < 2, b = 1 < 3) %x[a*2%4,b] + -inf");
  CHECK(printed("%y[i,j] = (sum(a<2) %x[a,j])*2") == "%y[i,j] = (sum(a < 2) %x[a,j]) * 2");
  CHECK(printed("%y[i,j] = where(i <= j && j < 4, max(%x[i,j], 0), [i+1]*j)") ==
        "%y[i,j] = where(i <= j && j < 4, max(%x[i,j], 0), [i+1] * [j])");
  CHECK(printed("%y[i,j] = 1 - (2 - %x[i,j]) / (3 / 4)") == "%y[i,j] = 1 - (2 - %x[i,j]) / (3 / 4)");
  CHECK(printed("h[l,i] = where(l == 0, %x[0,i], tanh(h[l-1,i]))  %y[i,j] = h[5,j]") ==
        "h[l,i] = where(l == 0, %x[0,i], tanh(h[l+-1,i]))\n%y[i,j] = h[5,j]");
}

TEST_CASE("equations that say nothing are refused where they stand") {
  CHECK(refusal("").message == "no equation defines %y");
  CHECK(refusal("%y[i] = 1").message == "%y has 2 coordinates, not 1");
  CHECK(refusal("%y[i,j] = %x[i]").message == "%x has 2 coordinates, not 1");
  CHECK(refusal("%y[i,j] = %x[i]").piece == "%x[i]");
  CHECK(refusal("%x[i,j] = 1").message == "%x is not an output of this specification");
  CHECK(refusal("%y[i,j] = 1  %y[i,j] = 2").message == "%y has two equations");
  CHECK(refusal("%y[i,i] = 1").message == "i is already an index");
  CHECK(refusal("%y[i,j] = sum(i < 4) 1").message == "i is already an index");
  CHECK(refusal("%y[i,j] = m[i]").message == "nothing is named m here");
  CHECK(refusal("m[i] = 1 %y[i,j] = m").message == "m has 1 indices, not 0");
  CHECK(refusal("%y[i,j] = %x[i,k]").message == "there is no index k here");
  CHECK(refusal("%y[i,j] = exp %x[i,j]").message == "exp of what?");
  CHECK(refusal("%y[i,j] = exp(1,2)").message == "exp is not an operation on two values");
  CHECK(refusal("%y[i,j] = max(1)").message == "max is not an operation on one value");
  CHECK(refusal("%y[i,j] = %z[i,j]").message == "there is no tensor %z here");
  CHECK(refusal("%y[i,j] = sum(k 4) 1").message == "nothing is named k here");
  CHECK(refusal("%y[i,j] = 1 +").piece == "}");
  CHECK(refusal("exp[i] = 1").message == "exp is an operation");
  CHECK(refusal("%y[i,j] = " + std::string(5000, '(')).message == "this nests more than 200 levels deep");
  CHECK(refusal("%y[i,j] = " + std::string(5000, '-') + "1").message == "this nests more than 200 levels deep");
  const auto move = readProgram(kHead + "%y <- Move<<<#b,#w>>>(%x) means { %y[i,j] = %x[i,j] } " + kBody);
  REQUIRE_FALSE(move.ok());
  CHECK(move.error().message == "Move already defines what it computes");
}

TEST_CASE("a definition says once what its calls compute") {
  const std::string text = kHead + R"(
def twice<op, n>: %a <- Spec<twice><<<#g,#t>>>(%b) means {
  part[t] = op(k < n) %b[k,t]
  %a[i,j] = part[j] + op(%a[i,j], 2)
} {
  @l = #t.indices()
}
%y <- twice<max, 3><<<#b,#w>>>(%x)
)";
  const auto program = readProgram(text);
  if (!program) FAIL(program.error().message);
  const std::string once = print(*program);
  CHECK(once.find("part[t] = max(k < 3) %x[k,t]\n  %y[i,j] = part[j] + max(%y[i,j], 2)\n} {") != std::string::npos);
  const auto again = readProgram(once);
  if (!again) FAIL(again.error().message);
  CHECK(print(*again) == once);
}

TEST_CASE("registers of several threads have the thread as their first coordinate") {
  const std::string text = kHead + R"(
%y <- Spec<f><<<#b,#w>>>(%x) {
  %r:[2].[3].fp32.RF
  %r <- Spec<sum><<<#b,#w>>>(%x) means {
    %r[t,e] = sum(u < 32) %r[u,e]
  } { @l = #w.indices() }
  %r <- Spec<one>() means {
    %r[e] = 0
  } { #v = #w.tile([1:1]) }
}
)";
  const auto program = readProgram(text);
  if (!program) FAIL(program.error().message);
  const std::string once = print(*program);
  const auto again = readProgram(once);
  if (!again) FAIL(again.error().message);
  CHECK(print(*again) == once);
}

TEST_CASE("equations with bytes changed are read or refused") {
  const std::string good = with(
      "m[i] = max(k < 32, l = 1 < 2) %x[i,k*l]\n%y[i,j] = where(i <= j, exp(%x[i,j] - m[i]) / 2e-3, -[i+j/2] * "
      "relu(1))");
  const std::string bytes = "%[](){}<>=+-*/,.;:ijkm0129 \nmeanswhrxp";
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = good;
    for (u64 k = random() % 4 + 1; k > 0; --k) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, random() % 3 + 1);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, bytes[random() % bytes.size()]);
      } else {
        text[at] = bytes[random() % bytes.size()];
      }
    }
    const auto program = readProgram(text);
    if (!program) {
      CHECK(program.error().span.end <= text.size());
      continue;
    }
    ++read;
    const std::string once = print(*program);
    const auto again = readProgram(once);
    INFO(text);
    INFO(once);
    REQUIRE(again.ok());
    CHECK(print(*again) == once);
  }
  CHECK(read > 100);
}
