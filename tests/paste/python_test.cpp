// Pasted Python: CuTe's DSL, Gluon, TVM and TileLang, numpy and torch.
#include <catch2/catch.hpp>
#include <random>

#include "core/paste/dialects.h"
#include "core/paste/python/einops.h"
#include "core/paste/python/strided.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace tessera::paste {
namespace {

struct Case {
  std::string text;
  std::vector<std::pair<std::string, std::string>> values;  // an expression and what it prints
  std::vector<std::pair<std::string, std::string>> lets;
  std::vector<std::pair<std::string, i64>> over;
  bool reads;  // false: refused, or something is asked
};

std::string withoutBlanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// The statements of a reading in one scope, with X the last value.
Scope scopeOf(const Reading& reading) {
  Scope scope;
  Shared<Value> last;
  for (const Statement& written : reading.statements)
    for (const tessera::Statement& statement : splitStatements(written.text)) {
      const Evaluated done = evaluate(statement, scope);
      INFO(written.text);
      INFO((done.diag ? done.diag->message : ""));
      REQUIRE(!done.diag);
      if (done.value) last = done.value;
    }
  if (last && scope.find("X") == nullptr) scope.bind("X", last);
  return scope;
}

void check(const Dialect& dialect, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(dialect.recognizes(c.text) > 0);
    const Given given{c.lets, c.over, {}, {}};
    const Result<Reading> reading = read(c.text, given);
    if (reading && dialect.recognizes(c.text) == 2) CHECK(reading->dialect == dialect.name);
    if (!c.reads) {
      CHECK((!reading || !reading->questions.empty()));
      continue;
    }
    INFO((reading ? "" : reading.error().message));
    REQUIRE(reading);
    REQUIRE(reading->questions.empty());
    Scope scope = scopeOf(*reading);
    for (const auto& [expression, expected] : c.values) {
      INFO(expression);
      const Evaluated done = evaluate(splitStatements(expression).at(0), scope);
      REQUIRE(done.value);
      CHECK(withoutBlanks(print(*done.value)) == withoutBlanks(expected));
    }
  }
}

const std::vector<Case> kCuteCases = {
    {"cute.make_layout((8, 4))", {{"X", "(8,4):(1,8)"}}, {}, {}, true},
    {"cute.make_layout(shape=(8, 4), stride=(4, 1))", {{"X", "(8,4):(4,1)"}}, {}, {}, true},
    {"sA_layout = cute.make_layout((bM, bK, num_stages), stride=(1, bM + padding, bK * (bM + padding)))",
     {{"sA_layout", "(128,8,3):(1,132,1056)"}},
     {{"bM", "128"}, {"bK", "8"}, {"num_stages", "3"}, {"padding", "4"}},
     {},
     true},
    {"sA_layout = cute.make_layout((bM, bK, num_stages), stride=(1, bM, bK * bM))", {}, {}, {}, false},
    {R"py(smem_layout_atom = cute.make_composed_layout(
            cute.make_swizzle(swizzle_bits, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1))
        )
sA = cute.tile_to_shape(smem_layout_atom, (128, 64, 3), (0, 1, 2)))py",
     {{"sA(1,8,0)", "64"}, {"size(sA)", "24576"}},
     {{"swizzle_bits", "3"}},
     {},
     true},
    {R"py(thr_layout = cute.make_ordered_layout((4, 32), order=(1, 0))
val_layout = cute.make_ordered_layout((4, 4), order=(1, 0))
tiler_mn, tv_layout = cute.make_layout_tv(thr_layout, val_layout)
print(f"Tiler: {tiler_mn}"))py",
     {{"tv_layout", "((32,4),(4,4)):((64,4),(16,1))"}, {"X(1,0)", "64"}},
     {},
     {},
     true},
    {R"py(a = cutlass.const_expr(4)
coalesced = cute.coalesce(cute.make_layout((2, (1, 6)), stride=(1, (cutlass.Int32(6), 2)))))py",
     {{"X", "12:1"}},
     {},
     {},
     true},
    {"cute.composition(cute.make_layout((6, 2), stride=(8, 2)), cute.make_layout((4, 3), stride=(3, 1)))",
     {{"X", "((2,2),3):((24,2),8)"}},
     {},
     {},
     true},
    {"cute.logical_divide(cute.make_layout((4,2,3), stride=(2,1,8)), tiler=cute.make_layout(4, stride=2))",
     {{"X", "((2,2),(2,3)):((4,1),(2,8))"}},
     {},
     {},
     true},
    {"cute.blocked_product(cute.make_layout((2, 5), stride=(5, 1)), cute.make_layout((3, 4), stride=(1, 3)))",
     {{"X", "((2,3),(5,4)):((5,10),(1,30))"}},
     {},
     {},
     true},
    {"cute.size(cute.make_layout((8, 4)), mode=[0])", {{"X", "8"}}, {}, {}, true},
    {R"py(tile = (64, 32)
layout = cute.make_layout((256, 128), stride=(128, 1))
gA = cute.zipped_divide(layout, tile)
rest = cute.size(gA, mode=[1]))py",
     {{"gA", "((64,32),(4,4)):((128,1),(8192,32))"}, {"rest", "16"}},
     {},
     {},
     true},
    {R"py(mma_op = cute.nvgpu.warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 16))
tiled_mma = cute.make_tiled_mma(mma_op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16)))py",
     {},
     {},
     {},
     true},
    {R"py(op = cute.nvgpu.warpgroup.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 128, 16),
    cute.nvgpu.warpgroup.OperandSource.SMEM, cute.nvgpu.OperandMajorMode.K, cute.nvgpu.OperandMajorMode.K)
tiled_mma = cute.make_tiled_mma(op, (2, 1, 1)))py",
     {},
     {},
     {},
     true},
    {R"py(op = tcgen05.MmaF16BF16Op(io_dtype, acc_dtype, mma_inst_shape_mnk, tcgen05.CtaGroup.ONE,
    tcgen05.OperandSource.SMEM, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K)
tiled_mma = cute.make_tiled_mma(op))py",
     {},
     {{"io_dtype", "cutlass.Float16"}, {"acc_dtype", "cutlass.Float32"}, {"mma_inst_shape_mnk", "(128,256,16)"}},
     {},
     true},
    {R"py(tiled_mma = sm90_utils.make_trivial_tiled_mma(
            cutlass.Float16,
            cutlass.Float16,
            warpgroup.OperandMajorMode.K,
            warpgroup.OperandMajorMode.K,
            cutlass.Float32,
            atom_layout_mnk=(2, 1, 1),
            tiler_mn=(64, 128),
        ))py",
     {},
     {},
     {},
     true},
    {R"py(tiled_mma = sm100_utils.make_trivial_tiled_mma(
    cutlass.BFloat16, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K, cutlass.Float32,
    tcgen05.CtaGroup.TWO, (256, 128)))py",
     {},
     {},
     {},
     true},
    {R"py(atom_async_copy = cute.make_copy_atom(
            cute.nvgpu.cpasync.CopyG2SOp(cache_mode=cute.nvgpu.cpasync.LoadCacheMode.GLOBAL),
            self.dtype,
            num_bits_per_copy=128,
        )
gmem_tiled_copy = cute.make_tiled_copy_tv(atom_async_copy, cute.make_layout((16, 8), stride=(8, 1)),
    cute.make_layout((1, 8))))py",
     {},
     {{"self.dtype", "cutlass.Float16"}},
     {},
     true},
    {"smem_copy_atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(transpose=False, num_matrices=4), cutlass.Float16)",
     {},
     {},
     {},
     true},
    {R"py(a_smem_layout_atom = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, cutlass.Float16)
a_smem_layout_staged = cute.tile_to_shape(a_smem_layout_atom, cute.append((128, 64), 4), order=(0, 1, 2)))py",
     {{"a_smem_layout_staged(1,8,0)", "64"}},
     {},
     {},
     true},
    {"atom = tcgen05.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.MN_SW64, cutlass.BFloat16)", {}, {}, {}, true},
    {"Layout((4, 8), (8, 1))", {{"X", "(4,8):(8,1)"}}, {}, {}, true},
    {R"py(from pycute import *
A = Layout((2,4), (4,1))
B = Layout(4, 2)
R = composition(A, B))py",
     {{"R(1)", "1"}},
     {},
     {},
     true},
    {R"py(from tensor_layouts import Layout, compose, Swizzle
L = Layout((8, 8), (8, 1))
S = compose(Swizzle(3, 0, 3), L))py",
     {{"X(1,1)", "8"}},
     {},
     {},
     true},
    {"logical_divide(Layout(16, 1), Layout(4, 1))", {{"X", "(4,4):(1,4)"}}, {}, {}, true},
    {R"py(@cute.jit
def show_one():
    plain = cute.make_layout((2, 6), stride=(1, cutlass.Int32(2)))
    # one mode
    merged = cute.coalesce(plain)
    cute.printf("merged: {}", merged)

show_one())py",
     {{"merged", "12:1"}, {"plain", "(2,6):(1,2)"}},
     {},
     {},
     true},
    {R"py(class Tiles:
    def __init__(self, head_dim, rows=128):
        self.rows = rows
        self.columns = (head_dim + 31) // 32 * 32
    def layouts(self):
        width = 64 if self.columns % 64 == 0 else 32
        bits = 3 if width == 64 else 2
        atom = cute.make_composed_layout(
            cute.make_swizzle(bits, 3, 3), 0, cute.make_layout((8, width), stride=(width, 1))
        )
        self.tile = cute.tile_to_shape(atom, (self.rows, self.columns), (0, 1)))py",
     {{"X(1,8)", "64"}, {"tile(1,8)", "64"}},
     {{"head_dim", "128"}},
     {},
     true},
    {"cute.make_identity_tensor((4, 8))", {{"X(1,2)", "(1,2)"}}, {}, {}, true},
    {"cute.select(cute.make_layout((2,3,4)), mode=[0, 2])", {{"X", "(2,4):(1,6)"}}, {}, {}, true},
    {"cute.group_modes(cute.make_layout((2,3,4)), 0, 2)", {{"X", "((2,3),4):((1,2),6)"}}, {}, {}, true},
    {R"py(layout = cute.make_layout((4, 8), stride=(8, 1))
layout((2, 3)))py",
     {{"X", "19"}},
     {},
     {},
     true},
    {"tCrC_layout = cute.make_layout(((2, 2), MMA_M, MMA_N), stride=((1, 2), 4, 4 * MMA_M))",
     {{"X", "((2,2),4,2):((1,2),4,16)"}},
     {{"MMA_M", "4"}, {"MMA_N", "2"}},
     {},
     true},
    {"cute.right_inverse(cute.make_ordered_layout((4, 8), order=(1, 0)))", {{"X", "(8,4):(4,1)"}}, {}, {}, true},
    {"cute.complement(cute.make_layout(4, stride=2), 24)", {{"X", "(2,3):(1,8)"}}, {}, {}, true},
    {R"py(shape = (128, 64)
layout = cute.make_layout(shape, stride=(64, 1)))py",
     {{"shape(X)", "(128,64)"}},
     {},
     {},
     true},
    {"gC_layout = cute.make_layout(mC.shape, stride=(mC.shape[1], 1))",
     {{"X", "(4,8):(8,1)"}},
     {{"mC.shape", "(4,8)"}},
     {},
     true},
    {"cute.recast_layout(32, 16, cute.make_layout((8, 4)))", {{"X", "(4,4):(1,4)"}}, {}, {}, true},
    {R"py(self.epi_tile = (64, 32)
self.ab_stage = 4
a_smem_layout_atom = sm90_utils.make_smem_layout_atom(
    sm90_utils.get_smem_layout_atom(utils.LayoutEnum.ROW_MAJOR, cutlass.Float16, 64), cutlass.Float16))py",
     {{"size(X)", "512"}},
     {},
     {},
     true},
};

const std::vector<Case> kGluonCases = {
    {"blocked: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
     {{"to_linear(blocked over (32,16))(3,5,1,0)", "(9,7)"}},
     {},
     {},
     true},
    {R"py(layout = gl.BlockedLayout(size_per_thread=[1, 8], threads_per_warp=[4, 8], warps_per_cta=[4, 1], order=[1, 0])
row = gl.SliceLayout(dim=1, parent=layout))py",
     {},
     {},
     {},
     true},
    {"gl.SliceLayout(0, gl.BlockedLayout([1, 1], [1, 32], [1, num_warps], [1, 0]))",
     {},
     {{"num_warps", "4"}},
     {},
     true},
    {"gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])", {}, {}, {}, false},
    {"gl.BlockedLayout([1, 1], [1, 32], [1, gl.num_warps()], [1, 0])", {}, {{"gl.num_warps()", "4"}}, {}, true},
    {R"py(mma_layout: ttgl.constexpr = ttgl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1],
    instr_shape=[16, 64, 16])
dot_a: ttgl.constexpr = ttgl.DotOperandLayout(operand_index=0, parent=mma_layout, k_width=2))py",
     {{"to_linear(mma_layout over (64,64))(1,0,0,0)", "(0,1)"}},
     {},
     {},
     true},
    {R"py(BLOCK_M = 128
BLOCK_K = 64
smem_layout = gl.NVMMASharedLayout.get_default_for([BLOCK_M, BLOCK_K], gl.float16)
smem = gl.allocate_shared_memory(gl.float16, [BLOCK_M, BLOCK_K], smem_layout))py",
     {{"memory_map(smem)(9,8)", "576"}},
     {},
     {},
     true},
    {"gl.NVMMASharedLayout.get_default_for([128, 16], gl.float16)",
     {{"X", "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}> over (128,16)"}},
     {},
     {},
     true},
    {"gl.SwizzledSharedLayout(vec=8, per_phase=1, max_phase=8, order=[1, 0])",
     {{"memory_map(X over (64,64))(1,0)", "72"}},
     {},
     {},
     true},
    {"gl.PaddedSharedLayout.with_identity_for([[128, 4]], [64, 128], [1, 0])",
     {{"memory_map(X)(1,0)", "132"}},
     {},
     {},
     true},
    {"gl.PaddedSharedLayout(interval_padding_pairs=[[32, 4]], offset_bases=[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], "
     "[1, 0], [2, 0], [4, 0]], cga_layout=[], shape=[8, 32])",
     {{"memory_map(X)(1,0)", "36"}},
     {},
     {},
     true},
    {"gl.SharedLinearLayout(offset_bases=[[0, 1], [0, 2], [1, 0], [2, 2]])", {}, {}, {}, true},
    {"amd_layouts.AMDMFMALayout(version=3, instr_shape=[32, 32, 8], transposed=True, warps_per_cta=[2, 2])",
     {},
     {},
     {},
     true},
    {"ttgl.amd.AMDWMMALayout(version=2, transposed=True, warp_bases=[[0, 1], [1, 0]])", {}, {}, {}, true},
    {"TensorMemoryLayout([128, 64], col_stride=1)", {}, {}, {}, true},
    {"gl.AutoLayout()", {}, {}, {}, false},
    {"x = gl.arange(0, 64, layout=gl.CoalescedLayout())", {}, {}, {}, false},
    {R"py(@gluon.jit
def kernel(x_ptr, BLOCK: gl.constexpr = 128):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offs = gl.arange(0, BLOCK, layout=layout)
    acc = gl.zeros([BLOCK], gl.float32, layout))py",
     {},
     {},
     {},
     true},
    {"[gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]), gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])]",
     {},
     {},
     {},
     true},
};

const std::vector<Case> kArrayCases = {
    {"torch.Size([4, 8])", {{"X", "(4,8):(8,1)"}}, {}, {}, true},
    {R"py(torch.Size([4, 8])
(8, 1))py",
     {{"X", "(4,8):(8,1)"}},
     {},
     {},
     true},
    {R"py(>>> x.shape, x.stride()
(torch.Size([2, 3]), (3, 1)))py",
     {{"X", "(2,3):(3,1)"}},
     {},
     {},
     true},
    {R"py(>>> x.size()
torch.Size([2, 3, 4])
>>> x.stride()
(1, 8, 2))py",
     {{"X", "(2,3,4):(1,8,2)"}},
     {},
     {},
     true},
    {"(2, 3) (24, 8) float64", {{"X", "(2,3):(3,1)"}}, {}, {}, true},
    {"{'shape': (4, 3), 'typestr': '<f4', 'strides': (16, 4), 'data': (94, False), 'version': 3}",
     {{"X", "(4,3):(4,1)"}},
     {},
     {},
     true},
    {"{'data': (139, False), 'strides': None, 'descr': [('', '<f8')], 'typestr': '<f8', 'shape': (2, 3), 'version': 3}",
     {{"X", "(2,3):(3,1)"}},
     {},
     {},
     true},
    {"shape=(4, 8) strides=(32, 4)", {}, {}, {}, false},
    {"shape=(4, 8) strides=(32, 4)", {{"X", "(4,8):(8,1)"}}, {{"dtype", "float32"}}, {}, true},
    {"shape=(4, 8) strides=(8, 1)", {{"X", "(4,8):(8,1)"}}, {{"unit", "element"}}, {}, true},
    {"shape: (4, 8), stride: (8, 1)", {{"X", "(4,8):(8,1)"}}, {}, {}, true},
    {R"py(q: torch.Size([2, 16, 128, 64]) stride (131072, 8192, 64, 1)
k: torch.Size([2, 4, 128, 64]) stride (32768, 8192, 64, 1))py",
     {{"X", "(2,4,128,64):(32768,8192,64,1)"}},
     {},
     {},
     true},
    {"tensor(..., device='meta', size=(4, 8), dtype=torch.float16)", {{"X", "(4,8):(8,1)"}}, {}, {}, true},
    {"FakeTensor(..., device='cuda:0', size=(8, 64), dtype=torch.float16)", {{"X", "(8,64):(64,1)"}}, {}, {}, true},
    {R"py(assert_size_stride(arg0_1, (8, 64), (64, 1))
assert_size_stride(arg1_1, (64, 32), (1, 64)))py",
     {{"arg1_1", "(64,32):(1,64)"}, {"arg0_1", "(8,64):(64,1)"}},
     {},
     {},
     true},
    {"buf0 = empty_strided_cuda((8, 64, 32), (2048, 1, 64), torch.float16)",
     {{"buf0", "(8,64,32):(2048,1,64)"}},
     {},
     {},
     true},
    {"reinterpret_tensor(buf3, (8, 64), (64, 1), 512)", {{"X", "(8,64):(64,1)"}}, {}, {}, true},
    {"FixedLayout('cuda:0', torch.float32, size=[8, 64], stride=[64, 1])", {{"X", "(8,64):(64,1)"}}, {}, {}, true},
    {R"py(def forward(self, arg0_1: "f32[8, 64][64, 1]cuda:0", arg1_1: "f32[64, 32][32, 1]cuda:0"):
    mm: "f32[8, 32][32, 1]cuda:0" = torch.ops.aten.mm.default(arg0_1, arg1_1);  arg0_1 = arg1_1 = None
    permute: "f32[32, 8][1, 32]cuda:0" = torch.ops.aten.permute.default(mm, [1, 0]);  mm = None
    return (permute,))py",
     {{"permute", "(32,8):(1,32)"}, {"X", "(32,8):(1,32)"}},
     {},
     {},
     true},
    {R"py(primals_1: "bf16[s0, 64][64, 1]cuda:0")py", {}, {}, {}, false},
    {R"py(primals_1: "bf16[s0, 64][64, 1]cuda:0")py", {{"X", "(16,64):(64,1)"}}, {{"s0", "16"}}, {}, true},
    {"torch.empty(2, 3, 4).permute(2, 0, 1)", {{"X", "(4,2,3):(1,12,4)"}}, {}, {}, true},
    {R"py(x = torch.randn(2, 128, 16, 64, device="cuda", dtype=torch.float16)
q = x.transpose(1, 2))py",
     {{"q", "(2,16,128,64):(131072,64,1024,1)"}},
     {},
     {},
     true},
    {"torch.empty(8, 3, 224, 224).to(memory_format=torch.channels_last)",
     {{"X", "(8,3,224,224):(150528,1,672,3)"}},
     {},
     {},
     true},
    {"torch.empty((4, 1, 6)).expand(4, 5, 6)", {{"X", "(4,5,6):(6,0,1)"}}, {}, {}, true},
    {"torch.zeros(4, 6).view(2, 2, 6).unsqueeze(1)", {{"X", "(2,1,2,6):(12,12,6,1)"}}, {}, {}, true},
    {"x.view(B, T, n_head, C // n_head).transpose(1, 2)",
     {{"X", "(2,8,16,4):(512,4,32,1)"}},
     {{"x", "(2,16,32)"}, {"B", "2"}, {"T", "16"}, {"n_head", "8"}, {"C", "32"}},
     {},
     true},
    {"x.permute(0, 2, 1)", {}, {}, {}, false},
    {"x.permute(0, 2, 1)", {{"X", "(2,4,3):(12,1,4)"}}, {{"x", "(2,3,4)"}}, {}, true},
    {R"py(np.zeros((4, 6), order="F"))py", {{"X", "(4,6):(1,4)"}}, {}, {}, true},
    {"np.lib.stride_tricks.as_strided(x, shape=(4, 3), strides=(8, 4))",
     {{"X", "(4,3):(2,1)"}},
     {{"dtype", "float32"}},
     {},
     true},
    {R"py(a = np.arange(10, dtype=np.int32)
b = np.lib.stride_tricks.as_strided(a, shape=(8, 3), strides=(4, 4)))py",
     {{"b", "(8,3):(1,1)"}},
     {},
     {},
     true},
    {"torch.arange(24).reshape(2, 3, 4)[:, ::2, 1:]", {{"X", "(2,2,3):(12,8,1)"}}, {}, {}, true},
    {"torch.as_strided(x, (2, 2), (1, 2), 1)", {{"X", "(2,2):(1,2)"}}, {}, {}, true},
    {"x.unfold(0, 3, 2)", {{"X", "(4,3):(2,1)"}}, {{"x", "(10,)"}}, {}, true},
    {"rearrange(x, 'b (h d) s -> b h s d', h=8)",
     {{"X", "(2,8,10,16):(1280,160,1,10)"}},
     {{"x", "(2,128,10)"}},
     {},
     true},
    {R"py(x = torch.empty(4, 16, 32)
y = rearrange(x, 'b s (h d) -> b h s d', h=4))py",
     {{"y", "(4,4,16,8):(512,8,32,1)"}},
     {},
     {},
     true},
    {"torch.empty(2,3).t()", {{"X", "(3,2):(1,3)"}}, {}, {}, true},
    {"torch.empty(2,3).view(3, 2).T.contiguous()", {{"X", "(2,3):(3,1)"}}, {}, {}, true},
    {"torch.empty(4, 6).t().view(24)", {}, {}, {}, false},
    {"(2, 3, 4) (12, 4, 1)", {{"X", "(2,3,4):(12,4,1)"}}, {}, {}, true},
    {"arg0_1: f32[8, 64][64, 1]cuda:0", {{"X", "(8,64):(64,1)"}}, {}, {}, true},
    {"f32[8, 64][64, 1]cuda:0", {{"X", "(8,64):(64,1)"}}, {}, {}, true},
    {"x.stride() = (64, 1), x.shape = (8, 64)", {}, {}, {}, true},
};

const std::vector<Case> kTvmCases = {
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
TEST_CASE("paste python: CuTe's DSL, pycute and tensor-layouts") { check(kCutePython, kCuteCases); }
TEST_CASE("paste python: Gluon") { check(kGluon, kGluonCases); }
TEST_CASE("paste python: arrays of numpy and torch") { check(kArrays, kArrayCases); }
TEST_CASE("paste python: TVM, TIRx and TileLang") { check(kTvm, kTvmCases); }

TEST_CASE("paste python: shapes with strides in a session") {
  const auto last = [](std::string_view text) {
    const Result<Reading> reading = read(text);
    return reading && !reading->statements.empty() && reading->questions.empty() ? reading->statements.back().text
                                                                                 : std::string("not read");
  };
  CHECK(last(">>> a.shape, a.strides, a.dtype\n((2, 3), (8, 16), dtype('float64'))") == "(2, 3):(1, 2)");
  CHECK(last(">>> x.stride()\n(1, 8, 2)\n>>> x.shape\ntorch.Size([2, 3, 4])") == "x = (2, 3, 4):(1, 8, 2)");
  CHECK(last("q torch.Size([4, 8]) (1, 4)\nk torch.Size([4, 8]) (8, 1)") == "(4, 8):(8, 1)");
  CHECK(last("torch.Size([4, 8]) torch.Size([2])") == "(2,):(1,)");
}

// What is no map of sums, quotients and remainders is a block of index code.
TEST_CASE("paste python: functions of TileLang with conditions") {
  const Result<Reading> reading =
      read("L = T.Layout([M, 8], lambda i, j: i * 8 + j if i < N else 0)", {{{"M", "16"}, {"N", "4"}}, {}, {}, {}});
  REQUIRE(reading);
  CHECK(reading->statements.back().text ==
        "L = python { lambda i, j: i * 8 + j if i < N else 0 } over (i = 16, j = 8) with (N = 4)");
}

std::vector<std::string> asked(std::string_view text, const Given& given = {}) {
  const Result<Reading> reading = read(text, given);
  std::vector<std::string> out;
  if (reading)
    for (const Question& q : reading->questions) out.push_back(q.name);
  return out;
}

TEST_CASE("paste python: what is not defined is asked for, once and by its text") {
  using List = std::vector<std::string>;
  CHECK(asked("cute.make_layout((BM, self.n), stride=(BM, cfg.tiles[0] // 2))") ==
        List{"BM", "self.n", "cfg.tiles[0]"});
  CHECK(asked("n = f(3)\ncute.make_layout((n, n))") == List{"n"});
  CHECK(asked("m = n // 2\ncute.make_layout((m, n))") == List{"n"});
  // What no layout uses is not asked for.
  CHECK(asked("tid, _, _ = cute.arch.thread_idx()\nk = tid * 4\nL = cute.make_layout(8)").empty());
  CHECK(asked("L = cute.make_layout(8)\ntAgA = thr.partition_S(gA)\nnames.append(tAgA)").empty());
  CHECK(asked("if const_expr(wide):\n    L = cute.make_layout(8)") == List{"wide"});
  CHECK(asked("gl.BlockedLayout([1, V], [8, 4], [W, 1], [1, 0])") == List{"V", "W"});
  CHECK(asked("np.lib.stride_tricks.as_strided(x, (4, 3), (8, 4))") == List{"the type of an element of x"});
  CHECK(asked("shape=(4, 8) strides=(32, 4)") == List{"the unit of the strides"});
  CHECK(asked("a.view(2, -1).t()") == List{"a"});
}

TEST_CASE("paste python: refusals say why") {
  const auto message = [](std::string_view text) {
    const Result<Reading> reading = read(text);
    return reading ? std::string("read") : reading.error().message;
  };
  CHECK(message("gl.AutoLayout()").find("the compiler chooses") != std::string::npos);
  CHECK(message("gl.BlockedLayout([1, 1], [8, 4])").find("has no warps_per_cta") != std::string::npos);
  CHECK(message("torch.empty(4, 6).t().view(24)").find("without a copy") != std::string::npos);
  CHECK(message("cute.make_ordered_layout((4, 8), stride=(1, 4))").find("no argument order") != std::string::npos);
  CHECK(message("T.Layout([4, 4], lambda i: i)").find("2 extents") != std::string::npos);
  CHECK(message("torch.empty(2, 3).permute(0, 0)").find("occurs twice") != std::string::npos);
}

TEST_CASE("paste python: a parameter has the value of the text's call") {
  const Result<Reading> reading = read(R"(
class Kernel:
    def __call__(self, n=8):
        tile = cute.make_layout((n, 4))
        self.run(tile, 2, more=n).launch()
    def run(self, layout, k, more):
        twice = cute.logical_product(layout, cute.make_layout(k))
        last = cute.make_layout((more, k))
)");
  REQUIRE(reading);
  CHECK(reading->questions.empty());
  CHECK(reading->statements.back().text == "last = make_layout((8, 2))");
  CHECK(asked("def f(a, b): return cute.make_layout((a, b))\nf(*x)") == std::vector<std::string>{"a", "b"});
}

// A layout that cannot be read is never replaced by an earlier one.
TEST_CASE("paste python: the last layout is the text's last") {
  const Result<Reading> reading = read("a = torch.empty(4, 6)\nb = a.permute(0, 0)");
  CHECK_FALSE(reading);
  const Result<Reading> earlier = read("a = torch.empty(4, 6).permute(0, 0)\nb = torch.empty(2, 2)");
  REQUIRE(earlier);
  CHECK(earlier->notes.size() == 1);
}

// ---- views, against the elements themselves ----

std::vector<i64> offsetsOf(const python::Strided& a) {
  std::vector<i64> out{a.offset};
  for (std::size_t d = 0; d < a.rank(); ++d) {
    std::vector<i64> next;
    for (const i64 base : out)
      for (i64 k = 0; k < a.shape[d]; ++k) next.push_back(base + k * a.stride[d]);
    out = std::move(next);
  }
  return out;  // row-major
}

TEST_CASE("paste python: a view keeps the order of elements, or is refused") {
  std::mt19937 random(3);
  int views = 0;
  for (int n = 0; n < 3000; ++n) {
    std::vector<i64> shape;
    for (std::size_t k = 0; k < 1 + random() % 3; ++k) shape.push_back(1 + static_cast<i64>(random() % 6));
    python::Strided a = *python::contiguous(shape);
    if (a.rank() > 1 && random() % 2 == 0) a = *python::swapped(a, 0, -1);
    if (random() % 2 == 0)
      a = *python::sliced(a, random() % a.rank(), std::nullopt, std::nullopt, random() % 2 ? 2 : -1);
    const std::vector<i64> elements = offsetsOf(a);
    const i64 size = static_cast<i64>(elements.size());
    for (i64 rows = 1; rows <= size; ++rows) {
      if (size % rows != 0) continue;
      const auto view = python::viewed(a, {rows, -1});
      REQUIRE(view);
      if (!*view) continue;
      ++views;
      CHECK(offsetsOf(**view) == elements);
    }
  }
  CHECK(views > 3000);
}

TEST_CASE("paste python: a view is refused only if no strides do it") {
  // (2, 3) in column order as 6 elements: 0 2 4 1 3 5 is no progression.
  const python::Strided a{{2, 3}, {1, 2}, 0};
  CHECK_FALSE(*python::viewed(a, {6}));
  CHECK(**python::viewed(a, {2, 3, 1}) == python::Strided{{2, 3, 1}, {1, 2, 2}, 0});
  const python::Strided b{{4, 2, 3}, {6, 3, 1}, 0};
  CHECK(**python::viewed(b, {24}) == python::Strided{{24}, {1}, 0});
}

TEST_CASE("paste python: einops") {
  const python::Strided x = *python::contiguous({2, 12, 5});
  const auto split = python::rearranged(x, "b (h d) s -> b h s d", {{"h", 3}});
  REQUIRE(split);
  CHECK(split->strided == python::Strided{{2, 3, 5, 4}, {60, 20, 1, 5}, 0});
  CHECK_FALSE(split->copies);
  CHECK(python::rearranged(x, "b h s -> b (s h)", {})->copies);
  CHECK_FALSE(python::rearranged(x, "b (h d) s -> b h s", {{"h", 3}}));
  CHECK_FALSE(python::rearranged(x, "b (h d) s -> b h s d", {{"h", 5}}));
  CHECK_FALSE(python::rearranged(x, "b (h d) s", {}));
}

TEST_CASE("paste python: damaged texts are read or refused") {
  std::mt19937 random(11);
  for (const auto& [dialect, cases] :
       {std::pair{&kCutePython, &kCuteCases}, {&kGluon, &kGluonCases}, {&kArrays, &kArrayCases}, {&kTvm, &kTvmCases}})
    for (const Case& c : *cases)
      for (int n = 0; n < 25; ++n) {
        std::string text = c.text;
        for (int edit = 0; edit < 3; ++edit) {
          const std::size_t at = random() % (text.size() + 1);
          if (random() % 2 == 0)
            text.insert(at, 1, "()[],:='\"-*/%9\n@x."[random() % 18]);
          else if (at < text.size())
            text.erase(at, 1 + random() % 5);
          if (text.empty()) text = "(";
        }
        (void)dialect->recognizes(text);
        const Result<Reading> reading = dialect->read(text, Given{c.lets, c.over, {}, {}});
        if (!reading) CHECK_FALSE(reading.error().message.empty());
      }
}

TEST_CASE("paste python: limits") {
  const std::string deep = std::string(3000, '(') + "4" + std::string(3000, ')');
  CHECK_FALSE(read("cute.make_layout(" + deep + ")"));
  std::string doubled = "cute.make_layout(2)";
  for (int k = 0; k < 60; ++k) doubled = "cute.complement(" + doubled + ")";
  CHECK_FALSE(read(doubled));
  std::string grown = "a = (1, 2)\n";
  for (int k = 0; k < 60; ++k) grown += "a = a + a\n";
  (void)read(grown + "cute.make_layout(a)");
  (void)read("torch.empty(9223372036854775807, 9223372036854775807).permute(1, 0)");
  (void)read("torch.empty(4)[::-9223372036854775808]");
  (void)read("T.Layout([9223372036854775807], lambda i: i * 9223372036854775807)");
  (void)read("(-9223372036854775808, 4) (4, 1)");
}

}  // namespace
}  // namespace tessera::paste
