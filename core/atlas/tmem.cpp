#include "core/atlas/tmem.h"

#include <fmt/format.h>

namespace tessera {

Result<cute::Layout> tmemLayout(const TmemFragment& f) {
  if (f.elementBits != 8 && f.elementBits != 16 && f.elementBits != 32)
    return Diag{fmt::format("tensor memory holds no elements of {} bits", f.elementBits), "8, 16 or 32 bits"};
  if (f.containerBits != 0 &&
      (f.containerBits < f.elementBits || f.containerBits > 32 || f.containerBits % f.elementBits != 0))
    return Diag{fmt::format("an element of {} bits in {}", f.elementBits, f.containerBits),
                "a container of up to 32 bits"};
  const bool knownM = f.ctas == 1 ? f.m == 64 || f.m == 128 : f.ctas == 2 && (f.m == 32 || f.m == 64 || f.m == 128);
  if (!knownM)
    return Diag{fmt::format("no fragment of {} rows a CTA over {} CTAs", f.m, f.ctas),
                "64 or 128 rows for 1 CTA; 32, 64 or 128 for 2"};
  const i64 fold = f.ctas == 2 && f.m < 128 ? 128 / f.m : 1;  // parts of N in different rows
  if (f.n < 1 || f.n % fold != 0 || f.tilesM < 1 || f.tilesN < 1)
    return Diag{fmt::format("N = {} does not split into {} parts", f.n, fold), fmt::format("a multiple of {}", fold)};
  const i64 row = i64{65536} * 32 / f.elementBits, step = f.containerBits == 0 ? 1 : f.containerBits / f.elementBits;
  const i64 width = f.n / fold * step;  // elements of one tile along the columns
  const bool half = f.ctas == 1 && f.m == 64;
  const i64 besides = half && f.interleaved ? (f.tilesM + 1) / 2 : f.tilesM;  // adjacent M tiles
  if (half && f.interleaved && f.tilesM > 2) return Diag{fmt::format("{} interleaved M tiles", f.tilesM), "1 or 2"};
  if (width > kTmemColumns * 32 / f.elementBits || width * besides * f.tilesN * f.elementBits > kTmemColumns * 32)
    return Diag{fmt::format("{} columns are needed, tensor memory has {}",
                            (width * besides * f.tilesN * f.elementBits + 31) / 32, kTmemColumns),
                "at most 512 columns of 32 bits"};
  std::string m = std::to_string(f.m), mStride = std::to_string(row), n = std::to_string(f.n),
              nStride = std::to_string(step);
  if (half) {
    m = "(16,4)";
    mStride = fmt::format("({},{})", row, 32 * row);
  }
  if (fold > 1) {
    n = fmt::format("({},{})", f.n / fold, fold);
    nStride = fmt::format("({},{})", step, f.m * row);
  }
  const i64 tileM = f.tilesM == 1 ? 0 : half && f.interleaved ? 16 * row : width;
  const i64 tileN = f.tilesN == 1 ? 0 : width * besides;
  return cute::parseLayout(
      fmt::format("(({},{}),{},{}):(({},{}),{},{})", m, n, f.tilesM, f.tilesN, mStride, nStride, tileM, tileN));
}

}  // namespace tessera
