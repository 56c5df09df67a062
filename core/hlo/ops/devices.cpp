#include "core/hlo/ops/devices.h"

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/hlo/ops/op.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"

namespace tessera::hlo {
namespace {

constexpr const char* kThisDevice = "this device";
constexpr i64 kAllRuns = 64;  // above, pieces are all devices or members, runs of equal steps, or single ones

// The part with that stride and radix whose values the table has, and by how much the constant changes.
std::optional<std::pair<DeviceForm::Part, i64>> partOf(const Ints& table, i64 stride, i64 radix) {
  const auto value = [&](i64 k) { return table[n(k * stride)] - table[0]; };
  const auto step = [&](i64 k) { return value(k) - value(k - 1); };
  for (const i64 weight : {step(1), step(radix > 2 ? 2 : 1)}) {
    DeviceForm::Part part{stride, radix, 0, weight};
    i64 jumps = 0;
    for (i64 k = 1; k < radix; ++k) {
      if (step(k) == weight) continue;
      jumps += step(k) == weight * (1 - radix) ? 1 : radix;
      part.turn = radix - k;
    }
    if (jumps <= 1) return std::pair(part, -part.turn * weight);
  }
  return std::nullopt;
}

// Digit of the device in a position, the last of its coordinates.
int deviceDigit(const Map& position) { return position.indexDigits().back(); }

// All digits but the device, which becomes `by`.
Result<Map> withDeviceAs(const Map& position, const Expr& by, std::vector<Param> params) {
  const int p = deviceDigit(position);
  std::vector<Digit> digits;
  std::vector<Expr> values;
  for (int k = 0; k < static_cast<int>(position.digits().size()); ++k) {
    if (k == p) {
      values.push_back(by + -position.digit(k).lo);
      continue;
    }
    values.push_back(Expr::digit(static_cast<int>(digits.size())));
    digits.push_back(position.digit(k));
  }
  std::vector<Axis> axes = substituted(position.axes(), values);
  axes.pop_back();
  return Map::create(std::move(digits), std::move(axes), substituted(position.guards(), values), std::move(params));
}

// The map of elements, with p as the last parameter if it is used. `all`: keeps the other parameters, used or not.
struct Elements {
  Map map;
  bool usesDevice = false;
};
Elements elementsOf(const Map& position, bool all) {
  const Digit& p = position.digit(deviceDigit(position));
  std::vector<Param> params = position.params();
  const auto place = params.size();
  params.push_back({"p", p.lo, p.lo + p.extent - 1});
  const auto made = withDeviceAs(position, Expr::param(static_cast<int>(place)), params);
  if (!made) return {position, false};
  const WithoutUnused plain = withoutUnused(simplified(*made));
  std::vector<Param> kept;
  std::vector<Expr> by(plain.params.size());
  Elements elements;
  for (std::size_t k = 0; k < params.size(); ++k) {
    const auto at = std::ranges::find(plain.params, static_cast<int>(k));
    const bool used = at != plain.params.end();
    if (k == place) elements.usesDevice = used;
    if (!used && (k == place || !all)) continue;
    if (used) {  // simplification may tighten a range
      const auto j = static_cast<std::size_t>(at - plain.params.begin());
      params[k].lo = plain.map.params()[j].lo;
      params[k].hi = plain.map.params()[j].hi;
      by[j] = Expr::param(static_cast<int>(kept.size()));
    }
    params[k].name = k == place ? "p" : "rt" + std::to_string(k);
    kept.push_back(params[k]);
  }
  const std::vector<Expr> same = identityDigits(plain.map.digits().size());
  auto map = Map::create(plain.map.digits(), substituted(plain.map.axes(), same, by),
                         substituted(plain.map.guards(), same, by), std::move(kept));
  elements.map = map ? *std::move(map) : plain.map;
  return elements;
}

}  // namespace

i64 DeviceForm::at(i64 p) const {
  i64 value = constant;
  for (const Part& part : parts) value += (p / part.stride + part.turn) % part.radix * part.weight;
  return value;
}

Expr DeviceForm::of(const Expr& p) const {
  Expr value = Expr::constant(constant);
  for (std::size_t k = parts.size(); k-- > 0;) {
    const Part& part = parts[k];
    Expr digit = floorDiv(p, part.stride) + part.turn;
    if (part.turn != 0 || part.stride * part.radix < count) digit = mod(digit, part.radix);
    value = digit * part.weight + value;
  }
  return value;
}

std::optional<DeviceForm> deviceForm(const Ints& table) {
  DeviceForm form;
  form.count = static_cast<i64>(table.size());
  spend(form.count);
  if (table.empty()) return std::nullopt;
  form.constant = table[0];
  for (i64 stride = 1; stride < form.count;) {
    const i64 rest = form.count / stride;
    if (stride * rest != form.count) return std::nullopt;
    std::optional<std::pair<DeviceForm::Part, i64>> part;
    for (i64 radix = rest; radix > 1 && !part; --radix)
      if (rest % radix == 0) part = partOf(table, stride, radix);
    if (!part) return std::nullopt;
    if (part->first.weight != 0) {
      form.parts.push_back(part->first);
      form.constant += part->second;
    }
    stride *= part->first.radix;
  }
  for (i64 p = 0; p < form.count; ++p)
    if (form.at(p) != table[n(p)]) return std::nullopt;
  return form;
}

std::optional<std::vector<DevicePiece>> devicePieces(const std::vector<std::optional<i64>>& table, const Expr& p) {
  std::vector<DevicePiece> pieces;
  const i64 count = static_cast<i64>(table.size());
  if (std::ranges::all_of(table, [](const auto& v) { return v.has_value(); })) {
    Ints all;
    for (const auto& v : table) all.push_back(*v);
    if (const auto form = deviceForm(all)) return std::vector{DevicePiece{0, count - 1, form->of(p)}};
  }
  for (i64 lo = 0; lo < count;) {
    if (!table[n(lo)]) {
      ++lo;
      continue;
    }
    i64 hi = lo;
    const i64 slope = lo + 1 < count && table[n(lo + 1)] ? *table[n(lo + 1)] - *table[n(lo)] : 0;
    while (hi + 1 < count && table[n(hi + 1)] && *table[n(hi + 1)] - *table[n(hi)] == slope) ++hi;
    if (pieces.size() == kMostPieces) return std::nullopt;
    pieces.push_back({lo, hi, (p + -lo) * (hi > lo ? slope : 0) + *table[n(lo)]});
    lo = hi + 1;
  }
  return pieces;
}

std::optional<std::vector<GroupPiece>> groupPieces(const DeviceGroups& groups, i64 devices) {
  struct Place {
    const Ints* group = nullptr;
    i64 number = 0;
  };
  std::vector<Place> places(n(devices));
  for (const Ints& group : groups)
    for (std::size_t k = 0; k < group.size(); ++k) places[n(group[k])] = {&group, static_cast<i64>(k)};
  // The devices lo to hi with members from `from` on, as one piece with as many members as possible.
  const auto piece = [&](i64 lo, i64 hi, i64 from) -> std::optional<GroupPiece> {
    const Ints& one = *places[n(lo)].group;
    Ints number, first;
    std::vector<bool> compared(groups.size());
    spend(hi - lo + 1);
    for (i64 p = lo; p <= hi; ++p) {
      const Ints& group = *places[n(p)].group;
      if (const auto at = static_cast<std::size_t>(&group - groups.data()); !compared[at]) {
        compared[at] = true;
        if (group.size() != one.size()) return std::nullopt;
        for (std::size_t k = 0; k < one.size(); ++k)
          if (group[k] - group[0] != one[k] - one[0]) return std::nullopt;
      }
      number.push_back(places[n(p)].number);
      first.push_back(group[n(from)]);
    }
    const auto byNumber = deviceForm(number), byFirst = deviceForm(first);
    if (!byNumber || !byFirst) return std::nullopt;
    const i64 most = static_cast<i64>(one.size()) - 1;
    i64 run = from;  // the last member of equal steps
    while (run < most && one[n(run + 1)] - one[n(run)] == one[n(from + 1)] - one[n(from)]) ++run;
    for (i64 to = most; to >= from; to = most - from < kAllRuns ? to - 1 : to > run ? run : from - 1) {
      Ints member;
      for (i64 k = from; k <= to; ++k) member.push_back(one[n(k)] - one[n(from)]);
      if (const auto byMember = deviceForm(member))
        return GroupPiece{lo, hi, static_cast<i64>(one.size()), from, to, *byNumber, *byFirst, *byMember};
    }
    return std::nullopt;
  };
  std::vector<GroupPiece> pieces;
  for (i64 lo = 0; lo < devices;) {
    if (places[n(lo)].group == nullptr) {
      ++lo;
      continue;
    }
    i64 end = lo;  // of the devices that take part
    while (end + 1 < devices && places[n(end + 1)].group != nullptr) ++end;
    const i64 size = static_cast<i64>(places[n(lo)].group->size());
    std::optional<GroupPiece> one;
    for (i64 hi = end; hi >= lo && !one; hi = hi == lo ? lo - 1 : devices <= kAllRuns ? hi - 1 : lo)
      one = piece(lo, hi, 0);
    for (i64 from = 0; one;) {
      if (pieces.size() == kMostPieces) return std::nullopt;
      from = one->to + 1;
      lo = one->hi + 1;
      const i64 first = one->lo, last = one->hi;
      pieces.push_back(*std::move(one));
      one = from < size ? piece(first, last, from) : std::nullopt;
      if (!one && from < size) return std::nullopt;
    }
  }
  return pieces;
}

Ints meshOf(const Module& module) {
  const i64 devices = module.devices.count;
  Ints cuts = {1, devices};
  std::string last;
  const auto cutAt = [&](const DeviceForm& form) {
    for (const DeviceForm::Part& part : form.parts) {
      const i64 weight = part.weight < 0 ? -part.weight : part.weight;
      cuts.push_back(weight);
      cuts.push_back(weight * part.radix);
    }
  };
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions) {
      const bool permutes = i.find("source_target_pairs") != nullptr;
      if (!permutes && i.find("replica_groups") == nullptr) continue;
      std::string text = groupsText(i);
      if (text == last) continue;
      last = std::move(text);
      if (permutes) {
        if (const auto sources = sourcesOf(module, i))
          if (const auto form = deviceForm(*sources)) cutAt(*form);
      } else if (const auto groups = groupsOf(module, i)) {
        for (const GroupPiece& piece : groupPieces(*groups, devices).value_or(std::vector<GroupPiece>())) {
          cutAt(piece.member);
          if (piece.lo == 0 && piece.hi == devices - 1) cutAt(piece.first);
        }
      }
    }
  std::ranges::sort(cuts);
  Ints radices;
  for (std::size_t k = 1; k < cuts.size(); ++k) {
    if (cuts[k] == cuts[k - 1]) continue;
    if (cuts[k] % cuts[k - 1] != 0 || cuts[k] > devices) return {devices};
    radices.insert(radices.begin(), cuts[k] / cuts[k - 1]);
  }
  return radices.empty() ? Ints{devices} : radices;
}

Result<Map> ownPosition(const Map& elements, i64 devices) {
  std::vector<Digit> digits = elements.digits();
  std::vector<Axis> axes = elements.axes();
  axes.push_back({"", Expr::digit(static_cast<int>(digits.size())), std::nullopt});
  digits.push_back({"p", devices, DigitKind::Index, 0});
  return Map::create(std::move(digits), std::move(axes), elements.guards(), elements.params());
}

Map deviceAlone(const Map& position) {
  std::vector<Axis> twice = {position.axes().back(), position.axes().back()};
  const auto doubled = Map::create(position.digits(), std::move(twice), position.guards(), position.params());
  return doubled ? elementsOf(*doubled, /*all=*/false).map : position;
}

bool staysOn(const Map& position) {
  const int p = deviceDigit(position);
  const Expr device = Expr::digit(p) + position.digit(p).lo;
  return position.axes().back().value == device;
}

std::optional<Map> withoutDevice(const Map& position, i64 devices) {
  const Digit& p = position.digit(deviceDigit(position));
  if (!staysOn(position) || p.lo != 0 || p.extent != devices) return std::nullopt;
  Elements elements = elementsOf(position, /*all=*/true);
  return elements.usesDevice ? std::nullopt : std::optional(std::move(elements.map));
}

bool isDevice(const RuntimeValue& value) { return value.operand < 0 && value.inside == kThisDevice; }

void addPosition(Reach& reach, Map position, std::vector<RuntimeValue> runtime) {
  const std::size_t before = reach.maps.size();
  reach.devices.resize(before);
  reach.runtime.resize(before);
  Elements elements = elementsOf(position, /*all=*/true);
  runtime.resize(position.params().size());
  if (elements.usesDevice) {
    std::vector<Digit> digits;
    for (const int k : elements.map.indexDigits()) digits.push_back(elements.map.digit(k));
    auto scalar = Map::create(std::move(digits), {}, {}, {});
    runtime.push_back({"p", -1, scalar ? *std::move(scalar) : Map(), kThisDevice, {}});
  }
  reach.maps.push_back(std::move(elements.map));
  reach.runtime.push_back(std::move(runtime));
  reach.devices.emplace_back(std::move(position));
}

void addMap(Reach& reach, Map position, i64 devices) {
  if (auto own = withoutDevice(position, devices)) {
    reach.maps.push_back(*std::move(own));
    if (!reach.devices.empty()) reach.devices.emplace_back();
  } else {
    addPosition(reach, std::move(position));
  }
}

const Map* positionOf(const Reach& reach, std::size_t which) {
  return which < reach.devices.size() && reach.devices[which] ? &*reach.devices[which] : nullptr;
}

}  // namespace tessera::hlo
