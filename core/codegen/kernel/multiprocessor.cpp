#include "core/codegen/kernel/multiprocessor.h"

#include <algorithm>
#include <charconv>

#include "core/base/arith.h"

namespace tessera::codegen {
namespace {

constexpr i64 kKiB = 1024;
constexpr int kMostRegisters = 255;  // of a thread

constexpr Multiprocessor kTable[] = {
    {70, 96 * kKiB, 96 * kKiB, 0, 2048, 32},       {72, 96 * kKiB, 96 * kKiB, 0, 2048, 32},
    {75, 64 * kKiB, 64 * kKiB, 0, 1024, 16},       {80, 163 * kKiB, 164 * kKiB, kKiB, 2048, 32},
    {86, 99 * kKiB, 100 * kKiB, kKiB, 1536, 16},   {87, 163 * kKiB, 164 * kKiB, kKiB, 1536, 16},
    {89, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24},   {90, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32},
    {100, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32}, {103, 227 * kKiB, 228 * kKiB, kKiB, 2048, 32},
    {120, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24},  {121, 99 * kKiB, 100 * kKiB, kKiB, 1536, 24},
};

}  // namespace

std::optional<Multiprocessor> multiprocessorOf(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  architecture.remove_prefix(3);
  int number = 0;
  const char* const end = architecture.data() + architecture.size();
  const auto [stop, error] = std::from_chars(architecture.data(), end, number);
  if (error != std::errc() || end - stop > 1) return std::nullopt;
  for (const Multiprocessor& m : kTable)
    if (m.architecture == number) return m;
  return std::nullopt;
}

int blocksThatFit(const Multiprocessor& m, i64 threads, int registers, i64 sharedBytes) {
  if (threads < 1 || sharedBytes > m.sharedOfBlock || registers > kMostRegisters) return 0;
  const i64 warps = (threads + 31) / 32;
  i64 fit = std::min<i64>(m.blocks, m.threads / (warps * 32));
  if (registers > 0) {  // allocated per warp in units of 256, from the warp's quarter of all registers
    const i64 ofWarp = roundUp(i64{32} * registers, 256);
    fit = std::min(fit, m.registers / 4 / ofWarp * 4 / warps);
  }
  const i64 ofBlock = roundUp(sharedBytes + m.sharedOfSystem, m.architecture >= 80 ? 128 : 256);
  if (ofBlock > 0) fit = std::min(fit, m.shared / ofBlock);
  return static_cast<int>(fit);
}

}  // namespace tessera::codegen
