#include "render/figure/linked.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace tessera {
namespace {

constexpr std::size_t kLevels = 5;                          // length of a chain of links: operations of operations
constexpr std::size_t kMostCarried = std::size_t{1} << 16;  // at once, for points read by everything

class FormulaLink : public Link {
 public:
  FormulaLink(LinkSide there, LinkSide back) : there_(std::move(there)), back_(std::move(back)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const LinkSide& side = way == Way::There ? there_ : back_;
    if (point.isIn(side.domain, side.size)) side.carry(point.index, out);
  }

 private:
  LinkSide there_, back_;
};

class LazyLink : public Link {
 public:
  LazyLink(u64 from, u64 to, std::function<LinkPtr()> make) : from_(from), to_(to), make_(std::move(make)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (point.domain != (way == Way::There ? from_ : to_)) return;
    std::call_once(once_, [this] { made_ = make_(); });
    made_->carry(point, way, out);
  }

 private:
  u64 from_, to_;
  std::function<LinkPtr()> make_;
  mutable std::once_flag once_;
  mutable LinkPtr made_;
};

template <class T>
void sortOnce(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

class TableLink : public Link {
 public:
  explicit TableLink(std::vector<std::pair<Point, Point>> pairs) : there_(std::move(pairs)) {
    back_.reserve(there_.size());
    for (const auto& [from, to] : there_) back_.emplace_back(to, from);
    sortOnce(there_);
    sortOnce(back_);
  }
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const auto& side = way == Way::There ? there_ : back_;
    auto at = std::lower_bound(side.begin(), side.end(), point,
                               [](const auto& pair, const Point& p) { return pair.first < p; });
    for (std::size_t n = 0; at != side.end() && at->first == point && n < kMost; ++at, ++n) out.push_back(at->second);
  }

 private:
  std::vector<std::pair<Point, Point>> there_, back_;
};

// "A" matches the grids "A" and "A mode 2 = 0".
bool names(const std::string& part, const std::string& grid) {
  return !part.empty() && grid.starts_with(part) && (grid.size() == part.size() || grid[part.size()] == ' ');
}

}  // namespace

LinkPtr sameIndex(u64 one, u64 other, i64 size) {
  const auto to = [](u64 domain) {
    return [domain](i64 index, std::vector<Point>& out) { out.push_back({domain, index}); };
  };
  return formulaLink({one, size, to(other)}, {other, size, to(one)});
}
LinkPtr lazyLink(u64 from, u64 to, std::function<LinkPtr()> make) {
  return std::make_shared<LazyLink>(from, to, std::move(make));
}
LinkPtr formulaLink(LinkSide there, LinkSide back) {
  return std::make_shared<FormulaLink>(std::move(there), std::move(back));
}
LinkPtr tableLink(u64 from, i64 size, const std::function<Point(i64 index)>& image) {
  std::vector<std::pair<Point, Point>> pairs;
  for (i64 i = 0; i < size; ++i)
    if (const Point to = image(i); to.real()) pairs.push_back({{from, i}, to});
  return tableLink(std::move(pairs));
}
LinkPtr tableLink(std::vector<std::pair<Point, Point>> pairs) { return std::make_shared<TableLink>(std::move(pairs)); }

Linked::Linked(Origin origin, const std::vector<const Figure*>& sheet) : origin_(std::move(origin)) {
  std::set<u64> reached;
  for (const Point& p : origin_.points) reached.insert(p.domain);
  levels_.push_back(origin_.points);
  while (levels_.size() < kLevels && !levels_.back().empty()) {
    std::vector<Point> next;
    for (const Figure* figure : sheet) {
      for (const FigureLink& link : figure->links) {
        for (const Point& p : levels_.back()) {
          if (next.size() > kMostCarried) break;
          link.link->carry(p, Way::There, next);
          link.link->carry(p, Way::Back, next);
        }
      }
    }
    std::erase_if(next, [&](const Point& p) { return reached.count(p.domain) != 0; });
    sortOnce(next);
    for (const Point& p : next) reached.insert(p.domain);
    levels_.push_back(std::move(next));
  }
}

std::vector<Point> Linked::in(const Figure& figure, const Grid& grid) const {
  if (origin_.figure == &figure && !names(origin_.grid, grid.name)) {
    bool own = false;
    std::vector<Point> out;
    for (const FigureLink& link : figure.links) {
      const bool there = names(link.from, origin_.grid) && names(link.to, grid.name),
                 back = names(link.to, origin_.grid) && names(link.from, grid.name);
      if (!there && !back) continue;
      own = true;
      for (const Point& p : origin_.points) link.link->carry(p, there ? Way::There : Way::Back, out);
    }
    sortOnce(out);
    if (own) return out;
  }
  for (const std::vector<Point>& level : levels_) {
    std::vector<Point> shown = level;
    std::erase_if(shown, [&](const Point& p) { return !p.real() || grid.cells->find(p, 1).empty(); });
    if (!shown.empty()) return shown;
  }
  return {};
}

std::vector<Point> Linked::in(u64 domain) const {
  for (const std::vector<Point>& level : levels_) {
    std::vector<Point> out = level;
    std::erase_if(out, [&](const Point& p) { return p.domain != domain; });
    if (!out.empty()) return out;
  }
  return {};
}

}  // namespace tessera
