// Texts of a dialect of Python with the values that they declare, and how they are checked.
//
//     {"cute.make_layout((8, 4))", {{"X", "(8,4):(1,8)"}}, {}, {}, true}
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/paste/dialects.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace tessera::paste {

struct PythonCase {
  std::string text;
  std::vector<std::pair<std::string, std::string>> values;  // an expression and what it prints
  std::vector<std::pair<std::string, std::string>> lets;
  std::vector<std::pair<std::string, i64>> over;
  bool reads;  // false: refused, or something is asked
};

inline std::string withoutBlanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// The statements of a reading in one scope, with X the last value.
inline Scope scopeOf(const Reading& reading) {
  Scope scope;
  Shared<Value> last;
  for (const Statement& written : reading.statements)
    for (const tessera::Statement& statement : splitStatements(written.text)) {
      const Evaluated done = evaluate(statement, scope);
      INFO(written.text);
      INFO((done.diag ? done.diag->message : ""));
      REQUIRE(!done.diag);
      if (done.value) last = done.value;
    }
  if (last && scope.find("X") == nullptr) scope.bind("X", last);
  return scope;
}

inline void checkPython(const Dialect& dialect, const std::vector<PythonCase>& cases) {
  for (const PythonCase& c : cases) {
    INFO(c.text);
    CHECK(dialect.recognizes(c.text) > 0);
    const Given given{c.lets, c.over, {}, {}};
    const Result<Reading> reading = read(c.text, given);
    if (reading && dialect.recognizes(c.text) == 2) CHECK(reading->dialect == dialect.name);
    if (!c.reads) {
      CHECK((!reading || !reading->questions.empty()));
      continue;
    }
    INFO((reading ? "" : reading.error().message));
    REQUIRE(reading);
    REQUIRE(reading->questions.empty());
    Scope scope = scopeOf(*reading);
    for (const auto& [expression, expected] : c.values) {
      INFO(expression);
      const Evaluated done = evaluate(splitStatements(expression).at(0), scope);
      REQUIRE(done.value);
      CHECK(withoutBlanks(print(*done.value)) == withoutBlanks(expected));
    }
  }
}

// Those of each dialect, in python_NAME_test.cpp.
const std::vector<PythonCase>& cuteCases();
const std::vector<PythonCase>& gluonCases();
const std::vector<PythonCase>& arrayCases();
const std::vector<PythonCase>& tvmCases();

}  // namespace tessera::paste
