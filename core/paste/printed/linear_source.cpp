#include "core/paste/printed/linear_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera::paste {

using linear::Basis;
using linear::In;
using linear::Out;

namespace {

// A name without its namespace.
std::string_view plainName(std::string_view word) {
  const std::size_t at = word.rfind("::");
  return at == std::string_view::npos ? word : word.substr(at + 2);
}

// kRegister, kReg, kLane, kDim0, kOffset ..: the names that Triton's own sources use.
std::string dimensionOfConstant(std::string_view word) {
  if (word.size() < 2 || word[0] != 'k' || !(word[1] >= 'A' && word[1] <= 'Z')) return std::string(word);
  const std::string name = lowerCase(word.substr(1));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kShort = {
      {{"reg", "register"}, {"thread", "lane"}, {"cta", "block"}, {"off", "offset"}, {"registers", "register"}}};
  for (const auto& [brief, full] : kShort)
    if (name == brief) return std::string(full);
  return name;
}

bool isFactory(std::string_view word, std::string_view& kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFactories = {{{"identity1D", "identity"},
                                                                                        {"identity_1d", "identity"},
                                                                                        {"zeros1D", "zeros"},
                                                                                        {"zeros_1d", "zeros"},
                                                                                        {"strided1D", "strided"},
                                                                                        {"strided_1d", "strided"}}};
  for (const auto& [name, meaning] : kFactories)
    if (word == name) kind = meaning;
  return !kind.empty();
}

}  // namespace

void LinearSource::ask(std::string_view name, std::string asks, std::string_view example, Span span) {
  for (const Question& q : questions_)
    if (q.name == name) return;
  questions_.push_back({std::string(name), std::move(asks), fmt::format("--let {}={}", name, example), span});
}

bool LinearSource::atConstructor() {
  return plainName(in_.peekWord()) == "LinearLayout" || in_.peekWord().starts_with("LinearLayout::");
}

// `auto NAME = LinearLayout(..` and `NAME: T = LinearLayout.from_bases(..`: the name before the last `=`.
std::string LinearSource::declaredName(std::size_t begin) const {
  std::string_view before = stripped(in_.text().substr(0, begin));
  while (before.ends_with("::") || (!before.empty() && isNamePart(before.back()) && before.ends_with("return")))
    return {};
  if (!before.ends_with('=') && !before.ends_with("*=")) return {};
  before.remove_suffix(1);
  before = stripped(before);
  std::size_t from = before.size();
  while (from > 0 && isNamePart(before[from - 1])) --from;
  return std::string(before.substr(from));
}

Result<std::vector<NamedLinear>> LinearSource::read() {
  std::vector<NamedLinear> layouts;
  while (!in_.atEnd()) {
    const std::size_t begin = in_.start();
    if (!atConstructor()) {
      const std::string_view word = in_.peekWord();
      in_.advance(std::max<std::size_t>(word.size(), 1));
      continue;
    }
    std::string name = declaredName(begin);
    Cursor ahead = in_;
    ahead.advance(ahead.peekWord().size());
    const std::string_view declared = ahead.peekWord();  // LinearLayout tile({..}, {..})
    if (!declared.empty() && declared != "layout_") {
      ahead.advance(declared.size());
      const char next = ahead.peek();
      if (next == '=' || (next != '(' && next != '{')) {  // a declaration with `=`, or a type
        in_.seek(ahead.position());
        continue;
      }
      name = std::string(declared);
    }
    Result<linear::Layout> layout = product();
    if (!layout && questions_.empty()) {
      if (layout.error().span.empty()) layout.error().span = in_.spanFrom(begin);
      return layout.error();
    }
    if (layout) layouts.push_back({std::move(name), *std::move(layout), in_.spanFrom(begin)});
    if (!layout) break;
  }
  if (!questions_.empty()) layouts.clear();
  return layouts;
}

Result<linear::Layout> LinearSource::product() {
  TESSERA_TRY(linear::Layout all, factor());
  while (in_.accept('*')) {
    TESSERA_TRY(const linear::Layout next, factor());
    TESSERA_TRY(all, multiply(all, next));
  }
  return all;
}

Result<linear::Layout> LinearSource::factor() {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(in_);
  if (in_.accept('(')) {
    TESSERA_TRY(linear::Layout inner, product());
    TESSERA_CHECKED(in_.expect(")", "after the product"));
    return inner;
  }
  if (!atConstructor()) return in_.fail("no linear layout here", "LinearLayout(..)");
  const std::string_view word = in_.peekWord();
  std::string_view method = plainName(word);
  in_.advance(word.size());
  if (method == "LinearLayout") method = {};
  if (method.empty() && in_.accept('.')) {
    method = in_.peekWord();
    in_.advance(method.size());
  }
  std::string_view kind;
  if (isFactory(method, kind)) return oneDimension(kind);
  if (method == "empty") {
    TESSERA_CHECKED(in_.expect("(", "after empty"));
    TESSERA_CHECKED(in_.expect(")", "after empty("));
    return linear::Layout();
  }
  if (!method.empty() && method != "from_bases")
    return in_.fail(fmt::format("LinearLayout has no constructor {}", method), "from_bases, identity_1d, strided_1d");
  if (method.empty() && isNameStart(in_.peek())) in_.advance(in_.peekWord().size());  // LinearLayout tile(..)
  const char bracket = in_.peek();
  if (bracket != '(' && bracket != '{') return in_.fail("the bases are missing here", "LinearLayout({..}, {..})");
  in_.advance();
  return bases(bracket == '(' ? ')' : '}');
}

// identity1D(8, in, out); strided1D(8, 4, in, out)
Result<linear::Layout> LinearSource::oneDimension(std::string_view kind) {
  TESSERA_CHECKED(in_.expect("(", "before the size"));
  TESSERA_TRY(const i64 size, sum());
  TESSERA_CHECKED(in_.expect(",", "after the size"));
  i64 stride = 1;
  if (kind == "strided") {
    TESSERA_TRY(stride, sum());
    TESSERA_CHECKED(in_.expect(",", "after the stride"));
  }
  TESSERA_TRY(const std::string from, dimension());
  TESSERA_CHECKED(in_.expect(",", "after the input"));
  TESSERA_TRY(const std::string to, dimension());
  i64 outSize = 1;
  if (kind == "zeros" && in_.accept(',')) {
    TESSERA_TRY(outSize, sum());
  }
  (void)in_.accept(',');
  TESSERA_CHECKED(in_.expect(")", "after the output"));
  if (!isPowerOfTwo(size) || !isPowerOfTwo(stride) || size > (i64{1} << 40) || stride > (i64{1} << 20) ||
      !isPowerOfTwo(outSize))
    return Diag{fmt::format("size {} and stride {} are no powers of two", size, stride)};
  In in{from, {}};
  for (i64 b = 1; b < size; b *= 2) in.bases.push_back({kind == "zeros" ? 0 : b * stride});
  return linear::Layout::create({std::move(in)}, {{to, kind == "zeros" ? outSize : size * stride}});
}

bool LinearSource::open(char& close) {
  for (const auto& [a, b] : {std::pair{'{', '}'}, {'[', ']'}, {'(', ')'}})
    if (in_.accept(a)) {
      close = b;
      return true;
    }
  return false;
}

Result<void> LinearSource::shut(char close) {
  return in_.expect(std::string_view(&close, 1), "at the end of the list");
}

// The arguments of a constructor: inputs, outputs, and perhaps sizes and /*requireSurjective=*/false.
Result<linear::Layout> LinearSource::bases(char close) {
  TESSERA_TRY(std::vector<In> ins, inputs());
  TESSERA_CHECKED(in_.expect(",", "between the bases and the outputs"));
  bool sized = false;
  TESSERA_TRY(std::vector<Out> outs, outputs(sized));
  while (in_.accept(',')) {
    if (in_.peek() == close) break;
    Cursor ahead = in_;
    const std::string_view word = ahead.peekWord();
    if (!word.empty()) {
      in_.advance(word.size());
      if (in_.accept('=')) {  // out_dim_sizes=[..], require_surjective=False
        ahead = in_;
        if (isNameStart(ahead.peek())) in_.advance(ahead.peekWord().size());
      }
    }
    if (in_.peek() != '[' && in_.peek() != '{' && in_.peek() != '(') continue;
    TESSERA_TRY(const std::vector<i64> sizes, integers());
    if (sizes.size() != outs.size()) return in_.fail(fmt::format("{} sizes for {} outputs", sizes.size(), outs.size()));
    for (std::size_t k = 0; k < sizes.size(); ++k) outs[k].size = sizes[k];
    sized = true;
  }
  TESSERA_CHECKED(shut(close));
  for (const In& in : ins)
    for (const Basis& basis : in.bases)
      if (basis.size() != outs.size())
        return Diag{fmt::format("a basis of {} has {} coordinates, but there are {} outputs", in.name, basis.size(),
                                outs.size())};
  if (sized) return linear::Layout::create(std::move(ins), std::move(outs));
  std::vector<std::string> names;
  for (const Out& out : outs) names.push_back(out.name);
  return linear::Layout::createInferred(std::move(ins), std::move(names));
}

// {{kRegister, {..}}, ..}, [("register", [..]), ..] or {"register": [..], ..}
Result<std::vector<In>> LinearSource::inputs() {
  char close = 0;
  if (isNameStart(in_.peek()) && plainName(in_.peekWord()) == "BasesT") in_.advance(in_.peekWord().size());
  if (!open(close)) return in_.fail("the list of inputs is missing here", "{{kRegister, {{0, 1}}}, ..}");
  std::vector<In> ins;
  while (in_.peek() != close && !in_.atEnd()) {
    TESSERA_TRY(In in, input());
    ins.push_back(std::move(in));
    if (!in_.accept(',')) break;
  }
  TESSERA_CHECKED(shut(close));
  return ins;
}

Result<In> LinearSource::input() {
  In in;
  if (in_.peek() == '"' || in_.peek() == '\'') {  // Python: a dictionary
    TESSERA_TRY(in.name, dimension());
    TESSERA_CHECKED(in_.expect(":", "after the input"));
    TESSERA_TRY(in.bases, basisList());
    return in;
  }
  char close = 0;
  if (!open(close)) return in_.fail("an input is missing here", "{kLane, {{1, 0}}}");
  TESSERA_TRY(in.name, dimension());
  TESSERA_CHECKED(in_.expect(",", "after the input"));
  TESSERA_TRY(in.bases, basisList());
  (void)in_.accept(',');
  TESSERA_CHECKED(shut(close));
  return in;
}

Result<std::vector<Basis>> LinearSource::basisList() {
  char close = 0;
  if (!open(close)) return in_.fail("the bases are missing here", "{{0, 1}, {0, 2}}");
  std::vector<Basis> list;
  while (in_.peek() != close && !in_.atEnd()) {
    TESSERA_TRY(Basis one, basis());
    list.push_back(std::move(one));
    if (!in_.accept(',')) break;
  }
  TESSERA_CHECKED(shut(close));
  return list;
}

// {0, 1}; a plain number is the only coordinate.
Result<Basis> LinearSource::basis() {
  if (in_.peek() == '{' || in_.peek() == '[' || in_.peek() == '(') return integers();
  TESSERA_TRY(const i64 only, sum());
  return Basis{only};
}

Result<std::vector<i64>> LinearSource::integers() {
  char close = 0;
  if (!open(close)) return in_.fail("a list of integers is missing here", "{0, 1}");
  std::vector<i64> values;
  while (in_.peek() != close && !in_.atEnd()) {
    TESSERA_TRY(const i64 value, sum());
    values.push_back(value);
    if (!in_.accept(',')) break;
  }
  TESSERA_CHECKED(shut(close));
  return values;
}

// {S("dim0"), S("dim1")}, {{S("dim0"), 16}, ..}, ["dim0", "dim1"], [("dim0", 16)], {"dim0": 16}
Result<std::vector<Out>> LinearSource::outputs(bool& sized) {
  char close = 0;
  if (isNameStart(in_.peek()) && in_.peekWord() == "ArrayRef") return in_.fail("the outputs are not a list");
  if (!open(close)) return in_.fail("the list of outputs is missing here", "{S(\"dim0\"), S(\"dim1\")}");
  std::vector<Out> outs;
  while (in_.peek() != close && !in_.atEnd()) {
    Out out;
    char pair = 0;
    if (open(pair)) {
      TESSERA_TRY(out.name, dimension());
      TESSERA_CHECKED(in_.expect(",", "after the output"));
      TESSERA_TRY(out.size, sum());
      TESSERA_CHECKED(shut(pair));
      sized = true;
    } else {
      TESSERA_TRY(out.name, dimension());
      if (in_.accept(':')) {
        TESSERA_TRY(out.size, sum());
        sized = true;
      }
    }
    outs.push_back(std::move(out));
    if (!in_.accept(',')) break;
  }
  TESSERA_CHECKED(shut(close));
  return outs;
}

// "lane", S("lane"), str_attr("lane"), StringAttr::get(ctx, "lane"), kLane, dimNames[order[0]]
Result<std::string> LinearSource::dimension() {
  const char quote = in_.peek();
  if (quote == '"' || quote == '\'') {
    in_.advance();
    const std::size_t end = in_.text().find(quote, in_.position());
    if (end == std::string_view::npos) return in_.fail("this text is not closed", std::string(1, quote));
    std::string name(in_.text().substr(in_.position(), end - in_.position()));
    in_.seek(end + 1);
    if (name.empty()) return in_.fail("the name of a dimension is empty");
    return name;
  }
  const std::string_view word = in_.peekWord();
  if (word.empty()) return in_.fail("the name of a dimension is missing here", "S(\"dim0\") or kLane");
  in_.advance(word.size());
  const Nesting level;
  if (level.tooDeep()) return level.refusal(in_);
  if (in_.accept('(')) {  // S("lane"), StringAttr::get(ctx, "lane"), standardOutDimNames(ctx, rank)[0]
    while (in_.peek() != '"' && in_.peek() != ')' && !in_.atEnd())
      in_.advance(std::max<std::size_t>(1, in_.peekWord().size()));
    if (in_.accept(')')) return indexedDimension(word);
    TESSERA_TRY(std::string name, dimension());
    TESSERA_CHECKED(in_.expect(")", "after the name"));
    return name;
  }
  if (in_.peek() == '[') return indexedDimension(word);
  return dimensionOfConstant(word);
}

// outDimNames[order[0]]: dim0, dim1 .. are the standard names.
Result<std::string> LinearSource::indexedDimension(std::string_view array) {
  if (!in_.accept('[')) return in_.fail(fmt::format("`{}` names no dimension", array), "S(\"dim0\")");
  const std::size_t begin = in_.start();
  TESSERA_TRY(const i64 index, sum());
  TESSERA_CHECKED(in_.expect("]", "after the index"));
  if (index < 0 || index > 63) return in_.failFrom(begin, fmt::format("there is no dimension {}", index));
  return fmt::format("dim{}", index);
}

}  // namespace tessera::paste
