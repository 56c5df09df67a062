#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/worksheet/functions/functions.h"
#include "core/worksheet/language/syntax.h"
#include "worksheet/run.h"

using namespace tessera;

TEST_CASE("tensors as CuTe DSL prints them") {
  CHECK(last("tensor<ptr<f32, gmem> o (4,3):(3,1)>") == "tensor<ptr<f32, gmem> o (4,3):(3,1)>");
  CHECK(last("size(tensor<ptr<f16, smem, align<16>> o (8,64):(64,1)>)") == "512");
  CHECK(
      last("T = tensor(raw_ptr(0x00000000c0dea400: f32, gmem, align<4>) o (4,3):(3,1), data=\n"
           "       [[ 1.000000,  2.000000,  3.000000, ],\n        ...\n        [ 4.000000,  5.000000,  6.000000, ]])\n"
           "T((1,2))") == "5");
}

TEST_CASE("functions of the algebra take swizzled layouts where CuTe does") {
  const std::string l = "Sw<3,3,3> o 0 o (8,64):(64,1)";
  CHECK(last("complement(" + l + ", 1024)") == "2:512");
  CHECK(last("complement(" + l + ", (32,64))") == "4:512");
  CHECK(last("complement(" + l + ")") == "1:0");
  CHECK(last("max_alignment(" + l + ")") == "8");
  CHECK(last("max_common_layout(" + l + ", (8,64):(64,1))") == "8:8");
  CHECK(last("max_common_layout((8,64):(64,1), " + l + ")") == "8:8");
  CHECK(last("filter(Sw<3,3,3> o 8 o (8,64):(64,0))") == "Sw<3,3,3> o 8 o 8:64");
  CHECK(last("filter(Sw<3,3,3> o 8 o (8,(2,4)):(64,(0,1)))") == "Sw<3,3,3> o 8 o (8,4):(64,1)");
  CHECK(last("filter_zeros(Sw<3,3,3> o 0 o (8,64):(64,0))") == "Sw<3,3,3> o 0 o (8,1):(64,0)");
  CHECK(last("nullspace(Sw<3,3,3> o 0 o (8,64):(64,0))") == "64:8");
  CHECK(last("make_fragment_like(" + l + ")") == last("make_fragment_like((8,64):(64,1))"));
  CHECK(last("right_inverse((4,5):(5,1) o 0 o 20:1)") == "(5,4):(4,1)");
  CHECK(last("right_inverse(Sw<3,3,3> o 0 o (8,8):(8,1))") == "(8,8):(8,1)");
}

TEST_CASE("what acts on the inner layout keeps the outer function and the offset") {
  const std::string b = "((2,2),4):((1,2),4)";
  for (const char* call : {"coalesce({})",
                           "coalesce({}, (1,1))",
                           "flatten({})",
                           "group({}, 0, 2)",
                           "take({}, 1, 2)",
                           "select({}, 1, 0)",
                           "append({}, 2:1)",
                           "prepend({}, 2:1)",
                           "logical_divide({}, 2:1)",
                           "tiled_divide({}, 2:1)",
                           "flat_divide({}, 2:1)",
                           "zipped_divide({}, <2,2>)",
                           "logical_product({}, 2:1)",
                           "zipped_product({}, 2:1)",
                           "tiled_product({}, 2:1)",
                           "flat_product({}, 2:1)",
                           "blocked_product({}, 2:1)",
                           "raked_product({}, 2:1)",
                           "composition({}, 4:2)",
                           "composition({}, <2,2>)",
                           "tile_to_shape({}, (8,8))"}) {
    const auto of = [&](const std::string& layout) { return last(fmt::format(fmt::runtime(call), layout)); };
    INFO(call);
    CHECK(of(b).find("error") == std::string::npos);
    CHECK(of("Sw<1,0,1> o 4 o " + b) == "Sw<1,0,1> o 4 o " + of(b));
  }
}

TEST_CASE("integers: floors, precedence, chains, limits of 64 bits") {
  CHECK(last("1 + 2 * 3") == "7");
  CHECK(last("(1 + 2) * 3") == "9");
  CHECK(last("10 - 3 - 2") == "5");
  CHECK(last("10 - (3 - 2)") == "9");
  CHECK(last("-7 / 2") == "-4");
  CHECK(last("-7 % 2") == "1");
  CHECK(last("7 - -2") == "9");
  CHECK(last("--7") == "7");
  CHECK(last("0x1F + 1") == "32");
  CHECK(last("9223372036854775807") == "9223372036854775807");
  CHECK(last("(-9223372036854775807 - 1) / -1") == "error: -9223372036854775808 / -1 does not fit in 64 bits");
  CHECK(last("9223372036854775807 + 1") == "error: 9223372036854775807 + 1 does not fit in 64 bits");
  CHECK(last("9223372036854775808").substr(0, 6) == "error:");
  CHECK(last("1 / 0") == "error: 1 / 0 has no value");
}

TEST_CASE("conditions: comparisons, and, or, not") {
  CHECK(last("1 < 2 and 2 <= 2") == "true");
  CHECK(last("1 > 2 or not 2 >= 3") == "true");
  CHECK(last("not true == false") == "true");
  CHECK(last("1 != 1") == "false");
  CHECK(last("(4,8):(8,1) == (_4,_8):(_8,_1)") == "true");
  CHECK(last("(4,8) == (4,8)") == "true");
  CHECK(last("1 < 2 < 3") == "error: unexpected '<'");
  CHECK(last("1 and true") == "error: 'and', 'or' and 'not' need conditions; this is an integer");
}

TEST_CASE("literals go to their notation: static marks, bases and every spelling survive") {
  CHECK(last("(4,8):(8,1)") == "(4,8):(8,1)");
  CHECK(last("(_4,8):(_8,1)") == "(_4,8):(_8,1)");
  CHECK(last("8:1") == "8:1");
  CHECK(last("(128,64):(1@1,1@0)") == "(128,64):(1@1,1@0)");
  CHECK(last("Layout<Shape<_4,_8>,Stride<_8,_1>>") == "(_4,_8):(_8,_1)");
  CHECK(last("S<3,4,3>") == "S<3,4,3>");
  CHECK(last("SW_3_4_3 o 0 o (8, 64):(64, 1)") == "Sw<3,4,3> o 0 o (8,64):(64,1)");
  CHECK(last("!cute.layout<\"(4,2):(1,4)\">") == "(4,2):(1,4)");
  CHECK(last("( 4 ,\t( 2 , 2 ) ) : ( 4 , ( 1 , 2 ) )") == "(4,(2,2)):(4,(1,2))");
  CHECK(last("4:-1") == "4:-1");
  CHECK(last("(8,):(1,)") == "(8):(1)");
  CHECK(last("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)") ==
        "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
}

TEST_CASE("names may stand anywhere in a layout") {
  CHECK(last("M = 4\nN = 8\n(M,N):(N,1)") == "(4,8):(8,1)");
  CHECK(last("M = 4\n(M * 2, (M, 2)):(1, (8, M * 8))") == "(8,(4,2)):(1,(8,32))");
  CHECK(last("s = (4,8)\ns:(8,1)") == "(4,8):(8,1)");
  CHECK(last("d = 3\n4:-d") == "4:-3");
  CHECK(last("make_layout(make_shape(4,8), make_stride(8,1))") == "(4,8):(8,1)");
  CHECK(last("make_layout(4:1, 8:4)") == "(4,8):(1,4)");
}

TEST_CASE("application: linear, by modes, nested, by name") {
  CHECK(last("(4,8):(8,1)(9)") == "10");
  CHECK(last("L = (3,(2,3)):(3,(12,1))\nL(16)") == "17");
  CHECK(last("L = (3,(2,3)):(3,(12,1))\nL(1,5)") == last("L = (3,(2,3)):(3,(12,1))\nL((1,(1,2)))"));
  CHECK(last("Sw<3,4,3>(128)") == "144");
  CHECK(last("(Sw<3,3,3> o 0 o (8,64):(64,1))((1,0))") == "72");
  CHECK(last("S = Sw<3,3,3>\nA = (8,64):(64,1)\n(S o A)(1,0)") == "72");
  CHECK(last("S = Sw<3,3,3>\nA = (8,64):(64,1)\n(S o 64 o A)(0,0)") == "72");
  CHECK(last("3(4)") == "error: an integer is not a function and cannot be applied to 4");
}

TEST_CASE("`o` binds swizzles and layouts, from the right") {
  CHECK(last("Sw<3,3,3> o (64,64):(64,1)") == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(last("A = (64,64):(64,1)\nSw<3,3,3> o A") == "Sw<3,3,3> o 0 o (64,64):(64,1)");
  CHECK(last("Sw<1,4,3> o Sw<1,5,3>") == "Sw<2,4,3>");
  CHECK(last("Sw<3,3,3> \xE2\x88\x98 (8,64):(64,1)") == "Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(last("Sw<3,4,3> o 0").substr(0, 6) == "error:");
}

TEST_CASE("TLA: a block layout is made, indexed and tiled") {
  CHECK(last("zN<2>(32, 48)") == "((16,2),(16,3)):((16,256),(1,512))");
  CHECK(last("MakeLayout<half, layout::zN>(32, 48)") == "((16,2),(16,3)):((16,256),(1,512))");
  CHECK(last("zN<2>(32, 48)(31, 47)") == "1535");
  CHECK(last("crd2offset((1,5), ((4,2),(4,3)):((4,16),(1,32)))") == "37");
  CHECK(last("origin_shape(zN<2>(17, 33))") == "(17,33)");
}

TEST_CASE("a slice keeps the open modes; a note has its offset") {
  CHECK(last("(4,8):(8,1)(_,3)") == "(4):(8)");
  CHECK(last("slice_and_offset((_,3), (4,8):(8,1))") == "((4):(8),3)");
  CHECK(runAll("(4,8):(8,1)(_,3)").back().evaluated.notes.size() == 1);
  CHECK(runAll("(4,8):(8,1)(_,0)").back().evaluated.notes.empty());
}

TEST_CASE("composition is right or refused, and explain shows either") {
  CHECK(last("composition((6,2):(8,2), (4,3):(3,1))") == "((2,2),3):((24,2),8)");
  CHECK(last("(6,2):(8,2) o (4,3):(3,1)") == "((2,2),3):((24,2),8)");
  CHECK(last("composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)") ==
        last("composition((12,(4,8)):(59,(13,1)), (3:4, 8:2))"));
  CHECK(last("composition((6,2):(1,7), (3,2):(2,3))").find("i = 5") != std::string::npos);
  CHECK(last("refuses(composition((6,2):(1,7), (3,2):(2,3)))") == "true");
  CHECK(last("refuses(composition((6,2):(8,2), (4,3):(3,1)))") == "false");
  const auto explained = [](std::string_view text) {
    const auto value = runAll(text).back().evaluated.value;
    return value && std::holds_alternative<cute::Explanation>(*value) ? std::get<cute::Explanation>(*value)
                                                                      : cute::Explanation{};
  };
  const cute::Explanation direct = explained("explain(composition((6,2):(8,2), (4,3):(3,1)))");
  CHECK(direct.result == "((2,2),3):((24,2),8)");
  CHECK_FALSE(direct.steps.empty());
  CHECK(explained("R = composition((6,2):(8,2), (4,3):(3,1))\nexplain(R)") == direct);
  CHECK(explained("explain((6,2):(8,2) o (4,3):(3,1))") == direct);
  // The simplifier's own steps, for a map, a formula of named ranges and a shown line.
  const cute::Explanation simple =
      explained("explain(simplify((d0) -> ((d0 * 4 + 3) floordiv 4), domain: d0 in [0, 7]))");
  CHECK(simple.result == "(d0) -> (d0), domain: d0 in [0, 7]");
  REQUIRE_FALSE(simple.steps.empty());
  CHECK(simple.steps.front().text.starts_with("result 0, div-of-multiple: (x * a + y) floordiv b = "));
  CHECK(simple.steps.front().formula == "(d0 * 4 + 3) floordiv 4");
  CHECK(explained("M = (d0) -> ((d0 * 4 + 3) floordiv 4), domain: d0 in [0, 7]\nexplain(M)") == simple);
  CHECK(explained("explain(simplify((t / 8) % 4, t in [0, 31]))").result ==
        "(t) -> (t floordiv 8), domain: t in [0, 31]");
  const auto shown = runAll("show simplify((d0) -> (d0 mod 8), domain: d0 in [0, 7]) as steps").back().evaluated;
  CHECK_FALSE(shown.diag.has_value());
  CHECK(std::holds_alternative<ShowRequest>(shown.request));
  CHECK(runAll("show (4,8):(8,1) as steps").back().evaluated.diag.has_value());
  CHECK(explained("explain(composition((6,2):(1,7), (3,2):(2,3)))").refused);
  CHECK(last("explain(size(8:1))") == "error: there is no derivation of size to explain");
}

TEST_CASE("an algebra result remembers its inputs, also through its name") {
  const auto direct = runAll("zipped_divide((8,16):(16,1), <4:1, 8:1>)").back().evaluated.operation;
  REQUIRE(direct);
  CHECK(direct->function == "zipped_divide");
  CHECK(direct->inputs.size() == 2);
  const std::vector<Ran> named = runAll("T = coalesce((2,4):(1,2))\nshow T as algebra");
  REQUIRE(named.back().evaluated.operation);
  CHECK(named.back().evaluated.operation->function == "coalesce");
  CHECK_FALSE(runAll("size(8:1)").back().evaluated.operation);
}

TEST_CASE("show, prove and assert leave as requests") {
  CHECK(last("show (4,8):(8,1) as grid fp16") == "show (4,8):(8,1) as grid");
  const auto shown = std::get<ShowRequest>(runAll("A = 8:1\nshow A as banks fp16 32").back().evaluated.request);
  CHECK(shown.name == "A");
  CHECK(shown.arguments == std::vector<std::string>{"fp16", "32"});
  const auto proved = std::get<ProveRequest>(runAll("prove not injective((4,2):(1,2)) by z3").back().evaluated.request);
  CHECK(proved.negated);
  CHECK(proved.claim.method == Method::Z3);
  CHECK(proved.claim.text == "not injective((4,2):(1,2))");
  CHECK(last("injective(8:1)") == "claim injective");
  CHECK(last("prove equal(8:1, 8:1)") == "claim equal");
  const auto onto = std::get<ProveRequest>(runAll("prove surjective(8:1, 16)").back().evaluated.request);
  CHECK(onto.claim.maps()[0].axes()[0].extent == std::optional<i64>(16));
  CHECK(last("assert size(8:1) == 8") == "true");
  CHECK(last("assert size(8:1) == 9") == "error: this does not hold: 8 == 9");
}

TEST_CASE("an error in one line leaves every other line's outcome as it was") {
  const std::vector<Ran> ran = runAll("A = 8:1\nB = (4,8:(\nC = A\nD = nope\nsize(C)");
  REQUIRE(ran.size() == 5);
  CHECK(ran[1].evaluated.diag);
  CHECK(ran[3].evaluated.diag);
  CHECK(print(*ran[4].evaluated.value) == "8");
}

TEST_CASE("a line that fails does not rebind its name") { CHECK(last("A = 8:1\nA = 8:(1,2)\nA") == "8:1"); }

TEST_CASE("every function's row is complete, and its name is found") {
  for (const FunctionInfo& info : functions()) {
    INFO(info.name);
    CHECK_FALSE(info.what.empty());
    CHECK(info.signature.find(info.name) != std::string_view::npos);
  }
  for (const std::span<const Function> table :
       {cuteFunctions(), cuteAlgebraFunctions(), tlaFunctions(), mapFunctions()}) {
    for (const Function& f : table) {
      INFO(f.name);
      CHECK(findFunction(f.name) == &f);  // no name twice
      CHECK(f.minArgs <= f.maxArgs);
    }
  }
}

// Every function answers every mixture of small arguments with a value or a Diag that has a place and a message.
TEST_CASE("no function falls over wrong arguments") {
  const std::vector<std::string> arguments = {"0",
                                              "-1",
                                              "3",
                                              "(4,8)",
                                              "_",
                                              "(_,1)",
                                              "(4,8):(8,1)",
                                              "4:-1",
                                              "8:0",
                                              "Sw<3,4,3>",
                                              "\"text\"",
                                              "true",
                                              "zN<2>(32,48)",
                                              "<2,_>",
                                              "(4,4):(1@0,1@1)",
                                              "Sw<1,0,3> o 0 o (4,8):(8,1)",
                                              "(1000000000,1000000000):(1000000000,1)",
                                              "to_map(8:1)",
                                              "()"};
  const auto ask = [](const std::string& call) {
    const Evaluated e = runAll(call).back().evaluated;
    if (!e.diag) return;
    INFO(call);
    CHECK_FALSE(e.diag->message.empty());
    CHECK(e.diag->span.end <= call.size());
    CHECK(e.diag->span.begin < e.diag->span.end);
  };
  std::size_t turn = 0;  // each function gets a third of the pairs, each pair a third of the functions
  for (const FunctionInfo& info : functions()) {
    ++turn;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      ask(fmt::format("{}({})", info.name, arguments[a]));
      for (std::size_t b = 0; b < arguments.size(); ++b) {
        if ((turn + a + b) % 3 != 0) continue;
        ask(fmt::format("{}({}, {})", info.name, arguments[a], arguments[b]));
        ask(fmt::format("{}({}, {}, 1)", info.name, arguments[b], arguments[a]));
      }
    }
  }
}

TEST_CASE("a mesh says what it shards, and layouts may have symbolic sizes") {
  CHECK(last("mesh (2,2) shard (0,1) over (64,128)") == "S[(2,32,2,64):(2@gpuid,64,1@gpuid,1)] over (64,128)");
  CHECK(last("mesh (2,2):(1,2) shard (S0,R) over (64,128)") ==
        "S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid] over (64,128)");
  CHECK(last("mesh (2,2) shard (0,1)").substr(0, 6) == "error:");
  CHECK(last("mesh (2,2) shard (0,7) over (64,128)").substr(0, 6) == "error:");
  CHECK(last("S[(n,8):(8@m,1@m)] for n in [1, 64]") ==
        "(d0, d1){n} -> (m: d0 * 8 + d1), domain: d0 in [0, 63], d1 in [0, 7], n in [1, 64], n - 1 - d0 in [0, 63]");
  CHECK(last("prove injective(S[(n,8):(8@m,1@m)] for n in [1, 64])") == "claim injective");
  CHECK(complaint("S[(k,8):(8,1)] for n in [1, 4]").piece == "k");
}
