#include "app/views/present/linked_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

#include "app/show/show.h"
#include "app/views/editor/sheet_lights.h"
#include "app/views/inspector/inspector.h"
#include "app/views/pictures/pane_view.h"
#include "core/worksheet/value.h"
#include "render/draw/draw.h"
#include "render/draw/links.h"

namespace tessera::panes {
namespace {

constexpr i64 kMostRoutes = 4096;
constexpr std::size_t kTwo = 2;  // paths of a counterexample

// What a picture shows of the way.
enum class Stage : unsigned char { Coordinate, Address, Bank, Thread };

Stage stageOf(const Outcome& outcome) {
  const std::string view = viewOf({}, outcome);
  if (view == "memory") return Stage::Address;
  if (view == "banks") return Stage::Bank;
  return isOfThreads(view) || view == "threads" ? Stage::Thread : Stage::Coordinate;
}

struct StepName {
  std::string_view fact, said;
  Stage stage;
};
constexpr std::array<StepName, 5> kSteps = {{
    {"coordinate", "coordinate", Stage::Coordinate},
    {"offset", "offset", Stage::Address},
    {"byte", "byte", Stage::Address},
    {"bank", "bank", Stage::Bank},
    {"goes to lane", "lane", Stage::Thread},
}};
// Of kSteps, before the thread.
constexpr std::size_t kToOffset = 2, kToByte = 3;
constexpr StepName kRequest = {"requested by lane", "requested by lane", Stage::Thread};

// The first grid with cells.
const Grid* firstGrid(const Figure& figure) {
  for (const Grid& g : figure.grids)
    if (g.cells && g.rows > 0 && g.cols > 0) return &g;
  return nullptr;
}

std::optional<Hover> hoverAt(const PathPicture& picture, const Grid& grid, i64 row, i64 col) {
  const Cell cell = grid.cells->cell(row, col);
  if (!cell.point.real()) return std::nullopt;
  return Hover{cell.point, picture.index, grid.name, row, col, cell.label, picture.outcome, pointsOf(cell)};
}

// A cell of the figure that the origin lights: the one that represents the fewest points, a word before its bank.
std::optional<PathCell> litCellIn(const Figure& figure, const Linked& linked) {
  std::optional<PathCell> best;
  std::size_t fewest = SIZE_MAX;
  for (std::size_t k = 0; k < figure.grids.size(); ++k) {
    const Grid& g = figure.grids[k];
    if (!g.cells || g.rows <= 0 || g.cols <= 0) continue;
    for (const Point& p : linked.in(figure, g)) {
      const auto places = g.cells->find(p, 1);
      if (places.empty()) continue;
      const std::size_t points = pointsOf(g.cells->cell(places[0].first, places[0].second)).size();
      if (points < fewest) best = PathCell{k, places[0].first, places[0].second};
      fewest = std::min(fewest, points);
      break;
    }
  }
  return best;
}

}  // namespace

i64 routesOf(const PathScene& scene) {
  if (!scene.ofCells()) return static_cast<i64>(scene.routes.size());
  if (scene.pictures.empty()) return 0;
  const Grid* g = firstGrid(*scene.pictures.front().outcome->figure);
  return g == nullptr ? 0 : g->rows > kMostRoutes / g->cols ? kMostRoutes : g->rows * g->cols;
}

std::optional<PathRoute> routeAt(const PathScene& scene, i64 route) {
  if (route < 0 || route >= routesOf(scene)) return std::nullopt;
  if (!scene.ofCells()) return scene.routes[static_cast<std::size_t>(route)];
  const PathPicture& first = scene.pictures.front();
  const Grid& g = *firstGrid(*first.outcome->figure);
  auto from = hoverAt(first, g, route / g.cols, route % g.cols);
  if (!from) return std::nullopt;
  PathRoute made{*std::move(from), {}};
  for (std::size_t k = 0; k < scene.pictures.size(); ++k) made.through.push_back(k);
  return made;
}

std::vector<PathStop> stopsOf(const Snapshot& now, const PathScene& scene, const PathRoute& route) {
  std::vector<PathStop> stops;
  if (route.through.empty()) return stops;
  // Outcomes that are not of the sheet know it from its other lines.
  const Facts facts = factsAt(now, route.from);
  std::vector<const Figure*> figures;
  for (const std::size_t k : route.through) figures.push_back(&*scene.pictures[k].outcome->figure);
  const Linked linked(originOf(route.from), figuresOf(now, figures));
  std::vector<std::optional<PathCell>> cells(scene.pictures.size());
  for (const std::size_t k : route.through) cells[k] = litCellIn(*scene.pictures[k].outcome->figure, linked);
  std::vector<bool> visited(scene.pictures.size());
  std::size_t here = route.through.front();
  const auto visit = [&](const std::string& text, std::size_t picture) {
    here = picture;
    visited[picture] = true;
    stops.push_back({text, picture, cells[picture]});
  };
  for (std::size_t n = 0; n < kSteps.size(); ++n) {
    if ((scene.end == PathEnd::Offset && n == kToOffset) || (scene.end == PathEnd::Byte && n == kToByte)) break;
    const StepName step = scene.end == PathEnd::Request && kSteps[n].stage == Stage::Thread ? kRequest : kSteps[n];
    const auto fact = std::ranges::find(facts, step.fact, &Fact::name);
    if (fact == facts.end()) continue;
    const std::size_t equals = fact->value.rfind("= ");  // "4 * 2 = 8"
    const std::string value = equals == std::string::npos ? fact->value : fact->value.substr(equals + 2);
    const auto own = std::ranges::find_if(
        route.through, [&](std::size_t k) { return cells[k] && stageOf(*scene.pictures[k].outcome) == step.stage; });
    visit(fmt::format("{} {}", step.said, value), own == route.through.end() ? here : *own);
    // Other pictures of the coordinate, before the address.
    if (step.stage != Stage::Coordinate) continue;
    for (const std::size_t k : route.through)
      if (!visited[k] && cells[k] && stageOf(*scene.pictures[k].outcome) == Stage::Coordinate)
        visit(fmt::format("in {}", viewOf({}, *scene.pictures[k].outcome)), k);
  }
  return stops;
}

i64 placesOf(const Snapshot& now, const PathScene& scene) {
  constexpr i64 kLookedAt = 8;  // the first cells may represent no point
  i64 most = 1;
  for (i64 route = 0; route < std::min(routesOf(scene), kLookedAt); ++route)
    if (const auto of = routeAt(scene, route)) most = std::max(most, static_cast<i64>(stopsOf(now, scene, *of).size()));
  return most;
}

PathMoment momentAt(const Snapshot& now, const PathScene& scene, i64 places, i64 time) {
  PathMoment moment;
  moment.route = std::clamp<i64>(time / places, 0, std::max<i64>(0, routesOf(scene) - 1));
  moment.of = routeAt(scene, moment.route);
  if (moment.of) moment.stops = stopsOf(now, scene, *moment.of);
  const auto at = static_cast<std::size_t>(std::clamp<i64>(time - moment.route * places, 0, places - 1));
  const bool last = at + 1 == static_cast<std::size_t>(places);
  if (!moment.stops.empty()) moment.stop = last ? moment.stops.size() - 1 : std::min(at, moment.stops.size() - 1);
  for (i64 k = 0; !scene.ofCells() && k < moment.route; ++k)
    if (const auto earlier = routeAt(scene, k)) moment.before.push_back(stopsOf(now, scene, *earlier));
  return moment;
}

bool areLinked(const Outcome& a, const Outcome& b) {
  const Value *va = valueOf(a), *vb = valueOf(b);
  if (va == nullptr || vb == nullptr || !a.figure || !b.figure) return false;
  const Layout *one = heldLayout(*va), *other = heldLayout(*vb);
  if (one == nullptr || other == nullptr) return false;
  const auto hasCells = [](const Outcome& o) {
    return !o.figure->legible && o.figure->modes.empty() && firstGrid(*o.figure) != nullptr;
  };
  if (!hasCells(a) || !hasCells(b)) return false;
  // A view of one point's numbers follows it only in a pane of its own.
  for (const Outcome* o : {&a, &b})
    if (isStepByStep(viewOf({}, *o))) return false;
  if (one->id() != other->id() && (!one->isLike(*other) || one->text() != other->text())) return false;
  const Grid& g = *firstGrid(*a.figure);
  const Cell cell = g.cells->cell(0, 0);
  const Linked linked({pointsOf(cell), &*a.figure, g.name}, {&*a.figure, &*b.figure});
  return cell.point.real() && litCellIn(*b.figure, linked).has_value();
}

// --- the paths of a counterexample ----------------------------------------------------------------------------------

namespace {

// A picture of the argument that is not one of the sheet.
std::optional<PathPicture> drawnFor(const Value& value, const std::string& name, const std::string& view,
                                    std::vector<std::string> words) {
  const auto able = viewsFor(value);
  if (std::ranges::find(able, view) == able.end()) return std::nullopt;
  Outcome outcome;
  outcome.statement.kind = StatementKind::Show;
  outcome.show = ShowRequest{Shared<Value>(value), name, view, std::move(words)};
  DrawOptions options;
  options.name = name;
  options.arguments = outcome.show->arguments;
  auto figure = drawOutcome(outcome, view, options);
  if (!figure) return std::nullopt;
  outcome.figure = *std::move(figure);
  return PathPicture{std::make_shared<const Outcome>(std::move(outcome)), SIZE_MAX};
}

// The argument's value: that of the name in the sheet, else the claim's map.
std::optional<std::pair<Value, std::string>> argumentOf(const Snapshot& now, std::size_t claim, std::size_t map) {
  const Outcome& o = *now.outcomes[claim];
  const std::vector<std::string> arguments = argumentsOf(*o.claim);
  const std::string name = map < arguments.size() ? arguments[map] : fmt::format("layout {}", map + 1);
  const u64 domain = pointDomain(modesOf(*o.claim, map));
  for (std::size_t k = claim; k-- > 0;) {
    const Outcome& bound = *now.outcomes[k];
    if (bound.statement.name != name || !bound.value) continue;
    if (pointDomainOf(*bound.value) == domain) return std::pair(*bound.value, name);
    break;
  }
  const std::vector<Layout> layouts = layoutsOf(*o.claim);
  if (map >= layouts.size() || pointDomainOf(layouts[map]) != domain) return std::nullopt;
  return std::pair(Value(layouts[map]), name);
}

// "at", "16", "0" of "ldmatrix.x4 at (16,0), phase 0: ...": the position of the conflicting access.
std::vector<std::string> positionIn(const std::string& text) {
  std::array<i64, 2> at{};
  const std::size_t open = text.find(" at (");
  if (open == std::string::npos ||
      std::sscanf(text.c_str() + open, " at (%" SCNd64 ",%" SCNd64 ")", &at[0], &at[1]) != 2)
    return {};
  return {"at", std::to_string(at[0]), std::to_string(at[1])};
}

// The pictures of one map, and the routes of these points through them.
void addArgument(PathScene& scene, const Snapshot& now, std::size_t claim, std::size_t map, std::size_t most) {
  const Outcome& o = *now.outcomes[claim];
  const auto argument = argumentOf(now, claim, map);
  if (!argument) return;
  std::vector<std::size_t> through;
  const auto add = [&](const char* view, std::vector<std::string> words) {
    auto picture = drawnFor(argument->first, argument->second, view, std::move(words));
    if (!picture) return;
    through.push_back(scene.pictures.size());
    scene.pictures.push_back(*std::move(picture));
  };
  add("grid", {});
  if (through.empty()) return;
  add("memory", {});
  if (o.claim->kind() == ClaimKind::ConflictFree) {
    const std::vector<std::string> arguments = argumentsOf(*o.claim);
    std::vector<std::string> words(arguments.rbegin(), arguments.rend() - 1);  // the type, the access
    for (std::string& word : positionIn(o.verdict->counterexample->text)) words.push_back(std::move(word));
    add("banks", std::move(words));
  }
  const PathPicture& first = scene.pictures[through.front()];
  const u64 domain = pointDomain(modesOf(*o.claim, map));
  std::vector<i64> seen;
  for (const i64 index : indicesOf(*o.claim, *o.verdict->counterexample, map)) {
    if (seen.size() == most) break;
    if (std::ranges::find(seen, index) != seen.end()) continue;
    for (const Grid& g : first.outcome->figure->grids) {
      const auto places = g.cells ? g.cells->find({domain, index}, 1) : std::vector<std::pair<i64, i64>>{};
      if (places.empty()) continue;
      if (auto from = hoverAt(first, g, places[0].first, places[0].second)) {
        scene.routes.push_back({*std::move(from), through});
        seen.push_back(index);
      }
      break;
    }
  }
}

}  // namespace

std::optional<PathScene> counterexampleScene(const Snapshot& now, std::size_t claim) {
  if (claim >= now.outcomes.size()) return std::nullopt;
  const Outcome& o = *now.outcomes[claim];
  if (!o.claim || !o.verdict || !o.verdict->counterexample || o.verdict->counterexample->points.empty())
    return std::nullopt;
  PathScene scene;
  scene.end = o.claim->kind() == ClaimKind::ConflictFree ? PathEnd::Request
              : o.claim->memory() != nullptr             ? PathEnd::Byte
                                                         : PathEnd::Offset;
  const bool twoLayouts = o.claim->kind() == ClaimKind::Equal && o.claim->maps().size() == 2;
  addArgument(scene, now, claim, 0, twoLayouts ? 1 : kTwo);
  if (twoLayouts) addArgument(scene, now, claim, 1, 1);
  if (scene.routes.empty()) return std::nullopt;
  return scene;
}

}  // namespace tessera::panes
