// LinkedPath: the way of a point through linked pictures, as stops: coordinate, offset, byte, bank, lane. Pure: the
// presentation plays it, and frames show it.
//
//     show S as grid, show S as memory, show S as banks fp16 ldmatrix.x4      three pictures of one layout
//     the cell (2,3) of the grid      coordinate (2, 3)  in the grid       offset 131, byte 262   in the memory
//                                     bank 1             in the banks      lane 2                 in the banks
//
// A stop is in the picture that shows its kind (the view memory: offset and byte; banks: bank; threads: lane), if that
// picture has the point; otherwise the path stays where it is. Between two pictures the path crosses: an arrow.
//
// Two uses. A slide with pictures of one layout has a route for each cell of the first one, by rows. A refuted claim
// has one for each of the two points of its counterexample: two coordinates with one offset or one bank, or one
// coordinate in two layouts.
//
// Law (tests/gui/present_test.cpp): the cell of each stop represents the route's point, or one that links lead to; the
// stops are in the order of kinds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace tessera::panes {

struct PathPicture {
  std::shared_ptr<const Outcome> outcome;  // has a figure
  std::size_t index = SIZE_MAX;            // in the sheet; SIZE_MAX: not one of its pictures
};

struct PathRoute {
  Hover from;                        // a cell of the first picture of the route
  std::vector<std::size_t> through;  // the pictures
};

// Where a path ends: at the lane that gets the element, at the one that requests its word, at the offset or the byte.
enum class PathEnd : unsigned char { Lane, Request, Offset, Byte };

struct PathScene {
  std::vector<PathPicture> pictures;
  std::vector<PathRoute> routes;  // empty: one for each cell of the first picture
  PathEnd end = PathEnd::Lane;
  [[nodiscard]] bool ofCells() const { return routes.empty(); }
};

struct PathCell {
  std::size_t grid = 0;
  i64 row = 0, col = 0;
  bool operator==(const PathCell&) const = default;
};

struct PathStop {
  std::string text;            // "offset 19"
  std::size_t picture = 0;     // of the scene
  std::optional<PathCell> at;  // in it; none: the picture does not have the point
};

// The number of routes; at most 4096.
[[nodiscard]] i64 routesOf(const PathScene& scene);
[[nodiscard]] std::optional<PathRoute> routeAt(const PathScene& scene, i64 route);
// Empty if nothing is known of the cell.
[[nodiscard]] std::vector<PathStop> stopsOf(const Snapshot& now, const PathScene& scene, const PathRoute& route);

// A place on the time line: every route has as many places as the first one has stops (at least 1); the last place of a
// route shows all of its stops.
struct PathMoment {
  i64 route = 0;
  std::optional<PathRoute> of;                // none: its cell represents no point
  std::vector<PathStop> stops;                // of the route
  std::size_t stop = 0;                       // the last one that is reached
  std::vector<std::vector<PathStop>> before;  // the stops of earlier points of a counterexample, which stay
};
[[nodiscard]] i64 placesOf(const Snapshot& now, const PathScene& scene);  // of one route
[[nodiscard]] PathMoment momentAt(const Snapshot& now, const PathScene& scene, i64 places, i64 time);

// Whether two outcomes of a step belong on one slide: pictures of the same layout, and the second has the first one's
// points.
[[nodiscard]] bool areLinked(const Outcome& a, const Outcome& b);
// The two paths of a refuted claim's counterexample, over pictures made for them; nullopt if it has no points or its
// layouts cannot be drawn.
[[nodiscard]] std::optional<PathScene> counterexampleScene(const Snapshot& now, std::size_t claim);

// The cell's rectangle in its figure, in points.
[[nodiscard]] Rect rectOf(const Figure& figure, const PathCell& cell);
// How many pictures beside one another: the number of columns for which the smallest picture is largest.
[[nodiscard]] std::size_t columnsFor(const std::vector<const Figure*>& figures, double width, double height);

// One frame, with an ink's margins of 1600 x 900 points: the words of the step, every picture with the cells of the
// stops up to the last reached one, arrows between pictures, and the stops as a line. Pictures are scaled into their
// boxes.
struct FrameWords {
  std::string heading;
  std::vector<std::string> paragraphs, code;
};
[[nodiscard]] Figure frameOf(const PathScene& scene, const FrameWords& words, const PathMoment& moment);

}  // namespace tessera::panes
