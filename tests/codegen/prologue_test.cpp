// What a kernel's text has before its loops: the launch, indices computed once, divisions in 32 bits.
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "programs.h"

namespace tessera::codegen {
namespace {

// The texts of all programs for the newest architecture that runs them, each with its kernels.
std::vector<std::pair<std::string, CudaSource>> allSources() {
  std::vector<std::pair<std::string, CudaSource>> out;
  for (const auto& [name, text] : allPrograms()) {
    auto source = emitText(text, "sm_80");
    if (source) out.emplace_back(name, *std::move(source));
  }
  for (const auto& [name, text] : programsBelow("assets/graphene/hopper")) {
    auto source = emitText(text, "sm_90a");
    INFO(name);
    REQUIRE(source.ok());
    out.emplace_back(name, *std::move(source));
  }
  REQUIRE(out.size() >= 40);
  return out;
}

// The kernels alone, in one line: without the prelude, comments and line breaks.
std::string kernelsOf(const CudaSource& source) {
  std::string text = source.text.substr(source.text.find("extern \"C\""));
  text = std::regex_replace(text, std::regex("//[^\n]*\n"), "\n");
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

// The operand that ends before `at`: back to an open bracket, or to an operator that binds less than / and %.
std::string dividend(const std::string& text, std::size_t at) {
  std::size_t from = at;
  for (int open = 0; from > 0; --from) {
    const char c = text[from - 1];
    if (c == ')' || c == ']') ++open;
    if ((c == '(' || c == '[') && --open < 0) break;
    if (open == 0 && std::string("+-,=<>;{").find(c) != std::string::npos) break;
  }
  return text.substr(from, at - from);
}

// The operand that begins after `at`.
std::string divisor(const std::string& text, std::size_t at) {
  std::size_t to = at;
  for (int open = 0; to < text.size(); ++to) {
    const char c = text[to];
    if (c == '(' || c == '[') ++open;
    if ((c == ')' || c == ']') && --open < 0) break;
    if (open == 0 && std::string("+-*/%,<>;").find(c) != std::string::npos) break;
  }
  return text.substr(at, to - at);
}

// Whether a part of a text is of type long long: a cast to a narrower type hides what is in it.
bool isWideText(const std::string& text) {
  for (std::size_t at = text.find("(long long)"); at != std::string::npos; at = text.find("(long long)", at + 1))
    if (text.rfind("(int)", at) == std::string::npos) return true;
  return false;
}

std::string wideDivision(const std::string& text) {
  for (std::size_t at = text.find_first_of("/%"); at != std::string::npos; at = text.find_first_of("/%", at + 1)) {
    const std::string left = dividend(text, at), right = divisor(text, at + 1);
    if (isWideText(left) || isWideText(right)) return left + text[at] + right;
  }
  return "";
}

}  // namespace

TEST_CASE("no kernel divides numbers of 64 bits") {
  CHECK(wideDivision("x = blockIdx.x / ((long long)N * 2) % M;") == " blockIdx.x / ((long long)N * 2) ");
  CHECK(!wideDivision("x = ((long long)K + 3) / 4;").empty());
  CHECK(wideDivision("x = (long long)bn * 128 + t / 4 * 2;").empty());
  for (const auto& [name, source] : allSources()) {
    INFO(name);
    CHECK(wideDivision(kernelsOf(source)).empty());
    CHECK(source.text.find("floor_div(") == source.text.rfind("floor_div("));  // only in the prelude, if at all
  }
}

TEST_CASE("a thread's index is computed once in a kernel") {
  int indices = 0;
  for (const auto& [name, source] : allSources()) {
    INFO(name);
    for (std::string rest = kernelsOf(source), kernel; !rest.empty(); rest = rest.substr(kernel.size())) {
      const std::size_t next = rest.find("extern \"C\"", 1);
      kernel = rest.substr(0, next);
      std::set<std::string> seen;
      const std::regex index("const int \\w+ = ([^;]*threadIdx[^;]*);");
      for (std::sregex_iterator m(kernel.begin(), kernel.end(), index), end; m != end; ++m, ++indices) {
        INFO((*m)[1].str());
        CHECK(seen.insert((*m)[1].str()).second);
      }
    }
  }
  CHECK(indices >= 100);
}

TEST_CASE("a comment says how each kernel is launched") {
  for (const auto& [name, source] : allSources()) {
    INFO(name);
    for (const Kernel& k : source.kernels) {
      const std::size_t at = source.text.find("// Launch: " + k.name + "<<<");
      REQUIRE(at != std::string::npos);
      const std::string comment = source.text.substr(at, source.text.find("extern", at) - at);
      const std::string dynamic = k.dynamicBytes == 0 ? "" : ", " + std::to_string(k.dynamicBytes);
      CHECK(comment.find(", " + std::to_string(k.threads) + dynamic + ">>>") != std::string::npos);
      CHECK(comment.find("Shared memory: " + std::to_string(k.sharedBytes) + " bytes") != std::string::npos);
      for (const KernelParam& p : k.params) {
        INFO(p.name);
        CHECK(comment.find(p.size ? p.name : "%" + p.name + ":") != std::string::npos);
      }
    }
  }
  const auto gemm = emitText(readAll(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/gemm.graphene"));
  REQUIRE(gemm.ok());
  CHECK(gemm->text.find("// Launch: matmul_C<<<M*N*2, 128>>>. Shared memory: 49152 bytes. Sizes: M, K, N, at least 1.\n"
                        "// %A:[M*256,K*32:K*32,1].fp16.GL\n") != std::string::npos);
}

}  // namespace tessera::codegen
