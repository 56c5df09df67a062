// The comparison table: all texts survive printing and reading back, in CSV and in JSON; occupancy against the guide's
// numbers.
#include "solver/measure/report/comparison.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "app/engine/measure/comparison_json.h"
#include "core/base/csv.h"
#include "solver/measure/predict/nsight.h"
#include "solver/measure/predict/roofline.h"
#include "solver/measure/report/comparison_rows.h"
#include "tests/support/csv_reader.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

std::string drawnText(std::mt19937& random) {
  constexpr std::string_view letters = "ab,\"\r\n\t =\\%[]";
  std::string out;
  for (auto n = random() % 6; n > 0; --n) out += letters[random() % letters.size()];
  return out;
}
std::optional<i64> drawnCount(std::mt19937& random) {
  if (random() % 3 == 0) return std::nullopt;
  return static_cast<i64>(random()) << (random() % 20);
}

ComparisonTable drawn(std::mt19937& random) {
  ComparisonTable t{drawnText(random),
                    drawnText(random),
                    drawnText(random),
                    drawnText(random),
                    "sm_80",
                    "",
                    "2026",
                    random(),
                    {{"M", 8}, {"N", -3}},
                    {}};
  t.cacheBytes = drawnCount(random);
  for (auto n = 1 + random() % 3; n > 0; --n) {
    ComparisonRow r;
    r.kind = static_cast<RowKind>(random() % 5);
    r.name = drawnText(random);
    r.settings = drawnText(random);
    r.answer = static_cast<Answer>(random() % 3);
    r.why = drawnText(random);
    if (random() % 2 == 0) r.relativeError = static_cast<double>(random()) * 1e-13;
    r.time = {static_cast<double>(random()) / 7, 0.1, 1e300, 5e-324, 3, static_cast<int>(random() % 40)};
    r.roofline = 1.0 / 3;
    r.bytes = 1e17;
    r.registers = drawnCount(random);
    r.wavefronts = drawnCount(random);
    r.idealWavefronts = drawnCount(random);
    r.timedBy = drawnText(random);
    r.timingNote = drawnText(random);
    r.inputs = drawnText(random);
    r.launchesPerRun = drawnCount(random);
    r.lateRuns = drawnCount(random);
    r.sets = drawnCount(random);
    r.setBytes = drawnCount(random);
    t.rows.push_back(std::move(r));
  }
  return t;
}

}  // namespace

TEST_CASE("a comparison table comes back from JSON, and CSV has all its fields") {
  std::mt19937 random(7);
  for (int k = 0; k < 300; ++k) {
    const ComparisonTable t = drawn(random);
    const std::string csv = csvOf(t);
    const auto json = readComparisonJson(jsonOf(t));
    REQUIRE(json);
    CHECK(csvOf(*json) == csv);
    const auto lines = readCsv(csv);
    REQUIRE(lines.size() == t.rows.size() + 1);
    const auto cell = [&](std::size_t row, const std::string& column) {
      const auto& heads = lines[0];
      const auto at = std::find(heads.begin(), heads.end(), column) - heads.begin();
      return lines.at(row + 1).at(static_cast<std::size_t>(at));
    };
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      CHECK(cell(r, "kind") == name(t.rows[r].kind));
      CHECK(cell(r, "name") == t.rows[r].name);
      CHECK(cell(r, "why") == t.rows[r].why);
      CHECK(std::stod(cell(r, "median_us")) == t.rows[r].time.median);
      CHECK(cell(r, "registers") == (t.rows[r].registers ? std::to_string(*t.rows[r].registers) : ""));
      CHECK(cell(r, "program") == t.program);
      CHECK(cell(r, "sizes") == "M=8 N=-3");
      CHECK(cell(r, "timed_by") == t.rows[r].timedBy);
      CHECK(cell(r, "input_sets") == (t.rows[r].sets ? std::to_string(*t.rows[r].sets) : ""));
      CHECK(cell(r, "l2_bytes") == (t.cacheBytes ? std::to_string(*t.cacheBytes) : ""));
    }
  }
}

TEST_CASE("times that were not measured are empty fields of CSV, and no zeros") {
  ComparisonTable t;
  t.rows.resize(2);
  t.rows[1].time = {41.5, 41, 42, 40, 43, 20};
  const auto lines = readCsv(csvOf(t));
  const auto& heads = lines.at(0);
  for (const std::string column : {"median_us", "lower_us", "upper_us", "least_us", "most_us", "runs", "roofline"}) {
    const auto at = static_cast<std::size_t>(std::find(heads.begin(), heads.end(), column) - heads.begin());
    INFO(column);
    REQUIRE(at < heads.size());
    CHECK(lines.at(1)[at].empty());
    CHECK(lines.at(2)[at].empty() == (column == "roofline"));
  }
}

TEST_CASE("the product's reader of CSV and the tests' read the same fields") {
  std::mt19937 random(3);
  const auto fieldsOf = [](const std::string& text) {
    std::vector<std::vector<std::string>> out;
    for (CsvReader reader(text); !reader.done();) {
      const CsvReader::Record record = reader.record();
      CHECK_FALSE(record.open);
      for (std::string& field : out.emplace_back(record.fields)) field = csvPlain(field);
    }
    return out;
  };
  for (int k = 0; k < 500; ++k) {
    std::vector<std::vector<std::string>> lines(1 + random() % 3);
    std::string text;
    for (auto& line : lines) {
      for (auto n = 2 + random() % 3; n > 0; --n) line.push_back(drawnText(random));
      text += csvLine(line, random() % 2 == 0 ? "\n" : "\r\n");
    }
    CHECK(readCsv(text) == lines);
    CHECK(fieldsOf(text) == lines);
  }
  CHECK(fieldsOf("\xEF\xBB\xBF"
                 "a,\n\"x\ny\",") == std::vector<std::vector<std::string>>{{"a", ""}, {"x\ny", ""}});
  CHECK(CsvReader("a,\"b").record().open == 2);
}

TEST_CASE("what is no comparison table is refused") {
  for (const char* text :
       {"", "[]", "{}", "{\"rows\":[1]}", "{\"rows\":[{\"kind\":3}]}", "{\"seed\":\"x\",\"rows\":[]}", "{"})
    CHECK_FALSE(readComparisonJson(text).ok());
}

TEST_CASE("the text of a table is aligned and has the columns that some row has") {
  ComparisonTable t;
  t.program = "gemm";
  t.noDevice = "no driver";
  t.sizes = {{"M", 8}};
  ComparisonRow a;
  a.name = "gemm";
  a.answer = Answer::Right;
  a.wavefronts = 40;
  a.idealWavefronts = 32;
  t.rows = {a, missingRow(RowKind::Library, "cuBLASLt", "there is no device")};
  CHECK(textOf(t) ==
        "gemm on the emulator\n"
        "no GPU: no driver\n"
        "seed 1, M = 8\n"
        "         name      result        wavefronts\n"
        "kernel   gemm      right            40 / 32\n"
        "library  cuBLASLt  not compared              there is no device\n");
}

TEST_CASE("occupancy is what the programming guide's table gives") {
  struct Case {
    const char* architecture;
    i64 threads, registers, shared, warps;
  };
  // By hand: registers of a warp in steps of 256 and warps in fours; shared memory with 1 KiB a block from sm_80 on.
  const Case cases[] = {
      {"sm_80", 256, 128, 49152, 16},  // 65536 / (128 * 32) = 16 warps
      {"sm_80", 256, 32, 0, 64},       // every warp
      {"sm_80", 32, 16, 0, 32},        // 32 blocks of one warp
      {"sm_80", 128, 255, 0, 8},       // 8 warps of 8192 registers
      {"sm_80", 128, 40, 65536, 8},    // 164 KiB / 65 KiB = 2 blocks of 4 warps
      {"sm_90a", 128, 40, 65536, 12},  // 228 KiB / 65 KiB = 3 blocks
      {"sm_86", 1024, 32, 0, 32},      // one block of 48 warps
      {"sm_75", 1024, 64, 0, 32},
  };
  for (const Case& c : cases) {
    CAPTURE(c.architecture, c.threads, c.registers, c.shared);
    CHECK(occupancyOf(c.architecture, c.threads, c.registers, c.shared)->warps == c.warps);
  }
  CHECK_FALSE(occupancyOf("sm_1", 32, 1, 0).has_value());
  CHECK_FALSE(occupancyOf("gfx90a", 32, 1, 0).has_value());
}
