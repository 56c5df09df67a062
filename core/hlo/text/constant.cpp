#include <algorithm>
#include <deque>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/hlo/text/attributes.h"
#include "core/hlo/text/module.h"

namespace tessera::hlo {
namespace {

constexpr i64 kMost = i64{1} << 40;

bool isWhole(const xla::Shape& shape) {
  const std::string_view type = shape.type().name;
  return type == "pred" || type[0] == 's' || type[0] == 'u';
}

// Whether a value of that shape can be this number.
bool holds(const xla::Shape& shape, i64 value) {
  const xla::Type& type = shape.type();
  if (type.name == "pred") return value == 0 || value == 1;
  if (value <= -kMost || value >= kMost || (type.isUnsigned && value < 0)) return false;
  const int bits = type.bits - (type.isUnsigned ? 0 : 1);
  return bits >= 40 || (value < (i64{1} << bits) && value >= -(i64{1} << bits));
}

class Folder {
 public:
  Folder(const Module& module, const Computation& computation) : module_(module), c_(computation) {}
  // Of one device. The computation is called by that instruction, whose computation `outer` folds; nullptr: it is not
  // known who calls it.
  Folder(const Module& module, const Computation& computation, i64 device, Folder* outer, const Instruction* call)
      : module_(module), c_(computation), device_(device), outer_(outer), call_(call) {}

  std::optional<i64> value(int at, std::size_t element, int depth) {
    constexpr int kDeepest = 64, kMostVisits = 512;  // an index takes only a few operations
    spend();
    if (at < 0 || depth > kDeepest || ++visits_ > kMostVisits) return std::nullopt;
    const Instruction& i = c_.at(at);
    if (i.opcode == "get-tuple-element") return ofTuple(i, element, depth);
    const xla::Shape& shape = module_.shapeOf(i);
    if (!shape.isArray() || !isWhole(shape)) return std::nullopt;
    const auto result = i.opcode == "constant" ? literal(i.literal, shape, element)
                        : device_ >= 0         ? onDevice(i, at, element, depth)
                                               : operation(i, element, depth);
    return result && holds(shape, *result) ? result : std::nullopt;
  }
  // Whether the number of the device was needed.
  [[nodiscard]] bool askedDevice() const { return asked_ || (outer_ != nullptr && outer_->askedDevice()); }

 private:
  const Module& module_;
  const Computation& c_;
  const i64 device_ = -1;  // -1: a value that all devices have
  Folder* const outer_ = nullptr;
  const Instruction* const call_ = nullptr;
  bool asked_ = false;
  int visits_ = 0;

  // What also depends on the device or on the caller.
  std::optional<i64> onDevice(const Instruction& i, int at, std::size_t element, int depth) {
    const i64 partitions = module_.devices.partitions;
    if (i.opcode == "partition-id" || i.opcode == "replica-id") {
      asked_ = true;
      const bool one = partitions == 1 && !module_.devices.stated;  // ids of either kind are devices
      if (one) return device_;
      return i.opcode == "partition-id" ? device_ % partitions : device_ / partitions;
    }
    if (i.opcode == "parameter") {
      const auto found = std::ranges::find(c_.parameters, at);
      const auto number = static_cast<std::size_t>(found - c_.parameters.begin());
      if (outer_ == nullptr || found == c_.parameters.end() || number >= call_->operands.size()) return std::nullopt;
      return outer_->value(call_->operands[number], element, depth + 1);
    }
    if (i.opcode == "fusion" || i.opcode == "call") {
      const std::vector<int> called = calledBy(module_, i);
      if (called.size() != 1) return std::nullopt;
      const Computation& body = module_.computation(called[0]);
      Folder inner(module_, body, device_, this, &i);
      inner.visits_ = visits_;
      const auto result = inner.value(body.root, element, depth + 1);
      visits_ = std::max(visits_, inner.visits_);
      asked_ = asked_ || inner.asked_;
      return result;
    }
    if (i.opcode == "dynamic-slice") return slicedAt(i, element, depth);
    return operation(i, element, depth);
  }

  // A part of a vector, at a start that is clamped.
  std::optional<i64> slicedAt(const Instruction& i, std::size_t element, int depth) {
    if (i.operands.size() != 2 || i.operands[0] < 0) return std::nullopt;
    const xla::Shape &from = module_.shapeOf(c_.at(i.operands[0])), &to = module_.shapeOf(i);
    if (!from.isArray() || from.rank() != 1 || to.rank() != 1 || to.sizes()[0] > from.sizes()[0]) return std::nullopt;
    const auto start = value(i.operands[1], 0, depth + 1);
    if (!start) return std::nullopt;
    const i64 first = std::clamp<i64>(*start, 0, from.sizes()[0] - to.sizes()[0]);
    return value(i.operands[0], static_cast<std::size_t>(first) + element, depth + 1);
  }

  // `3`, `true`, or an element of a vector `{1, 2}`.
  static std::optional<i64> literal(std::string_view text, const xla::Shape& shape, std::size_t element) {
    if (shape.rank() > 0) {
      const auto all = numbers(text);
      if (shape.rank() > 1 || !text.starts_with('{') || !all || element >= all->size()) return std::nullopt;
      return (*all)[element];
    }
    if (text == "true" || text == "false") return text == "true" ? 1 : 0;
    return wholeNumber(text);
  }

  std::optional<i64> ofTuple(const Instruction& i, std::size_t element, int depth) {
    const auto k = wholeNumber(i.value("index"));
    if (!k || *k < 0 || i.operands.size() != 1 || i.operands[0] < 0) return std::nullopt;
    const Instruction& tuple = c_.at(i.operands[0]);
    if (tuple.opcode != "tuple" || *k >= static_cast<i64>(tuple.operands.size())) return std::nullopt;
    return value(tuple.operands[static_cast<std::size_t>(*k)], element, depth + 1);
  }

  // A scalar operand is broadcast; others have the result's sizes.
  std::optional<i64> operand(const Instruction& i, std::size_t k, std::size_t element, int depth) {
    if (k >= i.operands.size() || i.operands[k] < 0) return std::nullopt;
    const xla::Shape& from = module_.shapeOf(c_.at(i.operands[k]));
    if (!from.isArray()) return std::nullopt;
    if (from.rank() > 0 && from.sizes() != module_.shapeOf(i).sizes()) return std::nullopt;
    return value(i.operands[k], from.rank() == 0 ? 0 : element, depth + 1);
  }

  // The shape of the only operand; nullptr: it has another number of them, or it was lost.
  const xla::Shape* onlyOperand(const Instruction& i) const {
    return i.operands.size() == 1 && i.operands[0] >= 0 ? &module_.shapeOf(c_.at(i.operands[0])) : nullptr;
  }

  std::optional<i64> operation(const Instruction& i, std::size_t element, int depth) {
    const std::string_view op = i.opcode;
    if (op == "reshape" || op == "bitcast") return renamed(i, element, depth);
    if (op == "slice") return sliced(i, element, depth);
    if (op == "broadcast") {  // a scalar
      const xla::Shape* const from = onlyOperand(i);
      return from != nullptr && from->isArray() && from->rank() == 0 ? value(i.operands[0], 0, depth + 1)
                                                                     : std::nullopt;
    }
    const std::size_t count = i.operands.size();
    const auto a = operand(i, 0, element, depth);
    if (count == 1) {
      if (!a) return std::nullopt;
      if (op == "copy" || op == "convert") return module_.shapeOf(i).type().name == "pred" ? i64{*a != 0} : *a;
      return op == "negate" ? std::optional(-*a) : std::nullopt;
    }
    if (op == "select" && count == 3) return a ? operand(i, *a != 0 ? 1 : 2, element, depth) : std::nullopt;
    const auto b = operand(i, 1, element, depth);
    if (!a || !b) return std::nullopt;
    if (op == "clamp" && count == 3) {
      const auto most = operand(i, 2, element, depth);
      return most ? std::optional(std::min(std::max(*b, *a), *most)) : std::nullopt;
    }
    return count == 2 ? ofTwo(i, *a, *b) : std::nullopt;
  }

  static std::optional<i64> ofTwo(const Instruction& i, i64 a, i64 b) {
    const std::string_view op = i.opcode;
    if (op == "add") return checkedAdd(a, b);
    if (op == "subtract") return checkedAdd(a, -b);
    if (op == "multiply") return checkedMul(a, b);
    if (op == "divide" && b != 0) return a / b;
    if (op == "remainder" && b != 0) return a % b;
    if (op == "minimum") return std::min(a, b);
    if (op == "maximum") return std::max(a, b);
    if (op == "and") return a & b;
    if (op == "or") return a | b;
    if (op == "xor") return a ^ b;
    const bool shifts = a >= 0 && b >= 0 && b < 32;
    if (op.starts_with("shift-right-")) return shifts ? std::optional(a >> b) : std::nullopt;
    if (op == "shift-left") return shifts ? checkedMul(a, i64{1} << b) : std::nullopt;
    const std::string_view d = op == "compare" ? i.value("direction") : "";
    if (d == "EQ") return a == b;
    if (d == "NE") return a != b;
    if (d == "LT") return a < b;
    if (d == "LE") return a <= b;
    if (d == "GT") return a > b;
    if (d == "GE") return a >= b;
    return std::nullopt;
  }

  // A slice of a vector.
  std::optional<i64> sliced(const Instruction& i, std::size_t element, int depth) {
    if (onlyOperand(i) == nullptr) return std::nullopt;
    const auto ranges = slices(i.value("slice"));
    if (!ranges || ranges->size() != 1 || ranges->front().start < 0 || ranges->front().stride < 1) return std::nullopt;
    const auto step = checkedMul(static_cast<i64>(element), ranges->front().stride);
    const auto from = step ? checkedAdd(*step, ranges->front().start) : std::nullopt;
    return from ? value(i.operands[0], static_cast<std::size_t>(*from), depth + 1) : std::nullopt;
  }

  // One element, or the same sizes on both sides.
  std::optional<i64> renamed(const Instruction& i, std::size_t element, int depth) {
    const xla::Shape *const from = onlyOperand(i), &to = module_.shapeOf(i);
    if (from == nullptr || !from->isArray() || from->type().name != to.type().name) return std::nullopt;
    const auto single = [](const xla::Shape& s) {
      return std::ranges::all_of(
          s.dims(), [](i64 n) { return n == 1; }, &xla::Dim::size);
    };
    if (from->sizes() != to.sizes() && (!single(*from) || !single(to))) return std::nullopt;
    return value(i.operands[0], element, depth + 1);
  }
};

}  // namespace

std::optional<i64> constantOf(const Module& module, const Computation& computation, int instruction,
                              std::size_t element) {
  return Folder(module, computation).value(instruction, element, 0);
}

std::optional<std::vector<i64>> deviceValues(const Module& module, std::span<const Where> calls, Where at) {
  constexpr i64 kMostValues = 4096;
  const i64 devices = module.devices.count;
  if (devices < 2 || devices > kMostValues) return std::nullopt;
  std::vector<i64> values;
  bool asked = false;
  for (i64 device = 0; device < devices; ++device) {
    std::deque<Folder> folders;
    const Instruction* call = nullptr;
    for (const Where& outer : calls) {
      folders.emplace_back(module, module.computation(outer.computation), device,
                           folders.empty() ? nullptr : &folders.back(), call);
      call = &module.at(outer);
    }
    folders.emplace_back(module, module.computation(at.computation), device,
                         folders.empty() ? nullptr : &folders.back(), call);
    const auto value = folders.back().value(at.instruction, 0, 0);
    if (!value) return std::nullopt;
    values.push_back(*value);
    asked = asked || folders.back().askedDevice();
  }
  return asked ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace tessera::hlo
