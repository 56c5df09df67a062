#include "core/paste/python/tilelang_swizzle.h"

#include <fmt/format.h>

#include "core/base/arith.h"

namespace tessera::paste::python {

Result<std::string> tilelangSwizzle(std::string_view name, i64 rows, i64 columns, int bits) {
  if (bits < 4 || bits > 64 || !isPowerOfTwo(bits))
    return Diag{fmt::format("elements of {} bits", bits), "4 to 64 bits"};
  if (rows < 1 || columns < 1 || rows > (i64{1} << 31) || columns > (i64{1} << 31))
    return Diag{fmt::format("a tile of {} x {}", rows, columns), "extents from 1 to 2^31"};
  const std::string domain = fmt::format("domain: i in [0, {}], j in [0, {}]", rows - 1, columns - 1);
  if (name == "make_linear_layout") return fmt::format("(i, j) -> (i * {} + j), {}", columns, domain);
  const i64 vector = 128 / bits;
  i64 wide = 0;  // vectors in a line of a tile
  for (const i64 n : {2, 4, 8})
    if (rows % 8 == 0 && columns % (vector * n) == 0) wide = n;
  if (name == "make_full_bank_swizzled_layout") wide = wide == 8 ? 8 : 0;
  if (name == "make_half_bank_swizzled_layout") wide = wide >= 4 ? 4 : 0;
  if (name == "make_quarter_bank_swizzled_layout") wide = wide >= 2 ? 2 : 0;
  if (wide == 0)
    return Diag{fmt::format("{} x {} elements of {} bits are no whole tiles of this swizzle", rows, columns, bits),
                fmt::format("rows in multiples of 8, columns in multiples of {}", vector * 2)};
  const i64 line = vector * wide;
  // The bits of the row that reach the vector's: all 3, the upper 2, or the upper 1.
  return fmt::format(
      "(i, j) -> (((j floordiv {0}) * {1} + i floordiv 8) * {2} + (i mod 8) * {0} + (((j floordiv {3}) mod {4}) xor "
      "((i mod 8) floordiv {5})) * {3} + j mod {3}), {6}",
      line, rows / 8, line * 8, vector, wide, 8 / wide, domain);
}

}  // namespace tessera::paste::python
