// Listing: a Graphene program with its text, from a worksheet block or a .graphene file.
//
//     graphene move {                          Listing{"move", the whole statement, the program}
//       %a : [16,16].fp16.GL
//       ...
//     }
//
// Law: every span of the program is inside `text`, so a finding can always show its line. Two listings are equal if
// their names and texts are equal.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera::graphene {

struct Program;
struct Tensor;

struct Listing {
  std::string name;
  std::string text;
  std::shared_ptr<const Program> program;  // never null
  bool operator==(const Listing& other) const { return name == other.name && text == other.text; }
};

// Reads a file, or a block "graphene NAME { ... }", whose head and closing brace become blanks.
[[nodiscard]] Result<Listing> readListing(std::string name, std::string_view text);
[[nodiscard]] Result<Listing> readBlock(std::string_view statement);

// The program in canonical form.
[[nodiscard]] std::string print(const Listing& listing);
// The tensor that NAME.%s denotes ("%s", "#warp"): the caller's first, then those of bodies in text order. Its indices
// are those of block 0, thread 0 and the first iteration of every loop. Symbolic sizes stay symbolic.
[[nodiscard]] std::optional<Tensor> findTensor(const Program& program, std::string_view name);

}  // namespace tessera::graphene
