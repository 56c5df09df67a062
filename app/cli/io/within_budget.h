// Reads a command's input within the budget of a statement: input that is too large, or interrupted by Ctrl-C, is a
// Diag.
//
//     TESSERA_TRY(auto listing, withinBudget(seconds, [&] { return graphene::readListing(file, text); }));
#pragma once

#include <utility>

#include "app/cli/io/signals.h"
#include "core/base/result.h"
#include "core/base/work_budget.h"

namespace tessera {

// For commands without --budget.
inline constexpr double kReadSeconds = 10;

template <typename Read>
auto withinBudget(double seconds, Read read, const char* hint = "a smaller text, or more: --budget SECONDS")
    -> decltype(read()) {
  const WorkBudget limit({.seconds = seconds, .cancel = &interrupted()});
  try {
    return read();
  } catch (const OutOfBudget& end) {
    return Diag{end.what(), "", end.cancelled() ? "" : hint};
  }
}

}  // namespace tessera
