// convert: a layout of any notation in another one. Exact or refused, and a refusal says what the other form cannot say.
//
//     toCute(f32[4,8])                         (4,8):(8,1)
//     toCute(#mma over (16,8))                 ((4,8),(2,2)):((32,1),(16,8)), as (thread, value) -> index in the tile
//     toCute((d0) -> (d0 * 2), domain: ...)    8:2
//     toAxe((4,8):(1,4))                       S[(4,8):(1,4)] over (4,8)
//     toLinear(Sw<3,3,3> o (64,64):(64,1))     dim0 = [...], dim1 = [...] -> offset 4096
//
// Where two notations have a translation of their own (translate.h) it is taken, because it keeps the profile: an XLA
// tile becomes a nested mode. Everything else goes through the arrow, so that a new notation translates the day it is
// added. Law: toMap(toX(l)) and toMap(l) are one function.
#pragma once

#include <optional>
#include <string_view>

#include "core/layout/layout.h"
#include "core/notation/axe/layout.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/linear/layout.h"

namespace tessera {

// A Diag that names the first coordinate with another lower end than 0; `what` is what cannot say it: "a CuTe layout".
[[nodiscard]] Result<void> wantsCoordinatesFromZero(const Arrow& arrow, std::string_view what);
// A plain CuTe layout (no swizzle, no offset): what the layout algebra works on.
[[nodiscard]] Result<cute::Layout> plainCuteOf(const Layout& layout);
// CuTe's form: plain, or composed where there is a swizzle or an offset.
[[nodiscard]] Result<Layout> toCute(const Layout& layout);
// S o 0 o L with a plain L, of a layout in any notation; nullopt when it is something else, or an offset moves it under
// the swizzle.
[[nodiscard]] std::optional<cute::ComposedLayout> swizzledCuteOf(const Layout& layout);
[[nodiscard]] Result<axe::Layout> toAxe(const Layout& layout);
[[nodiscard]] Result<linear::Layout> toLinear(const Layout& layout);

}  // namespace tessera
