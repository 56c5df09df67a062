// Finding: a statement that does not hold, as a tool for pull requests shows it: a rule, a place, a message.
//
//     kernel.cu:19    __shared__ half B[64][64];  // tessera: prove conflict_free(B, ldmatrix.x4, fp16)
//         rule      refuted
//         region    line 19, columns 45 to 88: the statement's bytes
//         message   refuted: conflict_free(B, ldmatrix.x4, fp16)
//                   at (0,0), phase 0: bank 0 must deliver 8 words: ...
//                   It holds with B = Sw<3,3,3> o 0 o (64,64):(64,1)
//
// Laws (tests/cli/check_source.py): there is a finding iff the statement does not hold; `marked` is the text of the
// file at the region; a fingerprint does not depend on the lines around the statement.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "app/engine/source/source_sheet.h"
#include "core/worksheet/language/place.h"

namespace tessera {

enum class FindingRule : unsigned char { Refuted, Unknown, Failed, ParseError };

struct FindingRuleInfo {
  std::string_view id, name, what;
  bool isError;  // else a warning
};
[[nodiscard]] const FindingRuleInfo& infoOf(FindingRule rule);

struct Finding {
  FindingRule rule = FindingRule::Failed;
  std::string file;
  Span span;              // in the file
  LineColumn begin, end;  // 1-based, columns in code points; `end` is after the last one
  std::string title;      // one line: "refuted: injective(A)"
  std::string message;    // title and details, in lines
  std::string marked;     // the text at the region, at most one line
  std::string subject;    // what the fingerprint depends on: the statement
};

// nullopt: it holds, or claims nothing.
[[nodiscard]] std::optional<Finding> findingOf(const Outcome& outcome, const std::vector<ReadDeclaration>& reads,
                                               const std::string& file, std::string_view document,
                                               const LineIndex& index);
// An input that cannot be read.
[[nodiscard]] Finding findingOf(const Diag& diag, const std::string& file, std::string_view document);
// A whole line of a program or a module.
[[nodiscard]] Finding findingAt(FindingRule rule, int line, std::string message, const std::string& file,
                                std::string_view document);

// The path as a tool for pull requests wants it: relative to this folder if it is below it, without "./".
[[nodiscard]] std::string relativePath(const std::string& path);

// Numbers equal findings, so that each has its own.
class Fingerprints {
 public:
  // 16 hexadecimal digits of the rule, the file's statement, and how often that occurred before.
  [[nodiscard]] std::string next(const Finding& finding);

 private:
  std::map<std::string, int> seen_;
};

}  // namespace tessera
