// CheckReport: what `tessera check` prints, in each of its formats.
//
//     text      a line per claim, and a summary per file
//     json      an object per claim, and one per file
//     github    a workflow command per finding
//     gitlab    one document of all findings at the end
//     sarif     one document of all findings at the end
//
// Law: the findings (app/engine/findings/finding.h) are the same in all formats; a statement that holds is printed in
// text and json only. tests/cli/check_source.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/io/output.h"
#include "app/cli/io/report.h"
#include "app/engine/findings/finding.h"
#include "app/engine/json.h"
#include "app/engine/lesson.h"

namespace tessera {

enum class CheckFormat : unsigned char { Text, Json, Github, Gitlab, Sarif };
// A Diag with the nearest name.
[[nodiscard]] Result<CheckFormat> checkFormat(const std::string& word);

// A file that is being checked.
struct CheckedFile {
  std::string name;
  std::string_view document;
  const LineIndex& index;
};

class CheckReport {
 public:
  // `several`: text names each file.
  CheckReport(CheckFormat format, bool several, Output& out);

  [[nodiscard]] CheckFormat format() const { return format_; }
  // Whether findings need the edits that make a claim true.
  [[nodiscard]] bool annotates() const { return format_ != CheckFormat::Text && format_ != CheckFormat::Json; }

  void begin(const std::string& file);
  // Counts it, too.
  void outcome(const Outcome& outcome, const CheckedFile& file, const std::vector<ReadDeclaration>& reads,
               Tally& tally);
  void note(const Diag& note, const CheckedFile& file);
  void trial(const std::string& file, const TriedTask& task, const TaskTrial& trial);
  // A specification of a program that has this truth: what json and text print.
  void specification(Truth truth, int line, const std::string& json, const std::string& checklist,
                     const CheckedFile& file);
  // A finding of a module.
  void finding(Finding finding);
  void summary(const Tally& tally, const std::string& file, double seconds, const std::string& text = "");
  void unreadable(const std::string& file, const Diag& diag);
  void refused(const std::string& file, const Diag& diag, std::string_view document);
  // A source file whose comments have no statement.
  void nothing(const std::string& file);
  // How many source files have no statements, and the document of formats that have one.
  void end(bool succeeded, int exitCode);

 private:
  [[nodiscard]] std::string sign(Truth truth) const;
  [[nodiscard]] std::string mark(const Outcome& outcome) const;
  void line(const Outcome& outcome, const CheckedFile& file, const std::vector<ReadDeclaration>& reads);

  CheckFormat format_;
  bool several_;
  Output& out_;
  Complaints complaints_;
  bool colours_ = false;
  std::vector<Finding> findings_;      // for a document at the end
  std::vector<std::string> unmarked_;  // source files without statements
};

}  // namespace tessera
