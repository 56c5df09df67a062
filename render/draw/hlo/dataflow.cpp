// dataflow: a computation as boxes, operands at the top. Arrows are warmer and thicker the more memory is requested
// beyond the need: elements that are read repeatedly, or sectors of which little is used; their text names the cause.
// The most wasteful kernel is highlighted, and a click on a box opens its reads. A large computation is folded
// (folded.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/chars.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/usage.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/listing.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/hlo/folded.h"
#include "render/draw/hlo/hlo.h"
#include "render/draw/hlo/layered.h"
#include "render/draw/hlo/ranking_rows.h"
#include "render/figure/text_metrics.h"

namespace tessera::hlo {
namespace {

constexpr double kPad = 12, kName = 12, kSmall = 10.5, kHigh = 42, kMostWide = 300;
constexpr std::size_t kMostPlain = 30;  // boxes of a picture that is not folded

struct Box {
  int instruction = 0;
  std::string head, name, shape;
  Soundness soundness = Soundness::Exact;
  bool source = false, root = false, fusion = false, lit = false, worst = false;
  const KernelWaste* waste = nullptr;
  Traffic traffic;
  [[nodiscard]] i64 wasted() const { return traffic.wasted; }
};
struct Arrow {
  std::size_t operand = 0;
  Soundness soundness = Soundness::Exact;
  double times = 1;  // mean reads per element, of those that are read
  float level = 0;   // of heat
  std::vector<std::string> text;
};
struct Graph {
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;  // parallel to the edges
  LayeredGraph layered;
};

// Whether the instruction is drawn as its own computation.
bool opensInto(const Module& module, const Instruction& i) {
  return (i.opcode == "fusion" || i.opcode == "call" || i.opcode == "while") && !calledBy(module, i).empty();
}

std::string wasteText(const Box& b) { return b.waste != nullptr ? textOf(*b.waste) : textOf(b.traffic); }
std::string worstText(const Box& b) { return "most wasteful: " + wasteText(b); }

// Boxes without folding: each reader has its own box for a constant.
std::size_t plainBoxes(const Computation& c) {
  std::size_t boxes = 0;
  for (const Instruction& i : c.instructions) {
    if (i.opcode != "constant") ++boxes;
    for (const int operand : i.operands) boxes += operand >= 0 && c.at(operand).opcode == "constant" ? 1 : 0;
  }
  return boxes;
}

double widthOf(const Box& b) {
  const double first = textWidth(b.head, Face::SansMedium, kName) + 10 + textWidth(b.name, Face::Mono, kSmall);
  return std::clamp(std::max(first, textWidth(b.shape, Face::Mono, kSmall)) + 2 * kPad, 90.0, kMostWide);
}

class Builder {
 public:
  Builder(const Part& part, int lit, const Ranking& ranking)
      : part_(part), lit_(lit), ranking_(ranking), traffic_(trafficOf(part.module(), ranking, part.computation)) {}

  Graph build() {
    const auto& instructions = part_.itsComputation().instructions;
    std::vector<std::size_t> boxOf(instructions.size(), kNone);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Instruction& instruction = instructions[i];
      if (instruction.opcode == "constant") continue;  // duplicated for each reader
      const auto reaches = readsThrough(part_.module(), {part_.computation, static_cast<int>(i)}, 0);
      std::vector<std::pair<std::size_t, std::size_t>> sources;  // box, operand
      for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
        const int from = instruction.operands[k];
        if (from < 0) continue;
        std::size_t box = boxOf[static_cast<std::size_t>(from)];
        if (instructions[static_cast<std::size_t>(from)].opcode == "constant") box = add(from);
        if (box != kNone) sources.emplace_back(box, k);
      }
      boxOf[i] = add(static_cast<int>(i));
      measure(graph_.boxes[boxOf[i]]);
      for (const auto& [box, operand] : sources) join(box, boxOf[i], operand, reaches);
    }
    if (graph_.boxes.empty())  // only constants
      for (std::size_t i = 0; i < instructions.size() && i < kMostPlain; ++i) (void)add(static_cast<int>(i));
    markWorst();
    return std::move(graph_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t add(int i) {
    const Computation& c = part_.itsComputation();
    const Instruction& instruction = c.at(i);
    Box box;
    box.instruction = i;
    box.head = instruction.opcode;
    if (box.head == "constant") box.head += " " + fitted(instruction.literal, Face::SansMedium, kName, 90);
    box.name = fitted(fmt::format("%{}", instruction.name), Face::Mono, kSmall,
                      kMostWide - 2 * kPad - 10 - textWidth(box.head, Face::SansMedium, kName));
    box.shape = fitted(xla::print(part_.module().shapeOf(instruction)), Face::Mono, kSmall, kMostWide - 2 * kPad);
    box.source = instruction.operands.empty();
    box.root = i == c.root;
    box.fusion = opensInto(part_.module(), instruction);
    box.lit = i == lit_;
    graph_.layered.boxes.push_back({0, 0, widthOf(box), kHigh});
    graph_.layered.floats.push_back(box.source && instruction.opcode != "parameter");
    graph_.boxes.push_back(std::move(box));
    return graph_.boxes.size() - 1;
  }

  // Only instructions that run as separate kernels request memory, or bodies that have some.
  void measure(Box& box) {
    const Where where{part_.computation, box.instruction};
    const auto kernel = std::ranges::find(ranking_.kernels, where, &KernelWaste::where);
    if (kernel != ranking_.kernels.end()) box.waste = &*kernel;
    box.traffic = traffic_[static_cast<std::size_t>(box.instruction)];
  }

  // Its box has an extra line.
  void markWorst() {
    const auto worst =
        std::ranges::max_element(graph_.boxes, [](const Box& a, const Box& b) { return a.wasted() < b.wasted(); });
    if (worst == graph_.boxes.end() || worst->wasted() <= 0) return;
    worst->worst = true;
    Rect& at = graph_.layered.boxes[static_cast<std::size_t>(worst - graph_.boxes.begin())];
    at.h = kHigh + 16;
    at.w = std::max(at.w, textWidth(worstText(*worst), Face::SansMedium, kSmall) + 2 * kPad);
  }

  void join(std::size_t from, std::size_t to, std::size_t operand, const Result<std::vector<Reach>>& reaches) {
    Arrow arrow;
    arrow.operand = operand;
    if (!reaches) arrow.soundness = Soundness::Unknown;
    for (std::size_t k = 0; reaches && k < reaches->size(); ++k)
      if (static_cast<std::size_t>((*reaches)[k].slot) == operand)
        describe(arrow, (*reaches)[k], graph_.boxes[from], graph_.boxes[to]);
    graph_.boxes[to].soundness = std::max(graph_.boxes[to].soundness, arrow.soundness);
    graph_.layered.edges.push_back({from, to, {}});
    graph_.arrows.push_back(std::move(arrow));
  }

  void describe(Arrow& arrow, const Reach& reach, const Box& from, const Box& to) {
    arrow.soundness = reach.soundness;
    const xla::Shape& shape = part_.module().shapeOf(part_.itsComputation().at(from.instruction));
    if (!shape.isArray() || shape.rank() == 0 || arrow.soundness == Soundness::Unknown) return;
    const OperandWaste* waste = nullptr;
    for (std::size_t k = 0; to.waste && k < to.waste->operands.size(); ++k)
      if (static_cast<std::size_t>(to.waste->operands[k].operand) == arrow.operand) waste = &to.waste->operands[k];
    tell(arrow, waste != nullptr ? waste->usage : usageOf(reach.maps, shape.sizes()), waste);
  }

  static void tell(Arrow& arrow, const Usage& usage, const OperandWaste* waste) {
    if (usage.reads && usage.distinct && *usage.distinct > 0)
      arrow.times = static_cast<double>(*usage.reads) / static_cast<double>(*usage.distinct);
    std::string first;
    if (arrow.times > 1.005) first = fmt::format("\u00d7{:.4g}", arrow.times);
    const auto share = usage.share();
    if (share && *share < 0.995) first += fmt::format("{}{:.2g} %", first.empty() ? "" : "  ", *share * 100);
    if (!first.empty()) arrow.text.push_back(std::move(first));
    const auto repeated = static_cast<i64>(std::min(arrow.times, 1e6) * 1000);
    arrow.level = arrow.times > 1.005 ? wasteLevel(1000, repeated) : 0;
    if (waste == nullptr || !waste->needed || !waste->asked || *waste->needed == 0) return;
    arrow.level = wasteLevel(*waste->needed, *waste->asked);
    const WarpReads& w = waste->warps;
    if (w.verdict == WarpVerdict::Scattered && w.ideal > 0)
      arrow.text.push_back(
          fmt::format("scattered {:.3g}:1", static_cast<double>(w.sectors) / static_cast<double>(w.ideal)));
  }

  const Part& part_;
  int lit_;
  const Ranking& ranking_;
  std::vector<Traffic> traffic_;
  Graph graph_;
};

// Adds the waste as a warm strip along the lower edge; the worst kernel's spans its box.
void addStrip(Figure& figure, const Box& b, const Rect& at, i64 most) {
  if (b.wasted() == 0 || most == 0) return;
  const double share = static_cast<double>(b.wasted()) / static_cast<double>(most);
  if (share < 0.03) return;  // too small to see
  const Paint heat{Role::Heat, 0, 0, wasteLevel(b.traffic.needed, b.traffic.asked)};
  addBox(figure, {at.x, at.y + at.h + 2, std::max(2.0, at.w * share), 3}, heat, {}, 1.5);
  if (!b.worst) return;
  addBox(figure, {at.x - 3, at.y - 3, at.w + 6, at.h + 11}, {}, heat, 8);
  addText(figure, at.x + kPad, at.y + 46, worstText(b), kSmall, Face::SansMedium, Role::Text);
}

// The tooltip of a box.
std::string tipOf(const Box& b) {
  std::string tip = fmt::format("{} {}   {}", b.head, b.name, b.shape);
  if (b.traffic.kernels > 0) tip += "\n" + wasteText(b);
  for (const OperandWaste& w : b.waste != nullptr ? b.waste->operands : std::vector<OperandWaste>()) {
    tip += fmt::format("\n%{}: {}", w.name, w.usage.distinct ? textOf(w.usage) : "unknown: " + w.why);
    if (w.warps.verdict != WarpVerdict::Unknown) tip += fmt::format("; {}", nameOf(w.warps.verdict));
  }
  return tip;
}

Role roleOf(Soundness soundness, Role exact) {
  return soundness == Soundness::Unknown ? Role::Refuted : soundness == Soundness::Over ? Role::Unknown : exact;
}

void addBox(Figure& figure, const Box& b, const Rect& at) {
  const Role outline = b.lit ? Role::Lit : roleOf(b.soundness, b.root ? Role::Accent : Role::Hairline);
  addBox(figure, at, {b.source ? Role::Raised : Role::Panel}, {outline}, 6);
  if (b.fusion) addBox(figure, {at.x, at.y + 6, 3, at.h - 12}, {Role::Accent}, {}, 1.5);
  const double head = addText(figure, at.x + kPad, at.y + 14, b.head, kName, Face::SansMedium, Role::Text);
  addText(figure, at.x + kPad + head + 10, at.y + 14, b.name, kSmall, Face::Mono, Role::Muted);
  addText(figure, at.x + kPad, at.y + 30, b.shape, kSmall, Face::Mono, Role::Faint);
}

// fansIn: other arrows end at the same point.
void addArrow(Figure& figure, const Arrow& a, const std::vector<std::pair<double, double>>& way, bool fansIn) {
  const bool warm = a.level > 0;
  const Paint paint = warm ? Paint{Role::Heat, 0, 0, std::max(0.4F, a.level)} : Paint{roleOf(a.soundness, Role::Muted)};
  const double width = warm ? 1.4 + 2.1 * static_cast<double>(a.level) : 1.1;
  for (std::size_t k = 0; k + 1 < way.size(); ++k) {
    const auto [x0, y0] = way[k];
    const auto [x1, y1] = way[k + 1];
    (k + 2 == way.size() ? tessera::addArrow : tessera::addLine)(figure, x0, y0, x1, y1, Role::Muted, width);
    figure.marks.back().fill = paint;
  }
  if (a.text.empty()) return;
  const auto [x0, y0] = way[way.size() - 2];
  const auto [x1, y1] = way.back();
  // Beside the arrow, outside the fan of arrows at its head or foot.
  const bool left = fansIn ? x1 > x0 + 8 : x1 < x0 - 4;
  const double slope = (x1 - x0) / std::max(1.0, y1 - y0), gap = 7 + 6 * std::min(4.0, std::abs(slope));
  double y = (y0 + y1) / 2 - 6.5 * static_cast<double>(a.text.size() - 1);
  for (const std::string& line : a.text) {
    const double x = x0 + slope * (y - y0);
    addText(figure, x + (left ? -gap : gap), y, line, kSmall, Face::SansMedium, warm ? Role::Text : Role::Muted,
            left ? Align::Right : Align::Left);
    y += 13;
  }
}

// A sentence about the most expensive arrow.
std::string captionOf(const Graph& graph, const Part& part) {
  std::string out = counted(part.itsComputation().instructions.size(), "instruction") + ".";
  const auto worst = std::ranges::find_if(graph.boxes, [](const Box& b) { return b.worst; });
  if (worst != graph.boxes.end())
    return out + fmt::format(" {} wastes most: {}, in sectors of 32 bytes, without caches. Click it to open it.",
                             worst->name, wasteText(*worst));
  const auto most =
      std::ranges::max_element(graph.arrows, [](const Arrow& a, const Arrow& b) { return a.times < b.times; });
  if (most != graph.arrows.end() && most->times > 1.005) {
    const LayeredEdge& edge = graph.layered.edges[static_cast<std::size_t>(most - graph.arrows.begin())];
    out += fmt::format(" {} reads each element of {} {:.4g} times.", graph.boxes[edge.to].name,
                       graph.boxes[edge.from].name, most->times);
  }
  return out;
}

// "in NAME": the group to show; "": everything.
Result<std::string> groupIn(const std::vector<std::string>& words) {
  if (words.empty()) return std::string();
  if (words.size() == 2 && words[0] == "in") return words[1];
  return Diag{
      fmt::format("the dataflow view knows no \"{}\"", words[0] == "in" && words.size() > 2 ? words[2] : words[0]),
      "in GROUP, or no further word", "show NAME as dataflow in decoder/layer_3"};
}

}  // namespace

Result<Figure> drawDataflow(const Part& part, const DrawOptions& options) {
  TESSERA_TRY(const std::string group, groupIn(options.arguments));
  Part whole = part;
  int lit = -1;
  if (!part.isComputation()) {
    const bool inside = opensInto(part.module(), part.itsInstruction());
    lit = inside ? -1 : part.instruction;
    if (inside) whole.computation = calledBy(part.module(), part.itsInstruction()).back();
    whole.instruction = -1;
  }
  const auto ranking = keptRanking(whole.module());
  if (!group.empty() || plainBoxes(whole.itsComputation()) > kMostPlain) return drawFolded(whole, lit, group, ranking);
  Graph graph = Builder(whole, lit, *ranking).build();
  layOut(graph.layered);
  Figure figure = titledFigure(fmt::format("%{} as dataflow", whole.name()), print(part.of),
                               {"to", "operation", "shape", "operand", "from", "times"});
  for (std::size_t e = 0; e < graph.arrows.size(); ++e) {
    const LayeredEdge& edge = graph.layered.edges[e];
    const auto ends =
        std::ranges::count_if(graph.layered.edges, [&](const LayeredEdge& other) { return other.to == edge.to; });
    addArrow(figure, graph.arrows[e], edge.way, ends > 1);
    const Box &to = graph.boxes[edge.to], &from = graph.boxes[edge.from];
    figure.table.push_back({to.name, to.head, to.shape, fmt::format("{}", graph.arrows[e].operand), from.name,
                            fmt::format("{:.6g}", graph.arrows[e].times)});
  }
  std::vector<int> doorOf(whole.itsComputation().instructions.size(), -1);
  i64 most = 0;
  for (const Box& b : graph.boxes) most = std::max(most, b.wasted());
  for (std::size_t b = 0; b < graph.boxes.size(); ++b) {
    const Box& box = graph.boxes[b];
    addBox(figure, box, graph.layered.boxes[b]);
    addStrip(figure, box, graph.layered.boxes[b], most);
    if (box.source) continue;
    const bool runs = box.fusion && (box.head == "while" || box.head == "call");  // its body has more to show
    const bool kernel = isKernel(whole.itsComputation().at(box.instruction));
    doorOf[static_cast<std::size_t>(box.instruction)] = static_cast<int>(figure.doors.size());
    figure.doors.push_back({graph.layered.boxes[b], doorTo(whole.module(), {whole.computation, box.instruction}),
                            runs     ? "dataflow"
                            : kernel ? "kernel"
                                     : "reads",
                            tipOf(box) + (runs     ? "\nclick: show its body"
                                          : kernel ? "\nclick: show what it reads and wastes"
                                                   : "\nclick: show its reads")});
  }
  Traffic all;
  for (const Box& b : graph.boxes) all.add(b.traffic);
  figure.caption = captionOf(graph, whole) + missingText(*ranking, all);
  figure.rows = rankingRows(whole.of, ranking, whole.computation, doorOf);
  fitSize(figure);
  return figure;
}

Result<Figure> drawDataflow(const Listing& listing, const DrawOptions& options) {
  const int entry = listing.module->entry;
  return drawDataflow(Part{listing, entry >= 0 ? entry : static_cast<int>(listing.module->computations.size()) - 1, -1},
                      options);
}

}  // namespace tessera::hlo
