// Request: work that a statement needs from outside the language. Evaluating a statement is pure and fast; drawing,
// proving and searching are not, so they are returned as data, and the owner of the worksheet answers them
// asynchronously.
//
//     show A as grid                          ShowRequest{value, "A", "grid", {}}
//     prove not injective(A) by z3            ProveRequest{Claim{injective, ..., z3}, negated}
//     assert bijective(A);  V = bijective(A)  ProveRequest
//     find swizzle for A where ...            FindRequest{layout, accesses, method}
//     find layout where equal(T)              InverseRequest{question}
//     prove NAME; check NAME (a program)      CheckRequest{listing}
//     prove equal(NAME, OTHER) with M=1       EqualRequest{two programs, or a program and a reference}
//     run NAME with M=8 compare cublas        RunRequest{listing, sizes, library}
//     task "TITLE": CLAIM and CLAIM           TaskRequest{claims}
//     size(A);  A = (4,8):(8,1)               none: the value is the whole outcome
//
// Law: a request contains everything that its answer depends on (values, never names), so it can be answered later, on
// another thread, after the text has changed.
//
// To add one: an alternative here, its construction in statements/, and an answer in app/engine/answers.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/analysis/inverse/inverse_search.h"
#include "core/base/types.h"
#include "core/claim/claim.h"
#include "core/graphene/listing.h"
#include "core/notation/cute/layout.h"
#include "core/worksheet/any_value.h"

namespace tessera {

struct ShowRequest {
  Shared<Value> value;
  std::string name;                    // "S" or the expression's text
  std::string view;                    // "" = default
  std::vector<std::string> arguments;  // words after the view name
};

// How the text of a claim refers to its layouts: for edits of the sheet (app/engine/help/make_true.h).
struct ClaimSource {
  struct Name {
    std::string name;
    Shared<Value> value;
    std::string statement;  // that bound it; "": unknown
  };
  std::vector<Span> arguments;  // of the claim, in the statement's text
  std::vector<Name> names;      // bound names that the arguments mention, each once
};

struct ProveRequest {
  Claim claim;
  bool negated = false;  // `not CLAIM`: asks for the refutation
  ClaimSource source = {};
};

// find swizzle for LAYOUT where ...: by exhaustive search (method Auto) or by the solver (Z3).
struct FindRequest {
  std::string text;  // the layout as typed
  cute::Layout layout;
  int elementBits = 0;
  std::vector<AccessSpec> specs;
  Method method = Method::Auto;
};

// find layout|swizzle|permutation [for A] where equal(T).
struct InverseRequest {
  InverseQuestion question;
};

// prove NAME, check NAME on sm_90 by z3: every obligation of every specification of a program.
struct CheckRequest {
  graphene::Listing listing;
  std::string text;          // as typed: "move on sm_90"
  std::string architecture;  // "sm_90"; empty: the default
  std::string method;        // "running", "z3"; empty: any
};

// prove equal(NAME, OTHER) with M=1 against M=2 where "W = V.T" on sm_90: whether two programs, or a program and a
// reference in the manner of NumPy, compute the same (solver/graphene/equal/equal.h).
struct EqualRequest {
  graphene::Listing first;                  // with the settings
  std::optional<graphene::Listing> second;  // else `reference`
  std::string reference;
  std::map<std::string, i64> sizes, secondSizes;
  bool small = false;            // with small
  std::string where;             // the inputs of the second by those of the first
  std::string architecture;      // empty: the default
  std::optional<double> within;  // the error that the outputs may have in their types
  std::string ranges;            // for `within`: "|X| <= 4" (core/graphene/reader/input_ranges.h)
  std::string text;              // as typed: "equal(fused, unfused)"
  bool negated = false;
};

// run NAME spec %C with M=8, stages=3 on sm_80 seed 3 compare cublas: compile, run, check and time a program.
struct RunRequest {
  graphene::Listing listing;                    // with the settings
  std::map<std::string, std::string> settings;  // of its parameters (core/graphene/reader/parameters.h)
  std::string key;                              // the key under which the result is stored (statements/run_statement.h)
  std::string spec;  // only the specification that writes this tensor or has this name; empty: all
  std::map<std::string, i64> sizes;
  std::string architecture;  // target architecture; empty: the default
  u64 seed = 1;
  bool library = false;             // compare cublas
  std::vector<std::string> chosen;  // compare variant(stages=4, BM=64): "stages=4 BM=64"
  bool variants = false;            // compare variants
  // compare unfused: the same computation as plain kernels, and the sizes for which it is equal
  // (core/graphene/reader/sized.h).
  std::optional<graphene::Listing> unfused;
  std::map<std::string, i64> unfusedSizes;
  bool emulate = false;  // by emulator
  std::string view;      // "" or "bars", "table"
};

// task "TITLE": CLAIM and CLAIM. Its conditions are evaluated already.
struct TaskRequest {
  std::vector<std::variant<ProveRequest, CheckRequest, EqualRequest>> claims;
  std::string failed;    // what is wrong without asking a prover: "this does not hold: 63 == 64"; "": nothing
  bool refuted = false;  // a condition is false; otherwise the claim cannot be judged yet
};

using Request = std::variant<std::monostate, ShowRequest, ProveRequest, FindRequest, CheckRequest, RunRequest,
                             InverseRequest, TaskRequest, EqualRequest>;

}  // namespace tessera
