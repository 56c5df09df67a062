// Sites: every leaf of a program, with everything that determines when it runs and what it accesses.
//
//     for (k = 0; k < 4; k += 1) {       a site: loops {k}, guards {@m < 8}, phase 2*k + 1, accesses: writes %s through
//       sync                             the node of %a, reads %x through the node of %b
//       if (@m < 8) { %a <- Move(%b) }
//       sync
//     }
//
// A disjunction is split into disjoint sites: the else branch of `a && b` becomes two, !a and a && !b. So the guards of
// a site are always a conjunction.
//
// Storage holds values: the operands of the caller, and each temporary, fresh in every iteration of the enclosing
// loops. A node is a name: the storage itself, or a Define derived from another node. An access is inside a node if the
// node is one of its ancestors.
//
// Law: an instance (block, thread, loop values) executes a leaf if and only if the guards of one of its sites hold.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/graphene/atoms/atom.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

struct Storage {
  Tensor declared;
  Span span;  // of the Temporary; empty for an operand
  bool operand = false;
  std::vector<int> loops;  // around the declaration, outermost first
  std::vector<int> specs;  // enclosing specifications, outermost first
};

struct Node {
  int storage = -1;
  int parent = -1;  // the node it was derived from
};

struct Access {
  int operand = 0;  // outputs, then inputs
  Tensor view;
  int node = -1, storage = -1;
  bool write = false, read = false;
};

struct Site {
  int leaf = -1;  // number of the leaf statement in the text
  Span span = {};
  const Spec* spec = nullptr;
  std::optional<Atom> atom = {};
  std::optional<Diag> noAtom = {};
  std::vector<int> loops = {};          // variables, outermost first
  std::vector<Comparison> guards = {};  // a conjunction
  std::vector<int> specs = {};     // enclosing decomposed specifications, outermost first (numbers in Sites::specs)
  std::vector<int> position = {};  // in the text, body by body; compares in text order
  // Number of block barriers passed; nullopt: not a function of the loops, or after a loop whose number of iterations
  // could be negative as a formula.
  std::optional<Expr> phase = {};
  std::optional<Expr> warpPhase = {};  // the same including syncwarp
  std::optional<Expr> groups = {};     // number of groups of cp.async that its thread has closed (commit)
  std::vector<Access> accesses = {};

  [[nodiscard]] const Access* accessTo(int operand) const;  // nullptr: no storage is known for it
};

// A barrier, with the path to it.
struct Barrier {
  const Statement* statement = nullptr;
  Span span;
  std::vector<int> specs;  // enclosing specifications, outermost first
  int together = 0;        // number of threads that must arrive together: a warp, a warpgroup; 0: the block
  std::vector<int> loops;
  std::vector<Comparison> guards;
  int kernel = 0;
};

// A wait for cp.async: like a site without accesses.
struct AsyncWait {
  Site at;
  int pending = 0;
};
// A loop that passes barriers or closes groups. Phases and groups after it are right if `most` >= 0.
struct CountedLoop {
  int variable = 0;
  std::vector<int> loops, specs;  // around it
  Expr most;                      // hi - lo + step - 1
};

struct SpecNode {
  Span span;
  const Spec* spec = nullptr;
  int depth = 0, parent = -1;
  int leaf = -1;                     // number of the leaf
  std::vector<int> outputs, inputs;  // nodes
  std::vector<int> barriers;         // nodes: of Spec::barriers
};

struct Sites {
  const Program* program = nullptr;
  std::vector<Storage> storage;
  std::vector<Node> nodes;
  std::vector<SpecNode> specs;  // all, leaves included, in text order, outer before inner
  std::vector<Site> sites;
  std::vector<Barrier> barriers;
  std::map<const Statement*, int> mbarriers;  // the node of the barrier of each
  std::vector<AsyncWait> waits;
  std::vector<CountedLoop> counted;
  bool hasAsync = false, hasSyncwarp = false;

  [[nodiscard]] bool inside(int node, int ancestor) const;     // derived from it, or equal
  [[nodiscard]] int numberOf(const Spec* spec) const;          // of its first node in `specs`; -1: none
  [[nodiscard]] std::size_t kernelOf(std::size_t spec) const;  // the outermost specification around it
  [[nodiscard]] int storageOf(int node) const { return node < 0 ? -1 : nodes[node].storage; }
  [[nodiscard]] const Storage& of(int number) const { return storage[number]; }
  [[nodiscard]] const Storage& of(const Access& a) const { return of(a.storage); }
};

// `stated`: the same program with all assumptions, if `program` has only some of them.
[[nodiscard]] Sites sitesOf(const Program& program, std::string_view architecture, const Program* stated = nullptr);

// Substitutes every Index variable of `e` by its expression in blockIdx.x and threadIdx.x.
[[nodiscard]] Expr plainOf(const Program& program, const Expr& e);

}  // namespace tessera::graphene
