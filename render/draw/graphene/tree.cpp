// tree: the code, and beside it a box for each specification, indented by depth: what it is, who executes it, which
// instruction a leaf is, and what its obligations stand at.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/graphene/spec_tree.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/graphene/sign.h"
#include "render/draw/grid/layouts.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

constexpr double kLine = 17, kCode = 11.5, kMostCode = 560, kBox = 400, kHigh = 44, kIndent = 26, kNumbers = 34;
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

// A comment behind `//` is drawn apart: (code, comment).
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
    const bool spec = std::any_of(tree.rows.begin(), tree.rows.end(), [&](const SpecRow& r) {
      return r.span.begin >= lines[k].begin && r.span.begin <= lines[k].end;
    });
    figure.marks.push_back(
        textMark(kNumbers - 12, y, fmt::format("{}", k + 1), 9, Face::Mono, Align::Right, Role::Faint));
    const auto [code, comment] = parts(lines[k].text);
    const std::string shown = fitted(code, Face::Mono, kCode, kMostCode);
    const double width = textWidth(shown, Face::Mono, kCode);
    figure.marks.push_back(textMark(kNumbers, y, shown, kCode, spec ? Face::MonoBold : Face::Mono, Align::Left,
                                    spec ? Role::Text : Role::Muted));
    double end = kNumbers + width;
    if (!comment.empty() && width + 40 < kMostCode) {
      const std::string rest = fitted(comment, Face::Mono, kCode, kMostCode - width);
      figure.marks.push_back(textMark(end, y, rest, kCode, Face::Mono, Align::Left, Role::Faint));
      end += textWidth(rest, Face::Mono, kCode);
    }
    out.lineY.push_back(y);
    out.lineEnd.push_back(end);
    out.width = std::max(out.width, end);
  }
  return out;
}

std::string joined(const std::vector<Tensor>& tensors) {
  std::vector<std::string> names;
  for (const Tensor& t : tensors) names.push_back(nameOf(t));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string shapeOf(const std::vector<Tensor>& group, const Program& program) {
  if (group.empty()) return "";
  const std::string type = typeOf(group.front(), program);
  return type.substr(type.find(':') + 1);
}

std::string secondOf(const SpecRow& row, const Program& program) {
  std::vector<std::string> parts;
  if (row.leaf && row.atom) parts.push_back(row.atom->name);
  const std::string threads = shapeOf(row.spec->threads, program);
  if (!threads.empty()) parts.push_back(threads);
  if (row.depth == 0) {
    if (const std::string blocks = shapeOf(row.spec->blocks, program); !blocks.empty()) parts.push_back(blocks);
  }
  for (const std::string& around : row.around) parts.push_back(around);
  return fmt::format("{}", fmt::join(parts, "  \u00b7  "));
}

void addSigns(Figure& figure, const SpecMarks& marks, double right, double y) {
  double x = right - 8;
  for (std::size_t k = kObligations; k-- > 0;) {
    if (marks.obligations[k].state == Checked::State::Missing) continue;
    addSign(figure, marks.obligations[k].state, x - 5, y, 3.6);
    figure.marks.push_back(textMark(x - 5, y + 12, std::string(label(static_cast<Obligation>(k))), 7, Face::Sans,
                                    Align::Center, roleOf(marks.obligations[k].state)));
    x -= 17;
  }
}

void addBox(Figure& figure, const SpecRow& row, const Program& program, const SpecMarks* marks, const Rect& box) {
  const bool bad = row.leaf && !row.fault.empty();
  const bool refuted =
      marks != nullptr && std::any_of(marks->obligations.begin(), marks->obligations.end(),
                                      [](const auto& c) { return c.state == Checked::State::Refuted; });
  figure.marks.push_back(boxMark(box, {Role::Panel}, {bad || refuted ? Role::Refuted : Role::Hairline}, 6));
  figure.marks.push_back(boxMark({box.x, box.y + 6, 3, box.h - 12}, {row.leaf ? Role::Accent : Role::Muted}, {}, 1.5));
  std::string kind(name(row.spec->kind));
  if (!row.spec->attribute.empty()) kind += fmt::format("<{}>", row.spec->attribute);
  const double left = box.x + 14, room = box.w - 28 - (marks != nullptr ? 8 * 17 + 6 : 0);
  figure.marks.push_back(textMark(left, box.y + 14, kind, 12.5, Face::SansMedium, Align::Left, Role::Text));
  const double wide = textWidth(kind, Face::SansMedium, 12.5) + 10;
  std::string flow = joined(row.spec->outputs);
  if (!row.spec->inputs.empty()) flow += " \u2190 " + joined(row.spec->inputs);
  figure.marks.push_back(textMark(left + wide, box.y + 14, fitted(flow, Face::Mono, kCode, room - wide), kCode,
                                  Face::Mono, Align::Left, Role::Text));
  const std::string second = bad ? row.fault : secondOf(row, program);
  figure.marks.push_back(textMark(left, box.y + 31, fitted(second, Face::Sans, 10.5, box.w - 28), 10.5, Face::Sans,
                                  Align::Left,
                                  bad        ? Role::Refuted
                                  : row.leaf ? Role::Accent
                                             : Role::Muted));
  if (marks != nullptr) addSigns(figure, *marks, box.x + box.w, box.y + 10);
}

}  // namespace

Result<Figure> drawTree(const Listing& listing, const Marks& marks, const DrawOptions& options) {
  if (!options.arguments.empty())
    return Diag{fmt::format("the tree view knows no \"{}\"", options.arguments.front()), "no word behind it", "", {}};
  const SpecTree tree = specTree(*listing.program);
  Figure figure;
  figure.title = fmt::format("{}: specifications", listing.name.empty() ? "program" : listing.name);
  figure.subtitle = marks.summary;
  const std::vector<Line> lines = linesOf(listing.text);
  const Drawn code = addCode(figure, lines, tree);
  figure.table.push_back({"depth", "specification", "atom", "line"});
  double next = 0;
  std::vector<Rect> boxes;
  for (const SpecRow& row : tree.rows) {
    std::size_t line = 0;
    while (line + 1 < lines.size() && lines[line].end < row.span.begin) ++line;
    const double at = code.lineY.empty() ? 0 : code.lineY[line];
    const Rect box{code.width + 46 + row.depth * kIndent, std::max(next, at - kHigh / 2 + 6), kBox, kHigh};
    next = box.y + kHigh + 8;
    if (!code.lineY.empty()) {
      const double turn = code.width + 24;
      const double middle = box.y + kHigh / 2;
      figure.marks.push_back(lineMark(code.lineEnd[line] + 8, at, turn, at, Role::Hairline));
      if (std::abs(middle - at) > 1) figure.marks.push_back(lineMark(turn, at, turn + 10, middle, Role::Hairline));
      figure.marks.push_back(
          lineMark(std::abs(middle - at) > 1 ? turn + 10 : turn, middle, box.x, middle, Role::Hairline));
    }
    if (row.parent >= 0) {
      const Rect& above = boxes[static_cast<std::size_t>(row.parent)];
      const double x = above.x + 14;
      figure.marks.push_back(lineMark(x, above.y + above.h, x, box.y + kHigh / 2, Role::Muted));
      figure.marks.push_back(lineMark(x, box.y + kHigh / 2, box.x, box.y + kHigh / 2, Role::Muted));
    }
    boxes.push_back(box);
    addBox(figure, row, *listing.program, marks.of(row.span), box);
    figure.table.push_back(
        {fmt::format("{}", row.depth), row.text, row.atom ? row.atom->name : row.fault, fmt::format("{}", line + 1)});
  }
  const auto leaves = std::count_if(tree.rows.begin(), tree.rows.end(), [](const SpecRow& r) { return r.leaf; });
  figure.caption = fmt::format("{} specifications, {} of them instructions.", tree.rows.size(), leaves);
  fitSize(figure);
  return figure;
}

}  // namespace tessera::graphene
