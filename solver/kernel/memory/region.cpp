#include "solver/kernel/memory/region.h"

#include <algorithm>
#include <cstring>

namespace tessera::kernel {

Region::Region(std::string name, i64 bytes, std::vector<std::byte> contents)
    : name_(std::move(name)), bytes_(bytes), contents_(std::move(contents)) {
  dense_.resize(static_cast<std::size_t>((bytes + kChunkBytes - 1) / kChunkBytes));
}

Region::Region(std::string name, Rule rule) : name_(std::move(name)), unbounded_(true), rule_(std::move(rule)) {}

Chunk& Region::make(i64 offset) {
  auto made = std::make_unique<Chunk>();
  const i64 first = floorChunk(offset) * kChunkBytes;
  if (unbounded_) {
    made->depends.assign(kChunkBytes, 1);
    for (i64 k = 0; k < kChunkBytes; ++k) made->data[static_cast<std::size_t>(k)] = rule_(first + k);
    return *(sparse_[floorChunk(offset)] = std::move(made));
  }
  const i64 given = std::clamp<i64>(static_cast<i64>(contents_.size()) - first, 0, kChunkBytes);
  if (given > 0) std::memcpy(made->data.data(), contents_.data() + first, static_cast<std::size_t>(given));
  if (first + given < std::min(bytes_, first + kChunkBytes)) {
    made->defined.assign(kChunkBytes, 0);
    std::fill_n(made->defined.begin(), given, std::uint8_t{1});
  }
  return *(dense_[static_cast<std::size_t>(offset / kChunkBytes)] = std::move(made));
}

std::vector<std::byte> Region::contents() {
  std::vector<std::byte> out = contents_;
  out.resize(static_cast<std::size_t>(bytes_));
  for (std::size_t k = 0; k < dense_.size(); ++k) {
    if (!dense_[k]) continue;
    const std::size_t first = k * kChunkBytes;
    std::memcpy(out.data() + first, dense_[k]->data.data(), std::min<std::size_t>(kChunkBytes, out.size() - first));
  }
  return out;
}

void Region::markUndefined() {
  for (auto& chunk : dense_) chunk.reset();
}

}  // namespace tessera::kernel
