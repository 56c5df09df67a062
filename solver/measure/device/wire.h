// Wire: plain structures as bytes, for communication between two processes of this program.
//
//     struct Point { int x; std::string name; template <class A> void fields(A& a) { a(x, name); } };
//     packed(Point{3, "p"})             bytes
//     unpacked<Point>(bytes)            the same point; nullopt: too short, too long or malformed
//
// Both sides are the same executable, so there are no versions. The reader still checks every length: the other process
// may have died in the middle of a message.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::measure {

class Packer {
 public:
  template <class... T>
  void operator()(T&... each) {
    (one(each), ...);
  }
  std::string bytes;

 private:
  template <class T>
  void one(T& x) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
    } else {
      x.fields(*this);
    }
  }
  void one(Span& span) { (*this)(span.begin, span.end); }
  void one(Diag& diag) { (*this)(diag.message, diag.expected, diag.hint, diag.span); }
  void one(std::string& text) {
    u64 size = text.size();
    one(size);
    bytes += text;
  }
  template <class T>
  void one(std::vector<T>& list) {
    u64 size = list.size();
    one(size);
    for (T& each : list) one(each);
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  template <class... T>
  void operator()(T&... each) {
    (one(each), ...);
  }
  [[nodiscard]] bool whole() const { return good_ && left_.empty(); }

 private:
  template <class T>
  void one(T& x) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      good_ = good_ && left_.size() >= sizeof x;
      if (!good_) return;
      std::memcpy(&x, left_.data(), sizeof x);
      left_.remove_prefix(sizeof x);
    } else {
      x.fields(*this);
    }
  }
  void one(Span& span) { (*this)(span.begin, span.end); }
  void one(Diag& diag) { (*this)(diag.message, diag.expected, diag.hint, diag.span); }
  void one(std::string& text) {
    u64 size = 0;
    one(size);
    good_ = good_ && size <= left_.size();
    if (!good_) return;
    text = left_.substr(0, size);
    left_.remove_prefix(size);
  }
  template <class T>
  void one(std::vector<T>& list) {
    u64 size = 0;
    one(size);
    good_ = good_ && size <= left_.size();  // an element takes at least one byte
    for (u64 k = 0; good_ && k < size; ++k) one(list.emplace_back());
  }
  std::string_view left_;
  bool good_ = true;
};

template <class T>
[[nodiscard]] std::string packed(T value) {
  Packer packer;
  packer(value);
  return std::move(packer.bytes);
}
template <class T>
[[nodiscard]] std::optional<T> unpacked(std::string_view bytes) {
  Unpacker unpacker(bytes);
  T value;
  unpacker(value);
  if (!unpacker.whole()) return std::nullopt;
  return value;
}

}  // namespace tessera::measure
