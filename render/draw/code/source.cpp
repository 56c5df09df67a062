// source: the text of a block of code or of a compiled kernel, with the cost of each line that accesses memory.
//
//     17 |####| out[..] = tile[threadIdx.x][threadIdx.y];    load of shared: 4096 wavefronts, 128 would do; store ...
//
// The bar's length is the line's share of all wavefronts and sectors, its heat the part of them that a better layout
// saves. A finding of a run is below its line, and a bracket joins it with the other access. Marks in the margin are
// the lines that both threads executed up to there; below the text are the cells where they meet. A click opens
// an access, or the step of a finding.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/access/thread_access.h"
#include "core/code/index_code.h"
#include "render/draw/asked.h"
#include "render/draw/code/run_memory.h"
#include "render/draw/code/source_lines.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using code::IndexCode;
using code::IndexValue;

constexpr double kRow = 17, kSize = 11, kGutter = 16, kNumber = 46, kBar = 56, kBarWide = 64, kCode = 130,
                 kMostCode = 620, kNotes = 620;
constexpr std::size_t kMostFindings = 3, kMostChoices = 12;

struct LineCost {
  MemoryCost cost;
  std::vector<std::string> notes;  // one per access
  bool shared = false;
};

// nullopt: there is none, or it has no closed form.
std::optional<MemoryCost> costOf(const IndexCode& code, std::size_t k) {
  if (code.run != nullptr) return code.run->costs[k];
  const IndexValue& v = (*code.values)[k];
  if (v.fault || v.elementBits == 0) return std::nullopt;
  IndexCode one = code;
  one.selected = k;
  const Layout layout(std::move(one));
  if (!layout.arrow()) return std::nullopt;
  const auto access = threadAccess(*layout.arrow(), v.name, v.elementBits, v.vector);
  const auto report = access ? threadReport(*access, v.isShared ? MemorySpace::Shared : MemorySpace::Global)
                             : Result<ThreadReport>(Diag{});
  if (!report) return std::nullopt;
  MemoryCost out = *report;
  if (v.isShared)
    out.sectors = out.idealSectors = 0;
  else
    out.wavefronts = out.ideal = 0;
  return out;
}

// The accesses of a line to one array in one direction.
struct Group {
  std::string what;  // "load of shared"
  i64 accesses = 0;
  bool unknown = false;  // the cost of some of them is not known
  MemoryCost cost;
};

std::string noteOf(const Group& g) {
  const auto against = [](i64 count, i64 least, const char* unit) {
    return count == least ? fmt::format("{} {}", count, unit) : fmt::format("{} {}, {} would do", count, unit, least);
  };
  std::string out = g.what;
  if (g.accesses > 1) out += fmt::format(", {} instructions", g.accesses);
  if (g.cost.wavefronts > 0) out += ": " + against(g.cost.wavefronts, g.cost.ideal, "wavefronts");
  if (g.cost.sectors > 0) out += ": " + against(g.cost.sectors, g.cost.idealSectors, "sectors");
  if (g.unknown) out += g.cost.wavefronts + g.cost.sectors > 0 ? ", others not known" : ": cost not known";
  return out;
}

std::map<std::size_t, LineCost> costsOf(const IndexCode& code, Figure& figure) {
  std::map<std::size_t, LineCost> out;
  std::map<std::size_t, std::vector<Group>> groups;
  for (std::size_t k = 0; k < code.values->size(); ++k) {
    const IndexValue& v = (*code.values)[k];
    if (v.kind != IndexValue::Kind::Access || v.isRegister) continue;
    const std::string what =
        fmt::format("{} {}", v.direction == code::Direction::Store ? "store to" : "load of", v.name);
    std::vector<Group>& of = groups[v.line];
    auto at = std::ranges::find(of, what, &Group::what);
    if (at == of.end()) at = of.insert(of.end(), Group{what, 0, false, {}});
    const std::optional<MemoryCost> cost = costOf(code, k);
    ++at->accesses;
    at->unknown = at->unknown || !cost;
    at->cost += cost.value_or(MemoryCost{});
    out[v.line].shared = out[v.line].shared || v.isShared;
  }
  figure.table = {{"line", "access", "instructions", "wavefronts", "ideal wavefronts", "sectors", "ideal sectors"}};
  for (const auto& [line, of] : groups)
    for (const Group& g : of) {
      out[line].cost += g.cost;
      out[line].notes.push_back(noteOf(g));
      figure.table.push_back({std::to_string(line), g.what, std::to_string(g.accesses),
                              std::to_string(g.cost.wavefronts), std::to_string(g.cost.ideal),
                              std::to_string(g.cost.sectors), std::to_string(g.cost.idealSectors)});
      figure.text += fmt::format("{:>5}  {}\n", line, out[line].notes.back());
    }
  return out;
}

// Two threads and their paths to a finding.
struct FindingPaths {
  TracePtr trace;
  const code::RunTrace::Meeting* meeting = nullptr;  // null: the run does not show it
  std::size_t finding = 0;
};

std::set<std::size_t> linesOf(const FindingPaths& paths, const code::RunTrace::Path& path) {
  std::set<std::size_t> out;
  for (const auto& [instruction, times] : path.executed) out.insert(paths.trace->instructions[instruction].line);
  return out;
}

std::size_t accessLine(const FindingPaths& paths, const code::RunTrace::Path& path) {
  return path.access < 0 ? 0 : paths.trace->instructions[static_cast<std::size_t>(path.access)].line;
}

std::string threadName(const FindingPaths& paths, const code::RunTrace::Path& path) {
  return paths.trace->blocks > 1 ? fmt::format("thread {} of block {}", path.thread, path.block)
                                 : fmt::format("thread {}", path.thread);
}

// "the path of thread 33: lines 21-23, 25, to line 25"
std::string pathText(const FindingPaths& paths, const code::RunTrace::Path& path) {
  const std::set<std::size_t> lines = linesOf(paths, path);
  std::string out;
  for (auto at = lines.begin(); at != lines.end(); ++at) {
    auto last = at;
    while (std::next(last) != lines.end() && *std::next(last) == *last + 1) ++last;
    if (*at > 0) out += fmt::format("{}{}", out.empty() ? "" : ", ", *at);
    if (*last != *at) out += fmt::format("-{}", *last);
    at = last;
  }
  out = fmt::format("the path of {}: lines {}", threadName(paths, path), out);
  return path.access < 0 ? out : fmt::format("{}, to line {}", out, accessLine(paths, path));
}

class SourceDrawing {
 public:
  SourceDrawing(const IndexCode& code, Figure& figure, FindingPaths paths)
      : code_(code),
        figure_(figure),
        costs_(costsOf(code, figure)),
        lines_(drawnLines(code.text)),
        paths_(std::move(paths)) {
    for (const auto& [line, cost] : costs_) {
      total_ += cost.cost;
    }
    if (paths_.meeting != nullptr) left_ = 26;
  }

  void draw() {
    std::vector<std::size_t> marked;
    for (const auto& [line, cost] : costs_) marked.push_back(line);
    for (const auto& f : findings()) {
      marked.push_back(f.line);
      if (f.other > 0) marked.push_back(f.other);
    }
    const std::vector<std::size_t> shown = shownLines(lines_.size(), marked);
    for (const std::size_t n : shown)
      if (n > 0) width_ = std::max(width_, 0.62 * kSize * static_cast<double>(textAt(n).size()));
    width_ = std::min(width_, kMostCode);
    if (paths_.meeting != nullptr) legend();
    for (const std::size_t n : shown) row(n);
    brackets();
    if (paths_.meeting != nullptr) meeting();
    figure_.width = std::max(textLeft() + width_ + 24 + notes_, wide_);
    figure_.height = y_ + 4;
    figure_.legible = true;
  }

 private:
  [[nodiscard]] std::vector<code::RunFacts::Finding> findings() const {
    return code_.run == nullptr ? std::vector<code::RunFacts::Finding>() : code_.run->findings;
  }
  // The left edge of the text.
  [[nodiscard]] double textLeft() const { return kCode + left_; }
  [[nodiscard]] std::string textAt(std::size_t n) const { return n <= lines_.size() ? lines_[n - 1] : ""; }

  void row(std::size_t n) {
    const double middle = y_ + kRow / 2;
    if (n == 0) {
      addText(figure_, kNumber + left_, middle, "...", kSize, Face::Mono, Role::Faint, Align::Right);
      y_ += kRow;
      return;
    }
    const auto cost = costs_.find(n);
    const double top = y_;
    at_[n] = middle;
    if (paths_.meeting != nullptr) highlight(n);
    addText(figure_, kNumber + left_, middle, std::to_string(n), 9, Face::Mono, Role::Faint, Align::Right);
    if (cost != costs_.end()) bar(n, cost->second);
    addFitted(figure_, textLeft(), middle, width_ + 4, textAt(n), kSize,
              cost != costs_.end() ? Face::MonoBold : Face::Mono, cost != costs_.end() ? Role::Text : Role::Muted);
    if (cost != costs_.end())
      for (const std::string& note : cost->second.notes) {
        const double wide =
            addFitted(figure_, textLeft() + width_ + 24, y_ + kRow / 2, kNotes, note, 10, Face::Sans, Role::Text);
        notes_ = std::max(notes_, wide + 8);
        y_ += kRow;
      }
    else
      y_ += kRow;
    std::vector<std::string> messages;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < findings().size(); ++k) {
      if (findings()[k].line != n) continue;
      messages.push_back(findings()[k].message);
      numbers.push_back(k);
    }
    if (messages.size() > kMostFindings) {
      messages[kMostFindings - 1] = fmt::format("and {} more like these", messages.size() - kMostFindings + 1);
      messages.resize(kMostFindings);
    }
    for (std::size_t k = 0; k < messages.size(); ++k) {
      const double wide = addFitted(figure_, textLeft() + 8, y_ + kRow / 2, width_ + kNotes, messages[k], 10,
                                    Face::Sans, Role::Refuted);
      notes_ = std::max(notes_, wide - width_);
      if (steps(numbers[k]))
        figure_.doors.push_back({{textLeft(), y_, wide + 16, kRow},
                                 fmt::format("finding {}", numbers[k] + 1),
                                 "player",
                                 "Opens the step at which it happens",
                                 {"finding", std::to_string(numbers[k] + 1)}});
      y_ += kRow;
    }
    if (paths_.meeting != nullptr) marks(n, top);
  }

  // Its length: the larger share of the two kinds of units.
  void bar(std::size_t n, const LineCost& line) {
    const auto share = [](i64 part, i64 all) {
      return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
    };
    const MemoryCost& c = line.cost;
    const double length = std::max(share(c.wavefronts, total_.wavefronts), share(c.sectors, total_.sectors));
    const double excess =
        std::max(share(c.wavefronts - c.ideal, c.wavefronts), share(c.sectors - c.idealSectors, c.sectors));
    const double high = kRow * static_cast<double>(line.notes.size());
    if (length > 0)
      addBox(figure_, {kBar + left_, y_ + 3, std::max(2.0, length * kBarWide), kRow - 6},
             {Role::Heat, 0, 0, static_cast<float>(excess)}, {Role::Hairline}, 2);
    figure_.doors.push_back({{kBar + left_, y_, textLeft() + width_ + kNotes - left_, high},
                             fmt::format("line {}", n),
                             line.shared ? "banks" : "grid",
                             line.shared ? "Opens the banks of this access" : "Opens this access"});
  }

  // Joins the two lines of a finding, left of the numbers.
  void brackets() {
    double x = kGutter - 4;
    std::set<std::pair<std::size_t, std::size_t>> joined;
    for (const auto& f : findings()) {
      const auto a = at_.find(f.line), b = at_.find(f.other);
      if (a == at_.end() || b == at_.end() || x < 1 || !joined.insert(std::minmax(f.line, f.other)).second) continue;
      if (f.other == f.line) {
        addBox(figure_, {x - 2, a->second - 4, 8, 8}, {Role::Refuted}, {Role::Refuted}, 4);
        continue;
      }
      addLine(figure_, x, a->second, x, b->second, Role::Refuted, 1.4);
      for (const double y : {a->second, b->second}) addLine(figure_, x, y, kGutter + 2, y, Role::Refuted, 1.4);
      x -= 4;
    }
  }

  [[nodiscard]] bool steps(std::size_t finding) const {
    if (paths_.trace == nullptr) return false;
    const auto& all = paths_.trace->meetings;
    const auto m = std::ranges::find(all, finding, &code::RunTrace::Meeting::finding);
    return m != all.end() && (m->at.step >= 0 || m->at.block != paths_.trace->block);
  }
  [[nodiscard]] std::vector<std::pair<const code::RunTrace::Path*, Role>> paths() const {
    std::vector<std::pair<const code::RunTrace::Path*, Role>> out = {{&paths_.meeting->at, Role::Accent}};
    if (paths_.meeting->other) out.emplace_back(&*paths_.meeting->other, Role::Unknown);
    return out;
  }

  // Above the text: whose marks are whose.
  void legend() {
    figure_.text += fmt::format("finding {}: {}\n", paths_.finding + 1, findings()[paths_.finding].message);
    for (const auto& [path, role] : paths()) figure_.text += fmt::format("  {}\n", pathText(paths_, *path));
    double x = kGutter + 4;
    for (const auto& [path, role] : paths()) {
      addBox(figure_, {x, y_ + 3, 8, kRow - 6}, {role}, {role}, 2);
      x += 14;
      x += addText(figure_, x, y_ + kRow / 2, "the path of " + threadName(paths_, *path), 10, Face::Sans, role) + 18;
    }
    x += addText(figure_, x, y_ + kRow / 2, fmt::format("to finding {}", paths_.finding + 1), 10, Face::Sans,
                 Role::Muted);
    wide_ = std::max(wide_, x + 8);
    y_ += kRow + 4;
  }

  // The frame of a line at which one of the threads accesses.
  void highlight(std::size_t n) {
    std::vector<Role> here;
    for (const auto& [path, role] : paths())
      if (accessLine(paths_, *path) == n) here.push_back(role);
    if (here.empty()) return;
    const Role stroke = here.size() == 1 ? here.front() : Role::Refuted;  // both access here
    addBox(figure_, {textLeft() - 5, y_ + 1, width_ + 12, kRow - 2}, {Role::Raised}, {stroke}, 3);
  }

  // In the margin of a line, down to the next one: who came here.
  void marks(std::size_t n, double top) {
    double x = kGutter + 4;
    for (const auto& [path, role] : paths()) {
      if (linesOf(paths_, *path).contains(n)) addBox(figure_, {x, top, 7, y_ - top}, {role}, {Role::None}, 0);
      x += 11;
    }
  }

  // Below the text: the bytes at which they meet.
  void meeting() {
    const code::RunTrace::Meeting& m = *paths_.meeting;
    if (m.memory < 0 || m.at.step < 0) return;
    const RunMemory view{
        paths_.trace, m.memory, static_cast<std::size_t>(m.at.step), -1, std::pair(m.offset, i64{m.bytes}), true};
    Grid grid = view.grid();
    const Margins margins = headerMargins(grid);
    y_ += 14;
    addHeading(figure_, kGutter + 4, y_ + 8, "They meet at " + view.placeText(m.offset),
               fmt::format("{} bytes, lit{}", m.bytes,
                           m.other ? fmt::format(": T{} and T{}", m.at.thread, m.other->thread) : ""));
    grid.x = kGutter + 4 + margins.left;
    grid.y = y_ + 24 + margins.top;
    const Rect b = grid.bounds();
    wide_ = std::max(wide_, b.x + b.w + 8);
    y_ = b.y + b.h;
    figure_.grids.push_back(std::move(grid));
  }

  const IndexCode& code_;
  Figure& figure_;
  std::map<std::size_t, LineCost> costs_;
  std::vector<std::string> lines_;
  std::map<std::size_t, double> at_;  // of a line's middle
  FindingPaths paths_;
  MemoryCost total_;
  double y_ = 4, left_ = 0, width_ = 0, notes_ = 0, wide_ = 0;
};

// Of the finding that is asked for, else of the first that the run shows.
Result<FindingPaths> pathsOf(const IndexCode& code, const DrawOptions& options) {
  if (code.run == nullptr || (code.run->findings.empty() && options.arguments.empty())) {
    TESSERA_CHECKED(expectNoWords(options.arguments, "source"));
    return FindingPaths{};
  }
  TESSERA_TRY(const Asked asked, askedOf(options, "source", {"finding"}));
  const auto findings = static_cast<i64>(code.run->findings.size());
  const i64 number = asked.at("finding", 1);
  if (number < 1 || number > findings)
    return Diag{fmt::format("there is no finding {}", number),
                findings == 0 ? "this run has no finding" : fmt::format("1 to {}", findings)};
  FindingPaths paths;
  if (!code.run->trace) return paths;
  TESSERA_TRY(paths.trace, code.run->trace(-1));
  const auto find = [&](std::size_t finding) {
    for (const code::RunTrace::Meeting& m : paths.trace->meetings)
      if (m.finding == finding) paths.meeting = &m;
  };
  find(paths.finding = static_cast<std::size_t>(number - 1));
  if (paths.meeting != nullptr && paths.meeting->at.block != paths.trace->block) {
    TESSERA_TRY(paths.trace, code.run->trace(paths.meeting->at.block));
    paths.meeting = nullptr;
    find(paths.finding);
  }
  return paths;
}

}  // namespace

bool hasSource(const Layout& layout) {
  const auto* code = layout.as<IndexCode>();
  return code != nullptr && std::ranges::any_of(*code->values, [](const IndexValue& v) {
           return v.kind == IndexValue::Kind::Access && !v.isRegister;
         });
}

bool isRun(const Layout& layout) {
  const auto* code = layout.as<IndexCode>();
  return code != nullptr && code->run != nullptr;
}

Result<Figure> drawSource(const Layout& layout, const DrawOptions& options) {
  const IndexCode& code = *layout.as<IndexCode>();
  TESSERA_TRY(const FindingPaths paths, pathsOf(code, options));
  Figure figure = titledFigure(options.name.empty() ? code.word : options.name,
                               code.run != nullptr ? code.run->verdict.substr(0, code.run->verdict.find(';')) : "");
  if (paths.trace != nullptr && code.run->findings.size() > 1) {
    FigureChoice choice{"finding", {}, std::to_string(paths.finding + 1)};
    for (std::size_t k = 0; k < std::min(code.run->findings.size(), kMostChoices); ++k)
      choice.words.push_back(std::to_string(k + 1));
    figure.choices.push_back(std::move(choice));
  }
  SourceDrawing(code, figure, paths).draw();
  figure.caption =
      "Bars: the share of each line in all wavefronts and sectors; the hotter, the more of them another layout saves.";
  return figure;
}

}  // namespace tessera
