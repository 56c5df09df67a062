// What a kernel's machine code says about its speed: loops, their instructions and issue cycles, registers, spills.
//
//     loop 0x0f30-0x2b20 of gemm (sm_80): 308 instructions, 643 issue cycles, 192 HMMA:
//     1.60 instructions and 3.35 issue cycles per HMMA
//
// The issue cycles of an instruction are its stall count, and 1 at least: what one warp needs if it never waits for a
// barrier. A loop's figures are those of one path through its body, from the header to a latch, with inner loops run
// once: the path with the most products; where two have the same number, it does not take the branch. (What a program
// does only while it waits is out of the way; a guarded copy is not.) `most` is the largest number of cycles of any
// path.
//
// Not a time: other warps share the scheduler, and waits for barriers are not counted.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sass/dependencies.h"
#include "core/sass/flow.h"
#include "core/sass/listing.h"

namespace tessera::sass {

enum class Kind : unsigned char {
  Product,      // HMMA, IMMA, HGMMA
  MatrixLoad,   // LDSM
  SharedLoad,   // LDS
  SharedStore,  // STS, STSM, ATOMS
  GlobalLoad,   // LDG, LD
  GlobalStore,  // STG, ST, RED, ATOM
  Copy,         // LDGSTS, UTMALDG, UBLKCP
  Local,        // LDL, STL
  Float,        // FADD, HFMA2, DFMA
  Integer,      // IADD3, LOP3, ISETP, MOV
  Special,      // MUFU, conversions, S2R, SHFL
  Uniform,      // UIADD3, R2UR
  Control,      // BRA, BAR, DEPBAR, SYNCS
  Other,
};
inline constexpr std::size_t kKinds = 14;
[[nodiscard]] std::string_view nameOf(Kind kind);
[[nodiscard]] Kind kindOf(const Instruction& instruction);

struct LoopReport {
  i64 first = 0, last = 0;           // addresses of the header and of the last latch's branch
  std::string source;                // of the header; empty: not known
  int depth = 1, parent = -1;        // of the kernel's loops
  int body = 0;                      // instructions in all its blocks
  int instructions = 0, cycles = 0;  // of the path
  int most = 0;                      // cycles
  int products = 0;
  std::array<int, kKinds> kinds{};   // of the path
  std::map<std::string, int> units;  // "HMMA": 192
  std::optional<i64> trips;          // iterations, if a constant
  [[nodiscard]] double instructionsPerProduct() const { return static_cast<double>(instructions) / products; }
  [[nodiscard]] double cyclesPerProduct() const { return static_cast<double>(cycles) / products; }
};

struct KernelReport {
  std::string name, architecture;
  int instructions = 0;
  int registers = 0;  // with `declared`, what the compiler allots; else one more than the highest used
  bool declared = false;
  int localLoads = 0, localStores = 0;         // LDL, STL
  std::optional<i64> sharedBytes, localBytes;  // static, a block's; a thread's
  std::vector<LoopReport> loops;               // outer before inner
  bool encoded = false;                        // else no cycles and no dependencies
  bool indirect = false;                       // a branch with an unknown target
  int irreducible = 0;
  Dependencies dependencies;
};

[[nodiscard]] KernelReport reportOf(const Kernel& kernel);

// The iterations of a loop that counts a register by constants; nullopt: not such a loop.
[[nodiscard]] std::optional<i64> tripsOf(const Kernel& kernel, const Flow& flow, const Loop& loop);

}  // namespace tessera::sass
