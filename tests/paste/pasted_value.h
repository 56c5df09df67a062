// The value of an expression after a text is pasted.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/paste/pasted.h"
#include "core/paste/dialects.h"
#include "core/worksheet/programs/programs.h"

namespace tessera {

using Lets = std::vector<std::pair<std::string, std::string>>;

// The value that a dialect gives the text, without asking the others: "2 (128,8)". Else "asks NAME" or "refused ...".
inline std::string pastedAs(const paste::Dialect& dialect, const std::string& text, const std::string& expression,
                            const Lets& lets = {}) {
  addPrograms();
  paste::Given given;
  given.lets = lets;
  const Result<paste::Reading> reading = dialect.read(text, given);
  if (!reading) return "refused " + reading.error().message;
  if (!reading->questions.empty()) return "asks " + reading->questions[0].name;
  Scope scope;
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  const auto run = [&](const std::string& line) {
    std::string out;
    for (const Statement& s : splitArgument(line)) {
      const Outcome outcome = runStatement(s, scope, options);
      out = outcome.diag ? "error " + outcome.diag->message : textOf(outcome);
    }
    return out;
  };
  for (const paste::Statement& s : reading->statements)
    if (const std::string done = run(s.text); done.starts_with("error ")) return s.text + ": " + done;
  if (reading->statements.back().name != "X") run("X = " + reading->statements.back().name);
  return std::to_string(dialect.recognizes(text)) + " " + run(expression);
}

struct PastedCase {
  std::string text, expression, value;
  Lets lets = {};
};

inline void checkPasted(const paste::Dialect& dialect, const std::vector<PastedCase>& cases) {
  for (const PastedCase& c : cases) {
    INFO(c.text << "\n  " << c.expression);
    CHECK(pastedAs(dialect, c.text, c.expression, c.lets) == c.value);
  }
}

}  // namespace tessera
