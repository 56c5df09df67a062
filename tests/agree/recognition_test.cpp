// Recognition never changes a meaning: a text that the worksheet reads by itself is pasted with its own meaning, in
// every notation, alone, named, and among other statements.
#include <catch2/catch.hpp>

#include "core/paste/dialects.h"
#include "core/paste/meaning.h"
#include "core/worksheet/value.h"
#include "tests/agree/random_values.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr int kEach = 40;  // random values of each notation

// The pasted text means what the sample means, by the worksheet's own dialect.
void checkPasted(const std::string& text, const Sample& sample) {
  INFO("pasted:\n" << text);
  const Result<paste::Reading> reading = paste::read(text);
  if (!reading) FAIL("refused: " << reading.error().message);
  CHECK(reading->dialect == paste::kWorksheet.name);
  CHECK(reading->questions.empty());
  const auto value = paste::lastValue(*reading);
  REQUIRE(value);
  const auto meaning = relationOf(**value);
  if (meaning) CHECK(*meaning == sample.meaning);
}

}  // namespace

TEST_CASE("a pasted text of the worksheet keeps its meaning in every notation") {
  Random random{std::mt19937_64(27)};
  for (const auto& [notation, make] : kMakers) {
    for (int k = 0; k < kEach; ++k) {
      const Sample sample = make(random);
      INFO(notation);
      checkPasted(sample.text, sample);
      checkPasted("A = (4,8):(8,1)   // a comment\nL = " + sample.text + "\n", sample);
    }
  }
}

// A dialect that claims such a text with a mark of its own must read the same function from it.
TEST_CASE("no dialect reads another meaning from a text of the worksheet") {
  Random random{std::mt19937_64(28)};
  for (const auto& [notation, make] : kMakers) {
    for (int k = 0; k < kEach; ++k) {
      const Sample sample = make(random);
      for (const paste::Dialect* dialect : paste::dialects()) {
        if (dialect == &paste::kWorksheet || dialect->recognizes(sample.text) < 2) continue;
        const Result<paste::Reading> reading = dialect->read(sample.text, {});
        if (!reading || !reading->questions.empty()) continue;
        INFO(notation << " as " << dialect->name << ": " << sample.text);
        const auto value = paste::lastValue(*reading);
        if (!value) continue;
        const auto meaning = relationOf(**value);
        if (meaning) CHECK(*meaning == sample.meaning);
      }
    }
  }
}
