// Shared memory beyond 48 KiB: the runner sets the limit before the launch, and the driver refuses a launch without it.
#include <catch2/catch.hpp>

#include "measure/fakes.h"
#include "solver/measure/emulated.h"
#include "solver/measure/reference/reference.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

codegen::CudaSource sourceWith(i64 dynamicBytes) {
  codegen::CudaSource out = moveSource("copy");
  out.kernels[0].sharedBytes = out.kernels[0].dynamicBytes = dynamicBytes;
  return out;
}

RunOptions options(bool apart) {
  RunOptions out;
  out.runs = 1;
  out.seconds = 30;
  if (apart) out.worker = {WORKER};
  out.reference = *statedReference(moveProgram());
  return out;
}

}  // namespace

TEST_CASE("dynamic shared memory reaches the launch, in this process and in another one") {
  for (const bool apart : {false, true}) {
    const Fakes fakes;
    const auto result = run(sourceWith(98304), moveProgram(), options(apart));
    INFO((result ? "" : result.error().message));
    REQUIRE(result.ok());
    CHECK(result->wrong.empty());
    CHECK(result->kernels[0].sharedBytes == 98304);
    if (!apart) CHECK(fakes.dynamicShared() == 98304);
  }
}

TEST_CASE("more than the device has is refused, with the number") {
  for (const bool apart : {false, true}) {
    const Fakes fakes("shared=101376");  // of sm_86
    const auto result = run(sourceWith(101377), moveProgram(), options(apart));
    REQUIRE(!result.ok());
    CHECK(result.error().message.find("kernel 'copy' may not have 101377 bytes of shared memory") == 0);
    CHECK(result.error().message.find("cuFuncSetAttribute") != std::string::npos);
    if (!apart) {
      CHECK(fakes.launches() == 0);
      CHECK(fakes.live() == 0);
    }
  }
}

TEST_CASE("a launch of which nobody has asked before is refused by the driver") {
  const Fakes fakes;
  const auto driver = Driver::open();
  REQUIRE(driver.ok());
  auto context = Context::of(*driver, 0);
  REQUIRE(context.ok());
  const auto module = context->load(moveSource("copy").text);
  REQUIRE(module.ok());
  const auto function = context->function(*module, "copy");
  REQUIRE(function.ok());
  std::vector<unsigned char> x(256), y(256);
  auto px = reinterpret_cast<DevicePointer>(x.data()), py = reinterpret_cast<DevicePointer>(y.data());
  std::vector<void*> arguments = {&px, &py};
  CHECK(context->launch(*function, "copy", 1, 64, arguments, 49152).ok());
  const auto refused = context->launch(*function, "copy", 1, 64, arguments, 49153);
  REQUIRE(!refused.ok());
  CHECK(refused.error().message.find("with 1 blocks of 64 threads was not launched") != std::string::npos);
  REQUIRE(context->allowShared(*function, "copy", 49153).ok());
  CHECK(context->launch(*function, "copy", 1, 64, arguments, 49153).ok());
  CHECK(!context->launch(*function, "copy", 1, 64, arguments, 50000).ok());
}

TEST_CASE("what is too large for the emulator is not run by it, and no gigabytes are drawn") {
  const Fakes fakes("no-device");
  const graphene::Program program = programOf(
      "%A:[N,N:N,1].fp16.GL %B:[N,N:N,1].fp16.GL %C:[N,N:N,1].fp32.GL #b:[N:1].block #t:[32:1].thread\n"
      "%C <- MatMul<<<#b,#t>>>(%A,%B) { @i = #b.indices() @t = #t.indices() for (j = 0; j < N; j += 32) { for (k = 0; "
      "k < "
      "N; k += 1) {\n %a = %A[@i,k] %b = %B[k,j + @t] %c = %C[@i,j + @t]  %x:[].fp32.RF %y:[].fp32.RF %x <- Move(%a) "
      "%y "
      "<- Move(%b) %c <- MatMul(%x,%y) } } }");
  const auto source = codegen::emitCuda(program);
  REQUIRE(source.ok());
  RunOptions how = options(false);
  how.sizes = {{"N", 8192}};
  const auto e = emulated(*source, program, how);
  INFO((e ? "" : e.error().message));
  REQUIRE(e.ok());
  CHECK(e->total.executions == 0);
  REQUIRE(e->checks.size() == 1);
  CHECK(e->checks[0].compared == 0);
  CHECK(e->checks[0].why.find("201326592 elements") != std::string::npos);  // 3 * 8192^2
  CHECK(e->work.products == Approx(2.0 * 8192 * 8192 * 8192));
}
