// Nsight Compute's CSV: files modelled on real ones, in every form; numbers, units, and texts that are not reports.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

#include "solver/measure/predictions.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

std::string fileOf(const std::string& name) {
  std::stringstream out;
  out << std::ifstream(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/nsight/" + name).rdbuf();
  REQUIRE(out.str().size() > 100);
  return out.str();
}

constexpr const char* kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";

void checkThree(const NsightReport& report) {
  REQUIRE(report.launches.size() == 3);
  CHECK(report.launches[0].kernel == "C_MatMul");
  CHECK(report.launches[1].kernel == "move_y");
  CHECK(report.launches[2].kernel == "C_MatMul");
  CHECK(report.launches[2].id == "2");
  CHECK(report.launches[0].block == "(256, 1, 1)");
  CHECK(report.launches[0].grid == "(64, 1, 1)");
  CHECK(report.launches[0].metrics.at(kWavefronts) == 4194304);
  CHECK(report.launches[1].metrics.at(kWavefronts) == 96);
  CHECK(report.launches[1].metrics.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") == 64);
  CHECK(report.launches[2].metrics.at("smsp__inst_executed_op_ldsm.sum") == 524288);
  CHECK(report.launches[0].metrics.at("gpu__time_duration.sum") == Approx(45.12e-6));
  CHECK(report.launches[0].metrics.count("device__attribute_display_name") == 0);
}

}  // namespace

TEST_CASE("the raw and the details page say the same") {
  const auto raw = readNsight(fileOf("raw.csv"));
  const auto details = readNsight(fileOf("details.csv"));
  INFO((raw ? "" : raw.error().message) << (details ? "" : details.error().message));
  REQUIRE(raw.ok());
  REQUIRE(details.ok());
  checkThree(*raw);
  checkThree(*details);
  for (std::size_t k = 0; k < 3; ++k)
    for (const auto& [name, value] : raw->launches[k].metrics)
      CHECK(details->launches[k].metrics.at(name) == Approx(value));
  CHECK(details->launches[0].metrics.at("Registers Per Thread") == 128);
}

TEST_CASE("the source page: wavefronts of all instructions, and how often each was executed") {
  const auto report = readNsight(fileOf("source.csv"));
  INFO((report ? "" : report.error().message));
  REQUIRE(report.ok());
  REQUIRE(report->launches.size() == 2);
  const auto& metrics = report->launches[0].metrics;
  CHECK(report->launches[0].kernel == "move_y");
  CHECK(metrics.at("memory_l1_wavefronts_shared") == 8 + 64 + 2);
  CHECK(metrics.at("memory_l1_wavefronts_shared_ideal") == 8 + 8 + 2);
  CHECK(metrics.at("derived__memory_l1_wavefronts_shared_excessive") == 56);
  CHECK(metrics.at("smsp__inst_executed_op_ldsm.sum") == 2);
  CHECK(metrics.at("smsp__sass_inst_executed_op_shared_ld.sum") == 2);
  CHECK(report->launches[1].metrics.at("memory_l1_wavefronts_shared") == 2097152);
}

TEST_CASE("numbers as profilers print them") {
  const std::pair<const char*, double> kRows[] = {
      {"0", 0},         {"4,194,304", 4194304},   {"1,024", 1024},     {"12.50", 12.5},     {"1.5e+06", 1.5e6},
      {"65,77", 65.77}, {"27.595.520", 27595520}, {"1,024.5", 1024.5}, {"1.024,5", 1024.5}, {" 7 ", 7},
      {"-3", -3},
  };
  for (const auto& [text, value] : kRows) {
    INFO(text);
    REQUIRE(nsightNumber(text).has_value());
    CHECK(*nsightNumber(text) == Approx(value));
  }
  for (const char* const text : {"", "n/a", "A100", "12x", "1e999", "inf", "nan", "--"}) {
    INFO(text);
    CHECK_FALSE(nsightNumber(text).has_value());
  }
}

TEST_CASE("what is no report is refused, with the line") {
  struct Row {
    std::string text, says;
  };
  const std::string head = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const Row kRows[] = {
      {"", "not a report of Nsight Compute"},
      {"hello\nworld\n", "not a report of Nsight Compute"},
      {"noise\n" + head, "line 2: a heading without a launch"},
      {head + "\"0\",\"k\",\"a__b.sum\",\"\",\"12x\"\n", "line 2: '12x' is not a number"},
      {head + "\"0\",\"k\",\"a__b.sum\",\"\",\"1\"\n\"0\",\"k\",\"c", "line 3: a quote that is not closed"},
      {head + "\"0\",\"k\",\"a\",\"\",\"1\",\"2\",\"3\"\n", "line 2: 7 fields, and the head has 5"},
      {head + "\"0\",\"\",\"a__b.sum\",\"\",\"1\"\n", "line 2: a metric without a kernel's name"},
      {"\"ID\",\"Metric Name\",\"Metric Value\"\n", "line 1: no column \"Kernel Name\""},
      {"\"ID\",\"Kernel Name\",\"Metric Name\"\n", "line 1: a column \"Metric Name\""},
      {"\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"0\",\"\",\"1\"\n", "line 2: a launch without"},
  };
  for (const Row& row : kRows) {
    const auto read = readNsight(row.text);
    INFO(row.text);
    REQUIRE_FALSE(read.ok());
    INFO(read.error().message);
    CHECK(read.error().message.find(row.says) != std::string::npos);
  }
}

TEST_CASE("damaged reports are read or refused, and never more than that") {
  std::mt19937 random(3);
  for (const char* const name : {"raw.csv", "details.csv", "source.csv"}) {
    const std::string whole = fileOf(name);
    for (int k = 0; k < 400; ++k) {
      std::string text = whole.substr(0, random() % whole.size());
      for (int n = 0; n < 3 && !text.empty(); ++n) text[random() % text.size()] = "\",\n\r@0x\xff"[random() % 8];
      const auto read = readNsight(text);
      CHECK((read.ok() || !read.error().message.empty()));
    }
  }
}

TEST_CASE("counters stand beside the predictions of their kernel, and disagreement is flagged") {
  PredictionTable table;
  PredictionRow row;
  row.kernel = "move_y";
  row.times = 3, row.wavefronts = 32, row.ideal = 4;
  table.rows = {row};
  const auto raw = readNsight(fileOf("raw.csv"));
  REQUIRE(raw.ok());
  addCounters(table, *raw, true);
  REQUIRE(table.profiled.size() == 2);
  CHECK(table.profiled[0].kernel == "C_MatMul");
  CHECK(table.profiled[0].launches == 2);
  CHECK(table.profiled[0].agreement == Agreement::NotMeasured);
  CHECK(table.profiled[0].why == "there is no prediction for a kernel of that name");
  CHECK(table.profiled[1].wavefronts == 96);
  CHECK(table.profiled[1].ideal == 12);
  CHECK(table.profiled[1].agreement == Agreement::Agrees);
  PredictionTable other;
  row.times = 6;
  other.rows = {row};
  addCounters(other, *raw, true);
  CHECK(other.profiled[1].agreement == Agreement::Disagrees);
  CHECK(other.profiled[1].why == std::string(kWavefronts) + " is 96, 192 predicted");
  PredictionTable part;
  part.rows = {row};
  addCounters(part, *raw, false);
  CHECK(part.profiled[1].agreement == Agreement::NotMeasured);
}
