#include "core/notation/xla/instruction.h"

#include <fmt/format.h>

#include "core/notation/xla/reader.h"

namespace tessera::xla {
namespace {

bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

std::string trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string name(Cursor& in) {
  in.skipBlanks();
  std::size_t end = in.position();
  if (end < in.text().size() && in.text()[end] == '%') ++end;
  while (end < in.text().size() && isNameChar(in.text()[end])) ++end;
  const std::string out(in.text().substr(in.position(), end - in.position()));
  in.seek(end);
  return out == "%" ? "" : out;
}

// From one place to the next `,` or the `)` that closes, outside brackets and strings.
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
    TESSERA_TRY(out.shape, readShape(in, 0));
    in.skipBlanks();
  }
  const std::size_t end = argumentEnd(in.text(), in.position());
  out.text = trimmed(in.text().substr(in.position(), end - in.position()));
  in.seek(end);
  return out;
}

Result<void> call(Cursor& in, Instruction& out) {
  out.opcode = name(in);
  if (out.opcode.empty()) return in.fail("an opcode stands after the shape", "add(a, b)");
  TESSERA_CHECKED(in.expect("(", "after the opcode"));
  while (in.peek() != ')') {
    if (in.peek() == '\0') return in.fail("the arguments are never closed", "`)`");
    TESSERA_TRY(Operand one, operand(in));
    if (!one.text.empty() || one.shape) out.operands.push_back(std::move(one));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect(")", "after the arguments"));
  if (in.accept(",")) {
    out.attributes = trimmed(in.text().substr(in.position()));
    in.seek(in.text().size());
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

bool looksLikeInstruction(std::string_view text) {
  Reader in(text);
  if (in.peekWord() == "ROOT") return true;
  if (beginsShape(in)) return readShape(in, 0).ok() && !in.peekWord().empty();
  return !name(in).empty() && in.peek() == '=';
}

Result<Instruction> parseInstruction(std::string_view text) {
  Reader in(text);
  Instruction out;
  if (in.peekWord() == "ROOT") out.root = in.accept("ROOT");
  if (!beginsShape(in)) {
    out.name = name(in);
    if (out.name.empty()) return in.fail("an instruction begins with its name", "add.1 = f32[2]{0} add(a, b)");
    TESSERA_CHECKED(in.expect("=", "after the instruction's name"));
  }
  TESSERA_TRY(out.shape, readShape(in, 0));
  if (in.peek() != '\0') TESSERA_CHECKED(call(in, out));
  if (in.peek() != '\0') return in.fail("extra content after the instruction", "`,` and attributes, or the end");
  return out;
}

std::string print(const Instruction& instruction) {
  std::string out = instruction.root ? "ROOT " : "";
  if (!instruction.name.empty()) out += instruction.name + " = ";
  out += print(instruction.shape);
  if (instruction.opcode.empty()) return out;
  // XLA counts the operands where it writes %: /*index=5*/%a.
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
