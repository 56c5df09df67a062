// Choices by cases, and when the instances of a site access their places.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/expr/facts.h"
#include "solver/graphene/certificate/goal_proofs.h"

namespace tessera::graphene {
namespace {

constexpr int kDeepestChoice = 5, kMostChoices = 40;

// An expression of the text: floor((e)/d) is written ((e)/d).
std::string expressionOf(const LinearForm& form) {
  std::string out = print(form);
  const std::string word = "floor(";
  for (auto at = out.find(word); at != std::string::npos; at = out.find(word, at)) out.erase(at, word.size() - 1);
  return out;
}

class CaseSearch {
 public:
  CaseSearch(GoalProofs& proofs, const Conditions& given, const std::vector<CaseCandidate>& candidates, bool inOrder)
      : p_(proofs), given_(given), candidates_(candidates), inOrder_(inOrder) {}

  std::optional<ChosenInstance> run(const std::string& path, int depth) {
    if (++nodes_ > kMostChoices) return std::nullopt;
    const bool dead = p_.holds(given_, LinearForm{{{{}, -1}}});  // no instance needs the choice
    std::vector<std::pair<const CaseCandidate*, const LinearForm*>> partial;
    for (const CaseCandidate& candidate : candidates_) {
      const LinearForm* missing = nullptr;
      if (!dead && !isPossible(candidate, missing)) continue;
      if (missing != nullptr && !inOrder_) {
        partial.emplace_back(&candidate, missing);
      } else if (auto made = tried(candidate, missing, path, depth)) {
        return made;
      }
    }
    for (const auto& [candidate, missing] : partial)
      if (auto made = tried(*candidate, missing, path, depth)) return made;
    return std::nullopt;
  }

 private:
  std::optional<ChosenInstance> tried(const CaseCandidate& candidate, const LinearForm* missing,
                                      const std::string& path, int depth) {
    const GoalProofs::Mark before = p_.mark();
    if (missing == nullptr && candidate.proved(path)) return candidate.chosen;
    if (missing != nullptr && depth < kDeepestChoice)
      if (auto made = split(*missing, path, depth)) return made;
    p_.forget(before);
    return std::nullopt;
  }
  // `missing`: the first of what is needed that does not hold here.
  bool isPossible(const CaseCandidate& candidate, const LinearForm*& missing) {
    const auto never = [&](const LinearForm& form, bool oneSum) {
      return p_.holds(given_, lessOne(form, -1), oneSum) && known_.impossible.insert(&candidate).second;
    };
    const auto holds = [&](const LinearForm& form, bool oneSum) {
      return known_.forms.count(&form) != 0 || (p_.holds(given_, form, oneSum) && known_.forms.insert(&form).second);
    };
    if (known_.impossible.count(&candidate) != 0) return false;
    for (const LinearForm& form : candidate.needed)
      if (!holds(form, true) && never(form, true)) return false;
    for (const LinearForm& form : candidate.places)
      if (never(form, true)) return false;
    for (const LinearForm& form : candidate.needed) {
      if (holds(form, false)) continue;
      if (never(form, false)) return false;
      if (missing == nullptr) missing = &form;
    }
    return true;
  }
  std::optional<ChosenInstance> split(const LinearForm& test, const std::string& path, int depth) {
    ChosenInstance out;
    out.test = expressionOf(test);
    for (const bool then : {true, false}) {
      const Known outside = known_;
      p_.cases.push_back(then ? test : lessOne(test, -1));
      auto part = run(path + (then ? "/then" : "/else"), depth + 1);
      p_.cases.pop_back();
      known_ = outside;
      if (!part) return std::nullopt;
      out.parts.push_back(*std::move(part));
    }
    return out;
  }

  GoalProofs& p_;
  const Conditions& given_;
  const std::vector<CaseCandidate>& candidates_;
  bool inOrder_;
  // In this case, and those inside it.
  struct Known {
    std::set<const LinearForm*> forms;  // they hold
    std::set<const CaseCandidate*> impossible;
  } known_;
  int nodes_ = 0;
};

// The number that the names of a copy have without its suffix.
std::string plain(const std::string& name) { return name.substr(0, name.find('\'')); }

void addPaths(const ChosenInstance& choice, const std::string& path, std::set<std::string>& out) {
  if (choice.parts.empty()) out.insert(path);
  for (std::size_t k = 0; k < choice.parts.size(); ++k)
    addPaths(choice.parts[k], path + (k == 0 ? "/then" : "/else"), out);
}

}  // namespace

bool chooseByCases(GoalProofs& proofs, const std::string& name, const Conditions& given,
                   const std::vector<CaseCandidate>& candidates, bool inOrder) {
  auto made = CaseSearch(proofs, given, candidates, inOrder).run({}, 0);
  if (!made) return false;
  made->name = name;
  proofs.out.choices.push_back(*std::move(made));
  return true;
}

// Clocks count right if no loop that barriers or groups are in has a negative number of iterations.
bool Spans::counts() {
  for (const CountedLoop& loop : p_.kernel.sites().counted) {
    if (loop.specs.empty() || &p_.kernel.sites().specs[loop.specs.front()] != &p_.kernel.kernel()) continue;
    p_.instances.restart();
    Site around;
    around.loops = loop.loops;
    const SiteCopy a = p_.instances.copy(around, "");
    const Expr most = substitute(loop.most, {}, a.values);
    if (most.isConstant() && most.value() > 0) continue;
    if (!p_.prove(fmt::format("loop/{}", p_.instances.numberOf(loop.variable)), a.conditions,
                  Expr::constant(-1) - most))
      return false;
  }
  return true;
}

bool Spans::prepare(bool copies) {
  if (!counts()) return false;
  for (std::size_t s = 0; s < p_.count(); ++s) {
    if (!Instances::isCopy(p_.site(s))) continue;
    const GoalProofs::Mark before = p_.mark();
    if (!find(s)) return p_.fail("no wait is known that covers a copy");
    if (!copies) p_.forget(before);
  }
  return true;
}

// Of the wait's iterations the first, of which n + 1 groups are closed after the copy's.
std::optional<CaseCandidate> Spans::endsAt(std::size_t s, int number) {
  const AsyncWait& wait = p_.kernel.sites().waits[static_cast<std::size_t>(number)];
  const Site& site = p_.site(s);
  if (!wait.at.phase || !wait.at.groups || !site.groups) return std::nullopt;
  p_.instances.restart();
  const SiteCopy a = p_.instances.copy(site, "");
  const SiteCopy b = p_.instances.copy(wait.at, "'", &a, {true, true, {}});
  const auto closed = p_.forms.of(substitute(*wait.at.groups, {}, b.values));
  const auto end = p_.forms.of(substitute(*wait.at.phase, {}, b.values));
  if (!closed || !end) return std::nullopt;
  std::vector<Expr> first = b.values;
  for (const auto& [variable, n] : b.loops) {
    const Variable& v = p_.kernel.sites().program->variables[static_cast<std::size_t>(variable)];
    first[static_cast<std::size_t>(variable)] = substitute(v.lo, {}, first);
  }
  Expr rest = substitute(*site.groups, {}, a.values) + (wait.pending + 1) - substitute(*wait.at.groups, {}, first);
  CaseCandidate out;
  GoalProofs::Values values;
  for (std::size_t k = 0; k < b.loops.size(); ++k) {
    const std::string& name = p_.instances.names()[static_cast<std::size_t>(b.loops[k].second.index())];
    const auto coefficient = closed->terms.find({name});
    const i64 by = coefficient == closed->terms.end() ? 0 : coefficient->second;
    if (by < 0) return std::nullopt;
    const bool last = k + 1 == b.loops.size();
    const Expr value = by == 0 ? Expr::constant(0) : floorDiv(rest + (last ? by - 1 : 0), Expr::constant(by));
    if (by != 0) rest = mod(rest, Expr::constant(by));
    out.chosen.values.emplace_back(name, p_.instances.text(value));
    const auto form = p_.forms.of(value);
    if (!form) return std::nullopt;
    values[name] = *form;
  }
  const auto at = [&](const std::optional<LinearForm>& form) {
    return form ? p_.forms.substituted(*form, values) : std::nullopt;
  };
  const auto needed = [&](const std::optional<LinearForm>& form) {
    if (form) out.needed.push_back(*form);
    return form.has_value();
  };
  for (const Expr& c : b.conditions)
    if (!needed(at(p_.forms.of(c)))) return std::nullopt;
  const auto more = p_.forms.of(substitute(*site.groups, {}, a.values) + (wait.pending + 1));
  const auto there = at(closed), phase = at(end);
  if (!more || !there || !phase || !needed(sum(*there, *more, -1))) return std::nullopt;
  out.proved = [this, s, given = a.conditions, forms = out.needed, phase = *phase](const std::string& path) {
    const std::string name = fmt::format("flight/{}{}", s, path);
    for (std::size_t k = 0; k + 1 < forms.size(); ++k)
      if (!p_.prove(fmt::format("{}/exists/{}", name, k), given, lessOne(forms[k], -1))) return false;
    if (!p_.prove(name + "/groups", given, lessOne(forms.back(), -1))) return false;
    std::vector<Span>& known = copies_[&p_.site(s)];
    std::erase_if(known, [&](const Span& span) { return span.path == path; });
    known.push_back({path, p_.cases, {}, phase});
    return true;
  };
  return out;
}

bool Spans::find(std::size_t s) {
  std::vector<CaseCandidate> candidates;
  const std::vector<AsyncWait>& waits = p_.kernel.sites().waits;
  int number = 0;  // of the kernel
  for (std::size_t w = 0; w < waits.size(); ++w) {
    const std::vector<int>& specs = waits[w].at.specs;
    if (specs.empty() || &p_.kernel.sites().specs[specs.front()] != &p_.kernel.kernel()) continue;
    if (auto one = endsAt(s, static_cast<int>(w))) {
      one->chosen.site = number;
      candidates.push_back(*std::move(one));
    }
    ++number;
  }
  p_.instances.restart();
  const SiteCopy a = p_.instances.copy(p_.site(s), "");
  if (!chooseByCases(p_, fmt::format("flight/{}", s), a.conditions, candidates, /*inOrder=*/true)) return false;
  std::set<std::string> paths;
  addPaths(p_.out.choices.back(), {}, paths);
  std::erase_if(copies_[&p_.site(s)], [&](const Span& span) { return paths.count(span.path) == 0; });
  return true;
}

std::vector<Spans::Span> Spans::of(const SiteCopy& copy) const {
  const auto first = p_.forms.of(substitute(*copy.site->phase, {}, copy.values));
  if (!first) return {};
  const auto found = copies_.find(copy.site);
  if (found == copies_.end()) return {{{}, {}, *first, *first}};
  GoalProofs::Values names;
  std::vector<Expr> digits = copy.blocks;
  digits.insert(digits.end(), copy.threads.begin(), copy.threads.end());
  for (const auto& [variable, n] : copy.loops) digits.push_back(n);
  for (const Expr& e : digits) {
    const std::string& name = p_.instances.names()[static_cast<std::size_t>(e.index())];
    names[plain(name)] = LinearForm{{{{name}, 1}}};
  }
  std::vector<Span> out;
  for (const Span& span : found->second) {
    const auto last = p_.forms.substituted(span.last, names);
    if (!last) return {};
    out.push_back({span.path, {}, *first, *last});
    for (const LinearForm& form : span.cases) {
      const auto renamed = p_.forms.substituted(form, names);
      if (!renamed) return {};
      out.back().cases.push_back(*renamed);
    }
  }
  return out;
}

}  // namespace tessera::graphene
