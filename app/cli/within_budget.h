// What a command reads before its first statement, within the budget of one: a text that is too large for it, or was
// read in vain when Ctrl-C came, is a Diag.
//
//     TESSERA_TRY(auto listing, withinBudget(seconds, [&] { return graphene::readListing(file, text); }));
#pragma once

#include <utility>

#include "app/cli/signals.h"
#include "core/base/patience.h"
#include "core/base/result.h"

namespace tessera {

// Where a command has no --budget.
inline constexpr double kReadSeconds = 10;

template <typename Read>
auto withinBudget(double seconds, Read read, const char* hint = "a smaller text, or more: --budget SECONDS")
    -> decltype(read()) {
  const Patience patience({.seconds = seconds, .cancel = &interrupted()});
  try {
    return read();
  } catch (const OutOfPatience& end) {
    return Diag{end.what(), "", end.cancelled() ? "" : hint, {}};
  }
}

}  // namespace tessera
