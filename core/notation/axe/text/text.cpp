#include "core/notation/axe/text/text.h"

#include <fmt/format.h>

namespace tessera::axe::spelling {

Result<std::vector<i64>> shapeTuple(Cursor& in) {
  std::vector<i64> shape;
  const bool tuple = in.accept("(");
  do {
    if (tuple && in.peek() == ')') break;
    in.skipBlanks();
    const std::size_t begin = in.position();
    TESSERA_TRY(const i64 e, in.integer());
    if (e < 1) return in.failFrom(begin, fmt::format("the extent {} is not positive", e), "an extent >= 1");
    shape.push_back(e);
  } while (tuple && in.accept(","));
  if (tuple) TESSERA_CHECKED(in.expect(")", "at the end of the shape"));
  if (shape.empty()) return in.fail("an empty shape", "at least one extent");
  return shape;
}

}  // namespace tessera::axe::spelling
