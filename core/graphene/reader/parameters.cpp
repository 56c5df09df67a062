#include "core/graphene/reader/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/base/nearest.h"
#include "core/base/words.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/constructs.h"

namespace tessera::graphene {
namespace {

constexpr Dialect kComments = {.lineComments = true, .blockComments = true};
constexpr std::size_t kMostParameters = 200, kMostValues = 1000;

// Whether a parameter may have this word: a name, or an operation's sign.
bool isWord(std::string_view text) {
  if (text == "+" || text == "-" || text == "*") return true;
  return !text.empty() && isNameStart(text[0]) && std::ranges::all_of(text, isNamePart);
}

// Reads the lines `param` and `require`. The reader of each ends with its line, because a `%` after it begins a tensor.
class HeadReader {
 public:
  HeadReader(std::string_view text, const Settings& settings) : text_(text), settings_(settings) {}

  Result<Parameters> run() {
    Cursor in(text_, kComments, beginOf(text_));
    while (!in.atEnd()) {
      const std::size_t begin = in.position();
      const bool parameter = in.acceptWord("param");
      if (!parameter && !in.acceptWord("require")) break;
      Reader line(text_.substr(0, std::min(text_.find('\n', begin), text_.size())), Order::Row, in.position());
      line.resolve([this](const std::string& name) { return meaning(name); });
      TESSERA_CHECKED(parameter ? readParameter(line, begin) : requirement(line, begin));
      (void)line.cursor().accept(';');
      in.seek(line.cursor().position());
    }
    out_.end = in.position();
    for (const auto& [name, value] : settings_)
      if (out_.find(name) == nullptr) return unknown(name);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<std::string> names() const { return mapped<std::string>(out_.all, &Parameter::name); }

  Result<Expr> meaning(const std::string& name) {
    const Parameter* const found = out_.find(name);
    if (found == nullptr)
      return Diag{fmt::format("there is no parameter {} here", name), "an integer, or a parameter above",
                  didYouMean(name, names())};
    used_.push_back(name);
    if (!found->number) return Diag{fmt::format("{} is {}, which is not a number", name, found->value), "a number"};
    return Expr::constant(*wholeNumber(found->value));
  }

  [[nodiscard]] Diag unknown(const std::string& name) const {
    const std::vector<std::string> all = names();
    return Diag{
        fmt::format("there is no parameter {}", name),
        all.empty() ? "this program has none: param NAME = VALUE in VALUES" : fmt::format("{}", fmt::join(all, ", ")),
        didYouMean(name, all), all.empty() ? Span{} : Span{out_.all.front().span.begin, out_.all.back().span.end}};
  }

  // The text that was read, without blanks and comments after it.
  [[nodiscard]] Span written(std::size_t begin, std::size_t end) const {
    Span out{begin, begin};
    for (Cursor in(text_.substr(0, end), kComments, begin); !in.atEnd(); in.advance()) out.end = in.position() + 1;
    return out;
  }

  // 128, BM/2, relu, +; its value as text.
  Result<std::string> value(Reader& line, bool& number) {
    Cursor& in = line.cursor();
    const std::string word(in.peekWord());
    Cursor after = in;
    after.advance(word.size());
    const Parameter* const known = out_.find(word);
    const bool sign = word.empty() && isWord(std::string(1, in.raw())) && !in.atInteger();
    number = !sign && (word.empty() || !isNameStart(word[0]) ||
                       std::string_view("(+-*/%").find(after.peek()) != std::string_view::npos ||
                       (known != nullptr && known->number));
    if (!number) {
      in.advance(sign ? 1 : word.size());
      return known != nullptr ? known->value : sign ? std::string(1, in.text()[in.position() - 1]) : word;
    }
    TESSERA_TRY(const Expr e, line.number());
    return fmt::format("{}", e.value());
  }

  // param BM = 128 in 64, 128, 256, after its word.
  Result<void> readParameter(Reader& line, std::size_t begin) {
    Cursor& in = line.cursor();
    Parameter p;
    TESSERA_TRY(p.name, in.identifier("the name of the parameter"));
    if (out_.find(p.name) != nullptr)
      return in.failFrom(begin, fmt::format("{} is defined twice", p.name), "another name");
    if (kindOf(p.name)) return in.failFrom(begin, fmt::format("{} is a kind of specification", p.name), "another name");
    if (out_.all.size() >= kMostParameters) return in.failFrom(begin, "too many parameters", "fewer");
    TESSERA_CHECKED(in.expect("=", "after the name of the parameter"));
    const std::size_t at = in.start();
    TESSERA_TRY(p.value, value(line, p.number));
    p.valueSpan = written(at, in.position());
    if (in.acceptWord("in")) TESSERA_CHECKED(list(line, p));
    p.span = written(begin, in.position());
    TESSERA_CHECKED(set(p));
    out_.all.push_back(std::move(p));
    return {};
  }

  Result<void> list(Reader& line, Parameter& p) {
    Cursor& in = line.cursor();
    do {
      const std::size_t at = in.start();
      bool number = true;
      TESSERA_TRY(std::string one, value(line, number));
      if (number != p.number)
        return in.failFrom(at,
                           fmt::format("{} is {}, and {} {}", one, number ? "a number" : "a word", p.value,
                                       p.number ? "a number" : "a word"),
                           "all numbers, or all words");
      if (std::ranges::find(p.values, one) == p.values.end()) p.values.push_back(std::move(one));
      if (p.values.size() > kMostValues) return in.failFrom(at, "too many values", "fewer");
    } while (in.accept(','));
    if (std::ranges::find(p.values, p.value) == p.values.end())
      return Diag{fmt::format("{} is {}, which is not in its list", p.name, p.value),
                  fmt::format("{}", fmt::join(p.values, ", ")), "", p.valueSpan};
    return {};
  }

  // Applies the settings to it.
  Result<void> set(Parameter& p) {
    const auto at = settings_.find(p.name);
    if (at == settings_.end()) return {};
    const std::optional<i64> n = wholeNumber(at->second);
    const std::string value = n ? fmt::format("{}", *n) : at->second;
    if (p.number != n.has_value() || (!p.number && !isWord(value)))
      return Diag{fmt::format("{} cannot be '{}'", p.name, at->second.substr(0, 60)),
                  p.number ? "an integer" : "a word", "", p.span};
    if (!p.values.empty() && std::ranges::find(p.values, value) == p.values.end())
      return Diag{fmt::format("{} cannot be {}", p.name, value), fmt::format("{}", fmt::join(p.values, ", ")),
                  p.number ? "" : didYouMean(value, p.values), p.span};
    p.value = value;
    return {};
  }

  // require BM*BN <= 32768 && ..., after its word.
  Result<void> requirement(Reader& line, std::size_t begin) {
    Cursor& in = line.cursor();
    used_.clear();
    const auto wordOf = [this](const std::string& name) -> std::optional<std::string> {
      const Parameter* const p = out_.find(name);
      if (p == nullptr || p->number) return std::nullopt;
      used_.push_back(name);
      return p->value;
    };
    TESSERA_TRY(const Condition c, readCondition(line, wordOf));
    if (*c.known) return {};
    const Span span = written(begin, in.position());
    std::vector<std::string> values;
    for (const Parameter& p : out_.all)
      if (std::ranges::find(used_, p.name) != used_.end()) values.push_back(p.name + " = " + p.value);
    out_.broken.push_back({fmt::format("{} does not hold{}{}", text_.substr(begin, span.end - begin),
                                       values.empty() ? "" : " with ", fmt::join(values, ", ")),
                           "other values of these parameters", "", span});
    return {};
  }

  std::string_view text_;
  const Settings& settings_;
  Parameters out_;
  std::vector<std::string> used_;  // names in the requirement
};

// The value of `expression` with the head's parameters and this value of `symbol`.
Result<i64> valueOf(std::string_view head, const std::string& expression, const std::string& symbol, i64 value,
                    const Settings& settings) {
  constexpr const char* kResult = "tessera_value";
  const std::string text = fmt::format("{}\nparam {} = {}\nparam {} = ({})", head, symbol, value, kResult, expression);
  TESSERA_TRY(const Parameters read, parametersOf(text, settings));
  const Parameter* const found = read.find(kResult);
  const bool whole = found != nullptr && read.end == text.size();
  const auto number = whole ? wholeNumber(found->value) : std::nullopt;
  if (!number) return Diag{fmt::format("'{}' is not a number", expression), "BM*M=5120 for example"};
  return *number;
}

// The only name in it that is not a parameter; "" if there is none, or several.
std::string symbolOf(const std::string& expression, const Parameters& head) {
  std::string out;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && isNamePart(expression[end])) ++end;
    const std::string word = expression.substr(at, end - at);
    if (!word.empty() && isNameStart(word[0]) && head.find(word) == nullptr) {
      if (!out.empty() && out != word) return "";
      out = word;
    }
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace

const Parameter* Parameters::find(std::string_view name) const {
  const auto at = std::ranges::find(all, name, &Parameter::name);
  return at == all.end() ? nullptr : &*at;
}

Result<Parameters> parametersOf(std::string_view text, const Settings& settings) {
  return HeadReader(text, settings).run();
}

Result<std::string> withSettings(std::string_view text, const Settings& settings) {
  if (settings.empty()) return std::string(text);
  TESSERA_TRY(const Parameters head, parametersOf(text, settings));
  if (!head.broken.empty()) return head.broken.front();
  std::string out(text);
  for (auto p = head.all.rbegin(); p != head.all.rend(); ++p)
    if (settings.count(p->name) > 0) out.replace(p->valueSpan.begin, p->valueSpan.end - p->valueSpan.begin, p->value);
  return out;
}

Result<Listing> readListing(std::string name, std::string_view text, const Settings& settings) {
  TESSERA_TRY(const std::string changed, withSettings(text, settings));
  return readListing(std::move(name), changed);
}

Span programIn(std::string_view text) {
  Cursor in(text, kComments, beginOf(text));
  const std::size_t open = text.find('{'), close = text.rfind('}');
  if (!in.acceptWord("graphene") || open == std::string_view::npos || close < open) return {0, text.size()};
  return {open + 1, close};
}

Result<Listing> again(const Listing& listing, const std::string& text) {
  return programIn(text).begin == 0 ? readListing(listing.name, text) : readBlock(text);
}

Result<Listing> with(const Listing& listing, const Settings& settings) {
  const auto [begin, end] = programIn(listing.text);
  auto changed = withSettings(std::string_view(listing.text).substr(begin, end - begin), settings);
  if (!changed) {
    Diag d = changed.error();
    if (!d.span.empty()) d.span = d.span.shifted(begin);
    return d;
  }
  return again(listing, listing.text.substr(0, begin) + *changed + listing.text.substr(end));
}

Result<Settings> settingsOf(const std::vector<std::string>& words) {
  Settings out;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      return Diag{fmt::format("'{}' is not a setting", word.substr(0, 60)), "NAME=VALUE, stages=4 for example"};
    const auto [at, made] = out.emplace(word.substr(0, equals), word.substr(equals + 1));
    if (!made && at->second != word.substr(equals + 1))
      return Diag{fmt::format("{} is set to {} and to {}", at->first, at->second, word.substr(equals + 1)),
                  "one value"};
  }
  return out;
}

Result<std::string> withSettingWords(std::string_view text, const std::vector<std::string>& words) {
  TESSERA_TRY(const Settings settings, settingsOf(words));
  return withSettings(text, settings);
}

std::string keyOf(const Parameters& parameters) {
  std::vector<std::string> out;
  for (const Parameter& p : parameters.all)
    if (!p.values.empty()) out.push_back(p.name + "=" + p.value);
  return fmt::format("{}", fmt::join(out, " "));
}

Result<std::map<std::string, i64>> sizesOf(std::string_view text, const std::vector<std::string>& words,
                                           const Settings& settings) {
  TESSERA_TRY(const Parameters head, parametersOf(text, settings));
  std::map<std::string, i64> out;
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    const auto wanted = equals == std::string::npos ? std::nullopt : wholeNumber(word.substr(equals + 1));
    const std::string left = wanted ? word.substr(0, equals) : "";
    const std::string symbol = symbolOf(left, head);
    if (!wanted || symbol.empty())
      return Diag{fmt::format("--size '{}' is not a size", word), "NAME=NUMBER, M=128 or BM*M=5120 for example"};
    if (left == symbol) {  // its users check the value
      out[symbol] = *wanted;
      continue;
    }
    const std::string_view before = text.substr(0, head.end);
    auto one = valueOf(before, left, symbol, 1, settings), two = valueOf(before, left, symbol, 2, settings);
    if (!one || !two || *one < 1 || *two != 2 * *one)
      return Diag{fmt::format("--size '{}' is not a multiple of {}", word, symbol),
                  one ? "NAME=NUMBER, or parameters times NAME" : one.error().message};
    if (*wanted < 1 || *wanted % *one != 0)
      return Diag{fmt::format("{} is {}*{}, which cannot be {}", left, *one, symbol, *wanted), "a multiple"};
    out[symbol] = *wanted / *one;
  }
  return out;
}

Result<std::vector<Settings>> candidatesOf(std::string_view text, const Settings& fixed) {
  TESSERA_TRY(const Parameters head, parametersOf(text));
  for (const auto& [name, values] : fixed)
    for (const std::string_view value : wordsIn(values, ","))
      TESSERA_CHECKED(parametersOf(text, {{name, std::string(value)}}));
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;  // parameters and their values here
  std::size_t count = 1;
  for (const Parameter& p : head.all) {
    const auto at = fixed.find(p.name);
    if (at == fixed.end() && p.values.empty()) continue;
    axes.emplace_back(p.name, p.values);
    if (at != fixed.end()) {
      const auto values = wordsIn(at->second, ",");
      axes.back().second.assign(values.begin(), values.end());
    }
    count *= axes.back().second.size();
    if (count > kMostCandidates)
      return Diag{fmt::format("there are more than {} combinations up to {}", kMostCandidates, p.name),
                  "shorter lists, or some of them set", "", p.span};
  }
  std::vector<Settings> out;
  for (std::size_t k = 0; k < count; ++k) {
    Settings one;
    std::size_t rest = k;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      one[axis->first] = axis->second[rest % axis->second.size()];
      rest /= axis->second.size();
    }
    TESSERA_TRY(const Parameters read, parametersOf(text.substr(0, head.end), one));
    if (read.broken.empty()) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tessera::graphene
