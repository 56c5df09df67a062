#include "app/engine/outcome_text.h"

#include <fmt/format.h>

#include "app/engine/measure/run_program.h"
#include "core/base/chars.h"
#include "render/ink/ink.h"

namespace tessera {

std::string printLimited(const Value& value) {
  std::string text = print(value);
  if (text.size() > kMaxPrintedBytes) {
    const std::size_t total = text.size();
    const std::size_t cut = codePointStart(text, kMaxPrintedBytes);
    text.resize(cut);
    text += fmt::format(" ... ({} of {} bytes shown)", cut, total);
  }
  return text;
}

std::string textOf(const Verdict& verdict) {
  std::string out = fmt::format("{:<8} {}", name(verdict.truth), verdict.claim);
  out += fmt::format("   [{}, {:.2f} ms]", verdict.method.empty() ? "no method" : verdict.method, verdict.milliseconds);
  if (verdict.truth == Truth::Refuted && verdict.counterexample) {
    out += "\n         " + verdict.counterexample->text;
  } else if (!verdict.detail.empty()) {
    out += "\n         " + verdict.detail;
  }
  return out;
}

std::string textOf(const Outcome& outcome) {
  if (outcome.verdict) return textOf(*outcome.verdict);
  if (outcome.ran) return textOf(outcome.ran->table);
  if (outcome.figure && outcome.statement.kind != StatementKind::Find) {  // what was found is text
    if (auto text = ink(*outcome.figure, "txt")) return *std::move(text);
  }
  if (outcome.show) return printLimited(*outcome.show->value);
  if (!outcome.value) return "";
  std::string text = printLimited(*outcome.value);
  if (outcome.statement.kind == StatementKind::Bind) text = outcome.statement.name + " = " + text;
  return text;
}

}  // namespace tessera
