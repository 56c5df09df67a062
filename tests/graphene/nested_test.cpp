// Nested shapes without strides.
#include <catch2/catch.hpp>

#include "core/graphene/atoms/atom.h"
#include "core/graphene/slots/slots.h"

using namespace tessera;
using namespace tessera::graphene;

TEST_CASE("a nested declaration without strides is compact: every element has its own place") {
  CHECK(print(*parseTensor("%f:[2,2].[1,2].fp16.RF")) == "%f:[2,2:4,2].[1,2:0,1].fp16.RF");
  CHECK(print(*parseTensor("#g:[4].[8].thread")) == "#g:[4:8].[8:1].thread");
  CHECK(print(*parseTensor("%f:[2,3].[4].[(2,2)].fp16.RF")) == "%f:[2,3:48,16].[4:4].[(2,2):(1,2)].fp16.RF");
  for (const std::string text : {"%f:[2,2].[1,2].fp16.RF", "%f:[2,3].[4].[(2,2)].fp16.RF", "%f:[3,5].[2,2].fp16.RF"}) {
    const std::vector<i64> at = flatSlots(*parseTensor(text)).addresses;
    for (std::size_t s = 0; s < at.size(); ++s) CHECK(at[s] == static_cast<i64>(s));
  }
  // Strides that are written stay, and so does what is outside of them.
  CHECK(print(*parseTensor("%f:[2,2].[1,2:0,8].fp16.RF")) == "%f:[2,2:2,1].[1,2:0,8].fp16.RF");
}
