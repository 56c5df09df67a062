// Facts about any cell beyond its address: its elements, the byte, word and bank, the phase, wavefront and lanes of an
// access, the thread and register that hold it; each with its derivation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/show/show.h"
#include "app/views/editor/sheet_lights.h"
#include "app/views/inspector/inspector.h"
#include "app/views/pictures/pane_view.h"
#include "core/atlas/atlas.h"
#include "core/base/arith.h"
#include "core/claim/claim.h"
#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/value.h"
#include "render/draw/hardware/bank_points.h"
#include "render/draw/links.h"
#include "render/draw/placed/placed.h"

namespace tessera::panes {
namespace {

constexpr std::size_t kListed = 12;

// The type and the access of a line.
struct Typed {
  int bits = 0;
  std::optional<AccessSpec> access;
  std::string from;  // their source: "fp16", "fp16, as in show S as banks fp16", "f16 (default)"
};

void take(Typed& typed, const std::vector<std::string>& words, const std::string& where) {
  for (const std::string& word : words) {
    if (const auto bits = elementBits(word)) {
      if (typed.bits != 0 && typed.bits != *bits) continue;
      if (typed.bits == 0) typed.from = where.empty() ? word : fmt::format("{}, as in {}", word, where);
      typed.bits = *bits;
    } else if (auto spec = parseAccess(word); spec && !typed.access && spec->space == MemorySpace::Shared) {
      typed.access = *spec;
    }
  }
}

// Uses the line's own words, then the layout's type, then other lines about the same layout.
Typed typedFor(const Snapshot& now, const Outcome& o, const Value& value, const std::string& name) {
  Typed typed;
  if (o.show && o.show->view == "banks") take(typed, o.show->arguments, "");
  if (o.claim && o.claim->memory() != nullptr) take(typed, argumentsOf(*o.claim), "");
  if (const auto bits = elementBitsOf(value); bits && typed.bits == 0) {
    typed.bits = *bits;
    typed.from = fmt::format("{}-bit elements", *bits);
  }
  for (const auto& other : now.outcomes) {
    if (name.empty() || (typed.bits != 0 && typed.access)) break;
    if (other->show && other->show->view == "banks" && other->show->name == name)
      take(typed, other->show->arguments, other->statement.text);
    if (!other->claim || other->claim->memory() == nullptr) continue;
    const std::vector<std::string> arguments = argumentsOf(*other->claim);
    if (!arguments.empty() && arguments.front() == name) take(typed, arguments, other->statement.text);
  }
  if (typed.bits == 0) {
    typed.bits = 16;
    typed.from = "f16 (default)";
  }
  return typed;
}

class Places {
 public:
  Places(const Snapshot& now, const Hover& cell)
      : now_(now),
        cell_(cell),
        outcome_(cell.seen ? *cell.seen : *now.outcomes[cell.outcome]),
        linked_(originOf(cell), figuresOf(now, {outcome_.figure ? &*outcome_.figure : nullptr})) {
    findSubject();
  }

  Facts facts() {
    if (value_) {
      elements();
      if (!elements_.empty()) {
        facts_.append(factsAbout(*value_, elements_.front()));
        memory();
        holders();
      }
    }
    if (outcome_.figure && (elements_.empty() || isThread(cell_.point))) {
      facts_.append(factsAboutCell(*outcome_.figure, cell_));
      operand();
    }
    if (!thread_) threads();
    return std::move(facts_);
  }

 private:
  // The layout whose elements the cell represents: the line's own, that of the claim, else the sheet's first one of
  // that domain (an operation's inputs beside its result).
  void findSubject() {
    const auto fits = [&](const Outcome& o) {
      const Value* value = valueOf(o);
      if (value == nullptr) return false;
      const u64 domain = pointDomainOf(*value);
      if (domain == 0 || linked_.in(domain).empty()) return false;
      value_ = *value;
      name_ = o.show ? o.show->name : o.statement.name;
      return true;
    };
    if (fits(outcome_)) return;
    for (std::size_t k = 0; outcome_.claim && k < outcome_.claim->maps().size(); ++k) {
      const std::vector<std::string> arguments = argumentsOf(*outcome_.claim);
      for (const auto& o : now_.outcomes)
        if (k < arguments.size() && o->statement.name == arguments[k] && fits(*o)) return;
    }
    const bool others = outcome_.claim || outcome_.operation || outcome_.diag;
    for (const auto& o : now_.outcomes)
      if (others && fits(*o)) return;
  }

  void elements() {
    elements_ = linked_.in(pointDomainOf(*value_));
    if (elements_.size() < 2) return;
    const auto arrow = arrowOf(*value_);
    if (!arrow) return;
    facts_.add("cell", "elements", listed(elements_, kListed, [&](const Point& p) {
                 return tupleText(delinearize(p.index, tessera::extentsOf(arrow->from), LinearOrder::Colex));
               }));
  }

  void memory() {
    const Typed typed = typedFor(now_, outcome_, *value_, name_);
    const auto place = bankPlaceOf(std::get<Layout>(*value_), typed.bits, typed.access, elements_.front());
    if (!place) return;
    const i64 offset = floorDiv(place->bit, typed.bits), byte = floorDiv(place->bit, 8);
    const bool said = std::ranges::any_of(facts_, [](const Fact& f) { return f.name == "byte"; });
    facts_.add("memory", "element type", typed.from);
    const bool whole = typed.bits % 8 == 0;
    const std::string width = fmt::format("{}{}", whole ? typed.bits / 8 : typed.bits, whole ? "" : " / 8");
    if (!said) facts_.add("memory", "byte", fmt::format("{} * {} = {}", offset, width, byte));
    facts_.add("memory", "word", fmt::format("{} / {} = {}", byte, kBankBytes, place->word));
    facts_.add("memory", "bank", fmt::format("{} mod {} = {}", place->word, kBanks, place->bank));
    access(*place);
  }

  void access(const BankPlace& place) {
    if (place.asks.empty()) return;
    const std::string section =
        fmt::format("{} at ({}, {})", place.access.text, place.position.row, place.position.column);
    for (const WordPoints::Ask& ask : place.asks) {
      facts_.add(section, "phase", std::to_string(ask.phase));
      facts_.add(section, "wavefront",
                 ask.of == 1
                     ? "1 of 1: the bank has one word"
                     : fmt::format("{} of {}: bank {} has {} words", ask.wavefront + 1, ask.of, ask.bank, ask.of));
      facts_.add(section, ask.lanes.size() == 1 ? "requested by lane" : "requested by lanes",
                 fmt::format("{}", fmt::join(ask.lanes, " ")));
    }
    if (place.lane) {
      facts_.add(section, place.access.direction == AccessDirection::Read ? "goes to lane" : "comes from lane",
                 std::to_string(*place.lane));
      thread_ = true;
    }
    if (place.reg) facts_.add(section, "register", std::to_string(*place.reg));
    if (!place.how.empty()) facts_.add(section, "reason", place.how);
  }

  // The holders of the element, by the layout's own axes.
  void holders() {
    const auto placed = Placed::of(std::get<Layout>(*value_));
    if (!placed) return;
    const auto linear = (*placed)->linearOf(elements_.front());
    if (!linear || laneAxis(**placed).empty()) return;
    std::size_t n = 0;
    for (const axe::Place& place : (*placed)->places(*linear)) {
      if (++n > kListed) break;
      std::string text;
      for (const auto& [axis, value] : place) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, value);
      facts_.add("held by", n == 1 ? "place" : "copy", text);
    }
    thread_ = true;
  }

  // For an instruction's cell: the element of the operand, and its register.
  void operand() {
    const Value* shown = valueOf(outcome_);
    const auto* row = shown != nullptr ? std::get_if<AtlasRow>(shown) : nullptr;
    if (row == nullptr || !isThread(cell_.point)) return;
    const auto found = findOperand(*row, cell_.grid.substr(0, cell_.grid.find(' ')));
    if (!found) return;
    thread_ = true;
    const i64 r = found->name == "B" ? cell_.col : cell_.row, c = found->name == "B" ? cell_.row : cell_.col;
    if (found->element == "b1") return;
    facts_.add("operand", "element",
               fmt::format("({}, {}) of {} x {} {}", r, c, rowsOf(*found), columnsOf(*found), found->element));
    facts_.add("operand", "index", fmt::format("{} + {} * {} = {}", r, rowsOf(*found), c, r + rowsOf(*found) * c));
    const auto layout = threadValue(*found);
    const auto bits = elementBits(found->element);
    const auto id = cute::parseLayout(row->threadId);
    if (!layout || !bits || !id) return;
    const i64 threads = layout->mode(0).size(), values = layout->mode(1).size(), index = r + rowsOf(*found) * c;
    for (i64 t = 0; t < threads; ++t) {
      if ((*id)(t) != cell_.point.index) continue;
      for (i64 v = 0; v < values; ++v) {
        if ((*layout)(t + threads * v) != index) continue;
        facts_.add("operand", "value", fmt::format("{}", v));
        if (found->space == OperandSpace::Register)
          facts_.add("operand", "register", fmt::format("{} * {} / 32 = {}", v, *bits, v * *bits / 32));
        return;
      }
    }
  }

  // Threads from other pictures of the sheet.
  void threads() {
    std::vector<Point> known = linked_.in(threadPoint(0).domain);
    if (known.empty() || isThread(cell_.point)) return;
    facts_.add("thread", known.size() == 1 ? "thread" : "threads",
               listed(known, kListed, [](const Point& p) { return std::to_string(p.index); }));
    if (known.size() == 1)
      facts_.add("thread", "warp, lane", fmt::format("{}, {}", known[0].index / 32, known[0].index % 32));
  }

  const Snapshot& now_;
  const Hover& cell_;
  const Outcome& outcome_;
  Linked linked_;
  std::optional<Value> value_;
  std::string name_;
  std::vector<Point> elements_;
  Facts facts_;
  bool thread_ = false;  // lane and register have been added
};

}  // namespace

Facts factsAt(const Snapshot& now, const Hover& cell) {
  if (!cell.seen && cell.outcome >= now.outcomes.size()) return {};
  const Outcome& seen = cell.seen ? *cell.seen : *now.outcomes[cell.outcome];
  if (!seen.figure) return {};  // its line no longer has a picture
  if (auto facts = readsFacts(seen, cell)) return *std::move(facts);
  return Places(now, cell).facts();
}

namespace {

// The first lit cell of a picture: "memory (256, 1): T2", "(2, 3): 131".
std::string cellIn(const Outcome& other, const Linked& linked) {
  for (const Grid& g : other.figure->grids) {
    if (!g.cells || g.rows == 0) continue;
    const std::vector<Point> lit = linked.in(*other.figure, g);
    if (lit.empty()) continue;
    const auto [row, col] = g.cells->find(lit.front(), 1).front();
    const Cell shown = g.cells->cell(row, col);
    std::string text = fmt::format("{}{}({}, {})", g.name, g.name.empty() ? "" : " ", g.cells->rowHeader(row),
                                   g.cells->colHeader(col));
    if (!shown.label.empty()) text += ": " + shown.label + (shown.second.empty() ? "" : " " + shown.second);
    return text;
  }
  return "";
}

}  // namespace

Facts factsElsewhere(const Snapshot& now, const Hover& cell) {
  Facts facts;
  const Origin origin = originOf(cell);
  const Linked linked(origin, figuresOf(now, {origin.figure}));
  for (std::size_t k = 0; k < now.outcomes.size(); ++k) {
    const Outcome& other = *now.outcomes[k];
    if (k == cell.outcome || !other.figure) continue;
    std::string text = cellIn(other, linked);
    const Value* value = valueOf(other);
    const std::vector<Point> there = value != nullptr ? linked.in(pointDomainOf(*value)) : std::vector<Point>{};
    if (!there.empty() && (text.empty() || text[0] == '(')) {  // prefer the address to coordinates
      for (const Fact& f : factsAbout(*value, there.front()))
        if (f.name == "offset") text = "offset " + f.value;
    }
    if (!text.empty()) facts.add("in other pictures", other.figure->title, text);
  }
  return facts;
}

}  // namespace tessera::panes
