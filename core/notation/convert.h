// convert: a layout of any notation in another. Exact, or refused with what the target notation cannot express.
//
//     toCute(f32[4,8])                         (4,8):(8,1)
//     toCute(#mma over (16,8))                 ((4,8),(2,2)):((32,1),(16,8)), as (thread, value) -> index in the tile
//     toCute((d0) -> (d0 * 2), domain: ...)    8:2
//     toAxe((4,8):(1,4))                       S[(4,8):(1,4)] over (4,8)
//     toLinear(Sw<3,3,3> o (64,64):(64,1))     dim0 = [...], dim1 = [...] -> offset 4096
//
// If two notations have a direct translation (translate.h) it is used, because it keeps the profile: an XLA tile
// becomes a nested mode. All others go through the arrow, so a new notation needs no extra code. Law: toMap(toX(l)) and
// toMap(l) are the same function.
#pragma once

#include <optional>
#include <string_view>

#include "core/layout/layout.h"
#include "core/notation/axe/layout.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/linear/layout.h"

namespace tessera {

// A Diag names the first coordinate with a nonzero lower bound; `what` cannot express it: "a CuTe layout".
[[nodiscard]] Result<void> wantsCoordinatesFromZero(const Arrow& arrow, std::string_view what);
// A plain CuTe layout (no swizzle, no offset), as the layout algebra needs.
[[nodiscard]] Result<cute::Layout> plainCuteOf(const Layout& layout);
// CuTe's form: plain, or composed if there is a swizzle or an offset.
[[nodiscard]] Result<Layout> toCute(const Layout& layout);
// S o 0 o L with a plain L, for a layout in any notation; nullopt: another form, or an offset under the swizzle.
[[nodiscard]] std::optional<cute::ComposedLayout> swizzledCuteOf(const Layout& layout);
[[nodiscard]] Result<axe::Layout> toAxe(const Layout& layout);
[[nodiscard]] Result<linear::Layout> toLinear(const Layout& layout);

}  // namespace tessera
