// Sides: the two programs of a question at known sizes, or a program and a reference, with their common ports.
//
//     TESSERA_TRY(const Sides sides, sidesAt(question, {{{"M", 1}}, {{"M", 1}}}));
//     sides.ports.outputs                           Y
//     sides.evaluated(question.where, element)      "Wx = W[:64]" on these elements of the inputs of the first side
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "solver/graphene/equal/equal.h"
#include "solver/graphene/equal/ports.h"
#include "solver/kernel/reference/array.h"

namespace tessera::graphene {

using Arrays = std::map<std::string, kernel::reference::Array, std::less<>>;
using SizeNames = std::set<std::string, std::less<>>;

struct TwoSizes {
  Sizes first, second;
};

struct Sides {
  std::optional<Side> first, second;
  CommonPorts ports;
  Sizes sizes;                   // of both, for messages
  Sizes named;                   // that texts may name
  std::string reference, where;  // of the question
  InputRanges ranges;
  [[nodiscard]] std::string secondName() const { return second ? second->name() : "the reference"; }
  // What a text assigns, on these elements of the ports of the first side.
  [[nodiscard]] Result<Arrays> evaluated(const std::string& text,
                                         const std::function<double(const Port&, i64)>& elementAt) const;
};

// A Diag: a size is missing, a text is wrong, or the ports do not match.
[[nodiscard]] Result<Sides> sidesAt(const EqualQuestion& question, const TwoSizes& sizes);
// With those of a line `// baseline:` that names the other program, then of the lines `// small:`.
[[nodiscard]] TwoSizes withSmallSizes(const EqualQuestion& question, TwoSizes given);

[[nodiscard]] SizeNames sizeNames(const Program& program);
[[nodiscard]] Sizes onlySizes(const Sizes& sizes, const SizeNames& names);
// " at L=4, M=1"; empty without sizes.
[[nodiscard]] std::string atSizes(const Sizes& sizes);
// The program of a file or a block with these sizes.
[[nodiscard]] Result<Listing> sizedListing(const Listing& listing, const Sizes& sizes);

}  // namespace tessera::graphene
