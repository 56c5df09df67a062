// Box: program variables as digits of a prover obligation (solver/prove/obligation.h).
//
//     sizes    one digit each, 1 .. 2^20, shared by all copies        M; the program's assumptions about them hold
//     a copy   blockIdx.x, threadIdx.x and the loops of one instance  %k = lo + step * digit, its guards assumed
//     slots    one digit per mode of a tensor's view                  coordinate = origin + sum digit * step
//
// Two copies that share their block are two threads of one block; sharing a loop variable means the same iteration. A
// grid of symbolic size has one digit per mode of its tensor, which are the indices of #grid.indices(), so nothing is
// multiplied by a size.
//
// Law: the points of the box are the instances (with sizes up to 2^20) that execute the sites; `instance` decodes a
// point.
#pragma once

#include "core/graphene/obligation.h"
#include "solver/graphene/z3/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// The digits that a new copy shares with an existing one.
struct Share {
  bool block = false, thread = false;
  std::vector<int> loops;  // variables
};

class Box {
 public:
  static constexpr i64 kMostSize = i64{1} << 20;
  static constexpr i64 kFar = i64{1} << 50;

  // A box for the kernel's launch configuration; sizes come first.
  Box(const Sites& sites, const SpecNode& kernel);

  struct Copy {
    std::vector<Expr> values;  // by program variable
    Expr block, thread;
    std::vector<int> loops;
    std::vector<Expr> blockDigits;                   // equal if and only if the blocks are
    std::vector<std::pair<int, Expr>> loopDigits;    // loop variable, its iteration
    std::vector<std::pair<int, Expr>> blockIndices;  // for a symbolic grid: index variable, its digit
  };
  // A new instance of the site, with its guards assumed.
  Copy copy(const Site& site, const Copy* from = nullptr, const Share& share = {});

  [[nodiscard]] Expr in(const Copy& copy, const Expr& e) const;
  // Digits for the modes of a view, outermost level first. Requires known mode sizes (`tileable`).
  [[nodiscard]] static bool tileable(const Tensor& view);
  std::vector<Expr> slots(const Tensor& view);
  [[nodiscard]] std::vector<Expr> coordinate(const Copy& copy, const Tensor& view,
                                             const std::vector<Expr>& slots) const;
  [[nodiscard]] Expr address(const Copy& copy, const Tensor& view, const std::vector<Expr>& slots) const;
  // The slot's number in logical order, comparable between views of the same shape.
  [[nodiscard]] Expr slotNumber(const Tensor& view, const std::vector<Expr>& slots) const;

  // The comparison at the copy's instance. Requires: not !=.
  [[nodiscard]] prover::Goal goalOf(const Comparison& c, const Copy& copy) const;
  void assume(const prover::Goal& g) { assumed.push_back({g.right ? g.left - *g.right : g.left, g.lo, g.hi}); }
  void equal(const Expr& a, const Expr& b) { assumed.push_back({a - b, 0, 0}); }

  // Decodes a point of the box.
  [[nodiscard]] Instance instance(const Copy& copy, const Span& span, const std::vector<i64>& point) const;
  [[nodiscard]] int sizes() const { return sizes_; }
  [[nodiscard]] i64 threads() const { return threads_; }
  [[nodiscard]] bool oneBlock() const { return oneBlock_; }

  std::vector<Digit> digits;
  std::vector<Guard> assumed;

 private:
  Expr newDigit(const std::string& name, i64 extent);
  [[nodiscard]] i64 most(const Expr& e) const;  // upper bound of e over the box, capped at kFar
  void makeBlock(Copy& copy);
  void makeLoop(Copy& copy, int variable);

  const Program& program_;
  const Tensor* blocks_ = nullptr;
  i64 threads_ = 1;
  bool oneBlock_ = true;
  int sizes_ = 0;
  std::vector<Expr> sizeValues_;  // by program variable: digits for sizes, other variables unchanged
};

[[nodiscard]] i64 countOf(const Tensor& tensor);  // product of all sizes; -1: unknown
// Whether the view equals the declared tensor, coordinate by coordinate.
[[nodiscard]] bool isWhole(const Tensor& view, const Tensor& declared);

}  // namespace tessera::graphene
