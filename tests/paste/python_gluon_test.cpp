// Pasted Python: Gluon.
#include "tests/paste/python_cases.h"

namespace tessera::paste {
namespace {

const std::vector<PythonCase> kGluonCases = {
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

}  // namespace

const std::vector<PythonCase>& gluonCases() { return kGluonCases; }

TEST_CASE("paste python: Gluon") { checkPython(kGluon, kGluonCases); }

}  // namespace tessera::paste
