// Functions whose arguments are read by the types of their parameters.
//
//     Result<Shape> withMemorySpace(const Shape& shape, i64 space);
//     {"with_space", "with_space(P, 1)", ..., 2, 2, typed<1, xla::withMemorySpace>}
//         with_space(P, x): argument 0 is read as a Shape, argument 1 as an integer; an error of the function itself is
//         placed at argument 1
//
// The function may be a member: typed<0, &Shape::rank>. A std::optional parameter is an argument that may be missing; a
// first parameter of type Call is the call itself.
// Law: arguments are read in order, and the first that cannot be read is the error.
#pragma once

#include <functional>
#include <tuple>
#include <type_traits>

#include "core/worksheet/functions/functions.h"

namespace tessera {

// Where an error of a typed function is placed, unless at an argument.
inline constexpr int kWholeCall = -1;

// How an argument of this type is read. A notation adds its own types.
template <typename T>
inline constexpr auto kReader = nullptr;
template <>
inline constexpr auto kReader<i64> = &Call::integer;
template <>
inline constexpr auto kReader<std::vector<i64>> = &Call::integers;
template <>
inline constexpr auto kReader<std::string> = &Call::word;
template <>
inline constexpr auto kReader<cute::IntTuple> = &Call::tuple;
template <>
inline constexpr auto kReader<cute::Layout> = &Call::layout;
template <>
inline constexpr auto kReader<cute::Tiler> = &Call::tiler;
template <>
inline constexpr auto kReader<Map> = &Call::map;
template <>
inline constexpr auto kReader<Arrow> = &Call::arrow;

// Argument k as a T.
template <typename T>
[[nodiscard]] Result<T> argument(const Call& call, std::size_t k) {
  if constexpr (requires { requires std::is_same_v<T, std::optional<typename T::value_type>>; }) {
    if (k >= call.count()) return T();
    TESSERA_TRY(auto value, argument<typename T::value_type>(call, k));
    return T(std::move(value));
  } else if constexpr (std::is_same_v<T, Value>) {
    return call[k];
  } else {
    return std::invoke(kReader<T>, call, k);
  }
}

// The value of a notation or an alternative in argument k; a Diag that names what is expected.
template <typename T>
[[nodiscard]] Result<T> held(const Call& call, std::size_t k, std::string_view expected) {
  if (const T* value = as<T>(call[k])) return *value;
  return call.wrong(k, expected);
}

// The result of an operation as a value: texts, tuples and numbers of all types are values, too.
template <typename T>
Result<Value> valued(T value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return Value(Text{std::move(value)});
  } else if constexpr (std::is_same_v<T, std::vector<i64>>) {
    return tupleOf(value);
  } else if constexpr (std::is_same_v<T, cute::IntTuple>) {
    return normalised(std::move(value));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return Value(static_cast<i64>(value));
  } else {
    return Value(std::move(value));
  }
}
template <typename T>
Result<Value> valued(Result<T> result) {
  if (!result) return result.error();
  return valued(*std::move(result));
}

namespace typed_detail {

// The type that is read for a parameter; for a view it is the type that owns the data.
template <typename P>
struct Owner {
  using Type = P;
};
template <>
struct Owner<std::span<const i64>> {
  using Type = std::vector<i64>;
};
template <>
struct Owner<std::string_view> {
  using Type = std::string;
};
template <typename P>
using Read = typename Owner<std::decay_t<P>>::Type;

// The parameters of a function or, of a member, its class and parameters.
template <typename F>
struct Parameters;
template <typename R, typename... P>
struct Parameters<R (*)(P...)> {
  using Types = std::tuple<Read<P>...>;
};
template <typename R, typename C, typename... P>
struct Parameters<R (C::*)(P...) const> {
  using Types = std::tuple<C, Read<P>...>;
};
template <typename M, typename C>
struct Parameters<M C::*> {
  using Types = std::tuple<C>;
};
// The closure of a lambda has the parameters of its function.
template <auto F>
constexpr auto functionOf() {
  if constexpr (std::is_member_pointer_v<decltype(F)>) {
    return F;
  } else {
    return +F;
  }
}

template <int Place, auto F, typename Types, typename... Done>
Result<Value> run(const Call& call, const Done&... read) {
  constexpr std::size_t kNext = sizeof...(Done);
  if constexpr (kNext == std::tuple_size_v<Types>) {
    if constexpr (Place == kWholeCall) return valued(std::invoke(F, read...));
    return call.at(static_cast<std::size_t>(Place), valued(std::invoke(F, read...)));
  } else {
    using Next = std::tuple_element_t<kNext, Types>;
    constexpr bool kTakesCall = std::is_same_v<std::tuple_element_t<0, Types>, Call>;
    if constexpr (kTakesCall && kNext == 0) {
      return run<Place, F, Types>(call, call);
    } else {
      TESSERA_TRY(const Next next, argument<Next>(call, kNext - (kTakesCall ? 1 : 0)));
      return run<Place, F, Types>(call, read..., next);
    }
  }
}

}  // namespace typed_detail

// The implementation of a row by F.
template <int Place, auto F>
[[nodiscard]] Result<Value> typed(const Call& call) {
  return typed_detail::run<Place, F, typename typed_detail::Parameters<decltype(typed_detail::functionOf<F>())>::Types>(
      call);
}

}  // namespace tessera
