// Runs a worksheet text through the language only (no prover, no pictures).
#pragma once

#include <string>
#include <vector>

#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

struct Ran {
  Statement statement;
  Evaluated evaluated;
};

// A find is answered by the search of core/analysis, as the engine does.
inline void answerFind(Ran& ran) {
  if (const auto* inverse = std::get_if<InverseRequest>(&ran.evaluated.request)) {
    const InverseAnswer answer = answerOf(inverse->question);
    if (answer.layout) {
      ran.evaluated.value = Value(*answer.layout);
    } else {
      ran.evaluated.value = Value(Text{answer.found() ? answer.text : "none: " + answer.none});
    }
    return;
  }
  const auto* request = std::get_if<FindRequest>(&ran.evaluated.request);
  if (request == nullptr || request->method != Method::Auto) return;
  auto search = findSwizzle(request->layout, request->elementBits, request->specs);
  if (!search) {
    ran.evaluated.diag = search.error();
    return;
  }
  ran.evaluated.value =
      Value(SwizzleFinding{request->layout, request->elementBits, request->specs, *std::move(search), std::nullopt});
}

inline std::vector<Ran> runAll(std::string_view document) {
  Scope scope;
  std::vector<Ran> out;
  for (const Statement& s : splitStatements(document)) {
    Ran ran{s, evaluate(s, scope)};
    answerFind(ran);
    out.push_back(std::move(ran));
  }
  return out;
}

// The text of the last statement's value, or "error: message".
inline std::string last(std::string_view document) {
  const std::vector<Ran> ran = runAll(document);
  if (ran.empty()) return "nothing";
  const Evaluated& e = ran.back().evaluated;
  if (e.diag) return "error: " + e.diag->message;
  if (const auto* asked = std::get_if<ProveRequest>(&e.request))
    return "claim " + std::string(name(asked->claim.kind()));
  if (const auto* asked = std::get_if<ShowRequest>(&e.request))
    return "show " + print(*asked->value) + " as " + asked->view;
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
