// Pasted Python: arrays of numpy and torch.
#include "tests/paste/python_cases.h"

namespace tessera::paste {
namespace {

const std::vector<PythonCase> kArrayCases = {
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

}  // namespace

const std::vector<PythonCase>& arrayCases() { return kArrayCases; }

TEST_CASE("paste python: arrays of numpy and torch") { checkPython(kArrays, kArrayCases); }

}  // namespace tessera::paste
