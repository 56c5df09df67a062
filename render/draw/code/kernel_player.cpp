// player of a compiled kernel: one step of one block.
//
//     st.shared.f32 [%r7], %f1;
//     14   const int x = ...
//     15 > tile[ty][tx] = in[...];       w1
//     16   __syncthreads();              w0 waits
//     w0   ................................  line 16, waits
//     w1   ################################  line 15             in the colours of the lanes
//     shared   32 lanes write 4 bytes
//     +0    0  1  2 ...                                          threads that wrote before
//     +128 32 33 ...                                             in the colours of the lanes
#include "render/draw/code/kernel_player.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/base/words.h"
#include "core/code/index_code.h"
#include "render/draw/asked.h"
#include "render/draw/code/run_memory.h"
#include "render/draw/code/source_lines.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {

std::string lanesText(std::uint32_t mask) {
  std::string out;
  for (int l = 0; l < 32; ++l) {
    if ((mask >> l & 1) == 0) continue;
    int last = l;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", l);
    if (last > l) out += fmt::format("{}{}", last == l + 1 ? "," : "-", last);
    l = last;
  }
  return out.empty() ? "none" : out;
}

namespace {

using code::RunTrace;

const std::vector<std::string> kPlayerKeys = {"step", "block", "thread"};
constexpr double kLineHigh = 17, kCodeSize = 11, kNumberRight = 30, kCodeLeft = 40, kMostCodeWide = 690, kLane = 20,
                 kBodyTop = 74;
constexpr std::size_t kAround = 5, kWholeText = 13;
constexpr std::size_t kAroundInPane = 2, kWholeInPane = 7;
constexpr i64 kPart = 8;  // rows and columns of a part of a memory in a pane; a wide one has twice the columns
constexpr double kWidePane = 1000;
constexpr double kReadable = 880;  // a pane in which 32 columns have labels

struct Scene {
  const code::IndexCode& code;
  TracePtr trace;
  std::size_t step = 0;
  i64 focus = 0;
  const RunTrace::Meeting* meeting = nullptr;  // of this step
  double width = 0;                            // of the pane; 0: paper
  Figure figure = {};

  [[nodiscard]] double lane() const { return width > 0 ? std::clamp((width - 150) / 32, 8.0, kLane) : kLane; }
  [[nodiscard]] double codeWidth() const {
    return width > 0 ? std::clamp(width - 130, 300.0, kMostCodeWide) : kMostCodeWide;
  }

  [[nodiscard]] const RunTrace::Step& now() const { return trace->steps[step]; }
  [[nodiscard]] const RunTrace::Instruction& instruction() const { return trace->instructionOf(now()); }
};

// Where a warp is: its last step up to now.
struct WarpAt {
  std::size_t line = 0;  // 0: none yet
  std::uint32_t waiting = 0, live = 0;
  bool started = false;
};

std::vector<WarpAt> warpsAt(const Scene& s) {
  const std::vector<RunTrace::WarpState>& states = s.trace->states[s.now().states];
  std::vector<WarpAt> out(states.size());
  for (std::size_t k = 0; k < states.size(); ++k) {
    out[k].waiting = states[k].waiting;
    out[k].live = states[k].live;
  }
  for (std::size_t k = 0; k <= s.step; ++k) {
    const RunTrace::Step& step = s.trace->steps[k];
    WarpAt& warp = out[step.warp];
    warp.started = true;
    if (const std::size_t line = s.trace->instructionOf(step).line; line > 0) warp.line = line;
  }
  return out;
}

// The lanes of all warps, a row each.
class LaneCells : public CellSource {
 public:
  LaneCells(TracePtr trace, std::size_t step, i64 focus) : trace_(std::move(trace)), step_(step), focus_(focus) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 thread = row * 32 + col;
    if (thread >= trace_->threads) return {"", "", {Role::None}, {}};
    return {"", "", paint(row, col), threadPoint(thread), thread == focus_ && executes(row, col)};
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    if (row * 32 + col >= trace_->threads) return {Role::None};
    const RunTrace::Step& now = trace_->steps[step_];
    if (executes(row, col)) return threadPaint(col, 32);
    if (now.warp == row && (now.group >> col & 1) != 0) return {Role::Padding};
    const RunTrace::WarpState& state = trace_->states[now.states][static_cast<std::size_t>(row)];
    if ((state.live >> col & 1) == 0) return {Role::None};
    if ((state.waiting >> col & 1) != 0) return {Role::Heat, 0, 0, 0.35F};
    return {Role::Shade, 2, 0, 0};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    if (!isThread(point) || point.index >= trace_->threads) return {};
    return {{point.index / 32, point.index % 32}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return fmt::format("w{}", row); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return std::to_string(col); }

 private:
  [[nodiscard]] bool executes(i64 row, i64 col) const {
    const RunTrace::Step& now = trace_->steps[step_];
    return now.warp == row && (now.mask >> col & 1) != 0;
  }
  TracePtr trace_;
  std::size_t step_;
  i64 focus_;
};

// The text that is shown: the source, else the instructions of the trace.
struct ShownText {
  std::vector<std::string> lines;
  std::vector<std::size_t> numbers;  // of the lines
};

ShownText shownText(const Scene& s, std::size_t current) {
  ShownText out;
  const std::vector<std::string> all = drawnLines(s.code.text);
  if (s.code.text.empty()) {
    std::map<int, std::string> instructions;
    for (const RunTrace::Instruction& i : s.trace->instructions) instructions[i.ptxLine] = i.text;
    for (const auto& [line, text] : instructions) {
      out.lines.push_back(text);
      out.numbers.push_back(static_cast<std::size_t>(line));
    }
  } else {
    for (std::size_t n = 1; n <= all.size(); ++n) {
      out.lines.push_back(all[n - 1]);
      out.numbers.push_back(n);
    }
  }
  if (out.lines.size() <= (s.width > 0 ? kWholeInPane : kWholeText)) return out;
  // A window of constant height, so that nothing below it moves from step to step.
  const std::size_t around = s.width > 0 ? kAroundInPane : kAround, high = 2 * around + 1;
  const auto at = static_cast<std::size_t>(std::ranges::lower_bound(out.numbers, current) - out.numbers.begin());
  const std::size_t first = std::min(at > around ? at - around : 0, out.lines.size() - high);
  return {{out.lines.begin() + static_cast<std::ptrdiff_t>(first),
           out.lines.begin() + static_cast<std::ptrdiff_t>(first + high)},
          {out.numbers.begin() + static_cast<std::ptrdiff_t>(first),
           out.numbers.begin() + static_cast<std::ptrdiff_t>(first + high)}};
}

// "w0, w2-7"
std::string warpsText(const std::vector<std::size_t>& warps) {
  std::string out;
  for (std::size_t k = 0; k < warps.size(); ++k) {
    std::size_t last = k;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    out += fmt::format("{}w{}", out.empty() ? "" : ", ", warps[k]);
    if (last > k) out += fmt::format("-{}", warps[last]);
    k = last;
  }
  return out;
}

// Draws the text; returns its bottom, and extends `right`.
double addSourceText(Scene& s, const std::vector<WarpAt>& warps, double top, double& right) {
  const std::size_t current =
      s.code.text.empty() ? static_cast<std::size_t>(s.instruction().ptxLine) : warps[s.now().warp].line;
  const ShownText text = shownText(s, current);
  double wide = 0;
  for (const std::string& line : text.lines) wide = std::max(wide, textWidth(line, Face::MonoBold, kCodeSize));
  wide = std::min(wide, s.codeWidth());
  double y = top;
  for (std::size_t k = 0; k < text.lines.size(); ++k, y += kLineHigh) {
    const std::size_t n = text.numbers[k];
    const bool here = n == current;
    if (here) addBox(s.figure, {kCodeLeft - 6, y, wide + 12, kLineHigh}, {Role::Raised}, {Role::Accent}, 3);
    if (here) addArrow(s.figure, 0, y + kLineHigh / 2, kCodeLeft - 8, y + kLineHigh / 2, Role::Accent, 1.4);
    if (!here)
      addText(s.figure, kNumberRight, y + kLineHigh / 2, std::to_string(n), 9, Face::Mono, Role::Faint, Align::Right);
    addFitted(s.figure, kCodeLeft, y + kLineHigh / 2, wide + 2, text.lines[k], kCodeSize,
              here ? Face::MonoBold : Face::Mono, here ? Role::Text : Role::Muted);
    std::vector<std::size_t> waits, others;
    for (std::size_t w = 0; w < warps.size(); ++w) {
      if (warps[w].line != n || !warps[w].started || warps[w].live == 0 || w == s.now().warp) continue;
      (warps[w].waiting != 0 ? waits : others).push_back(w);
    }
    double x = kCodeLeft + wide + 16;
    if (here)
      x += addText(s.figure, x, y + kLineHigh / 2, fmt::format("w{}", s.now().warp), 10, Face::MonoBold, Role::Accent) +
           8;
    if (!waits.empty())
      x += addText(s.figure, x, y + kLineHigh / 2, warpsText(waits) + (waits.size() > 1 ? " wait" : " waits"), 10,
                   Face::Sans, Role::Unknown) +
           8;
    if (!others.empty())
      x += addText(s.figure, x, y + kLineHigh / 2, warpsText(others), 10, Face::Sans, Role::Muted) + 8;
    right = std::max(right, x);
  }
  return y;
}

std::string stateText(const Scene& s, std::size_t w, const WarpAt& warp) {
  if (warp.live == 0) return "ended";
  if (!warp.started) return "not started";
  const std::string line = warp.line > 0 ? fmt::format("line {}", warp.line) : "";
  if (w == s.now().warp) return line;
  if (warp.waiting == 0) return line;
  if (warp.waiting == warp.live) return line + ", waits";
  return fmt::format("{}, {} lanes wait", line, __builtin_popcount(warp.waiting));
}

// The lanes of every warp, in the columns of the memories; consecutive warps in one state share its words. Returns the
// bottom.
double addWarps(Scene& s, const std::vector<WarpAt>& warps, double top, double& right) {
  const double high = warps.size() <= 4 ? 15 : warps.size() <= 8 ? 11 : 7, size = high < 8 ? 7 : 8;
  Grid grid = makeGrid("lanes", static_cast<i64>(warps.size()), 32,
                       std::make_shared<LaneCells>(s.trace, s.step, s.focus), s.lane(), high);
  grid.headers = false;
  grid.colGroup = 8;
  for (int lane = 0; lane < 32; lane += 8)
    addText(s.figure, kCodeLeft + s.lane() * lane + 1, top + 6, lane == 0 ? "lane 0" : std::to_string(lane), 8,
            Face::Mono, Role::Faint);
  top += 13;
  grid.x = kCodeLeft;
  grid.y = top;
  const Rect b = grid.bounds();
  for (std::size_t first = 0, last = 0; first < warps.size(); first = last) {
    const bool here = first == s.now().warp;
    const std::string state = stateText(s, first, warps[first]);
    for (last = first + 1; last < warps.size() && !here && last != s.now().warp; ++last)
      if (stateText(s, last, warps[last]) != state) break;
    const double middle = top + static_cast<double>(first + last) / 2 * high;
    const std::string name = last == first + 1 ? fmt::format("w{}", first) : fmt::format("w{}-{}", first, last - 1);
    addText(s.figure, kNumberRight, middle, name, size, here ? Face::MonoBold : Face::Mono,
            here ? Role::Accent : Role::Faint, Align::Right);
    const Role role = here ? Role::Accent : warps[first].waiting != 0 ? Role::Unknown : Role::Muted;
    right = std::max(right, b.x + b.w + 10 + addText(s.figure, b.x + b.w + 10, middle, state, size, Face::Sans, role));
  }
  s.figure.grids.push_back(std::move(grid));
  return b.y + b.h;
}

// What the colours of the lanes mean; returns the bottom.
double addLegend(Scene& s, double y) {
  const std::pair<Paint, const char*> kMeanings[] = {{threadPaint(2, 32), "executes, coloured by lane"},
                                                     {{Role::Padding}, "its guard is false"},
                                                     {{Role::Heat, 0, 0, 0.35F}, "waits for others"},
                                                     {{Role::Shade, 2, 0, 0}, "ready"}};
  double x = kCodeLeft;
  for (const auto& [paint, meaning] : kMeanings) {
    addBox(s.figure, {x, y + 3, 10, 10}, paint, {Role::Hairline}, 2);
    x += 15;
    x += addText(s.figure, x, y + 8, meaning, 9, Face::Sans, Role::Muted) + 14;
  }
  return y + 18;
}

// The memories to show: shared memory and those of this step; without any, the last one that its warp touched.
std::vector<int> memoriesOf(const Scene& s) {
  std::vector<int> out, touched;
  const auto add = [](std::vector<int>& to, int memory) {
    if (std::ranges::find(to, memory) == to.end()) to.push_back(memory);
  };
  for (std::size_t k = 0; k < s.trace->memories.size(); ++k)
    if (s.trace->memories[k].name == "shared") add(out, static_cast<int>(k));
  if (s.meeting != nullptr && s.meeting->memory >= 0) add(out, s.meeting->memory);
  for (const RunTrace::Access& a : s.trace->accessesOf(s.step)) add(touched, a.memory);
  for (std::size_t k = s.step; k-- > 0 && touched.empty() && out.empty();)
    if (s.trace->steps[k].warp == s.now().warp)
      for (const RunTrace::Access& a : s.trace->accessesOf(k))
        if (!s.trace->memories[static_cast<std::size_t>(a.memory)].shared) add(touched, a.memory);
  for (const int memory : touched)
    if (out.size() < 3) add(out, memory);
  return out;
}

// The cell of the finding, of the focused thread, or of the first access of this step.
std::pair<i64, i64> centreOf(const Scene& s, const RunMemory& view, const Grid& grid) {
  std::optional<std::pair<i64, i64>> first;
  const auto placeOf = [&](i64 offset) -> std::optional<std::pair<i64, i64>> {
    const auto at = grid.cells->find(runMemoryPoint(*s.trace, view.memory, offset / view.cellBytes()), 1);
    return at.empty() ? std::nullopt : std::optional(at.front());
  };
  if (view.meeting) first = placeOf(view.meeting->first);
  if (first) return *first;
  for (const RunTrace::Access& a : s.trace->accessesOf(s.step)) {
    if (a.memory != view.memory) continue;
    const auto at = placeOf(a.offset);
    if (at && i64{s.now().warp} * 32 + a.lane == s.focus) return *at;
    if (!first) first = at;
  }
  return first.value_or(std::pair<i64, i64>{0, 0});
}

// In a pane: the whole memory without labels, and the part around the access with labels. Returns the bottom.
double addMagnified(Scene& s, const RunMemory& view, Grid grid, double y) {
  const auto [row, col] = centreOf(s, view, grid);
  const i64 across = s.width < kWidePane ? kPart : 2 * kPart;
  const i64 rows = std::min(grid.rows, kPart), cols = std::min(grid.cols, across);
  const i64 row0 = std::clamp<i64>(row / kPart * kPart, 0, grid.rows - rows),
            col0 = std::clamp<i64>(col / across * across, 0, grid.cols - cols);
  Grid part = windowOf(grid, row0, col0, rows, cols);
  part.name += " part";
  part.labelChars = grid.labelChars;
  part.cellWidth = std::max(26.0, pitchFor(grid.labelChars));
  part.cellHeight = 22;
  const double pitch = std::min(6.0, 132.0 / static_cast<double>(std::max(grid.rows, grid.cols)));
  grid.headers = false;
  grid.cellWidth = grid.cellHeight = pitch;
  grid.x = kCodeLeft;
  const Margins m = headerMargins(part);
  grid.y = y + 24 + m.top;
  part.y = grid.y;
  part.x = grid.x + grid.bounds().w + 24 + m.left;
  Mark frame;
  frame.kind = Mark::Kind::Rectangle;
  frame.rect = {grid.x + static_cast<double>(col0) * pitch - 1, grid.y + static_cast<double>(row0) * pitch - 1,
                static_cast<double>(cols) * pitch + 2, static_cast<double>(rows) * pitch + 2};
  frame.stroke = {Role::Text};
  frame.width = 1.6;
  frame.radius = 1;
  s.figure.marks.push_back(frame);
  const double bottom = std::max(grid.y + grid.bounds().h, part.y + part.bounds().h);
  s.figure.grids.push_back(std::move(grid));
  s.figure.grids.push_back(std::move(part));
  return bottom;
}

void addMemories(Scene& s, double top) {
  double y = top;
  std::vector<std::pair<Point, Point>> pairs;
  for (const int memory : memoriesOf(s)) {
    RunMemory view{s.trace, memory, s.step, s.focus, std::nullopt};
    if (s.meeting != nullptr && s.meeting->memory == memory) view.meeting = {s.meeting->offset, s.meeting->bytes};
    Grid grid = view.grid();
    const Margins m = headerMargins(grid);
    addHeading(s.figure, 0, y + 8, view.title(), view.rest(), Face::Mono);
    const i64 bytes = view.cellBytes();
    for (const RunTrace::Access& a : s.trace->accessesOf(s.step))
      if (a.memory == memory && pairs.size() < 4096)
        for (i64 cell = a.offset / bytes; cell * bytes < a.offset + a.width; ++cell)
          pairs.emplace_back(runMemoryPoint(*s.trace, memory, cell), threadPoint(i64{s.now().warp} * 32 + a.lane));
    const bool large = grid.rows > kPart || grid.cols > 2 * kPart;
    const bool readable = s.width >= kReadable && grid.rows <= 2 * kPart && grid.cols <= 4 * kPart;
    if (s.width > 0 && large && !readable) {
      y = addMagnified(s, view, std::move(grid), y) + 26;
      continue;
    }
    grid.x = std::max(kCodeLeft, m.left);
    grid.y = y + 24 + m.top;
    const Rect b = grid.bounds();
    s.figure.grids.push_back(std::move(grid));
    y = b.y + b.h + 26;
  }
  if (!pairs.empty()) s.figure.links.push_back({tableLink(std::move(pairs))});
}

// "T33 writes 4 bytes at shared+132: 3f800000"; of the focused thread if it executes, else of the first that does.
std::string accessText(const Scene& s, i64 thread) {
  std::string out;
  int count = 0;
  for (const RunTrace::Access& a : s.trace->accessesOf(s.step)) {
    if (i64{s.now().warp} * 32 + a.lane != thread || ++count > 3) continue;
    const std::string place = RunMemory{s.trace, a.memory, s.step, -1, std::nullopt}.placeText(a.offset);
    out += fmt::format("{}{} {} bytes at {}: {}", out.empty() ? "" : ", ", a.write ? "writes" : "reads", a.width, place,
                       bytesText(std::span(s.trace->contents).subspan(a.bytes, static_cast<std::size_t>(a.width))));
  }
  if (count > 3) out += fmt::format(" and {} more accesses", count - 3);
  return out;
}

i64 spokenThread(const Scene& s) {
  const RunTrace::Step& now = s.now();
  if (s.focus / 32 == now.warp && (now.mask >> (s.focus % 32) & 1) != 0) return s.focus;
  return now.mask == 0 ? -1 : i64{now.warp} * 32 + __builtin_ctz(now.mask);
}

std::string threadText(const Scene& s) {
  const i64 thread = spokenThread(s);
  if (thread < 0) return "no lane executes it: its guard is false for all";
  const std::string text = accessText(s, thread);
  return text.empty() ? "" : fmt::format("T{} {}", thread, text);
}

void addHeader(Scene& s, const std::vector<WarpAt>& warps) {
  const RunTrace::Step& now = s.now();
  std::string way = fmt::format("warp {}", now.warp);
  if (warps[now.warp].line > 0 && !s.code.text.empty()) way += fmt::format("  \u203a  line {}", warps[now.warp].line);
  if (s.instruction().ptxLine > 0) way += fmt::format("  \u203a  line {} of the PTX", s.instruction().ptxLine);
  addText(s.figure, 0, 8, way, kType.caption, Face::Mono, Role::Muted);
  addText(s.figure, 0, 30, s.instruction().text, 15, Face::MonoBold, Role::Text);
  addText(s.figure, 0, 52, threadText(s), kType.caption, Face::Mono, Role::Muted);
}

void addFacts(Scene& s) {
  const RunTrace& t = *s.trace;
  auto& badges = s.figure.badges;
  badges.push_back({fmt::format("step {} of {}", s.step + 1, t.total), Role::Muted});
  if (t.blocks > 1) badges.push_back({fmt::format("block {} of {}", t.block, t.blocks), Role::Muted});
  const int lanes = __builtin_popcount(s.now().mask);
  badges.push_back({fmt::format("{} of {} lanes", lanes, __builtin_popcount(s.now().group)),
                    lanes > 0 ? Role::Accent : Role::Muted});
  if (t.total > static_cast<i64>(t.steps.size()))
    badges.push_back(
        {fmt::format("{} more steps are not recorded", t.total - static_cast<i64>(t.steps.size())), Role::Unknown});
  if (s.meeting != nullptr) badges.push_back({fmt::format("finding {}", s.meeting->finding + 1), Role::Refuted});
  for (const RunTrace::Meeting& m : t.meetings)
    if (&m != s.meeting && m.at.step >= 0 && badges.size() < 6)
      badges.push_back({fmt::format("finding {} at step {}", m.finding + 1, m.at.step), Role::Muted});
  using Part = FigureMode::Part;
  s.figure.modes = {{"step", static_cast<i64>(t.steps.size()), Part::Fixed, static_cast<i64>(s.step)},
                    {"block", t.blocks, Part::Fixed, t.block},
                    {"thread", t.threads, Part::Fixed, s.focus}};
}

void addRows(Scene& s) {
  s.figure.table.push_back({"memory", "access", "thread", "offset", "bytes", "contents"});
  for (const RunTrace::Access& a : s.trace->accessesOf(s.step)) {
    if (s.figure.table.size() > 4096) break;
    s.figure.table.push_back(
        {s.trace->memories[static_cast<std::size_t>(a.memory)].name, a.write ? "write" : "read",
         std::to_string(i64{s.now().warp} * 32 + a.lane), std::to_string(a.offset), std::to_string(a.width),
         bytesText(std::span(s.trace->contents).subspan(a.bytes, static_cast<std::size_t>(a.width)))});
  }
}

std::string maskText(std::uint32_t mask, std::uint32_t group) {
  std::string out;
  for (int l = 0; l < 32; ++l) out += (mask >> l & 1) != 0 ? '#' : (group >> l & 1) != 0 ? '-' : '.';
  return out;
}

std::string stepText(const Scene& s, const std::vector<WarpAt>& warps) {
  const RunTrace::Step& now = s.now();
  std::string out =
      fmt::format("step {} of {}, warp {}, lanes {}\n", s.step, s.trace->total, now.warp, lanesText(now.mask));
  const std::vector<std::string> lines = drawnLines(s.code.text);
  if (const std::size_t line = warps[now.warp].line; line > 0 && line <= lines.size())
    out += fmt::format("{:>5}  {}\n", line, lines[line - 1]);
  out += fmt::format("       {}\n", s.instruction().text);
  for (std::size_t w = 0; w < warps.size(); ++w)
    out += fmt::format("  w{:<2} {}  {}\n", w, w == now.warp ? maskText(now.mask, now.group) : maskText(0, 0),
                       stateText(s, w, warps[w]));
  for (std::uint32_t rest = now.mask; rest != 0; rest &= rest - 1) {
    const i64 thread = i64{now.warp} * 32 + __builtin_ctz(rest);
    if (const std::string text = accessText(s, thread); !text.empty()) out += fmt::format("  T{} {}\n", thread, text);
  }
  return out;
}

Result<TracePtr> traceAsked(const code::IndexCode& code, const Asked& asked, const RunTrace::Meeting*& meeting) {
  const auto block = asked.numbers.find("block");
  if (block != asked.numbers.end() && !asked.numbers.contains("finding")) return code.run->trace(block->second);
  TESSERA_TRY(TracePtr first, code.run->trace(-1));
  if (!asked.numbers.contains("finding")) return first;
  const i64 number = asked.at("finding", 1);
  const auto findings = static_cast<i64>(code.run->findings.size());
  if (number < 1 || number > findings)
    return Diag{fmt::format("there is no finding {}", number),
                findings == 0 ? "this run has no finding" : fmt::format("1 to {}", findings)};
  const auto ofNumber = [&](const TracePtr& trace) -> const RunTrace::Meeting* {
    const auto at =
        std::ranges::find(trace->meetings, static_cast<std::size_t>(number - 1), &RunTrace::Meeting::finding);
    return at == trace->meetings.end() ? nullptr : &*at;
  };
  meeting = ofNumber(first);
  if (meeting == nullptr) return first;
  TESSERA_TRY(TracePtr own, code.run->trace(block != asked.numbers.end() ? block->second : meeting->at.block));
  meeting = ofNumber(own);
  return own;
}

}  // namespace

Result<Figure> drawKernelPlayer(const Layout& layout, const DrawOptions& options) {
  const code::IndexCode& code = *layout.as<code::IndexCode>();
  TESSERA_TRY(const Asked asked, askedOf(options, "player", kPlayerKeys, {"finding"}));
  if (!code.run->trace) return Diag{"the steps of this kernel were not recorded", "K = kernel \"FILE.ptx\" ..."};
  const RunTrace::Meeting* meeting = nullptr;
  TESSERA_TRY(const TracePtr trace, traceAsked(code, asked, meeting));
  if (trace->steps.empty())
    return Diag{fmt::format("block {} executes nothing: the run ends before it", trace->block), "an earlier block"};
  if (asked.numbers.contains("finding") && !asked.numbers.contains("step") &&
      (meeting == nullptr || meeting->at.step < 0))
    return Diag{fmt::format("finding {} is at no recorded step of this run", asked.at("finding", 1)), "another finding",
                "as player, step 0"};
  const i64 start = meeting != nullptr ? std::max<i64>(meeting->at.step, 0) : 0;
  TESSERA_TRY(const i64 step, asked.below("step", static_cast<i64>(trace->steps.size()), start));
  TESSERA_TRY(const i64 thread, asked.below("thread", trace->threads, meeting != nullptr ? meeting->at.thread : 0));
  Scene s{code, trace, static_cast<std::size_t>(step), thread, nullptr, options.width, {}};
  for (const RunTrace::Meeting& m : trace->meetings)
    if (m.at.step == step) s.meeting = &m;
  const std::string name = options.name.empty() ? "kernel" : options.name;
  s.figure.title = fmt::format("{}, step {}", name, step);
  const std::vector<WarpAt> warps = warpsAt(s);
  const std::vector<std::string> lines = drawnLines(code.text);
  const std::size_t line = warps[s.now().warp].line;
  s.figure.subtitle = line > 0 && line <= lines.size() ? std::string(stripped(lines[line - 1])) : s.instruction().text;
  addHeader(s, warps);
  double top = kBodyTop, right = 0;
  if (s.meeting != nullptr)
    top = addParagraph(s.figure, 0, top, code.run->findings[s.meeting->finding].message,
                       {s.width > 0 ? std::clamp(s.width, 400.0, 900.0) : 900, 16, kType.caption, Face::SansMedium,
                        Role::Refuted}) +
          6;
  const double bottom = addSourceText(s, warps, top, right);
  addMemories(s, addLegend(s, addWarps(s, warps, bottom + 14, right) + 6) + 12);
  addFacts(s);
  addRows(s);
  s.figure.text = stepText(s, warps);
  s.figure.caption = fmt::format(
      "{} of {} lanes of warp {} execute this. A cell has the number of the thread that touches it, in the "
      "colour of its lane; a grey one that of its last writer.",
      __builtin_popcount(s.now().mask), __builtin_popcount(s.now().group), s.now().warp);
  fitSize(s.figure);
  return std::move(s.figure);
}

}  // namespace tessera
