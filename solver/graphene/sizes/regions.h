// Regions: where a statement is relative to loops of which each thread executes at most one.
//
//     if (@g < 2) { a  for (kt ...) { b }  c }
//     if (@g == 2) { d  for (kt ...) { e } }
//     f
//
//     a, d Before    b, e Inside, each of its loop    c, f After
//
// Two statements exclude each other if they are in different parts of one branch, or if no value of what they compare
// (@g) meets the conditions around both.
//
// Law: after an instance of a statement that is Before, and before one that is After, its thread executes no step of a
// loop that the statement does not exclude.
#pragma once

#include <vector>

#include "core/graphene/walk.h"
#include "solver/emulate/plan.h"

namespace tessera::graphene {

enum class TextRegion : unsigned char { Before, Inside, After };  // of the loops that grow

// A branch around a statement, and whether the statement is in its first part.
struct TextWay {
  const Branch* branch;
  bool first;
};
struct TextPlace {
  TextRegion where = TextRegion::Before;
  std::vector<TextWay> ways = {};
  int loop = -1;  // of the loops, if inside
};

// The branches around the statement where the walk is.
[[nodiscard]] std::vector<TextWay> waysTo(const Walk& walk);
// `variables`: of the program.
[[nodiscard]] bool exclude(const std::vector<TextWay>& a, const std::vector<TextWay>& b,
                           const std::vector<Variable>& variables);
// What the conditions on the ways say of an expression: left >= lo, left <= hi.
struct TextBound {
  Expr left;
  i64 lo = INT64_MIN, hi = INT64_MAX;
};
[[nodiscard]] std::vector<TextBound> boundsOf(const std::vector<TextWay>& ways);

class TextRegions {
 public:
  // `loops`: their variables, in the order of the text. Any two must exclude each other.
  TextRegions(const Program& program, const Body& kernel, const std::vector<int>& loops);
  // Of the next statement of a walk through the kernel.
  [[nodiscard]] TextPlace next(const Walk& walk, const Statement& statement);
  // To each of the loops.
  [[nodiscard]] const std::vector<std::vector<TextWay>>& ways() const { return ways_; }

 private:
  const Program& program_;
  const std::vector<int> loops_;
  std::vector<std::vector<TextWay>> ways_;
  std::size_t reached_ = 0;
};

// The same for the steps of a plan.
struct PlanRegions {
  struct Place {
    TextRegion where = TextRegion::Before;
    int loop = -1;  // of plan.loops, if inside
  };
  // `kernel`: of plan.specs. `loops`: variables of the program that the plan was made from, and their plan.loops.
  PlanRegions(const Plan& plan, int kernel, const Program& program, const std::vector<int>& loops,
              const std::vector<int>& planLoops);

  std::vector<Place> ofStep, ofLeaf;  // of the kernel; steps: leaves and mbarriers
  bool complete = false;              // every statement has its step
};

}  // namespace tessera::graphene
