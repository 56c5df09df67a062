// Listing: a Graphene program with the text it was read from: what a block of a worksheet, or a .graphene file, is.
//
//     graphene move {                          Listing{"move", the whole statement, the program}
//       %a : [16,16].fp16.GL
//       ...
//     }
//
// Law: every span of the program lies in `text`, so that a finding can show the line that is wrong wherever the listing is kept.
// Two listings are equal when their texts are.
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

// A file, whose bytes are the program's; and "graphene NAME { ... }", whose head and closing brace are read as blanks.
[[nodiscard]] Result<Listing> readListing(std::string name, std::string_view text);
[[nodiscard]] Result<Listing> readBlock(std::string_view statement);

// The program as it is printed.
[[nodiscard]] std::string print(const Listing& listing);
// What NAME.%s means: the tensor of that name ("%s", "#warp"), the caller's before those of bodies, in the order of the text;
// as block 0, thread 0 and the first step of every loop have it. Sizes that are symbols stay symbols.
[[nodiscard]] std::optional<Tensor> findTensor(const Program& program, std::string_view name);

}  // namespace tessera::graphene
