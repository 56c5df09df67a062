// References against each other and against plain loops; work counted from specifications against manual counts.
#include "solver/measure/reference/reference.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "measure/fakes.h"
#include "measure/library_inputs.h"
#include "solver/measure/emulated.h"
#include "solver/measure/predict/roofline.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

std::vector<i64> upTo(i64 n) {
  std::vector<i64> out;
  for (i64 e = 0; e < n; ++e) out.push_back(e);
  return out;
}

}  // namespace

static std::vector<double> allOf(const Inputs& in, int operand) {
  std::vector<double> out;
  for (i64 e = 0; e < in.operands()[static_cast<std::size_t>(operand)].elements; ++e) out.push_back(in.at(operand, e));
  return out;
}

TEST_CASE("a product's reference is plain loops, for the elements that are asked for, and the emulator agrees") {
  const auto program = library("gemm_symbolic");  // column-major: [128 M, K] by [K, 128 N]
  const std::map<std::string, i64> sizes = {{"M", 1}, {"N", 2}, {"K", 3}};
  const Inputs in = inputsOf(*program, sizes, 2, 256);
  CHECK(in.operands()[2].input);  // a product adds to what was there
  const auto stated = statedReference(*program);
  REQUIRE(stated.has_value());
  const std::vector<i64> all = upTo(128 * 256);
  const auto c = (*stated)(in, "C", all);
  REQUIRE(c.ok());
  const std::vector<double> a = allOf(in, 0), b = allOf(in, 1), before = allOf(in, 2);
  double worst = 0;
  for (std::size_t i = 0; i < 128; ++i)
    for (std::size_t j = 0; j < 256; ++j) {
      double sum = before[i * 256 + j];
      for (std::size_t k = 0; k < 3; ++k) sum += a[i * 3 + k] * b[k * 256 + j];
      worst = std::max(worst, std::abs(sum - (*c)[i * 256 + j]));
    }
  CHECK(worst < 1e-12);
  const auto few = (*stated)(in, "C", {3, 700, 701, 32767});
  REQUIRE(few.ok());
  CHECK(*few == std::vector<double>{(*c)[3], (*c)[700], (*c)[701], (*c)[32767]});
  const auto emulated = emulatedReference(program, {.sizes = sizes})(in, "C", all);
  INFO((emulated ? "" : emulated.error().message));
  REQUIRE(emulated.ok());
  worst = 0;
  for (std::size_t k = 0; k < all.size(); ++k) worst = std::max(worst, std::abs((*emulated)[k] - (*c)[k]));
  CHECK(worst < 1e-12);
}

TEST_CASE("the emulated reference is not rounded on the way: attention against doubles") {
  const auto program = library("attention");
  const Inputs in = inputsOf(*program, {}, 1, 128);
  CHECK_FALSE(in.operands()[3].input);
  CHECK_FALSE(statedReference(*program).has_value());
  const auto o = emulatedReference(program, {})(in, "O", upTo(4096));
  INFO((o ? "" : o.error().message));
  REQUIRE(o.ok());
  const std::vector<double> q = allOf(in, in.find("Q")), k = allOf(in, in.find("K")), v = allOf(in, in.find("V"));
  double worst = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    std::vector<double> score(64);
    double total = 0;
    for (std::size_t j = 0; j < 64; ++j) {
      for (std::size_t d = 0; d < 64; ++d) score[j] += q[i * 64 + d] * k[j * 64 + d] / 8;
      total += score[j] = std::exp(score[j]);
    }
    for (std::size_t d = 0; d < 64; ++d) {
      double sum = 0;
      for (std::size_t j = 0; j < 64; ++j) sum += score[j] / total * v[j * 64 + d];
      worst = std::max(worst, std::abs(sum - (*o)[i * 64 + d]));
    }
  }
  CHECK(worst < 1e-9);  // with roundings to fp16 on the way it is 1e-4
}

TEST_CASE("operands in registers: a copy for each thread") {
  const auto program = library("vector_load");  // each of 128 threads loads its eight halves
  const Inputs in = inputsOf(*program, {}, 1, 128);
  const int r = in.find("r");
  REQUIRE(r >= 0);
  CHECK(in.operands()[static_cast<std::size_t>(r)].copies == 128);
  const auto values = referenceOf(program, {})(in, "r", upTo(1024));
  INFO((values ? "" : values.error().message));
  REQUIRE(values.ok());
  CHECK(*values == allOf(in, in.find("in")));
}

TEST_CASE("where a program rounds: sums in fp16 are given more room than values, and those more than fp32") {
  const auto rounds = [](const graphene::Program& program) {
    const Rounding r = roundingOf(program);
    return std::make_pair(r.values, r.sums);
  };
  CHECK(rounds(*library("gemm_simple")) == std::make_pair(11, 11));
  CHECK(rounds(*library("gemm_warps_64")) == std::make_pair(0, 0));  // fp16 operands, fp32 sums and result
  CHECK(rounds(*library("attention")) == std::make_pair(11, 0));     // probabilities
  CHECK(rounds(moveProgram()) == std::make_pair(0, 0));              // a copy is exact
  const auto half = graphene::numberFormat("fp16"), single = graphene::numberFormat("fp32");
  CHECK(toleranceOf(*single).relative == 1e-4);
  CHECK(toleranceOf(*half).relative == Approx(4.0 / 2048));
  CHECK(toleranceOf(*single, {11, 0}).relative == Approx(4.0 / 2048));
  CHECK(toleranceOf(*half, {11, 11}).relative == Approx(64.0 / 2048));
  CHECK(toleranceOf(*graphene::numberFormat("i32")).relative == 0);
}

TEST_CASE("work of a specification, counted by hand") {
  // A product of 128 x 256 x 3 in fp16: reads A, B and C, writes C.
  const auto work = workOf(*library("gemm_symbolic"), {{"M", 1}, {"N", 2}, {"K", 3}});
  REQUIRE(work.ok());
  CHECK(work->bytesRead == 2 * (128 * 3 + 3 * 256 + 128 * 256));
  CHECK(work->bytesWritten == 2 * 128 * 256);
  CHECK(work->products == Approx(2.0 * 128 * 256 * 3));
  CHECK(work->others == 0);
  CHECK(work->products16 == "fp16");
  CHECK_FALSE(workOf(*library("gemm_symbolic"), {}).ok());

  const auto move = workOf(moveProgram(), {});
  REQUIRE(move.ok());
  CHECK(move->bytesRead == 128);
  CHECK(move->products + move->others == 0);
}

TEST_CASE("work of a fused kernel is what its inner specifications are, as often as they are done") {
  // Scores and their product with V: two products of 64 x 64 x 64.
  const auto attention = workOf(*library("attention"), {});
  REQUIRE(attention.ok());
  CHECK(attention->bytesRead == 3 * 4096 * 2);
  CHECK(attention->products == Approx(2 * 2.0 * 64 * 64 * 64));
  CHECK(attention->others > 4096);  // scaling, maximum, exponential, sum, division
  // One layer: a product of 64 x 64 x 64, then bias and relu of every element.
  const auto layer = workOf(*library("mlp_layer"), {});
  REQUIRE(layer.ok());
  CHECK(layer->products == Approx(2.0 * 64 * 64 * 64));
  CHECK(layer->others == Approx(2.0 * 64 * 64));
  // An LSTM cell: four gates of [16,64] by [64,32].
  const auto cell = workOf(*library("lstm_cell"), {});
  REQUIRE(cell.ok());
  CHECK(cell->products == Approx(4 * 2.0 * 16 * 64 * 32));
}

TEST_CASE("the roofline of a device") {
  DeviceInfo device;
  device.major = 8;
  device.clockKilohertz = 1'410'000;
  device.multiprocessors = 108;
  device.memoryClockKilohertz = 1'215'000;
  device.busBits = 5120;
  measure::Work work;
  work.bytesRead = 1e9;
  work.bytesWritten = 0.555e9;
  work.products = 312e9;
  work.products16 = "fp16";
  const Roofline a100 = rooflineOf(work, device);
  CHECK(a100.memoryMicroseconds == Approx(1000).epsilon(0.001));   // 1555 GB/s
  CHECK(a100.computeMicroseconds == Approx(1000).epsilon(0.001));  // 312 TFLOPS
  work.products16 = "e4m3";
  CHECK(rooflineOf(work, device).computeMicroseconds == Approx(500).epsilon(0.001));
  work.others = 19.5e9;
  CHECK(rooflineOf(work, device).computeMicroseconds == Approx(1000).epsilon(0.002));  // 19.5 TFLOPS in fp32
  CHECK(std::string(rooflineOf(work, device).bound()) == "operations");
  device.major = 99;  // nothing is known of it: the memory alone
  CHECK(rooflineOf(work, device).computeMicroseconds == 0);
  CHECK(rooflineOf(work, device).microseconds() == a100.memoryMicroseconds);
  CHECK(rooflineOf(work, {}).microseconds() == 0);
}

TEST_CASE("the emulator for the device: every program of the library that is small enough is right") {
  int right = 0;
  for (const char* const name :
       {"attention", "epilogue", "gemm_warps_64", "interleaved_load", "layernorm", "ldmatrix_move", "lstm_cell",
        "mlp_layer", "online_softmax", "predicated_copy", "quad_pairs", "row_reduction", "transpose_padded",
        "transpose_swizzled", "vector_load", "warp_sum", "warp_tile_moves"}) {
    INFO(name);
    const auto program = library(name);
    const auto source = codegen::emitCuda(*program);
    REQUIRE(source.ok());
    RunOptions options;
    options.reference = referenceOf(program, {});
    const auto e = emulated(*source, *program, options);
    INFO((e ? e->wrong : e.error().message));
    REQUIRE(e.ok());
    CHECK(e->wrong.empty());
    CHECK(e->stopped.empty());
    REQUIRE_FALSE(e->checks.empty());
    for (const Comparison& c : e->checks) CHECK(c.compared == c.elements);
    CHECK(e->total.executions > 0);
    ++right;
  }
  CHECK(right == 17);
}

TEST_CASE("an emulator that is stopped has compared nothing, and says so") {
  const auto program = library("gemm_warps_64");
  const auto source = codegen::emitCuda(*program);
  REQUIRE(source.ok());
  RunOptions options;
  options.reference = referenceOf(program, {});
  const auto e = emulated(*source, *program, options, /*maxSteps=*/10);
  REQUIRE(e.ok());
  CHECK_FALSE(e->stopped.empty());
  REQUIRE(e->checks.size() == 1);
  CHECK(e->checks[0].compared == 0);
  CHECK(e->checks[0].why == e->stopped);
}
