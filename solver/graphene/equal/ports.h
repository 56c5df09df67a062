// Ports: whether two sides have the same inputs and outputs, by name and shape.
//
//     mlp            X W bias -> Y
//     mlp_unfused    X W bias -> Y, and %Z, %H, which its kernels pass on       common outputs: Y
//
// Refused, with the edit that helps: an input that only one side has, and `where` does not state; an output that only
// one side has, and no later kernel reads; other extents; an integer type and another type; storage that several
// elements share in one side only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "solver/graphene/equal/side.h"

namespace tessera::graphene {

struct CommonPorts {
  std::vector<std::string> inputs;   // of either side, in the order of the first
  std::vector<std::string> outputs;  // of both
  std::vector<std::string> notes;    // "%C is fp32 in a and fp16 in b"
};

// `stated`: inputs of the second side that `where` states; `used`: inputs of the first that it reads.
[[nodiscard]] Result<CommonPorts> commonPorts(const Side& first, const Side& second,
                                              const std::set<std::string, std::less<>>& stated,
                                              const std::set<std::string, std::less<>>& used);
// Of a program and a reference that assigns `assigned`.
[[nodiscard]] Result<CommonPorts> commonPorts(const Side& first, const std::set<std::string, std::less<>>& assigned);

// "%X, %W and %bias"
[[nodiscard]] std::string listOf(const std::vector<std::string>& names);

}  // namespace tessera::graphene
