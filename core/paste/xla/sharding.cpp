// Shardings: which device has which tile of an array, as an Axe layout over the tiles.
//
//     {devices=[2,2]<=[4]}                                  S[(2,2):(2@gpuid,1@gpuid)] over (2,2)
//     {devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}      S[(2,1):(2@gpuid,0@gpuid)] + R[2:1@gpuid] over (2,1)
//     <@mesh, [{"x"}, {}]> with <["x"=2, "y"=2]>             S[(2,1):(2@gpuid,0@gpuid)] + R[2:1@gpuid] over (2,1)
//     NamedSharding(mesh=Mesh('x': 4, 'y': 2), spec=PartitionSpec('x', 'y'))
//
// A *tiling* is the number of tiles along each dimension of the array, the number of copies, and the devices of all
// tiles and copies in row-major order. Devices of a mesh are counted row-major unless the text lists them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/xla/readers.h"
#include "core/paste/xla/sharding_parts.h"
#include "core/paste/xla/tiling.h"

namespace tessera::paste::xla_text {
namespace {

constexpr i64 kMostDevices = 1 << 16;

// Extents and strides of one dimension, major to minor.
using Digits = std::vector<std::pair<i64, i64>>;

// The first digits of f along a dimension of that extent whose neighbours are `step` apart in the table.
std::optional<Digits> digitsOf(const Ints& table, i64 extent, i64 step) {
  const auto f = [&](i64 k) { return table[static_cast<std::size_t>(k * step)] - table[0]; };
  Digits out;
  i64 done = 1;  // elements that the digits so far count
  while (done < extent) {
    const i64 stride = f(done);
    i64 n = 1;
    while (done * n < extent && f(done * n) == stride * n) ++n;
    while (n > 1 && (extent / done) % n != 0) --n;
    if (n == 1 || extent % (done * n) != 0) return std::nullopt;
    out.insert(out.begin(), {n, stride});
    done *= n;
    spend(n);
  }
  if (out.empty()) out.emplace_back(1, 0);
  return out;
}

// Whether the digits of all dimensions give the whole table.
bool agrees(const Ints& table, const std::vector<Digits>& all) {
  for (std::size_t place = 0; place < table.size(); ++place) {
    i64 rest = static_cast<i64>(place), value = table[0];
    for (std::size_t d = all.size(); d-- > 0;)
      for (std::size_t k = all[d].size(); k-- > 0;) {
        value += rest % all[d][k].first * all[d][k].second;
        rest /= all[d][k].first;
      }
    if (value != table[place]) return false;
    spend();
  }
  return true;
}

std::string iters(const std::vector<std::pair<i64, i64>>& digits, bool stretched = false) {
  std::string extents, strides;
  for (const auto& [extent, stride] : digits) {
    extents += fmt::format("{}{}", extents.empty() ? "" : ",", extent);
    strides += fmt::format("{}{}@gpuid", strides.empty() ? "" : ",", stride);
  }
  return digits.size() == 1 && !stretched ? extents + ":" + strides : fmt::format("({}):({})", extents, strides);
}

// A formula for devices in no regular order: sum of v_k * max(0, 1 - |place - k|).
void bindList(std::string_view name, const Tiling& t, Span span, Bindings& out) {
  std::vector<std::string> names;
  std::string place = "0";
  for (std::size_t k = 0; k < t.tiles.size(); ++k) {
    names.push_back(fmt::format("i{}", k));
    place = k == 0 ? names[k] : fmt::format("({}) * {} + {}", place, t.tiles[k], names[k]);
  }
  std::string body = std::to_string(t.devices[0]);
  for (std::size_t k = 1; k < t.devices.size(); ++k)
    body +=
        fmt::format(" + {} * max(0, 1 - max(({}) - {}, {} - ({})))", t.devices[k] - t.devices[0], place, k, k, place);
  out.note("the devices are in no regular order; the formula lists them");
  out.formula(name, names, body, t.tiles, span);
}

}  // namespace

Result<void> bindTiling(std::string_view name, const Tiling& t, Span span, Bindings& out) {
  std::vector<Digits> all;
  i64 step = static_cast<i64>(t.devices.size());
  Ints extents = t.tiles;
  extents.push_back(t.copies);
  bool regular = true;
  for (const i64 extent : extents) {
    step /= extent;
    const auto digits = digitsOf(t.devices, extent, step);
    regular = regular && digits.has_value();
    all.push_back(digits.value_or(Digits()));
  }
  if (!regular || !agrees(t.devices, all)) {
    if (t.copies == 1 && t.devices.size() <= 64) {
      bindList(name, t, span, out);
      return {};
    }
    return Diag{"the devices of this sharding are in no regular order", "at most 64 devices without copies", "", span};
  }
  const Digits copies = all.back();
  all.pop_back();
  Digits shard;
  for (const Digits& one : all) shard.insert(shard.end(), one.begin(), one.end());
  if (shard.empty()) shard.emplace_back(1, 0);
  std::string text = fmt::format("S[{}]", iters(shard));
  if (t.copies > 1) text += fmt::format(" + R[{}]", iters(copies));
  if (t.devices[0] != 0) text += fmt::format(" + {}@gpuid", t.devices[0]);
  text += fmt::format(" over ({})", t.tiles.empty() ? "1" : fmt::format("{}", fmt::join(t.tiles, ",")));
  out.note("a sharding maps the tiles of an array to devices: a tile's coordinate -> gpuid");
  out.bind(name, text, span);
  return {};
}

Result<Ints> transposedIota(const Ints& reshape, const Ints& permutation, Span span) {
  i64 count = 1;
  for (const i64 size : reshape) {
    const auto next = checkedMul(count, size);
    if (size < 1 || !next || *next > kMostDevices)
      return Diag{"a sharding has 1 to 65536 devices", "devices=[2,2]<=[4]", "", span};
    count = *next;
  }
  Ints order = permutation;
  if (order.empty()) {
    order.resize(reshape.size());
    std::iota(order.begin(), order.end(), 0);
  }
  Ints sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted.size() != reshape.size() || sorted[k] != static_cast<i64>(k))
      return Diag{"T(..) is no permutation of the reshaped devices", "T(1,0) for two dimensions", "", span};
  Ints strides(reshape.size(), 1);
  for (std::size_t k = reshape.size(); k-- > 1;) strides[k - 1] = strides[k] * reshape[k];
  Ints out{0};
  for (const i64 k : order) {
    const auto d = static_cast<std::size_t>(k);
    Ints next;
    for (const i64 base : out)
      for (i64 i = 0; i < reshape[d]; ++i) next.push_back(base + i * strides[d]);
    out = std::move(next);
    spend(static_cast<Work>(out.size()));
  }
  return out;
}

Result<Tiling> tilingOver(const Mesh& mesh, const std::vector<std::vector<std::string>>& spec, Span span) {
  Tiling out;
  Ints sizes, order;
  std::vector<bool> used(mesh.axes.size());
  for (const auto& axes : spec) {
    i64 tiles = 1;
    for (const std::string& axis : axes) {
      const auto found = std::ranges::find(mesh.axes, axis, &std::pair<std::string, i64>::first);
      if (found == mesh.axes.end())
        return Diag{fmt::format("the mesh has no axis '{}'", axis), "an axis of the mesh", "", span};
      const auto k = static_cast<std::size_t>(found - mesh.axes.begin());
      if (used[k]) return Diag{fmt::format("axis '{}' shards two dimensions", axis), "each axis once", "", span};
      used[k] = true;
      order.push_back(static_cast<i64>(k));
      tiles *= found->second;
    }
    out.tiles.push_back(tiles);
  }
  for (std::size_t k = 0; k < mesh.axes.size(); ++k) {
    sizes.push_back(mesh.axes[k].second);
    if (used[k]) continue;
    order.push_back(static_cast<i64>(k));
    out.copies *= mesh.axes[k].second;
  }
  TESSERA_TRY(out.devices, transposedIota(sizes, order, span));
  if (!mesh.devices.empty()) {
    if (mesh.devices.size() != out.devices.size())
      return Diag{fmt::format("the mesh lists {} devices and has {}", mesh.devices.size(), out.devices.size()),
                  "one device for each place", "", span};
    for (i64& device : out.devices) device = mesh.devices[static_cast<std::size_t>(device)];
  }
  return out;
}

}  // namespace tessera::paste::xla_text
