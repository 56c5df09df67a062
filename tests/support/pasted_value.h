// The value of an expression over what a pasted text declares; "error: .." if it has none, "asks: NAME .." if the text
// leaves something open.
#pragma once

#include <string>
#include <string_view>

#include "core/paste/paste.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

inline std::string pastedValue(std::string_view text, const std::string& expression, const paste::Given& given = {}) {
  const Result<paste::Reading> reading = paste::read(text, given);
  if (!reading) return "error: " + reading.error().message;
  if (!reading->questions.empty()) {
    std::string asks = "asks:";
    for (const paste::Question& question : reading->questions) asks += " " + question.name;
    return asks;
  }
  Scope scope;
  std::string out;
  const auto run = [&](const std::string& statements) {
    for (const Statement& statement : splitStatements(statements)) {
      const Evaluated done = evaluate(statement, scope);
      out = done.diag ? "error: " + done.diag->message : done.value ? print(*done.value) : std::string();
      if (done.diag) return false;
    }
    return true;
  };
  bool hasX = false;
  for (const paste::Statement& statement : reading->statements) {
    if (!run(statement.text)) return out;
    hasX = hasX || statement.name == "X";
  }
  const paste::Statement& last = reading->statements.back();
  if (!hasX && !run("X = " + (last.name.empty() ? last.text : last.name))) return out;
  (void)run(expression);
  return out;
}

}  // namespace tessera
