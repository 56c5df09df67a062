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

// Both directions visit the same members: Self handles the bytes of a number (raw) and a length (admits).
template <class Self>
class Wire {
 public:
  template <class... T>
  void operator()(T&... each) {
    (one(each), ...);
  }

 protected:
  template <class T>
  void one(T& x) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      self().raw(&x, sizeof x);
    } else {
      x.fields(self());
    }
  }
  void one(Span& span) { (*this)(span.begin, span.end); }
  void one(Diag& diag) { (*this)(diag.message, diag.expected, diag.hint, diag.span); }
  void one(std::string& text) {
    sized(text);
    self().raw(text.data(), text.size());
  }
  template <class T>
  void one(std::vector<T>& list) {
    sized(list);
    for (T& each : list) one(each);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  template <class List>
  void sized(List& list) {
    u64 size = list.size();
    one(size);
    if (self().admits(size)) list.resize(size);
  }
};

class Packer : public Wire<Packer> {
 public:
  std::string bytes;
  void raw(const void* from, std::size_t size) { bytes.append(static_cast<const char*>(from), size); }
  static bool admits(u64) { return true; }
};

class Unpacker : public Wire<Unpacker> {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  [[nodiscard]] bool whole() const { return good_ && left_.empty(); }
  void raw(void* to, std::size_t size) {
    good_ = good_ && left_.size() >= size;
    if (!good_) return;
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  bool admits(u64 size) { return good_ = good_ && size <= left_.size(); }  // an element takes at least one byte

 private:
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
