#include "core/code/run/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/arith.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

constexpr std::size_t kMostAccesses = 16'384;
constexpr i64 kMostCells = 1024;   // of an array whose elements are followed
constexpr i64 kMostChoices = 256;  // elements among which an index chooses

bool isContainer(const Type& type) {  // uint4 moves 16 bytes of any element type
  return type.kind == Type::Kind::Integer && type.lanes > 1;
}

}  // namespace

Value Memory::declare(Array array) {
  i64 cells = 1;
  for (const i64 n : array.extents)
    if (!mulInto(cells, n)) cells = INT64_MAX;
  if (array.element.isInteger() && !array.isShared && cells <= kMostCells)
    array.cells.resize(static_cast<std::size_t>(std::max<i64>(cells, 1)));
  Value v;
  v.kind = Value::Kind::Pointer;
  v.array = static_cast<int>(arrays_.size());
  v.type = array.element;
  v.unit = static_cast<int>(array.element.size());
  v.extents = array.extents;
  v.text = array.name;
  arrays_.push_back(std::move(array));
  return v;
}

Value Memory::undeclared(const std::string& name, const Type& element, const Given::Constant* given) {
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    if (arrays_[k].name != name || arrays_[k].isDeclared) continue;
    Value v;
    v.kind = Value::Kind::Pointer;
    v.array = static_cast<int>(k);
    v.type = arrays_[k].element;
    v.unit = static_cast<int>(v.type.size());
    v.extents = arrays_[k].extents;
    v.text = name;
    return v;
  }
  Array array{name, element, {}, false, false, {}};
  if (given != nullptr && given->isTuple) array.extents = given->numbers;
  if (given != nullptr && given->type) array.element = *given->type;
  const bool cells = std::exchange(array.isShared, true);  // no cells: its contents are unknown
  Value v = declare(std::move(array));
  arrays_.back().isShared = cells;
  return v;
}

Diag Memory::needsExtents(const Value& pointer, Span written) const {
  const std::string& name = arrays_[static_cast<std::size_t>(pointer.array)].name;
  return Diag{fmt::format("the extents of {} are not known", name), "an array whose extents are known",
              fmt::format("--let {}=(128, 32)", name), written};
}

Result<i64> Memory::stepsOf(const Value& pointer, const Number& index, Span written) {
  i64 inner = 1;
  for (std::size_t k = 1; k < pointer.extents.size(); ++k)
    if (!mulInto(inner, pointer.extents[k])) return Diag{"this array has more than 2^63 elements", "", "", written};
  if (pointer.unit == 0 && static_cast<std::size_t>(pointer.array) >= arrays_.size())
    return Diag{"what this points to is not known", "a pointer to an array of the text", "", written};
  if (pointer.unit == 0) {
    const Array& array = arrays_[static_cast<std::size_t>(pointer.array)];
    const bool plain = pointer.type == array.element;
    if (plain || index.value.isConstant(0)) return inner;
    return Diag{fmt::format("the element type of {} is not known, so a step of {} has no size", array.name,
                            print(pointer.type)),
                "the element type", fmt::format("--let {}=half", array.name), written};
  }
  const i64 size = pointer.type.size();
  if (size == 0 || size % pointer.unit != 0)
    return Diag{fmt::format("the size of {} is not known", print(pointer.type)), "a type with a known size",
                fmt::format("--let {}=half", pointer.type.name.empty() ? "T" : pointer.type.name), written};
  if (!mulInto(inner, size / pointer.unit)) return Diag{"this array has more than 2^63 elements", "", "", written};
  return inner;
}

Result<Expr> Memory::scaled(const Expr& base, const Expr& by, i64 steps, Span written) {
  Expr sum = base + by * steps;
  if (!arithmetic_.facts().of(sum).fits) return Diag{"this address may exceed 64 bits", "", "", written};
  return sum;
}

Result<Value> Memory::moved(const Value& pointer, const Number& by, Span written) {
  TESSERA_TRY(const i64 steps, stepsOf(pointer, by, written));
  Value v = pointer;
  v.isPlace = false;
  TESSERA_TRY(v.offset, scaled(pointer.offset, by.value, steps, written));
  return v;
}

Result<Value> Memory::element(const Value& pointer, const Number& index, Span written) {
  TESSERA_TRY(Value v, moved(pointer, index, written));
  if (!v.extents.empty()) v.extents.erase(v.extents.begin());
  v.isPlace = true;
  v.span = written;
  return v;
}

Result<Value> Memory::dereferenced(const Value& pointer, Span written) {
  return element(pointer, {Expr(), intType()}, written);
}

Result<Number> Memory::difference(const Value& a, const Value& b, Span written) {
  if (a.array != b.array || a.unit != b.unit)
    return Diag{"the difference of two pointers to different arrays", "pointers to one array", "", written};
  TESSERA_TRY(const i64 steps, stepsOf(a, {Expr::digit(0), intType()}, written));
  return Number{floorDiv(a.offset - b.offset, steps), integerType(64, true)};
}

Result<Value> Memory::cast(const Value& pointer, const Type& pointee, Span written) {
  Value v = pointer;
  v.isPlace = false;
  v.extents.clear();
  v.type = pointee;
  if (pointee.kind == Type::Kind::Void) {
    v.type = of(pointer).element;
    return v;
  }
  if (v.unit == 0) {
    Array& array = of(pointer);
    const bool first = array.element.kind == Type::Kind::Unknown && pointee.size() > 0 && !isContainer(pointee);
    if (!first) return v;
    array.element = pointee.lane();
    v.unit = static_cast<int>(array.element.size());
    return v;
  }
  const i64 size = pointee.lane().size();
  if (size == 0 || size >= v.unit) return v;
  if (v.unit % size != 0)
    return Diag{fmt::format("{} bits are not whole elements of {} bits", v.unit, size), "", "", written};
  TESSERA_TRY(v.offset, scaled(Expr(), v.offset, v.unit / size, written));
  v.unit = static_cast<int>(size);
  return v;
}

Result<Number> Memory::address(const Value& pointer, Span written) {
  const Type type = integerType(64, false);
  if (pointer.unit == 0 || pointer.unit % 8 != 0) return Number{pointer.offset, type};
  TESSERA_TRY(Expr bytes, scaled(Expr(), pointer.offset, pointer.unit / 8, written));
  return Number{std::move(bytes), type};
}

Result<void> Memory::note(const Value& place, Direction direction, Span written) {
  if (accesses_.size() >= kMostAccesses)
    return Diag{fmt::format("this code makes more than {} accesses", kMostAccesses), "a shorter loop", "", written};
  Access access;
  access.array = place.array;
  access.direction = direction;
  access.index = {place.offset, integerType(64, true)};
  access.element = of(place).element;
  access.live = arithmetic_.live();
  access.span = written;
  const i64 element = access.element.size(), moved = place.type.size();
  if (place.unit > 0 && element > 0) {
    // The address may be in bytes although whole elements are accessed.
    const i64 unit = place.unit < element && moved >= element ? element : place.unit;
    const i64 ratio = unit / place.unit;
    if (ratio > 1 && arithmetic_.facts().of(place.offset).divisibleBy(ratio)) {
      access.index.value = floorDiv(place.offset, ratio);
    } else if (place.unit < element) {
      access.element = place.unit == 8 ? integerType(8, false) : place.type.lane();
      access.element.bits = place.unit;
    }
    if (moved > 0) access.vector = std::max<i64>(1, moved / access.element.size());
  } else {
    access.vector = place.type.lanes;
  }
  accesses_.push_back(std::move(access));
  return {};
}

Result<Value> Memory::load(const Value& place, Span written) {
  if (!place.extents.empty()) {  // an array decays to a pointer to its first element
    Value v = place;
    v.isPlace = false;
    return v;
  }
  Array& array = of(place);
  const bool followed = !array.cells.empty() && place.type == array.element;
  if (!followed) {
    TESSERA_CHECKED(note(place, Direction::Load, written));
    if (place.type.pointers > 0) return undeclared(fmt::format("*{}", array.name), place.type.pointee(), nullptr);
    Value v = dataValue(fmt::format("a value that is loaded from {}", array.name), place.type);
    v.span = written;
    return v;
  }
  return cell(array, place.offset, written);
}

Result<Value> Memory::cell(Array& array, const Expr& index, Span written) {
  const auto size = static_cast<i64>(array.cells.size());
  const auto out = arithmetic_.outside(index, 0, size - 1);
  if (out.answer == Arithmetic::Outside::Answer::Somewhere)
    return Diag{fmt::format("index {} at ({}) is outside {}, which has {} elements", out.value,
                            arithmetic_.at(out.point), array.name, size),
                "an index inside the array", "", written};
  const Range r = arithmetic_.facts().of(index).interval;
  const i64 lo = std::max<i64>(r.lo, 0), hi = std::min<i64>(r.hi, size - 1);
  if (hi - lo >= kMostChoices)
    return Diag{fmt::format("this index chooses among {} elements of {}", hi - lo + 1, array.name),
                fmt::format("at most {}", kMostChoices), "", written};
  std::optional<Value> value;
  for (i64 k = hi; k >= lo; --k) {
    const auto& held = array.cells[static_cast<std::size_t>(k)];
    if (!held || !held->is(Value::Kind::Number)) {
      if (lo == hi) return held ? *held : dataValue(fmt::format("an element of {} that nothing sets", array.name));
      return dataValue(fmt::format("element {} of {}, which nothing sets to an integer", k, array.name));
    }
    if (!value) {
      value = held;
      continue;
    }
    const Expr here = equalTo(index, Expr::constant(k), arithmetic_.facts());
    TESSERA_TRY(Number number, arithmetic_.chosen(here, held->number, value->number, written));
    value = numberValue(std::move(number));
  }
  return *value;
}

Result<void> Memory::setCell(Array& array, const Expr& index, const Value& value, Span written) {
  const auto size = static_cast<i64>(array.cells.size());
  const Range r = arithmetic_.facts().of(index).interval;
  if (r.lo < 0 || r.hi >= size || r.hi - r.lo >= kMostChoices) {
    array.cells.clear();  // no longer followed
    return {};
  }
  for (i64 k = r.lo; k <= r.hi; ++k) {
    auto& held = array.cells[static_cast<std::size_t>(k)];
    const Expr here = equalTo(index, Expr::constant(k), arithmetic_.facts()) * arithmetic_.live();
    if (here.isConstant(1) || !held) {
      held = value;
    } else if (value.is(Value::Kind::Number) && held->is(Value::Kind::Number)) {
      TESSERA_TRY(Number number, arithmetic_.chosen(here, value.number, held->number, written));
      held = numberValue(std::move(number));
    } else {
      held = dataValue(fmt::format("an element of {} that depends on data", array.name));
    }
  }
  return {};
}

Result<void> Memory::store(const Value& place, const Value& value, Span written) {
  Array& array = of(place);
  if (array.cells.empty() || !(place.type == array.element)) {
    array.cells.clear();
    return note(place, Direction::Store, written);
  }
  return setCell(array, place.offset, value, written);
}

}  // namespace tessera::code
