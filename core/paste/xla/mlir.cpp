// MLIR around shapes: aliases, operations with their types, functions, bare types and attributes.
//
//     #map = affine_map<(d0) -> (d0)>                                         map = (d0) -> (d0), domain: ...
//     %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>     v0 = f32[4,8]{1,0}
//     func.func @main(%arg0: tensor<8x4xf32>) -> tensor<4x8xf32> {            arg0, main
//     memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>   the type after `to`
#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/xla/readers.h"

namespace tessera::paste::xla_text {
namespace {

// A type, a result or an attribute of one operation.
struct Found {
  Span span;
  std::optional<ShapedType> type;
  std::string_view attribute;
};

struct Operation {
  std::string_view text;
  std::size_t at = 0;  // in the whole text
};

// Pieces of the text that belong together: a line, with the following ones while brackets are open. A `{` at the end of
// a line opens a region, not a bracket.
std::vector<Operation> operations(std::string_view text) {
  std::vector<Operation> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\n';
    if (i < text.size() && c == '"') {
      const std::size_t close = text.find('"', i + 1);
      i = close == std::string_view::npos ? text.size() - 1 : close;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      const std::size_t next = text.find_first_not_of(" \t\r", i + 1);
      depth += c == '{' && (next == std::string_view::npos || text[next] == '\n') ? 0 : 1;
    } else if (c == ')' || c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == '\n' && (depth == 0 || i == text.size())) {
      const std::string_view line = text.substr(begin, std::min(i, text.size()) - begin);
      if (!stripped(line).empty()) out.push_back({line, begin});
      begin = i + 1;
      depth = 0;
    }
  }
  spend(static_cast<Work>(text.size() / 16));
  return out;
}

// All types and attributes of the operation, outermost only, in order.
Result<std::vector<Found>> foundIn(std::string_view text, const Operation& operation) {
  std::vector<Found> out;
  Cursor in(text.substr(0, operation.at + operation.text.size()), {}, operation.at);
  while (!in.atEnd()) {
    const std::size_t begin = in.position();
    if (in.raw() == '/' && in.raw(1) == '/') break;
    if (const std::string_view attribute = acceptAttribute(in); !attribute.empty()) {
      out.push_back({{begin, in.position()}, std::nullopt, attribute});
      continue;
    }
    TESSERA_TRY(auto type, readShapedType(in));
    if (type) {
      out.push_back({type->span, std::move(type), {}});
    } else if (const std::string_view word = in.peekWord(); !word.empty()) {
      in.advance(word.size());
    } else {
      in.advance();
    }
  }
  return out;
}

struct Reader {
  std::string_view text;
  Bindings& out;
  Aliases aliases = {};

  Result<void> operation(const Operation& operation);
  Result<bool> alias(const Operation& operation);
  Result<bool> function(const Operation& operation, const std::vector<Found>& found);
  Result<void> bindAll(std::string_view name, const std::vector<Found>& found, std::size_t from, std::size_t results);
};

// "%0" of `%0:2 = ...`, "" without one.
std::string resultName(std::string_view line) {
  Cursor in(line, {.nameAlso = ".$-"});
  if (!in.accept('%')) return {};
  std::string name;
  while (isNamePart(in.raw()) || in.raw() == '.' || in.raw() == '-') {
    name += in.raw();
    in.advance();
  }
  if (in.accept(':') && in.atInteger()) (void)in.integer();
  while (in.accept(',')) {
    (void)in.accept('%');
    in.advance(in.peekWord().size());
  }
  return in.accept('=') ? name : std::string();
}

// #map = affine_map<...>
Result<bool> Reader::alias(const Operation& op) {
  Cursor in(text.substr(0, op.at + op.text.size()), {}, op.at);
  if (!in.accept('#')) return false;
  const std::string_view word = in.peekWord();
  in.advance(word.size());
  if (word.empty() || !in.accept('=')) return false;
  const std::size_t begin = in.start();
  const std::string_view attribute = stripped(text.substr(begin, op.at + op.text.size() - begin));
  aliases.emplace_back(word, attribute);
  Cursor at(text, {}, begin);
  const std::string_view known = acceptAttribute(at);
  if (known.empty()) return true;
  TESSERA_TRY(const bool bound, bindAttribute(word, known, {begin, begin + known.size()}, out));
  (void)bound;
  return true;
}

// The first of the types that are results: those after the last `->`, `to` or `into` outside brackets, else the last.
std::size_t firstResult(std::string_view text, const Operation& op, const std::vector<Found>& found) {
  std::size_t from = std::string_view::npos;
  Cursor in(text.substr(0, op.at + op.text.size()), {}, op.at);
  while (!in.atEnd()) {
    if (in.accept("->") || in.acceptWord("to") || in.acceptWord("into")) {
      from = in.position();
      if (in.peek() == '(') break;
    } else if (in.raw() == '"') {
      const std::size_t close = text.find('"', in.position() + 1);
      in.seek(close == std::string_view::npos ? text.size() : close + 1);
    } else if (std::string_view("([{<").find(in.raw()) == std::string_view::npos || !in.acceptBracketed()) {
      const std::string_view word = in.peekWord();
      in.advance(std::max<std::size_t>(word.size(), 1));
    }
  }
  std::size_t last = found.size();
  for (std::size_t k = found.size(); k-- > 0;) {
    if (!found[k].type) continue;
    if (from == std::string_view::npos) return k;
    if (found[k].span.begin < from) break;
    last = k;
  }
  return last;
}

// The attributes of found, then its types from `results` on.
Result<void> Reader::bindAll(std::string_view name, const std::vector<Found>& found, std::size_t from,
                             std::size_t results) {
  int maps = 0;
  for (std::size_t k = from; k < found.size(); ++k) {
    if (found[k].attribute.empty()) continue;
    const bool alone = found.size() == 1;
    const std::string own = alone ? std::string(name) : fmt::format("map{}", maps++);
    TESSERA_TRY(const bool bound, bindAttribute(own, found[k].attribute, found[k].span, out));
    (void)bound;
  }
  std::size_t count = 0;
  for (std::size_t k = results; k < found.size(); ++k) count += found[k].type ? 1 : 0;
  for (std::size_t k = results, n = 0; k < found.size(); ++k) {
    if (!found[k].type) continue;
    TESSERA_CHECKED(
        bindType(count > 1 ? fmt::format("{}_{}", name, n++) : std::string(name), *found[k].type, aliases, out));
  }
  return {};
}

// func.func @main(%arg0: tensor<..>, ...) -> (tensor<..>): the parameters, then the results.
Result<bool> Reader::function(const Operation& op, const std::vector<Found>& found) {
  const std::string_view line = stripped(op.text);
  const std::size_t at = line.find("func");
  if (at == std::string_view::npos || line.find('@') == std::string_view::npos || line.find('=') < at) return false;
  const std::size_t results = firstResult(text, op, found);
  for (std::size_t k = 0; k < std::min(results, found.size()); ++k) {
    if (!found[k].type) continue;
    const std::string_view before = text.substr(op.at, found[k].span.begin - op.at);
    const std::size_t percent = before.rfind('%');
    if (percent == std::string_view::npos) continue;
    TESSERA_CHECKED(
        bindType(before.substr(percent + 1, before.find(':', percent) - percent - 1), *found[k].type, aliases, out));
  }
  return true;
}

Result<void> Reader::operation(const Operation& op) {
  TESSERA_TRY(const bool isAlias, alias(op));
  if (isAlias) return {};
  TESSERA_TRY(const std::vector<Found> found, foundIn(text, op));
  if (found.empty()) return {};
  TESSERA_TRY(const bool isFunction, function(op, found));
  if (isFunction) return {};
  const std::string_view line = stripped(op.text);
  if (line.starts_with("return") || line.starts_with("func.return") || line.starts_with("stablehlo.return")) return {};
  const std::string name = resultName(line);
  return bindAll(name, found, 0, name.empty() && found.size() == 1 ? 0 : firstResult(text, op, found));
}

}  // namespace

Result<bool> readMlir(std::string_view text, Bindings& out) {
  Reader reader{text, out};
  for (const Operation& op : operations(text)) TESSERA_CHECKED(reader.operation(op));
  return !out.empty() || out.asked();
}

}  // namespace tessera::paste::xla_text
