// Fold: a computation as a tree of groups, so that a picture of 30,000 instructions has at most 60 boxes, each of which
// opens.
//
//     %p0, %p1                                         "2 parameters"
//     %dot.0 %add.0, %dot.1 %add.1, ... %add.31        "x32", parts: the 32 copies (first 4, 5..8, ...), each a region
//     %mul %exp %sub, one user each                    "3 elementwise: multiply, exponential, subtract"
//
// `order` is a topological order of the instructions in which a scope of op_name is left as late as possible, and each
// group is an interval of it. So the graph of any set of disjoint groups is acyclic. An elementwise instruction with
// one user, elementwise and of its scope, is directly before that user. Inside of a group the parts are found in turn
// by scope, by repetition (equal structures, structure.h, but for the places of slices, and equal wiring inside of each
// copy), and by cuts where few values are alive. Without metadata, repetition and cuts remain.
//
// Plumbing (constants, a number that is broadcast, tuples, tuple elements, bitcasts) is in no group: readers read
// through it.
//
// Laws: every other instruction is in exactly one part of each group that contains it; a group has no part, or at least
// two and at most kMostParts; shownGroups(..) partitions its group into at most `most` >= kMostParts groups;
// groupNamed(nameOf(g)) == g; the result depends only on the text. Time is linear in the text, but for a logarithm.
// Not here: cost (core/hlo/cost/group_traffic.h) and places (render/draw/hlo/folded.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/hlo/text/module.h"

namespace tessera::hlo {

inline constexpr std::size_t kMostParts = 9;

struct Group {
  enum class Kind : unsigned char { One, Parameters, Elementwise, Scope, Repeat, Region };
  Kind kind = Kind::One;
  int from = 0, to = 0;         // Fold::order[from, to)
  std::string label = {};       // "decoder/layer_3", "x32", "3 elementwise: add"; of one instruction: its operation
  std::string scope = {};       // the whole path, of a Scope that is the only one of that path; it is a word
  std::vector<int> parts = {};  // groups, in order; none: one instruction
  int parent = -1;

  [[nodiscard]] int count() const { return to - from; }
};

struct Fold {
  int computation = 0;
  std::vector<int> order;     // instructions
  std::vector<Group> groups;  // the first is the whole computation; none: it has only plumbing
};

[[nodiscard]] Fold foldOf(const Module& module, int computation);

// Whether the instruction is in no group.
[[nodiscard]] bool isPlumbing(const Computation& computation, int instruction);

// A value that an instruction reads, possibly through plumbing.
struct Feed {
  int from = 0;   // the instruction that computes it
  i64 bytes = 0;  // of the part that is read
  bool operator==(const Feed&) const = default;
};
// In the order of the operands.
[[nodiscard]] std::vector<Feed> feedsOf(const Module& module, const Computation& computation, int instruction);

// The groups to show of a group: its parts, of which the largest scopes and regions are replaced by their parts as long
// as there are at most `most`. In order.
[[nodiscard]] std::vector<int> shownGroups(const Fold& fold, int group, std::size_t most);

// Its scope, or "%first..%last", or "%name" of one instruction. It has no blanks.
[[nodiscard]] std::string nameOf(const Module& module, const Fold& fold, int group);
[[nodiscard]] std::optional<int> groupNamed(const Module& module, const Fold& fold, std::string_view name);

// What passes between two shown groups: an edge exists if and only if an instruction of one reads one of the other.
struct GroupEdge {
  int from = 0, to = 0;  // indices into `shown`; -1: an instruction outside of all of them
  int values = 0;        // distinct ones
  i64 bytes = 0;
};
// Sorted by (to, from). Each value counts once for each edge, with the largest part of it that is read.
[[nodiscard]] std::vector<GroupEdge> edgesBetween(const Module& module, const Fold& fold,
                                                  const std::vector<int>& shown);

}  // namespace tessera::hlo
