// JSON is written directly as text. The slow opinion builds a tree and dumps it (json_by_tree.h). Both agree byte for
// byte.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "app/engine/json_writer.h"
#include "cli/json_by_tree.h"
#include "core/atlas/atlas.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

std::string fileText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> gallery() {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TESSERA_SOURCE_DIR "/assets/gallery"))
    if (entry.path().extension() == ".tess") paths.insert(entry.path());
  std::vector<std::string> out;
  for (const auto& path : paths) out.push_back(fileText(path));
  return out;
}

// A value of every kind, a claim with every verdict, searches that find and that do not, what a name does to each.
constexpr const char* kKinds = R"(n = 3
n < 4
"a text \ with \" quotes"
(4,(2,_8),1@0)
_
(4,8)
(4,(2,3)):(6,(3,1))
Sw<3,4,3>
Sw<3,3,3> o (64,64):(64,1)
zN<2>(32, 48)
<3:4, 8:2>
t = (4,2)
explain(complement((2,2):(4,1), 24))
V = injective((4,2):(1,2))
V
prove injective((4,8):(8,1))
prove equal((4,2):(1,4), (4,2):(2,1))
prove not injective((4,2):(1,2))
injective((4,2):(1,2))
I = atlas(mma.m16n8k16.f16)
I
atlas(ldmatrix.x4)
show ldmatrix.x4
show (4,8):(8,1) as grid
show (2,2) as grid
show injective((4,2):(1,2))
wgmma.m64n64k16.f32.f16.f16.ss
wavefronts([0, 144, 288, null, 512], 16)
find swizzle for (64,64):(64,1) where conflict_free(ldmatrix.x4, fp16)
find swizzle for (32,33):(33,1) where conflict_free(ld.shared.column, f32)
find swizzle for (32,32):(32,1) where conflict_free(ld.shared.column, f32) by z3
find swizzle for (33,33):(1,1) where conflict_free(ld.shared, f32) and conflict_free(ld.shared.column, f32)
F = find swizzle for (32,32):(32,1) where conflict_free(ld.shared.column, f32)
chain((64,64):(64,1), cp.async16, (64,64):(64,1), ldmatrix.x4, mma.m16n8k16.f16, A)
make_tiled_mma(mma.m16n8k16.f16, (2,2,1))
make_tiled_copy(ldmatrix.x4, fp16, (16,2):(1,16), (1,8))
ldmatrix.x4 over (64,64):(64,1), fp16
X = S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)
forward(X, (2,9))
backward(X, {warp: 6, lane: 8, reg: 1})
%m:[100,60:60,1].fp32.GL
bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}
S(i, j) = i * 64 + (j ^ (i & 7)) over (64, 64)
(M,N):(N,1)
assert 1 == 2
assert 1 == 1
size(nosuch)
(8,4):(4,1,2)
run f
tab	and € and � 
)";

int check(std::string_view document) {
  const LineIndex index(document);
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  int answers = 0;
  for (const JsonPlace& place : {JsonPlace{"", 7}, JsonPlace{"a \"file\"\x1B.tess", 0}}) {
    for (const Outcome& outcome : runDocument(document, options)) {
      if (outcome.ran)
        continue;  // its members come from a tree (app/engine/measure/comparison_json.h), with tests of their own
      const std::string wanted = by_tree::jsonOf(outcome, index, place), said = jsonOf(outcome, index, place);
      INFO(outcome.statement.text);
      if (said != wanted) CHECK(said == wanted);
      ++answers;
    }
  }
  return answers;
}

}  // namespace

TEST_CASE("JSON of every kind of value, claim and error is what a tree of it dumps") {
  CHECK(check(kKinds) > 80);
  int answers = 0;
  for (const std::string& text : gallery()) answers += check(text);
  CHECK(answers > 300);
}

TEST_CASE("JSON of damaged lines is what a tree of it dumps") {
  std::vector<std::string> lines;
  std::istringstream kinds(kKinds);
  for (std::string line; std::getline(kinds, line);) {
    const bool long_ = line.find("find") != std::string::npos || line.find("prove") != std::string::npos;
    if (!long_) lines.push_back(line);
  }
  std::mt19937 random(12);
  const auto pick = [&](std::size_t n) { return random() % n; };
  constexpr std::string_view kBytes = "(),:_o <>\"\\0123456789[]{}@;=\x01\x1B\x7F\x80\x9B\xC2\xE2\xF0\xFF";
  int errors = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string line = lines[pick(lines.size())];
    for (std::size_t k = pick(4); k > 0 && !line.empty(); --k) {
      const std::size_t at = pick(line.size());
      const char c = kBytes[pick(kBytes.size())];
      if (pick(3) == 0) {
        line.erase(at, 1);
      } else if (pick(2) == 0) {
        line[at] = c;
      } else {
        line.insert(at, 1, c);
      }
    }
    const LineIndex index(line);
    EngineOptions options;
    options.figures = EngineOptions::Figures::None;
    for (const Outcome& outcome : runDocument(line, options)) {
      if (outcome.ran)
        continue;  // its members come from a tree (app/engine/measure/comparison_json.h), with tests of their own
      const std::string wanted = by_tree::jsonOf(outcome, index, {"", 3}), said = jsonOf(outcome, index, {"", 3});
      INFO(line);
      if (said != wanted) CHECK(said == wanted);
      errors += outcome.diag ? 1 : 0;
    }
  }
  CHECK(errors > 500);
  CHECK(errors < 4900);
}

TEST_CASE("JSON of instructions, pictures and summaries is what a tree of it dumps") {
  for (const AtlasRow& row : atlas()) REQUIRE(jsonOf(row) == by_tree::jsonOf(row));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{12345}, std::numeric_limits<std::size_t>::max()})
    CHECK(jsonOfPicture(bytes) == by_tree::jsonOfPicture(bytes));
  for (const double seconds : {0.0, 1e-9, 1.0 / 3, 12.5, 1e17, std::numeric_limits<double>::infinity()})
    for (const bool interrupted : {false, true})
      for (const int refuted : {0, 3}) {
        const Tally tally{1, refuted, 0, 4, 0, interrupted, refuted + 1, 1};
        CHECK(jsonOf(tally, "x\n.tess", seconds) == by_tree::jsonOf(tally, "x\n.tess", seconds));
        const Tally none{1, refuted, 0, 4, 0, interrupted};
        CHECK(jsonOf(none, "x", seconds) == by_tree::jsonOf(none, "x", seconds));
      }
}

TEST_CASE("any bytes in a text are written as JSON, and read back as the text with U+FFFD for what is no UTF-8") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t k = random() % 9; k > 0; --k) {
      constexpr std::string_view kLikely = "\xC2\x80\xE2\x82\xAC\xF0\x9F\xED\xA0\x7F\\\"";
      text += random() % 2 == 0 ? kLikely[random() % kLikely.size()] : static_cast<char>(random() % 256);
    }
    const Diag diag{text, "", text, {}};
    const LineIndex index("");
    const std::string said = jsonOf(diag, index, {});
    REQUIRE(said == by_tree::jsonOf(diag, index, {}));
    REQUIRE(nlohmann::json::accept(said));
  }
}

TEST_CASE("the writer puts commas where they belong, and every integer as it is") {
  JsonWriter json;
  json.beginObject().key("a").beginArray().beginArray().endArray().beginObject().endObject().value(1).endArray();
  json.member("b", std::vector<std::vector<int>>{{}, {1, 2}}).member("c", true).member("", "");
  json.member("least", std::numeric_limits<long long>::min()).member("most", std::numeric_limits<std::uint64_t>::max());
  json.member("half", 0.5).endObject();
  CHECK(json.take() == R"({"a":[[],{},1],"b":[[],[1,2]],"c":true,"":"","least":-9223372036854775808,)"
                       R"("most":18446744073709551615,"half":0.5})");
}
