#include "app/engine/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

// Long enough for any layout; a table of a kernel is a picture.
constexpr std::size_t kMostValue = 2000;

class Writer {
 public:
  explicit Writer(const ReportInput& input) : in_(input) {}

  Report run() {
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
    endCode();
    return std::move(out_);
  }

 private:
  // What is between statements: comments become text, which is light Markdown already.
  void comments(std::size_t from, std::size_t to) {
    std::string text;
    bool blank = false;
    while (from < to) {
      const std::size_t end = std::min(in_.text.find('\n', from), to);
      std::string_view line = std::string_view(in_.text).substr(from, end - from);
      const std::size_t slashes = line.find("//");
      if (slashes != std::string_view::npos) {
        line.remove_prefix(slashes + 2);
        if (line.starts_with(' ')) line.remove_prefix(1);
        text += std::string(line) + "\n";
      } else {
        blank = blank || line.find_first_not_of(" \t\r;") == std::string_view::npos;
        if (!text.empty() && !text.ends_with("\n\n")) text += "\n";
      }
      from = end + 1;
    }
    if (text.find_first_not_of('\n') == std::string::npos) return;
    endCode();
    paragraph(text);
  }

  void code(const std::string& text) {
    if (!inCode_) out_.markdown += "```\n";
    inCode_ = true;
    out_.markdown += text + "\n";
  }
  void endCode() {
    if (inCode_) out_.markdown += "```\n\n";
    inCode_ = false;
  }
  void paragraph(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    out_.markdown += text + "\n\n";
  }

  static std::string quoted(const std::string& text) {
    std::string line = text.substr(0, kMostValue);
    std::ranges::replace(line, '\n', ' ');
    const char* ticks = line.find('`') == std::string::npos ? "`" : "``";
    return fmt::format("{}{}{}{}", ticks, line, ticks, text.size() > kMostValue ? " ..." : "");
  }

  void answer(const Outcome& o) {
    if (o.pending) {
      endCode();
      return paragraph("*not answered yet*");
    }
    if (o.diag) {
      endCode();
      paragraph(fmt::format("**error**: {}{}", o.diag->message, o.diag->hint.empty() ? "" : "; " + o.diag->hint));
    }
    if (o.learner.task) {
      task(o);
    } else if (o.verdict) {
      verdict(*o.verdict);
    }
    const bool says = o.statement.kind == StatementKind::Expression || o.statement.kind == StatementKind::Find;
    if (o.value && !o.verdict && says) {
      const std::string text = textOf(*o.value);
      if (text != o.statement.text) {
        endCode();
        paragraph("= " + quoted(text));
      }
    }
    if (o.statement.kind == StatementKind::Assert && o.value && !o.diag && !o.verdict) {
      endCode();
      paragraph("**holds**");
    }
    if (o.figure) picture(*o.figure);
  }

  void task(const Outcome& o) {
    endCode();
    std::string text = fmt::format("**{}** {}", o.solved() ? "solved" : "not yet", o.learner.task->title);
    if (!o.solved() && o.verdict) {
      const bool shown = o.verdict->truth == Truth::Refuted && o.verdict->counterexample;
      const std::string& why = shown ? o.verdict->counterexample->text : o.verdict->detail;
      if (!why.empty()) text += ": " + why;
    }
    paragraph(text);
  }

  void verdict(const Verdict& v) {
    endCode();
    std::string text = fmt::format("**{}** {}", name(v.truth), quoted(v.claim));
    if (!v.method.empty()) text += fmt::format(" ({})", v.method);
    if (v.truth == Truth::Refuted && v.counterexample) {
      text += ": " + v.counterexample->text;
    } else if (!v.detail.empty()) {
      text += ": " + v.detail;
    }
    paragraph(text);
  }

  void picture(const Figure& figure) {
    endCode();
    const std::string file =
        fmt::format("{}/{}-{}.svg", in_.folder, out_.pictures.size() + 1, fileNameOf(figure.title));
    std::string alt = figure.title;
    std::erase_if(alt, [](char c) { return c == '[' || c == ']' || c == '\n'; });
    paragraph(fmt::format("![{}]({})", alt, file));
    out_.pictures.push_back({file, figure});
  }

  const ReportInput& in_;
  Report out_;
  bool inCode_ = false;
};

}  // namespace

Report reportOf(const ReportInput& input) { return Writer(input).run(); }

std::string fileNameOf(std::string_view title) {
  std::string out;
  for (const char c : title) {
    if (out.size() >= 40) break;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

}  // namespace tessera
