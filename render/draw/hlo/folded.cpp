#include "render/draw/hlo/folded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/chars.h"
#include "core/hlo/compose/fold.h"
#include "core/hlo/compose/fusion.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hlo/layered.h"
#include "render/draw/hlo/ranking_rows.h"
#include "render/figure/text_metrics.h"

namespace tessera::hlo {
namespace {

constexpr double kMargin = 10, kTitle = 12, kFine = 10.5, kLine = 15, kWidest = 250, kNarrowest = 96;
constexpr double kPageWide = 1600, kPageHigh = 860;  // what a screen shows at full size
constexpr i64 kFewBytes = 10000, kFewShare = 1000;   // of a pale arrow without a label: a share of the largest
constexpr int kFewReaders = 3;                       // of a parameter that is joined by lines

struct FoldedLine {
  std::string text;
  Face face = Face::Sans;
  Role role = Role::Faint;
};
struct FoldedBox {
  int group = 0;
  std::string title;
  std::vector<FoldedLine> lines;
  std::vector<std::string> inputs;  // with their bytes, for the tooltip
  int counts = -1;                  // the line that counts instructions and inputs; -1: none
  Traffic traffic;
  bool lit = false, worst = false, input = false, opens = false;
};
struct FoldedGraph {
  std::vector<FoldedBox> boxes;
  std::vector<GroupEdge> edges;  // parallel to those of the layout
  LayeredGraph layered;
  double width = 0, height = 0;
};

struct Segment {
  double x0, y0, x1, y1;
};

// Whether the segment passes through the rectangle: clips it to each side in turn.
bool passesThrough(const Segment& s, const Rect& r) {
  double from = 0, to = 1;
  const auto clip = [&](double step, double room) {
    if (step == 0) return room >= 0;
    const double t = room / step;
    (step > 0 ? to : from) = step > 0 ? std::min(to, t) : std::max(from, t);
    return from <= to;
  };
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0;
  return clip(-dx, s.x0 - r.x) && clip(dx, r.x + r.w - s.x0) && clip(-dy, s.y0 - r.y) && clip(dy, r.y + r.h - s.y0);
}

bool overlaps(const Rect& a, const Rect& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

bool hasBody(const Module& module, const Instruction& i) {
  return (i.opcode == "fusion" || i.opcode == "call" || i.opcode == "while") && !calledBy(module, i).empty();
}

class FoldedPicture {
 public:
  FoldedPicture(const Part& whole, int lit, Fold fold, int group, std::shared_ptr<const Ranking> ranking)
      : whole_(whole), fold_(std::move(fold)), group_(group), lit_(lit), ranking_(std::move(ranking)) {
    instructions_ = trafficOf(whole.module(), *ranking_, whole.computation);
    doorOf_.assign(whole.itsComputation().instructions.size(), -1);
    addGraph();
    for (const GroupEdge& e : graph_.edges) few_ = std::max(few_, e.bytes / kFewShare);
    few_ = std::min(few_, kFewBytes);
  }

  Figure finish() {
    const std::string computation = fmt::format("%{} as dataflow", whole_.name());
    figure_ = titledFigure(group_ == 0 ? computation : fmt::format("{} of {}", at(group_).label, computation),
                           print(whole_.of),
                           {"group", "what", "instructions", "kernels", "needed", "asked", "wasted", "reads from"});
    if (group_ != 0) addPath();
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) addEdge(graph_.edges[e], graph_.layered.edges[e].way);
    for (std::size_t b = 0; b < graph_.boxes.size(); ++b) addBoxAt(graph_.boxes[b], graph_.layered.boxes[b]);
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) addBytes(graph_.edges[e], graph_.layered.edges[e].way);
    addTable();
    addCaption();
    figure_.rows = rankingRows(whole_.of, ranking_, whole_.computation, doorOf_);
    fitSize(figure_);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] const Module& module() const { return whole_.module(); }
  [[nodiscard]] const Group& at(int group) const { return fold_.groups[static_cast<std::size_t>(group)]; }
  [[nodiscard]] int instructionAt(int position) const { return fold_.order[static_cast<std::size_t>(position)]; }
  [[nodiscard]] const Instruction& firstOf(const Group& g) const {
    return whole_.itsComputation().at(instructionAt(g.from));
  }

  // As many boxes as are readable; the smallest picture if none is.
  void addGraph() {
    double least = 1e300;
    for (const std::size_t most :
         {kMostFolded, std::size_t{48}, std::size_t{38}, std::size_t{30}, std::size_t{25}, std::size_t{21},
          std::size_t{18}, std::size_t{16}, std::size_t{14}, std::size_t{12}, std::size_t{10}, kMostParts}) {
      FoldedGraph graph = graphOf(shownGroups(fold_, group_, most));
      const double scale = std::max(graph.width / kPageWide, graph.height / kPageHigh);
      if (scale < least) {
        least = scale;
        graph_ = std::move(graph);
      }
      if (least <= 1) return;
    }
  }

  FoldedGraph graphOf(const std::vector<int>& shown) const {
    FoldedGraph graph;
    for (const int g : shown) graph.boxes.push_back(boxOf(g));
    const auto worst = std::ranges::max_element(graph.boxes, {}, [](const FoldedBox& b) { return b.traffic.wasted; });
    if (worst != graph.boxes.end() && worst->traffic.wasted > 0) {
      worst->worst = true;
      FoldedLine& line = worst->lines.back();  // inputs come later
      line = {"most wasteful: " + line.text, Face::SansMedium, Role::Text};
    }
    const std::vector<GroupEdge> edges = edgesBetween(module(), fold_, shown);
    std::vector<int> readers(shown.size(), 0);
    for (const GroupEdge& e : edges)
      if (e.from >= 0) ++readers[static_cast<std::size_t>(e.from)];
    for (const GroupEdge& e : edges) {
      FoldedBox& to = graph.boxes[static_cast<std::size_t>(e.to)];
      const bool fromInput = e.from >= 0 && graph.boxes[static_cast<std::size_t>(e.from)].input;
      const bool many = fromInput && (at(shown[static_cast<std::size_t>(e.from)]).count() > 1 ||
                                      readers[static_cast<std::size_t>(e.from)] > kFewReaders);
      if (e.from < 0 || many) {
        const auto values = static_cast<std::size_t>(e.values);
        const std::string what = e.from < 0 ? counted(values, "value") + " from outside" : counted(values, "parameter");
        addInput(to, what);
        to.inputs.push_back(fmt::format("reads {}, {}", what, bytesText(e.bytes)));
      } else if (e.from < e.to) {
        graph.layered.edges.push_back({static_cast<std::size_t>(e.from), static_cast<std::size_t>(e.to), {}});
        graph.edges.push_back(e);
      }
    }
    place(graph);
    return graph;
  }

  // On the line that counts instructions, if there is one.
  static void addInput(FoldedBox& box, const std::string& what) {
    if (box.counts < 0) {
      box.counts = static_cast<int>(box.lines.size());
      box.lines.push_back({what});
      return;
    }
    std::string& line = box.lines[static_cast<std::size_t>(box.counts)].text;
    line += ", " + what;
  }

  static void place(FoldedGraph& graph) {
    graph.layered.gapX = 18;
    graph.layered.gapY = 26;
    for (FoldedBox& b : graph.boxes) {
      double width = textWidth(b.title, Face::SansMedium, kTitle);
      for (const FoldedLine& line : b.lines) width = std::max(width, textWidth(line.text, line.face, kFine));
      graph.layered.boxes.push_back({0, 0, std::clamp(width + 2 * kMargin + 1, kNarrowest, kWidest),
                                     kLine * static_cast<double>(b.lines.size() + 1) + 9});
      graph.layered.floats.push_back(false);
    }
    layOut(graph.layered);
    moveInputs(graph);
    spread(graph.layered);
    for (const Rect& r : graph.layered.boxes) {
      graph.width = std::max(graph.width, r.x + r.w);
      graph.height = std::max(graph.height, r.y + r.h);
    }
  }

  // Inputs without lines go to the upper left corner, above the others if they do not fit beside them.
  static void moveInputs(FoldedGraph& graph) {
    LayeredGraph& layered = graph.layered;
    std::vector<bool> isAlone(graph.boxes.size());
    for (std::size_t b = 0; b < isAlone.size(); ++b) isAlone[b] = graph.boxes[b].input;
    for (const LayeredEdge& e : layered.edges) isAlone[e.from] = isAlone[e.to] = false;
    double x = 0, y = 0, wide = 0, high = 0, left = 1e300, first = 1e300;
    for (std::size_t b = 0; b < isAlone.size(); ++b) {
      Rect& r = layered.boxes[b];
      if (!isAlone[b]) {
        left = std::min(left, r.x);
        if (r.y == 0) first = std::min(first, r.x);
        continue;
      }
      if (x > 0 && x + r.w > kPageWide) {
        x = 0;
        y = high;
      }
      r.x = x;
      r.y = y;
      x += r.w + layered.gapX;
      wide = std::max(wide, x);
      high = std::max(high, y + r.h + 14);
    }
    for (const LayeredEdge& e : layered.edges)
      for (const auto& point : e.way) left = std::min(left, point.first - 4);
    if (wide == 0 || left == 1e300) return;
    const double down = y == 0 && first - left >= wide ? 0 : high;
    for (std::size_t b = 0; b < isAlone.size(); ++b)
      if (!isAlone[b])
        layered.boxes[b] = {layered.boxes[b].x - left, layered.boxes[b].y + down, layered.boxes[b].w,
                            layered.boxes[b].h};
    for (LayeredEdge& e : layered.edges)
      for (auto& point : e.way) {
        point.first -= left;
        point.second += down;
      }
  }

  // The ends of a box's edges side by side, in the order of where they go.
  static void spread(LayeredGraph& layered) {
    for (std::size_t b = 0; b < layered.boxes.size(); ++b)
      for (const bool in : {true, false}) {
        std::vector<std::pair<double, std::size_t>> ends;
        for (std::size_t e = 0; e < layered.edges.size(); ++e) {
          const LayeredEdge& edge = layered.edges[e];
          if ((in ? edge.to : edge.from) == b) ends.emplace_back(edge.way[in ? edge.way.size() - 2 : 1].first, e);
        }
        std::ranges::sort(ends);
        const Rect& r = layered.boxes[b];
        const double step = std::min(22.0, 0.8 * r.w / static_cast<double>(std::max<std::size_t>(1, ends.size())));
        double x = r.x + r.w / 2 - step * (static_cast<double>(ends.size()) - 1) / 2;
        for (const auto& [where, e] : ends) {
          auto& way = layered.edges[e].way;
          (in ? way.back() : way.front()).first = x;
          x += step;
        }
      }
  }

  [[nodiscard]] FoldedBox boxOf(int group) const {
    const Group& g = at(group);
    FoldedBox box;
    box.group = group;
    for (int k = g.from; k < g.to; ++k) {
      box.traffic.add(instructions_[static_cast<std::size_t>(instructionAt(k))]);
      box.lit = box.lit || instructionAt(k) == lit_;
    }
    box.input = firstOf(g).opcode == "parameter";
    box.opens = !g.parts.empty();
    if (g.parts.empty()) {
      tell(box, instructionAt(g.from));
    } else {
      box.title = g.label;
      if (g.kind != Group::Kind::Parameters && g.kind != Group::Kind::Elementwise) box.counts = 0;
      if (g.kind == Group::Kind::Parameters && g.parent > 0)
        box.lines.push_back({nameOf(module(), fold_, group), Face::Mono});
      if (box.counts == 0) box.lines.push_back({counted(static_cast<std::size_t>(g.count()), "instruction")});
    }
    if (box.traffic.asked > 0)
      box.lines.push_back({fmt::format("{} for {}", bytesText(box.traffic.asked), bytesText(box.traffic.needed)),
                           Face::Sans, Role::Muted});
    return box;
  }

  void tell(FoldedBox& box, int instruction) const {
    const Where where{whole_.computation, instruction};
    const Instruction& i = module().at(where);
    box.title = i.opcode;
    box.opens = hasBody(module(), i);
    if (i.opcode == "while") {
      const auto trips = tripsOf(module(), where);
      box.title += trips ? fmt::format(" \u00d7{}", *trips) : " (unknown length)";
    }
    box.lines.push_back({fmt::format("%{}", i.name), Face::Mono, Role::Muted});
    if (i.opcode == "while" || i.opcode == "call") {
      const int body = calledBy(module(), i).empty() ? -1 : calledBy(module(), i).back();
      if (body >= 0)
        box.lines.back().text += fmt::format(", body of {}", module().computation(body).instructions.size());
    } else {
      box.lines.push_back({xla::print(module().shapeOf(i)), Face::Mono});
    }
  }

  // The groups around this one.
  void addPath() {
    std::vector<int> around;
    for (int g = group_; g >= 0; g = at(g).parent) around.push_back(g);
    std::ranges::reverse(around);
    double x = 0;
    for (const int g : around) {
      if (g != 0) x += addText(figure_, x, 8, "\u203a", kTitle, Face::Sans, Role::Faint) + 8;
      const std::string text = g == 0 ? fmt::format("%{}", whole_.name()) : at(g).label;
      const double width =
          addFitted(figure_, x, 8, kWidest, text, kTitle, Face::Sans, g == group_ ? Role::Text : Role::Accent);
      if (g != group_) figure_.doors.push_back({{x, 0, width, 18}, "", "dataflow", "", wordsTo(g)});
      x += width + 8;
    }
    for (Rect& r : graph_.layered.boxes) r.y += 34;
    for (LayeredEdge& e : graph_.layered.edges)
      for (auto& point : e.way) point.second += 34;
  }

  [[nodiscard]] std::vector<std::string> wordsTo(int group) const {
    if (group == 0) return {};
    return {"in", nameOf(module(), fold_, group)};
  }

  void addEdge(const GroupEdge& e, const std::vector<std::pair<double, double>>& way) {
    const double digits = std::log10(static_cast<double>(std::max<i64>(1, e.bytes)));
    const double width = 0.9 + 0.16 * std::clamp(digits - 5, 0.0, 6.0);
    const float heat = heatOf(e);
    const Paint paint =
        heat > 0 ? Paint{Role::Heat, 0, 0, std::max(0.4F, heat)} : Paint{e.bytes < few_ ? Role::Hairline : Role::Faint};
    for (std::size_t k = 0; k + 1 < way.size(); ++k) {
      const Segment s{way[k].first, way[k].second, way[k + 1].first, way[k + 1].second};
      (k + 2 == way.size() ? tessera::addArrow : tessera::addLine)(
          figure_, s.x0, s.y0, s.x1, s.y1, Role::Faint, heat > 0 ? 1.4 + 1.6 * static_cast<double>(heat) : width);
      figure_.marks.back().fill = paint;
      segments_.push_back(s);
    }
  }

  // Of what one instruction reads of one other: the most of its operands.
  [[nodiscard]] float heatOf(const GroupEdge& e) const {
    const Group &from = at(graph_.boxes[static_cast<std::size_t>(e.from)].group),
                &to = at(graph_.boxes[static_cast<std::size_t>(e.to)].group);
    if (from.count() > 1 || to.count() > 1) return 0;
    const Where where{whole_.computation, instructionAt(to.from)};
    const auto kernel = std::ranges::find(ranking_->kernels, where, &KernelWaste::where);
    if (kernel == ranking_->kernels.end()) return 0;
    float heat = 0;
    for (const OperandWaste& w : kernel->operands)
      if (w.needed && w.asked && sourceOf(where, w.operand) == instructionAt(from.from))
        heat = std::max(heat, wasteLevel(*w.needed, *w.asked));
    return heat;
  }

  // The instruction that computes an operand; -1: several do.
  [[nodiscard]] int sourceOf(Where where, int operand) const {
    const Computation& c = whole_.itsComputation();
    const int at = c.at(where.instruction).operands.at(static_cast<std::size_t>(operand));
    if (at < 0 || !isPlumbing(c, at)) return at;
    const std::vector<Feed> feeds = feedsOf(module(), c, at);
    return feeds.size() == 1 ? feeds.front().from : -1;
  }

  // Beside the arrow, where nothing else is; the table has all of them.
  void addBytes(const GroupEdge& e, const std::vector<std::pair<double, double>>& way) {
    if (e.bytes < few_) return;
    const std::string text = bytesText(e.bytes);
    const double wide = textWidth(text, Face::Sans, kFine);
    for (std::size_t k = way.size() - 1; k > 0 && k + 3 > way.size(); --k) {
      const auto [x0, y0] = way[k - 1];
      const auto [x1, y1] = way[k];
      for (const double share : {0.5, 0.35, 0.65}) {
        const double x = x0 + share * (x1 - x0), y = y0 + share * (y1 - y0);
        for (const double left : {x + 6, x - 6 - wide}) {
          const Rect room{left - 2, y - 7, wide + 4, 14};
          if (left < 0 || !isFree(room)) continue;
          addText(figure_, left, y, text, kFine, Face::Sans, Role::Faint);
          texts_.push_back(room);
          return;
        }
      }
    }
  }

  [[nodiscard]] bool isFree(const Rect& room) const {
    return std::ranges::none_of(graph_.layered.boxes, [&](const Rect& r) { return overlaps(r, room); }) &&
           std::ranges::none_of(texts_, [&](const Rect& r) { return overlaps(r, room); }) &&
           std::ranges::none_of(segments_, [&](const Segment& s) { return passesThrough(s, room); });
  }

  void addBoxAt(const FoldedBox& b, const Rect& at) {
    if (b.opens && !b.input)  // a stack: there is more inside
      addBox(figure_, {at.x + 3, at.y + 3, at.w, at.h}, {Role::Panel}, {Role::Hairline}, 6);
    const Role outline = b.lit ? Role::Lit : Role::Hairline;
    addBox(figure_, at, {b.input ? Role::Raised : Role::Panel}, {outline}, 6);
    double y = at.y + 13;
    const double room = at.w - 2 * kMargin;
    addFitted(figure_, at.x + kMargin, y, room, b.title, kTitle, Face::SansMedium, Role::Text);
    for (const FoldedLine& line : b.lines)
      addFitted(figure_, at.x + kMargin, y += kLine, room, line.text, kFine, line.face, line.role);
    addHeat(b, at);
    addDoor(b, at);
  }

  void addHeat(const FoldedBox& b, const Rect& at) {
    i64 most = 1;
    for (const FoldedBox& other : graph_.boxes) most = std::max(most, other.traffic.wasted);
    const double share = static_cast<double>(b.traffic.wasted) / static_cast<double>(most);
    if (share < 0.03) return;  // too small to see
    const Paint heat{Role::Heat, 0, 0, wasteLevel(b.traffic.needed, b.traffic.asked)};
    addBox(figure_, {at.x + 3, at.y + at.h - 4, std::max(2.0, (at.w - 6) * share), 3}, heat, {}, 1.5);
    if (b.worst) addBox(figure_, {at.x - 2, at.y - 2, at.w + 4, at.h + 4}, {}, heat, 8);
  }

  void addDoor(const FoldedBox& b, const Rect& at) {
    const Group& g = this->at(b.group);
    std::string tip = b.title;
    for (const FoldedLine& line : b.lines) tip += "\n" + line.text;
    for (const std::string& input : b.inputs) tip += "\n" + input;
    if (b.traffic.kernels > 1) tip += fmt::format("\n{} kernels", b.traffic.kernels);
    const auto door = static_cast<int>(figure_.doors.size());
    if (!g.parts.empty() || !b.input)
      for (int k = g.from; k < g.to; ++k) doorOf_[static_cast<std::size_t>(instructionAt(k))] = door;
    if (!g.parts.empty()) {
      figure_.doors.push_back({at, "", "dataflow", tip + "\nclick: show its parts", wordsTo(b.group)});
    } else if (!b.input) {
      const Where where{whole_.computation, instructionAt(g.from)};
      const bool body = firstOf(g).opcode == "while" || firstOf(g).opcode == "call";
      const bool inside = body && b.opens, kernel = isKernel(firstOf(g));
      figure_.doors.push_back({at, doorTo(module(), where),
                               inside   ? "dataflow"
                               : kernel ? "kernel"
                                        : "reads",
                               tip + (inside   ? "\nclick: show its body"
                                      : kernel ? "\nclick: show what it reads and wastes"
                                               : "\nclick: show its reads")});
    }
  }

  void addTable() {
    std::vector<int> shown;
    for (const FoldedBox& b : graph_.boxes) shown.push_back(b.group);
    std::vector<std::vector<std::string>> from(shown.size());
    for (const GroupEdge& e : edgesBetween(module(), fold_, shown))
      from[static_cast<std::size_t>(e.to)].push_back(fmt::format(
          "{} ({})", e.from < 0 ? "outside" : nameOf(module(), fold_, shown[static_cast<std::size_t>(e.from)]),
          bytesText(e.bytes)));
    for (std::size_t b = 0; b < shown.size(); ++b) {
      const FoldedBox& box = graph_.boxes[b];
      const Traffic& t = box.traffic;
      figure_.table.push_back({nameOf(module(), fold_, shown[b]), box.title, fmt::format("{}", at(shown[b]).count()),
                               fmt::format("{}", t.kernels), fmt::format("{}", t.needed), fmt::format("{}", t.asked),
                               fmt::format("{}", t.wasted), fmt::format("{}", fmt::join(from[b], ", "))});
    }
  }

  void addCaption() {
    figure_.caption =
        fmt::format("{} in {} box{}.", counted(static_cast<std::size_t>(at(group_).count()), "instruction"),
                    graph_.boxes.size(), graph_.boxes.size() == 1 ? "" : "es");
    Traffic all;
    for (const FoldedBox& b : graph_.boxes) all.add(b.traffic);
    const auto worst = std::ranges::find_if(graph_.boxes, [](const FoldedBox& b) { return b.worst; });
    if (worst != graph_.boxes.end())
      figure_.caption += fmt::format(" Most wasteful: {}, {}; in sectors of 32 bytes, without caches.",
                                     nameOf(module(), fold_, worst->group), textOf(worst->traffic));
    figure_.caption += kernelText();
    figure_.caption += " Click a box to open it. Constants and tuples have none." + missingText(*ranking_, all);
  }

  // The first kernel of the ranking among those of the picture. Those of loop bodies count for the whole module only.
  [[nodiscard]] std::string kernelText() const {
    const bool all = group_ == 0 && whole_.itsComputation().entry;
    std::vector<bool> isShown(whole_.itsComputation().instructions.size(), false);
    for (int k = at(group_).from; k < at(group_).to; ++k) isShown[static_cast<std::size_t>(instructionAt(k))] = true;
    for (const KernelWaste& k : ranking_->kernels) {
      const bool here = k.where.computation == whole_.computation;
      if (here ? !isShown[static_cast<std::size_t>(k.where.instruction)] : !all) continue;
      if (k.wasted() == 0) return "";
      return fmt::format(" Worst kernel: {}, {}.",
                         here ? fmt::format("%{}", module().at(k.where).name) : doorTo(module(), k.where), textOf(k));
    }
    return "";
  }

  const Part& whole_;
  Fold fold_;
  int group_, lit_;
  std::shared_ptr<const Ranking> ranking_;
  std::vector<Traffic> instructions_;
  std::vector<int> doorOf_;  // by instruction; -1: none
  FoldedGraph graph_;
  Figure figure_;
  std::vector<Segment> segments_;
  std::vector<Rect> texts_;
  i64 few_ = 0;
};

}  // namespace

std::string textOf(const Traffic& t) {
  if (t.kernels == 0) return "";
  std::string out = t.asked <= t.needed
                        ? fmt::format("{} read, nothing requested twice", bytesText(t.needed))
                        : fmt::format("{} requested for {} ({:.3g} times)", bytesText(t.asked), bytesText(t.needed),
                                      static_cast<double>(t.asked) / static_cast<double>(t.needed));
  if (t.kernels > 1) out += fmt::format(", in {} kernels", t.kernels);
  return out;
}

std::string missingText(const Ranking& ranking, const Traffic& all) {
  std::string out;
  if (!all.known) out += " Loops of unknown length count once.";
  if (!ranking.why.empty())
    out += fmt::format(" {} not examined: {}.", counted(ranking.missing, "instruction"), ranking.why);
  return out;
}

Result<Figure> drawFolded(const Part& whole, int lit, const std::string& group,
                          const std::shared_ptr<const Ranking>& ranking) {
  Fold fold = foldOf(whole.module(), whole.computation);
  int shown = 0;
  if (!group.empty()) {
    const auto found = groupNamed(whole.module(), fold, group);
    if (!found || fold.groups[static_cast<std::size_t>(*found)].parts.empty()) {
      std::string example;
      for (const Group& g : fold.groups)
        if (example.empty() && &g != &fold.groups.front() && !g.parts.empty())
          example = nameOf(whole.module(), fold, static_cast<int>(&g - fold.groups.data()));
      return Diag{fmt::format("%{} has no group {}", whole.name(), group), "a name from the table of the picture",
                  example.empty() ? "" : fmt::format("show NAME as dataflow in {}", example)};
    }
    shown = *found;
  }
  if (fold.groups.empty())
    return Diag{fmt::format("%{} has only constants and tuples", whole.name()),
                "a computation with other instructions"};
  return FoldedPicture(whole, lit, std::move(fold), shown, ranking).finish();
}

}  // namespace tessera::hlo
