#include "core/paste/bindings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::paste {
namespace {

// Words of the language, and functions that a reader of the value needs: a name that hides them gets a _.
constexpr std::string_view kBindingWords =
    " o _ and or not true false mesh hlo graphene show prove assert find run use check import for over as by where "
    "Layout tensor size shape rank stride cosize bytes waste evaluate operand atlas code equal ";

std::string oneLine(std::string_view text) {
  std::string out(stripped(text));
  std::ranges::replace_if(out, isBlank, ' ');
  return out;
}

}  // namespace

std::string worksheetName(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 200))
    if (isNamePart(c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty()) return "X";
  if (isDigit(out[0])) out.insert(0, "v");
  const bool word = kBindingWords.find(fmt::format(" {} ", out)) != std::string_view::npos;
  return word ? out + "_" : out;
}

std::optional<i64> integerText(std::string_view text) {
  text = stripped(text);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  i64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return negative ? -value : value;
}

std::string Bindings::add(std::string head, std::string_view name, std::string tail, Span span) {
  spend(4 + static_cast<Work>(tail.size() / 16));
  const std::string base = worksheetName(name);
  std::string unique = base;
  for (int k = 2; !names_.insert(unique).second; ++k) unique = fmt::format("{}_{}", base, k);
  statements_.push_back({std::move(head), unique, std::move(tail), span, name.empty()});
  return unique;
}

std::string Bindings::bind(std::string_view name, std::string_view expression, Span span) {
  return add("", name, " = " + oneLine(expression), span);
}

std::string Bindings::formula(std::string_view name, std::span<const std::string> parameters, std::string_view body,
                              std::span<const i64> extents, Span span) {
  return add("", name,
             fmt::format("({}) = {} over ({})", fmt::join(parameters, ", "), oneLine(body), fmt::join(extents, ", ")),
             span);
}

std::string Bindings::block(std::string_view word, std::string_view name, std::string_view inside, Span span) {
  return add(fmt::format("{} ", word), name, fmt::format(" {{\n{}\n}}", inside), span);
}

void Bindings::note(std::string text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

void Bindings::ask(Question question) {
  const auto same = [&](const Question& q) { return q.name == question.name; };
  if (std::ranges::none_of(questions_, same)) questions_.push_back(std::move(question));
}

std::optional<i64> Bindings::number(std::string_view name, std::string_view asks, std::string_view example, Span span) {
  if (const std::string* value = given_->let(name))
    if (const auto n = integerText(*value)) return n;
  ask({std::string(name), std::string(asks), fmt::format("--let {}={}", name, example), span});
  return std::nullopt;
}

Result<Reading> Bindings::reading(std::string_view dialect) const {
  if (statements_.empty() && questions_.empty())
    return Diag{"nothing in this text has a layout", "a shape, a layout or an instruction"};
  Reading out{std::string(dialect), {}, notes_, questions_};
  for (const Row& row : statements_) {
    const bool last = &row == &statements_.back();
    std::string name = row.name;
    if (row.unnamed) name = last ? "X" : fmt::format("value{}", &row - statements_.data() + 1);
    if (last && !given_->name.empty()) name = worksheetName(given_->name);
    out.statements.push_back({name, row.head + name + row.tail, row.span});
  }
  return out;
}

}  // namespace tessera::paste
