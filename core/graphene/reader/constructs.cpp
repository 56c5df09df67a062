#include "core/graphene/reader/constructs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/graphene/walk.h"
#include "core/notation/graphene/operations.h"

namespace tessera::graphene {
namespace {

struct KindRow {
  std::string_view word;
  SpecKind kind;
};
// name() gives the first spelling of a kind.
constexpr KindRow kKinds[] = {{"Move", SpecKind::Move},
                              {"MatMul", SpecKind::MatMul},
                              {"UnaryPointwise", SpecKind::UnaryPointwise},
                              {"BinaryPointwise", SpecKind::BinaryPointwise},
                              {"Reduction", SpecKind::Reduction},
                              {"Shfl", SpecKind::Shfl},
                              {"Init", SpecKind::Init},
                              {"Allocate", SpecKind::Allocate},
                              {"Spec", SpecKind::Generic},
                              {"UnaryPW", SpecKind::UnaryPointwise},
                              {"BinaryPW", SpecKind::BinaryPointwise}};

bool sameStrides(const Dim& a, const Dim& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Mode& x, const Mode& y) { return x.size == y.size && x.stride == y.stride; });
}

// The attribute and the operands of a specification.

// Move(%x[@t]): a view needs a line for itself.
Result<void> inlineView(Cursor& in, const std::string& name, std::size_t begin) {
  const std::size_t end = std::min(in.text().find_first_of("\n{", begin), in.text().size());
  std::string_view view = in.text().substr(begin, end - begin);
  int open = 0;
  for (std::size_t k = 0; k < view.size(); ++k) {
    open += view[k] == '(' || view[k] == '[' ? 1 : view[k] == ')' || view[k] == ']' ? -1 : 0;
    if (open < 0 || (open == 0 && view[k] == ',')) view = view.substr(0, k);
  }
  in.seek(begin + view.size());
  return in.failFrom(begin, fmt::format("{} is a view: an operand must be a name", view), "%NAME",
                     fmt::format("{0}_view = {1} on a line above, then {0}_view here", name, view));
}

Result<void> configuration(ProgramText& text, Spec& out) {
  TESSERA_TRY(Tensor first, text.known());
  TESSERA_CHECKED(text.in.expect(",", "between the blocks and the threads"));
  TESSERA_TRY(Tensor second, text.known());
  TESSERA_CHECKED(text.in.expect(">>>", "after the threads"));
  if (first.element != "block" || second.element != "thread")
    return text.in.fail("a configuration is blocks, then threads", "<<<#BLOCKS, #THREADS>>>");
  out.blocks.push_back(std::move(first));
  out.threads.push_back(std::move(second));
  return {};
}

// bulk %f>, after the <
Result<void> bulk(ProgramText& text, Spec& out) {
  text.in.advance(4);
  out.attribute = "bulk";
  TESSERA_TRY(Tensor barrier, readBarrier(text));
  out.barriers.push_back(std::move(barrier));
  return text.in.expect(">", "after the barrier");
}

// The names of a thread's coordinates.

Result<std::string> indexName(Cursor& in) {
  if (!in.accept('@')) return in.fail("the name of an index is missing here", "@NAME");
  TESSERA_TRY(const std::string name, in.identifier("the name of an index"));
  return "@" + name;
}

// @i; (@a, @b): two dimensions, or the two modes of one; ((@a, @b), @c)
Result<std::vector<std::vector<std::string>>> levelNames(Cursor& in) {
  std::vector<std::vector<std::string>> out;
  const bool several = in.accept('(');
  do {
    std::vector<std::string>& dim = out.emplace_back();
    const bool modes = several && in.accept('(');
    do {
      TESSERA_TRY(std::string one, indexName(in));
      dim.push_back(std::move(one));
    } while (modes && in.accept(','));
    if (modes) TESSERA_CHECKED(in.expect(")", "after the names of the modes"));
  } while (several && in.accept(','));
  if (several) TESSERA_CHECKED(in.expect(")", "after the names of a level"));
  return out;
}

Result<std::string> comparisonSign(Cursor& in) {
  for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"})
    if (in.accept(op)) return std::string(op);
  return in.fail("a comparison is missing here", "< <= > >= == or !=");
}

// `== row` after `order`, a parameter that is a word.
Result<bool> wordsCompared(Cursor& in, const std::string& left, const WordOf& wordOf) {
  TESSERA_TRY(const std::string op, comparisonSign(in));
  if (op != "==" && op != "!=") return in.fail(fmt::format("{} compares numbers", op), "== or != between words");
  std::string right(in.peekWord());
  if (right.empty() && (in.raw() == '+' || in.raw() == '-' || in.raw() == '*')) right = in.raw();
  if (right.empty()) return in.fail("a word is missing here", "a value of the parameter");
  in.advance(right.size());
  return (left == wordOf(right).value_or(right)) == (op == "==");
}

}  // namespace

std::string_view name(SpecKind kind) { return std::ranges::find(kKinds, kind, &KindRow::kind)->word; }

std::optional<SpecKind> kindOf(std::string_view word) {
  const auto* row = std::ranges::find(kKinds, word, &KindRow::word);
  return row == std::end(kKinds) ? std::nullopt : std::optional(row->kind);
}

std::vector<std::string> kindWords() { return mapped<std::string>(kKinds, &KindRow::word); }

std::optional<std::string> typeDifference(const Tensor& written, const std::vector<bool>& plain, const Tensor& made) {
  if (!written.element.empty() && written.element != made.element) return "." + written.element;
  if (written.memory != Memory::None && written.memory != made.memory) return "another memory";
  if (!written.swizzle.isIdentity() && written.swizzle != made.swizzle) return cute::print(written.swizzle);
  if (written.holds && written.holds != made.holds) return "another distribution";
  if (written.levels.size() != made.levels.size()) return fmt::format("{} levels", written.levels.size());
  for (std::size_t l = 0; l < made.levels.size(); ++l) {
    const auto &a = written.levels[l].dims, &b = made.levels[l].dims;
    if (a.size() != b.size()) return fmt::format("{} dimensions", a.size());
    for (std::size_t d = 0; d < a.size(); ++d) {
      if (sizeOf(a[d]) != sizeOf(b[d])) return fmt::format("{} in dimension {}", print(sizeOf(a[d]), made.symbols), d);
      if (!plain[l] && !sizeOf(b[d]).isConstant(1) && !sameStrides(a[d], b[d]))
        return fmt::format("other strides in dimension {}", d);
    }
  }
  return std::nullopt;
}

std::optional<Diag> arityFault(const Spec& s) {
  std::size_t wanted = s.inputs.size();
  if (s.kind == SpecKind::Move || s.kind == SpecKind::UnaryPointwise || s.kind == SpecKind::Reduction ||
      s.kind == SpecKind::Shfl)
    wanted = 1;
  if (s.kind == SpecKind::MatMul || s.kind == SpecKind::BinaryPointwise) wanted = 2;
  if (s.kind == SpecKind::Init || s.kind == SpecKind::Allocate) wanted = 0;
  if (s.inputs.size() != wanted)
    return Diag{fmt::format("{} reads {}, not {}", name(s.kind), counted(wanted, "tensor"), s.inputs.size()),
                fmt::format("{} inputs", wanted)};
  if (s.kind != SpecKind::Generic && s.outputs.size() != 1)
    return Diag{fmt::format("{} writes one tensor, not {}", name(s.kind), s.outputs.size()), "one output"};
  return std::nullopt;
}

Expr joined(const Dim& dim, const std::vector<Expr>& modes) {
  Expr out = Expr::constant(0), running = Expr::constant(1);
  for (std::size_t k = 0; k < dim.size(); ++k) {
    out = out + modes[k] * running;
    running = running * dim[k].size;
  }
  return out;
}

void nameSymbols(Body& body, const Names& names) {
  const auto name = [&](std::vector<Tensor>& tensors) {
    for (Tensor& t : tensors) t.symbols = names;
  };
  for (Statement& s : body) {
    if (auto* define = std::get_if<Define>(&s.what)) define->tensor.symbols = names;
    if (auto* temporary = std::get_if<Temporary>(&s.what)) temporary->tensor.symbols = names;
    if (auto* spec = std::get_if<Spec>(&s.what))
      for (auto* tensors : {&spec->outputs, &spec->inputs, &spec->blocks, &spec->threads, &spec->barriers})
        name(*tensors);
    if (auto* barrier = std::get_if<Mbarrier>(&s.what)) {
      barrier->barrier.symbols = names;
      name(barrier->data);
    }
    for (Body* inside : bodiesOf(s)) nameSymbols(*inside, names);
  }
}

// <<<#b, #t>>>(%1, %2)
Result<void> readOperands(ProgramText& text, Spec& out) {
  if (text.in.accept("<<<")) TESSERA_CHECKED(configuration(text, out));
  if (text.in.accept('(') && !text.in.accept(')')) {
    do {
      const std::size_t first = text.in.start();
      TESSERA_TRY(Tensor t, text.known());
      if (t.threads) return text.in.fail("a specification reads data", "%NAME");
      TESSERA_CHECKED(noBarrier(text.in, t, first));
      if (text.in.peek() == '[' || text.in.peek() == '.') return inlineView(text.in, nameOf(t), first);
      out.inputs.push_back(std::move(t));
    } while (text.in.accept(','));
    TESSERA_CHECKED(text.in.expect(")", "after the inputs"));
  }
  return {};
}

// <+>, <exp>, <max, 1>, <bfly 16>, and Init(0)
Result<void> readAttribute(ProgramText& text, Spec& out, std::size_t begin) {
  const bool round = out.kind == SpecKind::Init && text.in.peek() == '(';
  if (round || (text.in.peek() == '<' && text.in.text().substr(text.in.position(), 3) != "<<<")) {
    text.in.advance();
    if (!round && out.kind == SpecKind::Move && text.in.peekWord() == "bulk") return bulk(text, out);
    const std::size_t close = text.in.text().find(round ? ')' : '>', text.in.position());
    const std::size_t line = text.in.text().find('\n', text.in.position());
    if (close == std::string_view::npos || close > line)
      return text.in.failFrom(begin, "this attribute is never closed", ">");
    for (const char c : text.names.withWords(text.in.text().substr(text.in.position(), close - text.in.position())))
      if (!isBlank(c)) out.attribute += c;
    if (out.kind == SpecKind::Move && out.attribute.starts_with("bulk"))
      return text.in.failFrom(begin, fmt::format("there is no Move<{}>", out.attribute),
                              "Move<bulk %f> with a barrier");
    text.in.seek(close + 1);
  }
  const bool needed = out.kind == SpecKind::UnaryPointwise || out.kind == SpecKind::BinaryPointwise ||
                      out.kind == SpecKind::Reduction || out.kind == SpecKind::Shfl || out.kind == SpecKind::Init;
  if (needed && out.attribute.empty())
    return text.in.failFrom(begin, fmt::format("{} of what?", name(out.kind)),
                            fmt::format("{}<...>: an operation, an axis, an offset or a value", name(out.kind)));
  return {};
}

// (@m, @n), @i = #6.indices(), and "@i = ..." of one level
Result<Statement> readIndices(ProgramText& text) {
  const std::size_t begin = text.in.position();
  std::vector<std::vector<std::vector<std::string>>> names;
  do {
    TESSERA_TRY(auto level, levelNames(text.in));
    names.push_back(std::move(level));
  } while (text.in.accept(','));
  TESSERA_CHECKED(text.in.expect("=", "after the names of the indices"));
  TESSERA_TRY(const Tensor source, text.known());
  if (!text.in.accept('.') || !text.in.acceptWord("indices") || !text.in.accept('(') || !text.in.accept(')'))
    return text.in.fail("only indices() defines index variables", "#NAME.indices()");
  const Expr id = Expr::param(source.element == "block" ? 0 : 1);
  auto values = indices(source, id);
  if (!values) {
    values.error().span = text.in.spanFrom(begin);
    return values.error();
  }
  Indices out;
  out.source = nameOf(source);
  if (names.size() != values->size())
    return text.in.failFrom(begin, fmt::format("{} names for {} levels", names.size(), values->size()),
                            "a name for each level, (a, b) for one of two dimensions");
  for (std::size_t l = 0; l < names.size(); ++l) {
    if ((*values)[l].size() == 1 && names[l].size() == (*values)[l][0].size()) {  // (@quad, @hi) of one dimension
      std::vector<std::string> modes;
      for (const auto& dim : names[l]) modes.insert(modes.end(), dim.begin(), dim.end());
      names[l] = {std::move(modes)};
    }
    if (names[l].size() != (*values)[l].size())
      return text.in.failFrom(
          begin, fmt::format("{} names for the {} dimensions of level {}", names[l].size(), (*values)[l].size(), l),
          "a name for each dimension");
    auto& level = out.variables.emplace_back();
    for (std::size_t d = 0; d < names[l].size(); ++d) {
      const Coordinate& modes = (*values)[l][d];
      auto& dim = level.emplace_back();
      if (names[l][d].size() != modes.size() && names[l][d].size() != 1)
        return text.in.failFrom(
            begin, fmt::format("{} names for the {} modes of dimension {}", names[l][d].size(), modes.size(), d),
            "one name, or one for each mode");
      for (std::size_t k = 0; k < names[l][d].size(); ++k) {
        const Expr value = names[l][d].size() == modes.size() ? modes[k] : joined(source.levels[l].dims[d], modes);
        const std::string& name = names[l][d][k];
        const int index = text.names.variable({text.names.fresh(name), Variable::Kind::Index, {}, {}, 1, value});
        TESSERA_CHECKED(text.define(name, index, begin));
        dim.push_back(index);
      }
    }
  }
  return Statement{{}, std::move(out)};
}

Result<Comparison> readComparison(Reader& reader) {
  Comparison c;
  TESSERA_TRY(c.left, reader.number());
  TESSERA_TRY(c.op, comparisonSign(reader.cursor()));
  TESSERA_TRY(c.right, reader.number());
  return c;
}

Result<Condition> readCondition(Reader& reader, const WordOf& wordOf) {
  Cursor& in = reader.cursor();
  Condition out;
  bool all = true;
  do {
    const std::string word(in.peekWord());
    if (const auto left = word.empty() ? std::nullopt : wordOf(word)) {
      in.advance(word.size());
      TESSERA_TRY(const bool same, wordsCompared(in, *left, wordOf));
      all = all && same;
      continue;
    }
    TESSERA_TRY(Comparison c, readComparison(reader));
    if (c.left.isConstant() && c.right.isConstant()) {
      all = all && comparisonHolds(c.left.value(), c.op, c.right.value());
    } else {
      out.open.push_back(std::move(c));
    }
  } while (in.accept("&&"));
  if (!all || out.open.empty()) out.known = all;
  return out;
}

}  // namespace tessera::graphene
