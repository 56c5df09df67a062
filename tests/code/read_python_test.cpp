// The reader of Python source: expressions, statements, fragments, damaged text.
#include <catch2/catch.hpp>
#include <random>

#include "core/base/chars.h"
#include "core/code/tree.h"

namespace tessera::code {
namespace {

using Kind = Tree::Kind;

std::string shown(const Tree& t);

std::string shownList(const std::vector<Tree>& trees, std::size_t from = 0) {
  std::string out;
  for (std::size_t k = from; k < trees.size(); ++k) out += (k == from ? "" : " ") + shown(trees[k]);
  return out;
}

std::string shownParameters(const Tree& t) {
  std::string out;
  for (const Tree::Parameter& p : t.parameters) {
    out += (out.empty() ? "" : " ") + p.name + (p.type.empty() ? "" : ":" + p.type);
    if (!p.byDefault.empty()) out += "=" + shown(p.byDefault[0]);
  }
  return "(" + out + ")";
}

// An S-expression: (+ a (* b c)), (call f x).
std::string shown(const Tree& t) {
  const auto form = [&](const std::string& head) {
    return "(" + head + (t.children.empty() ? "" : " " + shownList(t.children)) + ")";
  };
  switch (t.kind) {
    case Kind::Number:
    case Kind::Name:
      return t.text;
    case Kind::String:
      return "'" + t.text + "'";
    case Kind::Empty:
      return "_";
    case Kind::Member:
      return shown(t.children[0]) + "." + t.text;
    case Kind::Call:
      return form("call");
    case Kind::Keyword:
      return form(t.text + "=");
    case Kind::Subscript:
      return form("at");
    case Kind::Slice:
      return form(":");
    case Kind::Tuple:
      return form("tuple");
    case Kind::List:
      return form("list");
    case Kind::Dictionary:
      return form("dict");
    case Kind::Braces:
      return form("set");
    case Kind::Unary:
      return form("u" + t.text);
    case Kind::Conditional:
      return form("?");
    case Kind::Lambda:
      return "(lambda " + shownParameters(t) + " " + shownList(t.children) + ")";
    case Kind::Function:
      return "(def " + t.text + shownParameters(t) + " " + shownList(t.children) + ")";
    case Kind::Struct:
      return form("class " + t.text);
    case Kind::Block:
      return form(t.qualifiers.empty() ? "block" : t.qualifiers);
    case Kind::Declare:
      return form("declare " + t.text);
    case Kind::If:
      return form("if");
    case Kind::For:
      return form("for");
    case Kind::While:
      return form("while");
    case Kind::Return:
      return form("return");
    case Kind::Break:
      return "break";
    case Kind::Continue:
      return "continue";
    case Kind::Expression:
      return shownList(t.children);
    case Kind::Directive:
      return "<" + t.text + ">";
    case Kind::Opaque:
      return t.children.empty() ? "?{" + t.text + "}" : form(t.text);
    default:
      return form(t.text);
  }
}

std::string expression(std::string_view text) {
  const Result<Tree> tree = readPythonExpression(text);
  return tree ? shown(*tree) : "error: " + tree.error().message;
}

std::string statements(std::string_view text) {
  const Result<std::vector<Tree>> trees = readPython(text);
  return trees ? shownList(*trees) : "error: " + trees.error().message;
}

// Spans of children are inside their parent's; in order, except of `a if c else b` and `def f() -> type: body`.
void checkSpans(const Tree& t, std::string_view text) {
  REQUIRE(t.span.begin <= t.span.end);
  REQUIRE(t.span.end <= text.size());
  std::size_t from = t.span.begin;
  for (const Tree& child : t.children) {
    INFO(shown(t) << " / " << shown(child));
    REQUIRE(child.span.begin >= (t.kind == Kind::Conditional || t.kind == Kind::Function ? t.span.begin : from));
    REQUIRE(child.span.end <= t.span.end);
    const bool chain = t.kind == Kind::Binary && t.text == "and";  // a < b < c has b twice
    from = chain ? child.span.begin : child.span.end;
    checkSpans(child, text);
  }
}

TEST_CASE("python: precedence") {
  CHECK(expression("1 + 2 * 3 - 4") == "(- (+ 1 (* 2 3)) 4)");
  CHECK(expression("a // b % c * d") == "(* (% (// a b) c) d)");
  CHECK(expression("-x ** 2") == "(u- (** x 2))");
  CHECK(expression("2 ** -x ** y") == "(** 2 (u- (** x y)))");
  CHECK(expression("a ^ b & c | d << 2 + e") == "(| (^ a (& b c)) (<< d (+ 2 e)))");
  CHECK(expression("not a == b and c or d") == "(or (and (unot (== a b)) c) d)");
  CHECK(expression("a < b <= c") == "(and (< a b) (<= b c))");
  CHECK(expression("a not in b") == "(not in a b)");
  CHECK(expression("a is not None") == "(is not a None)");
  CHECK(expression("a if c else b if d else e") == "(? c a (? d b e))");
  CHECK(expression("~a[i]") == "(u~ (at a i))");
  CHECK(expression("((a))") == "a");
}

TEST_CASE("python: calls, subscripts, displays") {
  CHECK(expression("f(a, *b, order=(1, 0), **kw)") == "(call f a (* b) (order= (tuple 1 0)) (** kw))");
  CHECK(expression("cute.make_layout((4, 8), stride=(8, 1),)") ==
        "(call cute.make_layout (tuple 4 8) (stride= (tuple 8 1)))");
  CHECK(expression("a[i][j, k]") == "(at (at a i) j k)");
  CHECK(expression("a[::2, 1:, :-1, ..., None]") == "(at a (: _ _ 2) (: 1 _ _) (: _ (u- 1) _) ... None)");
  CHECK(expression("S[(4, 8):(1@m, 4)]") == "(at S (: (tuple 4 8) (tuple (@ 1 m) 4) _))");
  CHECK(expression("(1,)") == "(tuple 1)");
  CHECK(expression("()") == "(tuple)");
  CHECK(expression("[1, [2, 3], ]") == "(list 1 (list 2 3))");
  CHECK(expression("1, 2") == "(tuple 1 2)");
  CHECK(expression("{'a': 1, 2: b}") == "(dict 'a' 1 2 b)");
  CHECK(expression("{1, 2}") == "(set _ 1 2)");
  CHECK(expression("[x * 2 for x, y in r if x if y]") ==
        "(comprehension (* x 2) (for (tuple x y) r _) (if x _ _) (if y _ _))");
  CHECK(expression("sum(x for x in r)") == "(call sum (comprehension x (for x r _)))");
  CHECK(expression("lambda n, c=4, *r: [n, c // 4]") == "(lambda (n c=4 *r) (list n (// c 4)))");
  CHECK(expression("lambda: 1") == "(lambda () 1)");
  CHECK(expression("(y := f(x))") == "(:= y (call f x))");
}

TEST_CASE("python: numbers and strings") {
  CHECK(expression("0x1F") == "0x1F");
  CHECK(readPythonExpression("0x1F")->value == 31);
  CHECK(readPythonExpression("0b101")->value == 5);
  CHECK(readPythonExpression("0o17")->value == 15);
  CHECK(readPythonExpression("1_000")->value == 1000);
  CHECK(readPythonExpression("9223372036854775807")->value == INT64_MAX);
  CHECK_FALSE(readPythonExpression("9223372036854775808")->value);
  CHECK_FALSE(readPythonExpression("1.5e-3")->value);
  CHECK(expression("3x") == "error: `3x` is where a number was expected");
  CHECK(expression("f'a{b}' \"c\" r'\\d'") == "'a{b}c\\d'");
  CHECK(expression("'''a\nb'''") == "'a\nb'");
  CHECK(expression("'it\\'s'") == "'it\\'s'");
}

TEST_CASE("python: statements") {
  CHECK(statements("a = b = 3; c += a\nx, (y, *z) = f()") ==
        "(= a (= b 3)) (+= c a) (= (tuple x (tuple y (* z))) (call f))");
  CHECK(statements("x: int = 3\ny: T.Buffer((4, 4))\nself.n: int = 2") ==
        "(declare x int 3) (declare y (call T.Buffer (tuple 4 4)) _) (declare self.n int 2)");
  CHECK(statements("def f(i, j: int = 2, /, *, k=3) -> int:\n    \"\"\"doc\"\"\"\n    # none\n\n    r = i\n"
                   "    return r, j\nf(1)") ==
        "(def f(i j:int=2 k=3) (block 'doc' (= r i) (return (tuple r j))) int) (call f 1)");
  CHECK(statements("if a:\n  b\nelif c:\n  d\nelse:\n  e\nf") == "(if a (block b) (if c (block d) (block e))) f");
  CHECK(statements("if a: b; c\nelse: d") == "(if a (block b c) (block d))");
  CHECK(statements("for i, j in range(4), x:\n  if i: continue\n  break") ==
        "(for (tuple i j) (tuple (call range 4) x) (block (if i (block continue) _) break))");
  CHECK(statements("while a < b:\n\ta += 1\nc") == "(while (< a b) (block (+= a 1))) c");
  CHECK(statements("@cute.jit\nclass A(B):\n  n = 1\n  def f(self): return 1") ==
        "<@cute.jit> (class A (= n 1) (def f(self) (block (return 1)) _))");
  CHECK(statements("with T.block('B') as [i, j], x: pass") ==
        "(with (= (list i j) (call T.block 'B')) x (block <pass>))");
  CHECK(statements("with (open(a) as b,\n   c):\n  d") == "(with (= b (call open a)) c (block d))");
  CHECK(statements("try:\n  a\nexcept E as e:\n  b\nfinally:\n  c") == "(try a) (except b) (finally c)");
  CHECK(statements("import a as b\nassert a == 2, 'why'\nfrom x import (a,\n b)") ==
        "<import a as b> <assert a == 2, 'why'> <from x import (a,\n b)>");
}

TEST_CASE("python: lines continue in brackets and after a backslash") {
  CHECK(statements("a = f(1,  # one\n   2)\nb = 1 + \\\n  2") == "(= a (call f 1 2)) (= b (+ 1 2))");
  CHECK(statements("a = 1\r\nb = 2\r\n") == "(= a 1) (= b 2)");
}

TEST_CASE("python: fragments") {
  CHECK(statements("    a = 1\n    if b:\n        c\n    d") == "(= a 1) (if b (block c) _) d");
  // The indentation of the first line was lost.
  CHECK(statements("a = 1\n    b = 2\n    if c:\n        d\n    e") == "(= a 1) (= b 2) (if c (block d) _) e");
  CHECK(statements("if c:\n        d\n    else:\n        e\n    f") == "(if c (block d) (block e)) f");
  // The text begins inside a block.
  CHECK(statements("        a\n    b\nc") == "a b c");
  CHECK(statements(">>> a = 1\n>>> for i in r:\n...   b\n>>> c\n") == "(= a 1) (for i r (block b)) c");
  CHECK(statements("In [3]: a = 1\n") == "(= a 1)");
  CHECK(statements("") == "");
  CHECK(statements("\n\n  # only\n") == "");
  CHECK(statements("def f(a):") == "(def f(a) (block) _)");
}

TEST_CASE("python: what is not Python is opaque and ends nothing") {
  CHECK(statements("a = 1\n%timeit f()\nb = 2") == "(= a 1) ?{%timeit f()} (= b 2)");
  CHECK(statements("for i in r:\n  a\nelse:\n  b\nc") == "(for i r (block a)) ?{else:} b c");
  CHECK(statements("a = = 2; b\nc") == "?{a = = 2; b} c");
  CHECK(statements("a)\nb") == "?{a)} b");
  CHECK(statements("if a b:\n  c\nd") == "?{if a b:} c d");
  CHECK(expression("a +") == "error: the line ends where an expression was expected");
  CHECK(expression("a b") == "error: `b` is where the end of the expression was expected");
  CHECK(expression("f(a") == "error: the line ends where `)` after the arguments was expected");
}

TEST_CASE("python: limits") {
  const std::string open(5000, '('), close(5000, ')');
  CHECK(expression(open + "a" + close) == "error: this nests more than 200 levels deep");
  CHECK(statements(std::string(5000, '-') + "a") == "error: this nests more than 200 levels deep");
  std::string sum = "a", calls = "a", nested, power = "a", chain = "if a: b\n";
  for (int k = 0; k < 5000; ++k) {
    sum += "+a";
    calls += "()";
    nested += std::string(static_cast<std::size_t>(k), ' ') + "if a:\n";
    power += "**a";
    chain += "elif a: b\n";
  }
  for (const std::string& text : {sum, calls, nested, power, chain})
    CHECK(statements(text).starts_with("error: this nests more than"));
}

constexpr std::string_view kSample = R"(
@jit
def swizzle(row: int, col, *, width=8) -> int:
    phase = (row // 2) % 8
    for k in range(4):
        if k < row <= 3 and not col: phase ^= k
        elif k == 2:
            continue
        else:
            phase = phase if k else 2
    t[row, ::2] = [x for x in (1, 2)]
    return row, ((col // width) ^ phase) * width + col % width, {'a': -1}
L = cute.make_layout((4, 8), stride=(8, 1)); M = lambda i, j: (i, j)
)";

TEST_CASE("python: spans") {
  const Result<std::vector<Tree>> trees = readPython(kSample);
  REQUIRE(trees);
  for (const Tree& tree : *trees) checkSpans(tree, kSample);
  const Tree sum = *readPythonExpression("  (a + b) * c ");
  CHECK(sum.span == Span{2, 13});
  CHECK(sum.children[0].span == Span{3, 8});
}

// print(tree) reads back to an equal tree.
void checkPrinted(const std::vector<Tree>& trees) {
  std::string text;
  for (const Tree& tree : trees) text += print(tree, Language::Python);
  INFO(text);
  const Result<std::vector<Tree>> again = readPython(text);
  REQUIRE(again);
  REQUIRE(shownList(*again) == shownList(trees));
}

TEST_CASE("python: printed trees read back") {
  CHECK(print(*readPythonExpression("( (a+b)*c )**-(d) [1 : ,::2]"), Language::Python) ==
        "((a + b) * c) ** -d[1:, ::2]");
  CHECK(print((*readPython("if a: b=c,d\nelse:\n  return"))[0], Language::Python) ==
        "if a:\n    b = c, d\nelse:\n    return\n");
  checkPrinted(*readPython(kSample));
  for (const std::string_view text : {"a - (b - c) - d",
                                      "(a ** b) ** c",
                                      "-(a ** b)",
                                      "(-a) ** b",
                                      "not (a and b) or c",
                                      "(a < b) == c",
                                      "(lambda x: x)(1)",
                                      "(a if b else c) if d else e",
                                      "(yes if a else b) + 1",
                                      "{1: 2, **c}",
                                      "{1, 2}",
                                      "(a,)",
                                      "()",
                                      "f(x for x in r)",
                                      "x = y = (z := 3)",
                                      "x: int = 3, 4",
                                      "'it\"s'",
                                      "a[b, (c, d)]",
                                      "*a, b = c",
                                      "(a, b)[0]",
                                      "f(*a, **b, c=lambda: 0)",
                                      "with a as b, c: d",
                                      "try: a\nexcept E: b",
                                      "for i, j in a, b: pass",
                                      "~a & (b | c)",
                                      "class A:\n  x = 1\n  def f(self, *a, k: int = 3) -> B: return a",
                                      "while x: x -= 1",
                                      "assert a, b"})
    checkPrinted(*readPython(text));
}

TEST_CASE("python: randomly damaged text is read or refused") {
  std::mt19937 random(7);
  for (int k = 0; k < 3000; ++k) {
    std::string text(kSample);
    for (int edit = 0; edit < 4; ++edit) {
      const std::size_t at = random() % text.size();
      const char c = "()[]{}:,\n\"' \\=#.*\x80\t"[random() % 19];
      if (random() % 3 == 0)
        text.erase(at, random() % 20);
      else if (random() % 2 == 0)
        text[at] = c;
      else
        text.insert(at, 1, c);
    }
    const Result<std::vector<Tree>> trees = readPython(text);
    REQUIRE(trees);
    for (const Tree& tree : *trees) checkSpans(tree, text);
  }
}

}  // namespace
}  // namespace tessera::code
