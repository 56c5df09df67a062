// Linked: which cells of all pictures light up when a point is hovered.
//
//     show S as grid                   hovered: element (1,0) of S, a Point of the domain (8,64)
//     show S as memory, as banks f16   also show elements: they light the cells that contain it, nothing else
//     show ldmatrix.x4                 shows threads: a Link of the bank picture maps the element to its lane
//
// A grid that contains the point lights it. Any other grid lights the points that it *maps* to. Links map points of one
// domain to points of another (element -> lane, result of an operation -> its inputs) and are followed breadth-first.
// No domain is visited twice, so that a point does not return as its neighbours (element -> lane -> the lane's other
// elements). A grid lights the nearest domain that it shows.
//
// Tensors of equal shape share a domain: A, Sw o A, and also the result of composition(A, B), whose point i is A's
// point B(i). In the figure of that operation, its own links therefore take precedence (FigureLink::from, to).
//
// Laws (tests/render/linked_test.cpp): a point lights exactly the cells that contain it; links are symmetric relations;
// the image of a point under composition(A, B) is A(B(i)).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

enum class Way : unsigned char { There, Back };

// A relation between points of two domains, queried from either side. Immutable and thread-safe.
struct Link {
  static constexpr std::size_t kMost = 512;
  // Appends the related points of the other side, at most kMost (a link may allow more); none for a point of another
  // domain. Never enumerates a huge tensor.
  std::function<void(Point point, Way way, std::vector<Point>& out)> carry;
};
using LinkPtr = std::shared_ptr<const Link>;

// Relates equal indices: one tensor under two shapes. Requires sizes of at least `size` points.
[[nodiscard]] LinkPtr sameIndex(u64 one, u64 other, i64 size);
// Listed pairs.
[[nodiscard]] LinkPtr tableLink(std::vector<std::pair<Point, Point>> pairs);
// Points 0 .. size - 1 of a domain with their images; an image that is not a point is left out.
[[nodiscard]] LinkPtr tableLink(u64 from, i64 size, const std::function<Point(i64 index)>& image);
// Made when it is first asked, so that drawing a picture does not pay for it.
[[nodiscard]] LinkPtr lazyLink(u64 from, u64 to, std::function<LinkPtr()> make);
// One side of a relation by formula: appends the points related to its point `index`, in [0, size).
struct LinkSide {
  u64 domain = 0;
  i64 size = 0;
  std::function<void(i64 index, std::vector<Point>& out)> carry;
};
[[nodiscard]] LinkPtr formulaLink(LinkSide there, LinkSide back);

// The hovered points, with their grid and figure (null: none, a counterexample).
struct Origin {
  std::vector<Point> points;
  const Figure* figure = nullptr;
  std::string grid;
  bool operator==(const Origin&) const = default;
};

class Linked {
 public:
  Linked() = default;
  // `sheet`: the figures on display.
  Linked(Origin origin, const std::vector<const Figure*>& sheet);
  // The points that a grid lights.
  [[nodiscard]] std::vector<Point> in(const Figure& figure, const Grid& grid) const;
  // The same for a picture of one domain (a step-by-step view): its points of that domain, nearest first.
  [[nodiscard]] std::vector<Point> in(u64 domain) const;
  [[nodiscard]] const Origin& origin() const { return origin_; }

 private:
  Origin origin_;
  std::vector<std::vector<Point>> levels_;  // 0: the origin's own
};

}  // namespace tessera
