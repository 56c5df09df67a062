#include "core/notation/xla/instruction.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"

namespace tessera::xla {
namespace {

bool isNameChar(char c) { return isNamePart(c) || c == '.' || c == '-'; }

std::string name(Cursor& in) {
  std::size_t end = in.start();
  if (end < in.text().size() && in.text()[end] == '%') ++end;
  while (end < in.text().size() && isNameChar(in.text()[end])) ++end;
  const std::string out(in.text().substr(in.position(), end - in.position()));
  in.seek(end);
  return out == "%" ? "" : out;
}

// Moves to the first of `stops` outside strings, comments and brackets, or to the end.
void skipTo(Cursor& in, std::string_view stops) {
  const std::string_view text = in.text();
  while (in.position() < text.size() && stops.find(in.raw()) == std::string_view::npos) {
    if (in.raw() == '"') {
      for (in.advance(); in.position() < text.size() && in.raw() != '"'; in.advance())
        in.advance(in.raw() == '\\' ? 1 : 0);
      in.advance();
    } else if (in.raw() == '/' && in.raw(1) == '*') {
      in.seek(std::min(text.find("*/", in.position() + 2), text.size() - 2) + 2);
    } else if (in.raw() != '(' && in.raw() != '[' && in.raw() != '{') {
      in.advance();
    } else if (!in.acceptBracketed(false)) {
      in.seek(text.size());
    }
  }
  in.seek(std::min(in.position(), text.size()));
}

bool beginsShape(Cursor& in) {
  const std::size_t begin = in.position();
  const std::string_view word = in.peekWord();
  bool shape = false;
  if (word.empty()) {
    shape = in.peek() == '(';
  } else if (findType(word) != nullptr || word == "token" || word == "opaque") {
    (void)in.accept(word);
    shape = in.peek() == '[';
  } else if (word == "b") {
    (void)in.accept(word);
    shape = in.peek() == '(';
  }
  in.seek(begin);
  return shape;
}

Result<Operand> operand(Cursor& in) {
  Operand out;
  in.skipBlanks();
  if (beginsShape(in)) {
    TESSERA_TRY(out.shape, readShape(in));
    in.skipBlanks();
  }
  const std::size_t begin = in.position();
  skipTo(in, ",)]}");
  out.text = stripped(in.text().substr(begin, in.position() - begin));
  return out;
}

// Moves past the comma before `name=`; the next argument, as in `, x.1 = f32[2] ..` or `, offset = [[..`, has a blank.
bool acceptAttribute(Cursor& in) {
  Cursor ahead = in;
  if (!ahead.accept(",") || !isNameStart(ahead.peek())) return false;
  if (name(ahead).empty() || ahead.raw() != '=' || ahead.raw(1) == '=') return false;
  in.seek(ahead.position() + 1);
  return true;
}

Result<void> call(Cursor& in, Instruction& out) {
  out.opcode = name(in);
  if (out.opcode.empty()) return in.fail("an opcode is expected after the shape", "add(a, b)");
  TESSERA_CHECKED(in.expect("(", "after the opcode"));
  while (in.peek() != ')') {
    if (in.peek() == '\0') return in.fail("the arguments are never closed", "`)`");
    TESSERA_TRY(Operand one, operand(in));
    if (!one.text.empty() || one.shape) out.operands.push_back(std::move(one));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect(")", "after the arguments"));
  const std::size_t comma = in.position();
  while (acceptAttribute(in)) {  // {0}, "text", LT, [2,4]<=[8]T(1,0)
    in.skipBlanks();
    skipTo(in, " \t\r\n\v\f,)]}");
  }
  if (in.position() > comma) {
    const std::string_view all = in.text().substr(comma, in.position() - comma);
    out.attributes = stripped(all.substr(all.find(',') + 1));
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, Shape>> Instruction::namedShapes() const {
  std::vector<std::pair<std::string, Shape>> out{{name, shape}};
  for (const Operand& o : operands) {
    if (o.shape) out.emplace_back(o.text, *o.shape);
  }
  return out;
}

namespace {

// f32[, ((f32[ .., b(f32[ .., and also F32[, so that the parser can report the fault. The cursor stays where the
// decision was made.
bool atShape(Cursor& in) {
  bool tuple = false;
  while (in.accept("(") || (tuple && (in.accept(")") || in.accept(",")))) tuple = true;
  if (in.acceptWord("b") && !in.accept("(")) return false;
  const std::string_view word = in.peekWord();
  in.advance(word.size());
  if (word.empty() || in.peek() != '[') return false;
  const std::string lower = lowerCase(word.substr(0, 20));
  return findType(lower) != nullptr || lower == "token" || lower == "opaque" || lower == "opaque_type";
}

// opcode( after a shape. After a bare shape `or (...)` is the worksheet's operator; a named instruction may be `or`.
bool atCall(Cursor in, bool named) {
  if (!isNameStart(in.peek())) return false;
  const std::string opcode = name(in);
  if (in.raw() != '(') return false;
  for (const std::string_view reserved : {"o", "or", "and", "not", "over"})
    if (!named && opcode == reserved) return false;
  return named || in.acceptBracketed(false);
}

// [ROOT] NAME = and a shape.
bool atNamed(Reader in) {
  (void)in.acceptWord("ROOT");
  return !name(in).empty() && in.accept("=") && in.raw() != '=' && atShape(in);
}

}  // namespace

Result<std::optional<std::variant<Shape, Instruction>>> parsePrefix(Cursor& cursor) {
  using Read = std::variant<Shape, Instruction>;
  Reader in(cursor.text(), cursor.position());
  Reader shape = in;
  const bool unnamed = atShape(shape);
  if (!unnamed && !atNamed(in)) {
    cursor.giveUp(shape.position());
    return std::optional<Read>();
  }
  const bool named = !unnamed;
  Instruction line;
  if (named) {
    line.root = in.acceptWord("ROOT");
    line.name = name(in);
    (void)in.accept("=");
  }
  TESSERA_TRY(line.shape, readShape(in));
  const bool called = atCall(in, named);
  if (called) TESSERA_CHECKED(call(in, line));
  cursor.seek(in.position());
  if (!named && !called) return std::optional<Read>(std::move(line.shape));
  return std::optional<Read>(std::move(line));
}

std::string print(const Instruction& instruction) {
  std::string out = instruction.root ? "ROOT " : "";
  if (!instruction.name.empty()) out += instruction.name + " = ";
  out += print(instruction.shape);
  if (instruction.opcode.empty()) return out;
  // XLA numbers the operands if it prints %: /*index=5*/%a.
  const bool counted = instruction.name.substr(0, 1) == "%";
  std::string args;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    const Operand& o = instruction.operands[k];
    if (k > 0) args += ", ";
    if (counted && k > 0 && k % 5 == 0) args += fmt::format("/*index={}*/", k);
    if (o.shape) args += print(*o.shape) + (o.text.empty() ? "" : " ");
    args += o.text;
  }
  out += fmt::format(" {}({})", instruction.opcode, args);
  return instruction.attributes.empty() ? out : out + ", " + instruction.attributes;
}

}  // namespace tessera::xla
