// Obligation: the eight conditions of a correct decomposition, and Finding, the record of a violation.
//
//     O1 static       shapes, tiles and thread tensors fit; leaves are aligned atoms; collectives and barriers converge
//     O2 bounds       enabled accesses are inside the declared extents
//     O3 frame        reads of the caller's tensors are inputs, writes are outputs
//     O4 coverage     every element of the outputs is written; every contribution is present
//     O5 uniqueness   each is written by only one instance; every contribution occurs once
//     O6 races        no two threads access the same place in one phase if one of them writes
//     O7 definedness  every place is written before it is read
//     O8 value        the outputs equal the specification's function
//
// Law: a refuted obligation has a Finding that can be replayed: running the program reaches that thread, those loop
// values and that address.
//
// Source: ours (the paper proves nothing); docs/design/graphene.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
namespace tessera::graphene {

struct Program;

enum class Obligation : unsigned char { Static, Bounds, Frame, Coverage, Uniqueness, Races, Definedness, Value };
inline constexpr int kObligations = 8;
[[nodiscard]] std::string_view name(Obligation o);   // "races"
[[nodiscard]] std::string_view label(Obligation o);  // "O6"

// One execution of one statement by one thread.
struct Instance {
  Span span;  // of the statement
  i64 block = 0, thread = 0;
  std::vector<std::pair<std::string, i64>> variables;  // loops and indices by name, outermost first
  bool operator==(const Instance&) const = default;
};

struct Finding {
  Obligation obligation = Obligation::Static;
  Span span = {};                          // of the statement that is wrong
  std::string tensor = {};                 // "%s"; empty: none
  std::vector<i64> coordinate = {};        // in the declared dimensions; empty: none
  i64 address = -1;                        // scalar elements; -1: none
  i64 phase = -1;                          // number of block barriers before it; -1: irrelevant
  std::vector<Instance> instances = {};    // the failing one, and the other one of a race or double write
  std::string expected = {}, actual = {};  // "%A[0,8]", "%A[8,0]"
  std::string message = {};                // one sentence: "block 0, thread 33 reads %s[1,0] while thread 1 writes it"
};

// "block 0, thread 33 (k=16, @m=1): %s[1,0] at 33, phase 0: expected ..., got ..."
[[nodiscard]] std::string print(const Finding& finding);

// Notes: warnings about a program that need no proof, in text order.
//
//     %y <- Move<<<#b, #t>>>(%x)     %x reaches coordinate 1023 of dimension 0, which has 1023: a condition is missing
//     if (@i < 16) { sync }          threads that skip the condition never arrive
//
// A note is an interval estimate, not a verdict (see O1 and O2).
// Law: a program has no notes if intervals show that all accesses are in bounds and no condition has a barrier inside.

[[nodiscard]] std::vector<Diag> notesOf(const Program& program);

}  // namespace tessera::graphene
