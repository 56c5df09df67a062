#include "core/hlo/text/device_groups.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/base/arith.h"

namespace tessera::hlo {
namespace {

// The text of the first bracket after `from`, without it, and where it ends.
struct Piece {
  std::string_view text;
  std::size_t end = std::string_view::npos;
};
std::optional<Piece> pieceAt(std::string_view text, char open, char close, std::size_t from) {
  const std::size_t begin = text.find(open, from), end = text.find(close, begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return Piece{text.substr(begin + 1, end - begin - 1), end};
}

std::optional<Ints> listOf(std::string_view text) {
  const auto all = numbers("{" + std::string(text) + "}");
  return all ? std::optional(*all) : std::nullopt;
}

std::optional<i64> productOf(const Ints& sizes) {
  std::optional<i64> all = 1;
  for (const i64 s : sizes) all = all && s > 0 ? checkedMul(*all, s) : std::nullopt;
  return all && *all <= kMostDevices ? all : std::nullopt;
}

// 0 .. n - 1 as an array of these sizes, transposed, in row-major order.
std::optional<Ints> transposed(const Ints& sizes, const Ints& order) {
  const auto count = productOf(sizes);
  Ints sorted = order;
  std::ranges::sort(sorted);
  Ints dimensions(sizes.size());
  std::iota(dimensions.begin(), dimensions.end(), i64{0});
  if (!count || sorted != dimensions) return std::nullopt;
  Ints strides(sizes.size(), 1);
  for (std::size_t k = sizes.size(); k-- > 1;) strides[k - 1] = strides[k] * sizes[k];
  Ints all;
  for (i64 at = 0; at < *count; ++at) {
    i64 rest = at, id = 0;
    for (std::size_t k = order.size(); k-- > 0;) {
      const auto d = static_cast<std::size_t>(order[k]);
      id += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    all.push_back(id);
  }
  return all;
}

// [8], or [2,4]T(1,0): the ids in order.
std::optional<Ints> orderOf(std::string_view text) {
  const auto sizes = pieceAt(text, '[', ']', 0);
  if (!sizes) return std::nullopt;
  const auto list = listOf(sizes->text);
  if (!list) return std::nullopt;
  const auto turn = pieceAt(text, '(', ')', sizes->end);
  Ints order(list->size());
  std::iota(order.begin(), order.end(), i64{0});
  const auto named = turn ? listOf(turn->text) : std::optional(order);
  return named ? transposed(*list, *named) : std::nullopt;
}

// [4,2]<=[8], [4,2]<=[2,4]T(1,0)
std::optional<DeviceGroups> iotaGroups(std::string_view text) {
  const std::size_t of = text.find("<=");
  const auto shape = pieceAt(text, '[', ']', 0);
  if (of == std::string_view::npos || !shape || shape->end > of) return std::nullopt;
  const auto sizes = listOf(shape->text);
  const auto ids = orderOf(text.substr(of));
  const auto count = sizes ? productOf(*sizes) : std::nullopt;
  if (!ids || !count || sizes->empty() || *count != static_cast<i64>(ids->size())) return std::nullopt;
  DeviceGroups groups;
  const i64 size = sizes->back();
  for (i64 at = 0; at < *count; at += size) groups.emplace_back(ids->begin() + at, ids->begin() + at + size);
  return groups;
}

// An axis of a mesh, or a part of one: i floordiv `below` mod `size`.
struct MeshAxis {
  std::size_t axis = 0;
  i64 size = 1, below = 1;
};
std::optional<MeshAxis> axisOf(std::string_view name, const std::vector<std::string_view>& names, const Ints& sizes) {
  std::string_view whole = name;
  std::optional<i64> before = 1, size;
  if (const std::size_t part = name.rfind(":("); part != std::string_view::npos) {
    const std::size_t close = name.find(')', part);
    if (close == std::string_view::npos) return std::nullopt;
    before = wholeNumber(name.substr(part + 2, close - part - 2));
    size = wholeNumber(name.substr(close + 1));
    whole = name.substr(0, part);
    if (!before || !size || *before < 1 || *size < 1) return std::nullopt;
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] != whole) continue;
    const i64 length = size.value_or(sizes[k]);
    const auto taken = checkedMul(*before, length);
    if (!taken || sizes[k] % *taken != 0) return std::nullopt;
    return MeshAxis{k, length, sizes[k] / *taken};
  }
  return std::nullopt;
}

std::optional<DeviceGroups> meshGroups(std::string_view text) {
  const auto mesh = pieceAt(text, '[', ']', 0);
  const auto named = pieceAt(text, '{', '}', text.rfind('{'));
  if (!mesh || !named) return std::nullopt;
  std::vector<std::string_view> names;
  Ints sizes;
  for (const std::string_view axis : split(mesh->text, ',')) {
    const std::size_t is = axis.rfind('=');
    const auto size = is == std::string_view::npos ? std::nullopt : wholeNumber(axis.substr(is + 1));
    if (!size) return std::nullopt;
    names.push_back(axis.substr(0, is));
    sizes.push_back(*size);
  }
  const auto count = productOf(sizes);
  if (!count) return std::nullopt;
  Ints ids(static_cast<std::size_t>(*count));
  std::iota(ids.begin(), ids.end(), i64{0});
  if (const std::size_t at = text.find("device_ids=("); at != std::string_view::npos) {
    const std::size_t begin = at + 12;
    const auto given = text.substr(begin).starts_with('[') ? orderOf(text.substr(begin))
                                                           : listOf(text.substr(begin, text.find(')', begin) - begin));
    if (!given || given->size() != ids.size()) return std::nullopt;
    ids = *given;
  }
  std::vector<MeshAxis> axes;
  i64 size = 1;
  for (const std::string_view name : split(named->text, ',')) {
    if (name.empty()) continue;
    const auto axis = axisOf(name, names, sizes);
    if (!axis) return std::nullopt;
    axes.push_back(*axis);
    size *= axis->size;
  }
  if (axes.empty() || size > *count || *count % size != 0) return std::nullopt;
  Ints strides(sizes.size(), 1);
  for (std::size_t k = sizes.size(); k-- > 1;) strides[k - 1] = strides[k] * sizes[k];
  DeviceGroups groups;
  std::vector<std::size_t> groupOf(ids.size(), ids.size());  // by the place of its first member
  for (std::size_t at = 0; at < ids.size(); ++at) {
    i64 first = static_cast<i64>(at), number = 0;
    for (const MeshAxis& axis : axes) {
      const i64 stride = strides[axis.axis] * axis.below, digit = static_cast<i64>(at) / stride % axis.size;
      number = number * axis.size + digit;
      first -= digit * stride;
    }
    if (first < 0 || number >= size) return std::nullopt;
    std::size_t& group = groupOf[static_cast<std::size_t>(first)];
    if (group == ids.size()) {
      group = groups.size();
      groups.emplace_back(static_cast<std::size_t>(size), -1);
    }
    groups[group][static_cast<std::size_t>(number)] = ids[at];
  }
  return groups;
}

// {{0,1},{2,3}}; also pairs.
std::optional<DeviceGroups> listedGroups(std::string_view text) {
  DeviceGroups groups;
  for (std::size_t at = 1; at < text.size();) {
    const auto group = pieceAt(text, '{', '}', at);
    if (!group) break;
    const auto ids = listOf(group->text);
    if (!ids) return std::nullopt;
    groups.push_back(*ids);
    at = group->end + 1;
  }
  return groups.empty() ? std::nullopt : std::optional(groups);
}

bool namesNothing(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '{' || c == '}' || c == ' '; });
}

// As written; an empty list: all.
std::optional<DeviceGroups> writtenGroups(std::string_view text) {
  if (namesNothing(text)) return DeviceGroups{};
  if (text.starts_with("mesh")) return meshGroups(text);
  return text.starts_with('[') ? iotaGroups(text) : listedGroups(text);
}

i64 mostIn(const DeviceGroups& groups) {
  i64 most = -1;
  for (const Ints& group : groups)
    for (const i64 id : group) most = std::max(most, id);
  return most;
}

enum class Ids { Devices, Partitions, ReplicasWhole, Replicas };
Ids idsOf(const Instruction& i) {
  if (i.value("use_global_device_ids") == "true") return Ids::Devices;
  if (i.find("channel_id") == nullptr) return Ids::Replicas;
  const bool whole = i.opcode.starts_with("all-reduce") || i.opcode.starts_with("all-gather") ||
                     i.opcode.starts_with("reduce-scatter");
  return whole ? Ids::ReplicasWhole : Ids::Partitions;
}

// Lists of such ids as lists of devices.
std::optional<DeviceGroups> asDevices(const Module& module, Ids ids, const DeviceGroups& written) {
  const i64 partitions = module.devices.partitions, replicas = module.devices.count / partitions;
  const i64 count = ids == Ids::Partitions ? partitions : ids == Ids::Devices ? module.devices.count : replicas;
  const i64 most = mostIn(written);
  for (const Ints& group : written)
    if (std::ranges::any_of(group, [&](i64 id) { return id < 0 || id >= module.devices.count; })) return std::nullopt;
  if (ids == Ids::Devices || most >= count) return written;
  DeviceGroups groups;
  if (ids == Ids::ReplicasWhole) {
    for (const Ints& group : written) {
      groups.emplace_back();
      for (const i64 r : group)
        for (i64 p = 0; p < partitions; ++p) groups.back().push_back(r * partitions + p);
    }
    return groups;
  }
  const bool byPartition = ids == Ids::Partitions;
  for (i64 other = 0; other < (byPartition ? replicas : partitions); ++other)
    for (const Ints& group : written) {
      groups.emplace_back();
      for (const i64 id : group)
        groups.back().push_back(byPartition ? other * partitions + id : id * partitions + other);
    }
  return groups;
}

// Whether each device is in one group at most.
bool areDistinct(const DeviceGroups& groups, i64 devices) {
  std::vector<bool> met(static_cast<std::size_t>(devices));
  for (const Ints& group : groups)
    for (const i64 id : group) {
      if (met[static_cast<std::size_t>(id)]) return false;
      met[static_cast<std::size_t>(id)] = true;
    }
  return true;
}

// How many devices a gather or scatter over all of them joins, by its shapes.
i64 joinedByShapes(const Module& module, const Computation& c, const Instruction& i) {
  const bool gathers = i.opcode.starts_with("all-gather"), scatters = i.opcode == "reduce-scatter";
  if ((!gathers && !scatters) || i.operands.size() != 1 || i.operands[0] < 0) return 1;
  const xla::Shape &from = module.shapeOf(c.at(i.operands[0])), &to = module.shapeOf(i);
  if (!from.isArray() || to.leaves() < 1 || !to.leaf(to.leaves() > 1 ? 1 : 0).isArray()) return 1;
  const Ints small = from.sizes(), large = to.leaf(to.leaves() > 1 ? 1 : 0).sizes();
  if (small.size() != large.size()) return 1;
  for (std::size_t k = 0; k < small.size(); ++k)
    if (small[k] != large[k]) {
      const i64 part = std::min(small[k], large[k]), whole = std::max(small[k], large[k]);
      return part > 0 && whole % part == 0 ? whole / part : 1;
    }
  return 1;
}

}  // namespace

void countDevices(Module& module) {
  std::optional<i64> replicas = 1, partitions = 1;
  bool said = false;
  for (const Attribute& a : module.attributes) {
    if (a.name != "replica_count" && a.name != "num_partitions") continue;
    said = true;
    (a.name == "replica_count" ? replicas : partitions) = wholeNumber(a.value);
  }
  const bool good = replicas && partitions && *replicas > 0 && *partitions > 0;
  const auto both = good ? checkedMul(*replicas, *partitions) : std::nullopt;
  // More than kManyDevices count as so many. Above kMostDevices no groups are known, and any device is possible.
  module.devices.partitions = both && *both <= kManyDevices ? *partitions : 1;
  module.devices.count = !good ? 1 : std::min(kManyDevices, both.value_or(kManyDevices));
  std::string_view last;
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions) {
      const bool joins = i.opcode.starts_with("all-") || i.opcode.starts_with("collective-") ||
                         i.opcode.starts_with("reduce-scatter") || i.opcode.starts_with("ragged-all");
      if (!joins) continue;
      const Attribute* const groups = i.find("replica_groups");
      const Attribute* const named = groups != nullptr ? groups : i.find("source_target_pairs");
      const std::string_view text = named == nullptr ? "{}" : named->value;
      if (namesNothing(text)) {
        if (!said) module.devices.count = std::max(module.devices.count, joinedByShapes(module, c, i));
        continue;
      }
      if (text == last) continue;
      last = text;
      if (const auto written = writtenGroups(text); written && mostIn(*written) < kMostDevices)
        module.devices.count = std::max(module.devices.count, mostIn(*written) + 1);
    }
  if (module.devices.count % module.devices.partitions != 0) module.devices.partitions = 1;
  module.devices.stated = said && good;
}

std::optional<DeviceGroups> groupsOf(const Module& module, const Instruction& instruction) {
  if (module.devices.count > kMostDevices) return std::nullopt;
  auto written = writtenGroups(instruction.value("replica_groups", "{}"));
  if (!written) return std::nullopt;
  const Ids ids = idsOf(instruction);
  if (written->empty()) {
    if (!module.devices.stated) return std::nullopt;
    const i64 replicas = module.devices.count / module.devices.partitions;
    Ints all(static_cast<std::size_t>(ids == Ids::Devices      ? module.devices.count
                                      : ids == Ids::Partitions ? module.devices.partitions
                                                               : replicas));
    std::iota(all.begin(), all.end(), i64{0});
    written->push_back(std::move(all));
  }
  auto groups = asDevices(module, ids, *written);
  return groups && areDistinct(*groups, module.devices.count) ? groups : std::nullopt;
}

std::optional<i64> groupSize(const Module& module, const Instruction& instruction) {
  const std::string_view text = instruction.value("replica_groups", "{}");
  if (namesNothing(text)) {
    if (!module.devices.stated) return std::nullopt;
    const bool alone = instruction.find("channel_id") == nullptr;  // each partition on its own
    return alone ? module.devices.count / module.devices.partitions : module.devices.count;
  }
  if (text.front() == '[') {  // also of more than kMostDevices
    const auto shape = pieceAt(text, '[', ']', 0);
    const auto sizes = shape ? listOf(shape->text) : std::nullopt;
    return sizes && !sizes->empty() ? std::optional(sizes->back()) : std::nullopt;
  }
  const auto groups = writtenGroups(text);
  return groups && !groups->empty() ? std::optional(static_cast<i64>(groups->front().size())) : std::nullopt;
}

std::optional<Ints> sourcesOf(const Module& module, const Instruction& instruction) {
  if (instruction.find("source_target_pairs") == nullptr || module.devices.count > kMostDevices) return std::nullopt;
  const std::string_view text = instruction.value("source_target_pairs");
  Ints sources(static_cast<std::size_t>(module.devices.count), -1);
  if (namesNothing(text)) return sources;
  const auto written = listedGroups(text);
  const auto pairs = written ? asDevices(module, idsOf(instruction), *written) : std::nullopt;
  if (!pairs) return std::nullopt;
  for (const Ints& pair : *pairs) {
    if (pair.size() != 2 || sources[static_cast<std::size_t>(pair[1])] >= 0) return std::nullopt;
    sources[static_cast<std::size_t>(pair[1])] = pair[0];
  }
  return sources;
}

}  // namespace tessera::hlo
