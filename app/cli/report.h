// Outcomes as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "app/cli/json.h"
#include "app/cli/output.h"
#include "app/engine/engine.h"

namespace tessera {

inline constexpr std::size_t kMaxPrintedBytes = 1 << 20;  // longer results are cut, with a note

// What eval prints for an outcome: the value, the picture of a show, the verdict. May be empty.
[[nodiscard]] std::string textOf(const Outcome& outcome);
// "proved   injective(S)   F2 rank, 0.02 ms   (why)"; if refuted, the counterexample on a second line.
[[nodiscard]] std::string textOf(const Verdict& verdict);
// The canonical text of a value, cut at kMaxPrintedBytes.
[[nodiscard]] std::string printLimited(const Value& value);

// Reports errors: with --json as an object on standard output, else as a message on standard error.
class Complaints {
 public:
  Complaints(bool json, Output& out) : json_(json), out_(out) {}
  [[nodiscard]] bool json() const { return json_; }
  // "error: line 2, column 7: ..."
  void at(const Diag& diag, std::string_view text, const LineIndex& index) const;
  // "tessera: cannot read 'x': ..."
  void say(const Diag& diag) const;
  void say(std::string message) const { say(Diag{std::move(message), "", "", {}}); }
  // "tessera: 'x.hlo': line 2, column 7: ..."
  void in(const std::string& file, const Diag& diag, std::string_view text) const;
  // Reports a refuted or unknown verdict.
  void verdict(const Outcome& outcome, const LineIndex& index) const;

 private:
  bool json_;
  Output& out_;
};

}  // namespace tessera
