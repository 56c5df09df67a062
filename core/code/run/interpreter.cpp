#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/code/run/statements.h"
#include "core/expr/bits.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

constexpr std::size_t kMostEntries = 32'768;
constexpr std::size_t kMostScopes = 1'000'000;

// The function that a text defines last; nullptr: its last statement defines none.
const Tree* lastFunction(const std::vector<Tree>& statements) {
  for (std::size_t k = statements.size(); k-- > 0;) {
    const Tree& t = statements[k];
    if (t.kind == Kind::Directive || t.kind == Kind::Opaque || t.kind == Kind::Empty || t.kind == Kind::Macro) continue;
    if (t.kind == Kind::Function && !t.children.empty() && t.children[0].kind != Kind::Empty) return &t;
    if (t.kind == Kind::Function) continue;  // only declared
    if (t.kind == Kind::Expression && !t.children.empty() && t.children[0].kind == Kind::Lambda) return &t.children[0];
    if (t.kind == Kind::Assign && t.children[1].kind == Kind::Lambda) return &t.children[1];
    if (t.kind == Kind::Expression && !t.children.empty() && t.children[0].kind == Kind::Assign &&
        t.children[0].children[1].kind == Kind::Lambda)
      return &t.children[0].children[1];
    if (t.kind == Kind::Lambda) return &t;
    if (t.kind == Kind::Declare && t.children.size() > 1 && t.children[1].kind == Kind::Lambda) return &t.children[1];
    if (t.kind == Kind::Namespace) return lastFunction(t.children);
    if (t.kind == Kind::Struct) {
      for (const Tree& m : t.children)
        if (m.kind == Kind::Function && m.text == "operator()") return &m;
      return lastFunction(t.children);
    }
    return nullptr;
  }
  return nullptr;
}

}  // namespace

Interpreter::Interpreter(std::string_view source, Language language, const Given& given, std::vector<Digit> digits,
                         bool survey)
    : source_(source),
      language_(language),
      arithmetic_(std::move(digits), language == Language::Python ? Rules::Python : Rules::C),
      names_(given, arithmetic_, survey),
      memory_(arithmetic_) {
  scope_ = newScope(nullptr);
}

Scope* Interpreter::newScope(Scope* outer) {
  scopes_.push_back(std::make_unique<Scope>());
  scopes_.back()->outer = outer;
  return scopes_.back().get();
}

Result<void> Interpreter::step(Span where) {
  spend();
  if (++steps_ <= kMostSteps && scopes_.size() < kMostScopes) return {};
  return Diag{fmt::format("this code takes more than {} steps", kMostSteps), "shorter loops",
              "name a loop's variable as a coordinate: --over k=8", where};
}

void Interpreter::recordAccesses() {
  const auto& accesses = memory_.accesses();
  for (; recorded_ < accesses.size() && entries_.size() < kMostEntries; ++recorded_) {
    const Access& access = accesses[recorded_];
    if (access.live.isConstant(0)) continue;
    Entry entry;
    entry.name = memory_.arrays()[static_cast<std::size_t>(access.array)].name;
    entry.value = numberValue(access.index);
    entry.live = access.live;
    entry.access = static_cast<int>(recorded_);
    entry.loops = loops_;
    entry.span = access.span;
    entries_.push_back(std::move(entry));
  }
}

void Interpreter::record(std::string name, const Value& value, Span span, bool isResult) {
  recordAccesses();
  if (depth_.calls != depth_.own || entries_.size() >= kMostEntries || value.isPlace) return;
  if (value.is(Value::Kind::None) || value.is(Value::Kind::Function) || value.is(Value::Kind::Type) ||
      value.is(Value::Kind::Unbound))
    return;
  Entry entry;
  entry.name = std::move(name);
  entry.value = value;
  entry.live = arithmetic_.live();
  entry.span = span;
  entry.isResult = isResult;
  entry.loops = loops_;
  entries_.push_back(std::move(entry));
}

Result<void> Interpreter::run(const Tree& tree) {
  if (arithmetic_.live().isConstant(0)) {
    const bool defines = tree.kind == Kind::Function || tree.kind == Kind::Macro || tree.kind == Kind::Struct;
    if (!defines) return {};
  }
  const Nesting level;
  if (level.tooDeep())
    return Diag{fmt::format("this nests more than {} levels deep", Nesting::kMost), "", "", tree.span};
  TESSERA_CHECKED(step(tree.span));
  TESSERA_CHECKED(Statements(*this, tree).run());
  if (depth_.calls == depth_.own) recordAccesses();
  return {};
}

Result<void> Interpreter::runBlock(const std::vector<Tree>& statements) {
  for (const Tree& s : statements) {
    Scope* const scope = scope_;
    const Expr live = arithmetic_.live();
    const int depth = depth_.calls, own = depth_.own;
    Result<void> done = run(s);
    if (done) continue;
    if (!names_.isSurvey() || steps_ > kMostSteps) return done;
    faults_.push_back(done.error());  // a survey goes on: the next statement may need other names
    scope_ = scope;
    depth_.calls = depth;
    depth_.own = own;
    arithmetic_.setLive(live);
  }
  return {};
}

Result<void> Interpreter::runAll(const std::vector<Tree>& statements) {
  const Tree* function = lastFunction(statements);
  if (function != nullptr) {
    std::vector<std::string> names;
    for (const Tree::Parameter& p : function->parameters) names.push_back(p.name);
    names_.setParameters(std::move(names));
  }
  TESSERA_CHECKED(runBlock(statements));
  if (function == nullptr) {
    arithmetic_.setLive(Expr::constant(1));
    if (frame_.result) record("result", *frame_.result, statements.back().span, true);
    return {};
  }
  Value f;
  f.kind = Value::Kind::Function;
  f.tree = function;
  f.closure = scope_;
  arithmetic_.setLive(Expr::constant(1));
  depth_.own = 1;
  for (const Tree::Parameter& p : function->parameters) {  // a coordinate even if nothing uses it
    const auto type = typeOf(p.type);
    if (!type || !type->isInteger() || names_.known(p.name, *type) || !p.byDefault.empty()) continue;
    TESSERA_TRY(const Number used, names_.number(unbound(p.name, p.span, *type)));
  }
  TESSERA_TRY(Value result, invoke(f, {}, nullptr, nullptr));
  depth_.own = 0;
  if (result.is(Value::Kind::Unbound)) {
    TESSERA_TRY(Number n, number(result, function->span));
    result = numberValue(std::move(n));
  }
  if (result.isPlace) {
    TESSERA_TRY(result, memory_.load(result, function->span));
  }
  std::string name = function->text;
  if (function->kind == Kind::Lambda) {
    name = "lambda";
    for (const Tree& s : statements) {
      const Tree& t = s.kind == Kind::Expression && !s.children.empty() ? s.children[0] : s;
      if (s.kind == Kind::Declare && s.children.size() > 1 && &s.children[1] == function) name = s.text;
      if (t.kind == Kind::Assign && &t.children[1] == function) name = textOf(t.children[0]);
    }
  }
  if (language_ == Language::Python)
    for (const Tree::Parameter& p : function->parameters) {
      const bool isArray = std::ranges::any_of(memory_.arrays(), [&](const Array& a) { return a.name == p.name; });
      const bool isFound = std::ranges::any_of(names_.missing(), [&](const Missing& m) {
        return m.name == p.name || m.name.starts_with(p.name + ".") || m.name.starts_with(p.name + "[");
      });
      if (isArray || isFound || names_.known(p.name, {}) || !p.byDefault.empty() || p.name == "self") continue;
      TESSERA_TRY(const Number used, names_.number(unbound(p.name, p.span)));
    }
  record(std::move(name), result, function->span, true);
  return {};
}

}  // namespace tessera::code
