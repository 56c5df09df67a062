// JsonWriter: JSON as it is said, straight into its text.
//
//     JsonWriter json;
//     json.beginObject().member("ok", true).key("shape").beginArray().value(4).value(8).endArray().endObject();
//     json.take()                                      {"ok":true,"shape":[4,8]}
//
// Law: what is said in this order is what nlohmann::ordered_json dumps of the same members (tests/cli/json_text_test.cpp), with
// U+FFFD for bytes that are no UTF-8, and an escape for DEL and U+0080 to U+009F, which JSON allows as they are and a terminal
// obeys. A name is said once in an object, and is printable ASCII without quotes, which is the caller's to see to.
// Why no tree of it is built first: `eval --json -` answers a hundred thousand lines a second, and the tree was a third of it.
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
  JsonWriter& value(double x);  // null when it is not finite
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
  bool first_ = true;  // nothing was said yet in what is open
};

}  // namespace tessera
