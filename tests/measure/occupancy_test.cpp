// Occupancy against a multiprocessor that is filled block by block, warp by warp, and against CUDA's own header if it
// is installed.
#include <catch2/catch.hpp>
#include <string>

#include "solver/measure/predict/roofline.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define TESSERA_HAVE_CUDA_OCCUPANCY
#endif

using namespace tessera;
using namespace tessera::measure;

namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
struct Hardware {
  const char* architecture;
  int major, minor;
  i64 warps, blocks, shared, sharedOfBlock, reserved;
};
constexpr i64 kKiB = 1024;
constexpr Hardware kHardware[] = {
    {"sm_75", 7, 5, 32, 16, 64 * kKiB, 64 * kKiB, 0},       {"sm_80", 8, 0, 64, 32, 164 * kKiB, 163 * kKiB, kKiB},
    {"sm_86", 8, 6, 48, 16, 100 * kKiB, 99 * kKiB, kKiB},   {"sm_89", 8, 9, 48, 24, 100 * kKiB, 99 * kKiB, kKiB},
    {"sm_90a", 9, 0, 64, 32, 228 * kKiB, 227 * kKiB, kKiB},
};

// One block after the other moves in: each of its warps into a quarter that still has registers, in steps of 256.
i64 filled(const Hardware& h, i64 threads, i64 registers, i64 shared) {
  if (registers > 255 || shared > h.sharedOfBlock) return 0;
  const i64 step = h.major >= 8 ? 128 : 256;
  i64 quarters[4] = {16384, 16384, 16384, 16384};
  i64 ofWarp = 0, ofBlock = 0;
  while (ofWarp < 32 * registers) ofWarp += 256;
  while (ofBlock < shared + h.reserved) ofBlock += step;
  i64 blocks = 0, warps = 0, bytes = 0;
  for (;; ++blocks) {
    for (i64 thread = 0; thread < threads; thread += 32) {
      i64* quarter = quarters;
      while (quarter != quarters + 4 && *quarter < ofWarp) ++quarter;
      if (quarter == quarters + 4) return blocks;
      *quarter -= ofWarp;
      ++warps;
    }
    bytes += ofBlock;
    if (blocks == h.blocks || warps > h.warps || bytes > h.shared) return blocks;
  }
}

template <class F>
void everyKernel(F f) {
  for (const Hardware& h : kHardware)
    for (const i64 threads : {1, 32, 33, 64, 96, 128, 160, 224, 256, 384, 512, 672, 1024})
      for (i64 registers = 1; registers <= 256; registers += registers < 40 ? 1 : 3)
        for (const i64 shared : {0, 1, 900, 3 * 1024, 17000, 50176, 50304, 101376, 101377, 232448})
          f(h, threads, registers, shared);
}

}  // namespace

TEST_CASE("occupancy is that of a multiprocessor that is filled block by block") {
  i64 kernels = 0, wrong = 0;
  everyKernel([&](const Hardware& h, i64 threads, i64 registers, i64 shared) {
    const auto o = occupancyOf(h.architecture, threads, registers, shared);
    const i64 blocks = filled(h, threads, registers, shared);
    ++kernels;
    if (o && o->blocks == blocks && o->warps == blocks * ((threads + 31) / 32) && o->mostWarps == h.warps) return;
    if (++wrong < 5) UNSCOPED_INFO(h.architecture << ' ' << threads << ' ' << registers << ' ' << shared);
  });
  CHECK(wrong == 0);
  CHECK(kernels > 50'000);
}

TEST_CASE("blocks of one warp need no registers for three more") {
  CHECK(occupancyOf("sm_90", 32, 24, 0)->warps == 32);   // 84 warps have registers, 32 blocks fit
  CHECK(occupancyOf("sm_90", 96, 40, 0)->warps == 48);   // 12 warps of 1280 a quarter: 16 blocks of three
  CHECK(occupancyOf("sm_80", 160, 32, 0)->warps == 60);  // 64 warps: 12 blocks of five
}

#ifdef TESSERA_HAVE_CUDA_OCCUPANCY
TEST_CASE("occupancy is what CUDA's header computes") {
  i64 wrong = 0;
  everyKernel([&](const Hardware& h, i64 threads, i64 registers, i64 shared) {
    if (registers > 255) return;  // it lets 256 pass, which no instruction can name
    cudaOccDeviceProp p{};
    p.computeMajor = h.major;
    p.computeMinor = h.minor;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = static_cast<int>(32 * h.warps);
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 * kKiB;
    p.sharedMemPerMultiprocessor = static_cast<std::size_t>(h.shared);
    p.sharedMemPerBlockOptin = static_cast<std::size_t>(h.sharedOfBlock);
    p.reservedSharedMemPerBlock = static_cast<std::size_t>(h.reserved);
    p.numSms = 1;
    cudaOccFuncAttributes f{};
    f.maxThreadsPerBlock = 1024;
    f.numRegs = static_cast<int>(registers);
    f.sharedSizeBytes = 0;
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    f.maxDynamicSharedSizeBytes = static_cast<std::size_t>(h.sharedOfBlock);
    cudaOccDeviceState state{};
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult r{};
    const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, static_cast<int>(threads),
                                                                static_cast<std::size_t>(shared));
    const i64 blocks = occupancyOf(h.architecture, threads, registers, shared)->blocks;
    if (status == CUDA_OCC_SUCCESS && blocks == r.activeBlocksPerMultiprocessor) return;
    if (++wrong < 5)
      UNSCOPED_INFO(h.architecture << ' ' << threads << ' ' << registers << ' ' << shared << ": " << blocks << " and "
                                   << r.activeBlocksPerMultiprocessor << " status " << status);
  });
  CHECK(wrong == 0);
}
#endif
