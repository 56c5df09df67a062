// JsonWriter: streams JSON directly into a string.
//
//     JsonWriter json;
//     json.beginObject().member("ok", true).key("shape").beginArray().value(4).value(8).endArray().endObject();
//     json.take()                                      {"ok":true,"shape":[4,8]}
//
// Law: the output equals nlohmann::ordered_json's dump of the same members (tests/cli/json_text_test.cpp), with U+FFFD
// for invalid UTF-8, and with DEL and U+0080 to U+009F escaped, which JSON permits unescaped but terminals interpret.
// Requires that each name is unique in its object and is printable ASCII without quotes.
// Why no tree is built first: `eval --json -` handles a hundred thousand lines per second, and the tree was a third of
// the time.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

class JsonWriter {
 public:
  JsonWriter() { out_.reserve(256); }

  JsonWriter& beginObject() { return open('{'); }
  JsonWriter& endObject() { return close('}'); }
  JsonWriter& beginArray() { return open('['); }
  JsonWriter& endArray() { return close(']'); }
  JsonWriter& key(std::string_view name);

  template <std::integral T>
  JsonWriter& value(T n) {
    if constexpr (std::same_as<T, bool>) return word(n ? "true" : "false");
    if constexpr (std::unsigned_integral<T>) return number(static_cast<unsigned long long>(n));
    return number(static_cast<long long>(n));
  }
  JsonWriter& value(double x);  // null if not finite
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& null() { return word("null"); }
  template <typename T>
  JsonWriter& value(const std::vector<T>& list) {
    beginArray();
    for (const T& one : list) value(one);
    return endArray();
  }

  template <typename T>
  JsonWriter& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& word(std::string_view text);
  JsonWriter& number(long long n);
  JsonWriter& number(unsigned long long n);
  void separate();
  void quoted(std::string_view text);

  std::string out_;
  bool first_ = true;  // the innermost array or object is still empty
};

}  // namespace tessera
