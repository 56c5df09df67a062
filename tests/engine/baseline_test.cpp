// The baseline of a program as a row of its table: the same sizes and inputs, or the reason why there is none.
#include <catch2/catch.hpp>

#include "app/engine/measure/measure_variants.h"
#include "core/graphene/program.h"

using namespace tessera;
using graphene::baselineOf;

namespace {

// y = 2x in one kernel, and as a copy and an addition.
const std::string kHead = "%x:[32*M,N].fp32.GL  %y:[32*M,N].fp32.GL\n#b:[M].block  #t:[32].thread\n";
std::string body(const std::string& statements) {
  return "{\n  @b = #b.indices()  @t = #t.indices()\n  for (n = 0; n < N; n += 1) {\n"
         "    %f = %x[32*@b + @t, n]  %g = %y[32*@b + @t, n]\n    " +
         statements + "\n  }\n}\n";
}
const std::string kFused = "// baseline: twice_unfused.graphene (N = 2)\n" + kHead +
                           "%y <- Spec<twice><<<#b,#t>>>(%x) " + body("%g <- BinaryPointwise<+>(%f,%f)");
const std::string kUnfused = "%x:[32*M,2].fp32.GL  %y:[32*M,2].fp32.GL\n#b:[M].block  #t:[32].thread\n" +
                             std::string("%y <- Move<<<#b,#t>>>(%x) ") +
                             "{\n  @b = #b.indices()  @t = #t.indices()\n  for (n = 0; n < 2; n += 1) {\n"
                             "    %f = %x[32*@b + @t, n]  %g = %y[32*@b + @t, n]\n    %g <- Move(%f)\n  }\n}\n";

MeasureRequest requestOf(const std::string& text, const std::map<std::string, i64>& sizes) {
  auto listing = graphene::readListing("twice", text);
  REQUIRE(listing.ok());
  MeasureRequest out;
  out.listing = *std::move(listing);
  out.sizes = sizes;
  return out;
}

measure::ComparisonRow row(const Result<std::string>& text, const std::map<std::string, i64>& sizes) {
  const auto baseline = baselineOf(kFused);
  REQUIRE(baseline.has_value());
  const auto unfused = text ? graphene::readListing("twice_unfused", *text) : Result<graphene::Listing>(text.error());
  return baselineRow(requestOf(kFused, sizes), *baseline, unfused, {}, /*onDevice=*/false);
}

}  // namespace

TEST_CASE("a file names its baseline and the sizes that both must have") {
  const auto found = baselineOf(kFused);
  REQUIRE(found.has_value());
  CHECK(found->file == "twice_unfused.graphene");
  CHECK(found->sizes == graphene::Sizes{{"N", 2}});
  CHECK(baselineOf("// baseline: a.graphene\n%x")->sizes.empty());
  CHECK(!baselineOf("%x // baseline: a.graphene\n"));
  CHECK(!baselineOf("// baseline:   \n"));
  CHECK(!baselineOf(""));
}

TEST_CASE("the row of a baseline is emulated with the program's sizes, without those that it has not") {
  const measure::ComparisonRow r = row(kUnfused, {{"M", 3}, {"N", 2}});
  CHECK(r.kind == measure::RowKind::Unfused);
  CHECK(r.name == "twice_unfused");
  INFO(r.why);
  CHECK(r.answer == measure::Answer::Right);
  CHECK(r.instructions.value_or(0) > 0);
  CHECK(r.time.count == 0);
}

TEST_CASE("a baseline that is not there, is none, or is for other sizes says so") {
  CHECK(row(Diag{"'x' cannot be read", "", "", {}}, {{"N", 2}}).why == "'x' cannot be read");
  CHECK(row(std::string("%x <-"), {{"N", 2}}).answer == measure::Answer::NotCompared);
  CHECK(row(std::string("%x <-"), {{"N", 2}}).why != "");
  CHECK(row(kUnfused, {{"N", 3}}).why == "it is for N = 2, but N is 3");
  CHECK(row(kUnfused, {}).why == "it is for N = 2, but N is 4");
}
