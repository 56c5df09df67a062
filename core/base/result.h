// Result<T>: a value, or a Diag that says what is wrong with the user's input and where.
//
// User input never aborts and never throws across a public boundary: every error in it is returned as a Diag.
//
//     (8,4):(4,1,2)
//           ^^^^^^^ strides have 3 modes, shape (8,4) has 2.
//           expected: a stride for each mode of the shape
//           hint: did you mean (8,4):(4,1)?
//
// A Span is a half-open byte range [begin, end) in the parsed text; {0,0} means "no place" (a value, not a text, was
// wrong). Notation parsers report spans relative to their own input; the worksheet shifts them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tessera {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Span&) const = default;
  [[nodiscard]] bool empty() const { return begin == end; }
  [[nodiscard]] Span shifted(std::size_t by) const { return {begin + by, end + by}; }
};

struct Diag {
  std::string message;        // what is wrong, with the numbers: "strides have 3 modes, shape (8,4) has 2"
  std::string expected = {};  // what would have been right; may be empty
  std::string hint = {};      // a suggestion the user can paste; may be empty
  Span span = {};             // the offending piece
  bool operator==(const Diag&) const = default;
};

// A value or a Diag. `operator bool` means "has a value"; * or -> on an error is a bug in the caller, and error() on a
// value too (both throw std::bad_variant_access).
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diag diag) : state_(std::in_place_index<1>, std::move(diag)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  [[nodiscard]] const Diag& error() const { return std::get<1>(state_); }
  Diag& error() { return std::get<1>(state_); }

 private:
  std::variant<T, Diag> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diag diag) : diag_(std::move(diag)) {}
  [[nodiscard]] bool ok() const { return !diag_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Diag& error() const { return *diag_; }
  Diag& error() { return *diag_; }

 private:
  std::optional<Diag> diag_;
};

// TESSERA_TRY(auto x, f());  ->  x is f()'s value, or the enclosing function returns f()'s Diag.
#define TESSERA_CONCAT_INNER(a, b) a##b
#define TESSERA_CONCAT(a, b) TESSERA_CONCAT_INNER(a, b)
#define TESSERA_TRY(decl, expr) TESSERA_TRY_IMPL(TESSERA_CONCAT(tesseraTry_, __LINE__), decl, expr)
#define TESSERA_TRY_IMPL(tmp, decl, expr) \
  auto tmp = (expr);                      \
  if (!tmp.ok()) return tmp.error();      \
  decl = *std::move(tmp)
// For Result<void>.
#define TESSERA_CHECKED(expr)                                                           \
  do {                                                                                  \
    if (auto tesseraStatus = (expr); !tesseraStatus.ok()) return tesseraStatus.error(); \
  } while (false)

}  // namespace tessera
