// Condition: a conjunction of comparisons, partly evaluated while it is read: `kt + 2 < 32 && stages == 3`.
//
//     k < 3 && stages == 3     with stages 3: k < 3; with 4: known to be false
//     order == row             words: a parameter and any word
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/graphene/program.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

struct Condition {
  std::vector<Comparison> open;  // comparisons decided at run time
  std::optional<bool> known;     // set if it is decided while reading
};

// The word that a parameter stands for; nullopt: no such parameter.
using WordOf = std::function<std::optional<std::string>(const std::string& name)>;

// i < 4
[[nodiscard]] Result<Comparison> readComparison(Reader& reader);
// Reads up to the first token that does not continue the condition.
[[nodiscard]] Result<Condition> readCondition(Reader& reader, const WordOf& wordOf);

}  // namespace tessera::graphene
