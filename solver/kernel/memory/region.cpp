#include "solver/kernel/memory/region.h"

#include <algorithm>

namespace tessera::kernel {

Region::Region(std::string name, i64 bytes, std::vector<std::byte> contents)
    : name_(std::move(name)),
      bytes_(bytes),
      defined_(std::min(bytes, static_cast<i64>(contents.size()))),
      contents_(std::move(contents)) {
  contents_.resize(static_cast<std::size_t>(bytes));
  dense_.resize(static_cast<std::size_t>((bytes + kChunkBytes - 1) / kChunkBytes));
}

Region::Region(std::string name, Rule rule) : name_(std::move(name)), unbounded_(true), rule_(std::move(rule)) {}

Chunk& Region::make(i64 offset) {
  auto made = std::make_unique<Chunk>();
  const i64 first = floorChunk(offset) * kChunkBytes;
  if (unbounded_) {
    made->depends.assign(kChunkBytes, 1);
    made->made.resize(kChunkBytes);
    made->data = made->made.data();
    for (i64 k = 0; k < kChunkBytes; ++k) made->data[k] = rule_(first + k);
    return *(sparse_[floorChunk(offset)] = std::move(made));
  }
  made->data = reinterpret_cast<std::uint8_t*>(contents_.data()) + first;
  const i64 given = std::clamp<i64>(defined_ - first, 0, kChunkBytes);
  if (first + given < std::min(bytes_, first + kChunkBytes)) {
    made->defined.assign(kChunkBytes, 0);
    std::fill_n(made->defined.begin(), given, std::uint8_t{1});
  }
  return *(dense_[static_cast<std::size_t>(offset / kChunkBytes)] = std::move(made));
}

}  // namespace tessera::kernel
