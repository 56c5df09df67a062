#include "app/engine/paste/pasted.h"
#include "app/library/whole/inside.h"
#include "core/worksheet/value.h"

namespace tessera::api {

std::string Pasted::text() const {
  std::string out;
  for (const std::string& statement : statements) out += statement + "\n";
  return out;
}

Result<Pasted> paste(std::string_view text, const PasteOptions& options) {
  Options whole = options.work;
  whole.seconds = 1e9;  // reading, and each statement, has its own budget
  return guarded<Pasted>(whole, text, [&]() -> tessera::Result<Pasted> {
    paste::Given given;
    given.lets = options.lets;
    for (const auto& [name, extent] : options.over) given.over.emplace_back(name, extent);
    given.dialect = options.dialect;
    TESSERA_TRY(const tessera::Pasted read,
                evaluatePaste(text, given, engineOptions(options.work, EngineOptions::Figures::None)));
    for (const Outcome& outcome : read.outcomes)
      if (outcome.diag) return *outcome.diag;
    const LineIndex index(text);
    Pasted out;
    out.dialect = read.reading.dialect;
    out.notes = read.reading.notes;
    for (const paste::Statement& s : read.reading.statements) out.statements.push_back(s.text);
    for (const paste::Question& q : read.reading.questions) {
      const LineColumn place = index.at(q.span.begin);
      out.questions.push_back({q.name, q.asks, q.suggests, place.line, place.column});
    }
    if (const auto* layout = read.last ? heldLayout(*read.last) : nullptr) out.layout = Access::made(*layout);
    return out;
  });
}

}  // namespace tessera::api
