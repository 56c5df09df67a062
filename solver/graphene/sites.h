// Sites: every leaf of a program with all that decides when it runs and what it touches.
//
//     for (k = 0; k < 4; k += 1) {          a site: loops {k}, guards {@m < 8}, phase 2*k + 1, accesses: writes %s through
//       sync                                the node of %a, reads %x through the node of %b
//       if (@m < 8) { %a <- Move(%b) }
//       sync
//     }
//
// A condition that is not met by one of several comparisons splits: the else of `a && b` is two sites, !a and a && !b, which no
// thread meets both. So the guards of a site are always a conjunction.
//
// Storage is what holds values: the operands of the caller, and each temporary, fresh in every iteration of the loops around
// it. A node is a name: the storage itself, or what a Define made of another node; an access is inside a node when the
// node is among those it was made from.
//
// Law: an instance (block, thread, loop values) executes a leaf exactly when the guards of one of its sites hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graphene/atom.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

struct Storage {
  Tensor declared;
  Span span;  // of the Temporary; empty: an operand
  bool operand = false;
  std::vector<int> loops;  // around the declaration, outermost first
  std::vector<int> specs;  // that it is declared in, outermost first
};

struct Node {
  int storage = -1;
  int parent = -1;  // the node it was made from
};

struct Access {
  int operand = 0;  // outputs, then inputs
  Tensor view;
  int node = -1, storage = -1;
  bool write = false, read = false;
};

struct Site {
  int leaf = -1;  // number of the leaf statement in the text
  Span span;
  const Spec* spec = nullptr;
  std::optional<Atom> atom;
  std::optional<Diag> noAtom;
  std::vector<int> loops;          // variables, outermost first
  std::vector<Comparison> guards;  // all hold
  std::vector<int> specs;          // the decomposed specifications around it, outermost first (numbers in Sites::specs)
  std::vector<int> position;       // in the text, body by body: what comes first is less
  std::optional<Expr> phase;       // barriers that its block has passed; nothing: not a function of the loops
  std::optional<Expr> warpPhase;   // the same with syncwarp
  std::vector<Access> accesses;
};

// A barrier, with what leads to it.
struct Barrier {
  const Statement* statement = nullptr;
  Span span;
  std::vector<int> specs;  // that it stands in, outermost first
  int together = 0;        // threads that come to it at once: a warp, a warpgroup; 0: the block
  std::vector<int> loops;
  std::vector<Comparison> guards;
  int kernel = 0;
};

struct SpecNode {
  Span span;
  const Spec* spec = nullptr;
  int depth = 0, parent = -1;
  int leaf = -1;                     // number of the leaf
  std::vector<int> outputs, inputs;  // nodes
  std::vector<int> loops;            // around it
  std::vector<Comparison> guards;    // one way to it
};

struct Sites {
  const Program* program = nullptr;
  std::vector<Storage> storage;
  std::vector<Node> nodes;
  std::vector<SpecNode> specs;  // all, in the order of the text, outer before inner; leaves too
  std::vector<Site> sites;
  std::vector<Barrier> barriers;
  bool hasAsync = false, hasSyncwarp = false;

  [[nodiscard]] bool inside(int node, int ancestor) const;  // made from it, or it
  [[nodiscard]] const Storage& of(const Access& a) const { return storage[static_cast<std::size_t>(a.storage)]; }
};

[[nodiscard]] Sites sitesOf(const Program& program, std::string_view architecture);

// Every Index variable of `e` replaced by what it is of blockIdx.x and threadIdx.x.
[[nodiscard]] Expr plainOf(const Program& program, const Expr& e);

}  // namespace tessera::graphene
