// Micro-kernels: an access to shared memory alone, repeated by warps and timed on the device's own clock, as CUDA text.
//
//     __device__ int access_0_at(int thread, int start, int other) { return ...; }     the layout's index code
//     extern "C" __global__ void access_0(long long* cycles, const unsigned char* far, int slot, int base, int mask, ...)
//
// A kernel times three things: the instruction at addresses without conflicts (16 * lane), at addresses with all of them
// (128 * lane, one bank), and at its own. Each back to back by 8 warps, 64, 128 and 256 times, so that what a launch, a barrier and the
// clock cost drops out of the slope; and, for reads, one warp alone whose next address is what it has just read (zeros):
// latency. The least of four times counts. The cycles of one access of one warp are the slope / 8.
//
//     wavefronts = f + (own - fast) / (slow - fast) * (s - f)       f, s: of the bank model, for the first two
//
//     fast 4.0 cycles for 4, slow 32.1 for 32, own 16.1             16.0 wavefronts
//
// What that assumes: cycles grow by the same amount with every wavefront between the two, and 8 warps keep the memory busy, so that
// nothing else bounds (tests/gpu/check_atlas.cu assumes the same). It cannot be seen from the inside whether the model is right about
// `f` and `s`; that is why the cycles of one wavefront are told too, about 1 on devices since Volta. cp.async reads global
// memory (512 bytes, from the cache) on its way, which may hide what shared memory costs.
//
// `cycles` gets 18 numbers from `slot` on: back to back 64 times fast, slow, own, 128 times, 256 times; then the same for latency.
//
// Laws (tests/host_check/micro_test.cpp, the text compiled for the host): what the text touches is the pattern, byte by byte, after
// `base`; on a machine whose accesses cost what the bank model says, the wavefronts come out as predicted. (tests/codegen) NVRTC keeps
// every access: 8 in the one loop, 8 in the other (each in another row of banks, or the assembler would make one of several ldmatrix).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solver/measure/shared_access.h"

namespace tessera::measure {

inline constexpr int kMicroWarps = 8, kMicroNumbers = 18, kMicroFarBytes = 512, kMicroLeast = 64;
inline constexpr i64 kMicroMemory = 48 * 1024;  // static shared memory

// One launch: a pattern of an access.
struct MicroLaunch {
  std::size_t access = 0, pattern = 0;
  std::string kernel;
  std::vector<int> arguments;  // slot, base, mask, then the values that the index code reads
};
struct MicroText {
  std::string text;
  std::string architecture;  // that it needs
  std::vector<MicroLaunch> launches;
  std::vector<std::string> whyNot;  // by access: why it has no kernel; empty: it has one
};

// A kernel an access; a launch for each of its patterns, `most` at most for each number of wavefronts. `device`: what has to run
// it ("sm_80"), so that what it does not have is left out; empty: anything.
[[nodiscard]] MicroText microText(const std::vector<SharedAccess>& accesses, std::size_t most = 16,
                                  const std::string& device = "");

// What the 18 numbers of a launch say. A Diag: why they say nothing. `least`: the smallest count (on the host there are fewer).
struct MicroCycles {
  double fast = 0, slow = 0, own = 0;  // of one access of one warp
  std::optional<double> latency;
  int fastWavefronts = 1, slowWavefronts = 32;  // of the bank model
  [[nodiscard]] double ofWavefront() const { return (slow - fast) / (slowWavefronts - fastWavefronts); }
  [[nodiscard]] double wavefronts() const { return fastWavefronts + (own - fast) / ofWavefront(); }
};
[[nodiscard]] Result<MicroCycles> microCycles(const AtlasAccess& access, std::span<const i64> numbers,
                                              i64 least = kMicroLeast);

}  // namespace tessera::measure
