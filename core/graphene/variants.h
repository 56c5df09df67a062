// Variants: the same computation with one change, to be measured beside the program.
//
//     stages=2, stages=4, BM=64       every other value of a parameter, the rest unchanged
//     without swizzle                 without the Sw<..> of tensors in shared memory
//     without ldmatrix                with the plain versions (NAME_plain) of the library's load_a, load_b, ...
//
// Each variant is a complete text. Its changes keep every line number, so findings refer to the same lines.
//
// Laws: a variant computes what the program computes, or is rejected (`why`). No variant equals the program or another
// variant. In `without ldmatrix`, no leaf is an ldmatrix, or `note` counts those that the program itself has.
// Not a search: candidatesOf (parameters.h) lists the valid combinations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graphene/reader/parameters.h"

namespace tessera::graphene {

struct Variant {
  std::string name;                     // "stages=4", "without swizzle"
  Settings settings = {};               // the parameter's value; empty otherwise
  std::string note = {};                // a caveat about its result
  std::optional<Listing> listing = {};  // or `why` gives the reason
  std::string why = {};                 // the reader's error message
};

// All variants in this order: parameters by position and value, without swizzle, without ldmatrix. Omits values that
// violate a requirement.
[[nodiscard]] std::vector<Variant> variantsOf(const Listing& listing);
// A chosen variant: "stages=4 BM=64" (or with commas).
[[nodiscard]] Variant variantWith(const Listing& listing, const std::string& settings);

// The modified texts; nullopt: nothing changes.
[[nodiscard]] std::optional<std::string> withoutSwizzle(std::string_view text);
[[nodiscard]] std::optional<std::string> withoutLdmatrix(std::string_view text);

}  // namespace tessera::graphene
