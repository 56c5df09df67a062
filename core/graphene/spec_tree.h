// SpecTree: the specifications of a program as a list in pre-order.
//
//     depth 0   %2 <- Move<<<#3, #4>>>(%1)        figure 1d
//     depth 1   %11 <- Move<<<#3, #4>>>(%10)      a leaf: ldmatrix.x4; %11 is a view of the root %2, %10 of %1
//
// A root is a tensor that owns its storage: an operand of the caller, or a temporary. Every other tensor is a view of a
// root.
//
// Law: rows are in text order; a row's parent precedes it and has depth one less. A leaf has an atom or a fault.
// Lifetime: the tree points into the program, which must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/atoms/atom.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

struct TreeRoot {
  const Tensor* tensor = nullptr;
  const Body* body = nullptr;  // where the temporary is declared; null: an operand of the caller
};

struct SpecRow {
  int depth = 0, parent = -1;  // -1: a kernel
  int kernel = 0;              // row of its kernel
  Span span;
  const Spec* spec = nullptr;
  std::string text;                 // "%2 <- Move<<<#3, #4>>>(%1)"
  std::vector<std::string> around;  // loops and conditions between it and its parent: "for k", "if @x < 32"
  std::vector<int> roots;           // of the outputs, then of the inputs; never -1
  bool leaf = false;
  std::optional<Atom> atom;
  std::string fault;  // why a leaf has no atom
};

struct SpecTree {
  std::vector<TreeRoot> roots;
  std::vector<SpecRow> rows;
  std::map<std::string, int> named;                 // "%7" -> its root, for the last tensor of that name
  [[nodiscard]] int rowOf(const Spec* spec) const;  // -1: none
};

[[nodiscard]] SpecTree specTree(const Program& program, std::string_view architecture = "sm_80");

}  // namespace tessera::graphene
