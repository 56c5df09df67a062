// tree: the specifications as an outline, one entry each, indented by depth: its form and data flow, below them the
// instruction of a leaf, threads and loops, and at the right its line and the state of its obligations. An entry with
// parts folds: `fold 1` hides the parts of the entry 1, `open 1` shows them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "core/base/mapped.h"
#include "core/graphene/reader/sized.h"
#include "core/graphene/spec_tree.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

// As wide as the column of pictures of a small window, so that its text is readable there.
constexpr double kOutline = 500, kEntry = 40, kIndent = 20, kCode = 11.5, kSignPitch = 21, kTriangle = 14,
                 kLineNumber = 34;
constexpr std::size_t kMostOpen = 40;  // of a larger program only the kernels are open at first

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
  double x = right - kSignPitch / 2;
  for (std::size_t k = kObligations; k-- > 0; x -= kSignPitch) addSign(figure, marks.obligations[k].state, x, y, 4.5);
}

bool isRefuted(const SpecMarks* marks) {
  if (marks == nullptr) return false;
  return std::ranges::any_of(marks->obligations, [](const Checked& c) { return c.state == Checked::State::Refuted; });
}

std::string headOf(const SpecRow& row) {
  std::string kind(row.spec->called.empty() ? name(row.spec->kind) : std::string_view(row.spec->called));
  if (!row.spec->attribute.empty() && row.spec->called.empty()) kind += fmt::format("<{}>", row.spec->attribute);
  return kind;
}

// Which entries hide their parts.
class Folds {
 public:
  static Result<Folds> of(const SpecTree& tree, const std::vector<std::string>& words) {
    Folds folds;
    folds.words_ = words;
    for (const SpecRow& row : tree.rows)
      if (row.parent >= 0) folds.parents_.insert(static_cast<std::size_t>(row.parent));
    if (tree.rows.size() > kMostOpen)
      for (const std::size_t k : folds.parents_)
        if (tree.rows[k].depth > 0) folds.folded_.insert(k);
    for (std::size_t k = 0; k < words.size(); k += 2) {
      if (words[k] != "fold" && words[k] != "open")
        return Diag{fmt::format("the tree view knows no \"{}\"", words[k]), "fold NUMBER, open NUMBER", "fold 1"};
      std::size_t entry = 0;
      const std::string number = k + 1 < words.size() ? words[k + 1] : "";
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), entry);
      if (error != std::errc() || end != number.data() + number.size() || folds.parents_.count(entry) == 0)
        return Diag{
            fmt::format("{} needs the number of an entry that has parts", words[k]),
            folds.parents_.empty() ? "no entry has parts" : fmt::format("one of {}", fmt::join(folds.parents_, ", ")),
            ""};
      if (words[k] == "fold") {
        folds.folded_.insert(entry);
      } else {
        folds.folded_.erase(entry);
      }
    }
    return folds;
  }

  [[nodiscard]] bool foldable(std::size_t entry) const { return parents_.count(entry) > 0; }
  [[nodiscard]] bool folded(std::size_t entry) const { return folded_.count(entry) > 0; }
  [[nodiscard]] bool hidden(const SpecTree& tree, std::size_t entry) const {
    for (int up = tree.rows[entry].parent; up >= 0; up = tree.rows[static_cast<std::size_t>(up)].parent)
      if (folded(static_cast<std::size_t>(up))) return true;
    return false;
  }
  // The words of the picture with that entry the other way.
  [[nodiscard]] std::vector<std::string> toggled(std::size_t entry) const {
    std::vector<std::string> words;
    const std::string number = fmt::format("{}", entry);
    for (std::size_t k = 0; k + 1 < words_.size(); k += 2)
      if (words_[k + 1] != number) words.insert(words.end(), {words_[k], words_[k + 1]});
    words.insert(words.end(), {folded(entry) ? "open" : "fold", number});
    return words;
  }

 private:
  std::set<std::size_t> parents_, folded_;
  std::vector<std::string> words_;
};

void addTriangle(Figure& figure, double x, double y, bool folded) {
  const double r = 3.6;
  if (folded) {
    addLine(figure, x - r * 0.6, y - r, x + r * 0.6, y, Role::Muted, 1.4);
    addLine(figure, x + r * 0.6, y, x - r * 0.6, y + r, Role::Muted, 1.4);
  } else {
    addLine(figure, x - r, y - r * 0.6, x, y + r * 0.6, Role::Muted, 1.4);
    addLine(figure, x, y + r * 0.6, x + r, y - r * 0.6, Role::Muted, 1.4);
  }
}

std::size_t partsBelow(const SpecTree& tree, std::size_t entry) {
  std::size_t count = 0;
  for (std::size_t k = entry + 1; k < tree.rows.size() && tree.rows[k].depth > tree.rows[entry].depth; ++k) ++count;
  return count;
}

void addEntry(Figure& figure, const SpecTree& tree, std::size_t k, const Program& program, const SpecMarks* marks,
              const Folds& folds, double top, std::size_t line) {
  const SpecRow& row = tree.rows[k];
  const double left = row.depth * kIndent, first = top + 12, second = top + 28, right = kOutline - kLineNumber;
  const bool bad = row.leaf && !row.fault.empty();
  if (bad || isRefuted(marks)) addBox(figure, {left, top + 4, 3, kEntry - 10}, {Role::Refuted}, {}, 1.5);
  if (folds.foldable(k)) {
    addTriangle(figure, left + kTriangle, first, folds.folded(k));
    figure.doors.push_back({{left, top, kOutline - left, kEntry},
                            "",
                            "tree",
                            folds.folded(k) ? "Shows its parts" : "Hides its parts",
                            folds.toggled(k)});
  } else if (row.leaf) {
    addBox(figure, {left + kTriangle - 2.5, first - 2.5, 5, 5}, {bad ? Role::Refuted : Role::Accent}, {}, 2.5);
  }
  double x = left + kTriangle + 12;
  const double end = right - (marks != nullptr ? kObligations * kSignPitch + 8 : 0);
  x += addFitted(figure, x, first, end - x, headOf(row), 12, Face::SansMedium, Role::Text) + 10;
  std::string flow = joined(row.spec->outputs);
  if (!row.spec->inputs.empty()) flow += " \u2190 " + joined(row.spec->inputs);
  if (end - x > 20) addFitted(figure, x, first, end - x, flow, kCode, Face::Mono, Role::Text);
  x = left + kTriangle + 12;
  std::string what = bad ? row.fault : secondOf(row, program);
  if (folds.folded(k))
    what = fmt::format("{} parts hidden{}{}", partsBelow(tree, k), what.empty() ? "" : "  \u00b7  ", what);
  addFitted(figure, x, second, right - x, what, kType.cell, Face::Sans,
            bad        ? Role::Refuted
            : row.leaf ? Role::Accent
                       : Role::Muted);
  addText(figure, kOutline, first, fmt::format("{}", line), 10, Face::Mono, Role::Faint, Align::Right);
  if (marks != nullptr) addSigns(figure, *marks, right, first);
}

}  // namespace

Result<Figure> drawTree(const Listing& listing, const Marks& marks, const DrawOptions& options) {
  const SpecTree tree = specTree(*listing.program, architectureOf(listing.text));
  TESSERA_TRY(const Folds folds, Folds::of(tree, options.arguments));
  const std::string name = listing.name.empty() ? "program" : listing.name;
  Figure figure = titledFigure(name + ": specifications", marks.summary, {"depth", "specification", "atom", "line"});
  double y = 20;
  addText(figure, kOutline, 8, "line", 10, Face::Sans, Role::Faint, Align::Right);
  if (!marks.specs.empty())
    for (std::size_t k = 0; k < kObligations; ++k)
      addText(figure, kOutline - kLineNumber - (static_cast<double>(kObligations - k) - 0.5) * kSignPitch, 8,
              std::string(label(static_cast<Obligation>(k))), 10, Face::Sans, Role::Muted, Align::Center);
  std::vector<double> tops;
  for (std::size_t k = 0; k < tree.rows.size(); ++k) {
    const SpecRow& row = tree.rows[k];
    const auto line = static_cast<std::size_t>(1 + std::ranges::count(listing.text.substr(0, row.span.begin), '\n'));
    figure.table.push_back(
        {fmt::format("{}", row.depth), row.text, row.atom ? row.atom->name : row.fault, fmt::format("{}", line)});
    tops.push_back(y);
    if (folds.hidden(tree, k)) continue;
    addLine(figure, row.depth * kIndent, y, kOutline, y, Role::Hairline, 0.8);
    if (row.parent >= 0) {
      const double x = (row.depth - 1) * kIndent + kTriangle, above = tops[static_cast<std::size_t>(row.parent)];
      addLine(figure, x, above + 20, x, y + 12, Role::Hairline);
      addLine(figure, x, y + 12, x + kIndent - 6, y + 12, Role::Hairline);
    }
    addEntry(figure, tree, k, *listing.program, marks.of(k, row.span), folds, y, line);
    y += kEntry;
  }
  const auto leaves = std::ranges::count_if(tree.rows, [](const SpecRow& r) { return r.leaf; });
  figure.caption = fmt::format("{} specifications, {} of them instructions.", tree.rows.size(), leaves);
  figure.legible = true;
  fitSize(figure);
  return figure;
}

}  // namespace tessera::graphene
