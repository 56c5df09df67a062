// player: one moment of a program. Step n of N: executing threads, moves, earlier writes, costs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/graphene/reader/sized.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/magnified.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/graphene/scene.h"
#include "render/draw/graphene/thread_grid.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

constexpr i64 kReplay = 200'000;        // limit of places replayed to find earlier writes
constexpr std::size_t kMostArrows = 8;  // per thread
constexpr i64 kMostThreads = 1 << 20;
constexpr double kSideBySide = 1100;  // a wider picture is stacked
constexpr double kLeastWidth = 560;   // of the head in a narrow pane
constexpr double kUnlimited = 1e9;
constexpr double kLeastLabel = 9;  // type size in a pane

const std::vector<std::string> kKeys = {"step", "block", "thread"};

struct Player {
  const Steps& steps;
  Moment moment;
  i64 focus = 0;
  bool addresses = false;
  Use use;
  std::vector<RootPlan> plans;  // by operand
  Figure figure;
};

std::string lineOf(const Player& p) {
  if (p.moment.row != nullptr) return p.moment.row->text;
  return wordsOf(*p.moment.step.statement);
}

// The path to the step: "for k = 16    if @x < 32".
std::string wayOf(const Player& p) {
  std::vector<std::string> parts;
  const std::vector<std::string> names = namesOf(p.steps.program().variables);
  for (const Step::Passage& at : p.moment.step.passages) {
    if (at.row < 0) continue;
    const std::string& text = p.steps.tree().rows[static_cast<std::size_t>(at.row)].text;
    parts.push_back(text.substr(0, text.find("<<<")));
  }
  for (const auto& [variable, value] : p.moment.step.loops)
    parts.push_back(fmt::format("{} = {}", names[static_cast<std::size_t>(variable)], value));
  for (const auto& [branch, then] : p.moment.step.branches)
    parts.push_back((then ? "if " : "unless ") + print(branch->condition, names));
  return fmt::format("{}", fmt::join(parts, "  \u203a  "));
}

// "@gm = 1   @gn = 0", for the focused thread.
std::string valuesOf(const Player& p) {
  const std::vector<i64> values = p.steps.values(p.moment.step, p.moment.block, p.focus);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < values.size() && parts.size() < 10; ++k) {
    const Variable& v = p.steps.program().variables[k];
    if (v.kind == Variable::Kind::Index) parts.push_back(fmt::format("{} = {}", v.name, values[k]));
  }
  return fmt::format("{}", fmt::join(parts, "   "));
}

// The element stored to a register, if it is a single one: "(3,8)".
std::string elementOf(const Player& p, std::size_t touch) {
  const Touch& from = p.moment.touches[touch];
  const RootPlan& plan = p.plans[from.operand];
  if (plan.registers) return fmt::format("T{} r{}", from.thread, from.at.address);
  return fmt::format("({})", fmt::join(from.at.coordinate, ","));
}

std::map<std::size_t, std::string> sourcesOf(const Player& p) {
  std::map<std::size_t, std::string> out;
  std::map<std::size_t, int> count;
  for (const auto& [from, to] : p.moment.moves) ++count[to];
  for (const auto& [from, to] : p.moment.moves)
    if (count[to] == 1) out.emplace(to, elementOf(p, from));
  return out;
}

// The state of a root at this moment, with the marks of the operands that are views of it.
std::shared_ptr<RootState> stateOf(const Player& p, int root, bool write) {
  const Moment& m = p.moment;
  auto state = rootState(p.steps, root, m.threads);
  state->addresses = p.addresses;
  const auto& r = p.steps.tree().roots[static_cast<std::size_t>(root)];
  if (m.step.kernel >= 0 && r.body == nullptr) {
    const SpecRow& kernel = p.steps.tree().rows[static_cast<std::size_t>(m.step.kernel)];
    const auto inputs = kernel.roots.begin() + static_cast<std::ptrdiff_t>(kernel.spec->outputs.size());
    state->given = std::find(inputs, kernel.roots.end(), root) != kernel.roots.end();
  }
  if (!state->given) state->written = p.steps.writtenBefore(m.step.number, root, m.block, kReplay);
  const auto sources = write ? sourcesOf(p) : std::map<std::size_t, std::string>{};
  for (std::size_t k = 0; k < m.touches.size(); ++k) {
    const Touch& t = m.touches[k];
    if (t.write != write || m.row->roots[t.operand] != root) continue;
    if (state->plan.registers && t.thread / 32 != p.focus / 32) continue;
    CellMark* first = state->mark(t, p.focus);
    if (const auto from = sources.find(k); first != nullptr && state->plan.registers && from != sources.end())
      first->from = from->second;
  }
  cropToMarks(*state, p.focus);
  return state;
}

std::string throughOf(const Player& p, int root, bool write) {
  const Spec& spec = *p.moment.row->spec;
  std::vector<std::string> names;
  for (std::size_t o = 0; o < p.moment.row->roots.size(); ++o) {
    if (p.moment.row->roots[o] != root || (o < spec.outputs.size()) != write) continue;
    const Tensor& t = operandOf(spec, o);
    if (nameOf(t) != nameOf(*p.steps.tree().roots[static_cast<std::size_t>(root)].tensor)) names.push_back(nameOf(t));
  }
  return names.empty() ? "" : fmt::format("  as {}", fmt::join(names, ", "));
}

// With barriers that count arrivals, threads run out of step, and no thread need follow the text order shown.
bool hasBarriers(const Player& p) {
  const auto& roots = p.steps.tree().roots;
  return std::ranges::any_of(roots, [](const TreeRoot& root) { return isBarrier(*root.tensor); });
}

// Out-of-bounds accesses, and reads of unwritten places.
std::vector<std::string> marginOf(const Player& p, const RootState& state, bool write) {
  std::vector<std::string> out;
  i64 outside = 0, fresh = 0;
  for (const Touch& t : p.moment.touches) {
    if (t.write != write || p.moment.row->roots[t.operand] != state.plan.root) continue;
    const auto [row, col] = state.plan.cellOf(t);
    if (!state.plan.inside(row, col)) {
      ++outside;
    } else if (!write && !state.given && state.written.complete) {
      const i64 place = state.plan.registers ? t.thread * Steps::kRegisters + t.at.address : t.at.address;
      const auto at = state.written.places.find(place);
      if (at == state.written.places.end() || !at->second.arrived) ++fresh;
    }
  }
  if (outside > 0) out.push_back(fmt::format("{} accesses are out of bounds", outside));
  if (fresh > 0)
    out.push_back(fmt::format("{} reads of places that {}", fresh,
                              hasBarriers(p) ? "no earlier step in the text writes" : "are not written yet"));
  return out;
}

std::vector<Panel> panelsOf(const Player& p, bool write) {
  std::vector<Panel> out;
  std::vector<int> done;
  const std::size_t outputs = p.moment.row->spec->outputs.size();
  for (std::size_t o = 0; o < p.moment.row->roots.size(); ++o) {
    const int root = p.moment.row->roots[o];
    if ((o < outputs) != write || root < 0 || std::ranges::find(done, root) != done.end()) continue;
    done.push_back(root);
    const auto state = stateOf(p, root, write);
    const Tensor& t = *state->plan.tensor;
    out.push_back({state, fmt::format("{} {}", write ? "writes" : "reads", nameOf(t)),
                   typeOf(t, p.steps.program()) + throughOf(p, root, write), marginOf(p, *state, write)});
  }
  return out;
}

// The shared memory and the registers that are live at a barrier.
std::vector<Panel> memoryOf(const Player& p) {
  std::vector<Panel> out;
  const auto& roots = p.steps.tree().roots;
  for (std::size_t k = 0; k < roots.size() && out.size() < 4; ++k) {
    if (roots[k].tensor->memory != Memory::Shared) continue;
    const auto& passages = p.moment.step.passages;
    const bool alive = roots[k].body == nullptr ||
                       std::ranges::any_of(passages, [&](const Step::Passage& at) { return at.body == roots[k].body; });
    if (!alive) continue;
    auto state = rootState(p.steps, static_cast<int>(k), p.moment.threads);
    state->addresses = p.addresses;
    state->written = p.steps.writtenBefore(p.moment.step.number, static_cast<int>(k), p.moment.block, kReplay);
    cropToMarks(*state, p.focus);
    out.push_back({state, nameOf(*roots[k].tensor), typeOf(*roots[k].tensor, p.steps.program()), {}});
  }
  return out;
}

// Values received by one thread; horizontally or vertically adjacent cells are combined.
using Place = std::pair<i64, i64>;
struct Run {
  Place from, to;     // first cells
  Place down, along;  // step between cells, in the source and in the target
  i64 length = 1;
  int source = -1, target = -1;  // roots
};

Place moved(Place from, Place step, i64 n) { return {from.first + n * step.first, from.second + n * step.second}; }

bool grows(Run& run, Place from, Place to) {
  const auto isStep = [](Place p) { return p == Place{0, 1} || p == Place{1, 0}; };
  if (run.length == 1) {
    run.down = moved(from, run.from, -1);
    run.along = moved(to, run.to, -1);
    if (!isStep(run.down) || !isStep(run.along)) return false;
  }
  if (from != moved(run.from, run.down, run.length) || to != moved(run.to, run.along, run.length)) return false;
  ++run.length;
  return true;
}

std::vector<Run> runsOf(const Player& p) {
  std::vector<Run> runs;
  for (const auto& [a, b] : p.moment.moves) {
    const Touch &source = p.moment.touches[a], &target = p.moment.touches[b];
    const int root = p.moment.row->roots[source.operand], other = p.moment.row->roots[target.operand];
    if (target.thread != p.focus || root < 0 || other < 0) continue;
    const Place from = p.plans[source.operand].cellOf(source), to = p.plans[target.operand].cellOf(target);
    if (!runs.empty() && runs.back().source == root && runs.back().target == other && grows(runs.back(), from, to))
      continue;
    runs.push_back({from, to, {}, {}, 1, root, other});
  }
  return runs;
}

// Routes an arrow along the gaps between rows, so that no label is crossed.
void addArrow(Figure& figure, const PlacedPanel& source, std::pair<double, double> begin, const PlacedPanel& target,
              std::pair<double, double> end) {
  const double leaves = begin.second - source.grid.cellHeight / 2, enters = end.second - target.grid.cellHeight / 2;
  const double edge = source.grid.x + source.grid.bounds().w, door = target.grid.x - (target.grid.headers ? 32 : 4);
  addLine(figure, begin.first, leaves, edge, leaves, Role::Accent, 1.4);
  addLine(figure, edge, leaves, door, enters, Role::Accent, 1.4);
  if (end.first > door) addLine(figure, door, enters, end.first, enters, Role::Accent, 1.4);
  addArrow(figure, end.first, enters - 1, end.first, enters + std::min(5.0, target.grid.cellHeight / 2), Role::Accent,
           1.4);
}

// Arrows of the focused thread; omitted if there are too many.
void addArrows(Player& p, const std::vector<PlacedPanel>& from, const std::vector<PlacedPanel>& to) {
  const std::vector<Run> runs = runsOf(p);
  if (runs.size() > kMostArrows) return;
  const auto panelOf = [](const std::vector<PlacedPanel>& panels, int root) {
    return std::ranges::find_if(panels, [&](const PlacedPanel& panel) { return panel.state->plan.root == root; });
  };
  for (const Run& run : runs) {
    const auto source = panelOf(from, run.source), target = panelOf(to, run.target);
    if (source == from.end() || target == to.end()) continue;
    // An arrow leaves a row at its end and enters at its beginning; a column in its middle.
    const i64 leave = run.down.first > 0 ? run.length / 2 : run.length - 1,
              reach = run.along.first > 0 ? run.length / 2 : 0;
    const auto begin = source->middle(moved(run.from, run.down, leave));
    const auto end = target->middle(moved(run.to, run.along, reach));
    if (begin && end) addArrow(p.figure, *source, *begin, *target, *end);
  }
}

// In the grid's margin: the rows whose words one bank must deliver in sequence.
void addConflicts(Player& p, const std::vector<PlacedPanel>& panels) {
  if (!p.use.shared) return;
  for (const WarpUse& w : p.use.warps) {
    if (w.warp != p.focus / 32 || !w.shared) continue;
    const auto conflict = worstConflict(w.shared->access);
    if (!conflict || conflict->load.words.size() < 2) continue;
    std::map<std::pair<int, i64>, std::pair<double, double>> rows;  // one mark per row
    for (const Touch& t : p.moment.touches) {
      if (static_cast<int>(t.operand) != p.use.operand || t.slot != 0 || t.thread / 32 != w.warp) continue;
      const auto& words = conflict->load.words;
      const bool clash = std::ranges::any_of(words, [&](const BankLoad::Word& word) {
        return std::ranges::find(word.lanes, static_cast<int>(t.thread % 32)) != word.lanes.end();
      });
      for (const PlacedPanel& panel : panels) {
        if (!clash || panel.state->plan.root != p.moment.row->roots[t.operand]) continue;
        const auto cell = panel.state->plan.cellOf(t);
        if (const auto at = panel.middle(cell))
          rows[{panel.state->plan.root, cell.first}] = {panel.grid.x + panel.grid.bounds().w + 6, at->second};
      }
    }
    for (const auto& [row, at] : rows)
      addText(p.figure, at.first, at.second, fmt::format("bank {}", conflict->load.bank), 9, Face::Sans, Role::Refuted);
  }
}

void addBadges(Player& p, i64 count) {
  auto& badges = p.figure.badges;
  badges.push_back({fmt::format("step {} of {}", p.moment.step.number + 1, count), Role::Muted});
  badges.push_back({fmt::format("phase {}", p.moment.step.phase), Role::Muted});
  if (const i64 blocks = p.steps.blocks(p.moment.step.kernel); blocks > 1)
    badges.push_back({fmt::format("block {} of {}", p.moment.block, blocks), Role::Muted});
  if (p.moment.row != nullptr && !p.moment.row->fault.empty()) badges.push_back({p.moment.row->fault, Role::Refuted});
  if (p.moment.row != nullptr && p.moment.row->atom) badges.push_back({p.moment.row->atom->name, Role::Accent});
  if (!p.use.fault.empty()) badges.push_back({p.use.fault, Role::Refuted});
  if (p.use.warps.empty()) return;
  const char* unit = p.use.shared ? "wavefront" : "sector";
  const auto [all, ideal] = p.use.cost();
  badges.push_back(
      all == ideal ? FigureBadge{fmt::format("{}, {}", counted(static_cast<std::size_t>(all), unit),
                                             p.use.shared ? "no bank conflict" : "the ideal"),
                                 Role::Proved}
                   : FigureBadge{fmt::format("{}, {} would do", counted(static_cast<std::size_t>(all), unit), ideal),
                                 Role::Refuted});
}

// In lines of that width; returns the bottom.
double addHead(Player& p, double width) {
  double y = 8;
  for (const std::string& line : wrapped(wayOf(p), Face::Mono, kType.caption, width)) {
    addText(p.figure, 0, y, line, kType.caption, Face::Mono, Role::Muted);
    y += 15;
  }
  y = std::max(y - 15, 8.0);
  addFitted(p.figure, 0, y + 22, width, lineOf(p), 15, Face::MonoBold, Role::Text);
  const std::string values = valuesOf(p);
  if (!values.empty())
    addFitted(p.figure, 0, y + 44, width, fmt::format("T{}:  {}", p.focus, values), kType.caption, Face::Mono,
              Role::Muted);
  return y + 64;
}

void addModes(Player& p, i64 count) {
  using Part = FigureMode::Part;
  p.figure.modes = {{"step", count, Part::Fixed, p.moment.step.number},
                    {"block", p.steps.blocks(p.moment.step.kernel), Part::Fixed, p.moment.block},
                    {"thread", p.moment.threads, Part::Fixed, p.focus}};
  p.figure.choices.push_back({"label", {"threads", "addresses"}, p.addresses ? "addresses" : "threads"});
}

void addTable(Player& p) {
  p.figure.table.push_back({"operand", "access", "thread", "slot", "coordinate", "address"});
  for (const Touch& t : p.moment.touches) {
    if (p.figure.table.size() > 4096) break;
    p.figure.table.push_back({nameOf(operandOf(*p.moment.row->spec, t.operand)), t.write ? "write" : "read",
                              fmt::format("{}", t.thread), fmt::format("{}", t.slot),
                              fmt::format("({})", fmt::join(t.at.coordinate, ",")), fmt::format("{}", t.at.address)});
  }
}

std::string nameOfRoot(const Player& p, const Touch& t) {
  const int root = p.moment.row->roots[t.operand];
  return root < 0 ? "" : nameOf(*p.steps.tree().roots[static_cast<std::size_t>(root)].tensor);
}

std::string captionOf(const Player& p) {
  const Moment& m = p.moment;
  if (m.row == nullptr) {
    const auto* sync = std::get_if<Sync>(&m.step.statement->what);
    if (sync != nullptr && !sync->warp)
      return fmt::format("All {} threads meet here; phase {} begins. Grey: written so far.", m.threads,
                         m.step.phase + 1);
    return "Grey: written so far; hatched: in flight.";
  }
  std::string out = fmt::format(
      "{} of {} threads execute this{}.", m.executing.size(), m.whole ? m.threads : 32,
      m.row->atom && m.row->atom->lanes > 1 ? fmt::format(", {} as one instruction", m.row->atom->lanes) : "");
  for (const auto& [from, to] : m.moves) {
    if (m.touches[to].thread != p.focus) continue;
    const Touch& target = m.touches[to];
    const std::string where =
        p.plans[target.operand].registers ? fmt::format(" r{}", target.at.address) : elementOf(p, to);
    const i64 by = m.touches[from].thread;
    out += fmt::format(" T{} gets {}{} into {}{}{}.", p.focus, nameOfRoot(p, m.touches[from]),
                       (p.plans[m.touches[from].operand].registers ? " of " : "") + elementOf(p, from),
                       nameOfRoot(p, target), where, by == p.focus ? "" : fmt::format(", handed over by T{}", by));
    break;
  }
  out += " A cell has the colour of the thread that touches it; grey was written before, pale not yet.";
  if (hasBarriers(p)) out += " Steps follow the text; with barriers, threads may run in another order.";
  return out;
}

// A pane that is too narrow for all banks has only the badge and the marks beside the rows.
void addHeat(Player& p, double bottom, double most) {
  for (const WarpUse& w : p.use.warps) {
    if (w.warp != p.focus / 32 || !w.shared || w.shared->report.excess == 0) continue;
    const BankReport& report = w.shared->report;
    const Figure heat = drawWarpHeat(*w.shared, fmt::format("Words per bank, warp {}", w.warp),
                                     fmt::format("{} wavefronts, {} would do", report.wavefronts, report.ideal));
    if (heat.width <= most) place(p.figure, heat, 0, bottom + 34, "banks");
  }
}

Grid threadsOf(const Player& p) {
  return blockGrid(std::min(p.moment.threads, kMostThreads), p.moment.executing, p.focus);
}

// In a pane: maps of large tensors, and the part of the focused thread with labels. Returns false if none is large.
bool addMagnifiedBody(Player& p, const Asked& asked, double width, double top) {
  const bool barrier = p.moment.row == nullptr;
  const std::vector<Panel> sources = barrier ? memoryOf(p) : panelsOf(p, false),
                           targets = barrier ? std::vector<Panel>{} : panelsOf(p, true);
  const auto large = [](const Panel& panel) { return isLarge(*panel.state); };
  if (std::ranges::none_of(sources, large) && std::ranges::none_of(targets, large)) return false;
  MagnifyOptions how{width, top, {}, !barrier || p.addresses};
  for (const auto& [key, value] : asked.numbers)
    if (key != "thread") how.words.insert(how.words.end(), {key, std::to_string(value)});
  if (!asked.word.empty()) how.words.push_back(asked.word);
  const Magnified parts = addMagnified(p.figure, threadsOf(p), sources, targets, how);
  if (barrier) return true;
  addConflicts(p, parts.read);
  addConflicts(p, parts.written);
  if (parts.inOneRow) addArrows(p, parts.read, parts.written);
  addLinks(p.figure, p.moment, p.plans);
  double bottom = 0;
  for (const Grid& grid : p.figure.grids) bottom = std::max(bottom, grid.y + grid.bounds().h);
  addHeat(p, bottom, width);
  return true;
}

// Side by side: threads, what is read, what is written. Stacked: one below the other, so that large tensors keep their
// labels; the arrows of the thread would cross them.
void addBody(Player& p, bool stacked, double top) {
  const bool wide = stacked || (p.moment.threads > 64 && p.moment.threads <= 256);
  double right = 0, bottom = 0;
  const double under =
      addGrid(p.figure, threadsOf(p), "threads", fmt::format("of block {}", p.moment.block), 0, top, right);
  const double x = wide ? 0 : right + 40, y = wide ? under + 30 : top;
  double edge = x;
  bottom = under;
  if (p.moment.row == nullptr) {
    (void)addPanels(p.figure, memoryOf(p), x, y, edge, bottom, /*across=*/true);
    return;
  }
  const std::vector<Panel> sources = panelsOf(p, false);
  const bool across = std::ranges::all_of(sources, [](const Panel& s) { return s.state->plan.registers; });
  const auto read = addPanels(p.figure, sources, x, y, edge, bottom, across);
  const bool below = stacked && !read.empty();
  const double next = read.empty() || stacked ? x : edge + 56, from = below ? bottom + 46 : y;
  if (below) {
    addArrow(p.figure, x + 8, bottom + 8, x + 8, bottom + 34, Role::Muted, 1.6);
  } else if (!read.empty()) {
    addArrow(p.figure, edge + 14, y + 8, edge + 42, y + 8, Role::Muted, 1.6);
  }
  double far = next;
  const auto written = addPanels(p.figure, panelsOf(p, true), next, from, far, bottom);
  addConflicts(p, read);
  addConflicts(p, written);
  if (!stacked) addArrows(p, read, written);
  addLinks(p.figure, p.moment, p.plans);
  addHeat(p, bottom, kUnlimited);
}

// Whether tensors side by side fit, and in a pane also their labels.
bool isReadable(const Figure& figure, double width) {
  double right = 0;
  for (const Grid& grid : figure.grids) right = std::max(right, grid.x + grid.bounds().w);
  if (width <= 0) return right <= kSideBySide;
  const double scale = std::min(1.0, width / std::max(right, 1.0));
  return right <= width && std::ranges::all_of(figure.grids, [&](const Grid& g) {
           return g.name == "threads" || labelForm(g, g.cellWidth * scale, g.cellHeight * scale, kLeastLabel).size > 0;
         });
}

}  // namespace

Result<Figure> drawPlayer(const Listing& listing, const DrawOptions& options) {
  TESSERA_TRY(const Asked asked, askedOf(*listing.program, options, "player", kKeys, {"threads", "addresses"}));
  TESSERA_TRY(const Steps steps, Steps::of(listing.program, asked.numbers, architectureOf(listing.text)));
  if (steps.count() == 0)
    return Diag{fmt::format("{} has no steps: it has no leaf and no barrier", listing.name), "a specification"};
  TESSERA_TRY(const i64 step, asked.below("step", steps.count(), 0));
  const Step at = steps.at(step);
  TESSERA_TRY(const i64 block, asked.below("block", steps.blocks(at.kernel), 0));
  TESSERA_TRY(const i64 thread, asked.below("thread", steps.threads(at.kernel), 0));
  Player p{steps, momentOf(steps, step, block, thread), thread, asked.word == "addresses", {}, {}, {}};
  p.use = useOf(p.moment);
  if (p.moment.row != nullptr) {
    for (const int root : p.moment.row->roots)
      p.plans.push_back(root < 0 ? RootPlan{} : planOf(steps, root, p.moment.threads));
  }
  p.figure.title = fmt::format("{}, step {}", listing.name.empty() ? "program" : listing.name, step);
  p.figure.subtitle = p.moment.row != nullptr && p.moment.row->atom ? p.moment.row->atom->ptx : lineOf(p);
  const double top = addHead(p, options.width > 0 ? std::max(options.width, kLeastWidth) : kUnlimited);
  const Figure head = p.figure;
  addBody(p, /*stacked=*/false, top);
  if (!isReadable(p.figure, options.width)) {
    p.figure = head;
    // On paper, everything has labels; a pane has no room for that.
    if (options.width <= 0 || !addMagnifiedBody(p, asked, options.width, top)) {
      p.figure = head;
      addBody(p, /*stacked=*/true, top);
    }
  }
  addBadges(p, steps.count());
  addModes(p, steps.count());
  addTable(p);
  p.figure.caption = captionOf(p);
  fitSize(p.figure);
  return std::move(p.figure);
}

}  // namespace tessera::graphene
