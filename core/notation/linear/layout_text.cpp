// The text of linear layouts, and their maps.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/cursor.h"
#include "core/base/mapped.h"
#include "core/notation/linear/layout.h"

namespace tessera::linear {

namespace {

std::string bracketed(const Basis& basis) { return fmt::format("[{}]", fmt::join(basis, ", ")); }

}  // namespace

std::string toString(const Layout& l) {
  if (l.empty()) return "\n(empty layout)";
  std::string text = "\n";
  for (const In& in : l.ins()) {
    if (in.bases.empty()) {
      text += fmt::format(" - {} is a size 1 dimension\n", in.name);
      continue;
    }
    for (std::size_t k = 0; k < in.bases.size(); ++k)
      text +=
          fmt::format("{}{}={} -> ({})\n", k == 0 ? " - " : "   ", in.name, i64{1} << k, fmt::join(in.bases[k], ", "));
  }
  text += "where out dims are: [";
  for (std::size_t k = 0; k < l.outs().size(); ++k)
    text += fmt::format("{}{} (size {})", k == 0 ? "" : ", ", l.outs()[k].name, l.outs()[k].size);
  return text + "]";
}

std::string print(const Layout& l) {
  std::string text;
  for (const In& in : l.ins()) {
    const auto bases = mapped<std::string>(in.bases, bracketed);
    text += fmt::format("{}{} = [{}]", text.empty() ? "" : ", ", in.name, fmt::join(bases, ", "));
  }
  text += text.empty() ? "->" : " ->";
  for (std::size_t k = 0; k < l.outs().size(); ++k)
    text += fmt::format("{} {} {}", k == 0 ? "" : ",", l.outs()[k].name, l.outs()[k].size);
  return text;
}

namespace {

Result<Basis> readTuple(Cursor& in, const char* open, const char* close) {
  Basis basis;
  TESSERA_CHECKED(in.expect(open, "before the coordinates"));
  while (in.atInteger()) {
    TESSERA_TRY(const i64 c, in.integer());
    basis.push_back(c);
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect(close, "after the coordinates"));
  return basis;
}

// - register=1 -> (0, 1)   register=2 -> (8, 0)   - warp is a size 1 dimension   where out dims are: [dim0 (size 16)]
Result<Layout> readBlock(Cursor& in) {
  std::vector<In> ins;
  while (!in.acceptWord("where")) {
    const bool fresh = in.accept("-");
    TESSERA_TRY(const std::string name, in.identifier("the name of an input"));
    if (fresh) ins.push_back({name, {}});
    if (ins.empty() || ins.back().name != name) return in.fail(fmt::format("`- {}` is expected here", name));
    if (in.acceptWord("is")) {
      for (const char* word : {"a", "size", "1", "dimension"})
        TESSERA_CHECKED(in.expect(word, "in `is a size 1 dimension`"));
      continue;
    }
    TESSERA_CHECKED(in.expect("=", "after the input"));
    const std::size_t begin = in.position();
    TESSERA_TRY(const i64 bit, in.integer());
    if (bit != i64{1} << ins.back().bases.size())
      return in.failFrom(
          begin, fmt::format("{} {} is not the next bit, which is {}", name, bit, i64{1} << ins.back().bases.size()));
    TESSERA_CHECKED(in.expect("->", "after the bit"));
    TESSERA_TRY(Basis basis, readTuple(in, "(", ")"));
    ins.back().bases.push_back(std::move(basis));
  }
  for (const char* word : {"out", "dims", "are", ":", "["})
    TESSERA_CHECKED(in.expect(word, "in `where out dims are: [`"));
  std::vector<Out> outs;
  while (in.peek() != ']') {
    Out out;
    TESSERA_TRY(out.name, in.identifier("the name of an output"));
    for (const char* word : {"(", "size"}) TESSERA_CHECKED(in.expect(word, "in `(size N)`"));
    TESSERA_TRY(out.size, in.integer());
    TESSERA_CHECKED(in.expect(")", "in `(size N)`"));
    outs.push_back(std::move(out));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect("]", "at the end"));
  return Layout::create(std::move(ins), std::move(outs));
}

// NAME = [[ or NAME = []
bool atBases(Cursor in) {
  in.skipBlanks();
  const std::string_view name = in.peekWord();
  if (name.empty()) return false;
  in.advance(name.size());
  return in.accept("=") && in.accept("[") && (in.peek() == '[' || in.peek() == ']');
}
// NAME 16
bool atSizedOutput(Cursor in) {
  in.skipBlanks();
  const std::string_view name = in.peekWord();
  if (name.empty()) return false;
  in.advance(name.size());
  return in.atInteger();
}
// Moves past a comma if another such item follows it, or past any comma if the text contains only the layout.
bool acceptComma(Cursor& in, bool alone, bool (*more)(Cursor)) {
  Cursor ahead = in;
  if (!ahead.accept(",") || (!alone && !more(ahead))) return false;
  in.seek(ahead.position());
  return true;
}

// register = [[0, 1]], lane = [] -> dim0 16, dim1 8
Result<Layout> readLine(Cursor& in, bool alone) {
  std::vector<In> ins;
  std::size_t rank = 0;
  if (in.peek() != '-') {
    do {
      In dim;
      TESSERA_TRY(dim.name, in.identifier("the name of an input"));
      TESSERA_CHECKED(in.expect("=", "after the input"));
      TESSERA_CHECKED(in.expect("[", "before the bases"));
      while (in.peek() == '[') {
        TESSERA_TRY(Basis basis, readTuple(in, "[", "]"));
        rank = basis.size();
        dim.bases.push_back(std::move(basis));
        if (!in.accept(",")) break;
      }
      TESSERA_CHECKED(in.expect("]", "after the bases"));
      ins.push_back(std::move(dim));
    } while (acceptComma(in, alone, atBases));
  }
  if (!in.accept("->")) return Layout::createInferred(std::move(ins), dimNames(rank));
  std::vector<Out> outs;
  std::vector<std::string> names;
  bool sized = true;
  while (!in.atEnd()) {
    Out out;
    TESSERA_TRY(out.name, in.identifier("the name of an output"));
    sized = in.atInteger();
    if (sized) {
      TESSERA_TRY(out.size, in.integer());
    }
    names.push_back(out.name);
    outs.push_back(std::move(out));
    if (!acceptComma(in, alone, atSizedOutput)) break;
  }
  return sized ? Layout::create(std::move(ins), std::move(outs))
               : Layout::createInferred(std::move(ins), std::move(names));
}

}  // namespace

Result<Layout> parse(std::string_view text) {
  Cursor in(text, {.nameAlso = "."});
  if (in.atEnd()) return in.fail("no layout here", "register = [[0, 1]] -> dim0 1, dim1 2");
  if (in.accept("(empty layout)")) return Layout();
  const bool block = text.find("where out dims are") != std::string_view::npos;
  auto read = block ? readBlock(in) : readLine(in, true);
  if (!read && read.error().span.empty()) read.error().span = Span{0, text.size()};
  if (read && !in.atEnd()) return in.fail("text after the end of the layout");
  return read;
}

Result<std::optional<Layout>> parsePrefix(Cursor& cursor) {
  Cursor in(cursor.text(), {.nameAlso = "."}, cursor.position());
  const std::size_t begin = in.start();
  const std::string_view rest = in.text().substr(std::min(begin, in.text().size()));
  const bool block = rest.starts_with("- register") || rest.starts_with("- offset");
  const bool noInputs = rest.starts_with("->") && atSizedOutput(Cursor(in.text(), {.nameAlso = "."}, begin + 2));
  if (!block && !noInputs && !atBases(in)) return std::optional<Layout>();
  Result<Layout> read = block ? readBlock(in) : readLine(in, false);
  if (!read && read.error().span.empty()) read.error().span = in.spanFrom(begin);
  if (!read) return read.error();
  cursor.seek(in.position());
  return std::optional(*std::move(read));
}

namespace {

// A run of input bits that move together to one output: bits [from, from+count) of the input to bits [to, ..) of it.
struct Run {
  std::size_t from = 0, count = 1;
  int to = 0;
};

// The terms of one input digit for one output; a basis coordinate with several bits gives several terms.
std::vector<Run> runsOf(const In& in, std::size_t out) {
  std::vector<Run> runs;
  for (std::size_t b = 0; b < in.bases.size(); ++b) {
    const u64 coordinate = static_cast<u64>(in.bases[b][out]);
    for (int t = 0; t < 62; ++t) {
      if ((coordinate >> t & 1) == 0) continue;
      const auto grown = std::ranges::find_if(
          runs, [&](const Run& r) { return r.from + r.count == b && r.to + static_cast<int>(r.count) == t; });
      if (grown != runs.end())
        ++grown->count;
      else
        runs.push_back({b, 1, t});
    }
  }
  return runs;
}

}  // namespace

Result<Map> toMap(const Layout& l) {
  std::vector<Digit> digits;
  for (const In& in : l.ins()) digits.push_back({in.name, i64{1} << in.bases.size(), DigitKind::Index});
  std::vector<Axis> axes;
  for (std::size_t o = 0; o < l.outs().size(); ++o) {
    Expr value;
    u64 used = 0;  // output bits that the value may set so far; disjoint terms are added, others are xored
    for (std::size_t d = 0; d < l.ins().size(); ++d) {
      const In& in = l.ins()[d];
      for (const Run& run : runsOf(in, o)) {
        Expr term = floorDiv(Expr::digit(static_cast<int>(d)), i64{1} << run.from);
        if (run.from + run.count < in.bases.size()) term = mod(term, i64{1} << run.count);
        term = term * (i64{1} << run.to);
        const u64 bits = ((u64{1} << run.count) - 1) << run.to;
        value = (used & bits) == 0 ? value + term : value ^ term;
        used |= bits;
      }
    }
    axes.push_back({l.outs()[o].name, value, l.outs()[o].size});
  }
  return Map::create(std::move(digits), std::move(axes));
}

}  // namespace tessera::linear
