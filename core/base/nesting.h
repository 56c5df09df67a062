// Nesting: one level of a recursive reader, until the end of the block. The cursor carries the count (reading.h), so
// that readers which hand a text to one another share one limit.
//
//     const Nesting level(in_);
//     if (level.tooDeep()) return level.refusal(in_);    // "this nests more than 200 levels deep", at the cursor
//
// Why 200: what is read is walked by recursion afterwards, and a sanitizer's frames fill 8 MB at some thousand levels.
#pragma once

#include "core/base/cursor.h"

namespace tessera {

class Nesting {
 public:
  static constexpr int kMost = 200;

  explicit Nesting(const Cursor& in) : reading_(in.reading()) { reading_.enter(); }
  ~Nesting() { reading_.leave(); }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  [[nodiscard]] bool tooDeep() const { return reading_.levels() > kMost; }
  [[nodiscard]] Diag refusal(Cursor& at) const;

 private:
  Reading& reading_;
};

}  // namespace tessera
