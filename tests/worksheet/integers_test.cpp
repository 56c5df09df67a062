// The arithmetic of the language against unbounded integers: an answer equals Python's (in a C formula, C's on such
// integers), or the expression is refused. Issue 25, C6.
#include <fmt/format.h>
#include <gmpxx.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "core/base/types.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/indexing/map.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"
#include "support/volume.h"

using namespace tessera;

namespace {

using Wide = mpz_class;  // of any width

const Wide kTop = Wide(1) << 63;
bool fits(const Wide& x) { return x >= -kTop && x < kTop; }

// ---- the language's answers; nothing: refused

std::optional<i64> inSheet(const std::string& text) {
  Scope scope;
  const auto statements = splitArgument("0 + " + text);  // (3) is a tuple
  if (statements.size() != 1) return std::nullopt;
  const Evaluated e = evaluate(statements.front(), scope);
  const auto* n = e.value ? std::get_if<i64>(&*e.value) : nullptr;
  return n == nullptr ? std::nullopt : std::optional(*n);
}
std::optional<i64> inFormula(const std::string& text, i64 at) {
  const auto formula = indexing::parseFormula(fmt::format("F(i) = {} over ({})", text, at + 1));
  if (!formula) return std::nullopt;
  const std::vector<i64> digits{at};
  return evaluate(formula->map.map.axes()[0].value, digits);
}
std::optional<i64> inMap(const std::string& text, i64 at) {
  const auto map = indexing::parse(fmt::format("(i) -> ({}), domain: i in [0, {}]", text, at));
  if (!map) return std::nullopt;
  const std::vector<i64> digits{at};
  return evaluate(map->map.axes()[0].value, digits);
}
// A size, which is at least 1.
std::optional<i64> inGraphene(std::string text, i64 at) {
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == 'i' && (k == 0 || text[k - 1] != 'm')) text.replace(k, 1, std::to_string(at));
  const auto tensor = graphene::parseTensor(fmt::format("%a:[{}].fp32.GL", text), graphene::Order::Row);
  if (!tensor || !tensor->extents[0].isConstant()) return std::nullopt;
  return tensor->extents[0].value();
}

// ---- expressions with their value

enum class Kind { Sheet, C, Python, Map, Graphene };

Wide floorDivWide(const Wide& a, const Wide& b) {
  Wide q;
  mpz_fdiv_q(q.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return q;
}
Wide floorModWide(const Wide& a, const Wide& b) { return a - floorDivWide(a, b) * b; }

struct Made {
  std::string text;
  std::optional<Wide> value;  // nothing: no value (a division by zero)
  bool narrow = true;         // every part fits in 64 bits, and has a value
};

class Maker {
 public:
  Maker(Kind kind, std::uint64_t seed) : kind_(kind), random_(seed) {}

  Made tree(int depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    static const std::map<Kind, std::vector<std::string>> kOps = {
        {Kind::Sheet, {"+", "-", "*", "/", "//", "%", "floordiv", "mod", "^", "xor"}},
        {Kind::C, {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}},
        {Kind::Python, {"+", "-", "*", "//", "//", "%", "&", "|", "^", "<<", ">>"}},
        {Kind::Map, {"+", "-", "*", "floordiv", "ceildiv", "mod", "&", "|", "^", "<<", ">>", "//", "%"}},
        {Kind::Graphene, {"+", "-", "*", "/", "%"}}};
    const auto& ops = kOps.at(kind_);
    const std::string& op = ops[below(ops.size())];
    const Made a = tree(depth - 1);
    const Made b = op == "<<" || op == ">>"
                       ? number(std::vector<int>{0, 1, 2, 5, 31, 32, 62, 63, 64, 65, 127}[below(11)])
                       : tree(depth - 1);
    Made out{fmt::format("({} {} {})", a.text, op, b.text), {}, false};
    if (!a.value || !b.value) return out;
    out.value = applied(op, *a.value, *b.value);
    out.narrow = a.narrow && b.narrow && out.value && fits(*out.value);
    return out;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  static constexpr i64 kAt = 5;

 private:
  static Made number(const Wide& n) { return {n < 0 ? fmt::format("({})", n.get_str()) : n.get_str(), n, fits(n)}; }

  Made leaf() {
    if (kind_ != Kind::Sheet && kind_ != Kind::Graphene && below(3) == 0)
      return {"i", Wide(static_cast<long>(kAt)), true};
    static const Wide kEdges[] = {0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  8,
                                  63,
                                  64,
                                  (Wide(1) << 31) - 1,
                                  Wide(1) << 31,
                                  Wide(1) << 32,
                                  Wide(1) << 62,
                                  kTop - 1,
                                  kTop - 2,
                                  3037000499,
                                  3037000500};
    Wide n = below(2) == 0 ? kEdges[below(std::size(kEdges))]
                           : Wide(static_cast<unsigned long>(random_() >> (1 + below(62))));
    if (kind_ == Kind::Graphene || below(2) == 0) return number(n);
    if (n == kTop - 1 && below(2) == 0) return {fmt::format("(-{} - 1)", n.get_str()), -kTop, true};
    return number(-n);
  }

  [[nodiscard]] std::optional<Wide> applied(const std::string& op, const Wide& a, const Wide& b) const {
    if (op == "+") return Wide(a + b);
    if (op == "-") return Wide(a - b);
    if (op == "*") return Wide(a * b);
    if (op == "&") return Wide(a & b);
    if (op == "|") return Wide(a | b);
    if (op == "^" || op == "xor") return Wide(a ^ b);
    if (op == "<<") return Wide(a << b.get_ui());
    if (op == ">>") return floorDivWide(a, Wide(1) << b.get_ui());
    if (b == 0) return {};
    if (kind_ == Kind::C && op == "/") return Wide(a / b);
    if (kind_ == Kind::C && op == "%") return Wide(a % b);
    if (op == "ceildiv") return Wide(-floorDivWide(-a, b));
    return op == "%" || op == "mod" ? floorModWide(a, b) : floorDivWide(a, b);
  }

  Kind kind_;
  std::mt19937_64 random_;
};

std::optional<i64> answer(Kind kind, const std::string& text) {
  switch (kind) {
    case Kind::Sheet:
      return inSheet(text);
    case Kind::C:
    case Kind::Python:
      return inFormula(text, Maker::kAt);
    case Kind::Map:
      return inMap(text, Maker::kAt);
    case Kind::Graphene:
      return inGraphene(text, Maker::kAt);
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("integers are Python's or refused: cases that Python computed") {
  std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/integers.tsv");
  REQUIRE(file);
  const std::map<std::string, Kind> kinds = {
      {"sheet", Kind::Sheet}, {"python", Kind::Python}, {"map", Kind::Map}, {"graphene", Kind::Graphene}};
  std::map<std::string, int> answered;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string notation, text, value;
    std::getline(fields, notation, '\t');
    std::getline(fields, text, '\t');
    std::getline(fields, value, '\t');
    const auto got = answer(kinds.at(notation), text);
    if (!got) continue;
    INFO(line);
    CHECK(std::to_string(*got) == value);
    ++answered[notation];
  }
  for (const auto& [notation, kind] : kinds) {
    INFO(notation);
    CHECK(answered[notation] > 60);  // of 400: a test in which all is refused would say nothing
  }
}

TEST_CASE("integers are exact or refused in every notation") {
  for (const Kind kind : {Kind::Sheet, Kind::C, Kind::Python, Kind::Map, Kind::Graphene}) {
    Maker make(kind, 25 + static_cast<std::uint64_t>(kind));
    i64 answered = 0;
    const i64 count = test::volume(4'000, 400'000);
    for (i64 n = 0; n < count; ++n) {
      Made made = make.tree(1 + static_cast<int>(make.below(3)));
      if (kind == Kind::Python && made.text.find("//") == std::string::npos) continue;  // it would be C's
      const auto got = answer(kind, made.text);
      INFO(static_cast<int>(kind) << ": " << made.text);
      if (got) {
        REQUIRE(made.value);
        REQUIRE(made.value->get_str() == std::to_string(*got));
        ++answered;
      } else if (kind == Kind::Sheet) {
        REQUIRE_FALSE(made.narrow);  // and nothing is refused for no reason
      }
    }
    INFO(static_cast<int>(kind));
    CHECK(answered > count / 12);
  }
}

TEST_CASE("sizes are exact or refused") {
  std::mt19937_64 random(25);
  int answered = 0, refused = 0;
  const auto ask = [&](const std::vector<i64>& extents) {
    Wide product = 1;
    std::string text;
    for (const i64 n : extents) {
      if (product < kTop) product *= static_cast<long>(n);
      text += (text.empty() ? "" : ",") + std::to_string(n);
    }
    const auto got = inSheet("size((" + text + "))");
    INFO(text);
    if (product < kTop) {
      REQUIRE(got);
      REQUIRE(std::to_string(*got) == product.get_str());
      ++answered;
    } else {
      REQUIRE_FALSE(got);
      ++refused;
    }
  };
  ask({4294967296, 2147483647});
  ask({4294967296, 2147483648});  // 2^63: by one too many
  ask({3037000499, 3037000499});
  ask({3037000500, 3037000500});
  ask({9223372036854775807, 1, 1});
  ask({9223372036854775807, 2});
  const i64 count = test::volume(2'000, 100'000);
  for (i64 n = 0; n < count; ++n) {
    std::vector<i64> extents(2 + random() % 4);
    for (i64& e : extents) e = static_cast<i64>(1 + (random() >> (30 + random() % 34)));
    ask(extents);
  }
  CHECK(answered > count / 10);
  CHECK(refused > count / 10);
}
