// Asked: the words behind a view of a Graphene program, as numbers.
//
//     show gemm as player, step 17, block 3, thread 5, M 256        {step: 17, block: 3, thread: 5, M: 256}
//     show gemm as spec 2                                           {spec: 2}
//
// A later word wins, and what the window's bar says (DrawOptions::fixed, by the order of `keys`) wins over words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graphene/program.h"
#include "render/draw/draw.h"

namespace tessera::graphene {

struct Asked {
  std::map<std::string, i64> numbers;
  std::string word;  // one of the plain words, the last one that was written
  [[nodiscard]] i64 at(const std::string& key, i64 otherwise) const;
  // In [0, count); a Diag that says how many there are.
  [[nodiscard]] Result<i64> below(const std::string& key, i64 count, i64 otherwise) const;
};

// `keys`: what takes a number, besides the program's sizes. `plain`: words that stand alone.
[[nodiscard]] Result<Asked> askedOf(const Program& program, const DrawOptions& options, std::string_view view,
                                    const std::vector<std::string>& keys, const std::vector<std::string>& plain = {});

}  // namespace tessera::graphene
