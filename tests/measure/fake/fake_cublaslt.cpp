// A fake cuBLASLt that multiplies on the host, column-major like the real one, in fp32, and from fp16 into fp32: see
// fake.h. A product takes `blas` us on the fake driver's device.
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "measure/fake/fake.h"

namespace {

struct Descriptor {
  int turnA = 0, turnB = 0;
  unsigned epilogue = 1;
  const float* bias = nullptr;
};
struct Layout {
  int type = 0;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0;
};

float at(const void* data, const Layout& l, std::uint64_t row, std::uint64_t column) {
  const std::uint64_t index = row + column * static_cast<std::uint64_t>(l.leading);
  if (l.type == 0) return static_cast<const float*>(data)[index];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[index];
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>((bits & 0x8000) != 0 ? -size : size);
}

void takeTime() {
  const char* const driver = std::getenv("TESSERA_LIBCUDA");
  void* const library = driver == nullptr ? nullptr : ::dlopen(driver, RTLD_NOW | RTLD_LOCAL);
  void* const takes = library == nullptr ? nullptr : ::dlsym(library, "fakeLibraryKernel");
  if (takes != nullptr) reinterpret_cast<void (*)(double)>(takes)(std::stod(fakeSetting("blas", "40")));
}

}  // namespace

extern "C" {
int cublasLtCreate(void** handle) { return *handle = new int, fakeIs("blas-dead") ? 1 : 0; }
int cublasLtDestroy(void* handle) { return delete static_cast<int*>(handle), 0; }
int cublasLtMatmulDescCreate(void** to, int, int) { return *to = new Descriptor, 0; }
int cublasLtMatmulDescDestroy(void* d) { return delete static_cast<Descriptor*>(d), 0; }
int cublasLtMatmulDescSetAttribute(void* descriptor, int attribute, const void* value, std::size_t size) {
  auto* const d = static_cast<Descriptor*>(descriptor);
  void* const into = attribute == 3   ? static_cast<void*>(&d->turnA)
                     : attribute == 4 ? static_cast<void*>(&d->turnB)
                     : attribute == 7 ? static_cast<void*>(&d->epilogue)
                                      : static_cast<void*>(&d->bias);
  if (size != (attribute == 8 ? 8u : 4u)) return 7;
  return std::memcpy(into, value, size), 0;
}
int cublasLtMatrixLayoutCreate(void** to, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return 7;
  return *to = new Layout{type, rows, columns, leading}, 0;
}
int cublasLtMatrixLayoutDestroy(void* l) { return delete static_cast<Layout*>(l), 0; }
int cublasLtMatmulPreferenceCreate(void** to) { return *to = new int, 0; }
int cublasLtMatmulPreferenceDestroy(void* p) { return delete static_cast<int*>(p), 0; }
int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, std::size_t) { return 0; }
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int, void*, int* found) {
  return *found = fakeIs("blas-none") ? 0 : 1, 0;
}
int cublasLtMatmul(void*, void* descriptor, const void* alpha, const void* a, void* la, const void* b, void* lb,
                   const void* beta, const void* c, void* lc, void* d, void*, const void*, void*, std::size_t, void*) {
  const auto& how = *static_cast<Descriptor*>(descriptor);
  const Layout &A = *static_cast<Layout*>(la), &B = *static_cast<Layout*>(lb), &C = *static_cast<Layout*>(lc);
  const std::uint64_t m = how.turnA == 0 ? A.rows : A.columns, k = how.turnA == 0 ? A.columns : A.rows;
  const std::uint64_t n = how.turnB == 0 ? B.columns : B.rows;
  if ((how.turnB == 0 ? B.rows : B.columns) != k || C.rows != m || C.columns != n || C.type != 0) return 7;
  std::vector<float> out;
  for (std::uint64_t j = 0; j < n; ++j)
    for (std::uint64_t i = 0; i < m; ++i) {
      float sum = 0;
      for (std::uint64_t x = 0; x < k; ++x)
        sum += (how.turnA == 0 ? at(a, A, i, x) : at(a, A, x, i)) * (how.turnB == 0 ? at(b, B, x, j) : at(b, B, j, x));
      sum *= *static_cast<const float*>(alpha);
      if (*static_cast<const float*>(beta) != 0) sum += *static_cast<const float*>(beta) * at(c, C, i, j);
      if ((how.epilogue & 4) != 0) sum += how.bias[i];
      if ((how.epilogue & 2) != 0) sum = sum > 0 ? sum : 0;
      out.push_back(sum);
    }
  for (std::uint64_t j = 0; j < n; ++j)
    std::memcpy(static_cast<float*>(d) + j * static_cast<std::uint64_t>(C.leading), out.data() + j * m, m * 4);
  takeTime();
  return 0;
}
std::size_t cublasLtGetVersion() { return 120403; }
}
