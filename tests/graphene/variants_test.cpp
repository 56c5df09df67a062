// Variants: different texts of one computation. tests/emulate/variants_test.cpp compares their results.
#include "core/graphene/variants.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/graphene/program.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::string asset(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> namesOf(const std::vector<Variant>& variants) {
  std::vector<std::string> out;
  for (const Variant& v : variants) out.push_back(v.name);
  return out;
}

}  // namespace

TEST_CASE("every other value of a parameter that its requirements allow") {
  const std::string text =
      "param n = 2 in 1, 2, 3, 4\nparam free = 7\nparam op = + in +, max\nrequire n < 4\n"
      "%a:[n,free].fp32.GL #b:[1].block #t:[1].thread\n%a <- Spec<<<#b,#t>>>(%a) { %e = %a[0,0] %e <- "
      "BinaryPointwise<op>(%e,%e) if (n == 3) { %nothing <- nobody(%e) } }";
  const auto listing = readListing("p", text);
  REQUIRE(listing.ok());
  const auto all = variantsOf(*listing);
  REQUIRE(namesOf(all) == std::vector<std::string>{"n=1", "n=3", "op=max"});
  CHECK(print(*all[0].listing).find("%a:[1,7:") == 0);
  CHECK(all[0].settings == Settings{{"n", "1"}});
  CHECK_FALSE(all[1].listing.has_value());
  CHECK(all[1].why.find("there is no tensor %nothing here") == 0);
  CHECK(print(*all[2].listing).find("BinaryPointwise<max>") != std::string::npos);
  const Variant chosen = variantWith(*listing, "op=max, n=1");
  CHECK(chosen.name == "op=max n=1");
  CHECK(print(*chosen.listing).find("BinaryPointwise<max>") != std::string::npos);
  CHECK(variantWith(*listing, "n=9").why == "n cannot be 9");
  CHECK(variantWith(*listing, "n").why == "'n' is not a setting");
}

TEST_CASE("without swizzle: the shared tensors', and every byte where it was") {
  const std::string text =
      "%s : Sw<3,3,3> o [64,64:64,1].fp16.SH  // %no:Sw<3,3,3> o [64].fp16.SH\n%g:Sw<1,2,3> o [64:1].fp16.GL "
      "%t:Swizzle<1,0,3> o\n [2,2].[16:1].fp32.SH %plain:[4].fp16.SH";
  const auto out = withoutSwizzle(text);
  REQUIRE(out.has_value());
  CHECK(out->size() == text.size());
  CHECK(*out ==
        "%s :             [64,64:64,1].fp16.SH  // %no:Sw<3,3,3> o [64].fp16.SH\n%g:Sw<1,2,3> o [64:1].fp16.GL "
        "%t:                \n [2,2].[16:1].fp32.SH %plain:[4].fp16.SH");
  CHECK_FALSE(withoutSwizzle(*out).has_value());
  CHECK(readProgram(*out).ok());
}

TEST_CASE("without ldmatrix: the library's loads by their plain twins") {
  const auto gemm = readListing("gemm", asset("gemm_pipelined"));
  REQUIRE(gemm.ok());
  const auto all = variantsOf(*gemm);
  const auto at = std::find_if(all.begin(), all.end(), [](const Variant& v) { return v.name == "without ldmatrix"; });
  REQUIRE(at != all.end());
  REQUIRE(at->listing.has_value());
  CHECK(at->note.empty());
  CHECK(at->listing->text.find("def load_a: ") != std::string::npos);
  CHECK(at->listing->text.find("def load_bt: ") == std::string::npos);  // not called
  CHECK(std::count(at->listing->text.begin(), at->listing->text.end(), '\n') ==
        std::count(gemm->text.begin(), gemm->text.end(), '\n'));
  CHECK(print(*at->listing).find("load_a_plain") == std::string::npos);  // printed written out
  // One of its own stays, and that is said; a program without any has no such variant.
  const auto own = readListing("own", asset("ldmatrix_move"));
  REQUIRE(own.ok());
  CHECK_FALSE(withoutLdmatrix(own->text).has_value());
  const auto both = readListing("both", asset("ldmatrix_move") +
                                            "\n%k:[16,16:16,1].fp16.SH %f:[2,2:4,2].[1,2:0,1].fp16.RF #one:[1].block "
                                            "#u:[32:1].thread %f <- load_a<<<#one,#u>>>(%k)");
  REQUIRE(both.ok());
  CHECK(variantsOf(*both).back().note == "1 ldmatrix written in the program itself stays");
}

TEST_CASE("variants of a block are blocks") {
  const auto block = readBlock("graphene k {\n  param n = 4 in 4, 8\n  %a:Sw<1,0,1> o [n].fp32.SH\n}");
  REQUIRE(block.ok());
  const auto all = variantsOf(*block);
  REQUIRE(namesOf(all) == std::vector<std::string>{"n=8", "without swizzle"});
  for (const Variant& v : all) {
    REQUIRE(v.listing.has_value());
    CHECK(v.listing->name == "k");
    CHECK(v.listing->text.starts_with("graphene k {"));
  }
  CHECK(print(*all[1].listing) == "%a:[4:1].fp32.SH");
}
