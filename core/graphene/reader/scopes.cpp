#include "core/graphene/reader/scopes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/nearest.h"

namespace tessera::graphene {

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
  if (std::any_of(values.begin(), values.end(), [](const auto& v) { return !v.second.isConstant(); }))
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
  reader_.know({});  // whoever has the list alone adds to it in place
  names_.add(v.name);
  variables_.push_back(std::move(v));
  reader_.know(names_);
  return static_cast<int>(variables_.size()) - 1;
}

Result<Expr> Scopes::meaning(const std::string& name) {
  for (auto scope = now_.scopes.rbegin(); scope != now_.scopes.rend(); ++scope) {
    const auto at = scope->indices.find(name);
    if (at != scope->indices.end()) return Expr::param(at->second);
    const auto value = scope->values.find(name);
    if (value != scope->values.end()) return value->second;
    const auto word = scope->words.find(name);
    if (word != scope->words.end())
      return Diag{fmt::format("{} is {}, which is no number", name, word->second), "a number"};
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
  for (auto scope = now_.scopes.rbegin(); scope != now_.scopes.rend(); ++scope) {
    const auto at = scope->tensors.find(name);
    if (at != scope->tensors.end()) return &at->second;
  }
  return nullptr;
}

std::vector<std::string> Scopes::tensorNames() const {
  std::vector<std::string> out;
  for (const Scope& scope : now_.scopes)
    for (const auto& [word, t] : scope.tensors) out.push_back(word);
  return out;
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
    return now_.taken->count(word) > 0 || std::any_of(now_.scopes.begin(), now_.scopes.end(), [&](const Scope& scope) {
             return std::any_of(scope.tensors.begin(), scope.tensors.end(),
                                [&](const auto& t) { return t.first != name && nameOf(t.second) == word; });
           });
  };
  std::string word = name;
  for (int k = 2; used(word); ++k) word = fmt::format("{}_{}", name, k);
  return word;
}

}  // namespace tessera::graphene
