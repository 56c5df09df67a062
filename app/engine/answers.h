// Answers: a statement is run in two halves. The first evaluates it in its scope, purely and at once; the second
// answers the request that it left with (draws the show, proves the claim, searches), which may take long and needs no
// scope any more, so that it can be done later and on another thread.
//
//     Started s = startStatement(statement, scope, options);     // prove injective(A) -> ProveRequest{Claim}
//     Outcome o = answered(std::move(s), options, context);      // the verdict, and the picture of a refutation
//     bindAnswer(o, scope);                                      // V = injective(A): now V has a value
//
// Law: the three in a row are runStatement (engine.h), whatever happens between them.
//
// A new request is one more overload of `answer` in answers.cpp; the compiler asks for it.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "app/engine/engine.h"
#include "core/worksheet/requests.h"

namespace tessera {

// What an answer may look at and tell while it works.
struct JobContext {
  const std::atomic<bool>* cancel = nullptr;  // set from another thread: the answer is wanted no longer
  // How far it is, 0 to 1 or negative when nobody knows, and in words: "z3", "37 of 120 candidates". May be empty.
  std::function<void(double fraction, std::string what)> progress = {};
  [[nodiscard]] bool cancelled() const { return cancel != nullptr && cancel->load(); }
};

// A statement whose value is known, and what is still to be answered. Without a request the outcome is the whole one.
struct Started {
  Outcome outcome;
  Request request;
  [[nodiscard]] bool complete() const { return std::holds_alternative<std::monostate>(request); }
};

[[nodiscard]] Started startStatement(const Statement& statement, Scope& scope, const EngineOptions& options = {});
// Never throws: what a library throws becomes the outcome's diag. A claim whose context is cancelled is
// `unknown: cancelled`, unless the answer was faster; anything else that is cancelled has a diag that says so.
[[nodiscard]] Outcome answered(Started started, const EngineOptions& options, const JobContext& context);
// The same statement, given up before anybody looked at it.
[[nodiscard]] Outcome cancelledOutcome(Started started);
// The name whose value is the answer's to give; "" when there is none.
[[nodiscard]] std::string awaitedName(const Started& started);
// How long a statement may think. A run takes as long as it takes: it has limits of its own, and can be cancelled.
[[nodiscard]] double patienceFor(const Statement& statement, const EngineOptions& options);
// Binds that name, when the answer has a value for it.
void bindAnswer(const Outcome& outcome, Scope& scope);

}  // namespace tessera
