// ldmatrix, stmatrix and every dense mma of assets/codegen/host_matrix.h (PTX's formulas) against the rows of
// core/atlas (CuTe's layouts): two opinions on the owner of each element. The atlas packs the operands, the header
// multiplies, and the atlas reads the result.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "core/atlas/atlas.h"
#include "ready.h"
#include "solver/emulate/format.h"
#include "storage.h"

using namespace tessera;
using namespace tessera::host_check;

namespace {

std::string functionOf(std::string name) {
  for (char& c : name)
    if (c == '.' || c == ':') c = '_';
  return name;
}

// ---- products

std::vector<AtlasRow> products() {
  std::vector<AtlasRow> out;
  for (const AtlasRow& row : atlas())
    if (row.family == AtlasFamily::MmaSync && row.operands.size() == 3 && !row.ptx.ends_with(".xor.popc") &&
        row.name.find("kind::") == std::string::npos)
      out.push_back(row);
  return out;
}

int bitsOf(const AtlasOperand& operand) { return *elementBits(operand.element); }
i64 valuesOf(const AtlasOperand& operand) { return threadValue(operand)->mode(1).size(); }
i64 wordsOf(const AtlasOperand& operand) { return valuesOf(operand) * bitsOf(operand) / 32; }

// Lane, of threads of the row's layout: group `pair` of the quad pairs, or the one warp.
i64 laneOf(const AtlasRow& row, i64 thread, i64 pair) {
  return row.threadId == "32:1" ? thread : thread % 4 + 16 * (thread / 4) + 4 * pair;
}
i64 groupsOf(const AtlasRow& row) { return row.threadId == "32:1" ? 1 : 4; }

using Matrix = std::vector<double>;  // as the atlas counts it: row + rows * column

// The bits of one value, which may be less than a byte.
unsigned bitsOf(double value, const std::string& element) {
  if (element == "b1" || element == "u4") return static_cast<unsigned>(value);
  if (element == "s4") return static_cast<unsigned>(static_cast<int>(value)) & 15;
  unsigned out = 0;
  const auto bytes = encoded(value, *graphene::numberFormat(element));
  std::memcpy(&out, bytes.data(), std::min<std::size_t>(bytes.size(), 4));
  return out;
}

Bytes packed(const AtlasRow& row, const AtlasOperand& operand, const std::vector<Matrix>& groups) {
  const auto layout = *threadValue(operand);
  const i64 values = valuesOf(operand), bits = bitsOf(operand), lane = wordsOf(operand) * 4;
  Bytes out(static_cast<std::size_t>(32 * lane));
  for (i64 g = 0; g < groupsOf(row); ++g)
    for (i64 t = 0; t < layout.mode(0).size(); ++t)
      for (i64 v = 0; v < values; ++v) {
        const double value =
            groups[static_cast<std::size_t>(g)][static_cast<std::size_t>(layout(t + layout.mode(0).size() * v))];
        unsigned char* at = out.data() + laneOf(row, t, g) * lane + v * bits / 8;
        if (bits == 64) {
          std::memcpy(at, &value, 8);
        } else if (bits >= 8) {
          const unsigned word = bitsOf(value, operand.element);
          std::memcpy(at, &word, static_cast<std::size_t>(bits / 8));
        } else {
          *at = static_cast<unsigned char>(*at | bitsOf(value, operand.element) << v * bits % 8);
        }
      }
  return out;
}

std::vector<Matrix> unpacked(const AtlasRow& row, const AtlasOperand& operand, const Bytes& bytes) {
  const auto layout = *threadValue(operand);
  const i64 values = valuesOf(operand), size = bitsOf(operand) / 8, lane = wordsOf(operand) * 4;
  std::vector<Matrix> out(static_cast<std::size_t>(groupsOf(row)),
                          Matrix(static_cast<std::size_t>(rowsOf(operand) * columnsOf(operand)), std::nan("")));
  const auto type = *graphene::numberFormat(operand.element);
  for (i64 g = 0; g < groupsOf(row); ++g)
    for (i64 t = 0; t < layout.mode(0).size(); ++t)
      for (i64 v = 0; v < values; ++v)
        out[static_cast<std::size_t>(g)][static_cast<std::size_t>(layout(t + layout.mode(0).size() * v))] =
            decoded(bytes.data() + laneOf(row, t, g) * lane + v * size, type);
  return out;
}

std::vector<Matrix> random(const AtlasRow& row, const AtlasOperand& operand, std::mt19937& random) {
  const std::string& e = operand.element;
  const int least = e == "b1" || e[0] == 'u' ? 0 : e == "s8" ? -128 : -8;
  const int most = e == "b1" ? 1 : e == "u8" ? 255 : e == "u4" ? 15 : e == "s8" ? 127 : 7;
  std::vector<Matrix> out(static_cast<std::size_t>(groupsOf(row)));
  for (Matrix& m : out)
    for (i64 i = 0; i < rowsOf(operand) * columnsOf(operand); ++i)
      m.push_back(least + static_cast<double>(random() % static_cast<unsigned>(most - least + 1)));
  return out;
}

Matrix product(const AtlasRow& row, const Matrix& a, const Matrix& b, Matrix c) {
  const i64 m = rowsOf(row.operands[2]), n = columnsOf(row.operands[2]), k = columnsOf(row.operands[0]);
  for (i64 i = 0; i < m; ++i)
    for (i64 j = 0; j < n; ++j)
      for (i64 x = 0; x < k; ++x)
        c[static_cast<std::size_t>(i + m * j)] +=
            a[static_cast<std::size_t>(i + m * x)] * b[static_cast<std::size_t>(j + n * x)];
  return c;
}

std::string kernelOf(const AtlasRow& row) {
  return fmt::format(R"(
extern "C" __global__ void k_{0}(const unsigned* a, const unsigned* b, unsigned* c) {{
  alignas(8) unsigned ra[{1}], rb[{2}], rc[{3}];
  for (int i = 0; i < {1}; ++i) ra[i] = a[threadIdx.x * {1} + i];
  for (int i = 0; i < {2}; ++i) rb[i] = b[threadIdx.x * {2} + i];
  for (int i = 0; i < {3}; ++i) rc[i] = c[threadIdx.x * {3} + i];
  tessera::{0}(rc, ra, rb);
  for (int i = 0; i < {3}; ++i) c[threadIdx.x * {3} + i] = rc[i];
}}
)",
                     functionOf(row.name), wordsOf(row.operands[0]), wordsOf(row.operands[1]),
                     wordsOf(row.operands[2]));
}

// ---- ldmatrix and stmatrix: lane l has the address of row 7*l % 32 of a table

struct MatrixMove {
  bool load, trans;
  int count;
  [[nodiscard]] std::string name() const {
    return fmt::format("{}.x{}{}", load ? "ldmatrix" : "stmatrix", count, trans ? ".trans" : "");
  }
};
std::vector<MatrixMove> moves() {
  std::vector<MatrixMove> out;
  for (const bool load : {true, false})
    for (const bool trans : {false, true})
      for (const int count : {1, 2, 4}) out.push_back({load, trans, count});
  return out;
}

std::string kernelOf(const MatrixMove& move) {
  const std::string arguments = move.load ? "r, row" : "row, r";
  return fmt::format(R"(
extern "C" __global__ void k_{0}(unsigned short* table, unsigned short* registers) {{
  __shared__ __align__(16) unsigned short s[32 * 8];
  unsigned short r[{1}];
  const int l = threadIdx.x;
  unsigned short* row = s + 8 * (7 * l % 32);
  for (int i = 0; i < 8; ++i) s[8 * l + i] = table[8 * l + i];
  for (int i = 0; i < {1}; ++i) r[i] = registers[l * {1} + i];
  __syncwarp();
  tessera::{0}({2});
  __syncwarp();
  for (int i = 0; i < 8; ++i) table[8 * l + i] = s[8 * l + i];
  for (int i = 0; i < {1}; ++i) registers[l * {1} + i] = r[i];
}}
)",
                     functionOf(move.name()), 2 * move.count, arguments);
}

const HostProgram& program() {
  static const HostProgram all([] {
    HostText text{"#include \"tessera_host.h\"\n", {}};
    for (const AtlasRow& row : products()) {
      text.text += kernelOf(row);
      text.kernels.push_back("k_" + functionOf(row.name));
    }
    for (const MatrixMove& move : moves()) {
      text.text += kernelOf(move);
      text.kernels.push_back("k_" + functionOf(move.name()));
    }
    return std::vector<HostText>{text};
  }());
  return all;
}

bool ready() { return hasCompiler() && host_check::ready(program()); }

HostRun run(std::size_t kernel, const std::vector<Bytes>& buffers) {
  HostLaunch launch;
  launch.kernel = kernel;
  launch.threads = 32;
  HostRun out = program().run(launch, buffers);
  REQUIRE(out.wrong == "");
  REQUIRE(out.buffers.size() == buffers.size());
  return out;
}

}  // namespace

TEST_CASE("every dense mma: the header's fragments are the atlas's") {
  if (!ready()) return;
  const auto rows = products();
  CHECK(rows.size() > 55);
  std::mt19937 seed(1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const AtlasRow& row = rows[r];
    INFO(row.name);
    const auto a = random(row, row.operands[0], seed), b = random(row, row.operands[1], seed),
               c = random(row, row.operands[2], seed);
    const HostRun out =
        run(r, {packed(row, row.operands[0], a), packed(row, row.operands[1], b), packed(row, row.operands[2], c)});
    const auto got = unpacked(row, row.operands[2], out.buffers[2]);
    for (std::size_t g = 0; g < got.size(); ++g) {
      Matrix expected = product(row, a[g], b[g], c[g]);
      for (double& v : expected) v = graphene::rounded(v, *graphene::numberFormat(row.operands[2].element));
      REQUIRE(got[g] == expected);
    }
  }
}

TEST_CASE("ldmatrix and stmatrix in all forms: the header's rows are the atlas's") {
  if (!ready()) return;
  const auto all = moves();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const MatrixMove& move = all[k];
    INFO(move.name());
    const auto row = findInstruction(move.name());
    REQUIRE(row.ok());
    const AtlasOperand operand = *findOperand(*row, "D");
    const auto layout = *threadValue(operand);
    const auto rows = static_cast<std::size_t>(rowsOf(operand)), count = static_cast<std::size_t>(move.count);
    std::vector<std::uint16_t> table(256), registers(32 * 2 * count);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint16_t>(i);
    for (std::size_t i = 0; i < registers.size(); ++i) registers[i] = static_cast<std::uint16_t>(1000 + i);
    Bytes tableBytes(512), registerBytes(registers.size() * 2);
    std::memcpy(tableBytes.data(), table.data(), 512);
    std::memcpy(registerBytes.data(), registers.data(), registerBytes.size());
    const HostRun out = run(products().size() + k, {tableBytes, registerBytes});
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t v = 0; v < 2 * count; ++v) {
        const auto element = static_cast<std::size_t>(layout(static_cast<i64>(lane + 32 * v)));
        const std::size_t r = element % rows, column = element / rows, at = 8 * (7 * r % 32) + column;
        (move.load ? registers[lane * 2 * count + v] : table[at]) =
            move.load ? table[at] : registers[lane * 2 * count + v];
      }
    Bytes expectedTable(512), expectedRegisters(registerBytes.size());
    std::memcpy(expectedTable.data(), table.data(), 512);
    std::memcpy(expectedRegisters.data(), registers.data(), expectedRegisters.size());
    CHECK(out.buffers[0] == expectedTable);
    CHECK(out.buffers[1] == expectedRegisters);
  }
}
