#include "app/cli/commands/check_report.h"

#include <fmt/format.h>
#include <tessera/layout.h>
#include <unistd.h>

#include <array>

#include "app/engine/findings/annotations.h"
#include "app/engine/findings/sarif.h"
#include "app/engine/json_writer.h"
#include "app/engine/measure/run_program.h"
#include "app/engine/program/check_graphene.h"
#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 5> kFormats = {"text", "json", "github", "gitlab", "sarif"};

std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

// The verdict of a program, and the checklist of each specification that is not proved.
std::string programText(const Outcome& outcome, const CheckedFile& file) {
  std::string out = indented(textOf(*outcome.verdict));
  const std::size_t begin = file.document.find(outcome.program.listing->text);  // its block, earlier in the document
  if (begin == std::string_view::npos) return out;
  const ProgramText where{file.document, begin, ""};
  for (const graphene::SpecVerdict& spec : outcome.program.checked->specs)
    if (truthOf(spec) != Truth::Proved) out += "\n    " + indented(checklistOf(spec, where, file.index));
  return out;
}

// The text after the sign.
std::string human(const Outcome& outcome, const CheckedFile& file) {
  if (outcome.diag) return indented(printDiag(*outcome.diag, file.document, file.index));
  const int line = file.index.at(outcome.statement.span.begin).line;
  if (outcome.learner.task) return fmt::format("line {}: {}", line, indented(taskText(outcome)));
  if (outcome.program.checked) return fmt::format("line {}: {}", line, programText(outcome, file));
  if (outcome.verdict) return fmt::format("line {}: {}", line, indented(textOf(*outcome.verdict)));
  if (outcome.ran) return fmt::format("line {}: {}", line, summaryOf(*outcome.ran));
  if (outcome.value && outcome.statement.kind == StatementKind::Find)
    return fmt::format("line {}: found\n    {}", line, indented(printLimited(*outcome.value)));
  return fmt::format("line {}: holds    {}", line, cleaned(outcome.statement.text.substr(0, 200)).substr(7));
}

std::string tallyText(const Tally& t) {
  std::string out = fmt::format("{} proved", t.proved);
  if (t.asserted > 0) out += fmt::format(", {} assertion{} held", t.asserted, t.asserted == 1 ? "" : "s");
  if (t.tasks > 0) out += fmt::format(", {} of {} task{} solved", t.solved, t.tasks, t.tasks == 1 ? "" : "s");
  if (t.refuted > 0) out += fmt::format(", {} refuted", t.refuted);
  if (t.unknown > 0) out += fmt::format(", {} unknown", t.unknown);
  if (t.failed > 0) out += fmt::format(", {} failed", t.failed);
  if (t.interrupted) out += ", interrupted";
  return out;
}

bool isClaim(const Outcome& outcome) {
  return outcome.learner.task || outcome.statement.kind == StatementKind::Assert ||
         outcome.statement.kind == StatementKind::Prove;
}

void count(Truth truth, Tally& tally) {
  ++(truth == Truth::Proved ? tally.proved : truth == Truth::Refuted ? tally.refuted : tally.unknown);
}

void count(const Outcome& outcome, Tally& tally) {
  if (outcome.diag) {
    ++tally.failed;
  } else if (outcome.learner.task) {
    ++tally.tasks;
    tally.solved += outcome.solved() ? 1 : 0;
  } else if (outcome.verdict && isClaim(outcome)) {
    count(outcome.verdict->truth, tally);
  } else if (outcome.statement.kind == StatementKind::Assert) {
    ++tally.asserted;
  } else if (outcome.ran) {
    ++(outcome.ran->right() ? tally.asserted : outcome.ran->wrong() ? tally.refuted : tally.unknown);
  }
}

// The object with what the statement read from the code beside it.
std::string withReads(std::string json, const std::vector<ReadDeclaration>& reads) {
  if (reads.empty()) return json;
  JsonWriter more;
  more.beginArray();
  for (const ReadDeclaration& r : reads)
    more.beginObject().member("name", r.name).member("line", r.line).member("text", r.text).endObject();
  json.pop_back();
  return json + ",\"reads\":" + more.endArray().take() + "}";
}

}  // namespace

Result<CheckFormat> checkFormat(const std::string& word) {
  for (std::size_t k = 0; k < kFormats.size(); ++k)
    if (word == kFormats[k]) return static_cast<CheckFormat>(k);
  return Diag{fmt::format("'{}' is no format of check", word.substr(0, 60)), "text, json, github, gitlab or sarif",
              didYouMean(word, {kFormats.begin(), kFormats.end()})};
}

CheckReport::CheckReport(CheckFormat format, bool several, Output& out)
    : format_(format), several_(several), out_(out), complaints_(format == CheckFormat::Json, out) {
  colours_ = ::isatty(STDOUT_FILENO) != 0;
}

void CheckReport::begin(const std::string& file) {
  if (format_ == CheckFormat::Text && several_) (void)out_.line(file);
}

void CheckReport::outcome(const Outcome& outcome, const CheckedFile& file, const std::vector<ReadDeclaration>& reads,
                          Tally& tally) {
  count(outcome, tally);
  if (annotates()) {
    if (auto found = findingOf(outcome, reads, file.name, file.document, file.index)) finding(*std::move(found));
    return;
  }
  // A search has an answer, not a claim that can fail.
  if (!outcome.diag && !isClaim(outcome) && !outcome.ran && outcome.statement.kind != StatementKind::Find) return;
  line(outcome, file, reads);
}

void CheckReport::line(const Outcome& outcome, const CheckedFile& file, const std::vector<ReadDeclaration>& reads) {
  if (format_ == CheckFormat::Json) {
    (void)out_.line(withReads(jsonOf(outcome, file.index, JsonPlace{file.name, 0}), reads));
    return;
  }
  std::string text = human(outcome, file);
  for (const ReadDeclaration& r : reads)
    text += fmt::format("\n      {} of line {} = {}", r.name, r.line, r.text.substr(0, 200));
  for (const Correction& c : outcome.learner.corrections) text += "\n      it holds with " + c.after;
  (void)out_.line(text, mark(outcome));
}

void CheckReport::note(const Diag& note, const CheckedFile& file) {
  if (format_ != CheckFormat::Json) complain("note: " + indented(printDiag(note, file.document, file.index)));
}

void CheckReport::trial(const std::string& file, const TriedTask& task, const TaskTrial& trial) {
  static constexpr std::array kNames = {"shipped", "answer", "wrong"};
  const char* const of = kNames[static_cast<std::size_t>(trial.of)];
  if (format_ == CheckFormat::Json) {
    JsonWriter json;
    json.beginObject().member("ok", trial.asExpected()).member("kind", "trial").member("text", trial.why);
    json.member("title", task.title).member("of", of).member("edit", trial.edit).member("solved", trial.solved);
    (void)out_.line(json.member("file", file).member("line", task.line).endObject().take());
    return;
  }
  const std::string why = trial.asExpected() ? "" : "\n    " + indented(trial.why);
  const std::string edit = trial.edit.empty() ? "" : ": " + indented(trial.edit);
  const char* const was = trial.solved ? "solved " : "not yet";
  (void)out_.line(fmt::format("line {}: {}  {}, {}{}{}", task.line, was, task.title, of, edit, why),
                  sign(trial.asExpected() ? Truth::Proved : Truth::Refuted));
}

void CheckReport::specification(Truth truth, int at, const std::string& json, const std::string& checklist,
                                const CheckedFile& file) {
  if (format_ == CheckFormat::Json) {
    (void)out_.line(json);
  } else if (format_ == CheckFormat::Text) {
    (void)out_.line(checklist, sign(truth));
  } else if (truth != Truth::Proved) {
    const FindingRule rule = truth == Truth::Refuted ? FindingRule::Refuted : FindingRule::Unknown;
    finding(findingAt(rule, at, checklist, file.name, file.document));
  }
}

void CheckReport::finding(Finding finding) {
  if (format_ == CheckFormat::Github) {
    (void)out_.line(githubCommand(finding));
  } else {
    findings_.push_back(std::move(finding));
  }
}

void CheckReport::summary(const Tally& tally, const std::string& file, double seconds, const std::string& text) {
  if (format_ == CheckFormat::Json) (void)out_.line(jsonOf(tally, file, seconds));
  if (format_ == CheckFormat::Text)
    (void)out_.line(fmt::format("  {}  ({:.1f} ms)", text.empty() ? tallyText(tally) : text, seconds * 1e3));
}

void CheckReport::unreadable(const std::string& file, const Diag& diag) {
  complaints_.say(diag, file);
  if (annotates()) finding(findingOf(diag, file, ""));
}

void CheckReport::refused(const std::string& file, const Diag& diag, std::string_view document) {
  complaints_.in(file, diag, document);
  if (annotates()) finding(findingOf(diag, file, document));
}

void CheckReport::nothing(const std::string& file) { unmarked_.push_back(file); }

void CheckReport::end(bool succeeded, int exitCode) {
  if (format_ == CheckFormat::Text && !unmarked_.empty())
    (void)out_.line(fmt::format("  {}: no comment begins with `tessera:`",
                                unmarked_.size() == 1 ? unmarked_[0] : counted(unmarked_.size(), "file")));
  if (format_ == CheckFormat::Sarif) (void)out_.line(sarifLog(findings_, api::version(), succeeded, exitCode));
  if (format_ == CheckFormat::Gitlab) (void)out_.line(gitlabReport(findings_));
}

// The sign before a line, coloured on a terminal.
std::string CheckReport::sign(Truth truth) const {
  const char* sign = truth == Truth::Proved ? "\u2713" : truth == Truth::Unknown ? "?" : "\u2717";
  const int colour = truth == Truth::Proved ? 32 : truth == Truth::Unknown ? 33 : 31;
  return colours_ ? fmt::format("  \x1b[{}m{}\x1b[0m ", colour, sign) : fmt::format("  {} ", sign);
}

std::string CheckReport::mark(const Outcome& outcome) const {
  if (!outcome.diag && outcome.statement.kind == StatementKind::Find) return "  \u00b7 ";
  if (outcome.learner.task && !outcome.diag && !outcome.solved()) return sign(Truth::Unknown);
  const bool unknown = !outcome.diag && (outcome.ran ? !outcome.ran->wrong()
                                                     : outcome.verdict && outcome.verdict->truth == Truth::Unknown);
  return sign(outcome.holds() ? Truth::Proved : unknown ? Truth::Unknown : Truth::Refuted);
}

}  // namespace tessera
