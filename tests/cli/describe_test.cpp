// Manual pages and completions against the text of --help, read by itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "app/cli/describe/description.h"
#include "cli/process.h"

using namespace tessera;

namespace {

std::string helpOf(const std::string& command) {
  return run(command.empty() ? std::vector<std::string>{"--help"} : std::vector<std::string>{command, "--help"}).out;
}

// The first words of the lines of a section: "  -o,--output OUT ..." gives "-o,--output".
std::vector<std::string> sectionOf(const std::string& help, const std::string& title) {
  std::vector<std::string> out;
  std::stringstream in(help);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(' ')) inside = line == title;
    if (!inside || !line.starts_with("  ") || line.starts_with("   ")) continue;
    std::stringstream words(line);
    std::string word;
    words >> word;
    out.push_back(word.ends_with(',') ? word.substr(0, word.size() - 1) : word);
  }
  return out;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, ',');) out.push_back(word);
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

}  // namespace

TEST_CASE("pages and completions have every command and option of --help") {
  const std::string bash = run({"describe", "bash"}).out, zsh = run({"describe", "zsh"}).out,
                    fish = run({"describe", "fish"}).out, page = run({"describe", "man"}).out;
  const std::vector<std::string> commands = sectionOf(helpOf(""), "Subcommands:");
  REQUIRE(commands.size() >= 12);
  for (const std::string& command : commands) {
    INFO(command);
    CHECK(has(page, "\\fBtessera " + command + "\\fR"));
    CHECK(has(page, ".BR tessera\\-" + command + " (1)"));
    CHECK(has(bash, "\n    " + command + ") words='"));
    CHECK(has(zsh, "\n        '" + command + ":"));
    CHECK(has(fish, " -a " + command + " -d '"));
  }
  CHECK(has(bash, "\n    run) words='"));  // an alias
  std::vector<std::string> all = commands;
  all.emplace_back();
  for (const std::string& command : all) {
    const std::vector<std::string> options = sectionOf(helpOf(command), "Options:");
    REQUIRE(options.size() >= 2);
    const std::string own = command.empty() ? page : run({"describe", "man", command}).out;
    const std::size_t at = command.empty() ? bash.find("    *) words='") : bash.find("\n    " + command + ") words='");
    REQUIRE(at != std::string::npos);
    const std::string words =
        " " + bash.substr(bash.find('\'', at) + 1, bash.find("' files", at) - bash.find('\'', at) - 1) + " ";
    std::set<std::string> seen;
    for (const std::string& names : options)
      for (const std::string& name : split(names)) {
        INFO(command << " " << name);
        seen.insert(name);
        CHECK(has(own, "\\fB" + escaped(name) + "\\fR"));
        CHECK(has(words, " " + name + " "));
        CHECK(has(zsh, "'*" + name + "["));
      }
    CHECK(static_cast<std::size_t>(std::ranges::count(words, ' ')) == seen.size() + 1);  // and nothing else
  }
}

TEST_CASE("describe refuses what it does not know, and is not in the help") {
  CHECK(run({"describe", "powershell"}).exit == 2);
  CHECK(run({"describe", "man", "nothing"}).exit == 2);
  CHECK(has(run({"describe", "man", "nothing"}).err, "cannot describe 'nothing'"));
  CHECK_FALSE(has(helpOf(""), "describe"));
}

TEST_CASE("a text of a page is no request, and no text of a completion ends its quotes") {
  CommandText program{"tessera", {}, "what", "", true, {}, {}, {}};
  CommandText odd{
      "odd", {}, "it's [odd]: a\\b", "Usage: tessera odd\n  .SH not a title\n  'quoted'\n  Exit 0: -", true, {},
      {},    {}};
  odd.options.push_back({{"--x"}, "FILE", {}, ".TH it's [1:2] \\fB"});
  program.commands.push_back(odd);
  const std::string page = manPage(program, "1.0", "odd").value();
  CHECK(has(page, "\n\\&.SH not a title\n"));
  CHECK(has(page, "\n\\(aqquoted\\(aq\n"));
  CHECK(has(page, "\\&.TH it\\(aqs [1:2] \\efB"));
  CHECK(has(zshCompletion(program), "'*--x[.TH it'\\''s \\[1\\:2\\] \\\\fB]:FILE:_files'"));
  CHECK(has(fishCompletion(program), "-d 'it\\'s [odd]: a\\\\b'"));
  CHECK_FALSE(manPage(program, "1.0", "even"));
}

TEST_CASE("what the value of an option is completed with") {
  CHECK(kindOf({{"--theme"}, "light|dark", {"light", "dark"}, ""}) == ValueKind::Choice);
  CHECK(kindOf({{"-o"}, "OUT.cu", {}, ""}) == ValueKind::File);
  CHECK(kindOf({{"--out"}, "N=FILE.npy", {}, ""}) == ValueKind::File);
  CHECK(kindOf({{"--smt2"}, "DIR", {}, ""}) == ValueKind::Folder);
  CHECK(kindOf({{"--name"}, "NAME", {}, ""}) == ValueKind::Text);
}
