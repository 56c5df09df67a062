#include "render/ink/html.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/engine/prose.h"
#include "app/engine/report/page.h"
#include "app/engine/report/report.h"
#include "render/ink/page.h"

namespace tessera {
namespace {

constexpr std::size_t kMostText = 20000;  // of a value or a message

std::string escapedStart(const std::string& text) {
  return xmlEscaped(std::string_view(text).substr(0, kMostText)) + (text.size() > kMostText ? " ..." : "");
}

std::string inlineMarkup(std::string_view text, std::size_t begin) {
  std::string out;
  for (const ProseSpan& span : proseSpans(text, begin, text.size())) {
    const std::string words = xmlEscaped(text.substr(span.begin, span.end - span.begin));
    const char* const tag = span.ink == Ink::Code       ? "code"
                            : span.ink == Ink::Strong   ? "b"
                            : span.ink == Ink::Emphasis ? "em"
                                                        : nullptr;  // a link of a sheet leads nowhere from a page
    out += tag != nullptr ? fmt::format("<{0}>{1}</{0}>", tag, words) : words;
  }
  return out;
}

// Headings, lists, paragraphs and text that is kept as written, as in the window (app/engine/prose.h).
std::string prose(std::string_view text) {
  std::string out, open;  // the tags that are to be closed
  CommentLine block;      // that they belong to
  const auto close = [&] { out += std::exchange(open, {}); };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = fmt::format("// {}", text.substr(at, end - at));
    at = end + 1;
    const CommentLine read = readComment(line, 0, line.size()).value_or(CommentLine{});
    const std::string words = inlineMarkup(line, read.content);
    if (!open.empty() && flowsOn(block, read)) {
      out += "\n" + words;
      continue;
    }
    const bool verbatim = read.kind == CommentKind::Verbatim;
    if (verbatim && block.kind == CommentKind::Verbatim && !open.empty()) {
      out += "\n" + xmlEscaped(std::string_view(line).substr(3));
      continue;
    }
    block = read;
    if (read.kind == CommentKind::Item) {
      const std::string mark = line.substr(read.markBegin, read.markEnd - read.markBegin);
      const bool numbered = mark.back() == '.';
      const std::string list = numbered ? "ol" : "ul", ends = fmt::format("</li></{}>\n", list);
      if (open != ends) {
        close();
        out += fmt::format("<{}>", list);
      } else {
        out += "</li>\n";
      }
      open = ends;
      out += numbered ? fmt::format("<li value=\"{}\">{}", mark.substr(0, mark.size() - 1), words) : "<li>" + words;
      continue;
    }
    close();
    if (read.kind == CommentKind::Heading) {
      out += fmt::format("<h{0}>{1}</h{0}>\n", read.level, words);
    } else if (verbatim) {
      out += "<pre>" + xmlEscaped(std::string_view(line).substr(3));
      open = "</pre>\n";
    } else if (read.kind == CommentKind::Text) {
      out += "<p>" + words;
      open = "</p>\n";
    }
  }
  close();
  return out;
}

std::string answer(std::string_view kind, std::string_view word, const std::string& rest) {
  return fmt::format("<p class=\"a {}\"><b>{}</b> {}</p>\n", kind, word, rest);
}

std::string verdictMarkup(const Verdict& v) {
  const char* mark = v.truth == Truth::Proved ? "\u2713" : v.truth == Truth::Refuted ? "\u2717" : "?";
  std::string rest = fmt::format("<code>{}</code>", escapedStart(v.claim));
  if (!v.method.empty()) rest += fmt::format(" <span class=\"m\">{}</span>", escapedStart(v.method));
  const std::string& why = whyOf(v);
  if (!why.empty()) rest += "<br>" + escapedStart(why);
  return answer(name(v.truth), fmt::format("{} {}", mark, name(v.truth)), rest);
}

std::string taskMarkup(const ReportPart& part) {
  std::string rest = escapedStart(part.text);
  if (!part.solved && part.verdict && !whyOf(*part.verdict).empty())
    rest += "<br>" + escapedStart(whyOf(*part.verdict));
  return answer(part.solved ? "proved" : "unknown", part.solved ? "\u2713 solved" : "not yet", rest);
}

class PageWriter {
 public:
  std::string page(const std::string& title, const std::vector<ReportPart>& parts) {
    std::string body;
    for (const ReportPart& part : parts) body += markup(part);
    std::string style;
    for (std::string_view rest = page::kStyle; !rest.empty();) style += styleUpToName(rest);
    const std::string dark = tones_.rules(true), light = tones_.rules(false);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"generator\" content=\"Tessera\">\n"
        "<title>{}</title>\n<style>:root{{color-scheme:light;{}}}\n"
        "@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{}}}}}\n"
        "@media screen{{:root[data-theme=dark]{{color-scheme:dark;{}}}}}{}</style>\n</head>\n<body>\n"
        "<button id=\"t\">light / dark</button>\n{}<script>{}</script>\n</body>\n</html>\n",
        page::kScriptHash, xmlEscaped(title), light, dark, dark, style, body, page::kScript);
  }

 private:
  // The style up to and with the next name of a colour, which is replaced by the colour.
  std::string styleUpToName(std::string_view& rest) {
    static constexpr std::pair<std::string_view, Role> kNames[] = {
        {"@text", Role::Text},       {"@muted", Role::Muted},     {"@faint", Role::Faint},
        {"@line", Role::Hairline},   {"@panel", Role::Panel},     {"@proved", Role::Proved},
        {"@refuted", Role::Refuted}, {"@unknown", Role::Unknown}, {"@lit", Role::Accent}};
    const std::size_t at = rest.find('@', 0);
    std::string out(rest.substr(0, at));
    if (at == std::string_view::npos) {
      rest = {};
      return out;
    }
    rest.remove_prefix(at);
    std::size_t length = 1;
    std::string colour = "@";
    if (rest.starts_with("@canvas")) {
      length = 7;
      colour = tones_.name(tones_.canvas());
    }
    for (const auto& [name, role] : kNames) {
      if (!rest.starts_with(name)) continue;
      length = name.size();
      colour = tones_.name(tones_.of({role}));
    }
    rest.remove_prefix(length);
    return out + colour;
  }

  std::string markup(const ReportPart& part) {
    switch (part.kind) {
      case ReportPart::Kind::Prose:
        return prose(part.text);
      case ReportPart::Kind::Code:
        return fmt::format("<pre><code>{}</code></pre>\n", xmlEscaped(part.text));
      case ReportPart::Kind::Pending:
        return answer("unknown", "?", "not answered yet");
      case ReportPart::Kind::Error:
        return answer("error", "error", escapedStart(part.text));
      case ReportPart::Kind::Verdict:
        return verdictMarkup(*part.verdict);
      case ReportPart::Kind::Task:
        return taskMarkup(part);
      case ReportPart::Kind::Value:
        return fmt::format("<p class=\"v\">= {}</p>\n", escapedStart(part.text));
      case ReportPart::Kind::Holds:
        return answer("proved", "\u2713 holds", "");
      case ReportPart::Kind::Picture:
        return picture(*part.figure);
    }
    return {};
  }

  std::string picture(const Figure& figure) {
    const HtmlPicture drawn = htmlPicture(figure, tones_, fmt::format("f{}g", ++pictures_));
    std::string head = fmt::format("<b>{}</b>", xmlEscaped(figure.title));
    if (!figure.subtitle.empty()) head += fmt::format(" <code>{}</code>", escapedStart(figure.subtitle));
    std::string badges;
    for (const FigureBadge& b : figure.badges) badges += fmt::format("<span class=\"b\">{}</span>", xmlEscaped(b.text));
    if (!badges.empty()) head += "<br>" + badges;
    std::string caption = escapedStart(figure.caption);
    if (!drawn.note.empty()) caption += (caption.empty() ? "" : " ") + xmlEscaped(drawn.note);
    return fmt::format(
        "<figure data-points=\"{}\"><header><span class=\"z\"><button value=\"0.8\" "
        "aria-label=\"smaller\">\u2212</button><button value=\"1.25\" aria-label=\"larger\">+</button><button "
        "value=\"0\">fit</button></span>{}</header>\n<div class=\"p\">{}</div>\n<figcaption>{}<div class=\"at\" "
        "aria-live=\"polite\"></div></figcaption></figure>\n",
        xmlEscaped(drawn.points), head, drawn.svg, caption);
  }

  Tones tones_{Theme::Light, Theme::Dark};
  int pictures_ = 0;
};

}  // namespace

bool isPage(std::string_view file) { return file.ends_with(".html"); }

std::string titleOf(const std::vector<ReportPart>& parts, const std::string& file) {
  for (const ReportPart& part : parts)
    if (part.kind == ReportPart::Kind::Prose && part.text.starts_with("# "))
      return part.text.substr(2, part.text.find('\n') - 2);
  return std::filesystem::path(file).stem().string();
}

std::string htmlOf(const std::string& title, const std::vector<ReportPart>& parts) {
  return PageWriter().page(title, parts);
}

}  // namespace tessera
