// Variants: the same computation with one thing changed, to be measured next to the program.
//
//     stages=2, stages=4, BM=64       every other value of a parameter, the rest unchanged
//     without swizzle                 every Sw<..> of a tensor in shared memory removed
//     without ldmatrix                load_a, load_b, ... of the library replaced by their plain versions (NAME_plain)
//
// Each variant is a complete text: the program's with replacements or insertions that keep every line number, so
// findings refer to the same lines.
//
// Laws: a variant computes what the program computes, or is rejected (`why`). No variant equals the program or another
// variant. Without ldmatrix no leaf is an ldmatrix, or `note` counts those of the program itself that remain.
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
  std::optional<Listing> listing = {};  // or `why` there is none
  std::string why = {};                 // the reader's message
};

// All variants, in this order: parameters by position and value, without swizzle, without ldmatrix. Values that violate
// a requirement are left out.
[[nodiscard]] std::vector<Variant> variantsOf(const Listing& listing);
// A chosen variant: "stages=4 BM=64" (or with commas).
[[nodiscard]] Variant variantWith(const Listing& listing, const std::string& settings);

// The modified texts; nullopt: equal to the program's.
[[nodiscard]] std::optional<std::string> withoutSwizzle(std::string_view text);
[[nodiscard]] std::optional<std::string> withoutLdmatrix(std::string_view text);

}  // namespace tessera::graphene
