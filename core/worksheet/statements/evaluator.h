// Evaluates expression trees in a scope. Pure; every error is a Diag with its place in the statement's text.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/worksheet/functions/functions.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

class Evaluator {
 public:
  // text: the source of the tree (special forms quote it).
  Evaluator(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  // Parses the statement's text[from, to); literals may refer to names bound in the scope.
  Result<NodePtr> parse(std::size_t from, std::size_t to) const {
    return parseExpression(text_, from, to, [this](const std::string& name) { return scope_.find(name); });
  }

  [[nodiscard]] Result<Value> evaluate(const Node& node);
  // The children of a node, in order.
  [[nodiscard]] Result<std::vector<Argument>> children(const Node& node);
  // The value bound to a name; nullptr: none.
  [[nodiscard]] const Value* find(const std::string& name) const { return scope_.find(name); }
  [[nodiscard]] const Scope::Bound* binding(const std::string& name) const { return scope_.lookUp(name); }
  // The statement that bound it; "": unknown.
  [[nodiscard]] std::string textOf(const std::string& name) const { return scope_.textOf(name); }
  // The algebra operation at the root of the last evaluated tree, if there was one.
  [[nodiscard]] const std::optional<Operation>& operation() const { return operation_; }
  [[nodiscard]] std::optional<Operation> takeOperation() { return std::exchange(operation_, std::nullopt); }
  [[nodiscard]] std::vector<Diag>& notes() { return notes_; }

 private:
  std::optional<Result<Value>> member(const Node& node);
  Result<Value> literal(const Node& node);
  Result<Value> name(const Node& node);
  Result<Value> tuple(const Node& node);
  Result<Value> brackets(const Node& node);
  Result<Value> layout(const Node& node);
  Result<Value> call(const Node& node);
  [[nodiscard]] bool isInstruction(const Node& node) const;  // a name bound to one
  [[nodiscard]] bool isElementType(const Node& node) const;
  Result<Value> argument(const Node& node, bool word, bool list);
  Result<Value> apply(const Node& node, const Value& function, std::size_t firstArgument);
  Result<Value> logic(const Node& node);
  Result<Value> compare(const Node& node);
  Result<Value> compose(const Node& node);
  Result<Value> arithmetic(const Node& node);
  Result<i64> integer(const Node& node);
  Result<bool> boolean(const Node& node);

  std::string_view text_;
  const Scope& scope_;
  std::optional<Operation> operation_;
  std::vector<Diag> notes_;
};

// tiler_value.cpp: (3:4, 8:2), <3:4, _>, [a; b]: integers, `_`, tuples, layouts and tilers.
[[nodiscard]] Result<Value> tilerOf(const std::vector<Argument>& elements);
// explain_call.cpp: the derivation of an algebra operation; a Diag if the expression is not one.
[[nodiscard]] Result<Value> explainNode(const Node& node, Evaluator& evaluator);

// Claims: injective(L), surjective(L, n), equal(A, B) ...; nullopt if the node is not a claim.
using ClaimRequest = ProveRequest;
[[nodiscard]] bool isClaimName(std::string_view name);
[[nodiscard]] std::optional<Result<ClaimRequest>> claimOf(const Node& node, std::string_view text,
                                                          Evaluator& evaluator);

// {name, signature, what} of the claims, and of the forms that take an unevaluated expression (explain, refuses).
[[nodiscard]] std::span<const FunctionInfo> claimInfos();
[[nodiscard]] std::span<const FunctionInfo> specialForms();
// All callable names: functions, claims, special forms.
[[nodiscard]] std::vector<std::string> callableNames();

}  // namespace tessera
