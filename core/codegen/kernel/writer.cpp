#include "core/codegen/kernel/writer.h"

#include <algorithm>

namespace tessera::codegen {
namespace {

// Words reserved by C++, CUDA or the generated text.
const std::set<std::string>& reserved() {
  static const std::set<std::string> all = {
      "alignas",   "and",       "asm",      "auto",     "bool",      "break",    "case",     "catch",    "char",
      "class",     "const",     "continue", "default",  "delete",    "do",       "double",   "else",     "enum",
      "explicit",  "export",    "extern",   "false",    "float",     "for",      "friend",   "goto",     "if",
      "inline",    "int",       "long",     "mutable",  "namespace", "new",      "not",      "operator", "or",
      "private",   "protected", "public",   "register", "return",    "short",    "signed",   "sizeof",   "static",
      "struct",    "switch",    "template", "this",     "throw",     "true",     "try",      "typedef",  "typename",
      "union",     "unsigned",  "using",    "virtual",  "void",      "volatile", "while",    "xor",      "half",
      "half2",     "min",       "max",      "tessera",  "threadIdx", "blockIdx", "blockDim", "gridDim",  "warpSize",
      "constexpr", "decltype",  "nullptr",  "noexcept", "exp",       "log",      "sqrt",     "fma",      "main",
      "bitand",    "bitor",     "compl",    "uint2",    "uint4",     "float2",   "wchar_t",  "concept",  "requires"};
  return all;
}

std::string identifier(const std::string& wish) {
  std::string out = functionName(wish);
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "t");
  return out;
}

}  // namespace

Writer::Writer(Used& prelude) : prelude_(prelude) {
  lines_.emplace_back();  // so that there is always a line before
  scopes_.push_back({{}, lines_.begin()});
}

Writer::Name Writer::name(const std::string& wish, int depth) {
  const std::string base = identifier(wish);
  std::string text = base;
  const bool further = depth >= 0 && depth < this->depth();
  const auto taken = [&] {
    return reserved().count(text) != 0 || (further && released_.count(text) != 0) ||
           std::ranges::any_of(scopes_, [&](const Scope& s) { return s.taken.count(text) != 0; });
  };
  for (int n = 1; taken(); ++n) text = base + "_" + std::to_string(n);
  scopes_[depth < 0 ? scopes_.size() - 1 : static_cast<std::size_t>(depth)].taken.insert(text);
  names_.push_back(text);
  return static_cast<Name>(names_.size()) - 1;
}

const std::string& Writer::use(Name name) {
  uses_.push_back(name);
  return names_[static_cast<std::size_t>(name)];
}

Writer::Line Writer::made(std::string text) {
  return {std::move(text), span_, static_cast<int>(scopes_.size()) - 1, -1, key_, takeUses()};
}

void Writer::statement(Span span) {
  span_ = span;
  scopes_.back().before = std::prev(lines_.end());
}

void Writer::hoist(int depth, Name name, std::string text, std::vector<Name> uses) {
  Scope& scope = scopes_[static_cast<std::size_t>(depth)];
  scope.before = lines_.insert(std::next(scope.before), {std::move(text), span_, depth, name, -1, std::move(uses)});
}

void Writer::release(Name name, int depth) {
  Scope& scope = depth < 0 ? scopes_.back() : scopes_[static_cast<std::size_t>(depth)];
  scope.taken.erase(names_[static_cast<std::size_t>(name)]);
  released_.insert(names_[static_cast<std::size_t>(name)]);
}

std::vector<Writer::Line> Writer::finish() {
  lines_.pop_front();
  std::erase_if(lines_, [&](const Line& l) { return l.key >= 0 && kept_.count(l.key) == 0; });
  // A name is alive if a kept line uses it. Backwards, because definitions come before their uses.
  std::set<Name> alive;
  for (auto l = lines_.end(); l != lines_.begin();) {
    --l;
    if (l->defines >= 0 && alive.count(l->defines) == 0) {
      l = lines_.erase(l);
      continue;
    }
    alive.insert(l->uses.begin(), l->uses.end());
  }
  return {lines_.begin(), lines_.end()};
}

}  // namespace tessera::codegen
