// scan(inputs, initial carries), dimensions={d}, num_carries=C: the body runs once per index of dimension d.
//
//     body(x, c) = (a, a), a = x + c       output 0 at i reads inputs 0 to i (is_reverse: i to n-1), initial carry
//     body(x, c) = (x, c)                  output 0 at i reads input i alone
//
// The dependences of a step are read from the body if it works element by element. If the body mixes elements of a step
// (dot, transpose, a fusion), every element of an earlier step is possible, and the map says "at most".
#include <algorithm>
#include <optional>

#include "core/base/work_budget.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// How a value of the body depends on another: not at all, on the element at the same place, or on any element.
enum class Tie : unsigned char { None, Same, Any };
using Row = std::vector<Tie>;

Tie joined(Tie a, Tie b) { return std::max(a, b); }
Tie through(Tie a, Tie b) { return a == Tie::None || b == Tie::None ? Tie::None : std::max(a, b); }

struct Scan {
  std::size_t inputs = 0, carries = 0, stepped = 0;  // stepped: outputs with one element per step
  std::size_t dimension = 0;
  i64 steps = 0;
  bool reverse = false;
  std::vector<Row> body;  // per output of the body: stepped outputs, then carries; columns: inputs, then carries
};

// The dependences of each output of the body, by parameter number. nullopt: cannot be determined.
std::optional<std::vector<Row>> tiesOf(const Module& module, const Computation& body, std::size_t parameters) {
  if (body.root < 0 || body.parameters.size() != parameters) return std::nullopt;
  std::vector<Row> rows(body.instructions.size(), Row(parameters, Tie::None));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Instruction& i = body.instructions[k];
    spend(static_cast<i64>(1 + i.operands.size() * parameters));
    const auto parameter = std::ranges::find(body.parameters, static_cast<int>(k));
    if (parameter != body.parameters.end()) rows[k][n(parameter - body.parameters.begin())] = Tie::Same;
    for (const int o : i.operands) {
      if (o < 0 || o >= static_cast<int>(k)) return std::nullopt;
      const xla::Shape &from = module.shapeOf(body.instructions[n(o)]), &to = module.shapeOf(i);
      const bool alike = from.isArray() && to.isArray() && from.sizes() == to.sizes();
      const Tie tie = isElementwise(i.opcode) && alike ? Tie::Same : Tie::Any;
      for (std::size_t p = 0; p < parameters; ++p) rows[k][p] = joined(rows[k][p], through(tie, rows[n(o)][p]));
    }
  }
  const Instruction& root = body.instructions[n(body.root)];
  if (module.shapeOf(root).isArray()) return std::vector<Row>{rows[n(body.root)]};
  std::vector<Row> outputs;
  if (root.opcode != "tuple") return std::nullopt;
  for (const int o : root.operands) outputs.push_back(rows[n(o)]);
  return outputs;
}

Result<Scan> scanOf(const Op& op) {
  Scan s;
  TESSERA_TRY(const i64 carries, op.number("num_carries", 1));
  if (carries < 0 || n(carries) > op.operands() || n(carries) > op.outputs())
    return op.wrong(fmt::format("num_carries is {}", carries), "at most the number of operands and of results");
  s.carries = n(carries);
  s.inputs = op.operands() - s.carries;
  s.stepped = op.outputs() - s.carries;
  TESSERA_TRY(const Ints dimensions, op.ints("dimensions", Ints{0}));
  if (dimensions.size() != 1 || dimensions[0] < 0)
    return op.wrong(fmt::format("dimensions are {}", sizesText(dimensions)), "one: dimensions={0}");
  s.dimension = n(dimensions[0]);
  bool first = true;
  const auto expectSteps = [&](const Ints& sizes, const std::string& what) -> Result<void> {
    if (s.dimension >= sizes.size() || (!first && sizes[s.dimension] != s.steps))
      return op.wrong(fmt::format("{} is {}", what, sizesText(sizes)),
                      first ? fmt::format("an array with dimension {}", s.dimension)
                            : fmt::format("{} elements along dimension {}", s.steps, s.dimension));
    s.steps = sizes[s.dimension];
    first = false;
    return {};
  };
  for (std::size_t k = 0; k < s.inputs; ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    TESSERA_CHECKED(expectSteps(in, op.nameOf(k)));
  }
  for (std::size_t k = 0; k < s.stepped; ++k) {
    TESSERA_TRY(const Ints out, op.outputSizes(k));
    TESSERA_CHECKED(expectSteps(out, fmt::format("output {}", k)));
  }
  for (std::size_t k = 0; k < s.carries; ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(s.inputs + k));
    TESSERA_TRY(const Ints out, op.outputSizes(s.stepped + k));
    TESSERA_CHECKED(op.expectSizes(out, in, fmt::format("the last carry {}", k)));
  }
  s.reverse = op.instruction().value("is_reverse") == "true";
  const std::vector<int> called = calledBy(op.module(), op.instruction());
  std::optional<std::vector<Row>> ties;
  if (called.size() == 1) ties = tiesOf(op.module(), op.module().computations[n(called[0])], op.operands());
  s.body = ties && ties->size() == op.outputs() ? *std::move(ties)
                                                : std::vector<Row>(op.outputs(), Row(op.operands(), Tie::Any));
  return s;
}

// How an output depends on an input of its own step, on inputs of earlier steps, and on an initial carry. Settled: the
// dependence is the same for any number of steps in between.
struct History {
  Tie now = Tie::None, before = Tie::None, initial = Tie::None;
  bool settled = true;         // of `before`
  bool initialSettled = true;  // of `initial`
};

// Walks the steps backwards: `on` is how the output depends on the carries entering the step.
History historyOf(const Scan& s, std::size_t output, std::size_t operand) {
  constexpr i64 kMostSteps = 64;  // then the dependence counts as unsettled
  const auto carryRow = [&](std::size_t c) -> const Row& { return s.body[s.stepped + c]; };
  History h;
  const bool isCarry = operand >= s.inputs;
  if (!isCarry) h.now = s.body[output][operand];
  Tie& tie = isCarry ? h.initial : h.before;
  bool& settled = isCarry ? h.initialSettled : h.settled;
  Row on(s.carries);
  for (std::size_t c = 0; c < s.carries; ++c) on[c] = s.body[output][s.inputs + c];
  bool fixed = false;
  const i64 needed = isCarry ? s.steps : s.steps - 1;
  for (i64 m = 1; m <= std::min(needed, kMostSteps) && !fixed; ++m) {
    spend(static_cast<i64>(1 + s.carries * s.carries));
    Tie value = Tie::None;
    for (std::size_t c = 0; c < s.carries; ++c)
      value =
          joined(value, isCarry ? (s.inputs + c == operand ? on[c] : Tie::None) : through(on[c], carryRow(c)[operand]));
    settled = settled && (m == 1 || value == tie);
    tie = joined(tie, value);
    Row next(s.carries, Tie::None);
    for (std::size_t c = 0; c < s.carries; ++c)
      for (std::size_t d = 0; d < s.carries; ++d) next[d] = joined(next[d], through(on[c], carryRow(c)[s.inputs + d]));
    fixed = next == on;
    on = std::move(next);
  }
  if (fixed || needed <= kMostSteps) return h;
  tie = Tie::Any;
  settled = false;
  return h;
}

// Which steps of the other side relate to a step of this side.
enum class Steps : unsigned char { Same, Earlier, UpTo, Later, From, All, Last };

constexpr const char* kMixes = "the body may mix the elements of a step";
constexpr const char* kNotAll = "the carry reaches only some of these steps";
constexpr const char* kUnused = "the body takes it, but its value does not reach this result";

// From coordinates over `from` to elements over `to`; `fromSteps`, `toSteps`: that side has the step dimension.
Result<Map> stepMap(const Scan& s, const Ints& from, bool fromSteps, const Ints& to, bool toSteps, Steps steps,
                    bool same) {
  MapBuilder m(from);
  const i64 last = s.reverse ? 0 : s.steps - 1;
  if (steps == Steps::Last && fromSteps) m.within(m.d(s.dimension), last, last);
  std::vector<std::size_t> others;  // of `from`
  for (std::size_t d = 0; d < from.size(); ++d)
    if (!fromSteps || d != s.dimension) others.push_back(d);
  std::size_t next = 0;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (!toSteps || d != s.dimension) {
      m.result(same ? m.d(others[next++]) : m.s(to[d]));
      continue;
    }
    if (steps == Steps::Same) {
      m.result(m.d(s.dimension));
    } else if (steps == Steps::Last) {
      m.result(Expr::constant(last));
    } else {
      const Expr step = m.s(s.steps);
      const bool earlier = steps == Steps::Earlier || steps == Steps::UpTo,
                 strict = steps == Steps::Earlier || steps == Steps::Later;
      if (steps != Steps::All) {
        const Expr here = m.d(s.dimension);
        m.within(earlier ? here - step : step - here, strict ? 1 : 0, std::max<i64>(s.steps - 1, strict ? 1 : 0));
      }
      m.result(step);
    }
  }
  return m.build();
}

bool sameOthers(const Scan& s, Ints a, bool aSteps, Ints b, bool bSteps) {
  if (aSteps) a.erase(a.begin() + static_cast<std::ptrdiff_t>(s.dimension));
  if (bSteps) b.erase(b.begin() + static_cast<std::ptrdiff_t>(s.dimension));
  return a == b;
}

// The relation of an operand and an output, as a map in either direction.
Result<Reach> related(const Op& op, const Scan& s, std::size_t operand, std::size_t output, bool reads) {
  TESSERA_TRY(const Ints in, op.operandSizes(operand));
  TESSERA_TRY(const Ints out, op.outputSizes(output));
  const bool inSteps = operand < s.inputs, outSteps = output < s.stepped;
  const History h = historyOf(s, output, operand);
  const Tie tie = joined(joined(h.now, h.before), h.initial);
  const bool same = tie != Tie::Any && sameOthers(s, in, inSteps, out, outSteps);
  const char* why = tie == Tie::None ? kUnused : same ? nullptr : kMixes;  // why it is only an upper bound
  Steps steps = Steps::All;
  bool lastOnly = false;
  if (inSteps && outSteps) {
    const bool now = h.now != Tie::None, before = h.before != Tie::None && s.steps > 1;
    if (!h.settled && why == nullptr) why = kNotAll;
    const bool earlier = s.reverse != reads;  // the other side's steps come earlier than the queried side's
    steps = !before ? Steps::Same
            : now   ? (earlier ? Steps::UpTo : Steps::From)
                    : (earlier ? Steps::Earlier : Steps::Later);
  } else if (inSteps) {
    lastOnly = tie != Tie::None && (h.before == Tie::None || s.steps < 2);
    if (!lastOnly && why == nullptr && (!h.settled || h.now == Tie::None)) why = kNotAll;
  } else if (!h.initialSettled && why == nullptr) {
    why = kNotAll;
  }
  const std::size_t slot = reads ? operand : output;
  if (lastOnly) steps = Steps::Last;
  Result<Map> map = stepMap(s, reads ? out : in, reads ? outSteps : inSteps, reads ? in : out,
                            reads ? inSteps : outSteps, steps, same);
  return why == nullptr ? exact(slot, std::move(map)) : over(slot, std::move(map), why);
}

Reaches readScan(const Op& op, int output) {
  TESSERA_TRY(const Scan s, scanOf(op));
  TESSERA_CHECKED(op.output(n(output)));
  return each(op.operands(), [&](std::size_t k) { return related(op, s, k, n(output), true); });
}

Reaches useScan(const Op& op, int operand) {
  TESSERA_TRY(const Scan s, scanOf(op));
  return each(op.outputs(), [&](std::size_t k) { return related(op, s, n(operand), k, false); });
}

}  // namespace

Rules scanRules() {
  static constexpr RuleRow kRules[] = {{"scan", readScan, useScan}};
  return kRules;
}

}  // namespace tessera::hlo
