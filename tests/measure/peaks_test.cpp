// Peaks of devices against the numbers of NVIDIA's data sheets and white papers.
#include "solver/measure/predict/peaks.h"

#include <catch2/catch.hpp>

#include "measure/fakes.h"
#include "solver/measure/predict/devices.h"
#include "solver/measure/predict/roofline.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

DeviceInfo deviceOf(const std::string& name, int capability, int multiprocessors = 1, int megahertz = 1) {
  DeviceInfo out;
  out.name = name;
  out.major = capability / 10;
  out.minor = capability % 10;
  out.multiprocessors = multiprocessors;
  out.clockKilohertz = megahertz * 1000;
  return out;
}

double tera(const DeviceInfo& d, double perClock) {
  return perClock * d.multiprocessors * d.clockKilohertz * 1e3 / 1e12;
}

}  // namespace

TEST_CASE("clock times multiprocessors times peak is the data sheet's number") {
  struct Row {
    std::string name;
    int capability, multiprocessors, megahertz;
    double sums32, sums16, int8;  // dense T operations per second of fp16 inputs, and of int8; 0: not stated
  };
  const Row rows[] = {
      {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1635, 56.9, 113.8, 227.7},
      {"NVIDIA TITAN RTX", 75, 72, 1770, 130.5, 130.5, 261},
      {"Quadro RTX 6000", 75, 72, 1770, 130.5, 130.5, 261},
      {"Tesla T4", 75, 40, 1590, 65, 65, 130},
      {"NVIDIA GeForce RTX 3090", 86, 82, 1695, 71, 142, 284},
      {"NVIDIA GeForce RTX 3080 Laptop GPU", 86, 48, 1245, 0, 0, 0},
      {"NVIDIA RTX A6000", 86, 84, 1800, 154.8, 154.8, 309.7},
      {"NVIDIA A10", 86, 72, 1695, 125, 125, 250},
      {"NVIDIA A10G", 86, 80, 1710, 70, 0, 0},
      {"NVIDIA A40", 86, 84, 1740, 149.7, 149.7, 299.3},
      {"NVIDIA GeForce RTX 4090", 89, 128, 2520, 165.2, 330.3, 660.6},
      {"NVIDIA RTX 6000 Ada Generation", 89, 142, 2505, 364.2, 364.2, 728.5},
      {"NVIDIA L4", 89, 58, 2040, 121, 121, 242},
      {"NVIDIA L40", 89, 142, 2490, 181, 0, 0},
      {"NVIDIA L40S", 89, 142, 2520, 362, 362, 733},
      {"NVIDIA GeForce RTX 5090", 120, 170, 2407, 209.5, 419, 838},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, 188, 2617, 503.8, 503.8, 1007.6},
      {"Tesla V100-SXM2-16GB", 70, 80, 1530, 125, 125, 0},
      {"NVIDIA A100-SXM4-80GB", 80, 108, 1410, 312, 312, 624},
      {"NVIDIA A30", 80, 56, 1440, 165, 165, 330},
      {"NVIDIA H100 80GB HBM3", 90, 132, 1830, 989, 989, 1979},
      {"NVIDIA H200", 90, 132, 1830, 989, 989, 1979},
      {"NVIDIA B200", 100, 148, 1850, 2250, 2250, 4500},
      {"Orin", 87, 16, 1300, 42.5, 42.5, 85},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const DeviceInfo d = deviceOf(row.name, row.capability, row.multiprocessors, row.megahertz);
    const auto peak = peakOf(d);
    REQUIRE(peak.ok());
    CHECK(peak->source.find("peak of ") == 0);
    const auto check = [&](double is, double stated) {
      if (stated > 0) CHECK(tera(d, is) == Approx(stated).epsilon(0.02));
    };
    check(peak->matrixOf("fp16", false), row.sums32);
    check(peak->matrixOf("bf16", false), row.sums32);
    check(peak->matrixOf("tf32", false), row.sums32 / 2);
    check(peak->matrixOf("e4m3", false), row.sums32 * 2);
    check(peak->matrixOf("fp16", true), row.sums16);
    check(peak->matrixOf("i8", false), row.int8);
  }
}

TEST_CASE("a name that the table lacks has the peak of its compute capability, and that is said") {
  for (const char* const name : {"", "Fake GPU", "NVIDIA A1000000", "L400", "GEFORCEX"}) {
    const auto peak = peakOf(deviceOf(name, 89));
    REQUIRE(peak.ok());
    INFO(name);
    CHECK(peak->matrix == 1024);
    CHECK(peak->source == std::string("peak by compute capability 8.9: the table of names has no '") + name + "'");
  }
  CHECK(peakOf(deviceOf("nvidia geforce-rtx_4090", 89))->matrix == 512);  // case and punctuation do not matter
  CHECK_FALSE(peakOf(deviceOf("NVIDIA GeForce RTX 9090", 150)).ok());
  const auto reduced = peakOf(deviceOf("NVIDIA H20", 90));
  REQUIRE_FALSE(reduced.ok());
  CHECK(reduced.error().message.find("no peak is known of 'NVIDIA H20'") == 0);
  measure::Work work;
  work.products = 1e9;
  work.bytesRead = 1;
  const Roofline none = rooflineOf(work, deviceOf("NVIDIA GeForce GTX 1660", 75));
  CHECK(none.computeMicroseconds == 0);
  CHECK(none.peak == "no peak is known of 'NVIDIA GeForce GTX 1660': it has no matrix units");
}

TEST_CASE("the data sheets for predictions give the stated bandwidths and peaks") {
  struct Row {
    const char* name;
    double gigabytes, sums32;
  };
  const Row rows[] = {{"v100", 900, 125},         {"a100", 2039, 312},      {"l4", 300, 121},
                      {"rtx3090", 936, 71},       {"rtx4090", 1008, 165.2}, {"RTX 5090", 1792, 209.5},
                      {"rtx6000ada", 960, 364.2}, {"h100", 3350, 989},      {"h200", 4800, 989},
                      {"b200", 8000, 2250}};
  CHECK(std::size(rows) == deviceNames().size());
  for (const Row& row : rows) {
    INFO(row.name);
    const auto device = deviceNamed(row.name);
    REQUIRE(device.ok());
    measure::Work work;
    work.bytesRead = row.gigabytes * 1e9;
    work.products = row.sums32 * 1e12;
    work.products16 = "fp16";
    const Roofline second = rooflineOf(work, *device);
    CHECK(second.memoryMicroseconds == Approx(1e6).epsilon(0.01));
    CHECK(second.computeMicroseconds == Approx(1e6).epsilon(0.02));
    CHECK(second.peak.find("peak of ") == 0);
  }
}

TEST_CASE("whether a program's products add up in fp16 is read from its innermost products") {
  const auto product = [](const std::string& sums) {
    return programOf("%A : [16,16:16,1].fp16.GL\n%B : [16,16:1,16].fp16.GL\n%C : [16,16:16,1]." + sums +
                     ".GL\n#b : [1].block\n#t : [32].thread\n%C <- MatMul<<<#b, #t>>>(%A,%B)\n");
  };
  DeviceInfo geforce = *deviceNamed("rtx4090");
  geforce.busBits = 0;
  const auto time = [&](const std::string& sums) {
    const auto work = workOf(product(sums), {});
    REQUIRE(work.ok());
    CHECK(work->halfSums == (sums == "fp16"));
    return rooflineOf(*work, geforce).computeMicroseconds;
  };
  CHECK(time("fp32") == Approx(2 * time("fp16")));
}
