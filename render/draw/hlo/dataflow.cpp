// dataflow: a computation as boxes, operands at the top. An arrow that stands for repeated reads says how often each element is
// read, and is the warmer and the thicker for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/hlo/fusion.h"
#include "core/hlo/part_reads.h"
#include "core/hlo/usage.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hlo/hlo.h"
#include "render/draw/hlo/layered.h"
#include "render/figure/text_metrics.h"

namespace tessera::hlo {
namespace {

constexpr double kPad = 12, kName = 12, kSmall = 10.5, kHigh = 42, kMostWide = 300;
constexpr std::size_t kMostBoxes = 400, kMostCounted = 120;

struct Box {
  int instruction = 0;
  std::string head, name, shape;
  Soundness soundness = Soundness::Exact;
  bool source = false, root = false, fusion = false, lit = false;
};
struct Arrow {
  std::size_t operand = 0;
  Soundness soundness = Soundness::Exact;
  double times = 1;  // that an element is read, of those that are read at all
  std::size_t maps = 1;
  std::string text;
};
struct Graph {
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;  // as the edges
  LayeredGraph layered;
  std::size_t left = 0;  // instructions that are not shown
};

// What is shown of it is a computation of its own.
bool opensInto(const Module& module, const Instruction& i) {
  return (i.opcode == "fusion" || i.opcode == "call" || i.opcode == "while") && !calledBy(module, i).empty();
}

// A literal that fits, else its beginning.
std::string headOf(const Instruction& i) {
  if (i.opcode == "constant") return fmt::format("constant {}", fitted(i.literal, Face::SansMedium, kName, 90));
  return std::string(i.opcode);
}

std::string shapeText(const xla::Shape& shape) {
  return fitted(xla::print(shape), Face::Mono, kSmall, kMostWide - 2 * kPad);
}

double widthOf(const Box& b) {
  const double first = textWidth(b.head, Face::SansMedium, kName) + 10 + textWidth(b.name, Face::Mono, kSmall);
  return std::clamp(std::max(first, textWidth(b.shape, Face::Mono, kSmall)) + 2 * kPad, 90.0, kMostWide);
}

class Builder {
 public:
  Builder(const Part& part, int lit) : part_(part), lit_(lit) {}

  Graph build() {
    const auto& instructions = part_.itsComputation().instructions;
    std::vector<std::size_t> boxOf(instructions.size(), kNone);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Instruction& instruction = instructions[i];
      if (instruction.opcode == "constant") continue;  // one for each that reads it
      if (graph_.boxes.size() >= kMostBoxes) {
        ++graph_.left;
        continue;
      }
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
      for (const auto& [box, operand] : sources) join(box, boxOf[i], operand, reaches);
    }
    if (graph_.boxes.empty())  // constants alone
      for (std::size_t i = 0; i < instructions.size() && i < kMostBoxes; ++i) (void)add(static_cast<int>(i));
    return std::move(graph_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t add(int i) {
    const Computation& c = part_.itsComputation();
    const Instruction& instruction = c.instructions[static_cast<std::size_t>(i)];
    Box box;
    box.instruction = i;
    box.head = headOf(instruction);
    box.name = fitted(fmt::format("%{}", instruction.name), Face::Mono, kSmall,
                      kMostWide - 2 * kPad - 10 - textWidth(box.head, Face::SansMedium, kName));
    box.shape = shapeText(part_.module().shapeOf(instruction));
    box.source = instruction.operands.empty();
    box.root = i == c.root;
    box.fusion = opensInto(part_.module(), instruction);
    box.lit = i == lit_;
    graph_.layered.boxes.push_back({0, 0, widthOf(box), kHigh});
    graph_.layered.floats.push_back(box.source && instruction.opcode != "parameter");
    graph_.boxes.push_back(std::move(box));
    return graph_.boxes.size() - 1;
  }

  void join(std::size_t from, std::size_t to, std::size_t operand, const Result<std::vector<Reach>>& reaches) {
    Arrow arrow;
    arrow.operand = operand;
    if (!reaches) arrow.soundness = Soundness::Unknown;
    for (std::size_t k = 0; reaches && k < reaches->size(); ++k)
      if (static_cast<std::size_t>((*reaches)[k].slot) == operand) describe(arrow, (*reaches)[k], graph_.boxes[from]);
    graph_.boxes[to].soundness = std::max(graph_.boxes[to].soundness, arrow.soundness);
    graph_.layered.edges.push_back({from, to, {}});
    graph_.arrows.push_back(std::move(arrow));
  }

  void describe(Arrow& arrow, const Reach& reach, const Box& from) {
    arrow.soundness = reach.soundness;
    arrow.maps = reach.maps.size();
    const xla::Shape& shape =
        part_.module().shapeOf(part_.itsComputation().instructions[static_cast<std::size_t>(from.instruction)]);
    if (!shape.isArray() || shape.rank() == 0 || arrow.soundness == Soundness::Unknown || ++counted_ > kMostCounted)
      return;
    const Usage usage = usageOf(reach.maps, shape.sizes());
    if (usage.reads && usage.distinct && *usage.distinct > 0)
      arrow.times = static_cast<double>(*usage.reads) / static_cast<double>(*usage.distinct);
    if (arrow.times > 1.005) arrow.text = fmt::format("\u00d7{:.4g}", arrow.times);
    const auto share = usage.share();
    if (share && *share < 0.995) arrow.text += fmt::format("{}{:.2g} %", arrow.text.empty() ? "" : "  ", *share * 100);
  }

  const Part& part_;
  int lit_;
  Graph graph_;
  std::size_t counted_ = 0;
};

void addBox(Figure& figure, const Box& b, const Rect& at) {
  const Role outline = b.lit                               ? Role::Lit
                       : b.soundness == Soundness::Unknown ? Role::Refuted
                       : b.soundness == Soundness::Over    ? Role::Unknown
                       : b.root                            ? Role::Accent
                                                           : Role::Hairline;
  figure.marks.push_back(boxMark(at, {b.source ? Role::Raised : Role::Panel}, {outline}, 6));
  if (b.fusion) figure.marks.push_back(boxMark({at.x, at.y + 6, 3, at.h - 12}, {Role::Accent}, {}, 1.5));
  figure.marks.push_back(textMark(at.x + kPad, at.y + 14, b.head, kName, Face::SansMedium, Align::Left, Role::Text));
  figure.marks.push_back(textMark(at.x + kPad + textWidth(b.head, Face::SansMedium, kName) + 10, at.y + 14, b.name,
                                  kSmall, Face::Mono, Align::Left, Role::Muted));
  figure.marks.push_back(textMark(at.x + kPad, at.y + 30, b.shape, kSmall, Face::Mono, Align::Left, Role::Faint));
}

void addArrow(Figure& figure, const Arrow& a, const std::vector<std::pair<double, double>>& way) {
  const bool warm = a.times > 1.005;
  Paint paint{a.soundness == Soundness::Unknown ? Role::Refuted
              : a.soundness == Soundness::Over  ? Role::Unknown
                                                : Role::Muted};
  if (warm) paint = {Role::Heat, 0, 0, static_cast<float>(std::min(1.0, 0.45 + std::log10(a.times) / 4))};
  const double width = warm ? std::min(3.5, 1.4 + std::log10(a.times)) : 1.1;
  for (std::size_t k = 0; k + 1 < way.size(); ++k) {
    const auto [x0, y0] = way[k];
    const auto [x1, y1] = way[k + 1];
    Mark mark = k + 2 == way.size() ? arrowMark(x0, y0, x1, y1, Role::Muted, width)
                                    : lineMark(x0, y0, x1, y1, Role::Muted, width);
    mark.fill = paint;
    figure.marks.push_back(std::move(mark));
  }
  if (a.text.empty()) return;
  const auto [x0, y0] = way[way.size() - 2];
  const auto [x1, y1] = way.back();
  Mark text = textMark((x0 + x1) / 2 + 6, (y0 + y1) / 2, a.text, kSmall, Face::SansMedium, Align::Left,
                       warm ? Role::Text : Role::Muted);
  figure.marks.push_back(std::move(text));
}

// The dearest arrow, in a sentence.
std::string captionOf(const Graph& graph, const Part& part) {
  std::string out =
      fmt::format("{} of {} instruction{}.", part.itsComputation().instructions.size() - graph.left,
                  part.itsComputation().instructions.size(), part.itsComputation().instructions.size() == 1 ? "" : "s");
  if (graph.left == 0)
    out = fmt::format("{} instruction{}.", part.itsComputation().instructions.size(),
                      part.itsComputation().instructions.size() == 1 ? "" : "s");
  const auto most = std::max_element(graph.arrows.begin(), graph.arrows.end(),
                                     [](const Arrow& a, const Arrow& b) { return a.times < b.times; });
  if (most != graph.arrows.end() && most->times > 1.005) {
    const LayeredEdge& edge = graph.layered.edges[static_cast<std::size_t>(most - graph.arrows.begin())];
    out += fmt::format(" {} reads each element of {} {:.4g} times.", graph.boxes[edge.to].name,
                       graph.boxes[edge.from].name, most->times);
  }
  return out;
}

}  // namespace

Result<Figure> drawDataflow(const Part& part, const DrawOptions& options) {
  if (!options.arguments.empty())
    return Diag{fmt::format("the dataflow view knows no \"{}\"", options.arguments.front()),
                "no word behind it",
                "show NAME.%fusion.1 as dataflow",
                {}};
  Part whole = part;
  int lit = -1;
  if (!part.isComputation()) {
    const bool inside = opensInto(part.module(), part.itsInstruction());
    lit = inside ? -1 : part.instruction;
    if (inside) whole.computation = calledBy(part.module(), part.itsInstruction()).back();
    whole.instruction = -1;
  }
  Graph graph = Builder(whole, lit).build();
  layOut(graph.layered);
  Figure figure;
  figure.title = fmt::format("%{} as dataflow", whole.name());
  figure.subtitle = print(part.of);
  figure.table.push_back({"to", "operation", "shape", "operand", "from", "times"});
  for (std::size_t e = 0; e < graph.arrows.size(); ++e) {
    const LayeredEdge& edge = graph.layered.edges[e];
    addArrow(figure, graph.arrows[e], edge.way);
    const Box &to = graph.boxes[edge.to], &from = graph.boxes[edge.from];
    figure.table.push_back({to.name, to.head, to.shape, fmt::format("{}", graph.arrows[e].operand), from.name,
                            fmt::format("{:.6g}", graph.arrows[e].times)});
  }
  for (std::size_t b = 0; b < graph.boxes.size(); ++b) addBox(figure, graph.boxes[b], graph.layered.boxes[b]);
  figure.caption = captionOf(graph, whole);
  fitSize(figure);
  return figure;
}

Result<Figure> drawDataflow(const Listing& listing, const DrawOptions& options) {
  const int entry = listing.module->entry;
  return drawDataflow(Part{listing, entry >= 0 ? entry : static_cast<int>(listing.module->computations.size()) - 1, -1},
                      options);
}

}  // namespace tessera::hlo
