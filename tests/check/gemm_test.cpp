// The family of products is proved at every corner of its parameters, as are sizes that no tile divides. With one guard
// changed they are not proved.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"
#include "programs.h"
#include "solver/graphene/check.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using tessera::verdicts::changed;
using tessera::verdicts::standing;

namespace {

std::string textOf(const std::string& file) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (file + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

CheckResult checked(const std::string& text, const Settings& settings, const Sizes& sizes,
                    const std::string& architecture = "sm_80") {
  const auto set = withSettings(text, settings);
  INFO((set ? "" : set.error().message));
  REQUIRE(set.ok());
  const auto program = readSized(*set, sizes);
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  CheckOptions how;
  how.architecture = architecture;
  how.budgetSeconds = 5000;
  return checkProgram(*program, how);
}

}  // namespace

TEST_CASE("the family of products is proved: tiles, orders, stages, epilogues") {
  const std::string text = textOf("gemm");
  const Settings small = {{"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"WN", "32"}};
  for (const char* left : {"row", "column"})
    for (const char* right : {"row", "column"})
      for (const char* stages : {"2", "3", "4"}) {
        INFO(left << " " << right << " " << stages);
        Settings settings = small;
        settings.insert({{"left", left}, {"right", right}, {"stages", stages}});
        CHECK(checked(text, settings, {{"M", 1}, {"N", 2}, {"K", 5}}).holds());
      }
  const std::vector<Settings> others = {
      {{"BN", "256"}, {"right", "row"}},
      {{"BM", "256"}, {"left", "column"}},
      {{"BK", "64"}},
      {{"WN", "32"}, {"group", "1"}},
      {{"epilogue", "id"}},
      {{"epilogue", "relu"}, {"right", "row"}},
      {{"epilogue", "bias"}},
      {{"epilogue", "bias_relu"}, {"group", "6"}},
  };
  for (const Settings& settings : others) {
    INFO(settings.begin()->first << "=" << settings.begin()->second);
    CHECK(checked(text, settings, {{"M", 1}, {"N", 2}, {"K", 4}}).holds());
  }
  for (const i64 k : {1, 2, 3}) CHECK(checked(text, small, {{"M", 1}, {"N", 1}, {"K", k}}).holds());
}

TEST_CASE("a product of 1024 x 1024 x 1024 is proved: one block is run, the others are shifts of it") {
  CHECK(checked(textOf("gemm"), {{"group", "8"}}, {{"M", 1}, {"N", 8}, {"K", 32}}).holds());
}

TEST_CASE("products whose sizes no tile divides are proved, and some obligations for every size") {
  const std::string text = textOf("gemm_partial");
  for (const char* right : {"row", "column"})
    for (const Sizes& sizes : {Sizes{{"M", 1}, {"N", 1}, {"K", 1}},
                               {{"M", 140}, {"N", 17}, {"K", 9}},
                               {{"M", 128}, {"N", 16}, {"K", 8}},
                               {{"M", 260}, {"N", 3}, {"K", 6}}}) {
      INFO(right << " " << sizes.at("M") << " " << sizes.at("N") << " " << sizes.at("K"));
      const CheckResult r = checked(text, {{"right", right}}, sizes);
      INFO((r.firstFinding() != nullptr ? print(*r.firstFinding()) : ""));
      CHECK(r.holds());
    }
  const CheckResult every = checked(text, {}, {});
  for (const Obligation o : {Obligation::Static, Obligation::Bounds, Obligation::Frame, Obligation::Uniqueness})
    CHECK(standing(every, o) == Standing::Proved);
  CHECK(every.firstFinding() == nullptr);
}

TEST_CASE("a partial product with one guard changed is refuted") {
  const std::string text = textOf("gemm_partial");
  const Sizes sizes = {{"M", 140}, {"N", 17}, {"K", 9}};
  // A row beyond the last one is stored; and fetched in the loop.
  CHECK(standing(checked(changed(text, "16*@bn + 8*@wn + n < N", "16*@bn + 8*@wn + n < N + 1"), {}, sizes),
                 Obligation::Bounds) == Standing::Refuted);
  CHECK(standing(checked(changed(text, "        if (128*@bm + 32*i + @r < M) {", "        if (128*@bm + 32*i < M) {"),
                         {}, sizes),
                 Obligation::Bounds) == Standing::Refuted);
  // Places before the first k are not made zero: what is there is multiplied.
  CHECK(standing(checked(changed(text, "} else { %a2 <- Init<0>() }", "}"), {}, sizes), Obligation::Definedness) ==
        Standing::Refuted);
  // One row too few.
  CHECK(standing(checked(changed(text, "8*i + @g < M &&", "8*i + @g < M - 1 &&"), {}, sizes), Obligation::Coverage) ==
        Standing::Refuted);
  // The tile that is not whole is taken to be the last one, and its places are the first.
  CHECK(standing(checked(changed(text, "4*st + @c + K - 4*ceildiv(K,4)", "4*st + @c"), {}, sizes), Obligation::Value) ==
        Standing::Refuted);
}
