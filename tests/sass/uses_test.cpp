// The registers of each instruction against the life ranges that nvdisasm -plr prints beside it: ^ written, v read,
// x both.
#include "core/sass/uses.h"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "listings.h"

using namespace tessera;
using namespace tessera::sass;

namespace {

std::vector<std::string> columns(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, '|');) out.push_back(one);
  return out;
}

// The registers of the columns at the line of an instruction, if they are there.
struct LifeRanges {
  explicit LifeRanges(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  [[nodiscard]] std::string part(std::size_t line) const {
    const std::size_t at = line < lines.size() ? lines[line].find("// |") : std::string::npos;
    return at == std::string::npos ? "" : lines[line].substr(at);
  }
  [[nodiscard]] std::optional<Uses> at(const Instruction& i) const {
    const auto line = static_cast<std::size_t>(i.line);  // the second half's, counted from 0
    const std::string row = part(line);
    if (row.empty()) return std::nullopt;
    std::string names, numbers;
    for (std::size_t k = line; k-- > 0 && names.empty();) {
      if (lines[k].rfind("// |", 0) != 0) continue;
      if (numbers.empty() && lines[k].find('#') != std::string::npos) numbers = part(k);
      if (lines[k].find("GPR") != std::string::npos) names = part(k);
    }
    static const std::map<std::string, Register> kFirst = {
        {"GPR", 0}, {"PRED", kFirstPredicate}, {"UGPR", kFirstUniform}, {"UPRED", kFirstUniformPredicate}};
    const auto named = columns(names), numbered = columns(numbers), cells = columns(row);
    Uses out;
    for (std::size_t c = 1; c < named.size() && c < cells.size(); ++c) {
      std::string name = named[c];
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
      if (kFirst.count(name) == 0) continue;
      const std::size_t first = numbered[c].find('#') + 2;
      for (std::size_t k = first; k < cells[c].size(); ++k) {
        const Register r = kFirst.at(name) + static_cast<Register>(k - first);
        if (cells[c][k] == 'v' || cells[c][k] == 'x') out.reads.push_back(r);
        if (cells[c][k] == '^' || cells[c][k] == 'x') out.writes.push_back(r);
      }
    }
    return out;
  }
  std::vector<std::string> lines;
};

}  // namespace

TEST_CASE("an instruction's registers are those that nvdisasm marks") {
  int compared = 0;
  for (const char* name : {"gemm_pipelined.sm_80", "gemm_wgmma_pipelined.sm_90a"}) {
    const LifeRanges life(dataText(std::string(name) + ".sass"));
    const Kernel kernel = kernelsOf(name).at(0);
    for (const Instruction& i : kernel.code) {
      auto marked = life.at(i);
      if (!marked) continue;
      Uses uses = usesOf(i);
      INFO(name << ": " << i.text());
      // The pair of uniform registers with the descriptor of sm_80's global memory is not in the text.
      const bool implied = std::string(name).ends_with("sm_80") && i.operation.find(".E") != std::string::npos;
      if (implied)
        for (Uses* u : {&uses, &*marked})
          std::erase_if(u->reads, [](Register r) { return r >= kFirstUniform && r < kFirstUniformPredicate; });
      REQUIRE(uses.reads == marked->reads);
      REQUIRE(uses.writes == marked->writes);
      ++compared;
    }
  }
  CHECK(compared > 600);
}

TEST_CASE("registers of single instructions") {
  struct Case {
    const char* text;
    const char* reads;
    const char* writes;
  };
  // The widths and places that the listings above do not have.
  const Case cases[] = {
      {"@!P2 LDG.E.128 R4, desc[UR6][R2.64+UR8]", "R2 R3 P2 UR6 UR7 UR8", "R4 R5 R6 R7"},
      {"IMAD.WIDE.U32 R2, P0, R4, R5, R6", "R4 R5 R6 R7", "R2 R3 P0"},
      {"IADD3.X R9, RZ, -R3, RZ, P1, !PT", "R3 P1", "R9"},
      {"ISETP.GE.AND P1, PT, R0.reuse, c[0x0][R8+0x178], P3", "R0 R8 P3", "P1"},
      {"DFMA R2, R4, R6, -R8", "R4 R5 R6 R7 R8 R9", "R2 R3"},
      {"HMMA.16816.F16 R8, R4, R2, R10", "R2 R3 R4 R5 R6 R7 R10 R11", "R8 R9"},
      {"HMMA.1688.F32 R8, R4, R2, RZ", "R2 R4 R5", "R8 R9 R10 R11"},
      {"R2P PR, R2, 0x6", "R2", "P1 P2"},
      {"P2R R2, PR, RZ, 0x41", "P0 P6", "R2"},
      {"SHFL.BFLY PT, R5, R4, 0x10, 0x1f", "R4", "R5"},
      {"LOP3.LUT P0, RZ, R2, 0x6, RZ, 0xc0, !PT", "R2", "P0"},
      {"SEL R0, R1, R2, P0", "R1 R2 P0", "R0"},
      {"BRA !P4, `(.L_x_1)", "P4", ""},
      {"STS.64 [R3+UR4], RZ", "R3 UR4", ""},
      {"ATOMG.E.ADD.STRONG.GPU PT, R2, [R4], R6", "R4 R5 R6", "R2"},
      {"FMNMX R2, |R3|, -R4, !PT", "R3 R4", "R2"},
      {"MOV R254, R253", "R253", "R254"},
      {"LDS.128 R252, [R253]", "R253", "R252 R253 R254"},
  };
  const auto names = [](const std::vector<Register>& list) {
    std::string out;
    for (const Register r : list) out += (out.empty() ? "" : " ") + nameOf(r);
    return out;
  };
  for (const Case& c : cases) {
    const auto listing = read("\t.section\t.text.f\n/*0000*/ " + std::string(c.text) + " ;\n");
    REQUIRE(listing.ok());
    const Uses uses = usesOf(listing->kernels[0].code[0]);
    INFO(c.text);
    CHECK(names(uses.reads) == c.reads);
    CHECK(names(uses.writes) == c.writes);
  }
}
