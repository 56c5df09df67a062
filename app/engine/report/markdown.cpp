#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/engine/report/report.h"

namespace tessera {
namespace {

// Long enough for any layout; a table of a kernel is a picture.
constexpr std::size_t kMostValue = 2000;

std::string quoted(const std::string& text) {
  std::string line = text.substr(0, kMostValue);
  std::ranges::replace(line, '\n', ' ');
  const char* ticks = line.find('`') == std::string::npos ? "`" : "``";
  return fmt::format("{}{}{}{}", ticks, line, ticks, text.size() > kMostValue ? " ..." : "");
}

std::string verdictText(const Verdict& v) {
  std::string text = fmt::format("**{}** {}", name(v.truth), quoted(v.claim));
  if (!v.method.empty()) text += fmt::format(" ({})", v.method);
  const std::string& why = whyOf(v);
  return why.empty() ? text : text + ": " + why;
}

std::string taskText(const ReportPart& part) {
  std::string text = fmt::format("**{}** {}", part.solved ? "solved" : "not yet", part.text);
  if (!part.solved && part.verdict && !whyOf(*part.verdict).empty()) text += ": " + whyOf(*part.verdict);
  return text;
}

}  // namespace

Report reportOf(const ReportInput& input) {
  Report out;
  for (const ReportPart& part : partsOf(input)) {
    std::string text = part.text;
    switch (part.kind) {
      case ReportPart::Kind::Prose:
        break;
      case ReportPart::Kind::Code:
        text = fmt::format("```\n{}\n```", part.text);
        break;
      case ReportPart::Kind::Pending:
        text = "*not answered yet*";
        break;
      case ReportPart::Kind::Error:
        text = "**error**: " + part.text;
        break;
      case ReportPart::Kind::Verdict:
        text = verdictText(*part.verdict);
        break;
      case ReportPart::Kind::Task:
        text = taskText(part);
        break;
      case ReportPart::Kind::Value:
        text = "= " + quoted(part.text);
        break;
      case ReportPart::Kind::Holds:
        text = "**holds**";
        break;
      case ReportPart::Kind::Picture: {
        std::string alt = part.figure->title;
        std::erase_if(alt, [](char c) { return c == '[' || c == ']' || c == '\n'; });
        const std::string file =
            fmt::format("{}/{}-{}.svg", input.folder, out.pictures.size() + 1, fileNameOf(part.figure->title));
        text = fmt::format("![{}]({})", alt, file);
        out.pictures.push_back({file, *part.figure});
        break;
      }
    }
    while (text.ends_with('\n')) text.pop_back();
    out.markdown += text + "\n\n";
  }
  return out;
}

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
