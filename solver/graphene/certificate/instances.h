// Instances: copies of the instances of a kernel's sites over named digits, with the conditions for them to exist.
//
//     for (k = 0; k < K; k += 2) { if (@i < 3) { %o = %y.tile([4:1])[@b,@i] ... } }
//
//         values       @b is $block0, @i is $thread0, k is 2*$loop0
//         conditions   $block0 >= 0, M - 1 - $block0 >= 0, ..., K - 1 - 2*$loop0 >= 0, 2 - $thread0 >= 0
//         element      [4*$block0 + $thread0]
//
// Unlike Box (z3/box.h), every digit of a block and of a thread is a variable, and variables have names that a reader
// of the text can give too. Requires: blocks and threads are numbered by the digits of their tensors (fault()).
#pragma once

#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

// A copy of the instances of a site.
struct SiteCopy {
  const Site* site = nullptr;
  std::string suffix;  // of its variables: "", "'", "''"
  std::vector<Expr> values;
  std::vector<Expr> blocks, threads;        // digits
  std::vector<std::pair<int, Expr>> loops;  // variable, iteration
  std::vector<Expr> own;                    // the digits that are not shared with another copy
  std::vector<Expr> conditions;             // each >= 0
};

// An access of a copy.
struct SiteSpot {
  const Access* access = nullptr;
  std::vector<Expr> coordinate;  // in the declared dimensions
  std::vector<Expr> slots;       // digits; constants for dimensions of one place
  std::vector<Expr> conditions;
  Expr slotNumber;  // in logical order
};

class Instances {
 public:
  // `stated`: the program with its assumptions. The kernel may be over units of its sizes.
  Instances(const Z3Kernel& kernel, const Program& stated);

  // Why the kernel has no such instances; empty: it has.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // Why an instance may affect others in another way than by its accesses; empty: it does not. `several`: instructions
  // of several threads are allowed, if they end before the thread passes them.
  [[nodiscard]] std::string together(bool several) const;
  [[nodiscard]] static bool isSingle(const Site& site) { return site.atom && site.atom->lanes == 1; }
  // Whether an instruction, maybe of several threads, has ended when its thread passes it.
  [[nodiscard]] static bool ends(const Site& site) {
    return site.atom && !site.atom->async && !site.atom->deferred && !site.atom->box;
  }
  // Whether it is a cp.async, which accesses its places until a wait of its thread.
  [[nodiscard]] static bool isCopy(const Site& site) { return site.atom && site.atom->async && isSingle(site); }
  // The number of a loop in text order.
  [[nodiscard]] i64 numberOf(int loop) const;
  // Forgets all digits but the sizes.
  void restart();
  [[nodiscard]] SiteCopy copy(const Site& site, const std::string& suffix, const SiteCopy* from = nullptr,
                              const Share& share = {});
  [[nodiscard]] SiteSpot spot(const SiteCopy& copy, const Access& access);
  // An element of the extents: digits $c0, $c1, ...
  [[nodiscard]] std::vector<Expr> element(const std::vector<Expr>& extents, std::vector<Expr>& conditions);
  [[nodiscard]] std::vector<Expr> extentsOf(int storage) const;
  // The extents of the digits of a block and of a thread.
  [[nodiscard]] std::vector<Expr> launched() const;

  [[nodiscard]] const std::vector<Expr>& sizes() const { return sizes_; }  // conditions on them, and hypotheses
  [[nodiscard]] const std::vector<Digit>& digits() const { return digits_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // by digit
  [[nodiscard]] std::size_t sizeCount() const { return sizeCount_; }
  [[nodiscard]] i64 most(const Expr& e) const;       // upper bound over the digits
  [[nodiscard]] Expr simplest(const Expr& e) const;  // of the same value at all digits
  // "$c0%128/8"
  [[nodiscard]] std::string text(const Expr& e) const;

 private:
  static void add(std::vector<Expr>& to, const Comparison& c);
  Expr digit(const std::string& name, const Expr& extent, std::vector<Expr>& conditions);
  std::vector<Expr> digitsOf(const Tensor& tensor, const std::string& word, SiteCopy& to);
  [[nodiscard]] bool numbered(const Tensor& tensor) const;

  const Z3Kernel& kernel_;
  const Program& program_;
  std::vector<Expr> sizeValues_, sizes_;
  std::vector<Digit> digits_;
  std::vector<std::string> names_;
  std::size_t sizeCount_ = 0;
  std::string fault_;
};

}  // namespace tessera::graphene
