// tessera check --against and --reference, and the same question in a worksheet: verdicts, JSON, exit codes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::string scaled(const std::string& operation, int threads) {
  return R"(%x : [64*M].fp32.GL  %c : [64*M].fp32.GL  %y : [64*M].fp32.GL
#b : [64*M/)" +
         std::to_string(threads) + R"(].block  #t : [)" + std::to_string(threads) + R"(].thread
%y <- Spec<scaled><<<#b, #t>>>(%x, %c) {
  @b = #b.indices()  @t = #t.indices()
  %xe = %x.tile([)" +
         std::to_string(threads) + R"(:1])[@b][@t]  %ce = %c.tile([)" + std::to_string(threads) +
         R"(:1])[@b][@t]  %ye = %y.tile([)" + std::to_string(threads) + R"(:1])[@b][@t]
  %v : [].fp32.RF  %w : [].fp32.RF
  %v <- Move(%xe)  %w <- Move(%ce)
  %v <- BinaryPointwise<)" +
         operation + R"(>(%v, %w)
  %ye <- Move(%v)
}
)";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("check --against and --reference compare a program") {
  const std::string folder = scratchFolder();
  const std::string wide = folder + "/wide.graphene", narrow = folder + "/narrow.graphene",
                    wrong = folder + "/wrong.graphene";
  writeText(wide, scaled("*", 64));
  writeText(narrow, scaled("*", 32));
  writeText(wrong, scaled("+", 32));

  const Finished same = run({"check", "--against", narrow, "--size", "M=2", wide});
  INFO(same.out << same.err);
  CHECK(same.exit == 0);
  CHECK(has(same.out, "proved   equal(wide, narrow)"));
  CHECK(has(same.out, "128 elements of %y are equal over the real numbers"));
  CHECK(has(same.out, "at M=2"));

  const Finished other = run({"check", "--json", "--against", wrong, "--size", "M=1", wide});
  CHECK(other.exit == 1);
  const Json verdict = Json::parse(other.out.substr(0, other.out.find('\n')));
  CHECK(verdict["kind"] == "verdict");
  CHECK(verdict["verdict"] == "refuted");
  CHECK(verdict["method"] == "numbers");
  CHECK(verdict["counterexample"]["witnesses"][0]["name"] == "%y");
  CHECK(has(verdict["counterexample"]["text"].get<std::string>(), "in wide and"));

  CHECK(run({"check", "--reference", "y = x * c", "--size", "M=1", wide}).exit == 0);
  CHECK(run({"check", "--reference", "y = x + c", "--size", "M=1", wide}).exit == 1);
  CHECK(run({"check", "--reference", "y = x * c", wide}).exit == 1);  // not for every M

  // A program that states its function, for every size.
  const std::string product = std::string(TESSERA_SOURCE_ASSETS) + "/graphene/gemm_symbolic.graphene";
  const Finished every = run({"check", "--reference", "C = C + A @ B", product});
  INFO(every.out << every.err);
  CHECK(every.exit == 0);
  CHECK(has(every.out, "for every K, M, N"));
  CHECK(run({"check", "--reference", "C = A @ B", product}).exit == 1);

  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Finished ran = run(arguments);
    INFO(ran.err);
    CHECK(ran.exit == 2);
    CHECK(has(ran.err, why));
  };
  refused({"check", "--reference", "z = x", "--size", "M=1", wide}, "does not assign %y");
  refused({"check", "--reference", "y = x +", "--size", "M=1", wide}, "in \"y = x +\"");
  refused({"check", "--against", narrow, "--size", "N=1", wide}, "N is no size of wide or narrow");
  refused({"check", "--against", narrow, "--set", "stages=1", wide}, "stages is no parameter of the programs");
  refused({"check", "--against", folder + "/none.graphene", wide}, "none.graphene");
  refused({"check", "--against", narrow, "--reference", "y = x", wide}, "exclude each other");
  refused({"check", "--where", "c = c", "--reference", "y = x", wide}, "need --against");
  const std::string sheet = folder + "/sheet.tess";
  writeText(sheet, "size((4,8):(8,1))\n");
  refused({"check", "--against", narrow, sheet}, "are for .graphene programs");
}

TEST_CASE("check --within bounds the rounding errors, and --inputs gives the ranges") {
  const std::string folder = scratchFolder(), wide = folder + "/wide.graphene", narrow = folder + "/narrow.graphene";
  writeText(wide, scaled("*", 64));
  writeText(narrow, scaled("+", 32));
  const std::vector<std::string> base{"check", "--reference", "y = x * c", "--size", "M=1"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    all.push_back(wide);
    return run(all);
  };
  // One product of numbers up to 1: half a unit, 2^-24.
  const Finished proved = with({"--within", "6e-8"});
  INFO(proved.out << proved.err);
  CHECK(proved.exit == 0);
  CHECK(has(proved.out,
            "in their types |wide - the reference| <= 5.99e-08 for 64 elements of %y at M=1 (inputs in "
            "[-1, 1])"));
  CHECK(with({"--within", "1e-9"}).exit == 1);
  CHECK(has(with({"--within", "1e-9"}).out, "refuted"));
  const Finished large = with({"--within", "1e-6", "--inputs", "|x| <= 8, 0 <= c <= 0.5"});
  INFO(large.out);
  CHECK(large.exit == 0);
  CHECK(has(large.out, "inputs with |x| <= 8, 0 <= c <= 0.5, others in [-1, 1]"));
  CHECK(with({"--within", "1e-7", "--inputs", "|x| <= 8, 0 <= c <= 0.5"}).exit == 1);
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const Finished ran = with(more);
    INFO(ran.err);
    CHECK(ran.exit == 2);
    CHECK(has(ran.err, why));
  };
  refused({"--within", "1e-3", "--inputs", "|x| < 8"}, "--inputs: `<=` is missing after |x|");
  refused({"--within", "1e-3", "--inputs", "|z| <= 8"}, "%z is no input of wide");
  refused({"--within", "-1"}, "at least 0");
  refused({"--inputs", "|x| <= 8"}, "--inputs needs --within ERROR");
  CHECK(run({"check", "--within", "1", wide}).exit == 2);
}

TEST_CASE("a worksheet proves programs equal, and a task asks for it") {
  const std::string folder = scratchFolder(), sheet = folder + "/sheet.tess";
  const std::string programs = "graphene wide {\n" + scaled("*", 64) + "}\ngraphene narrow {\n" + scaled("*", 32) +
                               "}\ngraphene wrong {\n" + scaled("+", 32) + "}\n";
  writeText(sheet, programs +
                       "prove equal(wide, narrow) with M=1\nprove not equal(wide, wrong) with M=1\n"
                       "prove equal(narrow, \"y = c * x\") with M=2\nassert equal(wide, wide) with M=1\n"
                       "task \"scale\": equal(wide, \"y = x * c\") with M=1\n");
  const Finished good = run({"check", sheet});
  INFO(good.out << good.err);
  CHECK(good.exit == 0);
  CHECK(has(good.out, "proved   not equal(wide, wrong)"));
  CHECK(has(good.out, "the witness: %y["));
  CHECK(has(good.out, "solved   scale"));
  writeText(sheet, programs + "prove equal(wide, wrong) with M=1\nprove equal(wide, narrow)\n");
  const Finished bad = run({"check", sheet});
  CHECK(bad.exit == 1);
  CHECK(has(bad.out, "refuted  equal(wide, wrong)"));
  CHECK(has(bad.out, "proved at M=2, but not for every M"));
  writeText(sheet, programs + "task \"t\": equal(wide, \"z = x\") with M=1\n");
  const Finished task = run({"check", sheet});
  CHECK(task.exit == 1);
  CHECK(has(task.out, "does not assign %y"));
}
