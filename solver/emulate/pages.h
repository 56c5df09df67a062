// Pages: a list that grows without moving what it has: references stay valid, and no copy needs the memory twice.
//
//     Pages<Node> nodes;
//     const std::uint32_t id = nodes.push(node);     nodes[id]
//
// Law: as std::vector with push_back and operator[].
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::graphene {

template <typename T>
class Pages {
 public:
  [[nodiscard]] T& operator[](std::size_t at) { return pages_[at / kPage][at % kPage]; }
  [[nodiscard]] const T& operator[](std::size_t at) const { return pages_[at / kPage][at % kPage]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Returns its number.
  std::uint32_t push(const T& value) {
    if (size_ % kPage == 0) pages_.push_back(std::make_unique<T[]>(kPage));
    pages_.back()[size_ % kPage] = value;
    return static_cast<std::uint32_t>(size_++);
  }

 private:
  static constexpr std::size_t kPage = 4096;
  std::vector<std::unique_ptr<T[]>> pages_;
  std::size_t size_ = 0;
};

}  // namespace tessera::graphene
