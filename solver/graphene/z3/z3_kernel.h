// Shared by the Z3 obligations of one kernel: its sites, and questions with their answers.
#pragma once

#include "solver/graphene/check.h"
#include "solver/graphene/z3/box.h"

namespace tessera::graphene {

// One access of one copy: an element of a storage, over the digits of a box.
struct Place {
  const Site* site = nullptr;
  const Access* access = nullptr;
  Box::Copy copy;
  std::vector<Expr> slots;
  std::vector<Expr> location;    // key for comparing places: the coordinate, or the address
  std::vector<Expr> coordinate;  // in the declared dimensions
};

class Z3Kernel {
 public:
  Z3Kernel(const Sites& sites, int kernel, const prover::Budget& budget);

  [[nodiscard]] const Sites& sites() const { return all_; }
  [[nodiscard]] const SpecNode& kernel() const { return kernel_; }
  [[nodiscard]] const std::vector<const Site*>& own() const { return own_; }
  [[nodiscard]] const prover::Budget& budget() const { return budget_; }
  // Sites that write (read) a storage.
  [[nodiscard]] std::vector<const Site*> writers(int storage) const;
  [[nodiscard]] const Access* accessOf(const Site& site, int storage, bool write) const;
  [[nodiscard]] bool isOutput(int storage) const;
  [[nodiscard]] std::vector<int> outputs() const;   // storages
  [[nodiscard]] bool injective(int storage) const;  // of its declared layout
  // The declared extents, over the sizes of the box.
  [[nodiscard]] std::vector<Expr> extentsOf(int storage, const Box& box, const Box::Copy& copy) const;
  // The first operand that is a view of its storage, or tiles of tiles, so that its coordinates differ from the
  // storage's; or empty.
  [[nodiscard]] std::string partial(bool outputsOnly) const;

  Place place(Box& box, const Site& site, const Access& access, const Box::Copy* from = nullptr,
              const Share& share = {}) const;
  // Another access of the same instance.
  Place placeAt(Box& box, const Place& of, const Access& access) const;

  // Do the goals hold at every point of the box? Refutations are confirmed by evaluation.
  prover::Answer ask(const Box& box, std::vector<prover::Goal> goals) const;
  // Is each place (axes, with extents over the sizes) reached by a point of the box?
  prover::Answer covered(const Box& box, const std::vector<Expr>& axes, const std::vector<Expr>& extents) const;
  // Do any two distinct points with equal sizes differ in the axes?
  prover::Answer distinct(const Box& box, const std::vector<Expr>& axes) const;

  [[nodiscard]] Finding finding(Obligation o, const Box& box, const Place& at, const std::vector<i64>& point) const;
  [[nodiscard]] std::string element(int storage, const std::vector<i64>& coordinate) const;  // "%A[0,8]"

 private:
  const Sites& all_;
  const SpecNode& kernel_;
  std::vector<const Site*> own_;
  const prover::Budget& budget_;
};

[[nodiscard]] inline prover::Goal equals(const Expr& a, const Expr& b) { return {a, b, 0, 0}; }
[[nodiscard]] inline prover::Goal never() { return {Expr::constant(0), std::nullopt, 1, 1}; }

// The obligations; verdicts without the time.
[[nodiscard]] ObligationVerdict z3Bounds(const Z3Kernel& kernel);
[[nodiscard]] ObligationVerdict z3Coverage(const Z3Kernel& kernel);
[[nodiscard]] ObligationVerdict z3Uniqueness(const Z3Kernel& kernel);
[[nodiscard]] ObligationVerdict z3Races(const Z3Kernel& kernel);
[[nodiscard]] ObligationVerdict z3Definedness(const Z3Kernel& kernel);
[[nodiscard]] ObligationVerdict z3Value(const Z3Kernel& kernel);

// The writer's digits for a place, determined by the strides, and the goals that make it a point of its box.
struct WriterOf {
  std::vector<Expr> digits;         // of the writer's map, over the place's axes as digits 0, 1, ...
  std::vector<prover::Goal> goals;  // over the same
};
[[nodiscard]] std::optional<WriterOf> writerOf(const Map& map);

// Axes that identify an instance of the storage and a place in it: sizes, block, thread of a register, shared loops,
// location.
[[nodiscard]] std::vector<Expr> instanceAxes(const Box& box, const Place& at, Memory memory,
                                             const std::vector<int>& loops);
// The function of a specification: its kind, or the kind that a generic one names.
[[nodiscard]] SpecKind functionOf(const Spec& spec);
[[nodiscard]] ObligationVerdict verdict(Obligation o, Standing standing, std::string reason);
[[nodiscard]] ObligationVerdict unknownBy(Obligation o, const prover::Answer& answer, const std::string& what);
// The logical coordinates (m, n, k) of a matrix product at one instance of a scalar leaf; nullopt for any other leaf.
struct Contribution {
  Place out, a, b;
};
[[nodiscard]] std::optional<Contribution> contribution(const Z3Kernel& kernel, Box& box, const Site& site);

}  // namespace tessera::graphene
