// tree: the code, and beside it a box for each specification, indented by depth: its form, its threads, the instruction
// of a leaf, and the state of its obligations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/graphene/reader/sized.h"
#include "core/graphene/spec_tree.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"

namespace tessera::graphene {
namespace {

constexpr double kLine = 17, kCode = 11.5, kMostCode = 640, kBox = 440, kSigns = 8 * 17 + 8, kHigh = 28, kNear = 40,
                 kIndent = 36, kNumbers = 34;
constexpr std::size_t kMostLines = 400;

struct Line {
  std::string text;
  std::size_t begin = 0, end = 0;
};

std::vector<Line> linesOf(const std::string& text) {
  std::vector<Line> out;
  std::size_t from = 0;
  while (from <= text.size() && out.size() < kMostLines) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    out.push_back({text.substr(from, end - from), from, end});
    from = end + 1;
  }
  while (!out.empty() && out.back().text.find_first_not_of(" \t\r") == std::string::npos) out.pop_back();
  return out;
}

// Splits off a comment after `//`: (code, comment).
std::pair<std::string, std::string> parts(const std::string& line) {
  const std::size_t at = line.find("//");
  return at == std::string::npos ? std::pair{line, std::string()} : std::pair{line.substr(0, at), line.substr(at)};
}

struct Drawn {
  std::vector<double> lineY, lineEnd;
  double width = 0;  // of the code
};

Drawn addCode(Figure& figure, const std::vector<Line>& lines, const SpecTree& tree) {
  Drawn out;
  double y = 8;
  for (std::size_t k = 0; k < lines.size(); ++k, y += kLine) {
    const bool spec = std::ranges::any_of(
        tree.rows, [&](const SpecRow& r) { return r.span.begin >= lines[k].begin && r.span.begin <= lines[k].end; });
    addText(figure, kNumbers - 12, y, fmt::format("{}", k + 1), 9, Face::Mono, Role::Faint, Align::Right);
    const auto [code, comment] = parts(lines[k].text);
    const double width = addFitted(figure, kNumbers, y, kMostCode, code, kCode, spec ? Face::MonoBold : Face::Mono,
                                   spec ? Role::Text : Role::Muted);
    double end = kNumbers + width;
    if (!comment.empty() && width + 40 < kMostCode)
      end += addFitted(figure, end, y, kMostCode - width, comment, kCode, Face::Mono, Role::Faint);
    out.lineY.push_back(y);
    out.lineEnd.push_back(end);
    out.width = std::max(out.width, end);
  }
  return out;
}

std::string joined(const std::vector<Tensor>& tensors) {
  return fmt::format("{}", fmt::join(mapped<std::string>(tensors, [](const Tensor& t) { return nameOf(t); }), ", "));
}

std::string shapeOf(const std::vector<Tensor>& group, const Program& program) {
  return group.empty() ? "" : typeOf(group.front(), program);
}

std::string secondOf(const SpecRow& row, const Program& program) {
  std::vector<std::string> parts;
  if (row.leaf && row.atom) parts.push_back(row.atom->name);
  const std::string threads = shapeOf(row.spec->threads, program);
  if (!threads.empty()) parts.push_back(threads);
  if (row.depth == 0) {
    if (const std::string blocks = shapeOf(row.spec->blocks, program); !blocks.empty())
      parts.push_back(blocks.starts_with("[1:") ? "one block" : blocks);
  }
  for (const std::string& around : row.around) parts.push_back(around);
  return fmt::format("{}", fmt::join(parts, "  \u00b7  "));
}

void addSigns(Figure& figure, const SpecMarks& marks, double right, double y) {
  double x = right - 8;
  for (std::size_t k = kObligations; k-- > 0; x -= 17) {
    const Checked::State state = marks.obligations[k].state;
    if (state == Checked::State::Missing) continue;
    addSign(figure, state, x - 5, y - 4, 3.6);
    addText(figure, x - 5, y + 8, std::string(label(static_cast<Obligation>(k))), 7, Face::Sans, roleOf(state),
            Align::Center);
  }
}

bool isRefuted(const SpecMarks* marks) {
  if (marks == nullptr) return false;
  return std::ranges::any_of(marks->obligations, [](const Checked& c) { return c.state == Checked::State::Refuted; });
}

// One line: the specification, its data flow, and in colour the instruction or why there is none.
void addBox(Figure& figure, const SpecRow& row, const Program& program, const SpecMarks* marks, const Rect& box) {
  const bool bad = row.leaf && !row.fault.empty();
  addBox(figure, box, {Role::Panel}, {bad || isRefuted(marks) ? Role::Refuted : Role::Hairline}, 6);
  addBox(figure, {box.x, box.y + 5, 3, box.h - 10}, {row.leaf ? Role::Accent : Role::Muted}, {}, 1.5);
  std::string kind(row.spec->called.empty() ? name(row.spec->kind) : std::string_view(row.spec->called));
  if (!row.spec->attribute.empty() && row.spec->called.empty()) kind += fmt::format("<{}>", row.spec->attribute);
  const double middle = box.y + box.h / 2, right = box.x + box.w - 12 - (marks != nullptr ? kSigns : 0);
  double x = box.x + 12;
  x += addText(figure, x, middle, kind, 12, Face::SansMedium, Role::Text) + 10;
  std::string flow = joined(row.spec->outputs);
  if (!row.spec->inputs.empty()) flow += " \u2190 " + joined(row.spec->inputs);
  x += addFitted(figure, x, middle, right - x, flow, kCode, Face::Mono, Role::Text) + 14;
  if (right - x > 30) {
    const Role role = bad ? Role::Refuted : row.leaf ? Role::Accent : Role::Muted;
    addFitted(figure, x, middle, right - x, bad ? row.fault : secondOf(row, program), 10.5, Face::Sans, role);
  }
  if (marks != nullptr) addSigns(figure, *marks, box.x + box.w, middle);
}

// Connects a line with its box if they are close; otherwise the line's number must suffice.
void addLeader(Figure& figure, const Drawn& code, std::size_t line, const Rect& box) {
  if (code.lineY.empty()) return;
  const double at = code.lineY[line], middle = box.y + box.h / 2, turn = code.width + 24;
  addText(figure, box.x - 8, middle, fmt::format("{}", line + 1), 9, Face::Mono, Role::Faint, Align::Right);
  if (std::abs(middle - at) > kNear) return;
  addLine(figure, code.lineEnd[line] + 8, at, turn, at, Role::Hairline);
  if (std::abs(middle - at) > 1) addLine(figure, turn, at, turn + 10, middle, Role::Hairline);
  const double from = std::abs(middle - at) > 1 ? turn + 10 : turn;
  if (box.x - 22 > from) addLine(figure, from, middle, box.x - 22, middle, Role::Hairline);
}

}  // namespace

Result<Figure> drawTree(const Listing& listing, const Marks& marks, const DrawOptions& options) {
  TESSERA_CHECKED(expectNoWords(options.arguments, "tree"));
  const SpecTree tree = specTree(*listing.program, architectureOf(listing.text));
  const std::string name = listing.name.empty() ? "program" : listing.name;
  Figure figure = titledFigure(name + ": specifications", marks.summary, {"depth", "specification", "atom", "line"});
  const std::vector<Line> lines = linesOf(listing.text);
  const Drawn code = addCode(figure, lines, tree);
  double next = 0;
  std::vector<Rect> boxes;
  for (const SpecRow& row : tree.rows) {
    std::size_t line = 0;
    while (line + 1 < lines.size() && lines[line].end < row.span.begin) ++line;
    const double at = code.lineY.empty() ? 0 : code.lineY[line];
    const SpecMarks* known = marks.of(boxes.size(), row.span);
    const Rect box{code.width + 66 + row.depth * kIndent, std::max(next, at - kHigh / 2),
                   kBox + (known != nullptr ? kSigns : 0), kHigh};
    next = box.y + kHigh + 6;
    addLeader(figure, code, line, box);
    if (row.parent >= 0) {
      const Rect& above = boxes[static_cast<std::size_t>(row.parent)];
      addLine(figure, above.x + 8, above.y + above.h, above.x + 8, box.y + kHigh / 2, Role::Faint);
      addLine(figure, above.x + 8, box.y + kHigh / 2, box.x - 22, box.y + kHigh / 2, Role::Faint);
    }
    boxes.push_back(box);
    addBox(figure, row, *listing.program, known, box);
    figure.table.push_back(
        {fmt::format("{}", row.depth), row.text, row.atom ? row.atom->name : row.fault, fmt::format("{}", line + 1)});
  }
  const auto leaves = std::ranges::count_if(tree.rows, [](const SpecRow& r) { return r.leaf; });
  figure.caption = fmt::format("{} specifications, {} of them instructions.", tree.rows.size(), leaves);
  fitSize(figure);
  return figure;
}

}  // namespace tessera::graphene
