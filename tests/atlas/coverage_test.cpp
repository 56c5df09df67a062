// Every row of the atlas covers its tile, and every published thread-value table equals the atlas's.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/atlas/atlas.h"
#include "flat_layout.h"

using namespace tessera;
using namespace atlas_test;
using nlohmann::json;

namespace {

std::vector<json> cases(const std::string& kind) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/atlas.jsonl");
  REQUIRE(in);
  std::vector<json> out;
  for (std::string line; std::getline(in, line);) {
    json row = json::parse(line);
    if (row["kind"] == kind) out.push_back(row);
  }
  REQUIRE(!out.empty());
  return out;
}

std::vector<AtlasRow> everyInstruction() {
  std::vector<AtlasRow> out;
  for (const AtlasRow& row : atlas()) {
    if (row.parameter.empty()) out.push_back(row);
    for (i64 n : row.parameter) out.push_back(bind(row, n));
  }
  return out;
}

// Owners of each tile element; -1 in front when an index falls outside the tile.
std::string coverageFault(const AtlasOperand& operand) {
  const FlatLayout layout = flatLayout(operand.layout);
  const i64 size = rowsOf(operand) * columnsOf(operand);
  std::vector<i64> owners(static_cast<std::size_t>(size), 0);
  const bool same = layout.sameForAllThreads();
  for (i64 t = 0; t < (same ? 1 : layout.thread.size()); ++t)
    for (i64 v = 0; v < layout.value.size(); ++v) {
      const i64 i = layout(t, v);
      if (i < 0 || i >= size)
        return "(" + std::to_string(t) + "," + std::to_string(v) + ") falls outside: " + std::to_string(i);
      ++owners[static_cast<std::size_t>(i)];
    }
  for (i64 i = 0; i < size; ++i) {
    const i64 n = owners[static_cast<std::size_t>(i)];
    if (n == 0) return "hole at " + std::to_string(i);
    if (operand.coverage == Coverage::Once ? n != 1 || (same && layout.thread.size() > 1) : n != owners[0])
      return std::to_string(i) + " has " + std::to_string(n) + " owners";
  }
  if (operand.coverage == Coverage::Broadcast && owners[0] == 1 && !same) return "not a broadcast";
  return "";
}

}  // namespace

TEST_CASE("every operand of every row covers its tile") {
  int operands = 0;
  for (const AtlasRow& row : everyInstruction()) {
    const i64 threads =
        flatMode(row.threadId.substr(0, row.threadId.find(':')), row.threadId.substr(row.threadId.find(':') + 1))
            .size();
    for (const AtlasOperand& operand : row.operands) {
      INFO(row.name << " " << operand.name << " " << operand.layout);
      CHECK(coverageFault(operand) == "");
      CHECK(flatLayout(operand.layout).thread.size() == threads);
      ++operands;
    }
    CHECK(!row.source.empty());
    CHECK(!row.ptx.empty());
    CHECK(!row.architecture.empty());
  }
  CHECK(operands > 5000);
}

TEST_CASE("names are distinct and find their own row; so do all aliases") {
  std::set<std::string> names;
  for (const AtlasRow& row : everyInstruction()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    auto found = findInstruction(row.name);
    REQUIRE(found.ok());
    CHECK(found->name == row.name);
  }
  for (const AtlasRow& family : atlas()) {
    const AtlasRow row = family.parameter.empty() ? family : bind(family, family.parameter.front());
    for (const std::string& alias : row.aliases) {
      INFO(alias);
      auto found = findInstruction(alias);
      REQUIRE(found.ok());
      CHECK(found->shape == row.shape);
      CHECK(found->operands.size() == row.operands.size());
    }
  }
}

TEST_CASE("every published thread-value table") {
  for (const json& row : cases("tv")) {
    const std::string atom = row["inputs"]["atom"], operand = row["inputs"]["operand"];
    const json& expected = row["expected"];
    INFO(row["id"].get<std::string>());
    auto found = findInstruction(atom);
    REQUIRE(found.ok());
    CHECK(found->threadId == expected["thr_id"].get<std::string>());
    if (operand == "ABC") {
      for (const char* name : {"A", "B", "C"})
        CHECK(findOperand(*found, name)->layout == expected[name].get<std::string>());
      continue;
    }
    auto o = findOperand(*found, operand);
    REQUIRE(o.ok());
    if (expected.value("congruent", true) == false) {
      // CuTe's own text is malformed there; ours is what it means: "((512,1),((16,8)))" without the extra pair.
      CHECK(o->layout == "((4,8),(32,2)):((512,1),(16,8))");
      continue;
    }
    CHECK(o->layout == expected["layout"].get<std::string>());
    const FlatLayout layout = flatLayout(o->layout);
    const i64 rows = rowsOf(*o);
    for (const json& s : expected["samples_t_v_r_c"])
      CHECK(layout(s[0].get<i64>(), s[1].get<i64>()) == s[2].get<i64>() + rows * s[3].get<i64>());
    if (expected.contains("table"))
      for (std::size_t t = 0; t < expected["table"].size(); ++t)
        for (std::size_t v = 0; v < expected["table"][t].size(); ++v)
          CHECK(layout(static_cast<i64>(t), static_cast<i64>(v)) == expected["table"][t][v].get<i64>());
  }
}

TEST_CASE("every published copy atom") {
  for (const char* kind : {"copy_atom", "tmem_copy_atom"})
    for (const json& row : cases(kind)) {
      INFO(row["id"].get<std::string>());
      auto found = findInstruction(row["inputs"]["atom"].get<std::string>());
      REQUIRE(found.ok());
      const json& expected = row["expected"];
      CHECK(found->threadId == expected["thr_id"].get<std::string>());
      CHECK(findOperand(*found, "src")->layout == expected["src_tv_bits"].get<std::string>());
      CHECK(findOperand(*found, "dst")->layout == expected["dst_tv_bits"].get<std::string>());
      CHECK(findOperand(*found, "ref")->layout == expected.value("ref_tv_bits", expected.value("ref", "")));
      if (expected.contains("val_id_bits")) {
        const std::string tile = expected["val_id_bits"].get<std::string>();
        const AtlasOperand dst = *findOperand(*found, "dst");
        CHECK(tile.starts_with("(" + dst.rows + "," + dst.columns + ")"));
      }
    }
}

TEST_CASE("every published ldmatrix element") {
  for (const json& row : cases("ldmatrix")) {
    INFO(row["id"].get<std::string>());
    auto found = findInstruction(row["inputs"]["instr"].get<std::string>());
    REQUIRE(found.ok());
    const FlatLayout bits = flatLayout(findOperand(*found, "dst")->layout),
                     elements = flatLayout(findOperand(*found, "D")->layout);
    const i64 rows = rowsOf(*findOperand(*found, "D"));
    for (const json& s : row["expected"]["lane_reg_half_to_matrix_row_col"]) {
      const i64 lane = s[0], reg = s[1], half = s[2], matrix = s[3], r = s[4], c = s[5];
      CHECK(bits(lane, 32 * reg + 16 * half) == 1024 * matrix + 128 * r + 16 * c);
      CHECK(elements(lane, 2 * reg + half) == 8 * matrix + r + rows * c);
    }
  }
}
