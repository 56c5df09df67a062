// Devices: functions of the device as formulas, and positions (an element and its device) as maps.
//
//     0 1 2 3 0 1 2 3          p mod 4                       the number of device p in its group
//     0 0 0 0 4 4 4 4          p floordiv 4 * 4              the first of its group
//     1 2 3 0 5 6 7 4          (p + 1) mod 4 + ...           a ring
//     3 1 0 2                  four pieces, one per device
//
// The devices of a mesh are numbered in mixed radix, so the groups along its axes are sums over digits of p. A function
// that has no such form is split into pieces, at most kMostPieces.
//
// A position is a map (d.., p)[s..] -> (e.., q): device p reads element e of device q. The device is one more
// coordinate, so reads through several collectives compose as maps.
//
// Laws: a form has the values of its table. Reach::maps[k] is the projection of the position Reach::devices[k]: its
// elements as a map with p as a run-time value.
// Internal to core/hlo.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/expr/expr.h"
#include "core/hlo/ops/op_maps.h"
#include "core/hlo/text/attributes.h"
#include "core/hlo/text/device_groups.h"
#include "core/map/map.h"

namespace tessera::hlo {

inline constexpr std::size_t kMostPieces = 16;

// constant + sum over parts of ((p floordiv stride + turn) mod radix) * weight, for p in [0, count).
struct DeviceForm {
  struct Part {
    i64 stride = 1, radix = 1, turn = 0, weight = 0;
  };
  i64 count = 1, constant = 0;
  std::vector<Part> parts;
  [[nodiscard]] i64 at(i64 p) const;
  [[nodiscard]] Expr of(const Expr& p) const;
};
// nullopt: the table has no such form.
[[nodiscard]] std::optional<DeviceForm> deviceForm(const Ints& table);

// The value of devices lo to hi.
struct DevicePiece {
  i64 lo = 0, hi = 0;
  Expr value;
};
// Over p; devices with nullopt are left out. nullopt: too many pieces.
[[nodiscard]] std::optional<std::vector<DevicePiece>> devicePieces(const std::vector<std::optional<i64>>& table,
                                                                   const Expr& p);

// The groups of devices lo to hi, which have `size` members: of these, members from to `to`.
struct GroupPiece {
  i64 lo = 0, hi = 0, size = 1, from = 0, to = 0;
  DeviceForm number;         // of device p in its group; over p - lo
  DeviceForm first, member;  // member k of p's group: first at p - lo, plus member at k - from
  [[nodiscard]] Expr numberOf(const Expr& p) const { return number.of(p + -lo); }
  [[nodiscard]] Expr deviceOf(const Expr& p, const Expr& k) const { return first.of(p + -lo) + member.of(k + -from); }
};
// nullopt: too many pieces.
[[nodiscard]] std::optional<std::vector<GroupPiece>> groupPieces(const DeviceGroups& groups, i64 devices);

// Radices of the device's number, most major first, that keep the groups of all collectives apart: {2, 4} for groups of
// [2,4]<=[8] and [4,2]<=[2,4]T(1,0). One radix if there are no such.
[[nodiscard]] Ints meshOf(const Module& module);

// The position of elements of the device that reads.
[[nodiscard]] Result<Map> ownPosition(const Map& elements, i64 devices);
// Only the device, with the digits that it needs.
[[nodiscard]] Map deviceAlone(const Map& position);
// Whether the device that is read is always p.
[[nodiscard]] bool staysOn(const Map& position);
// The elements without the device, if it is p, any of that many, and nothing depends on it; else nullopt.
[[nodiscard]] std::optional<Map> withoutDevice(const Map& position, i64 devices);
// The run-time value p.
[[nodiscard]] bool isDevice(const RuntimeValue& value);
// Adds a map by its position, with the values of the position's parameters.
void addPosition(Reach& reach, Map position, std::vector<RuntimeValue> runtime = {});
// The same, or without devices if it does not depend on them. Requires: no parameters.
void addMap(Reach& reach, Map position, i64 devices);
// The position of map `which`; nullptr: it does not depend on devices.
[[nodiscard]] const Map* positionOf(const Reach& reach, std::size_t which);

}  // namespace tessera::hlo
