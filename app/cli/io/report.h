// Error reports of the commands. The text of outcomes is in app/engine/engine.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "app/cli/io/output.h"
#include "app/cli/io/signals.h"
#include "app/engine/engine.h"
#include "app/engine/json.h"
#include "core/base/work_budget.h"

namespace tessera {

// Reports errors: with --json as an object on standard output, else as a message on standard error.
class Complaints {
 public:
  Complaints(bool json, Output& out) : json_(json), out_(out) {}
  [[nodiscard]] bool json() const { return json_; }
  // "error: line 2, column 7: ..."
  void at(const Diag& diag, std::string_view text, const LineIndex& index) const {
    report("error: ", diag, text, index, "");
  }
  // "tessera: cannot read 'x': ..."; with --json the object also names the file.
  void say(const Diag& diag, const std::string& file = "") const { report("tessera: ", diag, "", LineIndex(""), file); }
  void say(std::string message) const { say(Diag{std::move(message)}); }
  // "tessera: 'x.hlo': line 2, column 7: ..."
  void in(const std::string& file, const Diag& diag, std::string_view text) const {
    report("tessera: '" + file + "': ", diag, text, LineIndex(text), file);
  }
  // Reports a refuted or unknown verdict.
  void verdict(const Outcome& outcome, const LineIndex& index) const;

 private:
  void report(const std::string& lead, const Diag& diag, std::string_view text, const LineIndex& index,
              const std::string& file) const;

  bool json_;
  Output& out_;
};

// Reads a command's input within the budget of a statement: input that is too large, or interrupted by Ctrl-C, is a
// Diag.
//
//     TESSERA_TRY(auto listing, withinBudget(seconds, [&] { return graphene::readListing(file, text); }));
template <typename Read>
auto withinBudget(double seconds, Read read, const char* hint = "a shorter text, or a larger --budget SECONDS")
    -> decltype(read()) {
  const WorkBudget limit({.seconds = seconds, .cancel = &interrupted()});
  try {
    return read();
  } catch (const OutOfBudget& end) {
    return Diag{end.what(), "", end.cancelled() ? "" : hint};
  }
}

// The seconds of commands without --budget.
inline constexpr double kReadSeconds = 10;

}  // namespace tessera
