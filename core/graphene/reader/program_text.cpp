#include "core/graphene/reader/program_text.h"

#include <fmt/format.h>

#include "core/atlas/graphene_names.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/graphene/reader/parameters.h"

namespace tessera::graphene {

namespace {

constexpr std::size_t kMaxStatements = 100'000;

}  // namespace

ProgramText::ProgramText(std::string_view text, Order order)
    : reader(text, order, beginOf(text)), in(reader.cursor()), names(reader) {
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
  in.skipBlanks();
  const std::size_t begin = in.position();
  TESSERA_TRY(const std::string name, tensorName());
  if (const Tensor* found = names.tensor(name)) return *found;
  return in.failFrom(begin, fmt::format("there is no tensor {} here", name), "a tensor that is defined above",
                     didYouMean(name, names.tensorNames()));
}

Diag ProgramText::twice(const std::string& written, std::size_t begin) const {
  return in.failFrom(begin, fmt::format("{} is defined twice here", written), "another name");
}

Result<void> ProgramText::define(const std::string& written, const Tensor& t, std::size_t begin) {
  if (!names.inner().tensors.emplace(written, t).second) return twice(written, begin);
  return {};
}

Result<void> ProgramText::define(const std::string& written, int index, std::size_t begin) {
  if (!names.inner().indices.emplace(written, index).second) return twice(written, begin);
  return {};
}

Result<Expr> ProgramText::delimited(std::string_view what) {
  in.skipBlanks();
  const std::size_t begin = in.position();
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
  in.skipBlanks();
  const std::size_t begin = in.position();
  const std::string_view word = in.peekWord();
  const bool expression = sum && ((!word.empty() && isNameStart(word[0])) || in.raw() == '(' || in.atInteger());
  TESSERA_TRY(const Expr value, expression ? reader.number() : delimited(what));
  if (!value.isConstant())
    return in.failFrom(
        begin, fmt::format("{} is not known before the program runs", in.text().substr(begin, in.position() - begin)),
        "an integer");
  return value.value();
}

}  // namespace tessera::graphene
