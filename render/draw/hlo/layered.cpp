#include "render/draw/hlo/layered.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr double kWay = 10;  // width of an edge that passes a layer
constexpr int kSweeps = 8;

// A box, or the point where an edge passes a layer.
struct Node {
  std::size_t layer = 0;
  double width = kWay, x = 0;  // x: the centre
  std::vector<std::size_t> up, down;
};

class Layering {
 public:
  explicit Layering(LayeredGraph& graph) : graph_(graph) {
    addBoxes();
    addEdges();
    order();
    place();
  }

  void write() {
    std::vector<double> top(layers_.size() + 1, 0);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      double height = 0;
      for (const std::size_t n : layers_[l])
        if (n < graph_.boxes.size()) height = std::max(height, graph_.boxes[n].h);
      top[l + 1] = top[l] + height + graph_.gapY;
    }
    for (std::size_t b = 0; b < graph_.boxes.size(); ++b) {
      Rect& box = graph_.boxes[b];
      box.x = nodes_[b].x - box.w / 2;
      box.y = top[nodes_[b].layer];
    }
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) writeWay(graph_.edges[e], ways_[e], top);
  }

 private:
  void addBoxes() {
    nodes_.resize(graph_.boxes.size());
    for (std::size_t b = 0; b < nodes_.size(); ++b) nodes_[b].width = graph_.boxes[b].w;
    std::vector<std::vector<std::size_t>> next(nodes_.size());
    std::vector<bool> target(nodes_.size(), false);
    for (const LayeredEdge& e : graph_.edges) {
      next[e.from].push_back(e.to);
      target[e.to] = true;
    }
    for (std::size_t b = 0; b < nodes_.size(); ++b)
      for (const std::size_t to : next[b]) nodes_[to].layer = std::max(nodes_[to].layer, nodes_[b].layer + 1);
    for (std::size_t b = 0; b < nodes_.size(); ++b) {
      if (b >= graph_.floats.size() || !graph_.floats[b] || target[b] || next[b].empty()) continue;
      std::size_t least = nodes_[next[b][0]].layer;
      for (const std::size_t to : next[b]) least = std::min(least, nodes_[to].layer);
      nodes_[b].layer = least - 1;
    }
    for (std::size_t b = 0; b < nodes_.size(); ++b) at(nodes_[b].layer).push_back(b);
  }

  std::vector<std::size_t>& at(std::size_t layer) {
    if (layers_.size() <= layer) layers_.resize(layer + 1);
    return layers_[layer];
  }

  void join(std::size_t above, std::size_t below) {
    nodes_[above].down.push_back(below);
    nodes_[below].up.push_back(above);
  }

  void addEdges() {
    for (const LayeredEdge& e : graph_.edges) {
      std::vector<std::size_t> way;
      std::size_t before = e.from;
      for (std::size_t l = nodes_[e.from].layer + 1; l < nodes_[e.to].layer; ++l) {
        const std::size_t n = nodes_.size();
        nodes_.push_back({l, kWay, 0, {}, {}});
        at(l).push_back(n);
        join(before, n);
        way.push_back(n);
        before = n;
      }
      join(before, e.to);
      ways_.push_back(std::move(way));
    }
  }

  // Orders each layer by the mean position of its neighbours, alternating downwards and upwards.
  void order() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (auto& layer : layers_)
        for (std::size_t k = 0; k < layer.size(); ++k) nodes_[layer[k]].x = static_cast<double>(k);
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        auto& layer = layers_[down ? i : layers_.size() - 1 - i];
        std::vector<std::pair<double, std::size_t>> keys;
        for (const std::size_t n : layer) keys.emplace_back(wanted(n, down), n);
        std::ranges::stable_sort(keys, [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t k = 0; k < layer.size(); ++k) {
          layer[k] = keys[k].second;
          nodes_[layer[k]].x = static_cast<double>(k);
        }
      }
    }
  }

  [[nodiscard]] double wanted(std::size_t n, bool down) const {
    const auto& near = down ? nodes_[n].up : nodes_[n].down;
    if (near.empty()) return nodes_[n].x;
    double sum = 0;
    for (const std::size_t m : near) sum += nodes_[m].x;
    return sum / static_cast<double>(near.size());
  }

  [[nodiscard]] double apart(std::size_t a, std::size_t b) const {
    const bool both = a < graph_.boxes.size() || b < graph_.boxes.size();
    return (nodes_[a].width + nodes_[b].width) / 2 + (both ? graph_.gapX : graph_.gapX / 2);
  }

  // Moves nodes as close to their neighbours as the layer allows: the mean of packing to the right and to the left.
  void settle(const std::vector<std::size_t>& layer, bool down) {
    std::vector<double> right, left(layer.size());
    for (std::size_t k = 0; k < layer.size(); ++k) {
      const double least = k == 0 ? -1e300 : right[k - 1] + apart(layer[k - 1], layer[k]);
      right.push_back(std::max(wanted(layer[k], down), least));
    }
    for (std::size_t k = layer.size(); k-- > 0;) {
      const double most = k + 1 == layer.size() ? 1e300 : left[k + 1] - apart(layer[k], layer[k + 1]);
      left[k] = std::min(wanted(layer[k], down), most);
    }
    for (std::size_t k = 0; k < layer.size(); ++k) nodes_[layer[k]].x = (right[k] + left[k]) / 2;
  }

  void place() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (std::size_t k = 0; k < layer.size(); ++k) {
        if (k > 0) x += apart(layer[k - 1], layer[k]);
        nodes_[layer[k]].x = x;
      }
      for (const std::size_t n : layer) nodes_[n].x -= x / 2;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (std::size_t i = 0; i < layers_.size(); ++i)
        settle(layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i], sweep % 2 == 0);
    double least = 1e300;
    for (const Node& n : nodes_) least = std::min(least, n.x - n.width / 2);
    for (Node& n : nodes_) n.x -= least;
  }

  void writeWay(LayeredEdge& edge, const std::vector<std::size_t>& way, const std::vector<double>& top) const {
    const Rect &from = graph_.boxes[edge.from], &to = graph_.boxes[edge.to];
    edge.way = {{from.x + from.w / 2, from.y + from.h}};
    for (const std::size_t n : way) {
      edge.way.emplace_back(nodes_[n].x, top[nodes_[n].layer]);
      edge.way.emplace_back(nodes_[n].x, top[nodes_[n].layer + 1] - graph_.gapY);
    }
    edge.way.emplace_back(to.x + to.w / 2, to.y);
  }

  LayeredGraph& graph_;
  std::vector<Node> nodes_;  // boxes first
  std::vector<std::vector<std::size_t>> layers_, ways_;
};

}  // namespace

void layOut(LayeredGraph& graph) {
  if (graph.boxes.empty()) return;
  Layering(graph).write();
}

}  // namespace tessera
