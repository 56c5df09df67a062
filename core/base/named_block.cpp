#include "core/base/named_block.h"

#include "core/base/cursor.h"

namespace tessera {

Result<NamedBlock> namedBlock(std::string_view statement, std::string_view word, std::string_view example) {
  const std::string expected = std::string(word) + " NAME { ... }";
  const std::size_t open = statement.find('{'), close = statement.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return Diag{"this block has no braces", expected, "", {0, statement.size()}};
  Cursor head(statement.substr(0, open), {.lineComments = true, .blockComments = true});
  (void)head.acceptWord(word);
  NamedBlock block{std::string(head.peekWord()), std::string(statement), open};
  if (block.name.empty()) return Diag{"this block has no name", expected, std::string(example), {0, open + 1}};
  for (std::size_t k = 0; k <= open; ++k)
    if (block.inside[k] != '\n') block.inside[k] = ' ';
  block.inside[close] = ' ';
  return block;
}

}  // namespace tessera
