// Listing: a Graphene program with its text: the content of a worksheet block or of a .graphene file.
//
//     graphene move {                          Listing{"move", the whole statement, the program}
//       %a : [16,16].fp16.GL
//       ...
//     }
//
// Law: every span of the program lies in `text`, so a finding can show its line wherever the listing is kept. Two
// listings are equal when their names and texts are equal.
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

// Reads a file, whose bytes are the program; or "graphene NAME { ... }", whose head and closing brace become blanks.
[[nodiscard]] Result<Listing> readListing(std::string name, std::string_view text);
[[nodiscard]] Result<Listing> readBlock(std::string_view statement);

// The program in canonical form.
[[nodiscard]] std::string print(const Listing& listing);
// The tensor that NAME.%s denotes ("%s", "#warp"): the caller's before those of bodies, in text order; with block 0,
// thread 0 and the first iteration of every loop. Symbolic sizes stay symbolic.
[[nodiscard]] std::optional<Tensor> findTensor(const Program& program, std::string_view name);

}  // namespace tessera::graphene
