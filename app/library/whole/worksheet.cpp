#include <fmt/format.h>

#include "app/engine/answers.h"
#include "app/engine/engine.h"
#include "app/engine/json.h"
#include "app/library/whole/inside.h"
#include "core/worksheet/value.h"

namespace tessera::api {

struct Answer::Impl {
  bool holds = false;
  std::string kind, text, json, statement, name;
  int line = 0;
  std::optional<Error> error;
  std::optional<Verdict> verdict;
  std::optional<Layout> layout;
  std::optional<std::int64_t> number;
};

bool Answer::holds() const noexcept { return impl_->holds; }
const std::string& Answer::kind() const noexcept { return impl_->kind; }
const std::string& Answer::text() const noexcept { return impl_->text; }
const std::string& Answer::json() const noexcept { return impl_->json; }
int Answer::line() const noexcept { return impl_->line; }
const std::string& Answer::statement() const noexcept { return impl_->statement; }
const std::string& Answer::name() const noexcept { return impl_->name; }
const std::optional<Error>& Answer::error() const noexcept { return impl_->error; }
const std::optional<Verdict>& Answer::verdict() const noexcept { return impl_->verdict; }
const std::optional<Layout>& Answer::layout() const noexcept { return impl_->layout; }
const std::optional<std::int64_t>& Answer::number() const noexcept { return impl_->number; }

struct Worksheet::Impl {
  Scope scope;
};

Worksheet::Worksheet() : impl_(std::make_unique<Impl>()) {}
Worksheet::Worksheet(const Worksheet& other)
    : impl_(other.impl_ ? std::make_unique<Impl>(*other.impl_) : std::make_unique<Impl>()) {}
Worksheet::Worksheet(Worksheet&& other) noexcept = default;
Worksheet& Worksheet::operator=(Worksheet other) noexcept {
  impl_ = std::move(other.impl_);
  return *this;
}
Worksheet::~Worksheet() = default;

namespace {

std::string kindOf(const Outcome& outcome) {
  if (outcome.diag) return "error";
  if (outcome.ran) return "measurement";
  if (outcome.verdict) return "verdict";
  const Value* value = outcome.show ? outcome.show->value.get() : outcome.value.get();
  return value == nullptr ? "none" : tessera::kindOf(*value);
}

Answer::Impl reported(const Outcome& outcome, std::string_view text, const LineIndex& index) {
  Answer::Impl out;
  out.holds = outcome.holds();
  out.kind = kindOf(outcome);
  out.text = outcome.diag ? outcome.diag->message : textOf(outcome);
  out.json = jsonOf(outcome, index, JsonPlace{});
  out.line = outcome.statement.line;
  out.statement = outcome.statement.text;
  out.name = outcome.statement.name;
  if (outcome.diag) out.error = errorOf(*outcome.diag, text, index);
  if (outcome.verdict) out.verdict = verdictOf(*outcome.verdict);
  const Value* value = outcome.show ? outcome.show->value.get() : outcome.value.get();
  if (value == nullptr) return out;
  if (const auto* layout = std::get_if<tessera::Layout>(value)) out.layout = Access::made(*layout);
  if (const auto* number = std::get_if<i64>(value)) out.number = *number;
  if (const auto* truth = std::get_if<bool>(value)) out.number = *truth ? 1 : 0;
  return out;
}

Answer::Impl answered(const Statement& statement, Scope& scope, std::string_view text, const LineIndex& index,
                      const EngineOptions& engine) {
  // Printing counts towards the statement's budget.
  const WorkBudget limit({.seconds = budgetFor(statement, engine), .cancel = engine.prove.cancel});
  Outcome outcome = runStatement(statement, scope, engine);
  try {
    const WorkBudget printing({.seconds = engine.prove.budgetSeconds, .cancel = engine.prove.cancel});
    return reported(outcome, text, index);
  } catch (const OutOfBudget& end) {
    Outcome cut;
    cut.statement = statement;
    cut.diag = Diag{fmt::format("{}, while printing it", end.what()), "",
                    "smaller sizes, or more time: --budget SECONDS", statement.span};
    return reported(cut, text, index);
  }
}

}  // namespace

void Worksheet::bind(const std::string& name, const Layout& layout) {
  impl_->scope.bind(name, Value(Access::valueOf(layout)));
}

Result<std::vector<Answer>> Worksheet::run(std::string_view text, const Options& options) {
  Options whole = options;
  whole.seconds = 1e9;  // each statement has its own budget
  return guarded<std::vector<Answer>>(whole, text, [&]() -> tessera::Result<std::vector<Answer>> {
    const EngineOptions engine = engineOptions(options, EngineOptions::Figures::None);
    if (engine.prove.cancel != nullptr && engine.prove.cancel->load()) return Diag{"cancelled"};
    const LineIndex index(text);
    std::vector<Answer> answers;
    for (const Statement& statement : splitStatements(text)) {
      if (engine.prove.cancel != nullptr && engine.prove.cancel->load()) break;
      answers.push_back(Access::made<Answer>(answered(statement, impl_->scope, text, index, engine)));
    }
    return answers;
  });
}

Result<std::vector<Answer>> run(std::string_view worksheet, const Options& options) {
  Worksheet own;
  return own.run(worksheet, options);
}

}  // namespace tessera::api
