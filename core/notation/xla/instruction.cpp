#include "core/notation/xla/instruction.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"

namespace tessera::xla {
namespace {

bool isNameChar(char c) { return isNamePart(c) || c == '.' || c == '-'; }

std::string name(Cursor& in) {
  in.skipBlanks();
  std::size_t end = in.position();
  if (end < in.text().size() && in.text()[end] == '%') ++end;
  while (end < in.text().size() && isNameChar(in.text()[end])) ++end;
  const std::string out(in.text().substr(in.position(), end - in.position()));
  in.seek(end);
  return out == "%" ? "" : out;
}

// The next `,` or closing `)`, outside brackets and strings.
std::size_t argumentEnd(std::string_view text, std::size_t i) {
  int depth = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos) return text.size();
    } else if (text.substr(i, 2) == "/*") {
      i = text.find("*/", i + 2);
      if (i == std::string_view::npos) return text.size();
      ++i;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) return i;
      --depth;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return i;
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
  const std::size_t end = argumentEnd(in.text(), in.position());
  out.text = stripped(in.text().substr(in.position(), end - in.position()));
  in.seek(end);
  return out;
}

// Moves past an attribute's value, up to the comma, blank or bracket that ends it: {0}, "text", LT, [2,4]<=[8]T(1,0).
void skipValue(Cursor& in) {
  in.skipBlanks();
  while (in.position() < in.text().size() && !isBlank(in.raw()) &&
         std::string_view(",)]}").find(in.raw()) == std::string_view::npos) {
    if (in.raw() == '"') {
      for (in.advance(); in.position() < in.text().size() && in.raw() != '"'; in.advance())
        in.advance(in.raw() == '\\' ? 1 : 0);
      if (in.position() < in.text().size()) in.advance();
    } else if (in.raw() != '(' && in.raw() != '[' && in.raw() != '{') {
      in.advance();
    } else if (!in.acceptBracketed(false)) {
      in.seek(in.text().size());
    }
  }
  in.seek(std::min(in.position(), in.text().size()));
}

// Moves past the comma before `name=`. The next argument of a
// call (`, x.1 = f32[2] ...`, `, offset = [[..`) has a blank.
bool acceptAttribute(Cursor& in) {
  Cursor ahead = in;
  if (!ahead.accept(",") || !isNameStart(ahead.peek())) return false;
  if (name(ahead).empty() || ahead.raw() != '=' || ahead.raw(1) == '=') return false;
  in.seek(ahead.position() + 1);
  return true;
}

// alone: the text contains only the instruction, so everything after the arguments is attributes.
Result<void> call(Cursor& in, Instruction& out, bool alone) {
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
  if (alone && in.accept(",")) {
    in.seek(in.text().size());
  } else {
    while (!alone && acceptAttribute(in)) skipValue(in);
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

// f32[, and F32[, so that the parser can report what is wrong with it; ((f32[ .., b(f32[ ..
// The cursor is left where that was decided.
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

// [ROOT] %add.1 =
Result<void> readName(Cursor& in, Instruction& out) {
  if (in.peekWord() == "ROOT") out.root = in.accept("ROOT");
  if (beginsShape(in)) return {};
  out.name = name(in);
  if (out.name.empty()) return in.fail("an instruction begins with its name", "add.1 = f32[2]{0} add(a, b)");
  return in.expect("=", "after the instruction's name");
}

// [ROOT] NAME = and a shape.
bool atNamed(Reader in) {
  (void)in.acceptWord("ROOT");
  return !name(in).empty() && in.accept("=") && in.raw() != '=' && atShape(in);
}

}  // namespace

Result<Instruction> parseInstruction(std::string_view text) {
  Reader in(text);
  Instruction out;
  TESSERA_CHECKED(readName(in, out));
  TESSERA_TRY(out.shape, readShape(in));
  if (in.peek() != '\0') TESSERA_CHECKED(call(in, out, true));
  if (in.peek() != '\0') return in.fail("extra content after the instruction", "`,` and attributes, or the end");
  return out;
}

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
  if (named) TESSERA_CHECKED(readName(in, line));
  TESSERA_TRY(line.shape, readShape(in));
  const bool called = atCall(in, named);
  if (called) TESSERA_CHECKED(call(in, line, false));
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
