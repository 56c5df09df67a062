#include "app/lsp/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

namespace tessera::lsp {
namespace {

Failure wrong(std::string_view path, std::string_view expected) {
  return {Code::InvalidParams, fmt::format("{}: expected {}", path, expected)};
}

// A line or a character: any number that is too large is beyond every text.
std::size_t naturalIn(const Json& object, std::string_view name) {
  const Json& value = memberOf(object, name);
  if (value.is_number_unsigned()) return std::min<u64>(value.get<u64>(), u64{1} << 40);
  throw wrong(name, "a number from 0");
}

std::optional<unsigned> hexAt(std::string_view text, std::size_t at, std::size_t digits) {
  unsigned value = 0;
  if (at + digits > text.size()) return std::nullopt;
  const char* const stop = text.data() + at + digits;
  const auto [end, error] = std::from_chars(text.data() + at, stop, value, 16);
  return error == std::errc() && end == stop ? std::optional(value) : std::nullopt;
}

// Replaces \ud800 to \udfff without its other half by \ufffd, which has as many code units.
void mendSurrogates(std::string& body) {
  const auto surrogate = [&](std::size_t at, unsigned from) {
    if (body.compare(at, 2, "\\u") != 0) return false;
    const auto value = hexAt(body, at + 2, 4);
    return value && *value >= from && *value < from + 0x400;
  };
  for (std::size_t at = body.find('\\'); at != std::string::npos; at = body.find('\\', at)) {
    const bool high = surrogate(at, 0xd800);
    if (high && at + 6 < body.size() && surrogate(at + 6, 0xdc00)) {
      at += 12;
    } else if (high || surrogate(at, 0xdc00)) {
      body.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;
    }
  }
}

}  // namespace

const Json* findMember(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(std::string(path.substr(0, dot)));
    if (found == at->end()) return nullptr;
    at = &*found;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

const Json& memberOf(const Json& object, std::string_view path) {
  const Json* found = findMember(object, path);
  if (found == nullptr) throw wrong(path, "a value, which is missing");
  return *found;
}

std::string textOf(const Json& object, std::string_view path) {
  const Json& value = memberOf(object, path);
  if (!value.is_string()) throw wrong(path, "a string");
  return value.get<std::string>();
}

i64 integerOf(const Json& object, std::string_view path) {
  const Json& value = memberOf(object, path);
  if (!value.is_number_integer()) throw wrong(path, "an integer");
  return value.get<i64>();
}

Place placeOf(const Json& position) { return {naturalIn(position, "line"), naturalIn(position, "character")}; }

Span spanOf(const Json& range, const Text& text) {
  const std::size_t begin = text.byteAt(placeOf(memberOf(range, "start")));
  const std::size_t end = text.byteAt(placeOf(memberOf(range, "end")));
  return {std::min(begin, end), std::max(begin, end)};
}

Json jsonOf(const Place& place) { return {{"line", place.line}, {"character", place.character}}; }

Json rangeOf(Span span, const Text& text) {
  return {{"start", jsonOf(text.at(span.begin))}, {"end", jsonOf(text.at(span.end))}};
}

std::string bytesOf(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json messageOf(std::string body) {
  constexpr int kMostDepth = 64;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kMostDepth; };
  Json message = Json::parse(body, shallow, /*allow_exceptions=*/false);
  if (!message.is_discarded()) return message;
  mendSurrogates(body);
  return Json::parse(body, shallow, /*allow_exceptions=*/false);
}

std::string pathOf(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  uri.remove_prefix(kFile.size());
  std::string path;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    const auto byte = uri[k] == '%' ? hexAt(uri.substr(0, k + 3), k + 1, 2) : std::nullopt;
    path += byte ? static_cast<char>(*byte) : uri[k];
    if (byte) k += 2;
  }
  return path;
}

}  // namespace tessera::lsp
