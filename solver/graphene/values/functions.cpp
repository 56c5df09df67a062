#include "solver/graphene/values/functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "core/atlas/scalar_operation.h"
#include "core/base/words.h"
#include "core/base/work_budget.h"
#include "core/map/map.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

// Extents of the dimensions; several levels of equal rank are tiles, whose sizes multiply.
struct Shape {
  std::vector<std::vector<i64>> levels;
  std::vector<i64> extents;  // empty: levels of different rank
};
Shape shapeOf(const Tensor& t) {
  Shape out;
  for (const Level& level : t.levels) {
    auto& sizes = out.levels.emplace_back();
    for (const Dim& d : level.dims) sizes.push_back(sizeOf(d).isConstant() ? sizeOf(d).value() : 0);
  }
  if (out.levels.empty()) return out;
  out.extents = out.levels.front();
  for (std::size_t l = 1; l < out.levels.size(); ++l) {
    if (out.levels[l].size() != out.extents.size()) return Shape{out.levels, {}};
    for (std::size_t d = 0; d < out.extents.size(); ++d) out.extents[d] *= out.levels[l][d];
  }
  return out;
}

// Slot of each row-major index: slots count levels outermost first, the row-major index runs through all levels of a
// dimension.
std::vector<i64> rowMajorSlots(const Shape& shape, i64 count) {
  if (shape.levels.size() < 2 || shape.extents.empty()) return {};
  std::vector<i64> out;
  for (i64 e = 0; e < count; ++e) {
    std::vector<i64> at = delinearize(e, shape.extents, LinearOrder::Lex);
    i64 slot = 0;
    std::vector<i64> inner = shape.extents;
    for (const auto& level : shape.levels)
      for (std::size_t d = 0; d < level.size(); ++d) {
        inner[d] /= level[d];
        slot = slot * level[d] + at[d] / inner[d];
        at[d] %= inner[d];
      }
    out.push_back(slot);
  }
  return out;
}

i64 product(const std::vector<i64>& values) {
  return std::accumulate(values.begin(), values.end(), i64{1}, std::multiplies<>());
}

Result<Elements> heldBy(const Distribution& holds, int root, i64 slots, const std::vector<i64>& threads) {
  if (slots != holds.registers) return Diag{"a part of a distribution"};
  if (static_cast<i64>(threads.size()) != holds.threads)
    return Diag{fmt::format("a distribution over {} threads, but {} execute it", holds.threads, threads.size())};
  Elements out{.root = root, .extents = holds.extents};
  out.place.assign(static_cast<std::size_t>(product(holds.extents)), {-1, -1});
  for (std::size_t t = 0; t < threads.size(); ++t)
    for (i64 r = 0; r < holds.registers; ++r) {
      const i64 e = holds.at(static_cast<i64>(t), r);
      if (e < 0) continue;
      PlaceOf& first = out.place[e];
      if (first.thread < 0) {
        first = {threads[t], r};
      } else {
        out.replicas.emplace_back(e, PlaceOf{threads[t], r});
      }
    }
  return out;
}

// Parses "+,1" or "max,0,1": the operation and the dimensions.
bool readReduction(const std::string& attribute, std::size_t rank, std::string& operation, std::vector<char>& reduced) {
  const std::vector<std::string_view> words = wordsIn(attribute, ", ");
  if (words.size() < 2) return false;
  operation = words[0];
  reduced.assign(rank, 0);
  for (const std::string_view word : std::span(words).subspan(1)) {
    const i64 axis = wholeNumber(word).value_or(-1);
    if (axis < 0 || axis >= static_cast<i64>(rank)) return false;
    reduced[axis] = 1;
  }
  return scalarOperation(operation, 2) != nullptr;
}

std::string shown(const std::vector<i64>& v) { return fmt::format("[{}]", fmt::join(v, ",")); }

i64 slotAt(const Elements& e, i64 rowMajor) { return e.rowMajor.empty() ? rowMajor : e.rowMajor[rowMajor]; }

}  // namespace

Result<Elements> placesByShape(const Machine<Terms>& machine, const PlanSpec& spec, std::size_t operand, i64 block,
                               i64 thread, const std::vector<i64>& loops) {
  const PlanOperand& op = spec.operands[operand];
  const Tensor& view = operandOf(*spec.spec, operand);
  TESSERA_TRY(const FlatSlots slots, slotsOf(view, kMostSlots, /*coordinates=*/false));
  const auto count = static_cast<i64>(slots.count);
  const Shape shape = shapeOf(view);
  Elements out{.root = op.root,
               .extents = shape.extents.empty() && !shape.levels.empty() ? std::vector<i64>{count} : shape.extents,
               .rowMajor = rowMajorSlots(shape, count)};
  const i64 offset = machine.evaluate(op.offset, block, thread, loops);
  const bool plain = op.swizzle.isIdentity();
  out.place.reserve(slots.addresses.size());
  for (const i64 a : slots.addresses) {
    const i64 address = plain ? offset + a : op.swizzle(offset + a);
    if (address != static_cast<std::int32_t>(address)) return Diag{"an address has more than 32 bits"};
    out.place.push_back({thread, address});
  }
  return out;
}

Result<Elements> elementsOf(const Plan& plan, const Machine<Terms>& machine, const PlanSpec& spec, std::size_t operand,
                            i64 block, const std::vector<i64>& threads, const std::vector<i64>& loops) {
  const PlanOperand& op = spec.operands[operand];
  const Tensor& view = operandOf(*spec.spec, operand);
  if (plan.roots[op.root].memory == Memory::Register) {
    const auto slots = slotsOf(view, kMostSlots, /*coordinates=*/false);
    if (slots && view.holds) return heldBy(*view.holds.is, op.root, static_cast<i64>(slots->count), threads);
    if (slots && threads.size() > 1)
      return Diag{fmt::format("{} does not declare what its registers hold (with `holds` after its type)", op.name)};
  }
  return placesByShape(machine, spec, operand, block, threads.empty() ? 0 : threads.front(), loops);
}

Result<Function> Function::of(const Spec& spec, std::span<const Elements> operands) {
  Function f;
  f.kind_ = functionOf(spec);
  f.operation_ = spec.attribute;
  f.operands_ = operands;
  const std::size_t inputs = f.kind_ == SpecKind::Init                                             ? 0
                             : f.kind_ == SpecKind::MatMul || f.kind_ == SpecKind::BinaryPointwise ? 2
                                                                                                   : 1;
  if (operands.size() != inputs + 1 && f.kind_ != SpecKind::Generic)
    return Diag{fmt::format("{} has one output and {} inputs", name(f.kind_), inputs)};
  switch (f.kind_) {
    case SpecKind::Move:
    case SpecKind::UnaryPointwise:
    case SpecKind::BinaryPointwise:
      for (const Elements& o : operands)
        if (o.place.size() != operands[0].place.size())
          return Diag{fmt::format("the output has {} elements, an input {}", operands[0].place.size(), o.place.size())};
      return f;
    case SpecKind::Init:
      return f;
    case SpecKind::MatMul: {
      const std::vector<i64>&c = operands[0].extents, &a = operands[1].extents, &b = operands[2].extents;
      const bool scalars = c.empty() && a.empty() && b.empty();
      if (!scalars &&
          !(c.size() == 2 && a.size() == 2 && b.size() == 2 && c[0] == a[0] && c[1] == b[1] && a[1] == b[0]))
        return Diag{fmt::format("a product of {} and {} is not a {}", shown(a), shown(b), shown(c))};
      break;
    }
    case SpecKind::Reduction: {
      if (!readReduction(spec.attribute, operands[1].extents.size(), f.operation_, f.reduced_))
        return Diag{
            fmt::format("Reduction<{}> does not name an operation and dimensions of its input", spec.attribute)};
      i64 kept = 1;
      for (std::size_t d = 0; d < f.reduced_.size(); ++d) kept *= f.reduced_[d] != 0 ? 1 : operands[1].extents[d];
      if (kept != static_cast<i64>(operands[0].place.size()))
        return Diag{fmt::format("the reduced input has {} elements, the output {}", kept, operands[0].place.size())};
      break;
    }
    default:
      return Diag{"the specification states no function"};
  }
  const std::vector<i64>& order = operands[0].rowMajor;
  f.number_.resize(order.size());
  for (std::size_t e = 0; e < order.size(); ++e) f.number_[order[e]] = static_cast<i64>(e);
  return f;
}

Terms::Value Function::product(Terms& terms, i64 element, const Read& read, Factors& factors) const {
  const bool scalars = operands_[0].extents.empty();
  const i64 columns = scalars ? 1 : operands_[0].extents[1], depth = scalars ? 1 : operands_[1].extents[1];
  const i64 m = element / columns, n = element % columns;
  factors.rows.resize(operands_[0].place.size() / static_cast<std::size_t>(columns), 0);
  factors.columns.resize(static_cast<std::size_t>(columns), 0);
  Dots::Row &row = factors.rows[m], &column = factors.columns[n];
  std::vector<Terms::Value> a, b;
  for (i64 k = 0; k < depth && (row == 0 || column == 0); ++k) {
    if (row == 0) a.push_back(read(1, slotAt(operands_[1], m * depth + k)));
    if (column == 0) b.push_back(read(2, slotAt(operands_[2], k * columns + n)));
  }
  if (row == 0) row = terms.row(a);
  if (column == 0) column = terms.row(b);
  return terms.addRows(read(0, slotAt(operands_[0], element)), row, column);
}

Terms::Value Function::reduction(Terms& terms, i64 element, const Read& read) const {
  const std::vector<i64>& extents = operands_[1].extents;
  std::vector<i64> kept, free;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    kept.push_back(reduced_[d] != 0 ? 1 : extents[d]);
    free.push_back(reduced_[d] != 0 ? extents[d] : 1);
  }
  const std::vector<i64> base = delinearize(element, kept, LinearOrder::Lex);
  const int operation = terms.operation(operation_);
  Terms::Value out = 0;
  for (i64 r = 0; r < tessera::graphene::product(free); ++r) {
    std::vector<i64> at = delinearize(r, free, LinearOrder::Lex);
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += base[d];
    const Terms::Value next = read(1, slotAt(operands_[1], linearize(at, extents, LinearOrder::Lex)));
    out = r == 0 ? next : terms.binary(operation, out, next);
  }
  return out;
}

Terms::Value Function::expected(Terms& terms, i64 element, const Read& read, Factors& factors) const {
  spend(4);
  const i64 number = number_.empty() ? element : number_[element];
  switch (kind_) {
    case SpecKind::Move:
      return read(1, element);
    case SpecKind::UnaryPointwise:
      return terms.unary(terms.operation(operation_), read(1, element));
    case SpecKind::BinaryPointwise:
      return terms.binary(terms.operation(operation_), read(1, element), read(2, element));
    case SpecKind::Init:
      return terms.constant(initialNumber(operation_).value_or(0));
    case SpecKind::MatMul:
      return product(terms, number, read, factors);
    case SpecKind::Reduction:
      return reduction(terms, number, read);
    default:
      return Terms::undefined();
  }
}

bool Function::shifts(const std::vector<std::vector<i64>>& by) const {
  for (std::size_t k = 0; k < by.size(); ++k)
    if (by[k].size() != operands_[k].extents.size()) return false;
  const auto flat = [&](std::size_t k) { return linearize(by[k], operands_[k].extents, LinearOrder::Lex); };
  switch (kind_) {
    case SpecKind::Init:
      return true;
    case SpecKind::Move:
    case SpecKind::UnaryPointwise:
    case SpecKind::BinaryPointwise:  // element by element in slot order
      for (std::size_t k = 1; k < by.size(); ++k) {
        const Elements &out = operands_[0], &in = operands_[k];
        const bool alike = out.extents == in.extents && out.rowMajor == in.rowMajor;
        const bool rows = out.rowMajor.empty() && in.rowMajor.empty();
        if (alike ? by[k] != by[0] : !rows || flat(k) != flat(0)) return false;
      }
      return true;
    case SpecKind::MatMul:
      return by.size() == 3 && by[0].size() == 2 && by[1].size() == 2 && by[2].size() == 2 && by[0][0] == by[1][0] &&
             by[0][1] == by[2][1] && by[1][1] == 0 && by[2][0] == 0;
    case SpecKind::Reduction: {
      i64 kept = 0;  // row-major over the dimensions that are kept
      for (std::size_t d = 0; d < reduced_.size(); ++d) {
        if (reduced_[d] != 0 && by[1][d] != 0) return false;
        if (reduced_[d] == 0) kept = kept * operands_[1].extents[d] + by[1][d];
      }
      return kept == flat(0);
    }
    default:
      return false;
  }
}

}  // namespace tessera::graphene
