// Nesting: one level of a recursive reader, until the end of the block. All readers of a thread count together, so that
// those which hand a text to one another share one limit.
//
//     const Nesting level;
//     if (level.tooDeep()) return level.refusal(in_);    // "this nests more than 200 levels deep", at the cursor
//
// Why 200: what is read is walked by recursion afterwards, and a sanitizer's frames fill 8 MB at some thousand levels.
#pragma once

#include "core/base/cursor.h"

namespace tessera {

class Nesting {
 public:
  static constexpr int kMost = 200;

  Nesting() { ++depth; }
  ~Nesting() { --depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  // Of this thread.
  [[nodiscard]] static int levels() { return depth; }
  [[nodiscard]] bool tooDeep() const { return depth > kMost; }
  [[nodiscard]] Diag refusal(Cursor& at) const;

 private:
  inline static constinit thread_local int depth = 0;
};

}  // namespace tessera
