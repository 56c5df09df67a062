// Damaged texts and extreme numbers give either a value or a Diag whose place is inside the text.
#include <catch2/catch.hpp>
#include <random>

#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/operations.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

void tryText(const std::string& text) {
  const auto read = parseTensor(text);
  if (!read) {
    INFO(text << ": " << read.error().message);
    CHECK(read.error().span.begin <= read.error().span.end);
    CHECK(read.error().span.end <= text.size());
    CHECK_FALSE(read.error().message.empty());
    return;
  }
  const std::string printed = print(*read);
  if (read->offset.isConstant(0)) {
    const auto again = parseTensor(printed);
    INFO(text << " -> " << printed);
    REQUIRE(again.ok());
    CHECK(print(*again) == printed);
  }
  (void)predicates(*read);
  (void)NotationOf<Tensor>::arrow(*read);
  (void)NotationOf<Tensor>::facts(*read);
}

}  // namespace

TEST_CASE("damaged tensors") {
  const std::vector<std::string> seeds = {
      "%A:[4,(2,4):2,(1,8)].fp32.GL.tile([2:2],[(2,2):(1,4)])",
      "#warp:[32:1].thread.tile([8:1]).reshape(depth=0,[2,2:2,1])",
      "%A:[M,N:N,1].fp16.SH.tile([128,_])[@bm,0].scalar()",
      "%s:Sw<3,3,3> o [64,64:64,1].fp16.SH.tile([8],[8])[1,2]",
      "%d:[2,4:4,1].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]",
      "%a:[8].fp16.RF holds [16,16] as ((4,8),(2,2,2)):((32,1),(16,8,128))",
      "%a:[2].fp32.RF holds [4,64] as S[(4,32,2):(1@warp,1@lane,1@reg)] + R[2:32@lane]",
      "%18:[ceildiv(M,128),2*(N+1)].[8,8:16,1].fp16.RF[0,(1,2)]",
  };
  const std::string bytes = "0123456789()[]:,.%#@_+-*/ MNtilershapecdvxSwhogw<>@R\xE2\x88\x98\x00";
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string text = seeds[random() % seeds.size()];
    for (unsigned k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % (text.size() + 1);
      const char c = bytes[random() % bytes.size()];
      switch (random() % 4) {
        case 0:
          text.insert(at, 1, c);
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        case 2:
          if (at < text.size()) text[at] = c;
          break;
        default:
          text += text.substr(at, 12);
      }
    }
    tryText(text);
  }
}

TEST_CASE("numbers at the edge of 64 bits") {
  const std::string most = "9223372036854775807", half = "4611686018427387904";
  for (const std::string& text : std::vector<std::string>{
           "%A:[" + most + "].fp16.GL", "%A:[2:" + most + "].fp16.GL", "%A:[2:" + half + "].fp16.GL",
           "%A:[2:-" + half + "].fp16.GL", "%A:[" + half + ",2].fp16.GL",
           "%A:[" + half + "].fp16.GL.tile([2:" + half + "])", "%A:[8:" + half + "].fp16.GL.tile([2])",
           "%A:[2:" + half + "].fp16.GL.tile([2:" + half + "])", "%A:[" + half + "].fp16.GL[" + most + "]",
           "%A:[" + most + ":1].fp16.GL.tile([" + half + "])", "#t:[" + half + ":2].thread",
           "%A:[M:" + most + "].fp16.GL.tile([8:" + half + "])", "%A:[M*" + most + "*" + most + "].fp16.GL",
           "%A:[2:" + most + "+M].fp16.GL.tile([1:" + most + "])[" + half + "]"})
    tryText(text);
  std::string deep = "%A:[";
  for (int k = 0; k < 3000; ++k) deep += "(2,";
  tryText(deep);
  std::string many = "%A:[2";
  for (int k = 0; k < 5000; ++k) many += ",1";
  tryText(many + "].fp16.GL");
}

TEST_CASE("an expression without an end is refused, and costs no stack") {
  std::string text = "%A:[M";
  for (int k = 0; k < 300000; ++k) text += k % 2 == 0 ? "+M" : "*M";
  tryText(text + "].fp16.GL");
}
