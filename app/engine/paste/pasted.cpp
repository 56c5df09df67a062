#include "app/engine/paste/pasted.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work_budget.h"
#include "core/paste/dialects.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The name and the value around the first `=` outside brackets: stride_[0]=4.
Result<std::pair<std::string_view, std::string_view>> assigned(std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || trimmed(text.substr(0, equals)).empty() ||
      trimmed(text.substr(equals + 1)).empty())
    return Diag{fmt::format("'{}' is not NAME=VALUE", text.substr(0, 60)), std::string(example)};
  return std::pair{trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
}

// A diag in a statement of the reading, at the place in the pasted text that the statement was read from. Statements
// that are the text itself keep their exact place.
Diag inText(Diag diag, const paste::Statement& statement) {
  const bool same = statement.span.end - statement.span.begin == statement.text.size();
  if (same) {
    diag.span = diag.span.shifted(statement.span.begin);
  } else {
    diag.message = fmt::format("{} (in `{}`)", diag.message, statement.text.substr(0, 200));
    diag.span = statement.span;
  }
  return diag;
}

// paste::read within the budget of a statement.
Result<paste::Reading> readWithin(std::string_view text, const paste::Given& given, const EngineOptions& options) {
  const WorkBudget limit({.seconds = options.prove.budgetSeconds, .cancel = options.prove.cancel});
  try {
    return paste::read(text, given);
  } catch (const OutOfBudget& end) {
    return Diag{end.what(), "", "a shorter text"};
  }
}

// Whether a name of the scope occurs in the text: A, #blocked, %0.
bool usesName(std::string_view text, const Scope& scope) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool marked = text[at] == '#' || text[at] == '%';
    if (!marked && !isNameStart(text[at])) continue;
    std::size_t end = at + 1;
    while (end < text.size() && isNamePart(text[end])) ++end;
    if (scope.find(std::string(text.substr(at, end - at))) != nullptr) return true;
    if (!marked) at = end - 1;
  }
  return false;
}

}  // namespace

bool Pasted::complete() const {
  return reading.questions.empty() && std::ranges::all_of(outcomes, [](const Outcome& o) { return o.holds(); });
}

Result<std::pair<std::string, std::string>> readLet(std::string_view text) {
  TESSERA_TRY(const auto parts, assigned(text, "--let kBlockM=64, --let 'shape=(32,32)', --let T=half"));
  std::string value(parts.second);
  std::ranges::replace(value, '[', '(');
  std::ranges::replace(value, ']', ')');
  const bool list = parts.second.starts_with('[') && parts.second.ends_with(']');
  return std::pair{std::string(parts.first), list ? value : std::string(parts.second)};
}

Result<std::pair<std::string, i64>> readOver(std::string_view text) {
  TESSERA_TRY(const auto parts, assigned(text, "--over row=64"));
  Cursor in(parts.second);
  const Result<i64> extent = in.integer("an extent");
  if (!extent || !in.atEnd() || *extent < 1)
    return Diag{fmt::format("'{}' is not an extent", parts.second.substr(0, 60)), "an integer above 0: --over row=64"};
  return std::pair{std::string(parts.first), *extent};
}

Result<AsWorksheet> asWorksheet(std::string_view text, const EngineOptions& options) {
  int sure = 0;
  for (const paste::Dialect* dialect : paste::dialects())
    if (dialect != &paste::kWorksheet) sure = std::max(sure, dialect->recognizes(text));
  if (sure == 0 || paste::isWorksheet(text)) return AsWorksheet{std::string(text), "", {}};
  Result<paste::Reading> reading = readWithin(text, {}, options);
  if (!reading && sure > 1) return reading.error();
  if (!reading || reading->dialect == paste::kWorksheet.name) return AsWorksheet{std::string(text), "", {}};
  if (!reading->questions.empty()) {
    const paste::Question& asked = reading->questions.front();
    return Diag{fmt::format("read as {}: {} is not given ({})", reading->dialect, asked.name, asked.asks), "",
                fmt::format("tessera paste FILE {}", asked.suggests), asked.span};
  }
  AsWorksheet out{"", reading->dialect, reading->notes};
  for (const paste::Statement& s : reading->statements) out.text += s.text + "\n";
  return out;
}

Result<AsWorksheet> asWorksheet(std::string_view text, const EngineOptions& options, const Scope& scope) {
  if (usesName(text, scope)) return AsWorksheet{std::string(text), "", {}};
  return asWorksheet(text, options);
}

Result<Pasted> evaluatePaste(std::string_view text, const paste::Given& given, const EngineOptions& options) {
  Pasted out;
  TESSERA_TRY(out.reading, readWithin(text, given, options));
  if (!out.reading.questions.empty()) return out;
  for (const paste::Statement& written : out.reading.statements) {
    for (const Statement& statement : splitStatements(written.text)) {
      Outcome outcome = runStatement(statement, out.scope, options);
      if (outcome.diag) outcome.diag = inText(*std::move(outcome.diag), written);
      for (Diag& note : outcome.notes) note = inText(std::move(note), written);
      outcome.statement.span = written.span;
      if (outcome.value) {
        out.last = outcome.value;
        const bool named = statement.kind == StatementKind::Bind || statement.kind == StatementKind::Block;
        out.lastName = named ? statement.name : "X";
      }
      out.outcomes.push_back(std::move(outcome));
    }
  }
  if (out.last && out.scope.find("X") == nullptr) out.scope.bind("X", out.last);
  if (out.last && !given.name.empty() && out.scope.find(given.name) == nullptr) out.scope.bind(given.name, out.last);
  return out;
}

}  // namespace tessera
