// Programs in a worksheet: blocks, their places, and queries about them.
#include <catch2/catch.hpp>

#include "core/graphene/program.h"
#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

const std::string kMove = R"(graphene move {
  %src : [16,16].fp16.SH   // { not a brace
  %dst : [2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
  #blk : [1].block  #warp : [32].thread
  %dst <- Move<<<#blk, #warp>>>(%src) {
    (@gm, @gn), @r = #g2.indices()
  }
}
)";

const std::string kGood = R"(graphene copy {
  %a : [64].fp32.GL  %b : [64].fp32.GL
  #blk : [2].block  #t : [32].thread
  %b <- Move<<<#blk, #t>>>(%a) {
    @i = #t.indices()  @j = #blk.indices()
    %x = %a[@i + 32 * @j]  %y = %b[@i + 32 * @j]
    #one = #t.scalar()
    %y <- Move<<<#blk, #one>>>(%x)
  }
}
)";

const CheckRequest* asked(const std::vector<Ran>& ran) {
  return std::get_if<CheckRequest>(&ran.back().evaluated.request);
}

}  // namespace

TEST_CASE("a block is a program by its name, and its text is kept") {
  const auto ran = runAll(kGood);
  REQUIRE(ran.size() == 1);
  CHECK(ran[0].statement.kind == StatementKind::Block);
  REQUIRE(ran[0].evaluated.value);
  const auto& listing = std::get<graphene::Listing>(*ran[0].evaluated.value);
  CHECK(listing.name == "copy");
  CHECK(listing.text == kGood.substr(0, kGood.size() - 1));
  CHECK(kindOf(*ran[0].evaluated.value) == "program");
  const auto& spec = listing.program->specs.at(0);
  CHECK(listing.text.substr(spec.span.begin, 4) == "%b <");  // places count in the block's text
  CHECK(last(kGood + "copy") == print(listing));
  CHECK(last(kGood + "copy == copy") == "true");
}

TEST_CASE("an error of a program points into the sheet, and leaves the other lines alone") {
  const std::string before = "A = (4,8):(8,1)\n";
  const auto ran = runAll(before + kMove + "size(A)\nmove");
  REQUIRE(ran.size() == 4);
  REQUIRE(ran[1].evaluated.diag);
  const Diag& d = *ran[1].evaluated.diag;
  CHECK(d.message == "there is no tensor #g2 here");
  CHECK((before + kMove).substr(d.span.begin, d.span.end - d.span.begin) == "#g2");
  CHECK(print(*ran[2].evaluated.value) == "32");
  CHECK(ran[3].evaluated.diag->message == "'move' is not defined");
}

TEST_CASE("blocks that are none") {
  CHECK(complaint("graphene { %a:[4].fp16.GL }").diag.message == "this block has no name");
  CHECK(complaint("graphene k { %a:[4].fp16.GL").diag.message == "this block is never closed");
  CHECK(complaint("graphene k").diag.message == "this block has no braces");
  CHECK(complaint("graphene k { k }").diag.message == "there is no statement 'k'");  // no recursion
  CHECK(last("graphene k { }\nk") == "");
}

TEST_CASE("prove NAME and check NAME ask for the obligations of the program") {
  for (const std::string word : {"prove", "check"}) {
    const auto ran = runAll(kGood + word + " copy on sm_90 by z3");
    REQUIRE(asked(ran) != nullptr);
    CHECK(asked(ran)->listing.name == "copy");
    CHECK(asked(ran)->architecture == "sm_90");
    CHECK(asked(ran)->method == "z3");
    CHECK(ran.back().statement.kind == StatementKind::Prove);
    REQUIRE(asked(runAll(kGood + word + " copy")) != nullptr);
    CHECK(asked(runAll(kGood + word + " copy"))->method.empty());
  }
  REQUIRE(asked(runAll(kGood + "prove not copy")) != nullptr);
  CHECK(asked(runAll(kGood + "prove not copy"))->text == "not copy");
  CHECK(complaint(kGood + "prove not 3").diag.message.find("need conditions") != std::string::npos);
  CHECK(complaint(kGood + "prove copy by f2").piece == "by f2");
  CHECK(complaint(kGood + "prove copy on mars").piece == "on mars");
  CHECK(complaint("A = 8:1\nprove injective(A) on sm_90").diag.message.find("only programs") != std::string::npos);
  CHECK(complaint("A = 8:1\ncheck A").diag.message == "this is not a claim");
  CHECK(complaint("check nothing").piece == "nothing");
  CHECK(last("check = 3\ncheck + 1") == "4");  // still a name
}

TEST_CASE("the tensors of a program are layouts of the sheet, as block 0 and thread 0 have them") {
  CHECK(last(kGood + "copy.%a") == "%a:[64:1].fp32.GL");
  CHECK(last(kGood + "copy.#t") == "#t:[32:1].thread");
  CHECK(last(kGood + "copy.%x") == "%x:[].fp32.GL");
  CHECK(last(kGood + "size(copy.%a)") == "64");
  CHECK(last(kGood + "prove injective(copy.%a)") == "claim injective");
  CHECK(complaint(kGood + "copy.%z").piece == "copy.%z");
  const std::string tiles = R"(graphene tiles {
  %s : Sw<3,3,3> o [64,64].fp16.SH  #b : [4].block  #t : [64].thread
  %s <- Init<0><<<#b, #t>>>() {
    @i = #t.indices()
    for (k = 8; k < 64; k += 8) { %r = %s.tile(1, 8)[@i, k / 8]  %r <- Init<0><<<#b, #t>>>() }
  }
}
)";
  CHECK(last(tiles + "tiles.%r") == "%r:Sw<3,3,3> o [1,8:0,1].fp16.SH");
  CHECK(last(tiles + "address(tiles.%r, (0,0))") == "8");  // k = 8: column 8 of row 0
}

TEST_CASE("registers that say what they hold are shown as the tile that they hold") {
  CHECK(last("D = %d:[8].fp16.RF holds [16,16] as mma.m16n8k16.f16 A\nD").find("mma.m16n8k16.f32.f16.f16.f32 A") !=
        std::string::npos);
  CHECK(complaint("%d:[4].fp16.RF holds [16,16] as mma.m16n8k16.f16 A").piece == "mma.m16n8k16.f16 A");
  CHECK(last("S = %s:Sw<3,3,3> o [64,64].fp16.SH\naddress(S, (1,8))") == "64");  // 64 + 8 ((8/8) xor 1)
}

TEST_CASE("`as` behind holds is the tensor's own, one behind that names the view") {
  const std::string d = "show %d:[2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]";
  const std::string atlas = "show %d:[2,4].fp16.RF holds [ 16, 16 ]  as mma.m16n8k16.f32.f16.f16.f32 A";
  for (const auto& [text, view] :
       {std::pair{d, ""}, {d + " as grid", "grid"}, {atlas, ""}, {atlas + " as grid", "grid"}}) {
    INFO(text);
    const auto ran = runAll(text);
    const auto* shown = std::get_if<ShowRequest>(&ran.back().evaluated.request);
    REQUIRE(shown != nullptr);
    CHECK(shown->view == view);
  }
  CHECK_FALSE(runAll("show %d:[2,4].fp16.RF holds [16,16]").back().evaluated.diag == std::nullopt);
}
