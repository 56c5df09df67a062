// A condition as it is read: `kt + 2 < 32 && stages == 3`, comparisons that all hold.
//
//     k < 3 && stages == 3     with stages 3: k < 3; with 4: known to be false
//     order == row             words: of a parameter and any other
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/graphene/program.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

struct Condition {
  std::vector<Comparison> open;  // those that only a run decides
  std::optional<bool> known;     // decided while it is read
};

// The word that a parameter stands for; nothing for a name that is none.
using WordOf = std::function<std::optional<std::string>(const std::string& name)>;

// Up to what does not continue it.
[[nodiscard]] Result<Condition> readCondition(Reader& reader, const WordOf& wordOf);

}  // namespace tessera::graphene
