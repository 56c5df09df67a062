// Shared<T>: no value, or an immutable one that copies share. T may be incomplete where it is only passed on, so that a
// header that holds a T need not include it.
//
//     struct Value;
//     struct Outcome { Shared<Value> value; };      value.h is included where an outcome's value is read or made
//     outcome.value = Value(4);  if (outcome.value) print(*outcome.value);
//
// Law: a copy equals its original until one of them is assigned.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

namespace tessera {

template <typename T>
class Shared {
 public:
  Shared() = default;
  template <std::same_as<T> U>
  Shared(U value) : held_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: implicit, as of std::optional
  template <std::same_as<T> U>
  Shared(std::optional<U> value) {  // NOLINT: implicit
    if (value) held_ = std::make_shared<const T>(*std::move(value));
  }

  explicit operator bool() const { return held_ != nullptr; }
  [[nodiscard]] bool has_value() const { return held_ != nullptr; }
  const T& operator*() const { return *held_; }
  const T* operator->() const { return held_.get(); }
  [[nodiscard]] const T* get() const { return held_.get(); }  // nullptr: no value

 private:
  std::shared_ptr<const T> held_;
};

}  // namespace tessera
