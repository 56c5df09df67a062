// Asked: the words after a view, parsed as numbers.
//
//     show gemm as player, step 17, block 3, thread 5, M 256        {step: 17, block: 3, thread: 5, M: 256}
//     show gemm as spec 2                                           {spec: 2}
//
// A later word overrides an earlier one; the window's bar (DrawOptions::fixed, in the order of `keys`) overrides words.
// Law: the result has only names that the view knows; any other word is a Diag that lists them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "render/draw/draw.h"

namespace tessera {

struct Asked {
  std::map<std::string, i64> numbers;
  std::string word;  // the last plain word
  [[nodiscard]] i64 at(const std::string& key, i64 otherwise) const;
  // Must be in [0, count); otherwise returns a Diag that names the count.
  [[nodiscard]] Result<i64> below(const std::string& key, i64 count, i64 otherwise) const;
};

// `keys`: names that take a number, those of the window's bar first; `more`: further ones. `plain`: words without a
// number.
[[nodiscard]] Result<Asked> askedOf(const DrawOptions& options, std::string_view view,
                                    const std::vector<std::string>& keys, const std::vector<std::string>& more = {},
                                    const std::vector<std::string>& plain = {});

}  // namespace tessera
