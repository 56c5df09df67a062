// inverse: the CuTe layout of a table, and what is closest to a table that no layout has.
//
//     0 1 9 8 over (2,2)                  Sw<1,0,3> o 0 o (2,2):(1,8)
//     0 1 2 4                             "no Sw<B,M,S> o offset o shape:stride gives these 4 values: 234 swizzles are
//                                          tried, with the only strides that fit; the closest of those read off at
//                                          either end, 4:1, differs at 1 of 4 coordinates, first at 3: 3 instead of 4"
//
// The modes of the table are the modes of the layout; the only mode of a list becomes the layout's leaves.
// Law: see core/map/forms/table_form.h, which decides.
#pragma once

#include <optional>
#include <string>

#include "core/layout/layout.h"
#include "core/map/forms/table_form.h"

namespace tessera {

// The arrow's values, one coordinate per mode. A Diag: no single address per coordinate, or too many points.
[[nodiscard]] Result<Table> valueTable(const Arrow& arrow);
// The form as a layout. A Diag: it does not fit in 64 bits.
[[nodiscard]] Result<Layout> layoutOfForm(const Swizzled& form);
// Says that none of the swizzles gives the table, and which layout is closest.
[[nodiscard]] std::string noneText(const Table& table, i64 swizzles);
// The layout of the table; or a Diag with noneText.
[[nodiscard]] Result<Layout> layoutOfTable(const Table& table);

}  // namespace tessera
