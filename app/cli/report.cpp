#include "app/cli/report.h"

#include <fmt/format.h>

#include "app/engine/run_program.h"
#include "render/ink/ink.h"

namespace tessera {

std::string printLimited(const Value& value) {
  std::string text = print(value);
  if (text.size() > kMaxPrintedBytes) {
    const std::size_t total = text.size();
    std::size_t cut = kMaxPrintedBytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) --cut;
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
  if (outcome.figure && outcome.statement.kind != StatementKind::Find) {  // search results are text
    if (auto text = ink(*outcome.figure, "txt")) return *std::move(text);
  }
  if (outcome.show) return printLimited(outcome.show->value);
  if (!outcome.value) return "";
  std::string text = printLimited(*outcome.value);
  if (outcome.statement.kind == StatementKind::Bind) text = outcome.statement.name + " = " + text;
  return text;
}

void Complaints::at(const Diag& diag, std::string_view text, const LineIndex& index) const {
  if (json_)
    (void)out_.line(jsonOf(diag, index, JsonPlace{}));
  else
    complain("error: " + printDiag(diag, text, index));
}

void Complaints::say(const Diag& diag) const {
  if (json_)
    (void)out_.line(jsonOf(diag, LineIndex(""), JsonPlace{}));
  else
    complain("tessera: " + printDiag(diag, ""));
}

void Complaints::in(const std::string& file, const Diag& diag, std::string_view text) const {
  const LineIndex index(text);
  if (json_)
    (void)out_.line(jsonOf(diag, index, JsonPlace{file, 0}));
  else
    complain(fmt::format("tessera: '{}': {}", file, printDiag(diag, text, index)));
}

void Complaints::verdict(const Outcome& outcome, const LineIndex& index) const {
  if (json_)
    (void)out_.line(jsonOf(outcome, index, JsonPlace{}));
  else
    complain(textOf(*outcome.verdict));
}

}  // namespace tessera
