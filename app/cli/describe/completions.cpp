#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/describe/description.h"

namespace tessera {
namespace {

std::vector<std::string> namesOf(const CommandText& command) {
  std::vector<std::string> out{command.name};
  out.insert(out.end(), command.aliases.begin(), command.aliases.end());
  return out;
}

// The commands and their aliases, each as a command.
std::vector<CommandText> spelled(const CommandText& program) {
  std::vector<CommandText> out;
  for (const CommandText& c : program.commands)
    for (const std::string& name : namesOf(c)) {
      out.push_back(c);
      out.back().name = name;
    }
  return out;
}

// Inside of single quotes of zsh; fish reads backslashes there.
std::string zshQuoted(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}
std::string fishText(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out;
}

std::vector<std::string> optionNames(const CommandText& command) {
  std::vector<std::string> out;
  for (const OptionText& o : command.options) out.insert(out.end(), o.names.begin(), o.names.end());
  return out;
}

// The cases of a command's options that have a value: "draw:--theme".
void bashCases(const CommandText& command, std::string& out) {
  for (const OptionText& o : command.options) {
    const ValueKind kind = kindOf(o);
    if (o.value.empty()) continue;
    for (const std::string& name : o.names)
      out += fmt::format("{}{}:{}", &name == &o.names.front() ? "    " : " | ", command.name, name);
    out += kind == ValueKind::Choice   ? fmt::format(") _tessera_words '{}' ;;\n", fmt::join(o.choices, " "))
           : kind == ValueKind::File   ? ") _tessera_files '*' ;;\n"
           : kind == ValueKind::Folder ? ") _tessera_files '' ;;\n"
                                       : ") ;;\n";
  }
}

// The files of a command's arguments, as patterns: "*.tess *.graphene"; empty: none.
std::string bashPatterns(const CommandText& command) {
  if (!command.files) return "";
  return command.endings.empty() ? "*" : fmt::format("*.{}", fmt::join(command.endings, " *."));
}

std::string zshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return zshQuoted(out);
}

std::string zshFiles(const CommandText& command) {
  if (!command.files) return " ";
  if (command.endings.empty()) return "_files";
  return fmt::format("_files -g \"*.({})\"", fmt::join(command.endings, "|"));
}

// One argument of _arguments.
std::string zshOption(const OptionText& o) {
  std::string value;
  if (!o.value.empty()) {
    const ValueKind kind = kindOf(o);
    value = fmt::format(":{}:{}", zshText(o.value),
                        kind == ValueKind::Choice   ? fmt::format("({})", fmt::join(o.choices, " "))
                        : kind == ValueKind::File   ? "_files"
                        : kind == ValueKind::Folder ? "_files -/"
                                                    : " ");
  }
  std::string out;
  for (const std::string& name : o.names) out += fmt::format(" \\\n        '*{}[{}]{}'", name, zshText(o.what), value);
  return out;
}

std::string fishOptions(const CommandText& command, std::string_view condition) {
  std::string out;
  for (const OptionText& o : command.options) {
    out += fmt::format("complete -c tessera -n '{}'", condition);
    for (const std::string& name : o.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    const ValueKind kind = kindOf(o);
    if (!o.value.empty()) out += kind == ValueKind::File || kind == ValueKind::Folder ? " -r -F" : " -x";
    if (kind == ValueKind::Choice) out += fmt::format(" -a '{}'", fmt::join(o.choices, " "));
    out += fmt::format(" -d '{}'\n", fishText(o.what));
  }
  return out;
}

std::string fishFiles(const CommandText& command, std::string_view condition) {
  std::string out;
  if (!command.files) return out;
  if (command.endings.empty()) return fmt::format("complete -c tessera -n '{}' -F\n", condition);
  for (const std::string& ending : command.endings)
    out += fmt::format("complete -c tessera -n '{}' -k -a '(__fish_complete_suffix .{})'\n", condition, ending);
  return out;
}

}  // namespace

ValueKind kindOf(const OptionText& option) {
  if (!option.choices.empty()) return ValueKind::Choice;
  if (option.value == "DIR") return ValueKind::Folder;
  for (const char* const part : {"FILE", "OUT", "CSV"})
    if (option.value.find(part) != std::string::npos) return ValueKind::File;
  return ValueKind::Text;
}

std::string bashCompletion(const CommandText& program) {
  CommandText unnamed = program;
  unnamed.name.clear();
  std::string commands, arguments, cases;
  bashCases(unnamed, cases);
  for (const CommandText& c : spelled(program)) {
    commands += (commands.empty() ? "" : " ") + c.name;
    arguments +=
        fmt::format("    {}) words='{}' files='{}' ;;\n", c.name, fmt::join(optionNames(c), " "), bashPatterns(c));
    bashCases(c, cases);
  }
  constexpr std::string_view kScript = R"(# Completions of tessera for bash, made by `tessera describe bash`.
# _tessera_words WORDS: adds those that begin with what is typed.
_tessera_words() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$1" -- "$cur"); }
# _tessera_files PATTERNS: adds folders, and files that fit one of the patterns.
_tessera_files() {
  local pattern patterns file
  compopt -o filenames 2>/dev/null
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur")
  IFS=' ' read -r -a patterns <<<"$1"
  for pattern in "${patterns[@]}"; do
    while IFS= read -r file; do [ -d "$file" ] || COMPREPLY+=("$file"); done < <(compgen -f -X "!$pattern" -- "$cur")
  done
}
_tessera() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} commands='@commands@'
  local command='' words='' files='' k
  COMPREPLY=()
  if [ "$cur" = '=' ]; then cur=''; elif [ "$prev" = '=' ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((k = 1; k < COMP_CWORD; ++k)); do
    if [[ " $commands " == *" ${COMP_WORDS[k]} "* ]]; then command=${COMP_WORDS[k]}; break; fi
  done
  case $command:$prev in
@cases@    *) false ;;
  esac && return
  case $command in
@arguments@    *) words='@options@' files='@files@' ;;
  esac
  if [[ $cur == -* ]]; then _tessera_words "$words"; return; fi
  [ -n "$command" ] || _tessera_words "$commands"
  [ -z "$files" ] || _tessera_files "$files"
}
complete -F _tessera tessera
)";
  std::string out(kScript);
  const auto set = [&](std::string_view name, const std::string& text) {
    out.replace(out.find(name), name.size(), text);
  };
  set("@commands@", commands);
  set("@cases@", cases);
  set("@arguments@", arguments);
  set("@options@", fmt::format("{}", fmt::join(optionNames(program), " ")));
  set("@files@", bashPatterns(program));
  return out;
}

std::string zshCompletion(const CommandText& program) {
  std::string list, cases, options;
  for (const OptionText& o : program.options) options += zshOption(o);
  for (const CommandText& c : spelled(program)) {
    list += fmt::format("        '{}:{}'\n", c.name, zshQuoted(c.what));
    cases += fmt::format("      {})\n        _arguments", c.name);
    for (const OptionText& o : c.options) cases += zshOption(o);
    cases += fmt::format(" \\\n        '*:file:{}' ;;\n", zshFiles(c));
  }
  return fmt::format(R"(#compdef tessera
# Completions of tessera for zsh, made by `tessera describe zsh`.
_tessera() {{
  local state line
  local -a commands
  _arguments -C{} \
        '1: :->first' '*:: :->rest'
  case $state in
    first)
      commands=(
{}      )
      _describe -t commands command commands
      {} ;;
    rest)
      case $words[1] in
{}      esac ;;
  esac
}}
_tessera "$@"
)",
                     options, list, zshFiles(program), cases);
}

std::string fishCompletion(const CommandText& program) {
  const std::string none = "__fish_use_subcommand";
  std::string out = "# Completions of tessera for fish, made by `tessera describe fish`.\ncomplete -c tessera -f\n";
  out += fishOptions(program, none) + fishFiles(program, none);
  for (const CommandText& c : spelled(program))
    out += fmt::format("complete -c tessera -n '{}' -a {} -d '{}'\n", none, c.name, fishText(c.what));
  for (const CommandText& c : program.commands) {
    const std::string condition = fmt::format("__fish_seen_subcommand_from {}", fmt::join(namesOf(c), " "));
    out += fishOptions(c, condition) + fishFiles(c, condition);
  }
  return out;
}

}  // namespace tessera
