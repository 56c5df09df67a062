#include "core/code/run/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"

namespace tessera::code {

Value numberValue(Number number) {
  Value v;
  v.kind = Value::Kind::Number;
  v.type = number.type;
  v.number = std::move(number);
  return v;
}

Value constantValue(i64 value, const Type& type) { return numberValue({Expr::constant(value), type}); }

Value dataValue(std::string why, Type type) {
  Value v;
  v.kind = Value::Kind::Data;
  v.text = std::move(why);
  v.type = std::move(type);
  return v;
}

Value tupleValue(std::vector<Value> elements, std::vector<std::string> names) {
  Value v;
  v.kind = Value::Kind::Tuple;
  v.elements = std::move(elements);
  v.names = std::move(names);
  return v;
}

Value typeValue(Type type) {
  Value v;
  v.kind = Value::Kind::Type;
  v.type = std::move(type);
  return v;
}

Value* Scope::find(std::string_view name) {
  for (Scope* scope = this; scope != nullptr; scope = scope->outer)
    if (const auto it = scope->names.find(name); it != scope->names.end()) return &it->second;
  return nullptr;
}

const Given::Constant* Given::find(std::string_view name) const {
  for (const Constant& c : constants)
    if (c.name == name) return &c;
  return nullptr;
}

std::string withoutBlanks(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!isBlank(text[i])) {
      out += text[i];
      continue;
    }
    std::size_t next = i;  // `unsigned int` keeps one blank
    while (next < text.size() && isBlank(text[next])) ++next;
    if (!out.empty() && next < text.size() && isNamePart(out.back()) && isNamePart(text[next])) out += ' ';
    i = next - 1;
  }
  if (out.starts_with("this->")) out.erase(0, 6);
  if (out.starts_with('%')) out.erase(0, 1);
  return out;
}

Result<Given::Constant> constantOf(std::string_view name, std::string_view value) {
  Given::Constant constant{withoutBlanks(name), {}, false, {}};
  Cursor in(value, {.hex = true});
  const bool list = in.peek() == '(' || in.peek() == '[';
  if (list || in.atInteger()) {
    const char close = in.peek() == '(' ? ')' : ']';
    if (list) in.advance();
    for (;;) {
      if (list && in.accept(close)) break;
      TESSERA_TRY(const i64 n, in.integer("a number"));
      constant.numbers.push_back(n);
      if (!list) break;
      (void)in.accept(',');
    }
    if (!in.atEnd()) return in.fail("this is not a constant", "an integer, a tuple (32, 32) or a type");
    constant.isTuple = list;
    return constant;
  }
  if (const std::string word = withoutBlanks(value); word == "true" || word == "false") {
    constant.numbers = {word == "true" ? 1 : 0};
    return constant;
  }
  constant.type = typeNamed(value);
  if (constant.type) return constant;
  return Diag{fmt::format("{} is not a constant", value), "an integer, a tuple (32, 32) or a type: half, float4", ""};
}

}  // namespace tessera::code
