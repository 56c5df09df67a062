// Answers: a statement runs in two steps. The first evaluates it in its scope, purely and immediately. The second
// answers the request that the first returned (draws the show, proves the claim, searches); it can be slow and needs no
// scope, so it can run later on another thread.
//
//     Started s = startStatement(statement, scope, options);     // prove injective(A) -> ProveRequest{Claim}
//     Outcome o = answered(std::move(s), options, context);      // the verdict, and the picture of a refutation
//     bindAnswer(o, scope);                                      // V = injective(A): V now has a value
//
// Law: the three in sequence equal runStatement (engine.h), with any other work in between.
//
// A new request needs an overload of `answer` in answers.cpp; the compiler enforces it.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "app/engine/engine.h"
#include "core/worksheet/requests.h"

namespace tessera {

// Callbacks of a running answer.
struct JobContext {
  const std::atomic<bool>* cancel = nullptr;  // set by another thread: the answer is no longer wanted
  // Progress from 0 to 1, negative if unknown, with a text: "z3", "37 of 120 candidates". May be empty.
  std::function<void(double fraction, std::string what)> progress = {};
  [[nodiscard]] bool cancelled() const { return cancel != nullptr && cancel->load(); }
};

// An evaluated statement and its open request. Without a request the outcome is complete.
struct Started {
  Outcome outcome;
  Request request;
  [[nodiscard]] bool complete() const { return std::holds_alternative<std::monostate>(request); }
};

[[nodiscard]] Started startStatement(const Statement& statement, Scope& scope, const EngineOptions& options = {});
// Never throws: exceptions of libraries become the outcome's diag. A cancelled claim is `unknown: cancelled`, unless it
// was answered first; any other cancelled statement has a diag that says so.
[[nodiscard]] Outcome answered(Started started, const EngineOptions& options, const JobContext& context);
// The outcome of a statement cancelled before it was started.
[[nodiscard]] Outcome cancelledOutcome(Started started);
// The name whose value the answer provides; "" if none.
[[nodiscard]] std::string awaitedName(const Started& started);
// Time limit of a statement. Runs have none here: they have their own limits and can be cancelled.
[[nodiscard]] double budgetFor(const Statement& statement, const EngineOptions& options);
// Binds that name if the answer has a value for it.
void bindAnswer(const Outcome& outcome, Scope& scope);

}  // namespace tessera
