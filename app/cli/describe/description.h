// The command line as data, and what is made of it: manual pages, and completions of shells.
//
//     tessera describe man            tessera(1)          tessera describe bash      a completion script
//     tessera describe man draw       tessera-draw(1)     tessera describe zsh, fish
//
//     OptionText{{"-o", "--output"}, "OUT", {}, "the file; ..."}       \fB\-o\fR, \fB\-\-output\fR \fIOUT\fR
//
// Law: every sub-command and every option that `--help` shows is in the pages and completions, and nothing else.
// Packages write them when they are made (cmake/package.cmake).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct OptionText {
  std::vector<std::string> names;    // "-o", "--output"
  std::string value;                 // "OUT"; empty: a flag
  std::vector<std::string> choices;  // the possible values, if they are few
  std::string what;
};

struct CommandText {
  std::string name;
  std::vector<std::string> aliases;
  std::string what;                  // one line
  std::string footer;                // "Usage: tessera draw ...\n  examples and notes\n  Exit 0: ..."
  bool files = true;                 // its arguments may be files
  std::vector<std::string> endings;  // of these files: "tess", "graphene"; empty: any
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

// What the value of an option is completed with.
enum class ValueKind : unsigned char { Text, Choice, File, Folder };
[[nodiscard]] ValueKind kindOf(const OptionText& option);

// A page in the language of man. `command`: empty for the program, else one of its sub-commands; nullopt if there is no
// such sub-command.
[[nodiscard]] std::optional<std::string> manPage(const CommandText& program, std::string_view version,
                                                 std::string_view command);
[[nodiscard]] std::string bashCompletion(const CommandText& program);
[[nodiscard]] std::string zshCompletion(const CommandText& program);
[[nodiscard]] std::string fishCompletion(const CommandText& program);

}  // namespace tessera
