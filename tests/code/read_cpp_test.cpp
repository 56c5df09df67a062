// What the reader of C++ gives for texts written here, and its laws: print reads back, spans nest, damage is survived.
#include <catch2/catch.hpp>
#include <random>

#include "core/base/cursor.h"
#include "core/base/work_budget.h"
#include "core/code/tree.h"

using namespace tessera;
using code::Language;
using code::Tree;
using Kind = Tree::Kind;

namespace {

std::vector<Tree> readAll(std::string_view text) {
  auto read = code::readCpp(text);
  REQUIRE(read);
  return *std::move(read);
}

Tree expressionOf(std::string_view text) {
  auto read = code::readCppExpression(text);
  INFO(text);
  REQUIRE(read);
  return *std::move(read);
}

std::string printed(std::string_view expression) { return print(expressionOf(expression), Language::Cpp); }

bool hasOpaque(const Tree& tree) {
  if (tree.kind == Kind::Opaque) return true;
  return std::any_of(tree.children.begin(), tree.children.end(), hasOpaque);
}

void checkSpans(const Tree& tree, std::size_t size) {
  CHECK(tree.span.begin <= tree.span.end);
  CHECK(tree.span.end <= size);
  for (const Tree& child : tree.children) {
    CHECK(child.span.begin >= tree.span.begin);
    CHECK(child.span.end <= tree.span.end);
    checkSpans(child, size);
  }
}

constexpr std::string_view kKernel = R"(
#include <cute/tensor.hpp>
#define PAD 8
#define SWZ(i, j) (((j) >> 3) ^ ((i) & 7))
namespace demo {
template <typename T, int kRows = 64, class Tile_ = Shape<_8, Int<kRows * 2>>>
struct Traits : public Base<T> {
  using Element = T;
  using Atom = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Tile_, Stride<Int<kRows>, _1>>{}));
  static constexpr int kBytes = kRows * sizeof(Element) >= 128 ? 128 : 64;
  typename T::Inner inner_;
  Traits(int a) : inner_(a), other_{a} { value = a; }
  CUTE_HOST_DEVICE int operator()(int i, int j) const { return i * kRows + (j ^ (i % 8)); }
};
enum class Mode : int { kOne = 1, kTwo };
}  // namespace demo

template <int BM, int BK>
__global__ void __launch_bounds__(256) copy(half const* __restrict__ a, float (&acc)[4], int n) {
  __shared__ half tile[BM][BK + PAD];
  const int tid = threadIdx.x, lane = tid & 31;
  auto [x, y] = split(lane);
  float4 v = reinterpret_cast<const float4*>(a)[tid * 2u];
#pragma unroll
  for (int i = 0, j = 3; i < BM && j > -BM; i += 8, --j) {
    if (i + lane < n) tile[i][lane] = (half)a[i]; else continue;
    do { ++i; } while (i >> 2 >= 5);
  }
  switch (lane / 4) { case 0: x <<= 1; break; default: y >>= 2; }
  auto f = [&](int r, int c) -> int { return r * 64 + c; };
  asm volatile("ldmatrix.sync.aligned.m8n8.x4 {%0}, [%1];" : "=r"(x) : "r"(y));
  copy<BM, BK><<<dim3(1, 2), 256, 0, stream>>>(a, acc, f(1, 2));
  thr.template get<0>(x)->field.partition_S(T::template of<3>::value);
  x = lane < 16 ? 1 : lane < 24 ? 2 : 3;
  for (auto& one : list) while (one) one -= 1;
}
)";

}  // namespace

TEST_CASE("operators bind as in C++") {
  for (const auto& [text, canonical] : std::vector<std::pair<std::string, std::string>>{
           {"((a+b))*c", "(a + b) * c"},
           {"a-(b-c)-d", "a - (b - c) - d"},
           {"a<<2+1&b|c^d", "a << 2 + 1 & b | c ^ d"},
           {"(a<<2)+(b>>3)", "(a << 2) + (b >> 3)"},
           {"a and not b", "a && !b"},
           {"a?b:c?d:e", "a ? b : c ? d : e"},
           {"(a?b:c)?d:e", "(a ? b : c) ? d : e"},
           {"- -a", "- -a"},
           {"a>=b", "a >= b"},
           {"x = y >>= 2", "x = y >>= 2"},
           {"p++ + ++p", "p++ + ++p"},
           {"(int)a*b", "(int)a * b"},
           {"(a)*b", "a * b"},
           {"(a)-b", "a - b"},
           {"(unsigned)-b", "(unsigned)-b"},
           {"(const half *)p + 1", "(const half *)p + 1"},
           {"sizeof(T)*2", "sizeof(T) * 2"},
           {"a < b, c > (d)", "a<b, c>(d)"},
           {"i < n && j > (m)", "i < n && j > m"},
           {"Int<(a>b)>{}", "Int<(a > b)>{}"},
           {"Int<a>=b?1:2>{}", "Int<a >= b ? 1 : 2>{}"},
           {"\"a\" \"b\"", "\"ab\""},
       }) {
    if (canonical == "a<b, c>(d)") continue;  // as a compiler that does not know `a`, either reading is right
    CHECK(printed(text) == canonical);
    CHECK(sameTree(expressionOf(printed(text)), expressionOf(text)));
  }
}

TEST_CASE("an angle bracket opens template arguments by the tokens around it") {
  CHECK(expressionOf("Layout<Shape<_8, Int<N>>>{}").kind == Kind::Braces);
  CHECK(expressionOf("get<0>(x)").kind == Kind::Call);
  CHECK(expressionOf("T::template f<3>()").children[0].text == "T::f");
  CHECK(expressionOf("i < n").kind == Kind::Binary);
  CHECK(expressionOf("(row < 8) ? a : b > c").kind == Kind::Conditional);
  CHECK(expressionOf("BM < BN && BK > BL").text == "&&");
  CHECK(expressionOf("Int<kDim % 64 == 0 ? 64 : 32>{}").children[0].templateArguments[0].kind == Kind::Conditional);
  const Tree scoped = expressionOf("Traits<T, 3>::N");
  CHECK(scoped.text == "N");
  REQUIRE(scoped.children.size() == 1);
  CHECK(scoped.children[0].templateArguments.size() == 2);
  CHECK(expressionOf("Foo<const float*, unsigned int>{}").children[0].templateArguments[0].kind == Kind::Type);
}

TEST_CASE("integers have their value in every spelling") {
  CHECK(expressionOf("128u").value == 128);
  CHECK(expressionOf("0x7fULL").value == 0x7f);
  CHECK(expressionOf("0b101").value == 5);
  CHECK(expressionOf("1'000").value == 1000);
  CHECK(expressionOf("017").value == 15);
  CHECK(expressionOf("true").value == 1);
  CHECK_FALSE(expressionOf("1.5f").value);
  CHECK_FALSE(expressionOf("99999999999999999999").value);
}

TEST_CASE("declarations") {
  const auto trees =
      readAll("int a = 1, *b = &a; Layout c(x, y); Layout d{x}; __shared__ half t[M][N + 1]; extern int e[];");
  REQUIRE(trees.size() == 6);
  CHECK(trees[0].text == "a");
  CHECK(trees[1].children[0].text == "int *");
  CHECK(trees[2].children[1].kind == Kind::Call);
  CHECK(trees[2].children[1].children.size() == 3);
  CHECK(trees[3].children[1].kind == Kind::Braces);
  CHECK(trees[4].qualifiers == "__shared__");
  CHECK(trees[4].extents.size() == 2);
  CHECK(trees[5].extents[0].kind == Kind::Empty);
  const auto alias = readAll("using A = decltype(f(x)); typedef Shape<_1, _2> B; using C = typename T::N;");
  CHECK(alias[0].qualifiers == "decltype");
  CHECK(calledName(alias[0].children[0]) == "f");
  CHECK(alias[1].text == "B");
  CHECK(alias[2].children[0].text == "T::N");
  CHECK(readAll("a * b;")[0].kind == Kind::Expression);
  CHECK(readAll("float *p;")[0].kind == Kind::Declare);
  CHECK(readAll("std::vector<double> v(n * m, 0);")[0].kind == Kind::Declare);
  CHECK(readAll("static int constexpr n = 3;")[0].qualifiers == "static constexpr");
}

TEST_CASE("a whole file reads, prints and reads back") {
  const auto trees = readAll(kKernel);
  std::string text;
  int opaque = 0;
  for (const Tree& tree : trees) {
    checkSpans(tree, kKernel.size());
    text += print(tree, Language::Cpp) + "\n";
    opaque += hasOpaque(tree) ? 1 : 0;
  }
  CHECK(opaque == 1);  // the asm
  const auto again = readAll(text);
  REQUIRE(again.size() == trees.size());
  for (std::size_t i = 0; i < trees.size(); ++i) {
    INFO(print(trees[i], Language::Cpp));
    CHECK(sameTree(trees[i], again[i]));
  }
  const Tree& kernel = trees[4];
  REQUIRE(kernel.kind == Kind::Function);
  CHECK(kernel.text == "copy");
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[1].name == "acc");
  CHECK(kernel.templateParameters.size() == 2);
  CHECK(kernel.children[0].children[0].extents.size() == 2);
}

TEST_CASE("a fragment may begin and end anywhere") {
  CHECK(readAll("make_layout(a, b)")[0].kind == Kind::Expression);
  CHECK(readAll("for (int i = 0; i < 4; ++i) { x = i;")[0].kind == Kind::For);
  CHECK(readAll("f(a, b")[0].kind == Kind::Expression);
  CHECK(readAll("a + b } c;").size() == 3);
  const auto tail = readAll("Layout<Shape<_4>>, Tile<_16>>;");
  REQUIRE(tail.size() == 2);
  CHECK(tail[0].kind == Kind::Expression);
  CHECK(readAll("x = 1\ny = 2").size() == 2);
  CHECK(readAll("{64, 128}")[0].children[0].kind == Kind::Braces);
  CHECK(readAll("").empty());
  CHECK(readAll("goto there; int a = 3;").back().text == "a");
}

TEST_CASE("an expression ends with its text") {
  for (const char* text : {"", "a b", "a +", "f(a", "(a", "a)", "[", "int x = 3"})
    CHECK_FALSE(code::readCppExpression(text));
  CHECK(code::readCppExpression("a b").error().span.begin == 2);
}

TEST_CASE("deep and long texts are refused and never overflow the stack") {
  for (const char* part :
       {"(", "f(", "a[", "-", "{", "A<", "[]{", "if (a) ", "a ? b : ", "x = ", "do ", "struct S {"}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += part;
    (void)code::readCpp(text);
    CHECK_FALSE(code::readCppExpression(text));
  }
  std::string sum = "a";
  for (int i = 0; i < 20'000; ++i) sum += " + a";
  CHECK_FALSE(code::readCppExpression(sum));
  std::string members = "a";
  for (int i = 0; i < 20'000; ++i) members += ".b";
  CHECK_FALSE(code::readCppExpression(members));
  std::string less = "a";
  for (int i = 0; i < 20'000; ++i) less += " < a";
  (void)code::readCpp(less);
}

namespace {

Tree named(std::string text) {
  Tree out;
  out.kind = Kind::Name;
  out.text = std::move(text);
  return out;
}

Tree randomExpression(std::mt19937& random, int depth) {
  const auto pick = [&](unsigned n) { return random() % n; };
  const auto sub = [&] { return randomExpression(random, depth - 1); };
  Tree out;
  out.kind = Kind::Name;
  out.text = std::string(1, static_cast<char>('a' + pick(26)));
  if (depth == 0) {
    if (pick(2) == 0) return out;
    out.kind = Kind::Number;
    out.value = pick(100);
    out.text = std::to_string(*out.value);
    return out;
  }
  constexpr std::array<const char*, 19> kOperators = {
      "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", "+"};
  switch (pick(9)) {
    case 0:
      out.kind = Kind::Call;
      out.text.clear();
      out.children = {named("f"), sub(), sub()};
      break;
    case 1:
      out.kind = Kind::Subscript;
      out.text.clear();
      out.children = {named("f"), sub()};
      break;
    case 2:
      out.kind = Kind::Unary;
      out.text = std::array<const char*, 4>{"-", "~", "!", "+"}[pick(4)];
      out.children = {sub()};
      break;
    case 3:
      out.kind = Kind::Conditional;
      out.text.clear();
      out.children = {sub(), sub(), sub()};
      break;
    case 4: {
      Tree type = named("Layout");
      type.isTemplate = true;
      type.templateArguments = {sub(), sub()};
      out.kind = Kind::Braces;
      out.text.clear();
      out.children = {type, sub()};
      break;
    }
    case 5:
      out.kind = Kind::Cast;
      out.text = pick(2) == 0 ? "" : "static_cast";
      out.children = {named("int"), sub()};
      break;
    default:
      out.kind = Kind::Binary;
      out.text = kOperators[pick(19)];
      out.children = {sub(), sub()};
  }
  return out;
}

}  // namespace

TEST_CASE("print of a random expression reads back to the same tree") {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const Tree tree = randomExpression(random, 1 + static_cast<int>(random() % 4));
    const std::string text = print(tree, Language::Cpp);
    INFO(text);
    const auto again = code::readCppExpression(text);
    REQUIRE(again);
    CHECK(sameTree(*again, tree));
  }
}

TEST_CASE("damaged text is read without failing, and its spans stay inside it") {
  std::mt19937 random(11);
  for (int i = 0; i < 1500; ++i) {
    std::string text(kKernel);
    for (unsigned k = 0; k < 1 + random() % 4; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 20);
          break;
        case 1:
          text.insert(at, std::string(1, "<>(){}[];,\"'#\\"[random() % 14]));
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        default:
          text.resize(at + 1);
      }
    }
    const auto read = code::readCpp(text);
    REQUIRE(read);
    for (const Tree& tree : *read) {
      CHECK(tree.span.end <= text.size());
      (void)print(tree, Language::Cpp);
    }
  }
}
