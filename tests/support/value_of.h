// The value of an expression of the worksheet language.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

inline Value valueOf(const std::string& text) {
  Scope scope;
  const auto statements = splitStatements("L = " + text);
  REQUIRE(statements.size() == 1);
  const Evaluated e = evaluate(statements[0], scope);
  INFO(text << (e.diag ? ": " + e.diag->message : ""));
  REQUIRE(e.value.has_value());
  return *e.value;
}

}  // namespace tessera
