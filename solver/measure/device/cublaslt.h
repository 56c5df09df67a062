// CublasLt: NVIDIA's matrix product, loaded at run time, as the baseline for kernels.
//
//     Gemm{m, n, k}                  C [m,n] = A [m,k] * B [k,n], fp16 in, fp16 out, fp32 sums, all row-major
//     .accumulate .epilogue          C += ...; bias of n values, ReLU, both
//     lt.prepare(gemm, pointers)     takes the first choice of the library's heuristic
//
// The library is column-major. A row-major C is C^T in column-major, and C^T = B^T A^T, so B is passed first. A
// column-major C needs no transposition, but its bias would run along m, so bias epilogues are rejected there.
//
// Law: the result is the formula above for every combination of orders (tests/measure, against a column-major fake).
// Loading it takes a second and 500 MB of address space, so only the worker process does it (worker.h).
#pragma once

#include "solver/measure/device/driver.h"

namespace tessera::measure {

enum class Epilogue : int { None = 1, Relu = 2, Bias = 4, BiasRelu = 6 };  // cuBLASLt's values

struct Gemm {
  i64 m = 0, n = 0, k = 0;  // 0: none
  bool rowA = true, rowB = true, rowC = true;
  std::string input = "fp16", output = "fp16";
  bool accumulate = false;
  Epilogue epilogue = Epilogue::None;
  template <class A>
  void fields(A& a) {
    a(m, n, k, rowA, rowB, rowC, input, output, accumulate, epilogue);
  }
};

// Functions exported by cublasLt.h.
struct CublasLtTable : FunctionTable {
  int (*create)(void**) = named("cublasLtCreate", create);
  int (*destroy)(void*) = named("cublasLtDestroy", destroy);
  int (*descriptorCreate)(void**, int, int) = named("cublasLtMatmulDescCreate", descriptorCreate);
  int (*descriptorDestroy)(void*) = named("cublasLtMatmulDescDestroy", descriptorDestroy);
  int (*descriptorSet)(void*, int, const void*, std::size_t) = named("cublasLtMatmulDescSetAttribute", descriptorSet);
  int (*layoutCreate)(void**, int, u64, u64, i64) = named("cublasLtMatrixLayoutCreate", layoutCreate);
  int (*layoutDestroy)(void*) = named("cublasLtMatrixLayoutDestroy", layoutDestroy);
  int (*preferenceCreate)(void**) = named("cublasLtMatmulPreferenceCreate", preferenceCreate);
  int (*preferenceDestroy)(void*) = named("cublasLtMatmulPreferenceDestroy", preferenceDestroy);
  int (*preferenceSet)(void*, int, const void*, std::size_t) = named("cublasLtMatmulPreferenceSetAttribute",
                                                                     preferenceSet);
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, void*,
                   int*) = named("cublasLtMatmulAlgoGetHeuristic", heuristic);
  int (*multiply)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
                  void*, void*, const void*, void*, std::size_t, void*) = named("cublasLtMatmul", multiply);
  std::size_t (*version)() = named("cublasLtGetVersion", version);
};

// cublasLtMatmulHeuristicResult_t.
struct CublasLtChoice {
  u64 algorithm[8] = {};
  std::size_t workspaceBytes = 0;
  int state = 0;
  float waves = 0;
  int reserved[4] = {};
};

// A prepared product, which can run any number of times.
class CublasLt {
 public:
  [[nodiscard]] static LibraryPlace place();
  // Requires a current context. Returns a Diag if the library is missing, does not start or has no kernel for this
  // product. `bias` is its device address, or 0.
  [[nodiscard]] static Result<CublasLt> prepare(Context& context, const Gemm& gemm, DevicePointer bias);
  [[nodiscard]] Result<void> multiply(DevicePointer a, DevicePointer b, DevicePointer c) const;
  [[nodiscard]] const std::string& version() const;  // "cuBLASLt 13.1.0"

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace tessera::measure
