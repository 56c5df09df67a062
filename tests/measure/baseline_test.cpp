// cuBLASLt's product against our formula, for every order of every matrix and every epilogue, and cases without a
// product.
#include <catch2/catch.hpp>

#include "measure/fakes.h"
#include "solver/measure/report/library_product.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

RunOptions optionsOf(bool apart) {
  RunOptions out;
  out.runs = 2;
  out.warmups = 0;
  if (apart) out.worker = {WORKER};
  return out;
}

void checkFails(const Result<Measurement>& result, const std::string& says) {
  REQUIRE_FALSE(result.ok());
  INFO(result.error().message);
  CHECK(result.error().message.find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("the product is ours for every order of the matrices, every epilogue, with and without what was there") {
  const Fakes fakes("cache=64");
  int products = 0;
  for (int orders = 0; orders < 8; ++orders) {
    for (const Epilogue epilogue : {Epilogue::None, Epilogue::Relu, Epilogue::Bias, Epilogue::BiasRelu}) {
      for (const bool accumulate : {false, true}) {
        for (const char* const input : {"fp32", "fp16"}) {
          const Gemm gemm{5,     3,      4,          (orders & 1) != 0, (orders & 2) != 0, (orders & 4) != 0,
                          input, "fp32", accumulate, epilogue};
          INFO(orders << " epilogue " << static_cast<int>(epilogue) << " " << accumulate << " " << input);
          const bool biased = epilogue == Epilogue::Bias || epilogue == Epilogue::BiasRelu;
          const auto result = runBaseline(gemm, optionsOf(false));
          if (biased && !gemm.rowC) {
            checkFails(result, "row-major result only");
            continue;
          }
          INFO((result ? result->wrong : result.error().message));
          REQUIRE(result.ok());
          CHECK(result->wrong.empty());
          REQUIRE(result->checks.size() == 1);
          CHECK(result->checks[0].compared == 15);
          CHECK(result->checks[0].relativeError < 1e-6);
          CHECK(result->time.count == 2);
          CHECK(result->compiler == "cuBLASLt 12.4.3");
          CHECK(result->work.products == 2.0 * 5 * 3 * 4);
          CHECK(fakes.live() == 0);
          ++products;
        }
      }
    }
  }
  CHECK(products == 2 * 2 * (4 * 4 + 4 * 2));
}

TEST_CASE("cuBLASLt in another process, and every way in which there is none") {
  const Gemm gemm{4, 4, 4, true, true, true, "fp32", "fp32", false, Epilogue::None};
  for (const bool apart : {false, true}) {
    INFO("another process: " << apart);
    {
      const Fakes fakes;
      const auto result = runBaseline(gemm, optionsOf(apart));
      REQUIRE(result.ok());
      CHECK(result->wrong.empty());
      checkFails(runBaseline({}, optionsOf(apart)), "a product of nothing");
      Gemm bytes = gemm;
      bytes.input = "i8";
      checkFails(runBaseline(bytes, optionsOf(apart)), "products of i8 are not compared with cuBLASLt");
      ::setenv("TESSERA_LIBCUBLASLT", "/nowhere/libcublasLt.so", 1);
      checkFails(runBaseline(gemm, optionsOf(apart)), "cuBLASLt was not found");
      ::setenv("TESSERA_LIBCUBLASLT", FAKE_NVRTC, 1);
      checkFails(runBaseline(gemm, optionsOf(apart)), "is too old: it has no cublasLtCreate");
    }
    {
      const Fakes fakes("blas-dead");
      checkFails(runBaseline(gemm, optionsOf(apart)), "cublasLtCreate: it is not initialised");
      if (!apart) CHECK(fakes.live() == 0);
    }
    {
      const Fakes fakes("blas-none");
      checkFails(runBaseline(gemm, optionsOf(apart)), "cuBLASLt has no kernel for this product");
    }
    const Fakes fakes("no-device");
    checkFails(runBaseline(gemm, optionsOf(apart)), "there is no CUDA device");
  }
}
