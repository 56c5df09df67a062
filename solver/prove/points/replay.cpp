#include "solver/prove/points/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"

namespace tessera::prover {

namespace {

constexpr i64 kHoleCheckLimit = i64{1} << 16;  // points searched to confirm a missed place

// The displayed values of some digits, and of all Index digits.
std::vector<i64> shown(const Map& m, const std::vector<int>& which, std::vector<i64> values) {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] += m.digits()[which[k]].lo;
  return values;
}
std::vector<i64> shownIndex(const Map& m, std::vector<i64> index) {
  return shown(m, m.indexDigits(), std::move(index));
}

// "(2,0)", or "(2,0) with r=1" if Fan digits matter.
std::string pointText(const Map& m, const std::vector<i64>& point, const std::string& profile) {
  std::string text = coordinateText(shownIndex(m, picked(point, m.indexDigits())), profile);
  std::string fans;
  for (int k : m.fanDigits()) {
    const Digit& d = m.digits()[k];
    fans += fmt::format("{}{}={}", fans.empty() ? " with " : ", ", d.name, d.lo + point[k]);
  }
  return text + fans;
}

// "8"; "lane 3, reg 1" for several axes; "(3,1)" if they are unnamed.
std::string valueText(const Map& m, const std::vector<i64>& value) {
  if (value.size() == 1) return fmt::format("{}", value.front());
  if (std::ranges::all_of(m.axes(), [](const Axis& a) { return a.name.empty(); })) return tuple(value);
  std::string text;
  for (std::size_t a = 0; a < value.size(); ++a)
    text += fmt::format("{}{} {}", a == 0 ? "" : ", ", m.axes()[a].name, value[a]);
  return text;
}

std::string setText(const std::vector<std::vector<i64>>& set) {
  if (set.empty()) return "nothing";
  if (set.size() == 1) return tuple(set.front());
  std::string text;
  const std::size_t shown = std::min<std::size_t>(set.size(), 8);
  for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? "" : ", ") + tuple(set[k]);
  return "{" + text + (shown < set.size() ? ", ..." : "") + "}";
}

bool paramsInRange(const std::vector<Param>& params, const std::vector<i64>& values) {
  if (params.size() != values.size()) return false;
  for (std::size_t k = 0; k < params.size(); ++k)
    if (values[k] < params[k].lo || values[k] > params[k].hi) return false;
  return true;
}

// Parameter values for a map whose parameters may come from the other one.
std::vector<i64> paramsFor(const Map& m, const std::vector<i64>& values) {
  return m.params().empty() ? std::vector<i64>{} : values;
}

std::vector<i64> evaluated(const std::vector<Expr>& exprs, const std::vector<i64>& digits,
                           const std::vector<i64>& params = {}) {
  return mapped<i64>(exprs, [&](const Expr& e) { return evaluate(e, digits, params); });
}

}  // namespace

std::string forParams(const std::vector<Param>& params, const std::vector<i64>& values) {
  std::string text;
  for (std::size_t k = 0; k < params.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "for " : ", ", params[k].name, values[k]);
  return text.empty() ? text : text + ": ";
}

void addParams(Counterexample& c, const std::vector<Param>& params, const std::vector<i64>& values) {
  for (std::size_t k = 0; k < params.size(); ++k) c.witnesses.push_back({params[k].name, {values[k]}});
}

std::optional<Counterexample> replayPairs(const Map& map, const Answer& answer, const std::string& profile) {
  if (answer.points.size() != 2 || !paramsInRange(map.params(), answer.params)) return std::nullopt;
  const auto &x = answer.points[0], &y = answer.points[1];
  if (x == y || !inBox(map.digits(), x) || !inBox(map.digits(), y)) return std::nullopt;
  if (!map.isReal(x, answer.params) || !map.isReal(y, answer.params)) return std::nullopt;
  const std::vector<i64> value = map.at(x, answer.params);
  if (value != map.at(y, answer.params)) return std::nullopt;
  Counterexample c;
  const std::vector<int> index = map.indexDigits(), fan = map.fanDigits();
  c.points = {picked(x, index), picked(y, index)};
  c.witnesses = {{"x", shownIndex(map, c.points[0])}, {"y", shownIndex(map, c.points[1])}};
  if (!fan.empty()) {
    c.witnesses.push_back({"fan of x", shown(map, fan, picked(x, fan))});
    c.witnesses.push_back({"fan of y", shown(map, fan, picked(y, fan))});
  }
  c.witnesses.push_back({"f(x)", value});
  addParams(c, map.params(), answer.params);
  c.text = fmt::format("{}{} and {} both give {}", forParams(map.params(), answer.params), pointText(map, x, profile),
                       pointText(map, y, profile), valueText(map, value));
  return c;
}

std::optional<Counterexample> replayHole(const Map& map, const Answer& answer, const std::vector<i64>& lowest) {
  if (!answer.hole || !paramsInRange(map.params(), answer.params)) return std::nullopt;
  for (std::size_t a = 0; a < map.axes().size(); ++a)
    if ((*answer.hole)[a] < 0 || !map.axes()[a].extent || (*answer.hole)[a] >= *map.axes()[a].extent)
      return std::nullopt;
  // A missed place has no point to evaluate; small maps are searched with Map::at.
  const auto points = countPoints(map.digits());
  const std::vector<i64> extents = extentsOf(map.digits());
  for (i64 k = 0; points && *points <= kHoleCheckLimit && k < *points; ++k) {
    const std::vector<i64> at = delinearize(k, extents, LinearOrder::Colex);
    if (map.isReal(at, answer.params) && map.at(at, answer.params) == *answer.hole) return std::nullopt;
  }
  std::vector<i64> place = *answer.hole;
  for (std::size_t a = 0; a < lowest.size(); ++a) place[a] += lowest[a];
  Counterexample c;
  c.witnesses = {{"place", place}};
  addParams(c, map.params(), answer.params);
  c.text = fmt::format("{}no coordinate gives {}", forParams(map.params(), answer.params), valueText(map, place));
  return c;
}

std::optional<Counterexample> replayCount(const Map& map) {
  const auto points = countPoints(map.digits());
  if (!points || !map.params().empty()) return std::nullopt;
  for (const Axis& a : map.axes())
    if (a.extent == 0 || !a.extent) return std::nullopt;
  const std::optional<i64> places = countPlaces(map);  // nullopt: 2^63 or more
  if (places && *points >= *places) return std::nullopt;
  const std::string many = places ? fmt::format("{}", *places) : "2^63 and more";
  Counterexample c;
  c.witnesses = {{"coordinates", {*points}}};
  c.text = fmt::format("{}{} coordinates cannot give {} places", map.guards().empty() ? "" : "at most ", *points, many);
  return c;
}

std::optional<Counterexample> replayBounds(const Map& map, const Answer& answer, const std::string& profile) {
  if (answer.points.size() != 1 || !paramsInRange(map.params(), answer.params)) return std::nullopt;
  const auto& x = answer.points[0];
  if (!inBox(map.digits(), x) || !map.isReal(x, answer.params)) return std::nullopt;
  const std::vector<i64> value = map.at(x, answer.params);
  for (std::size_t a = 0; a < value.size(); ++a) {
    const auto& extent = map.axes()[a].extent;
    if (value[a] >= 0 && (!extent || value[a] < *extent)) continue;
    Counterexample c;
    c.points = {picked(x, map.indexDigits())};
    c.witnesses = {{"x", shownIndex(map, c.points[0])}, {"f(x)", value}};
    addParams(c, map.params(), answer.params);
    const std::string axis = value.size() == 1 ? "" : map.axes()[a].name + " ";
    c.text = fmt::format("{}{} gives {}{}, {}", forParams(map.params(), answer.params), pointText(map, x, profile),
                         axis, value[a], extent ? fmt::format("outside [0,{})", *extent) : "below 0");
    return c;
  }
  return std::nullopt;
}

namespace {

bool inIndexBox(const Map& m, const std::vector<i64>& index) { return inBox(digitsOf(m, m.indexDigits()), index); }

// The image under the original map: empty outside its box or its parameters' ranges.
std::vector<std::vector<i64>> imageIn(const Map& m, const std::vector<i64>& index, const std::vector<i64>& params) {
  if (!inIndexBox(m, index) || !paramsInRange(m.params(), params)) return {};
  return m.imageOf(index, params);
}

}  // namespace

std::optional<Counterexample> replayEqual(const Map& f, const Map& g, const Aligned& a, const Answer& answer,
                                          const Profiles& profiles) {
  if (answer.points.size() != 1 || !paramsInRange(a.f.params(), answer.params)) return std::nullopt;
  const std::vector<i64> at = picked(answer.points[0], a.f.indexDigits());
  const std::vector<i64> x = evaluated(a.toF, at), y = evaluated(a.toG, at);
  const bool known = inIndexBox(f, x);
  if (!known && !inIndexBox(g, y)) return std::nullopt;
  const auto first = imageIn(f, x, paramsFor(f, answer.params));
  std::vector<std::vector<i64>> second;  // with its axes in f's order
  for (const std::vector<i64>& image : imageIn(g, y, paramsFor(g, answer.params))) {
    second.push_back(mapped<i64>(a.axesG, [&](std::size_t axis) { return image[axis]; }));
  }
  std::ranges::sort(second);
  if (first == second) return std::nullopt;
  const std::vector<i64> ofF = shownIndex(f, x), ofG = shownIndex(g, y);
  Counterexample c;
  if (known) c.points = {x};
  c.witnesses.push_back({"x", ofF});
  if (ofF != ofG) c.witnesses.push_back({"x of the second", ofG});
  if (first.size() == 1) c.witnesses.push_back({"f(x)", first[0]});
  if (second.size() == 1) c.witnesses.push_back({"g(x)", second[0]});
  addParams(c, a.f.params(), answer.params);
  const std::string where = ofF == ofG ? coordinateText(ofF, profiles.f)
                                       : fmt::format("{}, which is {} of the second,", coordinateText(ofF, profiles.f),
                                                     coordinateText(ofG, profiles.g));
  c.text = fmt::format("{}at {} the first gives {} and the second {}", forParams(a.f.params(), answer.params), where,
                       setText(first), setText(second));
  return c;
}

std::optional<Counterexample> replayRoundtrip(const Map& f, const Map& g, const Roundtrip& r, const Answer& answer,
                                              const Profiles& profiles) {
  if (answer.points.size() != 1 || !paramsInRange(r.obligation.params, answer.params)) return std::nullopt;
  const std::size_t own = f.digits().size();
  if (answer.points[0].size() < own) return std::nullopt;
  const std::vector<i64> x(answer.points[0].begin(), answer.points[0].begin() + static_cast<std::ptrdiff_t>(own));
  const std::vector<i64> paramsF = paramsFor(f, answer.params), paramsG = paramsFor(g, answer.params);
  if (!inBox(f.digits(), x) || !f.isReal(x, paramsF)) return std::nullopt;
  const std::vector<i64> value = f.at(x, paramsF), index = picked(x, f.indexDigits());
  Counterexample c;
  c.points = {index};
  const std::vector<i64> coordinates = shownIndex(f, index);
  c.witnesses = {{"x", coordinates}, {"f(x)", value}};
  addParams(c, r.obligation.params, answer.params);
  const std::string goes = fmt::format("{}{} goes to {}", forParams(r.obligation.params, answer.params),
                                       pointText(f, x, profiles.f), valueText(f, value));
  const std::vector<i64> arguments = evaluated(r.arguments, x, paramsF);
  const std::vector<int> indexG = g.indexDigits();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] >= 0 && arguments[k] < g.digits()[indexG[k]].extent) continue;
    c.text = goes + ", outside the domain of the backward map";
    return c;
  }
  const auto back = g.imageOf(arguments, paramsG);
  const std::vector<i64> expected =
      r.backExtents.empty() ? coordinates : std::vector<i64>{linearize(index, r.backExtents, LinearOrder::Colex)};
  if (back == std::vector<std::vector<i64>>{expected}) return std::nullopt;
  if (back.size() == 1) c.witnesses.push_back({"g(f(x))", back[0]});
  const bool asCoordinate = back.size() == 1 && r.backExtents.empty();
  const std::string came = asCoordinate ? coordinateText(back[0], profiles.f) : setText(back);
  c.text = back.empty() ? goes + ", where the backward map has no value"
                        : fmt::format("{} and comes back as {}{}", goes, came,
                                      r.backExtents.size() > 1 ? fmt::format(" instead of {}", tuple(expected)) : "");
  return c;
}

Counterexample sizesDiffer(const Map& f, const Map& g, const SizesDiffer& sizes, LinearOrder order,
                           const Profiles& profiles) {
  const bool firstLarger = sizes.sizeF > sizes.sizeG;
  const Map& larger = firstLarger ? f : g;
  const std::vector<i64> extents = extentsOf(digitsOf(larger, larger.indexDigits()));
  const std::vector<i64> x = delinearize(std::min(sizes.sizeF, sizes.sizeG), extents, order);
  const std::vector<i64> shown = shownIndex(larger, x);
  Counterexample c;
  c.witnesses = {{firstLarger ? "x of the first" : "x of the second", shown}};
  if (firstLarger) c.points = {x};
  c.text = fmt::format("the first has {} coordinates and the second {}: {} of the {} is outside the other", sizes.sizeF,
                       sizes.sizeG, coordinateText(shown, firstLarger ? profiles.f : profiles.g),
                       firstLarger ? "first" : "second");
  return c;
}

std::optional<Counterexample> axesDiffer(const Map& f, const Map& g, const Profiles& profiles) {
  const std::vector<i64> x(f.indexDigits().size(), 0), y(g.indexDigits().size(), 0);
  const auto paramsF = lowestParams(f.params()), paramsG = lowestParams(g.params());
  const auto first = f.imageOf(x, paramsF), second = g.imageOf(y, paramsG);
  if (first == second) return std::nullopt;
  Counterexample c;
  c.points = {x};
  const std::vector<i64> shown = shownIndex(f, x);
  c.witnesses = {{"x", shown}};
  c.text =
      fmt::format("at {} the first gives {} and the second {}: {} axes against {}", coordinateText(shown, profiles.f),
                  setText(first), setText(second), f.axes().size(), g.axes().size());
  return c;
}

}  // namespace tessera::prover
