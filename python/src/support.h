// What the bindings share: errors as exceptions, arguments of the public API from Python values, and calls of the
// engine without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <tessera/tessera.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera_python {

namespace nb = nanobind;
namespace ts = tessera::api;

// Adds the exception tessera.Error, a ValueError, to the module.
void addError(nb::module_& m);
// Raises it: str() is the marked text; message, expected, hint, line, column, begin and end are attributes.
[[noreturn]] void raise(const ts::Error& error);

// The value; or the Error as an exception.
template <typename T>
T valueOf(ts::Result<T> result) {
  if (!result) raise(result.error());
  return std::move(result).value();
}

// body() without the interpreter's lock. It must not touch Python objects.
template <typename Body>
auto unlocked(Body body) {
  return valueOf([&] {
    const nb::gil_scoped_release release;
    return body();
  }());
}

// The same for calls that may take minutes: on the main thread, Ctrl+C cancels them, so body(flag) runs on another one.
void runWithSignals(const std::function<void(const ts::CancelFlag&)>& body);
template <typename Body>
auto interruptible(Body body) {
  std::optional<decltype(body(std::declval<const ts::CancelFlag&>()))> result;
  runWithSignals([&](const ts::CancelFlag& flag) { result.emplace(body(flag)); });
  return valueOf(*std::move(result));
}

// A call with a budget. Beyond the default it may take minutes, so Ctrl+C ends it; below, a thread would cost more than
// the call. body(options).
inline constexpr double kDefaultSeconds = 10;
template <typename Body>
auto budgeted(double seconds, Body body) {
  if (seconds <= kDefaultSeconds) return unlocked([&] { return body(ts::Options{seconds, nullptr}); });
  return interruptible([&](const ts::CancelFlag& flag) { return body(ts::Options{seconds, &flag}); });
}

// {"A": layout} in the order of the dict.
ts::Names namesOf(const nb::dict& names);
// A coordinate: numbers, or one tuple of numbers. Raises TypeError for anything else.
ts::Numbers numbersOf(const nb::args& args);

void addLayouts(nb::module_& m);
void addProofs(nb::module_& m);
void addKernels(nb::module_& m);
void addModules(nb::module_& m);

}  // namespace tessera_python
