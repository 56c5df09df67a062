// One meaning for all notations: a layout gives the same answers to every claim, function, view and search in every
// notation that can express it, and equal is an equivalence. A new notation adds a line to kFamilies (families.h) and
// is then tested like the others.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "core/worksheet/value.h"
#include "tests/agree/families.h"
#include "tests/support/ask.h"

using namespace tessera;

namespace {

std::string truthOf(const Answer& a) { return a.truth ? std::string(name(*a.truth)) : a.ok ? "no verdict" : "refused"; }

// What each spelling is asked; {} is the spelling, {1} the element type.
const std::vector<const char*> kClaims = {
    "injective({0})",
    "surjective({0})",
    "surjective({0}, 32)",
    "bijective({0})",
    "bijective({0}, 32)",
    "in_bounds({0})",
    "in_bounds({0}, 16)",
    "roundtrip({0})",
    "conflict_free({0}, ld.shared, {1})",
    "conflict_free({0}, ld.shared.column, {1})",
    "coalesced({0}, ld.global, {1})",
    "vectorizes({0}, 16, {1})",
    "vectorizes({0}, 8, {1})",
    "aligned({0}, 16, {1})",
    "not injective({0})",
};
const std::vector<const char*> kFunctions = {
    "size({0})",
    "size({0}, 1)",
    "rank({0})",
    "shape({0})",
    "cosize({0})",
    "vector_bytes({0}, {1})",
    "wavefronts({0}, ld.shared, {1})",
    "sectors({0}, ld.global, {1})",
    "to_cute({0})",
    "to_linear({0})",
};

}  // namespace

TEST_CASE("every spelling of a layout answers every claim alike") {
  for (const Family& family : kFamilies) {
    for (const char* claim : kClaims) {
      const std::string expected = truthOf(ask(fmt::format(fmt::runtime(claim), family.spellings[0], family.bits)));
      CHECK(expected != "refused");
      for (const std::string& spelling : family.spellings) {
        const Answer a = ask(fmt::format(fmt::runtime(claim), spelling, family.bits));
        INFO(family.name << ": " << fmt::format(fmt::runtime(claim), spelling, family.bits) << ": " << a.text);
        CHECK(truthOf(a) == expected);
      }
    }
  }
}

TEST_CASE("every spelling of a layout answers every function alike") {
  for (const Family& family : kFamilies) {
    for (const char* function : kFunctions) {
      const Answer expected = ask(fmt::format(fmt::runtime(function), family.spellings[0], family.bits));
      const bool layout = std::string(function).rfind("to_", 0) == 0;
      // The bases of a padded Triton layout are its linear part, as the compiler has them.
      if (std::string(function) == "to_linear({0})" && !expected.ok) continue;
      for (const std::string& spelling : family.spellings) {
        const std::string text = fmt::format(fmt::runtime(function), spelling, family.bits);
        const Answer a = ask(text);
        INFO(family.name << ": " << text << ": " << a.text << " instead of " << expected.text);
        CHECK(a.ok == expected.ok);
        if (!a.ok || !expected.ok) continue;
        if (!layout && std::string(function) != "shape({0})") CHECK(a.text == expected.text);
        // A shape may keep the profile of its modes; a layout is compared as a function.
        if (layout) CHECK(truthOf(ask(fmt::format("equal({}, {})", a.text, expected.text))) == "proved");
      }
    }
  }
}

TEST_CASE("every spelling of a layout has the same value at every coordinate, and at every linear index of its order") {
  for (const Family& family : kFamilies) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const auto at = [&](const std::string& spelling) {
          return askAll(fmt::format("L = {}\nL({},{})", spelling, i, j));
        };
        const std::string expected = at(family.spellings[0]).text;
        for (const std::string& spelling : family.spellings) {
          if (spelling.rfind("x.1 =", 0) == 0) continue;  // a line of its own
          const Answer a = at(spelling);
          INFO(family.name << ": (" << spelling << ")(" << i << "," << j << ")");
          CHECK(a.text == expected);
        }
      }
    }
  }
}

TEST_CASE("all spellings of a layout are equal to each other, and to no other layout") {
  for (const Family& one : kFamilies) {
    for (const std::string& a : one.spellings) {
      for (const std::string& b : one.spellings) {
        const Answer same = ask(fmt::format("equal({}, {})", a, b));
        INFO("equal(" << a << ", " << b << "): " << same.text);
        CHECK(truthOf(same) == "proved");
      }
      for (const Family& other : kFamilies) {
        if (&one == &other) continue;
        const std::string& b = other.spellings[a.size() % other.spellings.size()];
        const Answer differ = ask(fmt::format("equal({}, {})", a, b));
        INFO("equal(" << a << ", " << b << "): " << differ.text);
        CHECK(truthOf(differ) == "refuted");
      }
    }
  }
}

TEST_CASE("every spelling of a layout is drawn alike, cell by cell") {
  for (const Family& family : kFamilies) {
    for (const char* view : {"grid", "memory", "f2", "table", "banks f32 ld.shared"}) {
      std::optional<Figure> first;
      bool firstDrawn = false;
      for (const std::string& spelling : family.spellings) {
        Scope scope;
        const auto statements = splitStatements(fmt::format("show {} as {}", spelling, view));
        REQUIRE(statements.size() == 1);
        const Outcome shown = runStatement(statements[0], scope);
        INFO(family.name << ": show " << spelling << " as " << view << (shown.diag ? ": " + shown.diag->message : ""));
        if (&spelling == &family.spellings.front()) {
          firstDrawn = shown.figure.has_value();
          first = shown.figure;
          continue;
        }
        CHECK(shown.figure.has_value() == firstDrawn);
        if (!shown.figure || !first || std::string(view) == "table") continue;
        REQUIRE(shown.figure->grids.size() == first->grids.size());
        for (std::size_t g = 0; g < first->grids.size(); ++g) {
          const Grid &mine = shown.figure->grids[g], &theirs = first->grids[g];
          CHECK(mine.rows == theirs.rows);
          CHECK(mine.cols == theirs.cols);
          if (mine.rows != theirs.rows || mine.cols != theirs.cols) continue;
          for (i64 r = 0; r < mine.rows; ++r) {
            for (i64 c = 0; c < mine.cols; ++c) {
              const Cell x = mine.cells->cell(r, c), y = theirs.cells->cell(r, c);
              if (x.label == y.label && x.point == y.point) continue;
              FAIL_CHECK("cell (" << r << "," << c << ") of " << mine.name << " says " << x.label << ", not "
                                  << y.label);
              r = mine.rows - 1;
              break;
            }
          }
        }
      }
    }
  }
}

TEST_CASE("find swizzle takes every spelling") {
  const std::vector<std::string> spellings = {
      "(64,64):(64,1)",
      "((8,8),64):((64,512),1)",
      "S[(64,64):(64,1)]",
      "S[4096:1] over (64,64)",
      "f16[64,64]",
      "RowMajor<2>(64,64)",
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}> over (64,64)",
      "(d0, d1) -> (offset: d0 * 64 + d1), domain: d0 in [0, 63], d1 in [0, 63]"};
  std::string expected;
  for (const std::string& spelling : spellings) {
    const Answer a = ask(fmt::format(
        "find swizzle for {} where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, fp16)", spelling));
    INFO(spelling << ": " << a.text);
    CHECK(a.ok);
    const std::string swizzle = a.text.substr(0, 9);
    if (expected.empty()) expected = swizzle;
    CHECK(swizzle == expected);
  }
  CHECK(expected == "Sw<3,3,3>");
}

// --- equal is an equivalence, on random layouts of all notations

namespace {

struct Random {
  std::mt19937_64 engine;
  i64 operator()(i64 n) { return static_cast<i64>(engine() % static_cast<u64>(n)); }
};

std::string joined(const std::vector<i64>& v) { return fmt::format("({})", fmt::join(v, ",")); }

// A layout of 16 elements with small strides, in a random notation.
std::string randomLayout(Random& random) {
  static const std::vector<std::vector<i64>> kShapes = {{16}, {4, 4}, {2, 8}, {8, 2}, {2, 2, 4}};
  const std::vector<i64>& shape = kShapes[static_cast<std::size_t>(random(static_cast<i64>(kShapes.size())))];
  std::vector<i64> strides;
  i64 compact = 1;
  for (const i64 e : shape) {
    strides.push_back(random(3) == 0 ? 1 + random(4) : compact);
    compact *= e;
  }
  if (random(2) == 0) {  // row-major
    compact = 1;
    for (std::size_t k = shape.size(); k-- > 0;) {
      strides[k] = compact;
      compact *= shape[k];
    }
  }
  const std::string s = joined(shape), d = joined(strides);
  switch (random(6)) {
    case 0:
      return s + ":" + d;
    case 1:
      return "S[" + s + ":" + d + "]";
    case 2:
      return "S[" + s + ":" + d + "] over " + joined(kShapes[static_cast<std::size_t>(random(5))]);
    case 3:
      return fmt::format("f32[{}]", fmt::join(shape, ","));
    case 4: {
      std::string names, sum, domain;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        names += fmt::format("{}d{}", k == 0 ? "" : ", ", k);
        sum += fmt::format("{}d{} * {}", k == 0 ? "" : " + ", k, strides[k]);
        domain += fmt::format(", d{} in [0, {}]", k, shape[k] - 1);
      }
      return fmt::format("({}) -> ({}), domain: {}", names, sum, domain.substr(2));
    }
    default:
      return fmt::format("to_map({}:{})", s, d);
  }
}

}  // namespace

TEST_CASE("equal is reflexive, symmetric and transitive wherever it is answered") {
  Random random{std::mt19937_64(20261122)};
  int answered = 0, equal = 0;
  for (int n = 0; n < 400; ++n) {
    const std::string a = randomLayout(random), b = randomLayout(random), c = randomLayout(random);
    const auto says = [](const std::string& x, const std::string& y) {
      return truthOf(ask("equal(" + x + ", " + y + ")"));
    };
    INFO(a << "  |  " << b << "  |  " << c);
    const std::string ab = says(a, b), bc = says(b, c), ac = says(a, c);
    if (ask(a).ok) CHECK(says(a, a) == "proved");
    CHECK(says(b, a) == ab);
    answered += (ab != "refused") + (bc != "refused") + (ac != "refused");
    equal += ab == "proved";
    if (ab == "proved" && bc == "proved" && ac != "refused") CHECK(ac == "proved");
    if (ab == "proved" && ac == "proved" && bc != "refused") CHECK(bc == "proved");
    CHECK(ab != "unknown");
  }
  CHECK(answered > 400);
  CHECK(equal > 10);
}
