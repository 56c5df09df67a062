#include "core/layout/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace tessera {
namespace {

struct NamePair {
  std::string_view linear, axe;
};
// The first row of a name gives its canonical spelling.
constexpr std::array<NamePair, 11> kNames = {{{"register", "reg"},
                                              {"lane", "lane"},
                                              {"warp", "warp"},
                                              {"block", "cta"},
                                              {"offset", "m"},
                                              {"row", "TLane"},
                                              {"col", "TCol"},
                                              {"lane", "laneid"},
                                              {"lane", "lane_id"},
                                              {"warp", "warpid"},
                                              {"warp", "warp_id"}}};

struct Fused {
  const char *name, *low, *high;
  i64 radix;  // name = low + radix * high
};
// In the order in which they are split.
constexpr Fused kFused[] = {
    {"tx", "lane", "warp", 32}, {"tid_in_wg", "lane", "wid_in_wg", 32}, {"warp", "wid_in_wg", "wgid", 4}};

// The axes of the arrow that appear in kFused, except inputs of one value and outputs that are always 0.
std::set<std::string> threadAxes(const Arrow& arrow) {
  std::set<std::string> out;
  const auto note = [&](const std::string& axis) {
    const std::string name = hardwareAxis(axis);
    for (const Fused& f : kFused)
      if (name == f.name || name == f.low || name == f.high) out.insert(name);
  };
  if (arrow.from.kind == SpaceKind::Hardware)
    for (const Mode& m : arrow.from.modes)
      if (m.extent() > 1) note(m.name);
  if (arrow.to.kind == SpaceKind::Hardware)
    for (const Axis& axis : arrow.map.axes())
      if (!axis.value.isConstant(0)) note(axis.name);
  return out;
}

// The digits of `mode` below and above the radix. A digit across it is split; false: it cannot be.
// `values`: each digit of the mode over the new ones, numbered from `first`.
bool cut(const Mode& mode, i64 radix, int first, Mode& low, Mode& high, std::vector<Expr>& values) {
  if (mode.lo != 0) return false;
  i64 below = 1;
  struct Factors {
    i64 low = 1, high = 1;
  };
  std::vector<Factors> parts;
  for (const i64 d : mode.digits) {
    const i64 room = radix / below;
    Factors part{d, 1};
    if (d > room) part = {room, d / room};
    if (part.low * part.high != d || radix % (below * part.low) != 0) return false;
    below *= part.low;
    parts.push_back(part);
  }
  low = {low.name, {}, 0};
  high = {high.name, {}, 0};
  const auto lows = std::ranges::count_if(parts, [](const Factors& p) { return p.low > 1; });
  int nextLow = first, nextHigh = first + std::max(static_cast<int>(lows), 1);
  for (const Factors& p : parts) {
    Expr value = Expr::constant(0);
    if (p.low > 1) {
      low.digits.push_back(p.low);
      value = Expr::digit(nextLow++);
    }
    if (p.high > 1) {
      high.digits.push_back(p.high);
      value = value + Expr::digit(nextHigh++) * p.low;
    }
    values.push_back(value);
  }
  if (low.digits.empty()) low.digits = {1};
  if (high.digits.empty()) high.digits = {1};
  return true;
}

bool isAxis(const std::string& name, const Fused& f) { return hardwareAxis(name) == f.name; }

bool isPart(const std::string& name, const Fused& f) {
  const std::string axis = hardwareAxis(name);
  return axis == f.low || axis == f.high;
}
bool isInput(const Mode& m, const Fused& f) { return isAxis(m.name, f) && m.extent() > 1; }
bool isOutput(const Axis& axis, const Fused& f) { return isAxis(axis.name, f) && !axis.value.isConstant(0); }

// Splits the inputs of the arrow; false if one cannot be split.
Result<bool> splitInputs(Arrow& arrow, const Fused& f) {
  if (arrow.from.kind != SpaceKind::Hardware) return true;
  std::vector<Mode> modes;
  std::vector<Expr> values;
  std::vector<Digit> digits;
  const bool found = std::ranges::any_of(arrow.from.modes, [&](const Mode& m) { return isInput(m, f); });
  if (!found) return true;
  for (const Mode& m : arrow.from.modes) {
    if (isPart(m.name, f)) {  // of one value: the split axis takes its name
      values.insert(values.end(), m.digits.size(), Expr::constant(0));
      continue;
    }
    const int first = static_cast<int>(digits.size());
    std::vector<Mode> made = {m};
    if (isInput(m, f)) {
      made = {{f.low, {}, 0}, {f.high, {}, 0}};
      if (!cut(m, f.radix, first, made[0], made[1], values)) return false;
    } else {
      for (std::size_t k = 0; k < m.digits.size(); ++k) values.push_back(Expr::digit(first + static_cast<int>(k)));
    }
    for (const Mode& mode : made) {
      for (std::size_t k = 0; k < mode.digits.size(); ++k)
        digits.push_back({mode.digits.size() == 1 ? mode.name : fmt::format("{}{}", mode.name, k), mode.digits[k],
                          DigitKind::Index, 0});
      modes.push_back(mode);
    }
  }
  TESSERA_TRY(arrow.map, overDigits(arrow.map, std::move(digits), values, arrow.map.axes()));
  arrow.from.modes = std::move(modes);
  return true;
}

Result<void> splitOutputs(Arrow& arrow, const Fused& f) {
  if (arrow.to.kind != SpaceKind::Hardware) return {};
  const auto& old = arrow.map.axes();
  if (std::ranges::none_of(old, [&](const Axis& axis) { return isOutput(axis, f); })) return {};
  std::vector<Axis> axes;
  std::vector<Mode> modes;
  for (std::size_t k = 0; k < old.size(); ++k) {
    const Axis& axis = old[k];
    if (isPart(axis.name, f)) continue;  // always 0
    if (!isOutput(axis, f)) {
      axes.push_back(axis);
      if (k < arrow.to.modes.size()) modes.push_back(arrow.to.modes[k]);
      continue;
    }
    std::optional<i64> low, high;
    if (axis.extent) {
      low = std::min(*axis.extent, f.radix);
      high = (*axis.extent + f.radix - 1) / f.radix;
    }
    axes.push_back({f.low, mod(axis.value, Expr::constant(f.radix)), low});
    axes.push_back({f.high, floorDiv(axis.value, Expr::constant(f.radix)), high});
    if (k < arrow.to.modes.size()) {
      const i64 extent = arrow.to.modes[k].extent();
      modes.push_back({f.low, {std::min(extent, f.radix)}, 0});
      modes.push_back({f.high, {(extent + f.radix - 1) / f.radix}, 0});
    }
  }
  TESSERA_TRY(arrow.map, Map::create(arrow.map.digits(), std::move(axes), arrow.map.guards(), arrow.map.params()));
  arrow.to.modes = std::move(modes);
  return {};
}

}  // namespace

std::string linearAxis(const std::string& name) {
  for (const NamePair& p : kNames)
    if (name == p.axe) return std::string(p.linear);
  return name;
}

std::string hardwareAxis(const std::string& name) {
  const std::string linear = linearAxis(name);
  for (const NamePair& p : kNames)
    if (linear == p.linear) return std::string(p.axe);
  return name;
}

bool isThreadAxis(const std::string& name) {
  constexpr std::array<std::string_view, 7> kThreads = {"lane", "warp", "cta", "tx", "tid_in_wg", "wid_in_wg", "wgid"};
  return std::ranges::find(kThreads, hardwareAxis(name)) != kThreads.end();
}

bool isValueAxis(const std::string& name) { return hardwareAxis(name) == "reg"; }

Result<std::string> withCommonAxes(Arrow& a, Arrow& b) {
  std::set<std::string> first = threadAxes(a), second = threadAxes(b);
  if (first == second || first.empty() || second.empty()) return std::string();
  Arrow x = a, y = b;
  std::string split;
  for (const Fused& f : kFused) {
    first = threadAxes(x);
    second = threadAxes(y);
    if (first == second) break;
    if (first.count(f.name) + second.count(f.name) == 0) continue;
    // A warp is split only if the other arrow counts warps within a warpgroup.
    const auto finer = [&](const std::set<std::string>& s) {
      return s.count("wid_in_wg") + s.count("wgid") + s.count("tid_in_wg") != 0;
    };
    if (std::string_view(f.name) == "warp" && !finer(first) && !finer(second)) continue;
    for (Arrow* one : {&x, &y}) {
      const std::set<std::string> names = threadAxes(*one);
      if (names.count(f.name) == 0) continue;
      if (names.count(f.low) + names.count(f.high) != 0) return std::string();
      TESSERA_TRY(const bool whole, splitInputs(*one, f));
      if (!whole) return std::string();
      TESSERA_CHECKED(splitOutputs(*one, f));
    }
    split += fmt::format("{}{} as {} + {} * {}", split.empty() ? "" : ", ", f.name, f.low, f.radix, f.high);
  }
  a = std::move(x);
  b = std::move(y);
  return split;
}

}  // namespace tessera
