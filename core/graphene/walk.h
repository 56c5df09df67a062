// Walk: visits the statements of a body in text order, outer before inner, and knows what encloses each.
//
//     %y <- Spec(%x) { for (k = 0; ...) { if (k < 3) { %y <- Move(%x) } } }
//
//     for (Walk walk(program.specs); const Statement* s = walk.next();) ...     Spec, for, if, Move
//     walk.around<Loop>(), walk.around<Branch>() at Move                        that for, that if
//
// Not an execution: how often and by which thread a statement runs is the subject of Steps.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::graphene {

// The bodies of a statement: one for a specification or loop, two for a condition, else none.
template <typename B>
struct Bodies {
  std::array<B*, 2> all{};
  std::size_t count = 0;
  [[nodiscard]] auto begin() const { return all.begin(); }
  [[nodiscard]] auto end() const { return all.begin() + count; }
};
template <typename S>
[[nodiscard]] auto bodiesOf(S& statement) {
  using Of = Bodies<std::conditional_t<std::is_const_v<S>, const Body, Body>>;
  if (auto* spec = std::get_if<Spec>(&statement.what)) return Of{{&spec->body}, 1};
  if (auto* loop = std::get_if<Loop>(&statement.what)) return Of{{&loop->body}, 1};
  if (auto* branch = std::get_if<Branch>(&statement.what)) return Of{{&branch->then, &branch->otherwise}, 2};
  return Of{};
}

class Walk {
 public:
  explicit Walk(const Body& body) : open_{{nullptr, &body, nullptr, 0}} {}
  const Statement* next();  // null at the end
  // The loops, branches or specifications around the last statement, outermost first.
  template <typename T>
  [[nodiscard]] std::vector<const T*> around() const {
    std::vector<const T*> out;
    for (const Level& level : open_)
      if (const T* one = level.of == nullptr ? nullptr : std::get_if<T>(&level.of->what)) out.push_back(one);
    return out;
  }

  struct Level {
    const Statement* of;         // null for the outermost body
    const Body *body, *another;  // another: the next body of the same statement
    std::size_t next;
  };
  // The bodies around the last statement, outermost first.
  [[nodiscard]] const std::vector<Level>& open() const { return open_; }

 private:
  std::vector<Level> open_;
  const Statement* last_ = nullptr;
};

// The specifications without a body, in text order.
[[nodiscard]] std::vector<const Spec*> leavesOf(const Program& program);
// The outermost specifications: kernels, and the allocations for them.
[[nodiscard]] std::vector<const Spec*> outermostOf(const Program& program);

}  // namespace tessera::graphene
