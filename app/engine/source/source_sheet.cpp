#include "app/engine/source/source_sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/answers.h"
#include "app/engine/paste/pasted.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work_budget.h"
#include "core/code/index_code.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

constexpr int kMostNames = 64;  // of the file that one statement uses
constexpr const char* kValue = "tessera_value";

// The name that a statement lacks: the messages of the evaluator.
std::string missingIn(const Diag& diag, std::string_view text) {
  const bool missing = diag.message.ends_with("' is not defined") ||
                       diag.message.starts_with("there is no function '") ||
                       diag.message.ends_with("' is a function; it needs its arguments");
  if (!missing || diag.span.end > text.size() || diag.span.empty()) return "";
  const std::string name(text.substr(diag.span.begin, diag.span.end - diag.span.begin));
  const bool is = isNameStart(name.front()) && std::ranges::all_of(name, isNamePart);
  return is ? name : "";
}

// The access in the last line of the slice; the text of the code begins with an empty line.
Result<code::IndexCode> accessOf(code::IndexCode code, const code::Slice& slice) {
  const auto line = static_cast<std::size_t>(std::ranges::count(slice.text, '\n')) + 1;
  for (std::size_t k = code.values->size(); k-- > 0;) {
    const code::IndexValue& value = (*code.values)[k];
    if (value.line != line || value.kind != code::IndexValue::Kind::Access) continue;
    if (value.fault) return *value.fault;
    code.selected = k;
    return code;
  }
  return Diag{"the code makes no access there"};
}

// What a domain names: row of `over (row = 64) with N = 8`. These stay free in the code.
std::vector<std::string> namesOf(const SourceStatement::Domain& domain) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < domain.text.size(); ++k) {
    if (domain.text[k] != '=') continue;
    std::size_t end = k;
    while (end > 0 && isBlank(domain.text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && !isBlank(domain.text[begin - 1]) && domain.text[begin - 1] != ',' &&
           domain.text[begin - 1] != '(')
      --begin;
    out.push_back(domain.text.substr(begin, end - begin));
    const std::size_t first = out.back().find_first_of(".:[(");  // coord of coord.x
    if (first != std::string::npos) out.push_back(out.back().substr(0, first));
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& one : words) out += (out.empty() ? "" : std::string(between)) + one;
  return out;
}

bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isNamePart(text[at - 1])) && (end == text.size() || !isNamePart(text[end]))) return true;
  }
  return false;
}

// Why the declaration has no value: what it asks for.
Diag unanswered(const std::string& name, const std::vector<paste::Question>& questions, const code::Slice& slice,
                bool isCode) {
  std::vector<std::string> names, extents;
  for (const paste::Question& q : questions) {
    names.push_back(q.name);
    extents.push_back(q.name + " = 64");
  }
  Diag out{fmt::format("{} {} not given", joined(names, ", "), names.size() == 1 ? "is" : "are")};
  for (const auto& [doubted, why] : slice.doubts)
    if (std::ranges::count(names, doubted) > 0) out.message += "; " + why.message;
  if (isCode) {
    out.expected = "an extent for each coordinate of index code, and a value for each constant";
    out.hint = fmt::format("{} over ({})", name, joined(extents, ", "));
  } else {
    out.expected = fmt::format("a value: {}", questions.front().asks);
    out.hint = fmt::format("a comment before this one: tessera: {} = 64", names.front());
  }
  return out;
}

// A claim that was written over several lines, or with a domain that is blank, on one line.
std::string withoutGaps(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (isBlank(c)) {
      if (!out.empty() && out.back() != ' ' && out.back() != '(') out += ' ';
      continue;
    }
    if ((c == ')' || c == ',') && !out.empty() && out.back() == ' ') out.pop_back();
    out += c;
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SourceSheet::givenOf(const code::Slice& slice) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& name : slice.given)
    if (const Value* value = scope_.find(name)) out.emplace_back(name, print(*value));
  return out;
}

// An integer, or a tuple of integers, that the code fixes.
std::optional<SourceSheet::Named> SourceSheet::constantOf(const std::string& name, const code::Slice& slice) const {
  code::Given given;
  for (const auto& [one, value] : givenOf(slice))
    if (auto constant = code::constantOf(one, value)) given.constants.push_back(*std::move(constant));
  const bool python = language_ == code::Language::Python;
  const std::string asked =
      python ? "" : fmt::format("long long {} = ({}) | 0;\n", kValue, name);  // of a macro too, of no pointer
  const Result<code::IndexCode> code = code::indexCode(word(), slice.text + asked, given);
  if (!code) return std::nullopt;
  const code::IndexValue& value = code->value();
  const bool constant = value.name == (python ? name : kValue) && !value.fault &&
                        value.kind == code::IndexValue::Kind::Value && value.map.digits().empty() &&
                        value.map.guards().empty() && !value.map.axes().empty() &&
                        std::ranges::all_of(value.map.axes(), [](const Axis& a) { return a.value.isConstant(); });
  if (!constant) return std::nullopt;
  std::vector<cute::IntTuple> numbers;
  for (const Axis& axis : value.map.axes()) numbers.emplace_back(axis.value.value());
  Scope::Bound bound;
  bound.value = numbers.size() == 1 ? Shared<Value>(Value(value.map.axes()[0].value.value()))
                                    : Shared<Value>(Value(cute::IntTuple::tuple(std::move(numbers))));
  std::string text = print(*bound.value);
  bound.text = fmt::format("{} = {}", name, text);
  return Named{std::make_shared<const Scope::Bound>(std::move(bound)), std::move(text)};
}

Result<SourceSheet::Named> SourceSheet::readCode(const std::string& name, const code::Slice& slice,
                                                 const SourceStatement::Domain& domain) const {
  std::string tail = domain.text;
  bool first = tail.find(") with ") == std::string::npos && tail.find("with", tail.rfind(')')) == std::string::npos;
  for (const auto& [one, value] : givenOf(slice)) {
    tail += fmt::format("{}{} = {}", first ? " with " : ", ", one, value);
    first = false;
  }
  const auto doubted = [&](Diag diag) {
    for (const auto& [one, why] : slice.doubts)
      if (hasWord(diag.message, one)) diag.message += "; " + why.message;
    return diag;
  };
  const std::string block = fmt::format("{} {{\n{}}} {}", word(), slice.text, tail);
  Cursor in(block);
  Result<std::optional<code::IndexCode>> parsed = code::parsePrefix(in);
  if (!parsed) return doubted(parsed.error());
  if (!*parsed || !in.atEnd()) return Diag{"the domain is not one", "over (row = 64, col = 8) with N = 4"};
  const Result<code::IndexCode> code = slice.isAccess ? accessOf(**std::move(parsed), slice) : selected(**parsed, name);
  if (!code) return doubted(code.error());
  Scope::Bound bound;
  bound.value = Shared<Value>(Value(Layout(*code)));
  std::string text = print(*bound.value);
  bound.text = fmt::format("{} = {}", name, text);
  return Named{std::make_shared<const Scope::Bound>(std::move(bound)), std::move(text)};
}

Result<SourceSheet::Named> SourceSheet::readSlice(const std::string& name, const code::Slice& slice,
                                                  const SourceStatement::Domain* domain) const {
  if (domain != nullptr) return readCode(name, slice, *domain);
  if (auto constant = constantOf(name, slice)) return *std::move(constant);
  paste::Given given;
  given.lets = givenOf(slice);
  given.isSource = true;
  TESSERA_TRY(const Pasted pasted, evaluatePaste(slice.text, given, options_));
  if (!pasted.reading.questions.empty())
    return unanswered(name, pasted.reading.questions, slice, pasted.reading.dialect.starts_with("index code"));
  for (const Outcome& outcome : pasted.outcomes)
    if (outcome.diag) return *outcome.diag;
  const Scope::Bound* bound = pasted.scope.lookUp(name);
  if (bound == nullptr) bound = pasted.scope.lookUp("X");
  if (bound == nullptr) return Diag{"it is no layout, index or constant"};
  return Named{std::make_shared<const Scope::Bound>(*bound), print(*bound->value)};
}

Result<void> SourceSheet::resolve(const std::string& name, const SourceStatement& of,
                                  const SourceStatement::Domain* domain, Scope& scope,
                                  std::vector<ReadDeclaration>& reads) {
  if (!readDeclarations()) return declarations_->error();
  code::Declarations::Asked asked;
  asked.access = domain != nullptr;
  if (domain != nullptr) asked.cut = namesOf(*domain);
  asked.isGiven = [&](const std::string& one) { return scope_.find(one) != nullptr; };
  Result<std::optional<code::Slice>> read = (*declarations_)->slice(name, of.place, asked);
  if (!read) {
    if (read.error().hint.empty())
      read.error().hint = fmt::format("a comment before this one gives it a value: tessera: {} = 64", name);
    return read.error();
  }
  const std::optional<code::Slice>& slice = *read;
  if (!slice)
    return Diag{fmt::format("'{}' is not defined", name.substr(0, 60)),
                "a name that an earlier comment binds, or that the code declares"};
  std::string key = slice->text + "\n" + (domain == nullptr ? "" : domain->text) + "\n";
  for (const auto& [one, value] : givenOf(*slice)) key += one + " = " + value + "\n";
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(key, readSlice(name, *slice, domain)).first;
  const int line = lines_.at(slice->span.begin).line;
  if (!known->second) {
    Diag diag = known->second.error();
    diag.message = fmt::format("{} (line {}) cannot be read: {}", name, line, diag.message);
    return diag;
  }
  scope.bind(name, known->second->value);
  if (domain != nullptr && of.bindsDomain() == name) ofDomain_[name] = slice->span;
  reads.push_back({name, line, known->second->text});
  return {};
}

bool SourceSheet::readDeclarations() {
  if (!declarations_) declarations_ = code::Declarations::of(text_, language_);
  return declarations_->ok();
}

// A name of the statement that a comment bound, although the code here declares it: the claim would be about another
// value than the reader sees.
std::optional<Diag> SourceSheet::hidden(const SourceStatement& of) {
  const std::string& text = of.statement.text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    spend();
    if (!isNameStart(text[at]) || (at > 0 && (isNamePart(text[at - 1]) || text[at - 1] == '.'))) continue;
    std::size_t end = at;
    while (end < text.size() && isNamePart(text[end])) ++end;
    const std::string name = text.substr(at, end - at);
    const Span span = {of.statement.span.begin + at, of.statement.span.begin + end};
    const bool domain = std::ranges::any_of(of.domains, [&](const auto& d) { return d.name == span; });
    if (domain || (name == of.statement.name && at == 0) || scope_.find(name) == nullptr) continue;
    if (!readDeclarations()) return std::nullopt;
    const auto bound = ofDomain_.find(name);
    const auto seen = (*declarations_)->declarationOf(name, of.place, bound != ofDomain_.end());
    if (!seen || (bound != ofDomain_.end() && bound->second == *seen)) continue;
    const int line = lines_.at(seen->begin).line;
    return Diag{fmt::format("{} is bound by a comment, and declared in line {}", name, line),
                bound == ofDomain_.end() ? "another name in the comment"
                                         : "a domain for this declaration: " + name + " over (...)",
                "", span};
  }
  return std::nullopt;
}

SourceSheet::Answer SourceSheet::run(const SourceStatement& of) {
  const WorkBudget both({.seconds = budgetFor(of.statement, options_), .cancel = options_.prove.cancel});
  Answer out;
  std::optional<Scope> own;  // the sheet's, and the names of the file
  const auto fail = [&](Diag diag, Span span) {
    out.outcome = Outcome();
    out.outcome.statement = of.statement;
    diag.span = span;
    out.outcome.diag = std::move(diag);
  };
  const auto bound = [&](const std::string& name, Span span, const SourceStatement::Domain* domain) {
    if (!own) own = scope_;
    try {
      const Result<void> done = resolve(name, of, domain, *own, out.reads);
      if (!done) fail(done.error(), span);
      return done.ok();
    } catch (const OutOfBudget& end) {
      fail(Diag{end.what()}, span);
      return false;
    }
  };
  try {
    if (auto diag = hidden(of)) {
      const Span span = diag->span;
      fail(*std::move(diag), span);
      return out;
    }
  } catch (const OutOfBudget& end) {
    fail(Diag{end.what()}, of.statement.span);
    return out;
  }
  for (std::size_t k = 0; k < of.domains.size(); ++k) {
    const SourceStatement::Domain& domain = of.domains[k];
    const std::string name(text_.substr(domain.name.begin, domain.name.end - domain.name.begin));
    for (std::size_t other = 0; other < k; ++other) {
      const Span span = of.domains[other].name;
      if (text_.substr(span.begin, span.end - span.begin) != name || of.domains[other].text == domain.text) continue;
      fail(Diag{name + " has two domains in one statement", "a name for each: A = " + name + " " + domain.text},
           domain.name);
      return out;
    }
    if (!bound(name, domain.name, &domain)) return out;
  }
  for (int names = 0;; ++names) {
    Scope& scope = own ? *own : scope_;
    Started started = startStatement(of.statement, scope, options_);
    if (started.outcome.diag && names < kMostNames) {
      const Diag diag = *started.outcome.diag;
      const std::string name = missingIn(diag, text_);
      const bool again = std::ranges::any_of(out.reads, [&](const ReadDeclaration& r) { return r.name == name; });
      if (!name.empty() && !again) {
        if (!bound(name, diag.span, nullptr)) return out;
        continue;
      }
    }
    if (started.complete()) {
      out.outcome = std::move(started.outcome);
    } else {
      out.outcome = answered(std::move(started), options_, JobContext{options_.prove.cancel});
      bindAnswer(out.outcome, scope);
    }
    if (!out.outcome.diag && of.statement.kind == StatementKind::Bind) ofDomain_.erase(of.statement.name);
    if (out.outcome.verdict) out.outcome.verdict->claim = withoutGaps(out.outcome.verdict->claim);
    if (own && !out.outcome.diag) {
      const std::string domain = of.bindsDomain();
      const std::string& name = domain.empty() ? of.statement.name : domain;
      if (const Scope::Bound* value = name.empty() ? nullptr : own->lookUp(name))
        scope_.bind(name, std::make_shared<const Scope::Bound>(*value));
    }
    return out;
  }
}

}  // namespace tessera
