#include "solver/measure/device/cublaslt.h"

#include <fmt/format.h>

#include <utility>

namespace tessera::measure {
namespace {

// cublasOperation_t, cublasComputeType_t, cudaDataType_t, cublasLtMatmulDescAttributes_t ...
constexpr int kNormal = 0, kTransposed = 1, kCompute32 = 68;
constexpr int kFloat = 0, kHalf = 2, kBrain = 14;
constexpr int kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8, kMaxWorkspace = 1;
constexpr i64 kWorkspaceBytes = i64{32} << 20;

Result<int> typeOf(const std::string& element) {
  if (element == "fp16") return kHalf;
  if (element == "bf16") return kBrain;
  if (element == "fp32") return kFloat;
  return Diag{fmt::format("products of {} are not compared with cuBLASLt", element), "fp16, bf16 or fp32"};
}

constexpr std::pair<int, const char*> kMeanings[] = {{1, "it is not initialised (is there a device?)"},
                                                     {3, "there is not enough memory"},
                                                     {7, "an argument is wrong"},
                                                     {8, "the device is too old for it"},
                                                     {15, "it does not support this"}};
const char* meaning(int status) {
  for (const auto& [code, text] : kMeanings)
    if (code == status) return text;
  return "it failed";
}

Result<void> did(const char* call, int status) {
  if (status == 0) return {};
  return Diag{fmt::format("{}: {} ({})", call, meaning(status), status)};
}

// A matrix as the library sees it: column-major, optionally transposed.
struct Side {
  u64 rows = 0, columns = 0;
  i64 leading = 0;
  int turned = kNormal;
};
// Describes a matrix of [rows, columns] in our order; `row`: it is stored row-major.
Side sideOf(i64 rows, i64 columns, bool row) {
  if (row) return {static_cast<u64>(columns), static_cast<u64>(rows), columns, kTransposed};
  return {static_cast<u64>(rows), static_cast<u64>(columns), rows, kNormal};
}

}  // namespace

struct CublasLt::Plan {
  CublasLtTable table;
  std::string version;
  void *handle = nullptr, *descriptor = nullptr, *preference = nullptr;
  void *a = nullptr, *b = nullptr, *c = nullptr;
  CublasLtChoice choice;
  void* stream = nullptr;       // the context's
  DevicePointer workspace = 0;  // freed by the context
  bool turned = false;          // C is computed as C^T; B is passed first
  float beta = 0;

  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    for (void* const layout : {a, b, c})
      if (layout != nullptr) table.layoutDestroy(layout);
    if (preference != nullptr) table.preferenceDestroy(preference);
    if (descriptor != nullptr) table.descriptorDestroy(descriptor);
    if (handle != nullptr) table.destroy(handle);
  }
  Result<void> describe(const Gemm& gemm, DevicePointer bias);
  Result<void> choose(Context& context);
};

Result<void> CublasLt::Plan::describe(const Gemm& gemm, DevicePointer bias) {
  TESSERA_TRY(const int in, typeOf(gemm.input));
  TESSERA_TRY(const int out, typeOf(gemm.output));
  const bool biased = gemm.epilogue == Epilogue::Bias || gemm.epilogue == Epilogue::BiasRelu;
  if (biased && !gemm.rowC)
    return Diag{"cuBLASLt adds a bias along the columns of a row-major result only", "a row-major C"};
  TESSERA_CHECKED(did("cublasLtCreate", table.create(&handle)));
  TESSERA_CHECKED(did("cublasLtMatmulDescCreate", table.descriptorCreate(&descriptor, kCompute32, kFloat)));
  turned = gemm.rowC;
  Side first = sideOf(gemm.m, gemm.k, gemm.rowA), second = sideOf(gemm.k, gemm.n, gemm.rowB);
  const Side result = gemm.rowC ? sideOf(gemm.m, gemm.n, true) : sideOf(gemm.m, gemm.n, false);
  if (turned) {  // C^T = B^T A^T: each operand's transposition is inverted
    std::swap(first, second);
    first.turned = first.turned == kNormal ? kTransposed : kNormal;
    second.turned = second.turned == kNormal ? kTransposed : kNormal;
  }
  const auto set = [&](int attribute, const auto& value) {
    return did("cublasLtMatmulDescSetAttribute", table.descriptorSet(descriptor, attribute, &value, sizeof value));
  };
  TESSERA_CHECKED(set(kTransposeA, first.turned));
  TESSERA_CHECKED(set(kTransposeB, second.turned));
  if (gemm.epilogue != Epilogue::None) TESSERA_CHECKED(set(kEpilogue, static_cast<unsigned>(gemm.epilogue)));
  if (biased) TESSERA_CHECKED(set(kBiasPointer, bias));
  const auto layout = [&](void*& into, int type, const Side& s) {
    return did("cublasLtMatrixLayoutCreate", table.layoutCreate(&into, type, s.rows, s.columns, s.leading));
  };
  TESSERA_CHECKED(layout(a, in, first));
  TESSERA_CHECKED(layout(b, in, second));
  TESSERA_CHECKED(layout(c, out, result));
  beta = gemm.accumulate ? 1.0F : 0.0F;
  return {};
}

Result<void> CublasLt::Plan::choose(Context& context) {
  TESSERA_CHECKED(did("cublasLtMatmulPreferenceCreate", table.preferenceCreate(&preference)));
  // Without memory for a workspace, choose among the algorithms that need none.
  std::size_t bytes = 0;
  if (const auto memory = context.allocate(kWorkspaceBytes)) {
    workspace = *memory;
    bytes = static_cast<std::size_t>(kWorkspaceBytes);
  }
  TESSERA_CHECKED(did("cublasLtMatmulPreferenceSetAttribute",
                      table.preferenceSet(preference, kMaxWorkspace, &bytes, sizeof bytes)));
  int found = 0;
  TESSERA_CHECKED(did("cublasLtMatmulAlgoGetHeuristic",
                      table.heuristic(handle, descriptor, a, b, c, c, preference, 1, &choice, &found)));
  if (found < 1) return Diag{"cuBLASLt has no kernel for this product", "other sizes or types"};
  return {};
}

LibraryPlace CublasLt::place() {
  return {"cuBLASLt",
          {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"},
          toolkitFolders("lib64"),
          "TESSERA_LIBCUBLASLT",
          "it comes with the CUDA toolkit"};
}

Result<CublasLt> CublasLt::prepare(Context& context, const Gemm& gemm, DevicePointer bias) {
  TESSERA_TRY(const DynamicLibrary library, DynamicLibrary::open(place()));
  auto plan = std::make_shared<Plan>();
  TESSERA_CHECKED(library.fill(plan->table.entries()));
  const std::size_t version = plan->table.version();  // 130100, before 13: 120403
  plan->version = fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  plan->stream = context.stream();
  TESSERA_CHECKED(plan->describe(gemm, bias));
  TESSERA_CHECKED(plan->choose(context));
  CublasLt out;
  out.plan_ = std::move(plan);
  return out;
}

Result<void> CublasLt::multiply(DevicePointer a, DevicePointer b, DevicePointer c) const {
  const Plan& p = *plan_;
  const float alpha = 1;
  const auto pointer = [](DevicePointer address) { return reinterpret_cast<void*>(address); };
  const DevicePointer first = p.turned ? b : a, second = p.turned ? a : b;
  return did("cublasLtMatmul", p.table.multiply(p.handle, p.descriptor, &alpha, pointer(first), p.a, pointer(second),
                                                p.b, &p.beta, pointer(c), p.c, pointer(c), p.c, p.choice.algorithm,
                                                pointer(p.workspace), p.choice.workspaceBytes, p.stream));
}

const std::string& CublasLt::version() const { return plan_->version; }

}  // namespace tessera::measure
