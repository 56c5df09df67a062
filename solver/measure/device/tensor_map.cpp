#include "solver/measure/device/tensor_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/atlas/cutlass.h"

namespace tessera::measure {
namespace {

struct Row {
  std::string_view name;
  int value;
};
// CUtensorMapDataType, by the atlas's names; all 8-bit types are UINT8.
constexpr Row kElements[] = {{"u8", 0},  {"s8", 0},  {"e4m3", 0}, {"e5m2", 0}, {"u16", 1},
                             {"s16", 1}, {"u32", 2}, {"s32", 3},  {"u64", 4},  {"s64", 5},
                             {"f16", 6}, {"f32", 7}, {"tf32", 7}, {"f64", 8},  {"bf16", 9}};
// CUtensorMapSwizzle.
constexpr Row kSwizzles[] = {{"NONE", 0}, {"32B", 1}, {"64B", 2}, {"128B", 3}};
// CUtensorMapL2promotion: 128-byte lines, the width of a tile.
constexpr int kPromotion = 2;

template <std::size_t N>
int valueOf(const Row (&rows)[N], std::string_view name) {
  for (const Row& r : rows)
    if (r.name == name) return r.value;
  return -1;
}

}  // namespace

Result<TensorMapBytes> encoded(const Driver& driver, const MapRequest& map, DevicePointer start) {
  const auto type = elementType(map.element);
  const int element = type ? valueOf(kElements, type->name) : -1, swizzle = valueOf(kSwizzles, map.swizzle);
  const std::size_t rank = map.extents.size();
  if (element < 0 || swizzle < 0 || rank == 0 || rank > 5 || map.strides.size() != rank || map.box.size() != rank)
    return Diag{fmt::format("a tensor map of {} dimensions of {} with swizzle {}", rank, map.element, map.swizzle),
                "1 to 5 dimensions, elements of 8 to 64 bits, NONE, 32B, 64B or 128B"};
  if (driver.table().tensorMap == nullptr)
    return Diag{fmt::format("the CUDA driver ({}) has no cuTensorMapEncodeTiled: TMA needs tensor maps", driver.path()),
                "a driver of CUDA 12 or later", "a newer display driver"};
  std::vector<unsigned long long> extents, strides;
  std::vector<unsigned> box, steps(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    extents.push_back(static_cast<unsigned long long>(map.extents[d]));
    box.push_back(static_cast<unsigned>(map.box[d]));
    if (d > 0) strides.push_back(static_cast<unsigned long long>(map.strides[d] * type->bits / 8));
  }
  strides.push_back(0);                        // never read, but a map of one dimension has no strides
  alignas(128) unsigned char bytes[128] = {};  // alignment required by the driver
  const int result =
      driver.table().tensorMap(bytes, element, static_cast<unsigned>(rank), reinterpret_cast<void*>(start),
                               extents.data(), strides.data(), box.data(), steps.data(), 0, swizzle, kPromotion, 0);
  if (result == 0) {
    TensorMapBytes out;
    std::copy(std::begin(bytes), std::end(bytes), out.begin());
    return out;
  }
  Diag diag = driver.diag("cuTensorMapEncodeTiled", result);
  diag.message += fmt::format(": extents {}, strides {}, box {}, swizzle {}", fmt::join(map.extents, " x "),
                              fmt::join(map.strides, " and "), fmt::join(map.box, " x "), map.swizzle);
  return diag;
}

}  // namespace tessera::measure
