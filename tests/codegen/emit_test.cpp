// Emitted text: goldens, the index arithmetic of the figures, names, lines, and refusals.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <regex>

#include "core/atlas/scalar_operation.h"
#include "programs.h"

namespace tessera::codegen {
namespace {

std::string asset(const std::string& name) {
  return readAll(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Without line breaks: long lines are wrapped.
std::string oneLine(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

std::string messageOf(const std::string& text, const std::string& architecture = "sm_80") {
  const auto source = emitText(text, architecture);
  return source ? "" : source.error().message;
}

}  // namespace

TEST_CASE("golden CUDA texts; TESSERA_UPDATE_GOLDEN=1 writes them") {
  for (const char* name : {"ldmatrix_move", "gemm_simple", "gemm_symbolic", "gemm_pipelined", "predicated_copy",
                           "layernorm", "epilogue"}) {
    INFO(name);
    const auto source = emitText(asset(name));
    REQUIRE(source.ok());
    const std::filesystem::path file =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/codegen/data" / (std::string(name) + ".cu");
    if (std::getenv("TESSERA_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << source->text;
    CHECK(readAll(file) == source->text);
  }
}

TEST_CASE("a kernel defines every function of the prelude that the row of a scalar operation calls") {
  constexpr ScalarOperation kRounded{"rounded",
                                     1,
                                     [](double a, double) { return a; },
                                     {"", "", "rounded", "", ""},
                                     {"", "", "tessera::to_tf32({})", "", ""}};
  const ExtraScalarOperation extra(kRounded);
  const auto source = emitText(
      "%in:[64:1].fp32.GL  %out:[64:1].fp32.GL  #b:[1].block  #t:[64:1].thread\n"
      "%out <- Spec<<<#b,#t>>>(%in) {\n  @i = #t.indices()  %a = %in[@i]  %c = %out[@i]\n"
      "  %c <- UnaryPointwise<rounded>(%a)\n}\n");
  REQUIRE(source.ok());
  CHECK(has(source->text, "= tessera::to_tf32("));
  CHECK(has(source->text, "float to_tf32(float x)"));
}

TEST_CASE("figure 8: the paper's index arithmetic") {
  const auto source = emitText(asset("gemm_simple"));
  REQUIRE(source.ok());
  const std::string text = oneLine(source->text);
  CHECK(has(text, "const int bm = blockIdx.x % 8; const int bn = blockIdx.x / 8;"));
  CHECK(has(text, "const int tm = threadIdx.x % 16; const int tn = threadIdx.x / 16;"));
  CHECK(has(text, "for (int k = 0; k < 1024; ++k) {"));
  const std::string c = "C[bm * 128 + bn * 131072 + tm * 8 + tn * 8192 + m + n * 1024]";
  CHECK(
      has(text, c + " = __hfma(A[bm * 128 + tm * 8 + k * 1024 + m], B[bn * 131072 + tn * 8192 + k + n * 1024], " + c));
  CHECK(source->kernels.size() == 1);
  CHECK(source->kernels[0].blocks.isConstant(64));
  CHECK(source->kernels[0].threads == 256);
}

TEST_CASE("figure 1d: one ldmatrix, a row of gm * 128 + gn * 8 + r * 16") {
  const auto source = emitText(asset("ldmatrix_move"));
  REQUIRE(source.ok());
  const std::string text = oneLine(source->text);
  CHECK(
      has(text, "const int gm = threadIdx.x / 16; const int gn = threadIdx.x / 8 % 2; const int r = threadIdx.x % 8;"));
  CHECK(has(text, "tessera::ldmatrix_x4(dst_local, &src_local[gm * 128 + gn * 8 + r * 16]);"));
}

TEST_CASE("sizes that are symbols are parameters, and no product of them leaves 32 bits unseen") {
  const auto source = emitText(asset("gemm_symbolic"));
  REQUIRE(source.ok());
  CHECK(has(oneLine(source->text),
            "matmul_C(const half* __restrict__ A, const half* __restrict__ B, half* C, int M, int K, int N) {"));
  CHECK(has(source->text, "(long long)"));
  const Kernel& kernel = source->kernels[0];
  REQUIRE(kernel.params.size() == 6);
  CHECK(kernel.params[2].written);
  CHECK(kernel.params[3].size);
  const auto program = graphene::readProgram(asset("gemm_symbolic"));
  std::vector<i64> sizes(program->variables.size(), 0);
  for (std::size_t v = 0; v < sizes.size(); ++v)
    sizes[v] = program->variables[v].name == "M" ? 2 : program->variables[v].name == "N" ? 3 : 5;
  CHECK(evaluate(kernel.blocks, {}, sizes) == 6);
  CHECK(evaluate(kernel.params[0].places, {}, sizes) == 256 * 5);
  CHECK(evaluate(kernel.params[2].places, {}, sizes) == 256 * 384);
}

TEST_CASE("every program of the library and of the cases is emitted, with a place for every line") {
  for (const auto& [name, text] : allPrograms()) {
    INFO(name);
    const auto source = emitText(text);
    REQUIRE(source.ok());
    CHECK(source->lines.size() == static_cast<std::size_t>(std::count(source->text.begin(), source->text.end(), '\n')));
    for (const Span& s : source->lines) CHECK((s.begin <= s.end && s.end <= text.size()));
    CHECK(!source->kernels.empty());
    for (const Kernel& k : source->kernels) {
      CHECK(has(source->text, " " + k.name + "("));
      CHECK((k.threads >= 1 && k.threads <= 1024));
      CHECK(k.sharedBytes - k.dynamicBytes <= 48 * 1024);
    }
  }
}

TEST_CASE("a line of the text leads to the statement that it came from") {
  const std::string text = asset("predicated_copy");
  const auto source = emitText(text);
  REQUIRE(source.ok());
  std::istringstream lines(source->text);
  int seen = 0;
  std::size_t n = 0;
  for (std::string line; std::getline(lines, line); ++n) {
    const std::string from = text.substr(source->lines[n].begin, source->lines[n].end - source->lines[n].begin);
    if (line.find("if (o * 128 + i < 1023) {") != std::string::npos)
      seen += from.starts_with("if (128*@o + @i < 1023)") ? 1 : 0;
    if (line.find("out[") != std::string::npos) seen += from.starts_with("%to <- Move(%from)") ? 1 : 0;
    if (line.find("const int o =") != std::string::npos) seen += from.starts_with("@o = #b.indices()") ? 1 : 0;
  }
  CHECK(seen == 3);
}

TEST_CASE("names: what CUDA keeps, what two things are called, what is a number") {
  const auto source = emitText(R"(%1:[64:1].fp32.GL  %int:[64:1].fp32.GL
#b:[1].block  #t:[64:1].thread
%int <- Move<<<#b,#t>>>(%1) {
  @x = #t.indices()
  %x:[].fp32.RF
  %from = %1[@x]  %to = %int[@x]
  %x <- Move(%from)
  %to <- Move(%x)
})");
  REQUIRE(source.ok());
  const std::string text = oneLine(source->text);
  CHECK(has(text, "const float* __restrict__ t1, float* int_1) {"));
  CHECK(has(text, "const int x = threadIdx.x; float x_1; x_1 = t1[x]; int_1[x] = x_1;"));
}

TEST_CASE("an operand in registers or shared memory is fetched only by the kernels that use it") {
  const auto source = emitText(asset("warp_tile_moves"));
  REQUIRE(source.ok());
  REQUIRE(source->kernels.size() == 4);
  for (const Kernel& k : source->kernels) {
    CHECK(k.params.size() == 2);
    CHECK(k.sharedBytes == 512);
  }
  CHECK(source->kernels[0].params[1].places.isConstant(32 * 8));
}

TEST_CASE("what is refused says what, where, and what was expected") {
  const std::string head = "%in:[64:1].fp32.GL  %out:[64:1].fp32.GL  #b:[1].block  #t:[64:1].thread\n";
  CHECK(has(messageOf(head + "%out <- Move<<<#b,#t>>>(%in)"),
            "must be executed by one thread"));  // 64 values are no instruction
  CHECK(has(messageOf(head + "%out <- Move(%in)"), "states its blocks and threads"));
  CHECK(has(messageOf(head), "no specification"));
  CHECK(
      has(messageOf("%in:[64:1].fp4.GL %out:[64:1].fp4.GL #b:[1].block #t:[64:1].thread\n%out <- Move<<<#b,#t>>>(%in)"),
          "no C++ type"));
  CHECK(
      has(messageOf("%in:[N:1].fp32.GL %out:[N:1].fp32.GL #b:[1].block #t:[N:1].thread\n%out <- Move<<<#b,#t>>>(%in)"),
          "a symbol"));
  CHECK(has(messageOf(head + "%out <- Move<<<#b,#t>>>(%in) {\n %s:[65536:1].fp32.SH\n @i = #t.indices()\n %e = %s[@i]\n"
                             " %f = %in[@i]\n %e <- Move(%f)\n}"),
            "262144 bytes of shared memory"));
  const std::string pipelined = asset("gemm_pipelined");
  const auto old = emitText(pipelined, "sm_75");
  REQUIRE(!old.ok());
  CHECK(has(old.error().message, "sm_80"));
  CHECK(
      has(pipelined.substr(old.error().span.begin, old.error().span.end - old.error().span.begin), "copy_rows_async"));
}

TEST_CASE("a loop through stages: no stage is divided for, pointers step, bases stand before it") {
  const auto source =
      emitText(readAll(std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/codegen/data/gemm_64x64.graphene"));
  REQUIRE(source.ok());
  const std::string text = oneLine(source->text);
  CHECK(
      has(text, "for (int round = 0; round < 11; ++round) { #pragma unroll for (int stage = 0; stage < 3; ++stage) {"));
  CHECK(has(text, "if (round == 0 && stage < 1) continue;"));
  CHECK(has(text, "A_round[3] = tessera::kept_global(A_round[3] + 96);"));
  CHECK(std::regex_search(text, std::regex(R"(tessera::kept\(&sA\[wm \* 2048 \+ \w+ \* 32 \+ )")));
  CHECK(!std::regex_search(text, std::regex("round[^;{]*%")));  // only the stage is taken modulo three
  CHECK(source->kernels[0].sharedBytes == 49152);
}

TEST_CASE("a loop whose stages do not repeat with its rounds is emitted, too") {
  // 13_stages_sum of the cases and the pipelined product with another divisor: the address of a stage has a remainder
  // of its own.
  const auto changed = [](const char* file, const std::string& from, const std::string& to, const char* arch) {
    std::string text = readAll(std::filesystem::path(TESSERA_SOURCE_DIR) / file);
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return emitText(text, arch).ok();
  };
  const char* sums = "tests/cases/graphene_programs/13_stages_sum.graphene";
  for (const char* stages : {"%3", "%5", "%2"}) {
    CHECK(changed(sums, "(kt + 3)%4", std::string("(kt + 3)") + stages, "sm_80"));
    CHECK(changed(sums, "%s[kt%4", std::string("%s[kt") + stages, "sm_80"));
  }
  CHECK(changed("assets/graphene/hopper/gemm_wgmma_pipelined.graphene", "(kt + 2)%3", "(kt + 1)%2", "sm_90a"));
}

TEST_CASE("products in flight end before the steps after the last full round") {
  const std::filesystem::path hopper = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/hopper";
  const auto emitted = emitText(readAll(hopper / "gemm_wgmma_sizes.graphene"), "sm_90a");
  REQUIRE(emitted.ok());
  const std::string& text = emitted->text;
  // A round leaves one product in flight. Then come the steps of the last, partial round, which leave none.
  const std::size_t round = text.find("wgmma_wait<1>()"), drained = text.find("wgmma_wait<0>()", round),
                    rest = text.find("const int round = K / 4;"), last = text.find("wgmma_wait<0>()", rest);
  REQUIRE(round != std::string::npos);
  CHECK(text.find("wgmma_wait<1>()", round + 1) == std::string::npos);
  CHECK(drained < rest);
  CHECK(rest < text.find(">= K % 4) break;"));
  CHECK(text.find(">= K % 4) break;") < last);
}

// A thousand damaged programs: each is refused or emitted, and what is emitted has a place for every line.
TEST_CASE("damaged programs are refused or emitted") {
  std::mt19937_64 random(3);
  const auto programs = allPrograms();
  int emitted = 0;
  for (int n = 0; n < 1000; ++n) {
    std::string text = programs[random() % programs.size()].second;
    for (int k = 0; k < 1 + n % 3; ++k) {
      const std::size_t at = random() % text.size();
      const std::string_view letters = "0123456789%#@,:[](){}.;+-*/ kmnMN";
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 3);
      else
        text[at] = letters[random() % letters.size()];
    }
    INFO(text);
    const auto source = emitText(text);
    if (!source) {
      CHECK(!source.error().message.empty());
      continue;
    }
    ++emitted;
    CHECK(source->lines.size() == static_cast<std::size_t>(std::count(source->text.begin(), source->text.end(), '\n')));
  }
  CHECK(emitted > 50);
}

TEST_CASE("a constant is stored in memory by one instruction, as its atom says") {
  const auto stores = [](const std::string& type, const std::string& element, const std::string& count) {
    const auto source = emitText("%x:[64:1]." + element + ".GL\n#b:[1].block  #t:[" + count +
                                 ":1].thread\n%x <- Spec<><<<#b,#t>>>() {\n  @t = #t.indices()\n  %v = %x.tile([" +
                                 std::to_string(64 / std::stoi(count)) + ":1])[@t]\n  %v <- Init<1>()\n}\n");
    INFO((source ? source->text : source.error().message));
    REQUIRE(source.ok());
    CHECK(source->text.find("*reinterpret_cast<" + type + "*>(") != std::string::npos);
  };
  stores("uint4", "fp16", "8");
  stores("uint2", "fp16", "16");
  stores("uint4", "fp32", "16");
  stores("unsigned", "s8", "16");
}

}  // namespace tessera::codegen
