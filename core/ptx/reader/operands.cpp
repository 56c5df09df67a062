#include "core/ptx/reader/operands.h"

#include <fmt/format.h>

#include "core/base/nearest.h"
#include "core/ptx/reader/constant.h"
#include "core/ptx/reader/tokens.h"

namespace tessera::ptx {

namespace {

using Kind = Operand::Kind;

// x y z w and r g b a; -1: neither.
int componentOf(std::string_view name) {
  if (name.size() != 1) return -1;
  const std::size_t at = std::string_view("xyzwrgba").find(name[0]);
  return at == std::string_view::npos ? -1 : static_cast<int>(at % 4);
}

// b0 to b3, h0, h1, and b7610: the bytes or halves that a video instruction reads.
bool isSelector(std::string_view name) {
  if (name.size() < 2 || (name[0] != 'b' && name[0] != 'h')) return false;
  for (const char c : name.substr(1))
    if (c < '0' || c > '7') return false;
  return true;
}

Operand operandOf(const Constant& c) {
  Operand out;
  out.bits = c.bits;
  if (c.kind == Constant::Kind::Integer) {
    out.kind = Kind::Integer;
  } else if (c.kind == Constant::Kind::Symbol) {
    out.kind = Kind::Symbol;
    out.bits = 0;
    out.name = c.symbol;
    out.offset = static_cast<i64>(c.bits);
  } else {
    out.kind = Kind::Float;
    out.type = c.kind == Constant::Kind::Single ? Type::F32 : Type::F64;
  }
  return out;
}

}  // namespace

Diag Operands::unknown(std::string_view name, std::size_t begin) const {
  std::string hint = didYouMean(name, names_.all());
  if (hint.empty()) hint = fmt::format(".reg .b32 {};", name);
  return in_.failFrom(begin, fmt::format("the register {} is not declared", name),
                      "a register of this function, or a special register such as %tid.x", hint);
}

Result<void> Operands::component(Operand& out) {
  const std::string_view word = peekDirective(in_);
  if (word.empty()) return {};
  if (const int at = componentOf(word); at >= 0) {
    out.component = at;
  } else if (out.kind == Kind::Register && isSelector(word)) {
    out.name = word;
  } else {
    return in_.fail(fmt::format("a register has no component .{}", word), ".x, .y, .z or .w");
  }
  takeDirective(in_, word);
  return {};
}

Result<Operand> Operands::named(bool offset) {
  const std::size_t begin = in_.start();
  const std::string_view name = takeName(in_);
  Operand out;
  if (const int index = names_.find(name); index >= 0) {
    out.kind = Kind::Register;
    out.index = index;
    if (in_.raw() == '.') TESSERA_CHECKED(component(out));
    return out;
  }
  if (name == "_") return out;
  if (name[0] == '%') {
    if (!isSpecial(name)) return unknown(name, begin);
    out.kind = Kind::Special;
    out.name = name;
    if (in_.raw() == '.') TESSERA_CHECKED(component(out));
    return out;
  }
  out.kind = Kind::Symbol;
  out.name = name;
  if (name == "WARP_SZ") {
    out.kind = Kind::Special;
    const char next = in_.peek();
    if (next == ',' || next == ';' || next == '}' || next == ')' || next == ']') return out;
    in_.seek(begin);
    return constantOperand();
  }
  if (in_.peek() == '[') {
    // An element of an array: its byte offset.
    const i64 bytes = names_.elementBytes(name);
    if (bytes == 0) return in_.failFrom(begin, fmt::format("{} is not an array", name), "the name of a variable");
    in_.advance();
    TESSERA_TRY(const i64 index, integerConstant(in_, "an index"));
    TESSERA_CHECKED(in_.expect("]", "after an index"));
    out.offset = static_cast<i64>(static_cast<u64>(index) * static_cast<u64>(bytes));
    return out;
  }
  if (!offset || (in_.peek() != '+' && in_.peek() != '-')) return out;
  in_.seek(begin);
  return constantOperand();
}

Result<Operand> Operands::constantOperand() {
  const std::size_t begin = in_.start();
  TESSERA_TRY(const Constant value, constant(in_));
  if (names_.find(value.symbol) >= 0)
    return in_.failFrom(begin, fmt::format("the register {} is not a constant", value.symbol));
  if (value.mask != 0) return in_.failFrom(begin, "a mask of an address is an initial value, not an operand");
  return operandOf(value);
}

Result<Operand> Operands::simple() {
  const char first = in_.peek();
  if (first == '!' || first == '-') {
    const std::size_t begin = in_.position();
    in_.advance();
    const std::string_view name = peekName(in_);
    if (!name.empty() && name != "WARP_SZ") {
      TESSERA_TRY(Operand out, named(false));
      if (out.kind == Kind::Sink || out.kind == Kind::Symbol)
        return in_.failFrom(begin, fmt::format("`{}` takes a register or a number", first));
      out.negated = true;
      return out;
    }
    in_.seek(begin);
    return constantOperand();
  }
  return peekName(in_).empty() ? constantOperand() : named(true);
}

Result<Operand> Operands::operand(bool call) {
  const Nesting nesting;
  if (nesting.tooDeep()) return nesting.refusal(in_);
  Operand out;
  switch (in_.peek()) {
    case '[':
      return address();
    case '{':
      in_.advance();
      out.kind = Kind::Vector;
      TESSERA_CHECKED(list(out, '}', false));
      return out;
    case '(':
      if (!call) break;
      in_.advance();
      out.kind = Kind::Group;
      TESSERA_CHECKED(list(out, ')', true));
      return out;
    default:
      break;
  }
  TESSERA_TRY(out, simple());
  if ((out.kind != Kind::Register && out.kind != Kind::Sink) || !in_.accept('|')) return out;
  TESSERA_TRY(Operand second, simple());
  if (second.kind != Kind::Register && second.kind != Kind::Sink)
    return in_.fail("the second result after `|` is a register or _", "p|q");
  Operand pair;
  pair.kind = Kind::Pair;
  pair.parts.reserve(2);
  pair.parts.push_back(std::move(out));
  pair.parts.push_back(std::move(second));
  return pair;
}

Result<void> Operands::list(Operand& out, char close, bool call) {
  if (in_.accept(close)) return {};
  while (true) {
    TESSERA_TRY(Operand part, operand(call));
    out.parts.push_back(std::move(part));
    if (in_.accept(close)) return {};
    if (!in_.accept(',')) {
      return in_.fail(fmt::format("`,` or `{}` is missing before {}", close, in_.found()),
                      fmt::format("`,` or `{}`", close));
    }
  }
}

// The base and offset of an address.
Result<void> Operands::base(Operand& out) {
  Operand first;
  if (const std::string_view name = peekName(in_); !name.empty() && name != "WARP_SZ") {
    TESSERA_TRY(first, named(false));
    out.offset = first.offset;  // of an array's element
    first.offset = 0;
  } else {
    TESSERA_TRY(first, constantOperand());
    if (first.kind == Kind::Symbol) {
      out.offset = first.offset;
      first.offset = 0;
    }
  }
  if (first.kind == Kind::Sink || first.kind == Kind::Float)
    return in_.fail("an address begins with a register, a name or an integer", "[%rd1+16]");
  out.parts.push_back(std::move(first));
  while (in_.peek() == '+' || in_.peek() == '-') {
    const bool minus = in_.raw() == '-';
    in_.advance();
    const std::size_t begin = in_.start();
    if (names_.find(peekName(in_)) >= 0)
      return in_.fail("the offset of an address is a constant", "[%rd1+16]", "add the registers before the access");
    TESSERA_TRY(const Constant by, constantTerm(in_));
    if (!by.isInteger()) return in_.failFrom(begin, "the offset of an address is an integer", "[%rd1+16]");
    const u64 at = static_cast<u64>(out.offset);
    out.offset = static_cast<i64>(minus ? at - by.bits : at + by.bits);
  }
  return {};
}

Result<Operand> Operands::address() {
  in_.advance();
  Operand out;
  out.kind = Kind::Address;
  TESSERA_CHECKED(base(out));
  if (in_.accept(']')) return out;
  if (!in_.accept(',')) return in_.fail(fmt::format("`]` is missing before {}", in_.found()), "`]` or `,`");
  TESSERA_CHECKED(list(out, ']', false));
  return out;
}

Result<Guard> Operands::guard() {
  Guard out;
  out.negated = in_.accept('!');
  const std::size_t begin = in_.start();
  const std::string_view name = takeName(in_);
  if (name.empty()) return in_.fail("the predicate of the guard is missing here", "@%p1 or @!%p1");
  out.index = names_.find(name);
  if (out.index < 0) return unknown(name, begin);
  return out;
}

}  // namespace tessera::ptx
