// The rows of bank.jsonl and atlas.jsonl that scripts query through the worksheet: wavefronts([..], w), sectors([..],
// w), atlas(NAME, OPERAND), smem_atom, make_tiled_mma. The statements are those of the cases' contract, the values
// those of the original tools.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "app/engine/engine.h"
#include "tests/support/ask.h"
#include "tests/support/cases.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::string said(const std::string& text) {
  const Answer answer = ask(text);
  return answer.ok ? answer.text : "refused: " + answer.text;
}

std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] != ' ' &&
        !(text[k] == '_' && k + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[k + 1])) != 0))
      out += text[k];
  return out;
}

// Equal as functions on every index, which the text need not show (strides of extent-1 modes).
bool sameFunction(const std::string& a, const std::string& b) {
  const auto x = cute::parseLayout(a), y = cute::parseLayout(b);
  if (!x || !y || x->size() != y->size() || x->rank() != y->rank()) return false;
  for (i64 i = 0; i < std::min<i64>(x->size(), 1 << 16); ++i)
    if ((*x)(i) != (*y)(i)) return false;
  return true;
}

}  // namespace

TEST_CASE("every bank case, asked as wavefronts([...], width)") {
  int asked = 0;
  for (const Json& row : rowsOf("bank.jsonl")) {
    if (!row.contains("width")) continue;
    const Json& e = row["expected"];
    const std::string text = fmt::format("wavefronts({}, {})", row["addrs"].dump(), row["width"].get<int>());
    INFO(row["id"] << " " << text);
    ++asked;
    if (!e.contains("wavefronts")) {  // misaligned
      CHECK(said(text).substr(0, 7) == "refused");
      continue;
    }
    CHECK(said(text) == fmt::format("{{wavefronts: {}, ideal: {}, excess: {}}}", e["wavefronts"].get<int>(),
                                    e["ideal"].get<int>(), e["extra"].get<int>()));
  }
  CHECK(asked >= 90);
}

TEST_CASE("every coalescing case, asked as sectors([...], width)") {
  int asked = 0;
  for (const char* file : {"cute.jsonl", "atlas.jsonl"}) {
    for (const Json& row : rowsOf(file)) {
      if (row.value("kind", "") != "coalescing") continue;
      const Json &in = row["inputs"], &e = row["expected"];
      INFO(row["id"]);
      CHECK(said(fmt::format("sectors({}, {})", in["addrs"].dump(), in["width"].get<int>())) ==
            fmt::format("{{sectors: {}, lines: {}}}", e["sectors"].get<int>(), e["lines"].get<int>()));
      ++asked;
    }
  }
  CHECK(asked >= 15);
}

TEST_CASE("every thread-value table, asked as atlas(NAME, OPERAND)") {
  int asked = 0;
  for (const Json& row : rowsOf("atlas.jsonl")) {
    const std::string kind = row.value("kind", "");
    const Json &in = row["inputs"], &e = row["expected"];
    std::vector<std::pair<std::string, std::string>> wanted;  // operand, layout
    if (kind == "tv") {
      for (const char* operand : {"A", "B", "C"}) {  // one operand a row, or all three
        if (e.contains(operand)) wanted.emplace_back(operand, e[operand].get<std::string>());
      }
      // One row prints a one-mode tuple as ((16,8)), which is no CuTe text.
      std::string layout = e.value("layout", "");
      if (const auto at = layout.find("((16,8)))"); at != std::string::npos) layout.replace(at, 9, "(16,8))");
      if (!layout.empty()) wanted.emplace_back(in["operand"].get<std::string>(), layout);
    } else if (kind == "copy_atom" || kind == "tmem_copy_atom") {
      for (const auto& [key, operand] : {std::pair{"src_tv_bits", "src"}, std::pair{"dst_tv_bits", "dst"}})
        if (e.contains(key)) wanted.emplace_back(operand, e[key].get<std::string>());
    }
    for (const auto& [operand, layout] : wanted) {
      const std::string text = fmt::format("atlas({}, {})", in["atom"].get<std::string>(), operand);
      const std::string answer = said(text);
      INFO(row["id"] << " " << text << " gives " << answer << ", wanted " << layout);
      CHECK((plain(answer) == plain(layout) || sameFunction(answer, layout)));
      ++asked;
    }
  }
  CHECK(asked >= 130);
}

TEST_CASE("the canonical shared-memory atoms, asked as smem_atom(NAME, TYPE)") {
  int asked = 0;
  for (const Json& row : rowsOf("atlas.jsonl")) {
    if (row.value("kind", "") != "gmma_atom" || !row["inputs"].contains("type")) continue;
    const Json& in = row["inputs"];
    const std::string text =
        fmt::format("smem_atom({}, {})", in["atom"].get<std::string>(), in["type"].get<std::string>());
    INFO(row["id"] << " " << text);
    CHECK(plain(said(text)) == plain(row["expected"].get<std::string>()));
    ++asked;
  }
  CHECK(asked >= 20);
}
