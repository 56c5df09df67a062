// Fields: a sequence of numbers and byte strings, the format of a journal record. Accepts any bytes, including
// non-text; the file remains human-readable.
//
//     FieldWriter out;
//     out.number(12).bytes("a b");      // "12 3:a b "
//     FieldReader in(out.text());
//     in.number()                       // 12
//     in.bytes()                        // "a b"
//     in.number(), in.fine()            // 0, false: at the end
//
// Law: fields are read as written, in order; a reader of damaged fields reports it and never reads past the end.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

class FieldWriter {
 public:
  FieldWriter& number(std::uint64_t value) {
    text_ += std::to_string(value);
    text_ += ' ';
    return *this;
  }
  FieldWriter& bytes(std::string_view value) {
    text_ += std::to_string(value.size());
    text_ += ':';
    text_ += value;
    text_ += ' ';
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}
  std::uint64_t number() { return upTo(' '); }
  std::string_view bytes() {
    const std::uint64_t size = upTo(':');
    if (!fine_ || size >= rest_.size() || rest_[size] != ' ') return fail();
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return value;
  }
  // Nothing was missing or malformed so far.
  [[nodiscard]] bool fine() const { return fine_; }
  [[nodiscard]] bool atEnd() const { return rest_.empty(); }

 private:
  std::string_view fail() {
    fine_ = false;
    rest_ = {};
    return {};
  }
  std::uint64_t upTo(char end) {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto used = static_cast<std::size_t>(at - rest_.data());
    if (!fine_ || error != std::errc() || used >= rest_.size() || rest_[used] != end) {
      fail();
      return 0;
    }
    rest_.remove_prefix(used + 1);
    return value;
  }

  std::string_view rest_;
  bool fine_ = true;
};

}  // namespace tessera
