// Parameters: names at the head of a program. The reader replaces each by a number or a word.
//
//     param BM = 128 in 64, 128, 256          a number and its allowed values
//     param stages = 3 in 2, 3, 4
//     param half = BM/2                       this default, or any number
//     param order = row in row, column        a word, also an operation (relu, +) or the name of a specification
//     require BM*stages <= 512 && BM % 64 == 0
//     %A:[1024,BM:BM,1].fp16.GL  ...
//     if (order == row) { %B:[64,BM:BM,1].fp16.GL } else { %B:[64,BM:1,64].fp16.GL }
//
//     withSettings(text, {{"stages", "4"}})   the text, with `param stages = 4 in 2, 3, 4`
//     with(listing, {{"stages", "4"}})        the listing of that text
//
// A parameter may occur wherever a parameter of a `def` may: in sizes, strides, bounds, steps, coordinates, tile sizes,
// swizzles, attributes, arguments, and as the name of a called specification. The program's own definitions see it;
// those of the library do not. An `if` that is decided while reading is replaced by its chosen side: the names defined
// there stay visible, and the other side is not read. A parameter or requirement ends with its line.
//
// Laws: the program equals the program with the values written out, and prints that way. withSettings(text, {}) ==
// text. A setting replaces only the value, so line numbers do not change and spans refer to the listing's own text.
// Rejected, with the place: an unknown parameter, a value that is not in its list, a violated requirement (with the
// values), a parameter after the head.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/graphene/listing.h"

namespace tessera::graphene {

using Settings = std::map<std::string, std::string>;  // "stages" -> "4"

struct Parameter {
  std::string name;
  std::string value;                // the setting, else the default: "3", "row"
  std::vector<std::string> values;  // allowed values; empty: any
  bool number = true;               // else a word
  Span span;                        // of the statement
  Span valueSpan;                   // of the default value
  bool operator==(const Parameter&) const = default;
};

struct Parameters {
  std::vector<Parameter> all;  // in text order
  std::vector<Diag> broken;    // violated requirements, one Diag each
  std::size_t end = 0;         // where the head ends and the first statement begins
  [[nodiscard]] const Parameter* find(std::string_view name) const;
};

// Where the program begins: after a byte order mark (U+FEFF), if there is one.
[[nodiscard]] inline std::size_t beginOf(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

// The head of a program, possibly empty. A Diag: an error in the head or in the settings. Violated requirements are in
// `broken`.
[[nodiscard]] Result<Parameters> parametersOf(std::string_view text, const Settings& settings = {});

// The text with these values. A violated requirement is also a Diag.
[[nodiscard]] Result<std::string> withSettings(std::string_view text, const Settings& settings);

[[nodiscard]] Result<Listing> readListing(std::string name, std::string_view text, const Settings& settings);
// Keeps the form of the listing: a block stays a block.
[[nodiscard]] Result<Listing> with(const Listing& listing, const Settings& settings);

// The span of the program in a listing's text: a file, or what is between the braces of a block. again: the same kind
// of listing of another text.
[[nodiscard]] Span programIn(std::string_view text);
[[nodiscard]] Result<Listing> again(const Listing& listing, const std::string& text);

// Sizes from a command line: "M=40"; "BM*group*M=5120" is solved for M with this text's parameters. A Diag also if M
// would not be an integer.
[[nodiscard]] Result<std::map<std::string, i64>> sizesOf(std::string_view text, const std::vector<std::string>& words,
                                                         const Settings& settings = {});

// Settings from a command line, {"stages=4", "BM=64"}; and the text with them.
[[nodiscard]] Result<Settings> settingsOf(const std::vector<std::string>& words);
[[nodiscard]] Result<std::string> withSettingWords(std::string_view text, const std::vector<std::string>& words);

// "BM=128 stages=3": the parameters that have a list, in order. Identifies a candidate in logs.
[[nodiscard]] std::string keyOf(const Parameters& parameters);

// Every combination of the listed values that meets the requirements, last parameter fastest. `fixed` restricts a
// parameter to one value or to part of its list: {"BM", "64,128"}.
inline constexpr std::size_t kMostCandidates = 100'000;
[[nodiscard]] Result<std::vector<Settings>> candidatesOf(std::string_view text, const Settings& fixed = {});

}  // namespace tessera::graphene
