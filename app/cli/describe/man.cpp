#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/describe/description.h"
#include "core/base/words.h"

namespace tessera {
namespace {

// Text of the page: no character of it is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^' || c == '~')
      out += c == '^' ? "\\(ha" : "\\(ti";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

// "print this" as "Print this."
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text.ends_with('.') ? text : text + ".";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

// The parts of a footer.
struct Footer {
  std::string usage, notes, exit;
};

Footer partsOf(std::string_view footer) {
  constexpr std::string_view kUsage = "Usage: ", kMargin = "       ", kExit = "  Exit ";
  Footer out;
  std::string* part = &out.usage;
  for (std::string_view line : textLines(footer)) {
    if (line.starts_with(kUsage))
      line.remove_prefix(kUsage.size());
    else if (part == &out.usage && line.starts_with(kMargin))
      line.remove_prefix(kMargin.size());
    else if (line.starts_with(kExit))
      part = &out.exit;
    else if (part == &out.usage)
      part = &out.notes;
    if (part != &out.usage && line.starts_with("  ")) line.remove_prefix(2);
    *part += roff(line) + "\n";
  }
  return out;
}

std::string optionsOf(const CommandText& command) {
  std::string out = ".SH OPTIONS\n";
  for (const OptionText& o : command.options) {
    std::vector<std::string> names;
    for (const std::string& name : o.names) names.push_back("\\fB" + roff(name) + "\\fR");
    out += fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                       o.value.empty() ? "" : " \\fI" + roff(o.value) + "\\fR", roff(sentence(o.what)));
  }
  return out;
}

std::string pageOfCommand(const CommandText& command, std::string_view version) {
  const Footer parts = partsOf(command.footer);
  std::string out = fmt::format(".TH \"{}\" 1 \"\" \"tessera {}\" \"User Commands\"\n",
                                upper("tessera\\-" + roff(command.name)), version);
  out += fmt::format(".SH NAME\ntessera\\-{} \\- {}\n", roff(command.name), roff(command.what));
  out += ".SH SYNOPSIS\n.nf\n" + parts.usage + ".fi\n";
  if (!command.aliases.empty())
    out += fmt::format(".SH DESCRIPTION\nAlso \\fBtessera {}\\fR.\n", roff(command.aliases.front()));
  out += optionsOf(command);
  if (!parts.notes.empty()) out += ".SH NOTES\n.nf\n" + parts.notes + ".fi\n";
  if (!parts.exit.empty()) out += ".SH EXIT STATUS\n" + parts.exit;
  return out + ".SH SEE ALSO\n.BR tessera (1)\n";
}

std::string pageOfProgram(const CommandText& program, std::string_view version) {
  std::string out = fmt::format(".TH TESSERA 1 \"\" \"tessera {}\" \"User Commands\"\n", version);
  out += ".SH NAME\ntessera \\- tensor layouts: see them, prove claims about them, run kernels\n";
  out += ".SH SYNOPSIS\n.nf\ntessera [OPTIONS] [FILE]\ntessera COMMAND ...\n.fi\n";
  out += ".SH DESCRIPTION\n" + roff(program.what) + "\n.PP\nWithout a command, opens the window.\n.SH COMMANDS\n";
  for (const CommandText& c : program.commands)
    out += fmt::format(".TP\n\\fBtessera {}\\fR\n{}\n", roff(c.name), roff(sentence(c.what)));
  out += optionsOf(program) + ".SH SEE ALSO\n";
  for (const CommandText& c : program.commands)
    out += fmt::format(".BR tessera\\-{} (1){}\n", roff(c.name), &c == &program.commands.back() ? "" : ",");
  return out;
}

}  // namespace

std::optional<std::string> manPage(const CommandText& program, std::string_view version, std::string_view command) {
  if (command.empty()) return pageOfProgram(program, version);
  for (const CommandText& c : program.commands)
    if (c.name == command) return pageOfCommand(c, version);
  return std::nullopt;
}

}  // namespace tessera
