// Variants of a program: the same computation with one thing changed, to be measured beside it.
//
//     stages=2, stages=4, BM=64       every other value of a parameter, the others as they are
//     without swizzle                 every Sw<..> of a tensor in shared memory taken away
//     without ldmatrix                load_a, load_b, ... of the library by their plain twins (NAME_plain)
//
// Each is a text of its own, the program's with something written over or into it and every line where it was: what is found in
// a variant has its place there.
//
// Laws: a variant computes what the program computes, or is refused (`why`). None is the program itself, no two are the same
// text. Without ldmatrix no leaf is one, or `note` says how many of the program's own stay.
// It is not a search: what is allowed together is candidatesOf (parameters.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graphene/parameters.h"

namespace tessera::graphene {

struct Variant {
  std::string name;   // "stages=4", "without swizzle"
  Settings settings;  // of a parameter's value; empty otherwise
  std::string note;   // what should be known beside its result
  std::optional<Listing> listing;
  std::string why;  // there is none: what the reader says
};

// Those that there are, in this order: parameters by their place and value, without swizzle, without ldmatrix. A value that breaks a
// requirement is none.
[[nodiscard]] std::vector<Variant> variantsOf(const Listing& listing);
// One that somebody chose: "stages=4 BM=64" (or with commas).
[[nodiscard]] Variant variantWith(const Listing& listing, const std::string& settings);

// The texts, where they differ from the program's.
[[nodiscard]] std::optional<std::string> withoutSwizzle(std::string_view text);
[[nodiscard]] std::optional<std::string> withoutLdmatrix(std::string_view text);

}  // namespace tessera::graphene
