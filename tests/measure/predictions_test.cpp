// Micro-kernels through the runner, with the fake driver: the table receives the results, flags disagreements, and says
// why something was not measured.
#include "solver/measure/predictions.h"

#include <cstring>
#include <fstream>

#include "measure/fakes.h"
#include "support/emulate.h"
#include "support/micro_cases.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// What a device does whose accesses cost two cycles and two for every wavefront, as a kernel writes it down: counts of
// 64, 128 and 256 by eight warps, without conflicts (4 wavefronts), with all (32), and `own`.
void write(void** arguments, double own, double bend = 0) {
  auto* const cycles = reinterpret_cast<long long*>(*static_cast<unsigned long long*>(arguments[0]));
  const int slot = *static_cast<int*>(arguments[2]);
  const double places[] = {4, 32, own};
  for (int loop = 0; loop < 2; ++loop)
    for (int n = 0; n < 3; ++n)
      for (int place = 0; place < 3; ++place) {
        const double count = 64 << n, warps = loop == 0 ? 8 : 1;
        cycles[slot + 9 * loop + 3 * n + place] =
            static_cast<long long>(100 + count * warps * (2 + 2 * places[place]) + (n == 2 ? bend : 0));
      }
}
void four(unsigned, unsigned, void** a) { write(a, 4); }
void thirtyTwo(unsigned, unsigned, void** a) { write(a, 32); }
void uneven(unsigned, unsigned, void** a) { write(a, 4, 1e6); }
void silent(unsigned, unsigned, void**) {}

RunOptions optionsOf() {
  RunOptions out;
  out.date = "2026-11-22";
  return out;
}

PredictionTable measuredTable(const std::vector<SharedAccess>& accesses) {
  PredictionTable table = predictions(accesses);
  const auto done = measureRows(table, accesses, optionsOf());
  INFO((done ? "" : done.error().message));
  REQUIRE(done.ok());
  return table;
}

}  // namespace

TEST_CASE("measured beside predicted: it agrees, it disagrees, it says nothing") {
  const std::vector<SharedAccess> accesses = {
      accessOver("Sw<3,3,3> o (64,64):(64,1)", "ldmatrix.x4", 16),
      accessOver("(64,64):(64,1)", "ldmatrix.x4", 16),
      accessOver("(64,64):(72,1)", "ldmatrix.x4", 16),
      accessOver("(64,64):(72,1)", "ldmatrix.x4.trans", 16),
      accessOver("(64,64):(64,1)", "stmatrix.x4", 16),
  };
  const Fakes fakes;
  fakes.add("access_0", four);
  fakes.add("access_1", four);  // 32 are predicted
  fakes.add("access_2", uneven);
  fakes.add("access_3", silent);
  const PredictionTable table = measuredTable(accesses);
  REQUIRE(table.rows.size() == 5);
  CHECK(table.device == "Fake GPU (sm_80, driver 12.4)");
  CHECK(table.date == "2026-11-22");
  CHECK(table.rows[0].agreement == Agreement::Agrees);
  CHECK(*table.rows[0].measured == Approx(4));
  CHECK(*table.rows[0].cycles == Approx(10));
  CHECK(*table.rows[0].idealCycles == Approx(10));
  CHECK(*table.rows[0].latency == Approx(10));
  CHECK(table.rows[1].agreement == Agreement::Disagrees);
  CHECK(table.rows[1].wavefronts == 32);
  CHECK(table.rows[1].why == "4 wavefronts measured, 32 predicted");
  CHECK(table.rows[2].agreement == Agreement::NotMeasured);
  CHECK(table.rows[2].why.find("does not grow linearly") != std::string::npos);
  CHECK(table.rows[3].agreement == Agreement::NotMeasured);
  CHECK(table.rows[3].why == "the kernel did not write its clock values");
  CHECK_FALSE(table.rows[3].measured.has_value());
  CHECK(table.rows[4].why == "stmatrix.x4 needs sm_90, the device is sm_80");
  CHECK(summaryOf(table) == "5 accesses: 1 agrees, 1 disagrees, 3 are not measured");
  CHECK(fakes.live() == 0);
}

TEST_CASE("every pattern of an access is run, and the worst one is told") {
  SharedAccess access = accessOver("(64,64):(64,1)", "ldmatrix.x4", 16);
  AccessPattern other = access.patterns[0];
  other.times = 5;
  other.warp.addresses[0] += 16;
  access.patterns.push_back(other);
  const Fakes fakes;
  fakes.add("access_0", thirtyTwo);
  const PredictionTable table = measuredTable({access});
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].patterns == 5);  // a row of 128 bytes has four places for 32, and the one that was added
  CHECK(fakes.launches() == 5);
  CHECK(table.rows[0].times == 16 + 5);
  CHECK(table.rows[0].agreement == Agreement::Agrees);
}

TEST_CASE("without a device nothing is filled in, and why is said once") {
  const Fakes fakes("no-device");
  const std::vector<SharedAccess> accesses = {accessOver("(64,64):(64,1)", "ldmatrix.x4", 16)};
  const PredictionTable table = measuredTable(accesses);
  CHECK(table.rows[0].agreement == Agreement::NotMeasured);
  CHECK_FALSE(table.rows[0].cycles.has_value());
  CHECK_FALSE(table.notMeasured.empty());
  CHECK(table.rows[0].wavefronts == 32);
  CHECK(table.rows[0].ideal == 4);
  const std::string text = textOf(table);
  INFO(text);
  CHECK(text.find("not measured: " + table.notMeasured) != std::string::npos);
  const std::string csv = csvOf(table);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 2);
  CHECK(csv.find("access,,,ldmatrix.x4,,\"(64,64):(64,1)\",16,4,32,4,,,,,,,not measured,") != std::string::npos);
}

TEST_CASE("a program's rows add up to what the emulator counts") {
  for (const auto& [name, accesses] : libraryAccesses(3000)) {
    INFO(name);
    const PredictionTable table = predictions(accesses, {"one", "two", "three", "four"});
    i64 wavefronts = 0, ideal = 0;
    for (const PredictionRow& row : table.rows) {
      wavefronts += row.times * row.wavefronts;
      ideal += row.times * row.ideal;
      CHECK_FALSE(row.kernel.empty());
    }
    std::stringstream text;
    text << std::ifstream(std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/" + name + ".graphene").rdbuf();
    const auto program = graphene::readProgram(text.str());
    REQUIRE(program.ok());
    graphene::EmulateOptions how;
    how.maxSteps = 3000;
    for (const graphene::Variable& v : program->variables)
      if (v.kind == graphene::Variable::Kind::Size) how.sizes[v.name] = 2;
    const auto run = graphene::emulate(*program, {}, how);
    REQUIRE(run.ok());
    CHECK(wavefronts == run->total.wavefronts);
    CHECK(ideal == run->total.idealWavefronts);
  }
}

TEST_CASE("this machine's own device needs the wavefronts that the bank model says, where there is one") {
  RunOptions options;
  options.worker = {WORKER};
  if (const auto device = findDevice(options); !device) {
    WARN("skipped: " + device.error().message);
    return;
  }
  const std::vector<SharedAccess> accesses = microAccesses();
  PredictionTable table = predictions(accesses);
  const auto done = measureRows(table, accesses, options);
  INFO((done ? "" : done.error().message));
  REQUIRE(done.ok());
  INFO(textOf(table));
  CHECK(table.count(Agreement::Disagrees) == 0);
  CHECK(table.count(Agreement::Agrees) > 0);
}
