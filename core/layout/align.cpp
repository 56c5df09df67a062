#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/layout/hardware.h"
#include "core/layout/layout.h"

namespace tessera {
namespace {

bool fits(const Space& a, const Space& b) {
  return a.kind == b.kind || a.kind == SpaceKind::Coordinates || b.kind == SpaceKind::Coordinates;
}

// Whether the targets fit: if both place elements, memory is one more named place (m), like lanes and registers.
bool fitsTarget(const Arrow& a, const Arrow& b) {
  const auto places = [](const Arrow& x) {
    return x.from.kind == SpaceKind::Elements && (x.to.kind == SpaceKind::Memory || x.to.kind == SpaceKind::Hardware);
  };
  return fits(a.to, b.to) || (places(a) && places(b));
}

std::string shapeText(const std::vector<i64>& extents) {
  return extents.size() == 1 ? std::to_string(extents[0]) : fmt::format("({})", fmt::join(extents, ","));
}

// The arrow over hardware coordinates in this order, by their canonical names; a missing one gets extent 1.
Result<Arrow> withInputs(const Arrow& arrow, const std::vector<std::string>& names) {
  Arrow out;
  out.from = arrow.from;
  out.from.modes.clear();
  out.to = arrow.to;
  std::vector<Digit> digits;
  std::vector<Expr> values(arrow.map.indexDigits().size());
  for (const std::string& name : names) {
    std::size_t first = 0;
    const auto own = std::ranges::find_if(arrow.from.modes, [&](const Mode& m) {
      const bool found = hardwareAxis(m.name) == name;
      if (!found) first += m.digits.size();
      return found;
    });
    Mode mode = own == arrow.from.modes.end() ? Mode{name, {1}, 0} : *own;
    for (std::size_t k = 0; k < mode.digits.size(); ++k) {
      if (own != arrow.from.modes.end()) values[first + k] = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back(
          {mode.digits.size() == 1 ? name : fmt::format("{}{}", name, k), mode.digits[k], DigitKind::Index});
    }
    out.from.modes.push_back(std::move(mode));
  }
  TESSERA_TRY(out.map, overDigits(arrow.map, std::move(digits), values, arrow.map.axes()));
  return out;
}

bool isThreadValue(const Arrow& a) {
  return a.from.kind == SpaceKind::Hardware && !a.from.modes.empty() && a.from.modes[0].name == "thread";
}

// Hardware -> Elements as (thread, value) -> index of the tile, column by column, as CuTe has it.
Result<Arrow> threadValueForm(const Arrow& arrow) {
  if (isThreadValue(arrow)) return arrow;
  const auto longer = [](const Mode& m) { return m.extent() > 1; };
  if (!arrow.to.shaped && std::ranges::count_if(arrow.to.modes, longer) > 1)
    return Diag{"a layout over several axes is compared as (thread, value), which needs the tile's shape",
                "X over (16,8)"};
  std::vector<std::string> order;
  for (const char* known : {"lane", "tx", "tid_in_wg", "wid_in_wg", "warp", "wgid", "cta"}) {
    for (const Mode& m : arrow.from.modes)
      if (hardwareAxis(m.name) == known) order.emplace_back(known);
  }
  const bool noThread = order.empty();
  if (noThread) order.emplace_back("lane");  // which withInputs makes a mode of extent 1
  const std::size_t threadModes = order.size();
  for (const Mode& m : arrow.from.modes) {
    if (isValueAxis(m.name)) {
      order.push_back(hardwareAxis(m.name));
    } else if (!isThreadAxis(m.name) && m.extent() > 1) {
      return Diag{fmt::format("the axis {} is neither a thread nor a register, so this is not a (thread, value) layout",
                              m.name),
                  "axes such as lane, warp and reg"};
    }
  }
  const bool noValue = order.size() == threadModes;
  if (noValue) order.emplace_back("reg");
  TESSERA_TRY(const Arrow ordered, withInputs(arrow, order));
  Arrow out;
  out.from.kind = SpaceKind::Hardware;
  Mode thread{"thread", {}, 0}, value{"value", {}, 0};
  for (std::size_t k = 0; k < ordered.from.modes.size(); ++k) {
    Mode& into = k < threadModes ? thread : value;
    into.digits.insert(into.digits.end(), ordered.from.modes[k].digits.begin(), ordered.from.modes[k].digits.end());
  }
  std::vector<Digit> digits = ordered.map.digits();  // one for each of the modes', then the Fan digits
  if (noThread) digits[0].name = "thread";
  if (noValue) digits[ordered.map.indexDigits().size() - 1].name = "value";
  out.from.modes = {thread, value};
  Expr linear;
  i64 place = 1;
  for (std::size_t a = 0; a < ordered.map.axes().size(); ++a) {
    linear = linear + ordered.map.axes()[a].value * place;
    const i64 extent = a < arrow.to.modes.size() ? arrow.to.modes[a].extent() : 0;
    if (extent == 0 && a + 1 < ordered.map.axes().size())
      return Diag{"the shape of the tile is not known", "X over (16,8)"};
    place = checkedMul(place, std::max<i64>(extent, 1)).value_or(INT64_MAX);
  }
  out.to = arrow.to;
  out.to.modes.clear();
  out.to.order = LinearOrder::Colex;
  TESSERA_TRY(out.map, Map::create(std::move(digits), {{"index", linear, std::nullopt}}, ordered.map.guards(),
                                   ordered.map.params()));
  return out;
}

// --- the target: the same axes, in the same order

std::string axisKey(const Axis& axis) { return hardwareAxis(axis.name == "address" ? "offset" : axis.name); }

Result<Map> withAxes(const Map& map, const std::vector<std::string>& names) {
  std::vector<Axis> axes;
  for (const std::string& name : names) {
    const auto own = std::ranges::find_if(map.axes(), [&](const Axis& a) { return axisKey(a) == name; });
    axes.push_back(own == map.axes().end() ? Axis{name, Expr::constant(0), {}} : *own);
    axes.back().name = name;
  }
  return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
}

Result<void> alignTargets(Arrow& a, Arrow& b) {
  const auto named = [](const Arrow& x) {
    return x.to.kind == SpaceKind::Hardware || x.to.kind == SpaceKind::Devices || x.to.kind == SpaceKind::Memory;
  };
  const std::size_t n = a.map.axes().size(), m = b.map.axes().size();
  // A single address has one meaning under any name; a lane is neither a warp nor an address.
  const bool oneAddress = n == 1 && m == 1 && a.to.kind == b.to.kind && a.to.kind != SpaceKind::Hardware;
  if (named(a) && named(b) && !oneAddress) {
    std::vector<std::string> names;
    for (const Arrow* x : {&a, &b}) {
      for (const Axis& axis : x->map.axes())
        if (std::ranges::find(names, axisKey(axis)) == names.end()) names.push_back(axisKey(axis));
    }
    std::ranges::sort(names);
    TESSERA_TRY(a.map, withAxes(a.map, names));
    TESSERA_TRY(b.map, withAxes(b.map, names));
    return {};
  }
  if (n != m) return {};  // the prover reports it, with the values at the first coordinate
  std::vector<Axis> axes = b.map.axes();
  for (std::size_t k = 0; k < n; ++k) axes[k].name = a.map.axes()[k].name;
  TESSERA_TRY(b.map, Map::create(b.map.digits(), std::move(axes), b.map.guards(), b.map.params()));
  return {};
}

// --- the source

std::vector<std::string> inputNames(const Arrow& a, const Arrow& b) {
  std::vector<std::string> names;
  for (const Arrow* x : {&a, &b}) {
    for (const Mode& m : x->from.modes)
      if (std::ranges::find(names, hardwareAxis(m.name)) == names.end()) names.push_back(hardwareAxis(m.name));
  }
  return names;
}

const char* orderText(LinearOrder order) {
  return order == LinearOrder::Colex ? "the first mode fastest" : "the last mode fastest";
}

Diag ordersDiffer(const Arrow& a, const Arrow& b) {
  const std::string x = shapeText(extentsOf(a.from)), y = shapeText(extentsOf(b.from));
  return Diag{
      fmt::format("the shapes {} and {} differ, and the first layout counts its elements with {}, the second with "
                  "{}, so no element of one is known to be an element of the other",
                  x, y, orderText(a.from.order), orderText(b.from.order)),
      "two layouts over the same shape",
      fmt::format("give one the shape of the other: X over {}, or an indexing map with as many dimensions",
                  (a.from.order == LinearOrder::Lex ? y : x))};
}

bool isPartial(const Arrow& a) {
  return !a.map.guards().empty() || std::ranges::any_of(a.from.modes, [](const Mode& m) { return m.lo != 0; });
}

// Equally many coordinates, but over different places: register=[[1]], lane=[] and register=[], lane=[[1]]. A lane is
// not a register, so these have no common linear index.
bool onOtherPlaces(const Arrow& a, const Arrow& b) {
  return extentsOf(a.from) != extentsOf(b.from) && sizeOf(a) == sizeOf(b);
}

Result<Aligned> direct(Arrow a, Arrow b, std::string reading) {
  const auto add = [&](const std::string& more) { reading += (reading.empty() ? "" : "; ") + more; };
  if (a.from.kind == SpaceKind::Hardware && b.from.kind == SpaceKind::Hardware) {
    if (isThreadValue(a) != isThreadValue(b)) {
      TESSERA_TRY(a, threadValueForm(a));
      TESSERA_TRY(b, threadValueForm(b));
      add("as (thread, value) -> index of the tile, column by column");
    } else if (!isThreadValue(a)) {
      const std::vector<std::string> names = inputNames(a, b);
      TESSERA_TRY(a, withInputs(a, names));
      TESSERA_TRY(b, withInputs(b, names));
      if (onOtherPlaces(a, b)) {
        // Compare the place of each element instead; if an element has several, there is no such function.
        Result<Arrow> x = converse(a), y = converse(b);
        if (x && y) return direct(*std::move(x), *std::move(y), reading.empty() ? "both inverted" : reading);
        return Diag{fmt::format("the first counts {} = {}, the second {}: they have no common coordinates",
                                fmt::join(names, " x "), shapeText(extentsOf(a.from)), shapeText(extentsOf(b.from))),
                    "equally many registers, lanes and warps"};
      }
    }
  }
  TESSERA_CHECKED(alignTargets(a, b));
  LinearOrder order = LinearOrder::Colex;
  const std::vector<i64> x = extentsOf(a.from), y = extentsOf(b.from);
  const bool partial = x.size() == y.size() && (isPartial(a) || isPartial(b));
  if (partial) {
    TESSERA_TRY(a, withWholeModes(a));
    TESSERA_TRY(b, withWholeModes(b));
  }
  if (x != y && !partial) {
    const auto sizeA = sizeOf(a), sizeB = sizeOf(b);
    const bool counted = a.from.modes.size() > 1 || b.from.modes.size() > 1;
    if (sizeA == sizeB && counted && a.from.order != b.from.order) return ordersDiffer(a, b);
    order = a.from.order;
    if (sizeA == sizeB) add(fmt::format("by linear index, {}", orderText(order)));
  }
  return Aligned{std::move(a.map), std::move(b.map), order, std::move(reading)};
}

// Coordinates without a meaning may denote either side; the side whose extents agree is chosen.
bool sameExtents(const Arrow& a, const Arrow& b) {
  std::vector<i64> x = extentsOf(a.from), y = extentsOf(b.from);
  std::erase(x, 1);
  std::erase(y, 1);
  return x == y && a.map.axes().size() == b.map.axes().size();
}

// Two maps of coordinates without a meaning, with equally many numbers: their bounds say where they hold, not which
// side is meant.
bool sameNumbers(const Arrow& a, const Arrow& b) {
  return a.from.kind == SpaceKind::Coordinates && b.from.kind == SpaceKind::Coordinates &&
         a.from.modes.size() == b.from.modes.size() && a.map.axes().size() == b.map.axes().size();
}

// A hardware space compared with coordinates without a meaning: drops the inputs of extent 1.
Result<Arrow> withoutUnits(const Arrow& a, std::size_t wanted) {
  if (a.from.kind != SpaceKind::Hardware || a.from.modes.size() <= wanted) return a;
  std::vector<std::string> names;
  for (const Mode& m : a.from.modes)
    if (m.extent() > 1) names.push_back(hardwareAxis(m.name));
  if (names.size() != wanted) return a;
  return withInputs(a, names);
}

Result<Aligned> overCommonAxes(const Arrow& a, const Arrow& b) {
  const bool straight = fits(a.from, b.from) && fitsTarget(a, b);
  const bool crossed = fits(a.from, b.to) && fits(a.to, b.from);
  const bool anonymous = a.from.kind == SpaceKind::Coordinates || b.from.kind == SpaceKind::Coordinates;
  if (straight && !(anonymous && crossed && !sameExtents(a, b) && !sameNumbers(a, b))) {
    TESSERA_TRY(Arrow x, withoutUnits(a, anonymous ? b.from.modes.size() : a.from.modes.size()));
    TESSERA_TRY(Arrow y, withoutUnits(b, anonymous ? a.from.modes.size() : b.from.modes.size()));
    return direct(std::move(x), std::move(y), "");
  }
  if (crossed) {
    // Prefer the direction to the elements, in which replicas are a function; otherwise invert the other arrow.
    const bool turnFirst = a.from.kind == SpaceKind::Elements;
    for (const bool first : {turnFirst, !turnFirst}) {
      const Result<Arrow> back = converse(first ? a : b);
      if (!back) continue;
      if (anonymous && !sameExtents(first ? *back : a, first ? b : *back)) continue;
      return first ? direct(*back, b, "the first inverted") : direct(a, *back, "the second inverted");
    }
    if (straight) return direct(a, b, "");
    const Result<Arrow> why = converse(turnFirst ? a : b);
    return Diag{fmt::format("one maps {} to {}, the other the reverse, and neither can be inverted: {}",
                            name(a.from.kind), name(a.to.kind), why ? std::string("no formula") : why.error().message),
                "two layouts in one direction, or one with a computable inverse"};
  }
  return Diag{fmt::format("the first maps {} to {}, the second {} to {}: they have nothing in common to compare",
                          name(a.from.kind), name(a.to.kind), name(b.from.kind), name(b.to.kind)),
              "two layouts between the same spaces", "a (thread, value) layout has two modes"};
}

// Whether the axis of `memory` is called m, one place among lanes and registers: S[8:1] compared with S[8:1] + 1@warp.
// Also if hardware axes that never move were omitted: S[(2,1):(1,2@lane)] compared with its bases.
bool isNamedPlace(const Arrow& memory, const Arrow& other) {
  const auto isMemoryAxis = [](const Axis& a) { return axisKey(a) == hardwareAxis("offset"); };
  return memory.map.axes()[0].name == hardwareAxis("offset") ||
         (other.from.kind == SpaceKind::Elements && std::ranges::any_of(other.map.axes(), isMemoryAxis));
}

// Changes the reading of `layout` if its first reading does not fit `other`.
//   - A layout in memory, compared with a distribution over threads, can only mean (thread, value).
//   - Bases (offset -> element) in which an offset repeats an element are not a function of the element: a layout that
//     also has such bases is compared by them.
Result<void> readBeside(const Layout& layout, Arrow& arrow, const Arrow& other) {
  if (arrow.to.kind != SpaceKind::Memory) return {};
  if (isMemory(arrow) && isDistribution(other)) {
    if (!isNamedPlace(arrow, other)) {
      TESSERA_TRY(arrow, layout.threadValueArrow());
    } else if (other.from.kind == SpaceKind::Hardware) {
      arrow.to.kind = SpaceKind::Hardware;
    }
  } else if (other.to.kind == SpaceKind::Elements) {
    Result<Arrow> bases = layout.threadValueArrow();
    if (bases && bases->from.kind == other.from.kind && bases->to.kind == other.to.kind) arrow = *std::move(bases);
  }
  return {};
}

}  // namespace

Result<Aligned> align(const Arrow& a, const Arrow& b) {
  Arrow x = a, y = b;
  TESSERA_TRY(const std::string split, withCommonAxes(x, y));
  TESSERA_TRY(Aligned out, overCommonAxes(x, y));
  if (!split.empty()) out.reading = out.reading.empty() ? split : split + "; " + out.reading;
  return out;
}

Result<Aligned> align(const Layout& a, const Layout& b) {
  TESSERA_TRY(Arrow x, a.arrow());
  TESSERA_TRY(Arrow y, b.arrow());
  const Arrow first = x;
  TESSERA_CHECKED(readBeside(a, x, y));
  TESSERA_CHECKED(readBeside(b, y, first));
  return align(x, y);
}

}  // namespace tessera
