// The implementation side of layout.h: conversion of internal values to public ones and of Diags to Errors, and the
// guard around every call, which lets no exception pass.
#pragma once

#include <tessera/layout.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/work_budget.h"
#include "core/layout/layout.h"
#include "core/map/tabulate.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/worksheet.h"

namespace tessera::api {

struct CancelFlag::Impl {
  std::atomic<bool> raised = false;
};

// A layout with one value per coordinate of a box, compiled.
struct QuickPoints {
  PointEvaluator evaluator;
  Numbers extents;
  LinearOrder order;
  std::int64_t size = 0;
  std::size_t axes = 0;
};

// What a Layout answers without a budget. Why on demand: results of a chain of operations are seldom asked.
struct LayoutAnswers {
  Numbers shape;
  std::vector<std::string> axes;
  std::optional<std::int64_t> size;
  bool firstModeFastest = true;
};

struct Layout::Impl {
  explicit Impl(tessera::Layout held) : value(std::move(held)) {}
  // Each is computed once. Thread-safe.
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const LayoutAnswers& answers() const;
  // nullptr: the layout has replicas, padding, symbolic sizes or coordinates that do not start at 0.
  [[nodiscard]] const QuickPoints* quick() const;
  // The same if it was asked before, else nullptr: without a budget, which costs as much as a point.
  [[nodiscard]] const QuickPoints* knownQuick() const noexcept { return known_.load(std::memory_order_acquire); }

  tessera::Layout value;

 private:
  mutable std::once_flag textOnce_, answersOnce_, quickOnce_;
  mutable std::string text_;
  mutable LayoutAnswers answers_;
  mutable std::optional<QuickPoints> quick_;
  mutable std::atomic<const QuickPoints*> known_ = nullptr;
};

// Converts between internal and public values.
struct Access {
  static Layout made(tessera::Layout value);  // may throw
  // An Answer or a Module of tessera.h.
  template <typename Public>
  static Public made(typename Public::Impl impl) {
    return Public(std::make_shared<const typename Public::Impl>(std::move(impl)));
  }
  static const tessera::Layout& valueOf(const Layout& layout) { return layout.impl_->value; }
  static const QuickPoints* quickOf(const Layout& layout) { return layout.impl_->quick(); }
  static const QuickPoints* knownQuickOf(const Layout& layout) noexcept { return layout.impl_->knownQuick(); }
  static const std::atomic<bool>* flagOf(const Options& options) {
    return options.cancel == nullptr ? nullptr : &options.cancel->impl_->raised;
  }
};

// `text`: the text that the Diag's span refers to; empty if a value, not a text, was wrong.
[[nodiscard]] Error errorOf(const Diag& diag, std::string_view text = {});
// With an existing index, so that a text with a thousand errors is indexed only once.
[[nodiscard]] Error errorOf(const Diag& diag, std::string_view text, const LineIndex& index);

// The result of body(), a tessera::Result<T>; an exception becomes an Error.
template <typename T, typename Body>
Result<T> guarded(const Options& options, std::string_view text, Body body) noexcept {
  try {
    const WorkBudget limit({.seconds = options.seconds, .cancel = Access::flagOf(options)});
    try {
      tessera::Result<T> result = body();
      if (result) return *std::move(result);
      return errorOf(result.error(), text);
    } catch (const OutOfBudget& end) {
      return errorOf(Diag{end.cancelled() ? "cancelled" : end.what(), "",
                          end.cancelled() ? "" : "smaller sizes, or more seconds in Options"});
    } catch (const std::bad_alloc&) {
      return errorOf(Diag{"there is not enough memory", "", "smaller extents"});
    } catch (const std::exception& error) {
      return errorOf(Diag{std::string("internal error: ") + error.what(), "", "please report this call"});
    }
  } catch (...) {  // there is no memory even for the message
    Error error;
    error.message = "out of memory";
    return error;
  }
}

// The value as a result of compute().
[[nodiscard]] Computed computedOf(const Value& value);
// The value of a text that is a single expression. A Diag for other statements and for claims.
[[nodiscard]] tessera::Result<Value> evaluated(std::string_view text, Scope& scope);
[[nodiscard]] Scope scopeOf(const Names& names);
// The same for an internally generated text; its Diag has no position, because the caller never saw the text.
[[nodiscard]] tessera::Result<Value> called(std::string_view text, const Names& names);

}  // namespace tessera::api
