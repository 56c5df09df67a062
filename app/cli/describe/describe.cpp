#include "app/cli/describe/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tessera/layout.h>

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/describe/description.h"

namespace tessera {
namespace {

// The endings of the files that each sub-command reads, for completions; not listed: any file.
std::vector<std::string> endingsOf(const std::string& command) {
  static const std::map<std::string, std::vector<std::string>> kEndings = {
      {"", {"tess", "graphene"}},
      {"eval", {"hlo"}},
      {"check", {"tess", "graphene", "hlo", "txt", "cu", "cuh", "h", "hpp", "cpp", "py"}},
      {"draw", {"tess", "graphene", "hlo"}},
      {"codegen", {"graphene"}},
      {"measure", {"graphene"}},
      {"hlo", {"hlo", "txt"}},
      {"ttgir", {"ttgir", "mlir"}},
      {"why", {"hlo", "txt"}},
      {"tune", {"graphene", "log"}},
      {"kernel", {"ptx", "cubin", "cu"}},
      {"sass", {"sass", "cubin", "cu", "ptx"}}};
  const auto found = kEndings.find(command);
  return found == kEndings.end() ? std::vector<std::string>() : found->second;
}

// "TEXT:{light,dark}" has two choices; "FLOAT:SECONDS=10" is SECONDS; "INT in [1 - 9]" and "FLOAT:FROM 0 TO 1" are
// numbers.
OptionText describe(const CLI::Option& option) {
  OptionText out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  out.what = option.get_description();
  if (option.get_items_expected_max() == 0) return out;
  const std::string type = option.get_type_name();
  const std::size_t colon = type.rfind(':'), open = type.find('{');
  if (open != std::string::npos) {
    std::stringstream words(type.substr(open + 1, type.find('}') - open - 1));
    for (std::string word; std::getline(words, word, ',');) out.choices.push_back(word);
    out.value = fmt::format("{}", fmt::join(out.choices, "|"));
    return out;
  }
  const std::string last = colon == std::string::npos ? type : type.substr(colon + 1);
  const bool word = !last.empty() && last.find(' ') == std::string::npos;
  out.value = word ? last : type.substr(0, std::min(type.find_first_of(": "), type.size()));
  if (out.value == "FLOAT" || out.value == "INT" || out.value == "UINT") out.value = "NUMBER";
  return out;
}

CommandText describe(const CLI::App& app, bool program) {
  CommandText out{app.get_name(), app.get_aliases(), app.get_description(), app.get_footer(), true, {}, {}, {}};
  out.files = app.get_name() != "atlas";
  out.endings = endingsOf(program ? "" : app.get_name());
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional() || option->nonpositional()) out.options.push_back(describe(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(describe(*command, false));
  return out;
}

}  // namespace

int runDescribe(const CLI::App& app, std::string_view what, std::string_view command, Output& out) {
  const CommandText program = describe(app, true);
  std::optional<std::string> text;
  if (what == "man") text = manPage(program, api::version(), command);
  if (what == "bash") text = bashCompletion(program);
  if (what == "zsh") text = zshCompletion(program);
  if (what == "fish") text = fishCompletion(program);
  if (!text) {
    complain(fmt::format("tessera: cannot describe '{}'; write man, man COMMAND, bash, zsh or fish",
                         command.empty() ? what : command));
    return kExitUnreadable;
  }
  if (text->ends_with('\n')) text->pop_back();
  return out.line(*text) ? kExitOk : kExitUnreadable;
}

}  // namespace tessera
