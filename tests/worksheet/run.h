// Runs a worksheet text through the language alone (no prover, no pictures).
#pragma once

#include <string>
#include <vector>

#include "core/worksheet/worksheet.h"

namespace tessera {

struct Ran {
  Statement statement;
  Evaluated evaluated;
};

inline std::vector<Ran> runAll(std::string_view document) {
  Scope scope;
  std::vector<Ran> out;
  for (const Statement& s : splitStatements(document)) out.push_back({s, evaluate(s, scope)});
  return out;
}

// The text of the last statement's value, or "error: message".
inline std::string last(std::string_view document) {
  const std::vector<Ran> ran = runAll(document);
  if (ran.empty()) return "nothing";
  const Evaluated& e = ran.back().evaluated;
  if (e.diag) return "error: " + e.diag->message;
  if (e.claim) return "claim " + std::string(name(e.claim->kind));
  if (e.show) return "show " + print(e.show->value) + " as " + e.show->view;
  return e.value ? print(*e.value) : "no value";
}

// The Diag of the last statement, and the bytes that it underlines.
struct Complaint {
  Diag diag;
  std::string piece;
};
inline Complaint complaint(std::string_view document) {
  const std::vector<Ran> ran = runAll(document);
  if (ran.empty() || !ran.back().evaluated.diag) return {};
  const Diag& d = *ran.back().evaluated.diag;
  return {d, std::string(document.substr(d.span.begin, d.span.end - d.span.begin))};
}

}  // namespace tessera
