// AliasScope: what the layout aliases of a module mean at a place of its text.
//
//     #a = #ttg.blocked<{..}>        AliasScope(module).type("tensor<64xf32, #a>", place)
//
// Law: of several definitions of a name (a file of several modules), the last one before the place counts; if there is
// none before it, the first.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/module.h"

namespace tessera::triton {

class AliasScope {
 public:
  explicit AliasScope(const Module& module);
  // A Diag names the alias that is not defined, or why it cannot be read.
  [[nodiscard]] Result<Encoding> encoding(const std::string& alias, std::size_t place) const;
  [[nodiscard]] Result<Type> type(std::string_view text, std::size_t place) const;

 private:
  struct Definition {
    std::size_t place = 0;
    Result<Encoding> encoding;
  };
  [[nodiscard]] AliasLookup lookup(std::size_t place) const;

  std::map<std::string, std::vector<Definition>> definitions_;
};

}  // namespace tessera::triton
