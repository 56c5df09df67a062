// XLA's and MLIR's text, pasted: lines, reports, modules, types, maps, shardings, Mosaic's layouts.
#include <catch2/catch.hpp>
#include <string>

#include "tests/paste/pasted_value.h"

using namespace tessera;

TEST_CASE("an HLO line binds its name; X is the last") {
  checkPasted(
      paste::kXla,
      {{"%t.1 = f32[8,4]{0,1} transpose(f32[4,8]{1,0} %p), dimensions={1,0}", "shape(t_1)", "2 f32[8,4]{0,1}"},
       {"%a = f32[8,4]{1,0} parameter(0)\nROOT %b = f32[4,8]{0,1} transpose(%a), dimensions={1,0}", "X(3,7)", "2 31"},
       {"%r = (f32[8]{0}, s32[4]{0}) tuple(f32[8]{0} %a, s32[4]{0} %b)", "shape(X, 1)", "2 s32[4]{0}"},
       {"p = pred[16]{0} and(pred[16]{0} a, pred[16]{0} b)", "bytes(X)", "2 16"}});
}

TEST_CASE("a report of lacking memory gives its shapes, the last is X") {
  const std::string report =
      "  1. Size: 16.00M\n     Operator: op_name=\"f\"\n     Shape: f32[1024,4096]{1,0:T(8,128)}\n"
      "     Unpadded size: 16.00M\n     XLA label: fusion.12 = fusion(p.1), kind=kLoop, calls=c\n"
      "     Allocation type: HLO temp\n\n  2. Size: 8.00M\n     Shape: bf16[1024,4096]{1,0:T(8,128)(2,1)}\n"
      "     XLA label: copy.2 = copy(p.3)\n";
  checkPasted(paste::kXla, {{report, "bytes(X)", "2 8388608"}, {report, "bytes(fusion_12)", "2 16777216"}});
  const auto wrong = paste::kXla.read("Size: 1.00M\nShape: f32[8,8]{1,0}\nUnpadded size: 1.00M", {});
  REQUIRE(wrong.ok());
  REQUIRE(wrong->notes.size() == 1);
  CHECK(wrong->notes[0] == "the report says 1.00M for this allocation, but its shape with all tiles takes 256 bytes");
}

TEST_CASE("a line without a shape is refused with what is missing") {
  const auto none = paste::kXla.read("XLA label: broadcast.7 = broadcast(bitcast.2), dimensions={1}", {});
  REQUIRE(!none.ok());
  CHECK(none.error().message == "this line has no shape: it only names broadcast.7 and its operands");
  CHECK(!none.error().hint.empty());
}

TEST_CASE("computations without a head, buffers and entry layouts") {
  checkPasted(
      paste::kXla,
      {{"%c (p: f32[8,16]) -> f32[16,8] {\n  %p = f32[8,16]{1,0} parameter(0)\n"
        "  ROOT %t = f32[16,8]{1,0} transpose(%p), dimensions={1,0}\n}",
        "bytes(X)", "2 512"},
       {"BufferAssignment:\nallocation 0: size 512, maybe-live-out:\n value: <3 t.2 @0> (size=512,offset=0): "
        "f32[16,8]{1,0}",
        "shape(t_2)", "2 (16,8)"},
       {"entry_computation_layout={(f32[8]{0}, bf16[4]{0})->(f32[2,3]{0,1})}", "shape(shape(result, 0))", "2 (2,3)"}});
}

TEST_CASE("MLIR's types keep their element, their strides and their offset") {
  checkPasted(paste::kXla,
              {{"tensor<16x8xbf16>", "bytes(X)", "2 256"},
               {"vector<8x128xf32>", "shape(X)", "2 (8,128)"},
               {"memref<4x8xf32, strided<[16, 1], offset: 5>>", "X(1,2)", "2 23"},
               {"memref<4x8xf32, strided<[1, 4]>, 3>", "X(1,2)", "2 9"},
               {"memref<16x32xf16, affine_map<(d0, d1) -> (d1, d0)>>", "X(1,2)", "2 33"},
               {"memref<16x256xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>>",
                "X(9,130)", "2 " + std::to_string(2048 + 1024 + 128 + 2)},
               {"memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>", "X(9,130)",
                "2 " + std::to_string(2048 + 1024 + 128 + 2)},
               {"memref<?x8xf32>", "X(1,2)", "asks d0"},
               {"memref<?x8xf32>", "shape(X)", "2 (4,8)", {{"d0", "4"}}},
               {"#m = affine_map<(d0, d1) -> (d0 * 64 + d1 + 7)>\n%a = memref.alloc() : memref<8x64xf32, #m>", "a(1,2)",
                "2 73"},
               {"tensor<*xf32>", "X", "refused this type has no rank"}});
}

TEST_CASE("the value of an operation has the type of its result") {
  checkPasted(
      paste::kXla,
      {{"%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>", "shape(X)", "2 (6,4)"},
       {"%2:2 = stablehlo.custom_call @f(%a) : (tensor<4xi32>) -> (tensor<4xi32>, tensor<2x3xi1>)", "shape(X)",
        "2 (2,3)"},
       {"%s = memref.subview %a[0, 4] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>",
        "s(1,2)", "2 14"},
       {"func.func @f(%arg0: tensor<4x6xf32>) -> tensor<6x4xf32> {\n  %0 = stablehlo.transpose %arg0, dims = [1, 0] "
        ": (tensor<4x6xf32>) -> tensor<6x4xf32>\n  return %0 : tensor<6x4xf32>\n}",
        "shape(arg0)", "2 (4,6)"}});
}

TEST_CASE("maps as attributes") {
  checkPasted(paste::kXla,
              {{"affine_map<(d0, d1)[s0] -> (d0 * 4 + s0, d1 ceildiv 2)>", "evaluate(X, (2,3), (1))", "2 (9,2)"},
               {"#map = affine_map<(d0, d1) -> (d1, d0)>", "evaluate(map, (2,3))", "2 (3,2)"},
               {"#xla.indexing_map<\"(d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 3], s0 in [0, 7]\">",
                "evaluate(X, (2), (3))", "2 19"},
               {"#xla_gpu.indexing_map<(d0) -> (d0 mod 4), domain: d0 in [0, 7], is_simplified: true>",
                "evaluate(X, (6))", "2 2"},
               {"affine_set<(d0, d1) : (d0 - d1 >= 0, d1 - 3 == 0)>", "evaluate(X, (5,3))", "2 (5,3)"},
               {"affine_map<(d0, d1) -> (d0 * 8 + d1)>", "shape(X)", "2 (4,8)", {{"d0", "4"}, {"d1", "8"}}}});
}

TEST_CASE("Mosaic's vector layouts place elements in sublanes, lanes and parts of a word") {
  checkPasted(paste::kXla,
              {{"#tpu.vpad<\"16,{0,0},(16,128)\">", "evaluate(X, (5,7))", "2 (0,0,2,7,1)"},
               {"#tpu.vpad<\"16,{0,0},(8,128)\">", "evaluate(X, (5,130))", "2 (0,0,6,2,1)"},
               {"#tpu.vpad<\"32,{8,0},(8,128)\">", "evaluate(X, (1,2))", "2 (1,0,1,2,0)"},
               {"#tpu.tiled<(8,128),[1,1]>", "X(1,2)", "2 130"},
               {"#tpu.vpad<\"24,{0,0},(8,128)\">", "X", "refused a TPU vector has no elements of 24 bits"}});
}

TEST_CASE("a sharding maps tiles to devices, however it is written") {
  const std::string two = "2 [{gpuid: 2}]";
  checkPasted(paste::kXla,
              {{"{devices=[2,2]<=[4]}", "X(1,0)", two},
               {"{devices=[2,2]0,1,2,3}", "X(1,0)", two},
               {"{devices=[2,2]<=[2,2]T(1,0)}", "X(0,1)", two},
               {"<@mesh, [{\"x\"}, {\"y\"}]>", "X(1,0)", two, {{"x", "2"}, {"y", "2"}}},
               {"sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n#sdy.sharding<@m, [{\"x\"}, {\"y\"}]>", "X(1,0)", two},
               {"NamedSharding(mesh=Mesh('x': 2, 'y': 2), spec=PartitionSpec('x', 'y'))", "X(1,0)", two},
               {"mesh = jax.make_mesh((2, 2), ('x', 'y'))\ns = NamedSharding(mesh, P('x', 'y'))", "s(1,0)", two},
               {"PositionalSharding([[{TPU 0} {TPU 1}]\n [{TPU 2} {TPU 3}]])", "X(1,0)", two},
               {"{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}", "X(1,0)", "2 [{gpuid: 2}, {gpuid: 3}]"},
               {"NamedSharding(mesh=Mesh('a': 2, 'b': 4), spec=PartitionSpec(None, 'b'))", "X(0,1)",
                "2 [{gpuid: 1}, {gpuid: 5}]"},
               {"{devices=[4]3,1,0,2}", "X(3)", "2 2"},
               {"{replicated}", "X", "asks devices"},
               {"{devices=[2,2]0,1,2}", "X", "refused the tiles need 4 devices, and the text has 3"},
               {"<@mesh, [{\"x\"}, {}]>", "X", "asks x"}});
}

// Law: an iota with a transpose is the list that it stands for.
TEST_CASE("a transposed iota is its list of devices") {
  for (int a = 1; a <= 4; ++a)
    for (int b = 1; b <= 4; ++b) {
      std::string list;
      for (int j = 0; j < b; ++j)
        for (int i = 0; i < a; ++i) list += (list.empty() ? "" : ",") + std::to_string(i * b + j);
      const std::string dims = std::to_string(b) + "," + std::to_string(a);
      const std::string iota = "{devices=[" + dims + "]<=[" + std::to_string(a) + "," + std::to_string(b) + "]T(1,0)}";
      INFO(iota);
      CHECK(pastedAs(paste::kXla, iota, "X") == pastedAs(paste::kXla, "{devices=[" + dims + "]" + list + "}", "X"));
    }
}

TEST_CASE("text of others is not XLA's") {
  for (const std::string text :
       {"uint8_t u8[16];", "int i = f(a[3]);", "(4,8):(8,1)", "#a = #ttg.blocked<{order = [1, 0]}>",
        "%0 = tt.load %p : tensor<64x!tt.ptr<f16>, #blocked>", "s[i][j] = f32(x);", "std::vector<int> v(8); v[i] = 3;",
        "pltpu.VMEM((8, 128))"}) {
    INFO(text);
    CHECK(paste::kXla.recognizes(text) == 0);
  }
}
