// Tensor maps: the requests to the driver, the arguments of a launch, and the message if the driver refuses.
#include <catch2/catch.hpp>
#include <cstring>

#include "measure/fakes.h"
#include "solver/measure/device/driver.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// %y <- Move(%x) of 64 halves, %x by TMA: its kernel has the pointer and the map.
const char* const kText = R"(%x:[4,16:16,1].fp16.GL  %y:[4,16:16,1].fp16.GL
#b:[1].block  #t:[32].thread
%y <- Move<<<#b,#t>>>(%x) {
  %s:[4,16:16,1].fp16.SH
  %f:[].mbarrier.SH
  @t = #t.indices()
  #one = #t.scalar()
  if (@t == 0) {
    mbarrier.init %f, 1
    fence.async
    mbarrier.expect %f, %s
    %s <- Move<bulk %f><<<#b,#one>>>(%x)
  }
  sync
  mbarrier.wait %f, 0
  %from = %s.tile([1:1],[2:1])[@t/8,@t%8]  %to = %y.tile([1:1],[2:1])[@t/8,@t%8]
  %to <- Move<<<#b,#one>>>(%from)
}
)";

std::vector<unsigned long long> wordsOf(const void* map) {
  std::vector<unsigned long long> out(16);
  std::memcpy(out.data(), map, 128);
  return out;
}

}  // namespace

TEST_CASE("the driver is asked for extents, strides in bytes and the box, innermost first") {
  const Fakes fakes;
  const auto driver = Driver::open();
  REQUIRE(driver.ok());
  const MapRequest request{"fp16", {64, 1024}, {1, 1056}, {64, 128}, "128B"};
  const auto map = encoded(*driver, request, 4096);
  INFO((map ? "" : map.error().message));
  REQUIRE(map.ok());
  const auto words = wordsOf(map->data());
  CHECK(words[0] == 4096);
  CHECK(words[1] == 2);
  CHECK(words[2] == 6);  // FLOAT16
  CHECK(words[3] == 3);  // 128B
  CHECK(words[4] == 64);
  CHECK(words[5] == 1024);
  CHECK(words[7] == 2112);
  CHECK(words[10] == 64);
  CHECK(words[11] == 128);
}

TEST_CASE("what the driver refuses, and what it is never asked for") {
  const auto refused = [](const MapRequest& request, const std::string& behaviour) {
    const Fakes fakes(behaviour);
    const auto driver = Driver::open();
    REQUIRE(driver.ok());
    const auto map = encoded(*driver, request, 4096);
    REQUIRE_FALSE(map.ok());
    return map.error().message;
  };
  const MapRequest right{"fp16", {64, 1024}, {1, 1024}, {64, 128}, "128B"};
  CHECK(refused(right, "map")
            .find("cuTensorMapEncodeTiled: invalid argument (CUDA_ERROR_INVALID_VALUE, 1): extents 64 x "
                  "1024, strides 1 and 1024, box 64 x 128, swizzle 128B") != std::string::npos);
  MapRequest odd = right;
  odd.strides[1] = 1023;
  CHECK(refused(odd, "").find("cuTensorMapEncodeTiled") != std::string::npos);
  MapRequest unknown = right;
  unknown.swizzle = "256B";
  CHECK(refused(unknown, "").find("swizzle 256B") != std::string::npos);
  MapRequest short1 = right;
  short1.box.pop_back();
  CHECK(refused(short1, "").find("a tensor map of 2 dimensions") != std::string::npos);
}

TEST_CASE("a kernel gets the map of its buffer by value, in this process and in another one") {
  const graphene::Program program = programOf(kText);
  const auto source = codegen::emitCuda(program, {"sm_90a"});
  INFO((source ? "" : source.error().message));
  REQUIRE(source.ok());
  const codegen::Kernel& kernel = source->kernels.at(0);
  REQUIRE(kernel.params.size() == 2);
  CHECK(kernel.params[0].name == "y");
  CHECK_FALSE(kernel.params[0].map.has_value());
  CHECK(kernel.params[1].name == "x");
  REQUIRE(kernel.params[1].map.has_value());
  const auto number = [](i64 n) { return Expr::constant(n); };
  CHECK(*kernel.params[1].map == codegen::TensorMap{{number(16), number(4)}, {number(1), number(16)}, {16, 4}, "NONE"});
  CHECK(source->text.find("const __grid_constant__ tessera::TensorMap x_map") != std::string::npos);
  const Fakes fakes("major=9,cache=1024");
  fakes.add(kernel.name, [](unsigned, unsigned, void** a) {
    const auto words = wordsOf(a[1]);
    std::memcpy(*static_cast<void**>(a[0]), reinterpret_cast<void*>(words[0]), 128);
  });
  RunOptions options;
  options.runs = 3;
  const auto result = run(*source, program, options);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.ok());
  CHECK(result->time.copies == 17);  // a map for each copy of the buffer
  CHECK(fakes.live() == 0);
  const Fakes failing("major=9,map");
  const auto refused = run(*source, program, options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("cuTensorMapEncodeTiled: invalid argument") != std::string::npos);
}
