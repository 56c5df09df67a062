// Obligation: the eight conditions of a correct decomposition, and Finding, the record of a violation.
//
//     O1 static       shapes, tiles, thread tensors; leaves are aligned atoms; convergent collectives and barriers
//     O2 bounds       enabled accesses lie inside the declared extents
//     O3 frame        reads of the caller's tensors are inputs, writes are outputs
//     O4 coverage     every element of the outputs is written; every contribution is present
//     O5 uniqueness   by one instance only; every contribution once
//     O6 races        no two threads access one place in the same phase, one of them writing
//     O7 definedness  every place that is read was written before
//     O8 value        the outputs equal the specification's function
//
// Law: a refuted obligation carries a Finding that can be replayed: running the program reaches that thread, those loop
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
  i64 phase = -1;                          // block barriers passed so far; -1: irrelevant
  std::vector<Instance> instances = {};    // the failing one; for races and double writes also the other
  std::string expected = {}, actual = {};  // "%A[0,8]", "%A[8,0]"
  std::string message = {};                // one sentence: "block 0, thread 33 reads %s[1,0] while thread 1 writes it"
};

// "block 0, thread 33 (k=16, @m=1): %s[1,0] at 33, phase 0: expected ..., got ..."
[[nodiscard]] std::string print(const Finding& finding);

// Notes: warnings about a program that need no proof.
//
//     %y <- Move<<<#b, #t>>>(%x)     %x reaches coordinate 1023 of dimension 0, which has 1023: a condition is missing
//     if (@i < 16) { sync }          threads that skip the condition never arrive
//
// A note belongs to a statement, in text order. It is an interval estimate, not a verdict (that is O1 and O2).
// Law: a program whose enabled accesses are all in bounds by
// intervals, with no barrier inside a condition, has no notes.

[[nodiscard]] std::vector<Diag> notesOf(const Program& program);

}  // namespace tessera::graphene
