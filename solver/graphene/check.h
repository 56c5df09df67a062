// check: verifies every decomposition of a Graphene program against its specification, with eight verdicts per
// specification.
//
//     %2 <- Move<<<#3, #4>>>(%1) { ... }       figure 1d
//         O1 static       proved    by the atlas: ldmatrix.x4
//         O4 coverage     proved    by running: 256 elements, each once
//         O8 value        proved    by running: every register holds what `holds` says
//
// Methods: `static` inspects the tree. `running` executes one block after another on terms instead of numbers
// (solver/emulate), and one block for all if they differ only by a translation. `z3` treats threads, blocks, loops and
// sizes as variables, and is the only method that can prove symbolic sizes. What a method cannot decide is unknown,
// with the reason.
//
// Law: no two methods contradict each other (tests/check/agree_test.cpp); every refutation carries a Finding that
// running reproduces.
//
// Source: docs/design/graphene.md.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/obligation.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

enum class CheckMethod : unsigned char { Any, Running, Z3 };

struct CheckOptions {
  std::string architecture = "sm_80";
  double budgetSeconds = 10;
  CheckMethod method = CheckMethod::Any;
  const std::atomic<bool>* cancel = nullptr;
};

// NotStated: nothing to prove, as in a generic Spec without equations (`means`), or a scalar register tensor without
// `holds`. It counts as holding.
enum class Standing : unsigned char { Proved, Refuted, Unknown, NotStated };
[[nodiscard]] std::string_view name(Standing standing);  // "proved", "refuted", "unknown", "not stated"

struct ObligationVerdict {
  Obligation obligation = Obligation::Static;
  Standing standing = Standing::Unknown;
  std::string method;  // "static", "running", "z3", "running and z3"
  std::string reason;  // "256 elements, each once"; for unknown, the cause
  std::optional<Finding> finding;
  double seconds = 0;
};
// With the finding's obligation and message.
[[nodiscard]] ObligationVerdict refuted(std::string method, Finding f);

// What the methods that run or solve decide.
inline constexpr Obligation kDynamic[] = {Obligation::Bounds, Obligation::Coverage,    Obligation::Uniqueness,
                                          Obligation::Races,  Obligation::Definedness, Obligation::Value};

struct SpecVerdict {
  Span span;         // of the specification's statement
  std::string spec;  // "%2 <- Move(%1)"
  int depth = 0;     // 0: a kernel
  bool leaf = false;
  std::string atom;                            // of a leaf: "ldmatrix.x4"
  std::vector<ObligationVerdict> obligations;  // O1 to O8; for a leaf only the applicable ones
};

struct CheckResult {
  std::vector<SpecVerdict> specs;    // in text order, outer before inner
  std::vector<std::string> sizes;    // symbolic ones: verdicts are about all their values, 1 to 2^20
  std::string assumed;               // that meet these conditions: "M % 128 == 0, N <= 512"
  [[nodiscard]] bool holds() const;  // everything is proved or not stated
  [[nodiscard]] const Finding* firstFinding() const;
};

[[nodiscard]] CheckResult checkProgram(const Program& program, const CheckOptions& options = {});

}  // namespace tessera::graphene
