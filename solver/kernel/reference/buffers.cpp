#include "solver/kernel/reference/buffers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::kernel::reference {

namespace {

u64 bitsAt(const std::vector<std::byte>& bytes, std::size_t at, int width) {
  u64 out = 0;
  for (int k = width; k-- > 0;) out = out << 8 | static_cast<u64>(bytes[at + static_cast<std::size_t>(k)]);
  return out;
}

bool isArray(const Argument& a) { return a.kind == Argument::Kind::Buffer || a.kind == Argument::Kind::TensorMap; }

// The bytes before the run; of a tensor map, the elements of its tensor.
std::vector<std::byte> bytesBefore(const std::vector<Given>& given, std::size_t k) {
  const Argument& a = given[k].argument;
  if (a.kind != Argument::Kind::TensorMap) return a.bytes;
  return elementsOf(*a.map,
                    a.map->buffer < 0 ? a.bytes : given[static_cast<std::size_t>(a.map->buffer)].argument.bytes);
}

}  // namespace

const Element* numbersOf(const Given& g) {
  const Element* const e = elementNamed(g.argument.element);
  return e != nullptr && e->kind != Element::Kind::Bits ? e : nullptr;
}

Array numbers(const Element& e, const std::vector<std::byte>& bytes, const std::vector<i64>& shape) {
  Array out{shape, {}, Array::Kind::Float};
  if (e.kind == Element::Kind::Bool) out.kind = Array::Kind::Bool;
  if (e.kind == Element::Kind::Signed || e.kind == Element::Kind::Unsigned) out.kind = Array::Kind::Integer;
  const auto width = static_cast<std::size_t>(e.bytes);
  for (std::size_t at = 0; at + width <= bytes.size(); at += width)
    out.data.push_back(decoded(e, bitsAt(bytes, at, e.bytes)));
  return out;
}

std::map<std::string, Array, std::less<>> arraysOf(const std::vector<Given>& given) {
  std::map<std::string, Array, std::less<>> names;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Element* const e = numbersOf(given[k]);
    const Argument& a = given[k].argument;
    if (e == nullptr || a.kind == Argument::Kind::Arbitrary || a.kind == Argument::Kind::Bytes) continue;
    Array value = numbers(*e, bytesBefore(given, k), isArray(a) ? a.shape : std::vector<i64>{});
    names[fmt::format("arg{}", k)] = value;
    names[given[k].name] = std::move(value);
  }
  return names;
}

std::size_t parameterNamed(std::string_view name, const std::vector<Given>& given) {
  for (std::size_t k = 0; k < given.size(); ++k)
    if (given[k].name == name || name == fmt::format("arg{}", k)) return k;
  return given.size();
}

Result<Array> asBuffer(const Array& value, const Given& given, const std::string& name) {
  if (!isArray(given.argument) || numbersOf(given) == nullptr)
    return Diag{fmt::format("the argument of {} is not a buffer of numbers", name),
                fmt::format("--arg {}=f32[1024]=0 or --arg {}=@FILE.npy", name, name)};
  const std::vector<i64>& shape = given.argument.shape;
  auto out = broadcast(value, shape);
  if (!out && value.count() == countOf(shape)) out = reshaped(value, shape);
  if (!out)
    return Diag{fmt::format("the reference of {} has the shape {}, and the buffer {}", name, shapeText(value.shape),
                            shapeText(shape))};
  return out;
}

std::string elementText(const std::string& name, std::size_t at, const std::vector<i64>& shape) {
  std::vector<i64> index(shape.size());
  i64 rest = static_cast<i64>(at);
  for (std::size_t k = shape.size(); k-- > 0;) {
    index[k] = rest % std::max<i64>(shape[k], 1);
    rest /= std::max<i64>(shape[k], 1);
  }
  return fmt::format("{}[{}]", name, fmt::join(index, ","));
}

}  // namespace tessera::kernel::reference
