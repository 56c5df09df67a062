// checklist: O1 to O8 for each specification as a table, one sign each, with the findings below. A cell with a refuted
// obligation represents the element of the finding: hovering it lights that element in the other pictures of the sheet.
//
//     show move as checklist             every specification
//     show move as checklist refuted     only those with a refuted obligation, and only these signs and findings
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/graphene/reader/sized.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/links.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

// Requires one of the three.
Truth truthOf(Checked::State state) {
  return state == Checked::State::Proved    ? Truth::Proved
         : state == Checked::State::Refuted ? Truth::Refuted
                                            : Truth::Unknown;
}

// In a narrow pane the obligations' names are below the table, so that its columns need less room.
constexpr double kWideCell = 62, kNarrowCell = 34, kNarrow = 780, kCellH = 28, kText = 420, kLeastText = 140;

// Independent of tree and marks, because the picture outlives them.
struct Entry {
  std::string text;  // of the specification
  int depth = 0;
  std::optional<SpecMarks> marks;
  std::array<Point, kObligations> points;
  [[nodiscard]] Checked::State state(i64 obligation) const {
    return marks ? marks->obligations[static_cast<std::size_t>(obligation)].state : Checked::State::Missing;
  }
};

class ChecklistCells : public CellSource {
 public:
  explicit ChecklistCells(std::vector<Entry> entries) : entries_(std::move(entries)) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    return {"", "", paint(row, col), entries_[static_cast<std::size_t>(row)].points[static_cast<std::size_t>(col)]};
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const bool there = entries_[static_cast<std::size_t>(row)].state(col) != Checked::State::Missing;
    return {there ? Role::Raised : Role::None};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    for (std::size_t r = 0; r < entries_.size(); ++r) {
      for (std::size_t c = 0; c < kObligations && static_cast<int>(out.size()) < limit; ++c)
        if (point.real() && entries_[r].points[c] == point) out.emplace_back(r, c);
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> fieldNames() const override {
    return {"specification", "obligation", "state"};
  }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const Entry& e = entries_[static_cast<std::size_t>(row)];
    return {e.text, std::string(label(static_cast<Obligation>(col))), std::string(wordOf(e.state(col)))};
  }

 private:
  std::vector<Entry> entries_;
};

// The location of the finding: an element or a register; else its thread.
Point pointOf(const Steps* steps, const SpecTree& tree, const Finding& f) {
  const auto named = tree.named.find(f.tensor);
  if (steps != nullptr && named != tree.named.end()) {
    i64 threads = 1;
    for (std::size_t k = 0; k < tree.rows.size(); ++k)
      if (tree.rows[k].depth == 0) threads = std::max(threads, steps->threads(static_cast<int>(k)));
    const RootPlan plan = planOf(*steps, named->second, threads);
    if (plan.registers && f.address >= 0 && !f.instances.empty()) return plan.point(f.instances[0].thread, f.address);
    if (!plan.registers && f.coordinate.size() == plan.extents.size()) {
      const auto [row, col] = plan.cellOf(f.coordinate);
      return plan.point(row, col);
    }
  }
  return f.instances.empty() ? Point{} : threadPoint(f.instances[0].thread);
}

std::vector<Entry> entriesOf(const Listing& listing, const SpecTree& tree, const Marks& marks) {
  // nullopt for a program with symbolic sizes: no elements are known.
  const auto steps = Steps::of(listing.program, {}, architectureOf(listing.text));
  std::vector<Entry> out;
  for (const SpecRow& row : tree.rows) {
    const SpecMarks* known = marks.of(out.size(), row.span);
    Entry e{row.text, row.depth, known != nullptr ? std::optional(*known) : std::nullopt, {}};
    for (std::size_t k = 0; e.marks && k < kObligations; ++k) {
      const auto& finding = e.marks->obligations[k].finding;
      if (finding) e.points[k] = pointOf(steps ? &*steps : nullptr, tree, *finding);
    }
    out.push_back(std::move(e));
  }
  return out;
}

// Width of the specifications' text; a narrow table is readable in a small window.
double textColumn(const std::vector<Entry>& entries, double most) {
  double wide = kLeastText;
  for (const Entry& e : entries) wide = std::max(wide, e.depth * 18.0 + textWidth(e.text, Face::Mono, 11.5) + 20);
  return std::min(wide, std::max(kLeastText, most));
}

constexpr std::pair<const char*, Checked::State> kFilters[] = {{"refuted", Checked::State::Refuted},
                                                               {"unknown", Checked::State::Unknown},
                                                               {"proved", Checked::State::Proved},
                                                               {"unstated", Checked::State::NotStated}};

// The chosen filter: the last word; "all" for none.
Result<std::string> filterOf(const std::vector<std::string>& words) {
  std::string now = "all";
  for (const std::string& word : words) {
    if (word != "all" && std::ranges::none_of(kFilters, [&](const auto& f) { return word == f.first; }))
      return Diag{fmt::format("the checklist view knows no \"{}\"", word), "all, refuted, unknown, proved or unstated",
                  "refuted"};
    now = word;
  }
  return now;
}

// Keeps the obligations of that state, and the specifications that have one.
void keepOnly(std::vector<Entry>& entries, const std::string& filter) {
  for (const auto& [word, state] : kFilters) {
    if (filter != word) continue;
    for (Entry& e : entries)
      for (std::size_t k = 0; e.marks && k < kObligations; ++k)
        if (e.marks->obligations[k].state != state) {
          e.marks->obligations[k] = {};
          e.points[k] = {};
        }
    const Checked::State wanted = state;
    std::erase_if(entries, [wanted](const Entry& e) {
      return !e.marks ||
             std::ranges::none_of(e.marks->obligations, [wanted](const Checked& c) { return c.state == wanted; });
    });
  }
}

// Adds the sentences below the table.
void addSentences(Figure& figure, const std::vector<Entry>& entries, double wide, double y) {
  std::set<std::pair<std::size_t, std::string>> said;  // explain each dash only once
  for (const Entry& e : entries) {
    for (std::size_t k = 0; e.marks && k < kObligations; ++k) {
      const Checked& c = e.marks->obligations[k];
      const bool silent = c.state == Checked::State::NotStated && !c.reason.empty() && said.emplace(k, c.reason).second;
      if (c.state != Checked::State::Refuted && c.state != Checked::State::Unknown && !silent) continue;
      const auto o = static_cast<Obligation>(k);
      addSign(figure, c.state, 6, y + 8, 4.5);
      const std::string head = fmt::format("{} {}", label(o), name(o));
      const double at = 20 + addText(figure, 20, y + 8, head, 12, Face::SansMedium, roleOf(c.state)) + 10;
      addFitted(figure, at, y + 8, wide - at, e.text, 11, Face::Mono, Role::Muted);
      y += 20;
      const std::string sentence = c.finding ? print(*c.finding) : c.reason;
      for (const std::string& line : wrapped(sentence, Face::Sans, kType.body, wide - 20)) {
        addText(figure, 20, y + 6, line, kType.body, Face::Sans, silent ? Role::Muted : Role::Text);
        if (e.points[k].real()) figure.marks.back().point = e.points[k];
        y += 17;
      }
      y += 10;
    }
  }
}

void addTable(Figure& figure, const std::vector<Entry>& entries) {
  for (const Entry& e : entries) {
    for (std::size_t k = 0; e.marks && k < kObligations; ++k) {
      const Checked& c = e.marks->obligations[k];
      if (c.state == Checked::State::Missing) continue;
      figure.table.push_back({e.text, std::string(label(static_cast<Obligation>(k))), std::string(wordOf(c.state)),
                              c.method, c.finding ? print(*c.finding) : c.reason});
    }
  }
}

}  // namespace

Result<Figure> drawChecklist(const Listing& listing, const Marks& marks, const DrawOptions& options) {
  TESSERA_TRY(const std::string filter, filterOf(options.arguments));
  const SpecTree tree = specTree(*listing.program, architectureOf(listing.text));
  if (tree.rows.empty()) return Diag{fmt::format("{} has no specification", listing.name), "%OUT <- Move(%IN)"};
  std::vector<Entry> entries = entriesOf(listing, tree, marks);
  const std::size_t every = entries.size();
  keepOnly(entries, filter);
  Figure figure = titledFigure((listing.name.empty() ? "program" : listing.name) + ": obligations", marks.summary,
                               {"specification", "obligation", "state", "method", "reason"});
  if (!marks.specs.empty())
    figure.choices.push_back({"obligations", {"all", "refuted", "unknown", "proved", "unstated"}, filter});
  const bool narrow = options.width > 0 && options.width < kNarrow;
  const double cell = narrow ? kNarrowCell : kWideCell, top = narrow ? 24 : 44,
               text = textColumn(entries, narrow ? options.width - kObligations * cell - 10 : kText);
  for (std::size_t k = 0; k < kObligations; ++k) {
    const double x = text + (static_cast<double>(k) + 0.5) * cell;
    const auto o = static_cast<Obligation>(k);
    addText(figure, x, 10, std::string(label(o)), 12, Face::SansMedium, Role::Text, Align::Center);
    if (!narrow) addText(figure, x, 27, std::string(name(o)), 9.5, Face::Sans, Role::Muted, Align::Center);
  }
  for (std::size_t r = 0; r < entries.size(); ++r) {
    const double y = top + (static_cast<double>(r) + 0.5) * kCellH, x = entries[r].depth * 18.0;
    if (entries[r].depth > 0) addLine(figure, x - 10, y, x - 3, y, Role::Muted);
    addFitted(figure, x, y, text - x - 16, entries[r].text, 11.5, Face::Mono, Role::Text);
  }
  Grid grid = makeGrid("obligations", static_cast<i64>(entries.size()), kObligations,
                       std::make_shared<ChecklistCells>(entries), cell, kCellH);
  grid.x = text;
  grid.y = top;
  grid.headers = false;
  double below = top + grid.bounds().h + 22;
  if (entries.empty()) {
    addText(figure, 0, top + 8, fmt::format("None of the {} specifications has one that is {}.", every, filter),
            kType.body, Face::Sans, Role::Muted);
    below += 12;
  } else {
    figure.grids.push_back(std::move(grid));
  }
  const double wide = text + kObligations * cell;
  if (narrow) {
    std::string names;
    for (std::size_t k = 0; k < kObligations; ++k)
      names += fmt::format("{}{} {}", k > 0 ? "   " : "", label(static_cast<Obligation>(k)),
                           name(static_cast<Obligation>(k)));
    below = addParagraph(figure, 0, below - 14, names, {wide, 16, kType.cell, Face::Sans, Role::Muted}) + 8;
  }
  for (std::size_t r = 0; r < entries.size(); ++r) {
    for (std::size_t k = 0; entries[r].marks && k < kObligations; ++k)
      addSign(figure, entries[r].marks->obligations[k].state, text + (static_cast<double>(k) + 0.5) * cell,
              top + (static_cast<double>(r) + 0.5) * kCellH, 5.5);
    for (const Point& p : entries[r].points)
      if (p.real()) figure.lit.push_back(p);
  }
  addSentences(figure, entries, wide, below);
  addTable(figure, entries);
  figure.caption = marks.specs.empty() ? "Nothing is checked yet."
                                       : "A tick is proved, a cross refuted, a question mark unknown; "
                                         "a dash: the specification states nothing to prove.";
  fitSize(figure);
  return figure;
}

using State = Checked::State;

Role roleOf(State state) {
  return state == State::Missing || state == State::NotStated ? Role::Faint : roleOf(truthOf(state));
}

std::string_view wordOf(State state) {
  static constexpr std::string_view kWords[] = {"", "proved", "refuted", "unknown", "not stated"};
  return kWords[static_cast<std::size_t>(state)];
}

void addSign(Figure& figure, State state, double x, double y, double r) {
  if (state == State::NotStated)
    addLine(figure, x + r * -0.6, y + r * 0, x + r * 0.6, y + r * 0, Role::Faint, 0.36 * r);
  if (state == State::Missing || state == State::NotStated) return;
  addSign(figure, truthOf(state), x, y, {{{-1, 0.1}, {-0.3, 0.8}, {1, -0.8}}, 0.8, 0.36 * r, 2.8 * r}, r);
}

const SpecMarks* Marks::of(std::size_t row, Span span) const {
  if (row < specs.size() && specs[row].span == span) return &specs[row];
  for (const SpecMarks& s : specs)
    if (s.span == span) return &s;
  return nullptr;
}

}  // namespace tessera::graphene
