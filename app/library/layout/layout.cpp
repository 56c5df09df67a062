#include <cstdio>
#include <cstdlib>

#include "app/library/layout/inside.h"
#include "core/worksheet/value.h"

namespace tessera::api {

std::string_view version() noexcept { return TESSERA_VERSION; }

void detail::valueOfFailure(const Error& error) noexcept {
  std::fprintf(stderr, "tessera: the value of a failed Result was taken: %s\n", error.marked().c_str());
  std::abort();
}

CancelFlag::CancelFlag() : impl_(std::make_shared<Impl>()) {}
void CancelFlag::raise() const noexcept { impl_->raised.store(true); }
bool CancelFlag::raised() const noexcept { return impl_->raised.load(); }

Error errorOf(const Diag& diag, std::string_view text) { return errorOf(diag, text, LineIndex(text)); }

Error errorOf(const Diag& diag, std::string_view text, const LineIndex& index) {
  Error error;
  error.message = diag.message;
  error.expected = diag.expected;
  error.hint = diag.hint;
  error.shown = printDiag(diag, text, index);
  if (diag.span.empty()) return error;
  const LineColumn at = index.at(diag.span.begin);
  error.line = at.line;
  error.column = at.column;
  error.begin = diag.span.begin;
  error.end = diag.span.end;
  return error;
}

Layout Access::made(tessera::Layout value) { return Layout(std::make_shared<const Layout::Impl>(std::move(value))); }

const std::string& Layout::Impl::text() const {
  std::call_once(textOnce_, [this] { text_ = value.text(); });
  return text_;
}

const LayoutAnswers& Layout::Impl::answers() const {
  std::call_once(answersOnce_, [this] {
    try {
      const WorkBudget limit({.seconds = Options().seconds});
      const tessera::Result<Arrow>& arrow = value.arrow();
      if (!arrow) return;
      answers_.shape = extentsOf(arrow->from);
      answers_.size = sizeOf(*arrow);
      answers_.firstModeFastest = arrow->from.order == LinearOrder::Colex;
      for (const Axis& axis : arrow->map.axes()) answers_.axes.push_back(axis.name);
    } catch (const OutOfBudget&) {  // as if it had no arrow: what needs one says why
      answers_ = {};
    }
  });
  return answers_;
}

std::string_view Layout::kind() const noexcept { return impl_->value.kind(); }
const std::string& Layout::text() const { return impl_->text(); }
std::optional<std::int64_t> Layout::size() const { return impl_->answers().size; }
const Numbers& Layout::shape() const { return impl_->answers().shape; }
const std::vector<std::string>& Layout::axes() const { return impl_->answers().axes; }
bool Layout::firstModeFastest() const { return impl_->answers().firstModeFastest; }

Scope scopeOf(const Names& names) {
  Scope scope;
  for (const auto& [name, layout] : names) scope.bind(name, Value(Access::valueOf(layout)));
  return scope;
}

tessera::Result<Value> evaluated(std::string_view text, Scope& scope) {
  std::vector<Statement> statements = splitArgument(text);
  if (statements.empty()) return Diag{"the text is empty", "a layout, such as (4,8):(8,1)"};
  Statement whole = statements.front();
  for (const Statement& s : statements) {
    if (s.kind == StatementKind::Invalid && s.diag) return *s.diag;
    if (s.kind != StatementKind::Expression)
      return Diag{"this is a statement, not an expression", "a layout, such as (4,8):(8,1)", "", s.span};
  }
  if (statements.size() > 1) {  // an expression pasted over several lines
    whole.span.end = statements.back().span.end;
    whole.text = text.substr(whole.span.begin, whole.span.end - whole.span.begin);
  }
  Evaluated answer = evaluate(whole, scope);
  if (answer.diag) return *std::move(answer.diag);
  if (!answer.value) return Diag{"this is a claim, not a value", "a layout, such as (4,8):(8,1)", "", whole.span};
  return *std::move(answer.value);
}

tessera::Result<Value> called(std::string_view text, const Names& names) {
  Scope scope = scopeOf(names);
  tessera::Result<Value> value = evaluated(text, scope);
  if (!value) value.error().span = {};
  return value;
}

Result<Layout> layout(std::string_view text, const Names& names, const Options& options) {
  return guarded<Layout>(options, text, [&]() -> tessera::Result<Layout> {
    Scope scope = scopeOf(names);
    TESSERA_TRY(const Value value, evaluated(text, scope));
    tessera::Result<tessera::Layout> found = layoutOf(value);
    if (!found) {
      if (found.error().span.empty()) found.error().span = {0, text.size()};
      return found.error();
    }
    return Access::made(*std::move(found));
  });
}

Computed computedOf(const Value& value) {
  Computed out;
  out.kind = tessera::kindOf(value);
  if (const auto* layout = heldLayout(value)) {
    out.layout = Access::made(*layout);
    return out;
  }
  out.text = textOf(value);
  if (const auto* number = std::get_if<i64>(&value)) out.number = *number;
  if (const auto* truth = std::get_if<bool>(&value)) out.number = *truth ? 1 : 0;
  return out;
}

Result<Computed> compute(std::string_view text, const Names& names, const Options& options) {
  return guarded<Computed>(options, text, [&]() -> tessera::Result<Computed> {
    Scope scope = scopeOf(names);
    TESSERA_TRY(const Value value, evaluated(text, scope));
    return computedOf(value);
  });
}

}  // namespace tessera::api
