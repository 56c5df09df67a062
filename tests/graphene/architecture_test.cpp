// The architecture that a program's own text requires.
#include <catch2/catch.hpp>

#include "core/graphene/reader/sized.h"

using namespace tessera::graphene;

TEST_CASE("the architecture is what is asked for, else what the text says, else sm_80") {
  CHECK(architectureOf("") == "sm_80");
  CHECK(architectureOf("%x:[4].fp32.GL\n") == "sm_80");
  CHECK(architectureOf("// arch: sm_90a") == "sm_90a");
  CHECK(architectureOf("// arch: sm_90a", "sm_100a") == "sm_100a");
  CHECK(architectureOf("graphene p {\n  // a program\n  // arch:sm_75  \n  %x:[4].fp32.GL\n}") == "sm_75");
  CHECK(architectureOf("// arch: sm_90a\n// arch: sm_75\n") == "sm_90a");
  CHECK(architectureOf("// arch: gfx942\n") == "sm_80");
  CHECK(architectureOf("// arch: sm_\n") == "sm_80");
  CHECK(architectureOf("// architecture: sm_90a\n") == "sm_80");
}
