// Runs a worksheet in order, with one outcome per statement. Calls `each` as soon as an outcome is known.
#pragma once

#include <functional>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

inline std::vector<Outcome> runDocument(std::string_view document, const EngineOptions& options = {},
                                        const std::function<void(const Outcome&)>& each = {}) {
  Scope scope;
  std::vector<Outcome> outcomes;
  for (const Statement& statement : splitStatements(document)) {
    if (options.prove.cancel != nullptr && options.prove.cancel->load()) break;
    outcomes.push_back(runStatement(statement, scope, options));
    if (each) each(outcomes.back());
  }
  return outcomes;
}

}  // namespace tessera
