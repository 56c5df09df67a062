#include <algorithm>

#include "app/engine/report/report.h"
#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

class PartWriter {
 public:
  explicit PartWriter(const ReportInput& input) : in_(input) {}

  std::vector<ReportPart> run() {
    std::size_t at = 0;
    for (const auto& o : in_.outcomes) {
      const Span span = o->statement.span;
      if (span.begin < at || span.end > in_.text.size()) continue;
      comments(at, span.begin);
      code(o->statement.text);
      answer(*o);
      at = span.end;
    }
    comments(at, in_.text.size());
    return std::move(out_);
  }

 private:
  using Kind = ReportPart::Kind;

  // What is between statements: comments become text, which is light Markdown already.
  void comments(std::size_t from, std::size_t to) {
    std::string text;
    while (from < to) {
      const std::size_t end = std::min(in_.text.find('\n', from), to);
      std::string_view line = std::string_view(in_.text).substr(from, end - from);
      const std::size_t slashes = line.find("//");
      if (slashes != std::string_view::npos) {
        line.remove_prefix(slashes + 2);
        if (line.starts_with(' ')) line.remove_prefix(1);
        text += std::string(line) + "\n";
      } else if (!text.empty() && !text.ends_with("\n\n")) {
        text += "\n";
      }
      from = end + 1;
    }
    while (text.ends_with('\n')) text.pop_back();
    if (text.find_first_not_of('\n') != std::string::npos) out_.push_back({Kind::Prose, text});
  }

  void code(const std::string& text) {
    if (out_.empty() || out_.back().kind != Kind::Code)
      out_.push_back({Kind::Code, text});
    else
      out_.back().text += "\n" + text;
  }

  void answer(const Outcome& o) {
    if (o.pending) return out_.push_back({Kind::Pending});
    if (o.diag) out_.push_back({Kind::Error, o.diag->message + (o.diag->hint.empty() ? "" : "; " + o.diag->hint)});
    if (o.learner.task)
      out_.push_back({Kind::Task, o.learner.task->title, o.verdict, o.solved()});
    else if (o.verdict)
      out_.push_back({Kind::Verdict, "", *o.verdict});
    const bool says = o.statement.kind == StatementKind::Expression || o.statement.kind == StatementKind::Find;
    if (o.value && !o.verdict && says) {
      const std::string text = textOf(*o.value);
      if (text != o.statement.text) out_.push_back({Kind::Value, text});
    }
    if (o.statement.kind == StatementKind::Assert && o.value && !o.diag && !o.verdict) out_.push_back({Kind::Holds});
    if (o.figure) out_.push_back({Kind::Picture, "", std::nullopt, false, std::make_shared<const Figure>(*o.figure)});
  }

  const ReportInput& in_;
  std::vector<ReportPart> out_;
};

}  // namespace

const std::string& whyOf(const Verdict& v) {
  return v.truth == Truth::Refuted && v.counterexample ? v.counterexample->text : v.detail;
}

std::vector<ReportPart> partsOf(const ReportInput& input) { return PartWriter(input).run(); }

}  // namespace tessera
