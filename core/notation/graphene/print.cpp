// Printer of tensors: explicit strides, the swizzle first, `holds` last.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/mapped.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

namespace {

constexpr int kSum = 0, kProduct = 1, kLeaf = 2;

// ceildiv(a, b) is written (a + (b-1)) / b.
std::optional<Expr> ceilOperand(const Expr& e) {
  if (e.op() != Op::FloorDiv || !e.rhs().isConstant() || e.lhs().op() != Op::Add) return std::nullopt;
  return e.lhs().rhs().isConstant(e.rhs().value() - 1) ? std::optional(e.lhs().lhs()) : std::nullopt;
}

void printTo(std::string& out, const Expr& e, const std::vector<std::string>& symbols, int level) {
  const auto binary = [&](const char* op, int own, int right) {
    if (own < level) out += '(';
    printTo(out, e.lhs(), symbols, own);
    out += op;
    printTo(out, e.rhs(), symbols, right);
    if (own < level) out += ')';
  };
  if (const auto inner = ceilOperand(e)) {
    out += "ceildiv(";
    printTo(out, *inner, symbols, kSum);
    out += fmt::format(",{})", e.rhs().value());
    return;
  }
  switch (e.op()) {
    case Op::Constant:
      out += std::to_string(e.value());
      return;
    case Op::Param:
      out += symbols.at(static_cast<std::size_t>(e.index()));
      return;
    case Op::Digit:
      out += fmt::format("c{}", e.index());
      return;
    case Op::Add:
      return binary("+", kSum, kProduct);
    case Op::Mul:
      return binary("*", kProduct, kLeaf);
    case Op::FloorDiv:
      return binary("/", kProduct, kLeaf);
    case Op::Mod:
      return binary("%", kProduct, kLeaf);
    case Op::Min:
    case Op::Max:
      out += e.op() == Op::Min ? "min(" : "max(";
      printTo(out, e.lhs(), symbols, kSum);
      out += ",";
      printTo(out, e.rhs(), symbols, kSum);
      out += ")";
      return;
    default:
      out += tessera::print(e, {}, symbols);  // does not occur here
  }
}

// One list per dimension: 8 or (4,2).
std::string listText(const Dim& dim, Expr Mode::*what, const std::vector<std::string>& symbols) {
  auto texts = mapped<std::string>(dim, [&](const Mode& m) { return print(m.*what, symbols); });
  return texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ","));
}

std::string levelText(const Level& level, const std::vector<std::string>& symbols) {
  std::vector<std::string> sizes, strides;
  for (const Dim& d : level.dims) {
    sizes.push_back(listText(d, &Mode::size, symbols));
    strides.push_back(listText(d, &Mode::stride, symbols));
  }
  return fmt::format("[{}:{}]", fmt::join(sizes, ","), fmt::join(strides, ","));
}

}  // namespace

std::string print(const Expr& value, const std::vector<std::string>& symbols) {
  std::string out;
  printTo(out, value, symbols, kSum);
  return out;
}

std::string print(const Tensor& tensor) {
  static constexpr std::string_view kMemory[] = {"", ".GL", ".SH", ".RF"};
  std::vector<std::string> levels;
  for (const Level& level : tensor.levels) levels.push_back(levelText(level, tensor.symbols));
  std::string out = fmt::format("{}{}:", tensor.threads ? '#' : '%', tensor.name);
  if (!tensor.swizzle.isIdentity()) out += cute::print(tensor.swizzle) + " o ";
  out += levels.empty() ? "[]" : fmt::format("{}", fmt::join(levels, "."));
  if (!tensor.element.empty()) out += "." + tensor.element;
  out += kMemory[static_cast<int>(tensor.memory)];
  if (tensor.holds)
    out += fmt::format(" holds [{}] as {}", fmt::join(tensor.holds->extents, ","), tensor.holds->layout);
  return out;
}

}  // namespace tessera::graphene
