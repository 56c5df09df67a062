// ByNode: values by expression. NodeIndex numbers nodes in the order they were added.
//
//     ByNode<i64> sizes;
//     sizes.add(e, 3);
//     sizes.find(e)          // points to 3, until the next add
//
// Law: find(x) points to v after add(x, v), and is nullptr before; adding x again changes nothing.
// Why not std::unordered_map: most expressions have a few nodes, and a walk of each would allocate for every node. Few
// nodes are searched one by one; beyond kFew there is a hash table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/expr/expr.h"

namespace tessera {

class NodeIndex {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The node's number; kNone: it was not added.
  [[nodiscard]] std::size_t find(const void* id) const {
    if (size_ <= kFew) {
      for (std::size_t k = 0; k < size_; ++k)
        if (few_[k] == id) return k;
      return kNone;
    }
    const Slot& slot = slots_[place(id)];
    return slot.id == id ? slot.number : kNone;
  }
  // Adds a node that is not there.
  void add(const void* id) {
    if (size_ < kFew) {
      few_[size_++] = id;
      return;
    }
    if (size_ == kFew) {
      slots_.assign(8 * kFew, {});
      for (std::size_t k = 0; k < kFew; ++k) slots_[place(few_[k])] = {few_[k], static_cast<std::uint32_t>(k)};
    } else if (2 * size_ > slots_.size()) {
      std::vector<Slot> old(2 * slots_.size());
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.id != nullptr) slots_[place(slot.id)] = slot;
    }
    slots_[place(id)] = {id, static_cast<std::uint32_t>(size_++)};
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kFew = 16;
  struct Slot {
    const void* id = nullptr;
    std::uint32_t number = 0;
  };

  // Where the node is or would be; slots_ has a power of two of places, at least half of them free.
  [[nodiscard]] std::size_t place(const void* id) const {
    const u64 mixed = static_cast<u64>(reinterpret_cast<std::uintptr_t>(id)) * 0x9e3779b97f4a7c15ULL;
    std::size_t at = static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
    while (slots_[at].id != nullptr && slots_[at].id != id) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::array<const void*, kFew> few_ = {};
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

template <typename T>
class ByNode {
 public:
  // Valid until the next add; nullptr: there is none.
  [[nodiscard]] const T* find(const Expr& e) const {
    const std::size_t k = index_.find(e.id());
    return k == NodeIndex::kNone ? nullptr : &entries_[k].second;
  }
  [[nodiscard]] bool has(const Expr& e) const { return index_.find(e.id()) != NodeIndex::kNone; }
  // Requires: has(e).
  [[nodiscard]] const T& at(const Expr& e) const { return entries_[index_.find(e.id())].second; }
  void add(const Expr& e, T value) {
    if (has(e)) return;
    if (entries_.empty()) entries_.reserve(8);
    index_.add(e.id());
    entries_.emplace_back(e, std::move(value));
  }

 private:
  NodeIndex index_;
  std::vector<std::pair<Expr, T>> entries_;  // keeps the nodes alive, so ids stay unique
};

}  // namespace tessera
