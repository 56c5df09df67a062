// GuardedValues: what a place holds for every value of the guarded sizes, as one term.
//
//     if (128*j + @t < C) { %sum <- BinaryPointwise<+>(%sum, %x) }     C has every value from 1 to 512 at once
//
//     thread 3, j = 1, %x = %in[131]     %sum + [C > 131] * %in[131]
//                                        = %sum + %in[131], since inputs beyond the extents are zero
//
// [C > t] is an input of value 1 or 0 (Terms::kGuards). Inputs beyond the extents of their tensor are never read
// (O2), so their values are free; they are zero, which removes most guards. A place that has no value in a part of the
// sizes is read nowhere there (O7), so its value there is free, too.
//
// A write in a box of sizes (boxes.h) is one of
//
//     old undefined outside the box       the new value
//     new = old + rest                    old + [box] * rest
//     old zero outside the box            [box] * new
//     old undefined in the box            [box of old] * old + [box] * new
//
// Of all others, and of boxes with an upper end as factors, only the new value is kept: the place is undefined outside
// the box from then on.
//
// Law: at each value of the sizes, with its guards and zeros inserted, a place holds what the run at these sizes leaves
// there (tests/emulate/guards_test.cpp).
#pragma once

#include <optional>
#include <unordered_map>

#include "solver/emulate/guards/boxes.h"
#include "solver/emulate/plan.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

class GuardedValues {
 public:
  using Value = Terms::Value;

  // Requires: plan.guards is not empty. All must outlive it.
  GuardedValues(const Plan& plan, Terms& terms, Boxes& boxes) : plan_(plan), terms_(terms), boxes_(boxes) {}

  struct Write {
    int root = 0;
    i64 place = 0;                // in its storage
    std::uint32_t instance = 1;   // of the declaration
    Value before = 0, value = 0;  // before: undefined if it was not written
    Boxes::Id box = Boxes::kAll;  // the sizes at which it is written
  };
  // What the place holds then. nullopt: a place in global memory would be undefined.
  [[nodiscard]] std::optional<Value> written(const Write& write);
  // Whether a place that was written has a value everywhere in the box.
  [[nodiscard]] bool isDefined(int root, i64 place, std::uint32_t instance, Boxes::Id box);
  // [box] * v.
  [[nodiscard]] std::optional<Value> times(Boxes::Id box, Value v);
  // unit * size + more. Requires: size >= 1.
  [[nodiscard]] Value size(int guard, i64 unit, i64 more);
  // The sizes at which an element of a global tensor exists, and those at which a coordinate is below an extent.
  [[nodiscard]] Boxes::Id inside(int root, i64 address);
  [[nodiscard]] Boxes::Id below(Boxes::Id box, const GuardedExtent& extent, i64 coordinate);
  void clear() { partial_.clear(); }
  [[nodiscard]] Boxes& boxes() { return boxes_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }

 private:
  static constexpr int kMaxDepth = 64;
  static constexpr std::uint32_t kFew = 16;  // products
  struct Partial {
    std::uint32_t instance = 0;
    Boxes::Id box = Boxes::kAll;
  };
  [[nodiscard]] static u64 keyOf(int root, i64 place) { return static_cast<u64>(root) << 40 | static_cast<u64>(place); }
  [[nodiscard]] Boxes::Id definedIn(const Write& write);
  // The old value in the box `old`, and the new one in its own.
  [[nodiscard]] std::optional<Value> merged(const Write& write, Boxes::Id old);
  // [size > threshold].
  [[nodiscard]] Value above(int size, i64 threshold) { return terms_.input(Terms::kGuards, -2 - size, threshold); }
  // v - part, if v was built by adding to `part`.
  [[nodiscard]] std::optional<Value> rest(Value v, Value part);
  // A box outside which v is zero.
  [[nodiscard]] Boxes::Id support(Value v, int depth = 0);
  [[nodiscard]] Boxes::Id supportOf(const Terms::Node& n, int depth);

  const Plan& plan_;
  Terms& terms_;
  Boxes& boxes_;
  std::unordered_map<u64, Partial> partial_;  // by root and place; others: everywhere
  std::unordered_map<Value, Boxes::Id> supports_;
  std::unordered_map<int, std::vector<Boxes::Id>> inside_;  // by root and address
};

}  // namespace tessera::graphene
