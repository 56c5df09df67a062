// Views between the specifications of a program, with and without their types.
#include <catch2/catch.hpp>

#include "core/graphene/program.h"

using namespace tessera;
using namespace tessera::graphene;

TEST_CASE("a view that stands outside of every specification may say its type, as it is printed") {
  const std::string head = "%x:[4,8].fp32.GL  %y:[8].fp32.GL\n#b:[1].block  #t:[8].thread\n";
  const std::string spec =
      "%y <- Move<<<#b,#t>>>(%r) {\n  @t = #t.indices()\n  %f = %r[@t]  %g = %y[@t]\n  %g <- Move(%f)\n}\n";
  const auto plain = readProgram(head + "%r = %x.tile([1:1],_)[2,0].reshape(0,[8])\n" + spec);
  REQUIRE(plain.ok());
  const auto typed = readProgram(head + "%r:[8:1].fp32.GL = %x.tile([1:1],_)[2,0].reshape(0,[8])\n" + spec);
  INFO((typed ? "" : typed.error().message));
  REQUIRE(typed.ok());
  CHECK(typed->operands.size() == 4);
  CHECK(print(*typed) == print(*plain));
  const auto again = readProgram(print(*plain));
  REQUIRE(again.ok());
  CHECK(print(*again) == print(*plain));
  const auto wrong = readProgram(head + "%r:[4:1].fp32.GL = %x.tile([1:1],_)[2,0].reshape(0,[8])\n" + spec);
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().message.find("the type says") != std::string::npos);
}
