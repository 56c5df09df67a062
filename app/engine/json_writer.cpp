// Uses nlohmann/json only for texts beyond printable ASCII and for fractional numbers.
#include "app/engine/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

// Bytes that need no escape.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = ' '; c <= '~'; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// With quotes. Invalid UTF-8 is replaced; never throws.
std::string escaped(std::string_view text) {
  const std::string dumped = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    const bool pair = dumped[i] == '\xC2' && i + 1 < dumped.size() && static_cast<unsigned char>(dumped[i + 1]) < 0xA0;
    if (pair) ++i;
    if (pair || dumped[i] == '\x7F') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(dumped[i]));
    } else {
      out += dumped[i];
    }
  }
  return out;
}

template <typename N>
void append(std::string& out, N n) {
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;
  out.append(digits.data(), end);
}

}  // namespace

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

void JsonWriter::quoted(std::string_view text) {
  if (!std::ranges::all_of(text, [](char c) { return kPlain[static_cast<unsigned char>(c)]; })) {
    out_ += escaped(text);
    return;
  }
  out_ += '"';
  out_ += text;
  out_ += '"';
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  out_ += first_ ? "\"" : ",\"";
  out_ += name;
  out_ += "\":";
  first_ = true;  // no comma before its value
  return *this;
}

JsonWriter& JsonWriter::word(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::number(long long n) {
  separate();
  append(out_, n);
  return *this;
}

JsonWriter& JsonWriter::number(unsigned long long n) {
  separate();
  append(out_, n);
  return *this;
}

JsonWriter& JsonWriter::value(double x) { return word(nlohmann::json(x).dump()); }

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quoted(text);
  return *this;
}

}  // namespace tessera
