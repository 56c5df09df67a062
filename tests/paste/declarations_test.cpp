// Declarations of CuTe C++ against CuTe itself (tests/cases/declarations.tsv, made by make_declarations.py): each text
// is pasted, and every name that it declares has the shape, the size and the values that CuTe prints.
#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>

#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/notation.h"
#include "core/paste/paste.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

namespace {

struct DeclaredName {
  std::string name, answer;
};
struct DeclaredText {
  std::string text;
  std::vector<DeclaredName> names;
};

std::vector<DeclaredText> declaredTexts() {
  std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/declarations.tsv");
  REQUIRE(file);
  std::vector<DeclaredText> texts;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields;
    std::istringstream row(line);
    for (std::string field; std::getline(row, field, '\t');) fields.push_back(field);
    REQUIRE(fields.size() % 2 == 1);
    DeclaredText& text = texts.emplace_back();
    for (std::size_t i = 0; i < fields[0].size(); ++i) {
      const bool newline = fields[0].compare(i, 2, "\\n") == 0;
      text.text += newline ? '\n' : fields[0][i];
      i += newline ? 1 : 0;
    }
    for (std::size_t i = 1; i < fields.size(); i += 2) text.names.push_back({fields[i], fields[i + 1]});
  }
  return texts;
}

// Whether an extent is static is compared where CuTe's answer is a layout: `_8` and `8` are the same function.
std::string withoutStatic(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] != '_' || k + 1 == text.size() || std::isdigit(static_cast<unsigned char>(text[k + 1])) == 0)
      out += text[k];
  return out;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

class PastedScope {
 public:
  explicit PastedScope(const paste::Reading& reading) {
    for (const paste::Statement& statement : reading.statements)
      for (const Statement& parsed : splitStatements(statement.text)) {
        const Evaluated outcome = evaluate(parsed, scope_);
        INFO(statement.text);
        CHECK_FALSE(outcome.diag);
      }
  }
  [[nodiscard]] std::optional<Value> value(const std::string& expression) {
    const Evaluated outcome = evaluate(splitStatements(expression)[0], scope_);
    if (outcome.diag || !outcome.value) return std::nullopt;
    return *outcome.value;
  }
  [[nodiscard]] std::string text(const std::string& expression) {
    const std::optional<Value> found = value(expression);
    return found ? print(*found) : "no value: " + expression;
  }

 private:
  Scope scope_;
};

// The function of a layout: its values at all flat coordinates, "none" where there is no value.
std::vector<std::string> allValues(const Value& value, std::string& shape) {
  std::vector<std::string> out;
  const Result<Layout> layout = layoutOf(value);
  if (!layout) return {"no layout: " + print(value)};
  const auto* plain = layout->as<cute::Layout>();
  const auto* composed = layout->as<cute::ComposedLayout>();
  if (plain == nullptr && composed == nullptr) return {"no layout of CuTe: " + print(value)};
  const i64 size = plain != nullptr ? plain->size() : composed->inner().size();
  shape = print(plain != nullptr ? plain->shape() : composed->inner().shape());
  for (i64 i = 0; i < size; ++i) {
    const Result<cute::IntTuple> index = plain != nullptr ? plain->crd2idx(i) : composed->crd2idx(i);
    out.push_back(index ? print(*index) : "none");
  }
  return out;
}

// As the second form of an answer: "[SHAPE SIZE COSIZE HASH V0 ... V15]".
std::string summaryOf(const std::string& name, PastedScope& scope) {
  std::string shape;
  const std::vector<std::string> values = allValues(*scope.value(name), shape);
  const std::size_t size = values.size();
  std::uint64_t hash = 1469598103934665603ULL;
  for (const std::string& v : values) hash = (hash ^ std::strtoull(v.c_str(), nullptr, 10)) * 1099511628211ULL;
  std::string out =
      "[" + shape + " " + std::to_string(size) + " " + scope.text("cosize(" + name + ")") + " " + std::to_string(hash);
  for (std::size_t i = 0; i < 16; ++i) out += " " + values[i * (size - 1) / 15];
  return out + "]";
}

std::string answerOf(const std::string& name, const std::string& expected, PastedScope& scope) {
  if (expected.starts_with('[')) return summaryOf(name, scope);
  std::vector<std::string> calls;
  if (expected.starts_with("mma "))
    calls = {"size", "tile_shape", "get_layoutA_TV", "get_layoutB_TV", "get_layoutC_TV"};
  if (expected.starts_with("copy ")) calls = {"size", "Tiler_MN", "get_layoutS_TV", "get_layoutD_TV"};
  if (calls.empty()) return scope.text(name);
  std::string out = words(expected)[0];
  for (const std::string& call : calls) out += " " + scope.text(call + "(" + name + ")");
  return out;
}

bool allStatic(const std::string& text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool begins = std::isdigit(static_cast<unsigned char>(text[k])) != 0 &&
                        (k == 0 || std::isdigit(static_cast<unsigned char>(text[k - 1])) == 0);
    if (begins && (k == 0 || text[k - 1] != '_')) return false;
  }
  return true;
}

// Equal as text, or as layouts of equal shape and equal values: the stride of a mode of extent 1 is no part of the
// function. Where an extent is not static CuTe keeps modes apart that the worksheet joins: then the values are equal.
bool agrees(const std::string& got, const std::string& answer, PastedScope& scope) {
  if (withoutStatic(got) == withoutStatic(answer)) return true;
  if (answer.starts_with('[')) return false;
  const std::vector<std::string> mine = words(got), cute = words(answer);
  if (mine.size() != cute.size()) return false;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (withoutStatic(mine[k]) == withoutStatic(cute[k])) continue;
    const std::optional<Value> a = scope.value(mine[k]), b = scope.value(cute[k]);
    if (!a || !b || mine[k].find(':') == std::string::npos || cute[k].find(':') == std::string::npos) return false;
    std::string shapeA, shapeB;
    if (allValues(*a, shapeA) != allValues(*b, shapeB)) return false;
    if (allStatic(cute[k]) && withoutStatic(shapeA) != withoutStatic(shapeB)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("declarations of CuTe C++ mean what CuTe makes of them") {
  const std::vector<DeclaredText> texts = declaredTexts();
  std::size_t names = 0, refused = 0;
  for (const DeclaredText& text : texts) {
    INFO(text.text);
    const Result<paste::Reading> reading = paste::read(text.text);
    names += text.names.size();
    if (!reading) {
      // A refusal names the dialect and an edit.
      ++refused;
      INFO(reading.error().message << " | " << reading.error().hint);
      CHECK(reading.error().message.starts_with("read as CuTe C++: "));
      CHECK(reading.error().hint.starts_with("--let "));
      continue;
    }
    for (const auto& question : reading->questions) UNSCOPED_INFO("asks " << question.name);
    CHECK(reading->dialect == "CuTe C++");
    CHECK(reading->questions.empty());
    PastedScope scope(*reading);
    for (const DeclaredName& declared : text.names) {
      INFO(declared.name);
      // A word of the worksheet is bound with an underscore.
      const bool word = !scope.value(declared.name) && scope.value(declared.name + "_");
      const std::string name = declared.name + (word ? "_" : "");
      if (!scope.value(name)) {
        for (const std::string& note : reading->notes) UNSCOPED_INFO(note);
        CHECK("left out" == declared.answer);
        continue;
      }
      const std::string got = answerOf(name, declared.answer, scope);
      INFO(got << "\nis not\n" << declared.answer);
      CHECK(agrees(got, declared.answer, scope));
    }
  }
  CHECK(names > 500);
  // CuTe tiles a layout with gaps, (4,64):(16,64), to a shape whose copies overlap the gaps: its strides are no copies.
  CHECK(refused == 1);
}
