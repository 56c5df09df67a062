// Box: program variables as digits of one obligation of the prover (solver/prove/obligation.h).
//
//     sizes        one digit each, 1 .. 2^20, shared by all copies          M
//     a copy       blockIdx.x, threadIdx.x and the loops of one instance    %k = lo + step * digit, guards of its site assumed
//     slots        one digit for each mode of a tensor's view               coordinate = origin + sum digit * step
//
// Two copies that share their block are two threads of one block; sharing a loop variable is sharing the iteration.
// A grid of symbolic size has a digit for each mode of its tensor: the indices of #grid.indices() are those digits, so nothing
// is multiplied by a size.
//
// Law: the points of the box are the instances (with sizes up to 2^20) that execute the sites; `instance` reads one back.
#pragma once

#include <string>
#include <vector>

#include "core/graphene/obligation.h"
#include "solver/graphene/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// What of another copy a new one takes over.
struct Share {
  bool block = false, thread = false;
  std::vector<int> loops;  // variables
};

class Box {
 public:
  static constexpr i64 kMostSize = i64{1} << 20;
  static constexpr i64 kFar = i64{1} << 50;

  // The configuration of the kernel `spec`; sizes come first.
  Box(const Sites& sites, const SpecNode& kernel);

  struct Copy {
    std::vector<Expr> values;  // by program variable
    Expr block, thread;
    int first = 0, last = 0;  // its own digits
    std::vector<int> loops;
    std::vector<Expr> blockDigits;                   // equal exactly when the blocks are
    std::vector<std::pair<int, Expr>> loopDigits;    // loop variable, its iteration
    std::vector<std::pair<int, Expr>> blockIndices;  // of a symbolic grid: index variable, its digit
  };
  // An instance of the site, its guards assumed.
  Copy copy(const Site& site, const Copy* from = nullptr, const Share& share = {});

  [[nodiscard]] Expr in(const Copy& copy, const Expr& e) const;
  // Digits for the modes of a view, outermost level first. Requires known mode sizes (`tileable`).
  [[nodiscard]] static bool tileable(const Tensor& view);
  std::vector<Expr> slots(const Tensor& view);
  [[nodiscard]] std::vector<Expr> coordinate(const Copy& copy, const Tensor& view,
                                             const std::vector<Expr>& slots) const;
  [[nodiscard]] Expr address(const Copy& copy, const Tensor& view, const std::vector<Expr>& slots) const;
  // The same with the slot's number in logical order, as `digits` of another view of the same shape would have it.
  [[nodiscard]] Expr slotNumber(const Tensor& view, const std::vector<Expr>& slots) const;

  void assume(const Comparison& c, const Copy& copy);
  void equal(const Expr& a, const Expr& b) { assumed.push_back({a - b, 0, 0}); }

  // Of a point of the box.
  [[nodiscard]] Instance instance(const Copy& copy, const Span& span, const std::vector<i64>& point) const;
  [[nodiscard]] bool symbolic() const { return sizes_ > 0; }
  [[nodiscard]] int sizes() const { return sizes_; }
  [[nodiscard]] i64 threads() const { return threads_; }
  [[nodiscard]] bool oneBlock() const { return oneBlock_; }

  std::vector<Digit> digits;
  std::vector<Guard> assumed;

 private:
  Expr newDigit(const std::string& name, i64 extent);
  [[nodiscard]] i64 most(const Expr& e) const;  // of e over the box, up to kFar
  void assumeWithin(const Expr& e, i64 lo, i64 hi);
  void makeBlock(Copy& copy);
  void makeLoop(Copy& copy, int variable);

  const Sites& sites_;
  const Program& program_;
  const Tensor* blocks_ = nullptr;
  i64 threads_ = 1;
  bool oneBlock_ = true;
  int sizes_ = 0;
  std::vector<Expr> sizeValues_;  // by program variable: sizes as digits, others themselves
};

[[nodiscard]] i64 countOf(const Tensor& tensor);  // product of all sizes; -1: not known

}  // namespace tessera::graphene
