#include "app/files/checksum.h"

#include <cstddef>

namespace tessera {
namespace {

// MurmurHash3's finalizer: each input bit flips about half of the output bits.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// Little endian on every machine.
std::uint64_t wordAt(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < count; ++k)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  return word;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = mixed(bytes.size() + 0x9e3779b97f4a7c15ULL);
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) sum = mixed(sum ^ wordAt(bytes, at, 8)) + 0x9e3779b97f4a7c15ULL;
  if (at < bytes.size()) sum = mixed(sum ^ wordAt(bytes, at, bytes.size() - at)) + 0x9e3779b97f4a7c15ULL;
  return sum;
}

}  // namespace tessera
