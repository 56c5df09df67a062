// Pasted Python: TVM, TIRx and TileLang.
#include "tests/paste/python_cases.h"

namespace tessera::paste {
namespace {

const std::vector<PythonCase> kTvmCases = {
    {R"py(T.Buffer((16, 16), "float16", strides=[32, 1]))py", {{"X", "(16,16):(32,1)"}}, {}, {}, true},
    {R"py(A = T.match_buffer(a, (128, 128), "float32"))py", {{"A", "(128,128):(128,1)"}}, {}, {}, true},
    {R"py(@T.prim_func
def main(A: T.Buffer((128, 64), "float16"), B: T.Buffer((64, 32), "float16")):
    with T.block("C"):
        vi = T.axis.spatial(128, 0))py",
     {{"A", "(128,64):(64,1)"}, {"B", "(64,32):(32,1)"}},
     {},
     {},
     true},
    {R"py(s0 = T.int32()
s1 = T.int32()
A = T.match_buffer(a, (16, 16), "float16", strides=[s0, s1], scope="shared", offset_factor=16))py",
     {{"A", "(16,16):(20,1)"}},
     {{"s0", "20"}, {"s1", "1"}},
     {},
     true},
    {R"py(tvm.tir.decl_buffer((n, m), "float32", strides=[m, 1]))py",
     {{"X", "(4,8):(8,1)"}},
     {{"n", "4"}, {"m", "8"}},
     {},
     true},
    {"TileLayout(S[(8, 2, 4, 2) : (4@laneid, 1@warpid, 1@laneid, 1)] + R[2 : 4@warpid])", {}, {}, {}, true},
    {"layout = TileLayout(S[128, 64])", {{"layout(1,2)", "66"}}, {}, {}, true},
    {R"py(T.alloc_buffer((128, 64), "float16", scope="shared", layout=TileLayout(S[(128, 64) : (64, 1)])))py",
     {{"X(1,2)", "66"}},
     {},
     {},
     true},
    {"ComposeLayout(SwizzleLayout(3, 3, 3, swizzle_inner=True), TileLayout(S[(64, 64) : (64, 1)]))",
     {{"X(1,0)", "72"}},
     {},
     {},
     true},
    {"T.Layout([M, N], lambda i, j: [i // 8, j // 8, (i % 8) * 8 + (j % 8) ^ (i % 8)])",
     {},
     {{"M", "64"}, {"N", "64"}},
     {},
     true},
    {"T.Fragment([16, 16], forward_fn=lambda i, j: (i % 8 * 4 + j % 8 // 2, i // 8 * 2 + j // 8 * 4 + j % 2))",
     {{"X(9,3)", "(5,3)"}},
     {},
     {},
     true},
    {"tilelang.layout.Fragment([64], forward_thread_fn=lambda i: i // 2, forward_index_fn=lambda i: i % 2)",
     {{"X(5)", "(2,1)"}},
     {},
     {},
     true},
    {R"py(A_shared = T.alloc_shared((128, 64), "float16")
T.annotate_layout({A_shared: tilelang.layout.make_swizzled_layout(A_shared)}))py",
     {},
     {},
     {},
     true},
    {R"py(A_shared = T.alloc_shared((128, 64), T.float16)
L = make_swizzled_layout(A_shared))py",
     {{"L(1,0)", "72"}, {"L(9,8)", "576"}},
     {},
     {},
     true},
    {R"py(sch.transform_layout("B", ("read", 0), lambda i, j: [i // 16, j // 16, i % 16, j % 16]))py",
     {{"X(17,18)", "(1,1,1,2)"}},
     {},
     {{"i", 64}, {"j", 64}},
     true},
    {R"py(sch.transform_layout("B", ("read", 0), lambda i, j: [i // 16, j // 16, i % 16, j % 16]))py",
     {},
     {},
     {},
     false},
    {R"py(def get_layout(i, j):
    row = i // 8
    col = (j // 8) ^ (i % 8)
    return row * 512 + col * 8 + j % 8
L = T.Layout([64, 64], get_layout))py",
     {},
     {},
     {},
     true},
    {"IndexMap.from_func(lambda i: [i // 4, i % 4])", {{"X(7)", "(1,3)"}}, {}, {{"i", 16}}, true},
    {R"py(A = te.placeholder((n, 32), name="A", dtype="float32"))py", {{"A", "(4,32):(32,1)"}}, {{"n", "4"}}, {}, true},
};

}  // namespace

const std::vector<PythonCase>& tvmCases() { return kTvmCases; }

TEST_CASE("paste python: TVM, TIRx and TileLang") { checkPython(kTvm, kTvmCases); }

}  // namespace tessera::paste
