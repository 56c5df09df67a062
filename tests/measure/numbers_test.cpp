// Element types as bits, operands as places, quartiles, comparisons.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "measure/fakes.h"
#include "measure/library_inputs.h"
#include "solver/emulate/plan.h"
#include "solver/measure/reference/inputs.h"

using namespace tessera;
using namespace tessera::measure;
using graphene::NumberFormat;

namespace {

NumberFormat format(const std::string& name) {
  const auto found = graphene::numberFormat(name);
  REQUIRE(found.ok());
  return *found;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

}  // namespace

TEST_CASE("bits of numbers that everybody knows") {
  CHECK(encoded(1.5, format("fp16")) == 0x3E00);
  CHECK(encoded(-2, format("fp16")) == 0xC000);
  CHECK(encoded(0x1p-24, format("fp16")) == 1);  // the least one
  CHECK(encoded(0x1p-14, format("fp16")) == 0x0400);
  CHECK(encoded(65504, format("fp16")) == 0x7BFF);
  CHECK(encoded(1e6, format("fp16")) == 0x7C00);
  CHECK(encoded(1.5, format("bf16")) == 0x3FC0);
  CHECK(encoded(448, format("e4m3")) == 0x7E);
  CHECK(encoded(0x1p-9, format("e4m3")) == 1);
  CHECK(encoded(57344, format("e5m2")) == 0x7B);
  CHECK(encoded(-3, format("i8")) == 0xFD);
  CHECK(encoded(200, format("u8")) == 200);
  CHECK(encoded(1.0 + 0x1p-11, format("tf32")) == encoded(1.0 + 0x1p-10, format("fp32")));  // a tie goes away from zero
  CHECK(encoded(1.0 + 0x1p-12, format("tf32")) == encoded(1.0, format("fp32")));
  CHECK(decoded(0x7C00, format("fp16")) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(decoded(0x7F, format("e4m3"))));
  CHECK(decoded(0x78, format("e4m3")) == 256);
  CHECK(decoded(0x80000000, format("i32")) == -2147483648.0);
  CHECK(decoded(encoded(1e300, format("i64")), format("i64")) == 9223372036854775807.0);
}

TEST_CASE("every pattern of 8 and 16 bits comes back, and every number is rounded as the emulator rounds it") {
  for (const char* const name : {"fp16", "bf16", "e4m3", "e5m2", "i8", "u8", "i16", "u16"}) {
    INFO(name);
    const NumberFormat type = format(name);
    u64 wrong = 0;
    for (u64 bits = 0; bits < u64{1} << type.bits; ++bits) {
      const double value = decoded(bits, type);
      if (std::isnan(value) || (std::isinf(value) && type.saturates)) continue;  // e5m2's infinity saturates
      wrong += encoded(value, type) != bits;
    }
    CHECK(wrong == 0);
  }
  std::mt19937_64 random(7);
  for (const char* const name : {"fp64", "fp32", "tf32", "fp16", "bf16", "e4m3", "e5m2", "i8", "i32", "u16", "i64"}) {
    INFO(name);
    const NumberFormat type = format(name);
    for (int k = 0; k < 20000; ++k) {
      const double mantissa = static_cast<double>(static_cast<i64>(random())) * 0x1p-63;
      const double value = std::ldexp(mantissa, static_cast<int>(random() % 40) - 24);
      INFO(value);
      REQUIRE(same(decoded(encoded(value, type), type), graphene::rounded(value, type)));
    }
    REQUIRE((type.precision == 0 || std::isnan(decoded(encoded(std::nan(""), type), type))));
  }
}

TEST_CASE("fp32 bits are the processor's") {
  std::mt19937 random(3);
  const NumberFormat type = format("fp32");
  for (int k = 0; k < 100000; ++k) {
    const u64 bits = random();
    float f = 0;
    const auto low = static_cast<std::uint32_t>(bits);
    std::memcpy(&f, &low, 4);
    REQUIRE(same(decoded(bits, type), static_cast<double>(f)));
    if (!std::isnan(f)) REQUIRE(encoded(static_cast<double>(f), type) == bits);
  }
  unsigned char bytes[8] = {};
  put(bytes + 1, 0x12345678, 32);
  CHECK(bytes[1] == 0x78);
  CHECK(get(bytes + 1, 32) == 0x12345678);
}

TEST_CASE("an operand's elements lie where the emulator has them") {
  int operands = 0;
  for (const char* const text : {"%a:[4,8:1,4].fp32.GL\n", "%a:[4,(2,4):2,(1,8)].fp16.GL\n",
                                 "%a:Sw<3,3,3> o [64,64:64,1].fp16.GL\n", "%a:[2,2:4,2].[1,2:_,1].fp16.GL\n",
                                 "%a:[32,32:33,1].e4m3.GL\n", "%a:[1023:1].fp32.GL\n", "%a:[8:0].fp32.GL\n"}) {
    INFO(text);
    const graphene::Program program = programOf(text);
    const graphene::Tensor& tensor = program.operands.front();
    const auto slots = graphene::slotsOf(tensor);
    REQUIRE(slots.ok());
    const auto operand = operandOf(tensor, {}, 3);
    REQUIRE(operand.ok());
    REQUIRE(operand->elements == static_cast<i64>(3 * slots->count));
    const i64 one = operand->places / 3;
    for (i64 e = 0; e < operand->elements; ++e) {
      const auto s = static_cast<std::size_t>(e) % slots->count;
      const i64 address = tensor.swizzle(slots->addresses[s]);
      REQUIRE(address < one);
      REQUIRE(operand->address(e) == address + operand->copyOf(e) * one);
      std::vector<i64> coordinate(slots->coordinates.begin() + static_cast<long>(s * slots->dims),
                                  slots->coordinates.begin() + static_cast<long>((s + 1) * slots->dims));
      REQUIRE(operand->coordinate(e) == coordinate);
    }
    ++operands;
  }
  CHECK(operands == 7);
}

TEST_CASE("what a kernel reads through a view between the kernels is an input, and an earlier kernel's result is not") {
  const auto operands = *operandsOf(*library("mlp_unfused"), {{"M", 1}}, 1, 256);
  std::string inputs, outputs;
  for (const Operand& o : operands) {
    if (o.input) inputs += o.name + " ";
    if (o.output) outputs += o.name + " ";
  }
  CHECK(inputs == "X W bias ");
  CHECK(outputs == "Y Z H ");
}

TEST_CASE("sizes must be given, and be sizes; storage beyond all bounds is refused") {
  const graphene::Program program = programOf("%a:[128*M,K].fp16.GL\n");
  codegen::CudaSource source;
  const auto launches = [&](const std::map<std::string, i64>& sizes) { return launchesOf(source, program, sizes); };
  const auto good = launches({{"M", 2}, {"K", 5}});
  REQUIRE(good.ok());
  CHECK(good->operands.front().elements == 256 * 5);
  CHECK(launches({{"M", 2}}).error().message == "K is not known, so nothing can be run");
  CHECK_FALSE(launches({{"M", 0}, {"K", 5}}).ok());
  CHECK_FALSE(launches({{"M", 2000000000}, {"K", 2000000000}}).ok());
}

TEST_CASE("median and quartiles are numpy's") {
  const Spread s = spreadOf({3, 1, 2, 10});
  CHECK(s.median == 2.5);
  CHECK(s.lower == 1.75);
  CHECK(s.upper == 4.75);
  CHECK(s.least == 1);
  CHECK(s.most == 10);
  CHECK(s.count == 4);
  CHECK(spreadOf({}).count == 0);
  CHECK(spreadOf({7}).median == 7);
}

TEST_CASE("random inputs are of their type, depend on seed and element alone, and spread") {
  const NumberFormat half = format("fp16");
  double sum = 0, squares = 0;
  for (i64 e = 0; e < 10000; ++e) {
    const double x = drawn(1, 0, e, half);
    REQUIRE(x >= -1);
    REQUIRE(x <= 1);
    REQUIRE(x == graphene::rounded(x, half));
    REQUIRE(x == drawn(1, 0, e, half));
    sum += x, squares += x * x;
  }
  CHECK(std::abs(sum / 10000) < 0.02);
  CHECK(std::abs(squares / 10000 - 1.0 / 3) < 0.02);
  CHECK(drawn(1, 0, 5, half) != drawn(2, 0, 5, half));
  CHECK(drawn(1, 0, 5, half) != drawn(1, 1, 5, half));
  for (i64 e = 0; e < 1000; ++e) {
    const double i = drawn(1, 0, e, format("i8"));
    CHECK((i >= -8 && i <= 7 && i == std::floor(i)));
  }
}

TEST_CASE("a few elements of many: the corners, then others, each once and rising") {
  CHECK(elementsToCompare(5, 10, 1) == std::vector<i64>{0, 1, 2, 3, 4});
  const std::vector<i64> some = elementsToCompare(i64{1} << 40, 1000, 1);
  CHECK(some.size() > 950);
  CHECK(some.front() == 0);
  CHECK(some.back() == (i64{1} << 40) - 1);
  CHECK(std::is_sorted(some.begin(), some.end()));
  CHECK(std::adjacent_find(some.begin(), some.end()) == some.end());
  CHECK(some == elementsToCompare(i64{1} << 40, 1000, 1));
}

TEST_CASE("comparing: the norm, the worst element with its coordinate, what was never written") {
  const graphene::Program program = programOf("%a:[2,2].fp32.GL\n");
  auto operand = operandOf(program.operands.front(), {}, 1);
  REQUIRE(operand.ok());
  operand->output = true;
  auto inputs = Inputs::of({*operand}, 1);
  REQUIRE(inputs.ok());
  const auto write = [&](const std::vector<double>& values) {
    for (std::size_t e = 0; e < values.size(); ++e)
      put(inputs->memory().bytes().data() + inputs->to(0) + 4 * e, encoded(values[e], operand->type), 32);
  };
  const Tolerance tolerance{1e-3, 1e-2};
  const auto check = [&](const std::vector<double>& expected) {
    return compared(*inputs, 0, {0, 1, 2, 3}, expected, tolerance);
  };
  Comparison none = check({1, 2, 3, 4});  // poison
  CHECK(none.unwritten == 4);
  CHECK_FALSE(none.good);
  CHECK(none.complaint.find("4 of 4 elements were never written") != std::string::npos);
  write({1, 2, 3, 4});
  CHECK(check({1, 2, 3, 4}).good);
  CHECK(check({1, 2, 3, 4}).relativeError == 0);
  const Comparison one = check({1, 2, 4, 4});
  CHECK(one.relativeError == Approx(1 / std::sqrt(37.0)));
  CHECK(one.worst == 2);
  CHECK(one.coordinate == std::vector<i64>{1, 0});
  CHECK(one.expected == 4);
  CHECK(one.actual == 3);
  CHECK(one.complaint.find("%a[1,0] is 3 instead of 4") != std::string::npos);
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  CHECK_FALSE(check({1, 2, 3, nan}).good);
  write({1, nan, infinite, 4});
  CHECK(check({1, nan, infinite, 4}).good);
  CHECK_FALSE(check({1, 2, infinite, 4}).good);
  CHECK_FALSE(check({1, nan, -infinite, 4}).good);
  // One wrong element among many is found though the norm hardly sees it.
  const Comparison few = compared(*inputs, 0, {0, 3}, {1, 4.2}, {1, 1e-2});
  CHECK(few.complaint.find("wrong in an element") != std::string::npos);
}
