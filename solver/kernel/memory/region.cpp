#include "solver/kernel/memory/region.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace tessera::kernel {

namespace {

// Throws std::bad_alloc for sizes that no pointer reaches: on a web page it has 32 bits.
std::size_t sized(i64 bytes) {
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max()) throw std::bad_alloc();
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Region::Region(std::string name, i64 bytes, std::vector<std::byte> contents)
    : name_(std::move(name)),
      bytes_(bytes),
      defined_(std::min(bytes, static_cast<i64>(contents.size()))),
      contents_(std::move(contents)) {
  contents_.resize(sized(bytes));
  dense_.resize(static_cast<std::size_t>((bytes + kChunkBytes - 1) / kChunkBytes));
}

Region::Region(std::string name, std::span<const std::byte> given)
    : name_(std::move(name)), bytes_(static_cast<i64>(given.size())), defined_(bytes_), given_(given) {
  dense_.resize(static_cast<std::size_t>((bytes_ + kChunkBytes - 1) / kChunkBytes));
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
  if (given_.empty()) {
    made->data = reinterpret_cast<std::uint8_t*>(contents_.data()) + first;
  } else {
    made->given = true;
    made->data = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(given_.data())) + first;
  }
  const i64 given = std::clamp<i64>(defined_ - first, 0, kChunkBytes);
  if (first + given < std::min(bytes_, first + kChunkBytes)) {
    made->defined.assign(kChunkBytes, 0);
    std::fill_n(made->defined.begin(), given, std::uint8_t{1});
  }
  return *(dense_[static_cast<std::size_t>(offset / kChunkBytes)] = std::move(made));
}

void Region::own(Chunk& chunk, i64 offset) {
  const i64 first = floorChunk(offset) * kChunkBytes;
  // Not initialised: the system gives memory to the chunks that are written.
  if (!written_) written_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes_));
  std::byte* const to = written_.get() + first;
  std::memcpy(to, chunk.data, static_cast<std::size_t>(std::min(bytes_ - first, kChunkBytes)));
  chunk.data = reinterpret_cast<std::uint8_t*>(to);
  chunk.given = false;
}

std::vector<std::byte> Region::takeContents() {
  std::vector<std::byte> out = given_.empty() ? std::move(contents_) : std::vector(given_.begin(), given_.end());
  for (std::size_t k = 0; written_ && k < dense_.size(); ++k) {
    const i64 first = static_cast<i64>(k) * kChunkBytes;
    if (dense_[k] && !dense_[k]->given)
      std::memcpy(out.data() + first, written_.get() + first,
                  static_cast<std::size_t>(std::min(bytes_ - first, kChunkBytes)));
  }
  dense_.clear();
  written_.reset();
  return out;
}

}  // namespace tessera::kernel
