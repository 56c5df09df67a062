// Inverse questions: the layout, swizzle or permutation that gives a known table of offsets.
//
//     find layout where equal([0, 8, 1, 9, 2, 10, 3, 11])              (2,4):(8,1)
//     find swizzle where equal(S), S(r,c) = r*64 + (c ^ ((r&7)<<3))    Sw<3,3,3> o 0 o (8,64):(64,1)
//     find swizzle for (8,64):(64,1) where equal(S)                    Sw<3,3,3> o 0 o (8,64):(64,1), this inner layout
//     find permutation for (4,8):(8,1) where equal((4,8):(1,4))        (4,8):(8,1): A o P has these offsets
//
// The search is complete: without an answer there is no Sw<B,M,S> o offset o shape:stride (layout), no Sw<B,M,S>
// (swizzle for A), or no bijection P with A o P equal to the table (permutation). A swizzle for A that is not one
// Sw<B,M,S> is also searched among all linear maps of the offset's bits, which elimination decides.
//
// Law: an answer has the table's value at every coordinate (tests/analysis/inverse_test.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layout/layout.h"
#include "core/map/forms/table_form.h"

namespace tessera {

struct InverseQuestion {
  enum class What : unsigned char { Layout, Swizzle, Permutation };
  What what = What::Layout;
  Table target;
  std::string name;                // of the target: "S"
  std::optional<Layout> over;      // for A
  std::optional<Table> overTable;  // its values; as many as the target's
};

struct InverseAnswer {
  std::optional<Layout> layout;    // the layout; the swizzled layout; P
  std::string text;                // an answer that is no layout: the permutation as a list, the linear map
  std::string none;                // the reason, if there is no answer
  std::vector<std::string> notes;  // what was compared; other answers
  [[nodiscard]] bool found() const { return layout.has_value() || !text.empty(); }
};
[[nodiscard]] InverseAnswer answerOf(const InverseQuestion& question);

}  // namespace tessera
