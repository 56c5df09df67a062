// Region: a range of memory with its contents, which of its bytes were ever written, and the last accesses to them.
//
//     Region a("A", 4096, bytes);            a buffer of 4096 bytes, all of them defined
//     a.chunk(132).data[132 % kChunkBytes]   its byte 132
//     Region s("shared", 1024);              undefined until written
//     Region p("p", rule);                   without bounds: contents by rule(offset), made on first use
//
// What is kept beside the contents is made in chunks on first use, so that a run needs memory for what the kernel
// touches.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "solver/kernel/order/shadow.h"
#include "solver/kernel/symbolic/slot.h"

namespace tessera::kernel {

inline constexpr i64 kChunkBytes = 1 << 14;

struct Chunk {
  std::uint8_t* data = nullptr;       // of its region, of the given bytes until they are written, or made
  std::vector<std::uint8_t> defined;  // 1: the byte was written; empty: all are defined
  std::vector<std::uint8_t> depends;  // 1: the byte depends on an arbitrary argument; empty: none does
  std::vector<std::uint8_t> made;     // the contents, of a region without bounds
  bool given = false;                 // `data` belongs to another and must not be written
  Shadow shadow{kChunkBytes};
  std::vector<Slot> slots;  // by byte; empty: numbers, or not looked at yet
};

class Region {
 public:
  using Rule = std::function<std::uint8_t(i64 offset)>;
  // Bytes beyond `contents` are undefined; without `contents` all are.
  Region(std::string name, i64 bytes, std::vector<std::byte> contents = {});
  // Of the bytes of an argument, which stay as they are and outlive the region: a chunk that is written is copied.
  Region(std::string name, std::span<const std::byte> given);
  // Without bounds.
  Region(std::string name, Rule rule);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] i64 bytes() const { return bytes_; }
  [[nodiscard]] bool contains(i64 offset, int width) const {
    return unbounded_ || (offset >= 0 && offset + width <= bytes_);
  }
  [[nodiscard]] Chunk& chunk(i64 offset) {
    if (!unbounded_) {
      auto& at = dense_[static_cast<std::size_t>(offset) / kChunkBytes];
      return at ? *at : make(offset);
    }
    const auto at = sparse_.find(floorChunk(offset));
    return at != sparse_.end() ? *at->second : make(offset);
  }
  // The same, before a write.
  [[nodiscard]] Chunk& ownChunk(i64 offset) {
    Chunk& found = chunk(offset);
    if (found.given) own(found, offset);
    return found;
  }
  // Index within the chunk.
  [[nodiscard]] static i64 within(i64 offset) { return offset & (kChunkBytes - 1); }
  // visit(shadow) for each chunk that was made.
  template <class Visit>
  void eachShadow(const Visit& visit) {
    for (auto& chunk : dense_)
      if (chunk) visit(chunk->shadow);
    for (auto& [at, chunk] : sparse_) visit(chunk->shadow);
  }
  [[nodiscard]] bool written() const { return written_ != nullptr; }
  // The contents. Its chunks are forgotten, and the region is not used any more.
  [[nodiscard]] std::vector<std::byte> takeContents();

 private:
  [[nodiscard]] static i64 floorChunk(i64 offset) { return offset >> 14; }
  Chunk& make(i64 offset);
  void own(Chunk& chunk, i64 offset);

  std::string name_;
  i64 bytes_ = 0, defined_ = 0;  // the first bytes are defined
  bool unbounded_ = false;
  std::vector<std::byte> contents_;
  std::span<const std::byte> given_;
  std::unique_ptr<std::byte[]> written_;  // chunks of given bytes that were written, at their places
  Rule rule_;
  std::vector<std::unique_ptr<Chunk>> dense_;
  std::unordered_map<i64, std::unique_ptr<Chunk>> sparse_;
};

}  // namespace tessera::kernel
