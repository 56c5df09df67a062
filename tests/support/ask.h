// Evaluates a worksheet statement as `tessera eval` does: one expression, in which line breaks are blanks.
#pragma once

#include <optional>
#include <string>

#include "app/engine/engine.h"
#include "core/worksheet/value.h"

namespace tessera {

struct Answer {
  bool ok = false;
  std::string text;  // or the message
  std::optional<Value> value;
  std::optional<Truth> truth;  // of a claim
};

inline Answer answerOf(const Outcome& outcome) {
  if (outcome.diag) return {false, outcome.diag->message, {}, {}};
  if (outcome.verdict) return {true, print(Value(*outcome.verdict)), {}, outcome.verdict->truth};
  if (!outcome.value) return {false, "no value", {}, {}};
  return {true, print(*outcome.value), *outcome.value, {}};
}

inline Answer ask(const std::string& statement) {
  Scope scope;
  Statement whole;
  whole.kind = StatementKind::Expression;
  whole.text = statement;
  whole.span = {0, statement.size()};
  if (const auto statements = splitStatements(statement); statements.size() == 1) whole = statements.front();
  return answerOf(runStatement(whole, scope));
}

// The answer of a file's last statement, or the first refusal.
inline Answer askAll(const std::string& document) {
  Scope scope;
  Answer last;
  for (const Statement& s : splitStatements(document)) {
    last = answerOf(runStatement(s, scope));
    if (!last.ok && last.text != "no value") return last;
  }
  return last;
}

}  // namespace tessera
