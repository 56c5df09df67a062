// Micro-kernels: CUDA text that repeats a single shared-memory access on warps and times it on the device's own clock.
//
//     __device__ int access_0_at(int thread, int start, int other) { return ...; }     the layout's index code
//     extern "C" __global__ void access_0(long long* cycles, const unsigned char* far, int slot, int base, ...)
//
// A kernel times three cases: the instruction at conflict-free addresses (16 * lane), at fully conflicting ones (128 *
// lane, one bank), and at its own. Each runs back to back on 8 warps, 64, 128 and 256 times, so that the cost of
// launch, barrier and clock drops out of the slope. For reads, a single warp also follows a chain in which each
// address depends on the value just read (zero): latency. The minimum of four measurements counts. The cycles of one
// access of one warp are slope / 8.
//
//     wavefronts = f + (own - fast) / (slow - fast) * (s - f)       f, s: the bank model's counts for the first two
//
//     fast 4.0 cycles for 4, slow 32.1 for 32, own 16.1             16.0 wavefronts
//
// Assumptions: cycles grow linearly with wavefronts between the two, and 8 warps keep the memory busy, so that nothing
// else is the bottleneck (tests/gpu/check_atlas.cu assumes the same). The measurement cannot tell whether the model is
// right about `f` and `s`; so the cycles of one wavefront are reported too, about 1 on devices since Volta. cp.async
// also reads global memory (512 bytes, from the cache), which may hide the cost of shared memory.
//
// `cycles` receives 18 numbers from `slot` on: back to back 64 times fast, slow, own, 128 times, 256 times; then the
// same for latency.
//
// Laws: the text touches exactly the pattern, byte by byte, offset by `base`; on a machine whose accesses cost what the
// bank model predicts, it measures the predicted wavefronts (tests/host_check/micro_test.cpp, the text compiled for the
// host). NVRTC keeps every access: 8 in each loop (tests/codegen). Each uses another row of banks, or the assembler
// would merge several ldmatrix into one.
#pragma once

#include <span>

#include "solver/measure/predict/shared_access.h"

namespace tessera::measure {

inline constexpr int kMicroWarps = 8, kMicroNumbers = 18, kMicroFarBytes = 512, kMicroLeast = 64;
inline constexpr i64 kMicroMemory = 48 * 1024;  // static shared memory

// One launch: one pattern of an access.
struct MicroLaunch {
  std::size_t access = 0, pattern = 0;
  std::string kernel;
  std::vector<int> arguments;  // slot, base, mask, then the values that the index code reads
};
struct MicroText {
  std::string text;
  std::string architecture;  // required
  std::vector<MicroLaunch> launches;
  std::vector<std::string> whyNot;  // by access: why it has no kernel; empty if it has one
};

// One kernel per access and one launch per pattern, at most `most` for each number of wavefronts. Leaves out what
// `device` ("sm_80") does not support; empty: leaves out nothing.
[[nodiscard]] MicroText microText(const std::vector<SharedAccess>& accesses, std::size_t most = 16,
                                  const std::string& device = "");

// Evaluates the 18 numbers of a launch. Returns a Diag with the reason if they are unusable. `least`: the smallest
// count (lower on the host).
struct MicroCycles {
  double fast = 0, slow = 0, own = 0;  // of one access of one warp
  std::optional<double> latency;
  int fastWavefronts = 1, slowWavefronts = 32;  // by the bank model
  [[nodiscard]] double ofWavefront() const { return (slow - fast) / (slowWavefronts - fastWavefronts); }
  [[nodiscard]] double wavefronts() const { return fastWavefronts + (own - fast) / ofWavefront(); }
};
[[nodiscard]] Result<MicroCycles> microCycles(const AtlasAccess& access, std::span<const i64> numbers,
                                              i64 least = kMicroLeast);

}  // namespace tessera::measure
