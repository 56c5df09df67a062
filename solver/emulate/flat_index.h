// FlatIndex: ids found by hash in one flat array: the hot path of interning.
//
//     const auto at = index.find(hash, [&](u32 id) { return rows[id] == row; });    nullopt: not present
//     index.insert(hash, id);
//
// Law: find returns an id inserted with that hash that `same` accepts. Nothing is ever removed.
#pragma once

#include <optional>
#include <vector>

#include "core/base/types.h"

namespace tessera::graphene {

class FlatIndex {
 public:
  template <typename Same>
  [[nodiscard]] std::optional<std::uint32_t> find(u64 hash, const Same& same) const {
    if (rows_.empty()) return std::nullopt;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Row& row = rows_[at];
      if (!row.used) return std::nullopt;
      if (row.hash == static_cast<std::uint32_t>(hash >> 32) && same(row.id)) return row.id;
    }
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  void insert(u64 hash, std::uint32_t id) {
    if (2 * (count_ + 1) > rows_.size()) grow();
    ++count_;
    hashes_.push_back(hash);
    ids_.push_back(id);
    place(hash, id);
  }

 private:
  struct Row {
    std::uint32_t id = 0, hash = 0;
    bool used = false;
  };
  [[nodiscard]] std::size_t mask() const { return rows_.size() - 1; }
  void place(u64 hash, std::uint32_t id) {
    std::size_t at = hash & mask();
    while (rows_[at].used) at = (at + 1) & mask();
    rows_[at] = {id, static_cast<std::uint32_t>(hash >> 32), true};
  }
  void grow() {
    rows_.assign(rows_.empty() ? 1024 : 2 * rows_.size(), Row{});
    for (std::size_t k = 0; k < ids_.size(); ++k) place(hashes_[k], ids_[k]);
  }

  std::vector<Row> rows_;
  std::vector<u64> hashes_;
  std::vector<std::uint32_t> ids_;
  std::size_t count_ = 0;
};

}  // namespace tessera::graphene
