// spec: one specification of a program: its threads arranged by level, and the tensors that it reads and writes, each
// element in the colour of the accessing thread.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/graphene/reader/sized.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/scene.h"
#include "render/draw/graphene/thread_grid.h"
#include "render/draw/grid/layouts.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostWork = 300'000;  // touches

const std::vector<std::string> kKeys = {"spec", "block", "thread"};

// The largest tensor whose indices() the enclosing bodies use, the last one on ties: probably the intended arrangement.
class ThreadsOf {
 public:
  ThreadsOf(const Program& program, const SpecTree& tree, const SpecRow& row) {
    for (const Tensor& t : program.operands) see(t);
    std::vector<const SpecRow*> path;
    for (const SpecRow* at = &row; at != nullptr;
         at = at->parent < 0 ? nullptr : &tree.rows[static_cast<std::size_t>(at->parent)])
      path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at) walk((*at)->spec->body);
    if (found_ == nullptr && !row.spec->threads.empty()) found_ = &row.spec->threads.front();
  }
  [[nodiscard]] const Tensor* tensor() const { return found_; }

 private:
  void see(const Tensor& t) { known_[nameOf(t)] = &t; }
  void walk(const Body& body) {
    for (const Statement& s : body) {
      if (const auto* define = std::get_if<Define>(&s.what)) see(define->tensor);
      if (const auto* loop = std::get_if<Loop>(&s.what)) walk(loop->body);
      const auto* indices = std::get_if<Indices>(&s.what);
      const auto at = indices == nullptr ? known_.end() : known_.find(indices->source);
      if (at == known_.end() || at->second->element != "thread") continue;
      const auto size = Slots::of(*at->second, {});
      if (!size || size->count() < count_) continue;
      count_ = size->count();
      found_ = at->second;
    }
  }
  std::map<std::string, const Tensor*> known_;
  const Tensor* found_ = nullptr;
  std::size_t count_ = 0;
};

struct View {
  const Steps& steps;
  const SpecRow& row;
  i64 block = 0, focus = 0, threads = 1;
  i64 first = 0, count = 0, shown = 0;  // steps
  std::map<int, std::shared_ptr<RootState>> reads, writes;
  std::vector<i64> active;
  Figure figure;
};

std::shared_ptr<RootState>& stateOf(View& v, int root, bool write) {
  auto& state = (write ? v.writes : v.reads)[root];
  if (state) return state;
  state = rootState(v.steps, root, v.threads);
  state->written.complete = true;
  return state;
}

// Collects the touches of the specification's leaves on its own operands, and the links.
void collect(View& v) {
  std::set<i64> active;
  i64 work = kMostWork;
  for (i64 n = v.first; n < v.first + v.count && work > 0; ++n) {
    ++v.shown;
    const Moment m = momentOf(v.steps, n, v.block, v.focus);
    work -= 100 + static_cast<i64>(m.touches.size());
    if (m.row == nullptr) continue;
    active.insert(m.executing.begin(), m.executing.end());
    std::vector<RootPlan> plans(m.row->roots.size());
    for (const Touch& t : m.touches) {
      const int root = m.row->roots[t.operand];
      if (root < 0 || std::ranges::find(v.row.roots, root) == v.row.roots.end()) continue;
      const auto state = stateOf(v, root, t.write);
      plans[t.operand] = state->plan;
      state->mark(t, v.focus);
    }
    if (v.shown <= 64) addLinks(v.figure, m, plans);
  }
  v.active = {active.begin(), active.end()};
}

std::vector<Panel> panelsOf(const View& v, bool write) {
  std::vector<Panel> out;
  for (const auto& [root, state] : write ? v.writes : v.reads) {
    cropToMarks(*state, v.focus);
    const Tensor& t = *state->plan.tensor;
    std::vector<std::string> margin;
    i64 all = 1;
    for (const i64 extent : state->plan.extents) all *= extent;
    if (!state->plan.registers) margin.push_back(fmt::format("{} of {} elements", state->marks.size(), all));
    out.push_back({state, fmt::format("{} {}", write ? "writes" : "reads", nameOf(t)), typeOf(t, v.steps.program()),
                   std::move(margin)});
  }
  return out;
}

void addBody(View& v) {
  double right = 0, bottom = 0;
  const ThreadsOf threads(v.steps.program(), v.steps.tree(), v.row);
  const std::vector<i64> values = v.steps.values(v.steps.at(v.first), v.block, v.focus);
  Grid grid = blockGrid(v.threads, v.active, v.focus);
  std::string title = "threads", rest = fmt::format("{} of a block", v.threads);
  if (threads.tensor() != nullptr) {
    if (auto made = threadGrid(*threads.tensor(), values, v.threads, v.active, v.focus)) {
      grid = *std::move(made);
      title = nameOf(*threads.tensor());
      rest = typeOf(*threads.tensor(), v.steps.program());
    }
  }
  const double under = addGrid(v.figure, std::move(grid), title, rest, 0, 0, right);
  const bool wide = right > 420;
  const double x = wide ? 0 : right + 40, y = wide ? under + 30 : 0;
  double edge = x;
  (void)addPanels(v.figure, panelsOf(v, false), x, y, edge, bottom);
  double far = 0;
  const bool any = !v.reads.empty();
  if (any && !v.writes.empty()) addArrow(v.figure, edge + 14, y + 8, edge + 42, y + 8, Role::Muted, 1.6);
  (void)addPanels(v.figure, panelsOf(v, true), any ? edge + 56 : x, y, far, bottom);
}

std::string captionOf(const View& v) {
  std::string out =
      "An element has the colour of the thread that touches it; pointing at one lights its thread, and the "
      "other way round.";
  if (v.shown < v.count) out = fmt::format("The first {} of {} steps. ", v.shown, v.count) + out;
  if (!v.row.around.empty()) out = fmt::format("One passage ({}). ", fmt::join(v.row.around, ", ")) + out;
  return out;
}

void addTable(View& v) {
  v.figure.table.push_back({"tensor", "access", "coordinate", "thread", "other threads"});
  for (const auto* all : {&v.reads, &v.writes}) {
    for (const auto& [root, state] : *all) {
      for (const auto& [cell, mark] : state->marks) {
        if (v.figure.table.size() > 4096) return;
        const std::vector<i64> at = state->plan.registers ? std::vector<i64>{cell.first, cell.second}
                                                          : state->plan.coordinateOf(cell.first, cell.second);
        v.figure.table.push_back({nameOf(*state->plan.tensor), all == &v.reads ? "read" : "write",
                                  fmt::format("({})", fmt::join(at, ",")), fmt::format("{}", mark.thread),
                                  fmt::format("{}", mark.more)});
      }
    }
  }
}

}  // namespace

Result<Figure> drawSpec(const Listing& listing, const DrawOptions& options) {
  TESSERA_TRY(const Asked asked, askedOf(*listing.program, options, "spec", kKeys));
  TESSERA_TRY(const Steps steps, Steps::of(listing.program, asked.numbers, architectureOf(listing.text)));
  const auto& rows = steps.tree().rows;
  if (rows.empty()) return Diag{fmt::format("{} has no specification", listing.name), "%OUT <- Move(%IN)"};
  const auto count = static_cast<i64>(rows.size());
  TESSERA_TRY(const i64 k, asked.below("spec", count, 0));
  const SpecRow& row = rows[static_cast<std::size_t>(k)];
  const i64 first = steps.firstOf(static_cast<int>(k));
  if (first < 0) return Diag{fmt::format("{} is never executed: a loop around it is empty", row.text)};
  TESSERA_TRY(const i64 block, asked.below("block", steps.blocks(row.kernel), 0));
  const i64 threads = steps.threads(row.kernel);
  TESSERA_TRY(const i64 thread, asked.below("thread", threads, 0));
  View v{steps, row, block, thread, threads, first, 1, 0, {}, {}, {}, {}};
  for (const Step::Passage& at : steps.at(first).passages)
    if (at.row == static_cast<int>(k)) v.count = at.steps;
  v.figure.title = fmt::format("{}, spec {}", listing.name.empty() ? "program" : listing.name, k);
  v.figure.subtitle = row.text;
  collect(v);
  addBody(v);
  if (row.leaf)
    v.figure.badges.push_back(row.atom ? FigureBadge{row.atom->name, Role::Accent}
                                       : FigureBadge{row.fault, Role::Refuted});
  if (row.leaf && row.atom && !row.atom->ptx.empty()) v.figure.badges.push_back({row.atom->ptx, Role::Muted});
  using Part = FigureMode::Part;
  v.figure.modes = {{"spec", count, Part::Fixed, k},
                    {"block", steps.blocks(row.kernel), Part::Fixed, block},
                    {"thread", threads, Part::Fixed, thread}};
  addTable(v);
  v.figure.caption = captionOf(v);
  fitSize(v.figure);
  return std::move(v.figure);
}

}  // namespace tessera::graphene
