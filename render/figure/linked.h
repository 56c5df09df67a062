// Linked: which cells of every picture light when one point is pointed at.
//
//     show S as grid                   hovered: element (1,0) of S, a Point of the domain (8,64)
//     show S as memory, as banks f16   show elements, too: they light the cells that hold it, and nothing else
//     show ldmatrix.x4                 shows threads: a Link of the bank picture carries the element to its lane
//
// A grid that holds the point itself lights it there. A grid that does not lights what the point is *carried* to: links
// lead from points of one domain to points of another (element -> lane, result of an operation -> its inputs), and are
// followed breadth first. A domain that was reached is not reached again, so that a point never comes back as its
// neighbours (element -> lane -> the lane's other elements). The nearest domain that a grid shows is the one it lights.
//
// Two tensors of one shape share a domain: A, Sw o A, and also the result of composition(A, B), whose point i is A's
// point B(i). Inside the figure of that operation the figure's own links therefore come first (FigureLink::from, to).
//
// Laws (tests/render/linked_test.cpp): a point lights exactly the cells that hold it; a link carries back what it
// carries; what is carried through composition(A, B) is A(B(i)).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

enum class Way : unsigned char { There, Back };

// A relation between points of two domains, asked from either side. Immutable and thread safe.
class Link {
 public:
  static constexpr std::size_t kMost = 512;
  virtual ~Link() = default;
  // Appends the points of the other side that belong to this one, at most kMost (a link may know better); nothing for a point that is not of
  // this side. Never enumerates a huge tensor.
  virtual void carry(Point point, Way way, std::vector<Point>& out) const = 0;
};
using LinkPtr = std::shared_ptr<const Link>;

// Index n here is index n there: one tensor under two shapes. Requires sizes of at least `size` points.
[[nodiscard]] LinkPtr sameIndex(u64 one, u64 other, i64 size);
// Listed pairs.
[[nodiscard]] LinkPtr tableLink(std::vector<std::pair<Point, Point>> pairs);

// What is pointed at, and in which grid of which figure (null: in none, a counterexample).
struct Origin {
  std::vector<Point> points;
  const Figure* figure = nullptr;
  std::string grid;
  bool operator==(const Origin&) const = default;
};

class Linked {
 public:
  Linked() = default;
  // `sheet`: the figures that are shown together.
  Linked(Origin origin, const std::vector<const Figure*>& sheet);
  // What this grid of that figure lights.
  [[nodiscard]] std::vector<Point> in(const Figure& figure, const Grid& grid) const;
  // The same for a picture of one domain (a step by step view): its points of that domain, nearest first.
  [[nodiscard]] std::vector<Point> in(u64 domain) const;
  [[nodiscard]] const Origin& origin() const { return origin_; }

 private:
  Origin origin_;
  std::vector<std::vector<Point>> levels_;  // 0: the origin's own
};

}  // namespace tessera
