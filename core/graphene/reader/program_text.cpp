#include "core/graphene/reader/program_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/atlas/graphene_names.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/expr/walk.h"
#include "core/graphene/reader/parameters.h"

namespace tessera::graphene {
constexpr std::size_t kMaxStatements = 100'000;

ProgramText::ProgramText(std::string_view text)
    : reader(text, Order::Row, beginOf(text)), in(reader.cursor()), names(reader) {
  reader.fragments(atlasFragment);
  reader.resolve([this](const std::string& name) { return names.meaning(name); });
}

Result<void> ProgramText::count() {
  spend();
  if (++statements_ > kMaxStatements) return in.fail("this program is too long", "fewer statements");
  return {};
}

Result<std::string> ProgramText::tensorName() {
  const char mark = in.peek();
  if (mark != '%' && mark != '#') return in.fail("a tensor is missing here", "%NAME or #NAME");
  std::size_t length = 1;
  while (isNamePart(in.raw(length))) ++length;
  if (length == 1) return in.fail("the name of the tensor is missing", "%A, #warp");
  std::string name(in.text().substr(in.position(), length));
  in.advance(length);
  return name;
}

Result<Tensor> ProgramText::known() {
  const std::size_t begin = in.start();
  TESSERA_TRY(const std::string name, tensorName());
  if (const Tensor* found = names.tensor(name)) return *found;
  return in.failFrom(begin, fmt::format("there is no tensor {} here", name), "a tensor that is defined above",
                     didYouMean(name, names.tensorNames()));
}

Result<void> ProgramText::once(bool fresh, const std::string& written, std::size_t begin) const {
  return fresh ? Result<void>() : in.failFrom(begin, fmt::format("{} is defined twice here", written), "another name");
}

Result<Expr> ProgramText::delimited(std::string_view what) {
  const std::size_t begin = in.start();
  if (in.accept('(')) {
    TESSERA_TRY(Expr value, reader.number());
    TESSERA_CHECKED(in.expect(")", "after the expression"));
    return value;
  }
  const std::string word(in.peekWord());
  if (!word.empty() && isNameStart(word[0])) {
    in.advance(word.size());
    auto meant = names.meaning(word);
    if (!meant) meant.error().span = in.spanFrom(begin);
    return meant;
  }
  TESSERA_TRY(const i64 value, in.integer(what));
  return Expr::constant(value);
}

Result<i64> ProgramText::constant(std::string_view what, bool sum) {
  const std::size_t begin = in.start();
  const std::string_view word = in.peekWord();
  const bool expression = sum && ((!word.empty() && isNameStart(word[0])) || in.raw() == '(' || in.atInteger());
  TESSERA_TRY(const Expr value, expression ? reader.number() : delimited(what));
  if (!value.isConstant())
    return in.failFrom(
        begin, fmt::format("{} is not known before the program runs", in.text().substr(begin, in.position() - begin)),
        "an integer");
  return value.value();
}

Scopes::Scopes(Reader& reader) : reader_(reader), now_{{Scope{}}, std::nullopt} {
  variable({"blockIdx.x", Variable::Kind::Block, {}, {}, 1, {}});
  variable({"threadIdx.x", Variable::Kind::Thread, {}, {}, 1, {}});
}

void Scopes::parameters(Scope all) {
  parameters_ = std::move(all);
  now_.scopes.front() = parameters_;
}

std::optional<std::string> Scopes::notAsked() const {
  for (const auto& [name, value] : given_)
    if (!asked_.contains(name)) return name;
  return std::nullopt;
}

Scopes::Call::Call(Scopes& scopes, std::set<std::string> operands, Scope arguments, bool library) : scopes_(scopes) {
  const Frame& now = scopes.now_;
  const auto& values = arguments.values;
  if (std::ranges::any_of(values, [](const auto& v) { return !v.second.isConstant(); }))
    for (const Scope& scope : now.scopes)
      for (const auto& [word, index] : scope.indices)
        operands.insert(scopes.variables_[static_cast<std::size_t>(index)].name);
  Scope sizes;
  if (!library) sizes = scopes.parameters_;
  for (const auto& [word, index] : now.scopes.front().indices)
    if (scopes.isSize(word)) sizes.indices[word] = index;
  for (const auto& [word, value] : now.scopes.front().values)
    if (scopes.given_.contains(word)) sizes.values[word] = value;
  Frame inside{{std::move(sizes), std::move(arguments)}, std::move(operands)};
  outer_ = std::exchange(scopes.now_, std::move(inside));
}

int Scopes::variable(Variable v) {
  reader_.know({});  // so that the list has one owner, and `add` copies nothing
  names_.add(v.name);
  variables_.push_back(std::move(v));
  reader_.know(names_);
  return static_cast<int>(variables_.size()) - 1;
}

Result<Expr> Scopes::meaning(const std::string& name) {
  for (auto scope = now_.scopes.rbegin(); scope != now_.scopes.rend(); ++scope) {
    if (const auto at = scope->indices.find(name); at != scope->indices.end()) return Expr::param(at->second);
    if (const auto value = scope->values.find(name); value != scope->values.end()) return value->second;
    if (const auto word = scope->words.find(name); word != scope->words.end())
      return Diag{fmt::format("{} is {}, which is not a number", name, word->second), "a number"};
  }
  if (outermost() && name[0] != '@') {  // a size of the caller's tensors
    if (const auto number = given_.find(name); number != given_.end()) {
      asked_.insert(name);
      return inner().values[name] = Expr::constant(number->second);
    }
    const int index = variable({name, Variable::Kind::Size, {}, {}, 1, {}});
    inner().indices[name] = index;
    return Expr::param(index);
  }
  std::vector<std::string> known;
  for (const Scope& scope : now_.scopes) {
    for (const auto& [word, index] : scope.indices) known.push_back(word);
    for (const auto& [word, value] : scope.values) known.push_back(word);
  }
  return Diag{fmt::format("there is no index {} here", name), "a name of indices(), a loop, or a size",
              didYouMean(name, known)};
}

const Tensor* Scopes::tensor(const std::string& name) const {
  for (auto scope = now_.scopes.rbegin(); scope != now_.scopes.rend(); ++scope)
    if (const auto at = scope->tensors.find(name); at != scope->tensors.end()) return &at->second;
  return nullptr;
}

std::vector<std::string> Scopes::tensorNames() const {
  std::vector<std::string> out;
  for (const Scope& scope : now_.scopes)
    for (const auto& [word, t] : scope.tensors) out.push_back(word);
  return out;
}

bool Scopes::ofSizes(const Expr& e) const {
  return !anyLeaf(e, [&](const Expr& l) {
    return l.op() == Op::Digit ||
           (l.op() == Op::Param && variables_[static_cast<std::size_t>(l.index())].kind != Variable::Kind::Size);
  });
}

bool Scopes::isSize(const std::string& name) const {
  const auto& outer = now_.scopes.front().indices;
  const auto at = outer.find(name);
  return at != outer.end() && variables_[static_cast<std::size_t>(at->second)].kind == Variable::Kind::Size;
}

bool Scopes::isDigit(const std::string& name) const {
  return std::any_of(now_.scopes.begin() + 1, now_.scopes.end(), [&](const Scope& scope) {
    const auto at = scope.values.find(name);
    return at != scope.values.end() && at->second.op() == Op::Digit;
  });
}

std::optional<std::string> Scopes::wordOf(const std::string& name) const {
  for (auto scope = now_.scopes.rbegin(); scope != now_.scopes.rend(); ++scope) {
    if (const auto at = scope->words.find(name); at != scope->words.end()) return at->second;
    if (scope->indices.count(name) + scope->values.count(name) > 0) break;
  }
  return std::nullopt;
}

std::string Scopes::withWords(std::string_view attribute) const {
  std::string out;
  for (std::size_t at = 0; at < attribute.size();) {
    std::size_t end = at;
    while (end < attribute.size() && isNamePart(attribute[end])) ++end;
    if (end == at) {
      out += attribute[at++];
      continue;
    }
    std::string word(attribute.substr(at, end - at));
    for (auto scope = now_.scopes.rbegin(); scope != now_.scopes.rend(); ++scope) {
      if (const auto op = scope->words.find(word); op != scope->words.end()) {
        word = op->second;
        break;
      }
      const auto value = scope->values.find(word);
      if (value != scope->values.end() && value->second.isConstant()) {
        word = fmt::format("{}", value->second.value());
        break;
      }
    }
    out += word;
    at = end;
  }
  return out;
}

std::string Scopes::fresh(const std::string& name) const {
  if (!now_.taken) return name;
  const auto used = [&](const std::string& word) {
    return now_.taken->count(word) > 0 || std::ranges::any_of(now_.scopes, [&](const Scope& scope) {
             return std::ranges::any_of(scope.tensors,
                                        [&](const auto& t) { return t.first != name && nameOf(t.second) == word; });
           });
  };
  std::string word = name;
  for (int k = 2; used(word); ++k) word = fmt::format("{}_{}", name, k);
  return word;
}

}  // namespace tessera::graphene
