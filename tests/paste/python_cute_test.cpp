// Pasted Python: CuTe's DSL, pycute and tensor-layouts.
#include "tests/paste/python_cases.h"

namespace tessera::paste {
namespace {

const std::vector<PythonCase> kCuteCases = {
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

}  // namespace

const std::vector<PythonCase>& cuteCases() { return kCuteCases; }

TEST_CASE("paste python: CuTe's DSL, pycute and tensor-layouts") { checkPython(kCutePython, kCuteCases); }

}  // namespace tessera::paste
