// Shared memory beyond the static limit of a kernel: the launch allocates it, up to the limit of a block of the
// architecture.
#include <catch2/catch.hpp>
#include <regex>

#include "core/codegen/kernel/multiprocessor.h"
#include "programs.h"

namespace tessera::codegen {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two arrays: `floats` values, and 8 halves after them.
std::string program(i64 floats) {
  return "%in:[64:1].fp32.GL  %out:[64:1].fp32.GL  #b:[1].block  #t:[64:1].thread\n"
         "%out <- Move<<<#b,#t>>>(%in) {\n  %s:[" +
         std::to_string(floats) +
         ":1].fp32.SH  %h:[8:1].fp16.SH  @i = #t.indices()\n  %e = %s[@i]  %f = %in[@i]  %o = %out[@i]\n"
         "  %e <- Move(%f)  %o <- Move(%e)\n  %z = %h[0]  %z <- Init<0>()\n}\n";
}

}  // namespace

TEST_CASE("arrays up to 48 KiB are declared, more than that lie in what the launch gives") {
  constexpr i64 kFits = (48 * 1024 - 16) / 4;  // and 16 bytes of halves
  const auto fits = emitText(program(kFits)), over = emitText(program(kFits + 1));
  REQUIRE(fits.ok());
  REQUIRE(over.ok());
  CHECK(has(fits->text, "__shared__ __align__(16) float s[12284];"));
  CHECK(!has(fits->text, "dynamic_shared"));
  CHECK(fits->kernels[0].sharedBytes == 49152);
  CHECK(fits->kernels[0].dynamicBytes == 0);
  CHECK(has(over->text, "extern __shared__ __align__(1024) unsigned char memory[];"));
  CHECK(has(over->text, "float* const s = reinterpret_cast<float*>(tessera::dynamic_shared());"));
  // 49140 bytes, and on to a multiple of 128.
  CHECK(has(over->text, "half* const h = reinterpret_cast<half*>(tessera::dynamic_shared() + 49152);"));
  CHECK(over->kernels[0].dynamicBytes == 49152 + 128);
  CHECK(over->kernels[0].sharedBytes == over->kernels[0].dynamicBytes);
}

TEST_CASE("what a block of the architecture may have is the limit, and the refusal says both numbers") {
  struct Row {
    const char* architecture;
    i64 most;
  };
  for (const Row& row : {Row{"sm_75", 65536},
                         {"sm_80", 166912},
                         {"sm_86", 101376},
                         {"sm_89", 101376},
                         {"sm_90a", 232448},
                         {"sm_100a", 232448},
                         {"sm_120", 101376}}) {
    INFO(row.architecture);
    CHECK(emitText(program((row.most - 128) / 4), row.architecture).ok());
    const auto over = emitText(program((row.most - 128) / 4 + 1), row.architecture);
    REQUIRE(!over.ok());
    CHECK(has(over.error().message, std::to_string(row.most + 128) + " bytes of shared memory"));
    CHECK(has(over.error().expected, std::to_string(row.most)));
    CHECK(has(over.error().expected, row.architecture));
  }
  // What the table has not may have what every device has.
  CHECK(emitText(program(1000), "sm_999").ok());
  CHECK(!emitText(program(20000), "sm_999").ok());
}

TEST_CASE("how many blocks fit: CUDA's occupancy calculator") {
  const auto fit = [](const char* architecture, i64 threads, int registers, i64 shared) {
    return blocksThatFit(*multiprocessorOf(architecture), threads, registers, shared);
  };
  CHECK(fit("sm_80", 256, 32, 0) == 8);       // 2048 threads
  CHECK(fit("sm_80", 256, 33, 0) == 6);       // 40 registers a thread, 1280 a warp: 12 warps a quarter
  CHECK(fit("sm_80", 128, 230, 49152) == 2);  // CUTLASS's 128x128x32: 8 warps by registers, 3 blocks by shared memory
  CHECK(fit("sm_80", 32, 16, 0) == 32);       // blocks
  CHECK(fit("sm_86", 32, 16, 0) == 16);
  CHECK(fit("sm_86", 128, 200, 49152) == 2);  // (48 + 1) * 2 <= 100
  CHECK(fit("sm_86", 128, 128, 50176) == 2);  // 50 * 2
  CHECK(fit("sm_86", 128, 128, 50304) == 1);
  CHECK(fit("sm_80", 1024, 64, 0) == 1);
  CHECK(fit("sm_80", 1024, 65, 0) == 0);  // 72 * 1024 > 65536
  CHECK(fit("sm_75", 128, 64, 32768) == 2);
  CHECK(fit("sm_90", 128, 100, 232449) == 0);
  CHECK(!multiprocessorOf("sm_").has_value());
  CHECK(!multiprocessorOf("compute_80").has_value());
  CHECK(multiprocessorOf("sm_100a")->architecture == 100);
}

}  // namespace tessera::codegen
