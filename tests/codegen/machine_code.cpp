#include "machine_code.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera::codegen {
namespace {

constexpr std::uint64_t kHmma = 0x23c, kLdsm = 0x83b, kLdgsts = 0xfae, kBranch = 0x947;

template <typename T>
T read(const std::string& image, std::size_t at) {
  T out{};
  if (at + sizeof(T) <= image.size()) std::memcpy(&out, image.data() + at, sizeof(T));
  return out;
}

struct Instruction {
  std::uint64_t low = 0, high = 0;
  [[nodiscard]] std::uint64_t operation() const { return low & 0xfff; }
  [[nodiscard]] int stall() const { return static_cast<int>(high >> 41 & 15); }
};

// The instructions of the first section that is named .text.KERNEL.
std::vector<Instruction> instructions(const std::string& image) {
  const auto head = read<Elf64_Ehdr>(image, 0);
  const auto section = [&](std::size_t k) { return read<Elf64_Shdr>(image, head.e_shoff + k * head.e_shentsize); };
  const auto names = section(head.e_shstrndx);
  std::vector<Instruction> out;
  for (std::size_t k = 0; k < head.e_shnum && out.empty(); ++k) {
    const auto s = section(k);
    if (image.compare(names.sh_offset + s.sh_name, 6, ".text.") != 0) continue;
    for (std::size_t at = 0; at + 16 <= s.sh_size; at += 16) out.push_back(read<Instruction>(image, s.sh_offset + at));
  }
  return out;
}

// The distance from the next instruction: bits 34 and up count 4 bytes; from sm_90 on their lowest eight are bits 16
// to 23.
std::int64_t distance(std::uint64_t branch, bool split) {
  const std::int64_t high = static_cast<std::int64_t>(branch) >> 34;
  return (split ? high * 256 + static_cast<std::int64_t>(branch >> 16 & 0xff) : high) / 4;
}

}  // namespace

MainLoop mainLoop(const std::string& cubin, const std::string& architecture) {
  const std::vector<Instruction> code = instructions(cubin);
  const bool split = std::stoi(architecture.substr(3)) >= 90;
  MainLoop best;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].operation() != kBranch) continue;
    const std::int64_t target = static_cast<std::int64_t>(at) + 1 + distance(code[at].low, split);
    if (target < 0 || target > static_cast<std::int64_t>(at)) continue;
    MainLoop loop;
    for (auto i = static_cast<std::size_t>(target); i <= at; ++i) {
      const std::uint64_t operation = code[i].operation();
      ++loop.instructions;
      loop.cycles += code[i].stall();
      loop.products += operation == kHmma ? 1 : 0;
      loop.matrixLoads += operation == kLdsm ? 1 : 0;
      loop.copies += operation == kLdgsts ? 1 : 0;
    }
    if (loop.products > 0 && (best.instructions == 0 || loop.instructions < best.instructions)) best = loop;
  }
  return best;
}

}  // namespace tessera::codegen
