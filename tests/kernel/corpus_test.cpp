// The kernels of GPUVerify's test suite without arguments (TESSERA_CASES/kernels, see its README): what is decided is
// right. Kernels that need annotations, more than 1024 threads a block, or another question are left out.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/work_budget.h"
#include "core/ptx/read.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/prepare.h"
#include "solver/kernel/reference/proof.h"

using namespace tessera;

namespace {

std::string corpusText(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::array<std::uint32_t, 3> extentsOf(const nlohmann::json& list) {
  return {list.at(0).get<std::uint32_t>(), list.at(1).get<std::uint32_t>(), list.at(2).get<std::uint32_t>()};
}

// Whether SentryWard 0.1.1 found a race in the same PTX; nullopt: it did not decide. The corpus has its answers.
std::optional<bool> sentryWard(const nlohmann::json& record, bool plain) {
  const auto all = record.find("sentryward_0.1.1");
  if (all == record.end() || !all->is_object()) return std::nullopt;
  const auto one = all->find(plain ? ".O0" : "opt");
  if (one == all->end()) return std::nullopt;
  const std::string result = one->value("result", "");
  if (result == "race_free") return false;
  if (result == "potential_race") return true;
  return std::nullopt;
}

// An argument of the corpus: arrays that are filled have their value, all others random numbers, as proofs need no more.
// nullopt: it is written in Python that this does not read.
std::optional<std::string> argumentOf(const nlohmann::json& a) {
  const std::string kind = a.at("kind"), name = a.value("name", "");
  if (kind == "empty") return "struct:00";
  if (kind == "scalar") return name + "=" + a.at("dtype").get<std::string>() + ":" + a.at("value").dump();
  if (kind != "ptr") return std::nullopt;
  std::string shape;
  for (const auto& extent : a.at("shape")) shape += (shape.empty() ? "" : ",") + std::to_string(extent.get<i64>());
  const std::string init = a.value("init", "");
  const std::string fill = init == "np.zeros(SHAPE)" ? "=0" : init.find("-np.inf") != std::string::npos ? "=-inf" : "";
  return name + "=" + a.at("dtype").get<std::string>() + "[" + shape + "]" + fill;
}

// The most words of one bank that lanes of a phase access: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16.
i64 degreeOf(const kernel::AccessLine::Sample& sample, int width) {
  std::size_t most = 1;
  const std::size_t lanes = width <= 4 ? 32 : width == 8 ? 16 : 8;
  for (std::size_t first = 0; first < 32; first += lanes) {
    std::map<i64, std::set<i64>> banks;
    for (std::size_t l = first; l < first + lanes; ++l)
      for (i64 at = sample.at[l]; at >= 0 && at < sample.at[l] + width; at += 4) banks[at / 4 % 32].insert(at / 4);
    for (const auto& [bank, words] : banks) most = std::max(most, words.size());
  }
  return static_cast<i64>(most);
}

struct CorpusLaunch {
  std::unique_ptr<const ptx::Module> module;
  kernel::Prepared prepared;
};
// nullopt: some argument is not read.
std::optional<CorpusLaunch> launchOf(const std::string& root, const nlohmann::json& record) {
  kernel::LaunchText text;
  for (const auto& a : record.at("args")) {
    const auto argument = argumentOf(a);
    if (!argument) return std::nullopt;
    text.arguments.push_back(*argument);
  }
  auto module = ptx::read(corpusText(root + record.at("ptx").get<std::string>()));
  INFO(record.at("id"));
  REQUIRE(module.ok());
  CorpusLaunch out{std::make_unique<const ptx::Module>(*std::move(module)), {}};
  if (record.contains("entry") && record["entry"].is_string()) text.entry = record["entry"];
  const auto list = [](const nlohmann::json& x) {
    std::string all;
    for (const auto& one : x) all += (all.empty() ? "" : ",") + one.dump();
    return all;
  };
  text.grid = list(record.at("grid"));
  text.block = list(record.at("block"));
  text.shared = record.value("dynamic_shared_bytes", 0);
  auto prepared = kernel::prepare(*out.module, text, {});
  if (!prepared) return std::nullopt;
  out.prepared = *std::move(prepared);
  return out;
}

}  // namespace

// "shared_wavefronts_measured": another interpreter's addresses, counted by line of the source, instruction and width.
// "known_bank_degree": by hand; a vector access, into which nvcc may join scalar ones, has another degree.
TEST_CASE("wavefronts of the corpus' kernels, line by line") {
  const char* cases = std::getenv("TESSERA_CASES");
  if (cases == nullptr) return;
  const std::string root = std::string(cases) + "/kernels/";
  std::ifstream index(root + "index.jsonl");
  int lines = 0, degrees = 0, kernels = 0, other = 0;
  using Key = std::tuple<int, int, std::string, int>;  // file, line, instruction, bytes of a lane
  using Counts = std::pair<i64, i64>;                  // requests, wavefronts
  for (std::string line; std::getline(index, line);) {
    const auto record = nlohmann::json::parse(line);
    const auto measured = record.find("shared_wavefronts_measured");
    if (measured == record.end() || !measured->is_array() || measured->empty()) continue;
    const auto launch = launchOf(root, record);
    if (!launch) continue;
    const auto report = kernel::run(*launch->module, launch->prepared.launch);
    INFO(record.at("id"));
    REQUIRE(report.ok());
    ++kernels;
    std::map<Key, Counts> ours;
    std::set<i64> found;
    for (const kernel::AccessLine& a : report->accesses) {
      if (a.space != ptx::Space::Shared || a.op.starts_with("cp.async")) continue;
      for (const kernel::AccessLine::Sample& sample : a.samples) found.insert(degreeOf(sample, a.width));
      if (a.location < 0) continue;
      const ptx::Location& at = launch->module->locations[static_cast<std::size_t>(a.location)];
      const i64 matrices = a.op.find(".x4") != std::string::npos ? 4 : a.op.find(".x2") != std::string::npos ? 2 : 1;
      Counts& counts = ours[{at.file, at.line, a.op.substr(0, a.op.find('.')), a.width}];
      counts.first += a.warps * matrices;
      counts.second += a.wavefronts;
    }
    for (const auto& one : *measured) {
      if (!one.at("loc").is_array()) continue;  // without .loc
      const Key key{one.at("loc").at(0), one.at("loc").at(1), one.at("kind"), one.at("bytes")};
      INFO("line " << std::get<1>(key) << " " << std::get<2>(key) << " of " << std::get<3>(key) << " bytes");
      const i64 requests = one.at("warp_requests"), wavefronts = one.at("wavefronts");
      if (ours[key].first % requests != 0) {  // not whole blocks: its branches depend on random values
        ++other;
        continue;
      }
      INFO(ours[key].second << " for " << ours[key].first << ", measured " << wavefronts << " for " << requests);
      CHECK(ours[key].second * requests == wavefronts * ours[key].first);
      ++lines;
    }
    if (const auto known = record.find("known_bank_degree"); known != record.end() && known->is_array())
      for (const auto& one : *known) {
        INFO(one.at("access"));
        CHECK(found.contains(one.at("degree").get<i64>()));
        ++degrees;
      }
  }
  std::cout << "wavefronts of the corpus: " << kernels << " kernels, " << lines << " lines, " << degrees
            << " degrees found by hand\n";
  if (kernels > 0) CHECK(lines > 100);
  CHECK(other * 10 < lines);
}

TEST_CASE("kernels of the corpus are proved equal to their references") {
  const char* cases = std::getenv("TESSERA_CASES");
  if (cases == nullptr) return;
  const std::string root = std::string(cases) + "/kernels/";
  std::ifstream index(root + "index.jsonl");
  int tried = 0, proved = 0;
  for (std::string line; std::getline(index, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("group") == "gpuverify" || record.at("verdict") != "pass" || !record.contains("args")) continue;
    const auto references = record.find("reference");
    if (references == record.end() || references->empty()) continue;
    const auto launch = launchOf(root, record);
    if (!launch) continue;
    INFO(record.at("id"));
    const auto& [module, prepared] = *launch;
    std::string reference;
    for (const auto& [name, value] : references->items())
      reference += (reference.empty() ? "" : "; ") + name + " = " + value.get<std::string>();
    const auto report = kernel::run(*module, prepared.launch);
    if (!report || report->verdict < kernel::Verdict::Benign) continue;  // random numbers as indices
    ++tried;
    try {
      const WorkBudget limit({.seconds = 0.7});
      const auto proofs = kernel::reference::prove(*module, prepared.launch, reference, prepared.given);
      if (!proofs) continue;
      using Answer = kernel::reference::Proof::Answer;
      bool all = true;
      for (const auto& p : *proofs) {
        INFO(kernel::reference::textOf(p));
        CHECK(p.answer != Answer::Refuted);
        all = all && p.answer == Answer::Proved;
      }
      proved += all ? 1 : 0;
    } catch (const OutOfBudget&) {
    }
  }
  std::cout << "references of the corpus: " << tried << " kernels, " << proved << " proved for all values\n";
  if (tried > 0) CHECK(proved * 10 >= tried * 8);
}

TEST_CASE("GPUVerify's kernels: no wrong verdict, and most decided") {
  const char* cases = std::getenv("TESSERA_CASES");
  if (cases == nullptr) {
    std::cout << "kernels of the corpus: none ran, TESSERA_CASES is not set\n";
    return;
  }
  const std::string root = std::string(cases) + "/kernels/";
  std::ifstream index(root + "index.jsonl");
  // Two threads initialise one state with equal values: a benign race here, a race there.
  const std::set<std::string> differs = {"gv_curand_tests_fail_init_race"};
  int ran = 0, decided = 0, both = 0, agree = 0;
  for (std::string line; std::getline(index, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("group") != "gpuverify" || record.value("needs_annotation", false) ||
        !record.value("launchable", false))
      continue;
    std::string wanted = record.at("verdict");
    if (record.contains("verdict_without_lockstep") && record["verdict_without_lockstep"].is_string())
      wanted = record["verdict_without_lockstep"];
    if (wanted != "pass" && wanted != "race" && wanted != "divergence") continue;
    const bool plain = record.value("stores_gone_when_optimised", false);
    if (!record.contains(plain ? "ptx_O0" : "ptx")) continue;
    const auto module = ptx::read(corpusText(root + record.at(plain ? "ptx_O0" : "ptx").get<std::string>()));
    const std::string id = record.at("id");
    INFO(id);
    REQUIRE(module.ok());
    kernel::Launch launch;
    if (record.contains("entry") && record["entry"].is_string())
      launch.entry = record["entry"];
    else if (record.contains("entries") && !record["entries"].empty())
      launch.entry = record["entries"][0];
    launch.grid = extentsOf(record.at("grid"));
    launch.block = extentsOf(record.at("block"));
    const auto report = kernel::run(*module, launch);
    if (!report) continue;
    ++ran;
    if (report->verdict == kernel::Verdict::Unknown) continue;
    ++decided;
    if (const auto other = sentryWard(record, plain)) {
      ++both;
      agree += *other == (report->verdict == kernel::Verdict::Race) ? 1 : 0;
    }
    if (differs.contains(id)) continue;
    const std::string_view got = nameOf(report->verdict);
    INFO((report->findings.empty() ? std::string() : report->findings.front().message));
    if (wanted == "pass")
      CHECK((got == "clean" || got == "benign"));
    else if (wanted == "race")
      CHECK(got == "race");
    else
      CHECK((got == "divergence" || got == "deadlock"));
  }
  std::cout << "kernels of the corpus: " << ran << " ran, " << decided << " decided\n";
  std::cout << "SentryWard 0.1.1 decides " << both << " of these, " << agree << " alike\n";
  if (ran > 0) CHECK(decided * 10 >= ran * 6);
  if (ran > 0) CHECK(both > 10);
  CHECK(agree + 4 >= both);  // two of its answers differ from the corpus, too: shared_int, loop_unwind
}
