// CublasLt: NVIDIA's matrix product, opened at run time: what a kernel is compared with.
//
//     Gemm{m, n, k}                  C [m,n] = A [m,k] * B [k,n], fp16 in, fp16 out, fp32 sums, all row-major
//     .accumulate .epilogue          C += ...; bias of n values, ReLU, both
//     lt.prepare(gemm, pointers)     asks the library's heuristic for its first choice
//
// The library is column-major: C row-major is C^T column-major, and C^T = B^T A^T, so B goes in first. Of a column-major C nothing is
// turned; its bias would run along m, so an epilogue with bias is refused there.
//
// Law: what is computed is the formula above for every choice of orders (tests/measure, against a fake that multiplies column-major).
// Opening it takes a second and 500 MB of address space: only ever in the other process (worker.h).
#pragma once

#include <memory>
#include <string>

#include "solver/measure/driver.h"

namespace tessera::measure {

enum class Epilogue : int { None = 1, Relu = 2, Bias = 4, BiasRelu = 6 };  // cuBLASLt's numbers
[[nodiscard]] std::string_view name(Epilogue e);                           // "bias + relu"

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

// cublasLt.h's functions as they are exported.
struct CublasLtTable {
  int (*create)(void**) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*descriptorCreate)(void**, int, int) = nullptr;
  int (*descriptorDestroy)(void*) = nullptr;
  int (*descriptorSet)(void*, int, const void*, std::size_t) = nullptr;
  int (*layoutCreate)(void**, int, u64, u64, i64) = nullptr;
  int (*layoutDestroy)(void*) = nullptr;
  int (*preferenceCreate)(void**) = nullptr;
  int (*preferenceDestroy)(void*) = nullptr;
  int (*preferenceSet)(void*, int, const void*, std::size_t) = nullptr;
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, void*, int*) = nullptr;
  int (*multiply)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
                  void*, void*, const void*, void*, std::size_t, void*) = nullptr;
  std::size_t (*version)() = nullptr;
};

// cublasLtMatmulHeuristicResult_t.
struct CublasLtChoice {
  u64 algorithm[8] = {};
  std::size_t workspaceBytes = 0;
  int state = 0;
  float waves = 0;
  int reserved[4] = {};
};

// One product, prepared; as often as wanted.
class CublasLt {
 public:
  [[nodiscard]] static LibraryPlace place();
  // Needs a current context. A Diag: the library is not there or does not start, or has no kernel for this product.
  // `bias`: the device's address of it, or 0.
  [[nodiscard]] static Result<CublasLt> prepare(Context& context, const Gemm& gemm, DevicePointer bias);
  [[nodiscard]] Result<void> multiply(DevicePointer a, DevicePointer b, DevicePointer c) const;
  [[nodiscard]] const std::string& version() const;  // "cuBLASLt 13.1.0"

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace tessera::measure
