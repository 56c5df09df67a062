// What Tessera uses of the standard library of C++20 and Debian's Emscripten (libc++ of LLVM 13) lacks. Every source of
// the page includes it first (cmake/web.cmake).
//
//     std::ranges::sort(found, std::greater<>(), &Offer::score);
//
// Law: each function does what the standard says for the arguments that Tessera gives. Results of temporary ranges are
// iterators, not std::ranges::dangling.
#pragma once

#ifdef __cplusplus
#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>) constexpr To
    bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// A number as std::strtod reads it, without a sign `+` or blanks before it.
inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format = chars_format::general) {
  const string text(first, last);
  if (text.empty() || text[0] == '+' || text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'))
    return {first, errc::invalid_argument};
  const size_t sign = text[0] == '-' ? 1 : 0;  // hexadecimal only with its own format
  if (text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] == 'x' || text[sign + 1] == 'X')) {
    value = sign != 0 ? -0.0 : 0.0;
    return {first + sign + 1, errc()};
  }
  char* end = nullptr;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* const at = first + (end - text.c_str());
  if (__builtin_isinf(read) && text[sign] != 'i' && text[sign] != 'I') return {at, errc::result_out_of_range};
  value = read;
  return {at, errc()};
}
inline from_chars_result from_chars(const char* first, const char* last, float& value,
                                    chars_format format = chars_format::general) {
  double wide = 0;
  const from_chars_result result = from_chars(first, last, wide, format);
  if (result.ec == errc()) value = static_cast<float>(wide);
  return result;
}

template <class T>
constexpr strong_ordering tessera_order(const T& a, const T& b) {
  return a < b ? strong_ordering::less : b < a ? strong_ordering::greater : strong_ordering::equal;
}
template <class T, class A>
constexpr strong_ordering operator<=>(const vector<T, A>& a, const vector<T, A>& b) {
  return tessera_order(a, b);
}
template <class A, class B>
constexpr strong_ordering operator<=>(const pair<A, B>& a, const pair<A, B>& b) {
  return tessera_order(a, b);
}
template <class C, class T, class A>
strong_ordering operator<=>(const basic_string<C, T, A>& a, const basic_string<C, T, A>& b) {
  return tessera_order(a, b);
}
template <class K, class V, class C, class A>
strong_ordering operator<=>(const map<K, V, C, A>& a, const map<K, V, C, A>& b) {
  return tessera_order(a, b);
}

template <class T>
requires(is_unbounded_array_v<T>) unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}

// Only the scientific format with a precision, as std::printf writes it.
inline to_chars_result to_chars(char* first, char* last, double value, chars_format, int precision) {
  const int size = snprintf(nullptr, 0, "%.*e", precision, value);
  if (size >= last - first) return {last, errc::value_too_large};
  snprintf(first, static_cast<size_t>(size) + 1, "%.*e", precision, value);
  return {first + size, errc()};
}

namespace ranges {

template <class R>
concept tessera_range = requires(R& r) {
  std::begin(r);
  std::end(r);
};

// f(proj(x)), and less(proj(a), proj(b)).
template <class F, class P>
constexpr auto tessera_of(F& f, P& proj) {
  return [&f, &proj](auto&& x) -> decltype(auto) { return std::invoke(f, std::invoke(proj, x)); };
}
template <class C, class P>
constexpr auto tessera_by(C& less, P& proj) {
  return [&less, &proj](auto&& a, auto&& b) -> bool {
    return std::invoke(less, std::invoke(proj, a), std::invoke(proj, b));
  };
}

template <class I, class T, class P = identity>
requires(!tessera_range<I>) constexpr I find(I first, I last, const T& value, P proj = {}) {
  for (; first != last; ++first)
    if (std::invoke(proj, *first) == value) break;
  return first;
}
template <tessera_range R, class T, class P = identity>
constexpr auto find(R&& r, const T& value, P proj = {}) {
  return ranges::find(std::begin(r), std::end(r), value, std::move(proj));
}
template <class I, class F, class P = identity>
requires(!tessera_range<I>) constexpr I find_if(I first, I last, F f, P proj = {}) {
  return std::find_if(first, last, tessera_of(f, proj));
}
template <tessera_range R, class F, class P = identity>
constexpr auto find_if(R&& r, F f, P proj = {}) {
  return std::find_if(std::begin(r), std::end(r), tessera_of(f, proj));
}
template <class I, class F, class P = identity>
requires(!tessera_range<I>) constexpr bool any_of(I first, I last, F f, P proj = {}) {
  return std::any_of(first, last, tessera_of(f, proj));
}
template <tessera_range R, class F, class P = identity>
constexpr bool any_of(R&& r, F f, P proj = {}) {
  return std::any_of(std::begin(r), std::end(r), tessera_of(f, proj));
}
template <class I, class F, class P = identity>
requires(!tessera_range<I>) constexpr bool all_of(I first, I last, F f, P proj = {}) {
  return std::all_of(first, last, tessera_of(f, proj));
}
template <tessera_range R, class F, class P = identity>
constexpr bool all_of(R&& r, F f, P proj = {}) {
  return std::all_of(std::begin(r), std::end(r), tessera_of(f, proj));
}
template <tessera_range R, class F, class P = identity>
constexpr bool none_of(R&& r, F f, P proj = {}) {
  return std::none_of(std::begin(r), std::end(r), tessera_of(f, proj));
}
template <tessera_range R, class F, class P = identity>
constexpr auto count_if(R&& r, F f, P proj = {}) {
  return std::count_if(std::begin(r), std::end(r), tessera_of(f, proj));
}
template <class I, class T>
requires(!tessera_range<I>) constexpr auto count(I first, I last, const T& value) {
  return std::count(first, last, value);
}
template <tessera_range R, class T, class P = identity>
constexpr auto count(R&& r, const T& value, P proj = {}) {
  return std::count_if(std::begin(r), std::end(r), [&](auto&& x) { return std::invoke(proj, x) == value; });
}

template <class I, class C = ranges::less, class P = identity>
requires(!tessera_range<I>) constexpr void sort(I first, I last, C less = {}, P proj = {}) {
  std::sort(first, last, tessera_by(less, proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
constexpr void sort(R&& r, C less = {}, P proj = {}) {
  std::sort(std::begin(r), std::end(r), tessera_by(less, proj));
}
template <class I, class C = ranges::less, class P = identity>
requires(!tessera_range<I>) void stable_sort(I first, I last, C less = {}, P proj = {}) {
  std::stable_sort(first, last, tessera_by(less, proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
void stable_sort(R&& r, C less = {}, P proj = {}) {
  std::stable_sort(std::begin(r), std::end(r), tessera_by(less, proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
constexpr bool is_sorted(R&& r, C less = {}, P proj = {}) {
  return std::is_sorted(std::begin(r), std::end(r), tessera_by(less, proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
constexpr auto max_element(R&& r, C less = {}, P proj = {}) {
  return std::max_element(std::begin(r), std::end(r), tessera_by(less, proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
constexpr auto min_element(R&& r, C less = {}, P proj = {}) {
  return std::min_element(std::begin(r), std::end(r), tessera_by(less, proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
constexpr auto min(R&& r, C less = {}, P proj = {}) {
  return *ranges::min_element(r, std::move(less), std::move(proj));
}
template <tessera_range R, class C = ranges::less, class P = identity>
constexpr auto minmax(R&& r, C less = {}, P proj = {}) {
  const auto found = std::minmax_element(std::begin(r), std::end(r), tessera_by(less, proj));
  struct Found {
    decay_t<decltype(*found.first)> min, max;
  };
  return Found{*found.first, *found.second};
}
template <tessera_range R, class T, class C = ranges::less, class P = identity>
constexpr auto lower_bound(R&& r, const T& value, C less = {}, P proj = {}) {
  return std::lower_bound(std::begin(r), std::end(r), value,
                          [&](auto&& x, const T& v) -> bool { return std::invoke(less, std::invoke(proj, x), v); });
}
template <tessera_range R, class T, class C = ranges::less, class P = identity>
constexpr auto upper_bound(R&& r, const T& value, C less = {}, P proj = {}) {
  return std::upper_bound(std::begin(r), std::end(r), value,
                          [&](const T& v, auto&& x) -> bool { return std::invoke(less, v, std::invoke(proj, x)); });
}
template <tessera_range R, class T, class C = ranges::less, class P = identity>
constexpr bool binary_search(R&& r, const T& value, C less = {}, P proj = {}) {
  const auto at = ranges::lower_bound(r, value, less, proj);
  return at != std::end(r) && !std::invoke(less, value, std::invoke(proj, *at));
}

template <tessera_range R>
constexpr void reverse(R&& r) {
  std::reverse(std::begin(r), std::end(r));
}
template <class I>
requires(!tessera_range<I>) constexpr void reverse(I first, I last) { std::reverse(first, last); }
template <tessera_range R, class T, class U>
constexpr void replace(R&& r, const T& from, const U& to) {
  std::replace_if(
      std::begin(r), std::end(r), [&](const auto& x) { return x == from; }, to);
}
template <tessera_range R, class F, class T>
constexpr void replace_if(R&& r, F f, const T& to) {
  std::replace_if(std::begin(r), std::end(r), std::move(f), to);
}
template <tessera_range R, class T>
constexpr void fill(R&& r, const T& value) {
  std::fill(std::begin(r), std::end(r), value);
}
template <tessera_range R, class O>
constexpr void move(R&& r, O out) {
  std::move(std::begin(r), std::end(r), std::move(out));
}
template <tessera_range R, class O>
constexpr void copy(R&& r, O out) {
  std::copy(std::begin(r), std::end(r), std::move(out));
}
template <tessera_range R, class O, class F>
constexpr void copy_if(R&& r, O out, F f) {
  std::copy_if(std::begin(r), std::end(r), std::move(out), std::move(f));
}
template <tessera_range A, tessera_range B, class E = ranges::equal_to, class P = identity, class Q = identity>
constexpr bool equal(A&& a, B&& b, E same = {}, P ofA = {}, Q ofB = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), [&](auto&& x, auto&& y) -> bool {
    return std::invoke(same, std::invoke(ofA, x), std::invoke(ofB, y));
  });
}
template <tessera_range R, class E = ranges::equal_to, class P = identity>
constexpr auto adjacent_find(R&& r, E same = {}, P proj = {}) {
  return std::adjacent_find(std::begin(r), std::end(r), tessera_by(same, proj));
}
template <tessera_range A, tessera_range B, class O>
constexpr void set_union(A&& a, B&& b, O out) {
  std::set_union(std::begin(a), std::end(a), std::begin(b), std::end(b), std::move(out));
}
template <tessera_range R>
constexpr auto next_permutation(R&& r) {
  struct Found {
    bool found;
  };
  return Found{std::next_permutation(std::begin(r), std::end(r))};
}
template <tessera_range A, tessera_range B>
constexpr auto mismatch(A&& a, B&& b) {
  const auto found = std::mismatch(std::begin(a), std::end(a), std::begin(b), std::end(b));
  struct Found {
    decltype(std::begin(a)) in1;
    decltype(std::begin(b)) in2;
  };
  return Found{found.first, found.second};
}

}  // namespace ranges

_LIBCPP_END_NAMESPACE_STD
#endif
