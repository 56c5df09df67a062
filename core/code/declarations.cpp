#include "core/code/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/code/declarations_builder.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20;
constexpr std::size_t kMostPieces = 200;

// The first component of every name in the tree: Traits of Traits::kN.
void namesIn(const Tree& tree, std::set<std::string>& names) {
  spend();
  if (tree.kind == Kind::Name) names.insert(tree.text.substr(0, tree.text.find("::")));
  for (const auto* list : {&tree.children, &tree.templateArguments, &tree.extents})
    for (const Tree& part : *list) namesIn(part, names);
  for (const auto* list : {&tree.parameters, &tree.templateParameters})
    for (const Tree::Parameter& parameter : *list)
      for (const Tree& value : parameter.byDefault) namesIn(value, names);
}

bool isArray(const Tree& tree) { return tree.kind == Kind::Declare && !tree.extents.empty(); }

}  // namespace

Result<Declarations> Declarations::of(std::string_view text, Language language) {
  if (text.size() > kMostSourceBytes)
    return Diag{fmt::format("the file has {} bytes; declarations are read from files of up to {}", text.size(),
                            kMostSourceBytes),
                "", "write the layout in the comment"};
  TESSERA_TRY(std::vector<Tree> trees, language == Language::Python ? readPython(text) : readCpp(text));
  Declarations out;
  out.text_ = text;
  out.language_ = language;
  out.trees_ = std::make_shared<const std::vector<Tree>>(std::move(trees));
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') out.lineStarts_.push_back(at + 1);
  Builder(out).run();
  for (auto& [name, all] : out.occurrences_) std::ranges::stable_sort(all, {}, &Occurrence::begin);
  return out;
}

std::size_t Declarations::lineOf(std::size_t at) const {
  return 1 + static_cast<std::size_t>(std::ranges::upper_bound(lineStarts_, at) - lineStarts_.begin());
}

// The innermost scope of a comment. Python's blocks end with their last statement: a comment after that belongs to the
// block if it is indented like it.
int Declarations::scopeOf(const Place& place) const {
  const std::size_t line = lineOf(place.at), start = line == 1 ? 0 : lineStarts_[line - 2];
  std::size_t at = place.at;
  const bool python = language_ == Language::Python;
  if (python && !place.isAlone) at = std::min(text_.find_first_not_of(" \t", start), at);
  const auto after = std::ranges::upper_bound(scopes_, at, {}, [](const SourceScope& s) { return s.span.begin; });
  int scope = static_cast<int>(after - scopes_.begin()) - 1;
  const auto holds = [&](const SourceScope& s) {
    return at < s.span.end || (python && place.isAlone && place.at - start >= s.column);
  };
  while (scope > 0 && !holds(scopes_[static_cast<std::size_t>(scope)]))
    scope = scopes_[static_cast<std::size_t>(scope)].parent;
  return std::max(scope, 0);
}

bool Declarations::encloses(int outer, int inner) const {
  for (int s = inner; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent)
    if (scopes_[static_cast<std::size_t>(s)].same == outer) return true;
  return false;
}

int Declarations::functionOf(int scope) const {
  const auto kind = [&] { return scopes_[static_cast<std::size_t>(scope)].kind; };
  while (scope > 0 && kind() != ScopeKind::Function && kind() != ScopeKind::Struct)
    scope = scopes_[static_cast<std::size_t>(scope)].parent;
  return scope;
}

std::vector<Declarations::Branch> Declarations::branchesAt(std::size_t at) const {
  const auto after = std::ranges::upper_bound(directives_, at, {}, &Directive::at);
  return after == directives_.begin() ? std::vector<Branch>{} : std::prev(after)->after;
}

// Whether both are in different branches of one #if.
bool Declarations::isExcluded(std::size_t declared, std::size_t used) const {
  const std::vector<Branch> a = branchesAt(declared), b = branchesAt(used);
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k].first != b[k].first) return false;
    if (a[k].second != b[k].second) return true;
  }
  return false;
}

const Declarations::Occurrence* Declarations::following(const All& all, std::size_t next, bool access) const {
  for (const Occurrence& o : all)
    if (o.statement == next &&
        (o.what == What::Access ? access : o.what == What::Defines && !(access && isArray(*o.tree))))
      return &o;
  return nullptr;
}

// C++: the last one before, in a scope around; members of a struct also after it.
const Declarations::Occurrence* Declarations::nearest(const All& all, std::size_t at, int scope, bool access) const {
  if (language_ == Language::Python) return nearestPython(all, at, scope, access);
  const auto sees = [&](const Occurrence& o) {
    spend();
    if (o.what == What::Changes || (o.what == What::Access && !access)) return false;
    if (access && o.what == What::Defines && isArray(*o.tree)) return false;
    return encloses(o.scope, scope) && !isExcluded(o.begin, at);
  };
  const auto end = std::ranges::lower_bound(all, at, {}, &Occurrence::begin);
  for (auto o = end; o != all.begin();)
    if (--o; sees(*o)) return &*o;
  for (auto o = end; o != all.end(); ++o)
    if (scopes_[static_cast<std::size_t>(o->scope)].kind == ScopeKind::Struct && sees(*o)) return &*o;
  return nullptr;
}

// Python: a name that a function assigns is its own; else the enclosing function's or the module's.
const Declarations::Occurrence* Declarations::nearestPython(const All& all, std::size_t at, int scope,
                                                            bool access) const {
  const int own = functionOf(scope);
  for (int f = own;; f = functionOf(scopes_[static_cast<std::size_t>(f)].parent)) {
    const bool isSeen = f == own || scopes_[static_cast<std::size_t>(f)].kind != ScopeKind::Struct;
    const Occurrence *before = nullptr, *after = nullptr;
    for (const Occurrence& o : all) {
      spend();
      if (!isSeen || o.what == What::Changes || (o.what == What::Access && !access)) continue;
      if (functionOf(o.scope) != f) continue;
      if (o.begin < at) before = &o;
      if (o.begin >= at && after == nullptr) after = &o;
    }
    if (before != nullptr) return before;
    if (after != nullptr && f != own) return after;
    if (f == 0) return nullptr;
  }
}

// Why the variable may have another value where it is used.
std::optional<Diag> Declarations::changed(const std::string& name, const All& all, const Occurrence& of,
                                          std::size_t used, int scope) const {
  const bool python = language_ == Language::Python;
  Span loop;  // the outermost loop around the use that is not around the declaration
  for (int s = scope; s > 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
    const SourceScope& one = scopes_[static_cast<std::size_t>(s)];
    if (one.kind == ScopeKind::Loop && !encloses(s, of.scope)) loop = one.span;
  }
  const auto refuse = [&](const Occurrence& o, std::string_view how) {
    return Diag{fmt::format("{} of line {} is {} line {}", name, lineOf(of.begin), how, lineOf(o.begin)),
                "a name with one value"};
  };
  const std::size_t from = loop.empty() ? of.begin : std::min(of.begin, loop.begin);
  const std::size_t to = std::max(used, loop.end);
  for (auto o = std::ranges::lower_bound(all, from, {}, &Occurrence::begin); o != all.end() && o->begin < to; ++o) {
    spend();
    const bool changes = o->what == What::Changes || (python && o->what == What::Defines);
    if (&*o == &of || !changes) continue;
    const bool between = o->begin > of.begin && o->begin < used;
    const bool inLoop = o->begin >= loop.begin && o->begin < loop.end;
    if (!between && !inLoop) continue;
    const bool same =
        python ? functionOf(o->scope) == functionOf(of.scope) : nearest(all, o->begin, o->scope, false) == &of;
    if (same) return refuse(*o, between ? "changed in" : "changed in the loop, in");
  }
  return std::nullopt;
}

std::optional<Diag> Declarations::doubtOf(const std::string& name, const All& all, const Occurrence& of,
                                          std::size_t used, int scope) const {
  const std::size_t line = lineOf(of.begin);
  if (of.what == What::Parameter)
    return Diag{fmt::format("{} is a parameter (line {}); the file gives it no value", name, line)};
  if (of.what == What::Elsewhere)
    return Diag{fmt::format("{} comes from elsewhere (line {}); the file gives it no value", name, line)};
  if (of.what == What::Loops) return Diag{fmt::format("{} is the variable of a loop (line {})", name, line)};
  if (of.what == What::Access) return std::nullopt;
  if (language_ == Language::Python) {
    const bool outer = functionOf(of.scope) != functionOf(scope);
    for (const Occurrence& o : all) {
      spend();
      const bool assigns = o.what == What::Defines || o.what == What::Changes;
      if (outer && &o != &of && assigns && functionOf(o.scope) == functionOf(of.scope))
        return Diag{fmt::format("{} is assigned in lines {} and {}", name, lineOf(std::min(o.begin, of.begin)),
                                lineOf(std::max(o.begin, of.begin))),
                    "a name with one value"};
    }
    if (!outer && !encloses(of.scope, scope))
      return Diag{fmt::format("{} is assigned under a condition or in a loop (line {})", name, line),
                  "a name with one value"};
  } else {
    const std::vector<Branch> here = branchesAt(used);
    for (const Occurrence& o : all) {
      spend();
      if (o.what != What::Defines || o.scope != of.scope || !isExcluded(o.begin, of.begin)) continue;
      if (isExcluded(o.begin, used) || o.begin > used) continue;
      return Diag{fmt::format("{} is declared in lines {} and {}, in branches of #if", name,
                              lineOf(std::min(o.begin, of.begin)), lineOf(std::max(o.begin, of.begin))),
                  "a name with one value"};
    }
  }
  return changed(name, all, of, used, scope);
}

Declarations::Found Declarations::find(const std::string& name, const Place& place, bool access) const {
  const auto all = occurrences_.find(name);
  if (all == occurrences_.end()) return {};
  const auto here = place.next ? following(all->second, *place.next, access) : nullptr;
  if (here != nullptr) {
    if (here->what != What::Access) return {here, std::nullopt};
  }
  const int scope = scopeOf(place);
  const Occurrence* at = here != nullptr ? here : nearest(all->second, place.at, scope, access);
  if (at == nullptr) {
    const Occurrence* any = nullptr;
    for (const Occurrence& o : all->second)
      if (o.what == What::Defines) any = &o;
    if (any == nullptr) return {};
    return {nullptr,
            Diag{fmt::format("{} is declared in line {}, which this place does not see", name, lineOf(any->begin)),
                 "a comment in the scope of the declaration, after it"}};
  }
  if (at->what == What::Access) {
    for (const Occurrence& o : all->second)
      if (&o != at && o.what == What::Access && o.statement == at->statement && !sameTree(*o.tree, *at->tree))
        return {nullptr, Diag{fmt::format("line {} accesses {} at two indices", lineOf(at->begin), name), "one access",
                              "name the index: int index = ..."}};
    return {at, std::nullopt};
  }
  return {at, doubtOf(name, all->second, *at, place.at, scope)};
}

std::optional<Span> Declarations::declarationOf(const std::string& name, Place place, bool access) const {
  const Found found = find(name, place, access);
  if (found.at == nullptr || found.doubt) return std::nullopt;
  return found.at->tree->span;
}

bool Declarations::declares(const std::string& name, const Tree& tree) const {
  const auto all = occurrences_.find(name);
  return all != occurrences_.end() &&
         std::ranges::any_of(all->second, [&](const Occurrence& o) { return o.tree == &tree; });
}

Result<std::optional<Slice>> Declarations::slice(const std::string& name, Place place, const Asked& asked) const {
  const Found first = find(name, place, asked.access);
  if (first.doubt) return *first.doubt;
  if (first.at == nullptr) return std::optional<Slice>();
  Slice out;
  out.span = first.at->tree->span;
  out.isAccess = first.at->what == What::Access;
  std::map<std::size_t, std::vector<const Tree*>> pieces;  // by their place
  std::set<const Tree*> taken = {first.at->tree};
  std::set<std::string> unknown;
  std::vector<const Occurrence*> open = {first.at};
  while (!open.empty()) {
    const Occurrence& from = *open.back();
    open.pop_back();
    std::set<std::string> names;
    namesIn(*from.tree, names);
    for (const std::string& used : names) {
      if (std::ranges::count(asked.cut, used) > 0) continue;
      const Found found = find(used, {from.begin, false, {}}, false);
      if (found.at != nullptr && !found.doubt) {
        if (!taken.insert(found.at->tree).second) continue;
        if (taken.size() > kMostPieces)
          return Diag{fmt::format("{} needs more than {} declarations", name, kMostPieces)};
        pieces[found.at->begin].push_back(found.at->tree);
        open.push_back(found.at);
        continue;
      }
      if (!unknown.insert(used).second) continue;
      if (asked.isGiven && asked.isGiven(used)) {
        out.given.push_back(used);
      } else if (found.doubt && !declares(used, *from.tree)) {
        out.doubts.emplace_back(used, *found.doubt);
      }
    }
  }
  const auto write = [&](const Tree& tree) {
    // A macro is its text: #define N (1 + 2) has another meaning than #define N 1 + 2.
    const std::string printed = tree.kind == Kind::Macro
                                    ? std::string(text_.substr(tree.span.begin, tree.span.end - tree.span.begin))
                                    : print(tree, language_);
    out.text += stripped(printed);
    out.text += tree.kind == Kind::Subscript ? ";\n" : "\n";
  };
  for (const auto& [begin, trees] : pieces)
    for (const Tree* tree : trees) write(*tree);
  write(*first.at->tree);
  return std::optional<Slice>(std::move(out));
}

}  // namespace tessera::code
