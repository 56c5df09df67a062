// Mutated attributes: every input gives a value or a Diag. Values print as text that parses to them, and lower or
// refuse.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/notation/convert.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/notation.h"

using namespace tessera;

namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/triton.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto c = nlohmann::json::parse(line);
    if (c.at("inputs").contains("text")) texts.push_back(c.at("inputs").at("text").get<std::string>());
    if (c.at("inputs").contains("encoding_text"))
      texts.push_back(c.at("inputs").at("encoding_text").get<std::string>());
  }
  // whole types, in which the attributes are short
  const std::string s =
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 2, order = [1, 0]}>, #ttg.shared_memory";
  const std::string t = "#ttng.tensor_memory_encoding<blockM = 64, blockN = 8, colStride = 1>, #ttng.tensor_memory";
  for (int n = 0; n < 50; ++n) {
    texts.push_back("!ttg.memdesc<3x4x8xf16, " + s + ", mutable>");
    texts.push_back("!ttg.memdesc<2x4xf16, " + s + ", mutable, 3x2x8>");
    texts.push_back("!ttg.memdesc<2x64x8xf32, " + t + ", mutable, 2x64x16>");
    texts.push_back("!tt.tensordesc<4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, elementBitWidth = 16}>>");
  }
  return texts;
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"0",      "1", "2",  "4",   "8",    "3",
                                                   "-1",     "[", "]",  "{",   "}",    "<",
                                                   ">",      ",", "=",  "#",   "true", "1152921504606846976",
                                                   "[0, 1]", " ", ":+", "\x80"};
  for (unsigned n = 1 + random() % 2; n > 0; --n) {
    const std::size_t at = random() % text.size();
    const std::string& piece = kPieces[random() % kPieces.size()];
    switch (random() % 3) {
      case 0:
        text.insert(at, piece);
        break;
      case 1:
        text.erase(at, 1 + random() % 3);
        break;
      default:
        text.replace(at, 1, piece);
        break;
    }
    if (text.empty()) text = " ";
  }
  return text;
}

}  // namespace

TEST_CASE("mutated attributes: a value that prints and parses, or a Diag with a place") {
  std::mt19937 random(7);
  const std::vector<std::string> texts = seeds();
  REQUIRE(texts.size() > 200);
  int values = 0, types = 0;
  for (int n = 0; n < 40000; ++n) {
    const std::string text = mutated(texts[random() % texts.size()], random);
    INFO(text);
    const auto got = triton::parse(text);
    if (!got) {
      CHECK_FALSE(got.error().message.empty());
      CHECK(got.error().span.end <= text.size());
      continue;
    }
    if (!got->encoding) continue;
    ++values;
    for (const triton::Type& type : got->types) {
      ++types;
      const auto same = triton::parse(print(type));
      if (!same) FAIL(print(type) << ": " << same.error().message);
      CHECK(same->types[0] == type);
      const auto linear = toLinear(type);
      const auto map = memoryMap(type);
      if (linear && map && type.memdesc) CHECK(map->digits().size() == type.shape.size());
    }
    const auto again = triton::parseEncoding(print(*got->encoding));
    if (!again) FAIL(print(*got->encoding) << ": " << again.error().message);
    CHECK(*again == *got->encoding);
    const std::size_t rank = rankOf(*got->encoding).value_or(2);
    for (const i64 extent : {1, 64}) {
      const auto linear = toLinear(*got->encoding, std::vector<i64>(rank, extent));
      if (!linear) continue;
      for (std::size_t k = 0; k < rank; ++k) CHECK(linear->outs()[k].size == extent);
      if (n % 16 != 0) continue;
      (void)toMap(*got->encoding, std::vector<i64>(rank, extent));
      (void)memoryMap(*got->encoding, std::vector<i64>(rank, extent));
      (void)toAxe(*linear);
      (void)toThreadValue(*linear);
      if (linear->inBits() < 12) (void)triton::dumpLayout(*linear, n % 32 == 0);
    }
  }
  CHECK(values > 300);
  CHECK(types > 200);
}

TEST_CASE("mutated linear layouts") {
  std::mt19937 random(8);
  const std::string seed = "register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4]] -> dim0 16, dim1 8";
  for (int n = 0; n < 5000; ++n) {
    const std::string text = mutated(seed, random);
    INFO(text);
    const auto got = linear::parse(text);
    if (got) CHECK(*linear::parse(print(*got)) == *got);
  }
}
