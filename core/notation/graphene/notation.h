// Graphene's tensors as a notation.
//
//     %A:[4,8:8,1].fp32.GL            Elements(4,8) -> Memory, 32 bits each
//     %v:[1023:1].fp32.GL.tile(128)   Elements(8,128) -> Memory, guarded: 128 * o + i <= 1022
//     #warp:[4:8].[8:1].thread        Hardware(tid) -> Elements(4,8): (tid / 8) % 4, tid % 8, as indices() returns
//
// Each dimension of each level is one mode, outermost level first. A base address is part of the arrow. Tensors with
// symbolic sizes have no arrow.
#pragma once

#include <functional>

#include "core/base/cursor.h"
#include "core/layout/layout.h"
#include "core/notation/graphene/holds.h"
#include "core/notation/graphene/tensor.h"

namespace tessera {

template <>
struct NotationOf<graphene::Tensor> {
  static std::string_view kind(const graphene::Tensor& t) { return t.threads ? "threads" : "tensor"; }
  static std::string_view noun(const graphene::Tensor& t) {
    return t.threads ? "a Graphene thread tensor" : "a Graphene tensor";
  }
  static Result<Arrow> arrow(const graphene::Tensor& tensor);
  static LayoutFacts facts(const graphene::Tensor& tensor);
  static constexpr std::string_view kFamily = "graphene";
};

namespace graphene {

using TensorNames = std::function<std::optional<Tensor>(const std::string& name)>;
// The tensor that begins at the cursor, with its operations: %A:[..].., or only %A if `names` knows A. `fragments`
// resolves the operands of instructions.
[[nodiscard]] Result<std::optional<Tensor>> parsePrefix(Cursor& cursor, const TensorNames& names,
                                                        const FragmentOf& fragments = {});

// The coordinates of every thread, one mode per level and dimension. A Diag if the threads are not a mixed radix.
[[nodiscard]] Result<Arrow> threadArrow(const Tensor& tensor);

// A thread tensor as an Axe layout, (coordinates of every level) -> thread: #warp:[4:4].[(4,2):(1,16)].thread is
// S[(4,2,4):(4@tid,16@tid,1@tid)] over (4,8). In Axe the last digit is fastest, in Graphene the first mode of a
// dimension. A Diag for a data tensor, or unknown sizes.
[[nodiscard]] Result<axe::Layout> toAxe(const Tensor& threads);

}  // namespace graphene
}  // namespace tessera
