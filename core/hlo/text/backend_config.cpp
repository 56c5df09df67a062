#include "core/hlo/text/backend_config.h"

#include <algorithm>

#include "core/hlo/text/attributes.h"

namespace tessera::hlo {
namespace {

constexpr int kMostNested = 32;

bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && isBlank(s.front())) s.remove_prefix(1);
  while (!s.empty() && isBlank(s.back())) s.remove_suffix(1);
  return s;
}

// "{\"n\":1}" as {"n":1}; any other text as it is.
std::string unescaped(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string out;
  for (std::size_t k = 1; k + 1 < text.size(); ++k) {
    if (text[k] == '\\' && k + 2 < text.size()) ++k;
    out += text[k];
  }
  return out;
}

// The parts of the text between brackets, at its top level.
std::vector<std::string_view> partsIn(std::string_view inner) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k <= inner.size(); ++k) {
    const char c = k < inner.size() ? inner[k] : ',';
    if (k < inner.size() && quoted) {
      if (c == '\\') ++k;
      quoted = c != '"';
      continue;
    }
    if (c == '"') quoted = true;
    depth += (c == '{' || c == '[' || c == '<') - (c == '}' || c == ']' || c == '>');
    if (c != ',' || (depth > 0 && k < inner.size())) continue;
    if (const std::string_view part = trimmed(inner.substr(from, k - from)); !part.empty()) parts.push_back(part);
    from = k + 1;
  }
  return parts;
}

std::optional<std::string_view> insideOf(std::string_view text, char open, char close) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

std::string_view unquoted(std::string_view s) { return insideOf(s, '"', '"').value_or(trimmed(s)); }

struct Member {
  std::string_view name, value;  // of an MLIR attribute, without its type
};
std::vector<Member> membersOf(std::string_view object) {
  std::vector<Member> members;
  for (const std::string_view part : partsIn(insideOf(object, '{', '}').value_or(""))) {
    const bool json = part.starts_with('"');
    const std::size_t end = json ? part.find('"', 1) : part.find_first_of(" =:");
    if (end == std::string_view::npos) continue;
    std::string_view value = trimmed(part.substr(end + json));
    if (value.empty() || value.front() != (json ? ':' : '=')) continue;
    value = trimmed(value.substr(1));
    if (!json) value = trimmed(value.substr(0, value.find(" : ")));
    members.push_back({part.substr(json, end - json), value});
  }
  return members;
}

std::optional<std::string_view> member(std::string_view object, std::string_view name) {
  for (const Member& m : membersOf(object))
    if (m.name == name) return m.value;
  return std::nullopt;
}

std::optional<std::string_view> memberInside(std::string_view object, std::string_view name, int depth) {
  for (const Member& m : membersOf(object)) {
    if (m.name == name) return m.value;
    if (depth < kMostNested)
      if (const auto found = memberInside(m.value, name, depth + 1)) return found;
  }
  return std::nullopt;
}

}  // namespace

BackendConfig::BackendConfig(const Instruction& instruction) : text_(unescaped(instruction.value("backend_config"))) {}
BackendConfig::BackendConfig(std::string text) : text_(std::move(text)) {}

std::optional<std::string> BackendConfig::find(std::string_view name) const {
  const auto found = memberInside(text_, name, 0);
  return found ? std::optional(std::string(unquoted(*found))) : std::nullopt;
}

std::optional<std::string> BackendConfig::at(std::initializer_list<std::string_view> path) const {
  std::optional<std::string_view> here = text_;
  for (const std::string_view name : path) {
    here = member(*here, name);
    if (!here) return std::nullopt;
  }
  return std::string(unquoted(*here));
}

std::optional<i64> BackendConfig::number(std::initializer_list<std::string_view> path) const {
  const auto text = at(path);
  return text ? wholeNumber(*text) : std::nullopt;
}

std::optional<std::vector<i64>> BackendConfig::numbers(std::initializer_list<std::string_view> path) const {
  const auto text = at(path);
  return text ? numbersIn(*text) : std::nullopt;
}

std::optional<std::vector<i64>> numbersIn(std::string_view list) {
  if (!insideOf(list, '[', ']')) return std::nullopt;
  std::vector<i64> found;
  for (const std::string& item : itemsOf(list)) {
    const auto one = wholeNumber(item);
    if (!one) return std::nullopt;
    found.push_back(*one);
  }
  return found;
}

std::vector<std::string> itemsOf(std::string_view list) {
  std::vector<std::string> items;
  if (const auto inner = insideOf(list, '[', ']'))
    for (const std::string_view part : partsIn(*inner)) items.emplace_back(unquoted(part));
  return items;
}

std::optional<i64> knownTripCount(const Instruction& loop) {
  if (loop.find("backend_config") == nullptr) return std::nullopt;
  return BackendConfig(loop).number({"known_trip_count", "n"});
}

}  // namespace tessera::hlo
