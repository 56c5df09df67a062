// One run decides: the findings and results of a program with barriers are the same in every order of warps and copies.
// The test applies random changes to a correct ring; most of them are wrong in some way.
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <sstream>

#include "core/graphene/program.h"
#include "support/barrier_ring.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::string kRing = testing::barrierRing(8, 64);

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// A number somewhere becomes another one, a statement is lost, said twice, or changes places with the next.
std::string mutated(std::mt19937& random) {
  std::vector<std::string> lines = linesOf(kRing);
  const auto times = random() % 3;
  for (unsigned n = 0; n <= times; ++n) {
    const std::size_t at = 9 + random() % (lines.size() - 11);
    const bool plain = lines[at].find_first_of("{}") == std::string::npos;
    const bool next = lines[at + 1].find_first_of("{}") == std::string::npos;
    const auto how = random() % 5;
    if (how == 0 && plain) {
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (how == 1 && plain) {
      const std::string twice = lines[at];
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), twice);
    } else if (how == 2 && plain && next) {
      std::swap(lines[at], lines[at + 1]);
    } else {
      std::vector<std::size_t> digits;
      for (std::size_t c = 0; c < lines[at].size(); ++c)
        if (lines[at][c] >= '0' && lines[at][c] <= '4') digits.push_back(c);
      if (digits.empty()) continue;
      const std::size_t which = digits[random() % digits.size()];
      lines[at][which] = static_cast<char>('0' + random() % 5);
    }
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

Result<Run> runOf(const graphene::Program& program, u64 seed) {
  TensorValues inputs;
  for (int i = 0; i < 8 * 64; ++i) inputs["x"].push_back(i % 251);
  EmulateOptions options;
  options.architecture = "sm_90a";
  options.seed = seed;
  options.count = false;
  options.maxSteps = 200'000;
  return emulate(program, inputs, options);
}

}  // namespace

TEST_CASE("whether there are findings does not depend on the order of warps and copies") {
  std::mt19937 random(3);
  std::size_t right = 0, wrong = 0;
  std::set<std::string> seen;
  for (int round = 0; round < 1500; ++round) {
    const std::string text = round == 0 ? kRing : mutated(random);
    const auto program = readProgram(text);
    if (!program || !seen.insert(text).second) continue;
    const auto first = runOf(*program, 0);
    if (!first || !first->stopped.empty()) continue;
    ++(first->findings.empty() ? right : wrong);
    for (u64 seed = 1; seed < 6; ++seed) {
      const auto other = runOf(*program, seed);
      REQUIRE(other.ok());
      INFO(text << "seed " << seed << ": " << first->findingCount << " and " << other->findingCount
                << (first->findings.empty() ? "" : "\n" + first->findings[0].message)
                << (other->findings.empty() ? "" : "\n" + other->findings[0].message));
      if (!other->stopped.empty()) continue;
      REQUIRE(first->findings.empty() == other->findings.empty());
      if (first->findings.empty()) REQUIRE(first->tensors.at("y") == other->tensors.at("y"));
    }
  }
  CHECK(right > 20);
  CHECK(wrong > 150);
}
