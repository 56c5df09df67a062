// Pasted: a text in a format of another tool, read (core/paste) and evaluated.
//
//     evaluatePaste("using A = Layout<Shape<_8,Int<kN>>>;", {.lets = {{"kN", "64"}}})
//         reading.dialect   "CuTe C++"
//         outcomes          A = (_8,_64):(_1,_8)
//         scope             A and X, its last value
//
// Laws: without questions, every statement of the reading has an outcome. X is the last value unless the text binds X
// itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "core/paste/paste.h"

namespace tessera {

struct Pasted {
  paste::Reading reading;
  std::vector<Outcome> outcomes;  // of the statements; places are in the pasted text
  Scope scope;
  Shared<Value> last;
  std::string lastName;  // "X" if no statement names it
  // A statement failed, a claim is refuted or unknown, or something is asked.
  [[nodiscard]] bool complete() const;
};

// "shm=[32, 32]" -> {"shm", "(32, 32)"}; a Diag without `=`.
[[nodiscard]] Result<std::pair<std::string, std::string>> readLet(std::string_view text);
// "row=64"
[[nodiscard]] Result<std::pair<std::string, i64>> readOver(std::string_view text);

// A text for a command that takes worksheets: itself, or the statements that its dialect reads.
struct AsWorksheet {
  std::string text;
  std::string dialect;  // "": the text itself
  std::vector<std::string> notes;
};
// A Diag for a question, and for a text that surely is of a dialect but cannot be read.
[[nodiscard]] Result<AsWorksheet> asWorksheet(std::string_view text, const EngineOptions& options = {});
// The same of a text after others: one that uses a name that the scope binds is text of the worksheet.
[[nodiscard]] Result<AsWorksheet> asWorksheet(std::string_view text, const EngineOptions& options, const Scope& scope);

// A Diag if the text cannot be read. With questions, nothing is evaluated.
[[nodiscard]] Result<Pasted> evaluatePaste(std::string_view text, const paste::Given& given,
                                           const EngineOptions& options = {});

}  // namespace tessera
