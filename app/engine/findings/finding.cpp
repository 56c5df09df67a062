#include "app/engine/findings/finding.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "app/engine/measure/run_program.h"
#include "core/base/chars.h"
#include "core/worksheet/statements/task.h"

namespace tessera {
namespace {

constexpr std::size_t kMostMarked = 500;      // bytes
constexpr std::size_t kMostMessage = 10'000;  // bytes

constexpr std::array<FindingRuleInfo, 4> kRules = {
    {{"refuted", "RefutedClaim", "A claim is false; the message has a counterexample.", true},
     {"unknown", "UnknownClaim", "A claim is neither proved nor refuted; the message has the reason.", false},
     {"failed", "FailedStatement", "A statement has an error, or uses a declaration that cannot be read.", true},
     {"parse-error", "ParseError", "A statement or a file cannot be read at all.", true}}};

// On one line, without runs of blanks.
std::string oneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!isBlank(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

void place(Finding& finding, Span span, std::string_view document, const LineIndex& index) {
  span.begin = std::min(span.begin, document.size());
  span.end = std::clamp(span.end, span.begin, document.size());
  finding.span = span;
  finding.begin = index.at(span.begin);
  finding.end = index.at(span.end);
  std::string_view marked = document.substr(span.begin, span.end - span.begin);
  marked = marked.substr(0, std::min(marked.find_first_of("\r\n"), marked.size()));
  finding.marked = marked.substr(0, codePointStart(marked, kMostMarked));
}

void finish(Finding& finding) {
  finding.title = oneLine(finding.title);
  finding.message = cleaned(finding.message);
  if (finding.message.size() > kMostMessage)
    finding.message = finding.message.substr(0, codePointStart(finding.message, kMostMessage)) + " ...";
}

std::string detailsOf(const Diag& diag) {
  std::string out = diag.message;
  if (!diag.expected.empty()) out += "\nexpected: " + diag.expected;
  if (!diag.hint.empty()) out += "\nhint: " + diag.hint;
  return out;
}

FindingRule ruleOf(Truth truth) { return truth == Truth::Refuted ? FindingRule::Refuted : FindingRule::Unknown; }

// The rule, the title and the details of an outcome that has no diag.
void describe(const Outcome& outcome, Finding& finding, std::string& details) {
  if (outcome.learner.task) {
    const bool refuted = outcome.verdict && outcome.verdict->truth == Truth::Refuted;
    finding.rule = refuted ? FindingRule::Refuted : FindingRule::Unknown;
    finding.title = "task not solved: " + outcome.learner.task->title;
    const std::string text = taskText(outcome);
    if (const std::size_t line = text.find('\n'); line != std::string::npos) details = stripped(text.substr(line));
    return;
  }
  if (outcome.verdict) {
    const Verdict& v = *outcome.verdict;
    finding.rule = ruleOf(v.truth);
    finding.title = fmt::format("{}: {}", name(v.truth), v.claim);
    details = v.counterexample && v.truth == Truth::Refuted ? v.counterexample->text : v.detail;
    return;
  }
  finding.rule = outcome.ran && outcome.ran->wrong() ? FindingRule::Refuted : FindingRule::Unknown;
  finding.title = outcome.ran ? summaryOf(*outcome.ran) : "no answer";
}

bool mayFail(const Outcome& outcome) {
  return outcome.diag || outcome.ran || outcome.learner.task || outcome.statement.kind == StatementKind::Assert ||
         outcome.statement.kind == StatementKind::Prove;
}

std::uint64_t hashOf(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace

const FindingRuleInfo& infoOf(FindingRule rule) { return kRules[static_cast<std::size_t>(rule)]; }

std::optional<Finding> findingOf(const Outcome& outcome, const std::vector<ReadDeclaration>& reads,
                                 const std::string& file, std::string_view document, const LineIndex& index) {
  if (!mayFail(outcome) || outcome.holds()) return std::nullopt;
  Finding out;
  out.file = file;
  out.subject = oneLine(outcome.statement.text);
  std::string details;
  if (outcome.diag) {
    out.rule = outcome.statement.kind == StatementKind::Invalid ? FindingRule::ParseError : FindingRule::Failed;
    out.title = outcome.diag->message;
    details = detailsOf(*outcome.diag).substr(outcome.diag->message.size());
    place(out, outcome.diag->span.empty() ? outcome.statement.span : outcome.diag->span, document, index);
  } else {
    describe(outcome, out, details);
    place(out, outcome.statement.span, document, index);
  }
  out.message = out.title;
  if (!details.empty()) out.message += details.starts_with('\n') ? details : "\n" + details;
  for (const ReadDeclaration& r : reads)
    out.message += fmt::format("\n{} of line {} = {}", r.name, r.line, r.text.substr(0, 200));
  for (const Correction& c : outcome.learner.corrections) out.message += "\nIt holds with " + c.after;
  finish(out);
  return out;
}

Finding findingOf(const Diag& diag, const std::string& file, std::string_view document) {
  Finding out;
  out.rule = FindingRule::ParseError;
  out.file = file;
  out.title = diag.message;
  out.message = detailsOf(diag);
  out.subject = diag.message;
  place(out, diag.span, document, LineIndex(document));
  finish(out);
  return out;
}

Finding findingAt(FindingRule rule, int line, std::string message, const std::string& file, std::string_view document) {
  Finding out;
  out.rule = rule;
  out.file = file;
  std::size_t begin = 0;
  for (int k = 1; k < line && begin < document.size(); ++k)
    begin = std::min(document.find('\n', begin), document.size() - 1) + 1;
  std::size_t end = std::min(document.find_first_of("\r\n", begin), document.size());
  while (begin < end && isBlank(document[begin])) ++begin;
  out.subject = oneLine(document.substr(begin, end - begin));
  out.title = message.substr(0, message.find('\n'));
  out.message = std::move(message);
  place(out, {begin, end}, document, LineIndex(document));
  finish(out);
  return out;
}

std::string relativePath(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path given = fs::path(path).lexically_normal();
  if (!given.is_absolute()) return given.generic_string();
  const fs::path inside = given.lexically_relative(fs::current_path(error));
  const bool below = !error && !inside.empty() && *inside.begin() != "..";
  return (below ? inside : given).generic_string();
}

std::string Fingerprints::next(const Finding& finding) {
  const std::string key =
      fmt::format("{}\n{}\n{}", infoOf(finding.rule).id, relativePath(finding.file), finding.subject);
  return fmt::format("{:016x}", hashOf(fmt::format("{}\n{}", key, seen_[key]++)));
}

}  // namespace tessera
