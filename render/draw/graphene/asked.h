// Asked: the words after a view of a Graphene program, parsed as numbers.
//
//     show gemm as player, step 17, block 3, thread 5, M 256        {step: 17, block: 3, thread: 5, M: 256}
//     show gemm as spec 2                                           {spec: 2}
//
// A later word overrides an earlier one; the window's bar (DrawOptions::fixed, in the order of `keys`) overrides words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graphene/program.h"
#include "render/draw/draw.h"

namespace tessera::graphene {

struct Asked {
  std::map<std::string, i64> numbers;
  std::string word;  // the last plain word
  [[nodiscard]] i64 at(const std::string& key, i64 otherwise) const;
  // Must be in [0, count); otherwise returns a Diag that names the count.
  [[nodiscard]] Result<i64> below(const std::string& key, i64 count, i64 otherwise) const;
};

// `keys`: names that take a number, besides the program's sizes. `plain`: words without a number.
[[nodiscard]] Result<Asked> askedOf(const Program& program, const DrawOptions& options, std::string_view view,
                                    const std::vector<std::string>& keys, const std::vector<std::string>& plain = {});

}  // namespace tessera::graphene
