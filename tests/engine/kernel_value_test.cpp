// Kernels in worksheets: their accesses are layouts with the costs that the run counted.
#include "app/engine/kernel/kernel_value.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "core/analysis/access/thread_access.h"
#include "core/code/index_code.h"
#include "core/ptx/read.h"
#include "core/worksheet/functions/thread_value.h"
#include "core/worksheet/value.h"
#include "solver/kernel/access_layout.h"
#include "solver/kernel/launch/prepare.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

const bool kWithKernels = (addKernels(), true);

std::string dataPath(const std::string& name) {
  const bool lesson = name == "copy.ptx" || name == "reduce.ptx";
  return TESSERA_SOURCE_DIR + std::string(lesson ? "/assets/kernels/" : "/tests/kernel/data/") + name;
}

std::string kernelOf(const std::string& file, const std::string& rest) {
  return fmt::format("K = kernel \"{}\" {}", dataPath(file), rest);
}

std::vector<Outcome> run(const std::string& text) {
  REQUIRE(kWithKernels);
  return runDocument(text);
}

Truth truthOf(const std::string& kernel, const std::string& claim) {
  const Outcome outcome = run(kernel + "\nprove " + claim).back();
  INFO(claim << (outcome.diag ? ": " + outcome.diag->message : ""));
  REQUIRE(outcome.verdict);
  return outcome.verdict->truth;
}

const std::string kTransposeLaunch = "grid (2,2) block (32,32) args (f32[64,64], out=f32[64,64], 64)";

}  // namespace

TEST_CASE("the accesses of a kernel are layouts of its lines") {
  const std::string kernel = kernelOf("copy.ptx", "entry transpose_tile " + kTransposeLaunch);
  const std::vector<Outcome> all = run(kernel + "\naccesses(K)\nK.line 17\nK.out\nshow K.line 17 as banks");
  REQUIRE_FALSE(all[0].diag);
  REQUIRE_FALSE(all[0].notes.empty());
  CHECK(all[0].notes[0].message.starts_with("clean: "));
  const std::string table = textOf(*all[1].value);
  INFO(table);
  CHECK(table.find("line 15, store to shared.0 in shared memory") != std::string::npos);
  CHECK(table.find("line 17, load of shared in shared memory") != std::string::npos);
  CHECK(table.find("store to out") != std::string::npos);
  for (const Outcome& one : all) {
    INFO(one.statement.text << (one.diag ? ": " + one.diag->message : ""));
    CHECK_FALSE(one.diag);
  }
  CHECK(textOf(*all[2].value).find("lane * 32 + warp") != std::string::npos);
  REQUIRE(all[4].figure);
  CHECK(all[4].figure->caption.find("32 wavefronts, 1 would do") != std::string::npos);
}

TEST_CASE("claims about the lines of a kernel") {
  const std::string naive = kernelOf("copy.ptx", "entry transpose_tile " + kTransposeLaunch);
  CHECK(truthOf(naive, "conflict_free(K.line 15)") == Truth::Proved);
  CHECK(truthOf(naive, "conflict_free(K.line 17)") == Truth::Refuted);
  CHECK(truthOf(naive, "coalesced(K.out)") == Truth::Proved);
  for (const char* entry : {"transpose_swizzled", "transpose_padded"}) {
    const std::string kernel = kernelOf("copy.ptx", fmt::format("entry {} {}", entry, kTransposeLaunch));
    const auto accesses = run(kernel + "\nconflict = 1\naccesses(K)");
    INFO(textOf(*accesses.back().value));
    CHECK(truthOf(kernel, "conflict_free(K.shared)") == Truth::Proved);
    CHECK(truthOf(kernel, "conflict_free(K.shared.0)") == Truth::Proved);
  }
}

TEST_CASE("a swizzle is found for all accesses of a kernel to shared memory") {
  const std::string tile = kernelOf("copy.ptx", "entry transpose_tile " + kTransposeLaunch);
  for (const char* of : {"K.shared", "K.line 17", "K.line 15"}) {
    const auto all = run(tile + "\nS = find swizzle for " + of);
    INFO((all.back().diag ? all.back().diag->message : ""));
    REQUIRE(all.back().value);
    CHECK(textOf(*all.back().value) == "Sw<5,0,5> o 0 o 1024:1");
    REQUIRE_FALSE(all.back().notes.empty());
    CHECK(all.back().notes.back().message.find("none of the 2 accesses") != std::string::npos);
  }
  // The law: the swizzle of the addresses of every access has no conflict; with the identity one has.
  CHECK(truthOf(tile + "\nS = find swizzle for K.shared", "conflict_free(composition(S, K.line 17), f32)") ==
        Truth::Proved);
  const auto free =
      run(kernelOf("copy.ptx", "entry transpose_padded " + kTransposeLaunch) + "\nfind swizzle for K.shared");
  REQUIRE(free.back().diag);
  CHECK(free.back().diag->message.find("no access to shared has a conflict") != std::string::npos);
  const auto global = run(tile + "\nfind swizzle for K.out");
  REQUIRE(global.back().diag);
  CHECK(global.back().diag->message.find("shared memory") != std::string::npos);
}

TEST_CASE("one variable of shared memory is named by K.shared NAME") {
  const std::string kernel =
      kernelOf("variables.ptx", "entry two_tiles grid (1) block (32,32) shared 256 args (out=i32[1024])");
  const auto table = run(kernel + "\naccesses(K)").back();
  REQUIRE(table.value);
  INFO(textOf(*table.value));
  for (const char* name : {" in shared memory small:", " in shared memory tile:", " in shared memory dynamic:"})
    CHECK(textOf(*table.value).find(name) != std::string::npos);
  CHECK(truthOf(kernel, "conflict_free(K.shared small)") == Truth::Proved);
  CHECK(truthOf(kernel, "conflict_free(K.shared tile.0)") == Truth::Proved);
  CHECK(truthOf(kernel, "conflict_free(K.shared tile)") == Truth::Refuted);
  CHECK(truthOf(kernel, "conflict_free(K.shared dynamic)") == Truth::Refuted);

  // Offsets begin at the variable, which has the address 160: a multiple of no larger power of two than 32.
  CHECK(truthOf(kernel, "equal(K.shared tile, (32,32):(32,1))") == Truth::Proved);
  const auto found = run(kernel +
                         "\nS = find swizzle for K.shared tile\nprove conflict_free(composition(S, K.shared "
                         "tile), f32)\nshow K.shared tile as banks");
  REQUIRE(found[1].value);
  CHECK(textOf(*found[1].value) == "Sw<5,0,5> o 0 o 1024:1");
  CHECK(found[1].notes.back().message.find("from the beginning of tile: none of the 2 accesses") != std::string::npos);
  CHECK(found[2].verdict->truth == Truth::Proved);
  CHECK(found[3].figure.has_value());

  const auto refused = [&](const std::string& text) {
    const Outcome outcome = run(kernel + "\n" + text).back();
    REQUIRE(outcome.diag);
    return outcome.diag->message + " | " + outcome.diag->expected;
  };
  CHECK(refused("find swizzle for K.shared small").find("no access to small has a conflict") == 0);
  CHECK(refused("K.shared other") ==
        "no access lies in a variable other of shared memory | one of small, dynamic, tile");
  CHECK(refused("find swizzle for K.shared other").find("no access lies in a variable other") == 0);
  CHECK(refused("K.shared tile.7").find("2 values named shared tile") != std::string::npos);
}

TEST_CASE("a claim about a part of the executions is not proved") {
  // 300 blocks of a warp; out[i] is stored by all of them, x[at[i]] is read at the number 0 from memory.
  const std::string values =
      kernelOf("values.ptx", "entry gather grid (300) block (32) args (x=f32[32], at=i32[32]=0, out=f32[32])");
  CHECK(truthOf(values, "coalesced(K.out)") == Truth::Proved);
  CHECK(truthOf(values, "in_bounds(K.out, 32)") == Truth::Proved);
  CHECK(truthOf(values, "coalesced(K.x)") == Truth::Unknown);
  CHECK(truthOf(values, "in_bounds(K.x, 32)") == Truth::Unknown);
  CHECK(truthOf(values, "equal(K.x, K.x)") == Truth::Unknown);
  CHECK(truthOf(values, "injective(K.x)") == Truth::Refuted);
  CHECK(truthOf(values, "surjective(K.x, 32)") == Truth::Unknown);
}

TEST_CASE("the wavefronts and sectors of a line are those that the run counted") {
  int compared = 0, guarded = 0;
  for (const std::string entry :
       {"transpose_direct", "transpose_tile", "transpose_swizzled", "transpose_padded", "rows"}) {
    const bool loop = entry == "rows";
    std::ifstream file(dataPath(loop ? "rows.ptx" : "copy.ptx"));
    std::stringstream text;
    text << file.rdbuf();
    const auto module = ptx::read(text.str());
    REQUIRE(module);
    kernel::LaunchText launch;
    launch.entry = entry;
    launch.block = loop ? "128" : "32,32";
    launch.arguments = {"f32[1024]", "f32[1024]", "32"};
    if (loop) launch.arguments.pop_back();
    const auto made = kernel::prepare(*module, launch, [](const std::string&) { return Result<std::string>(""); });
    REQUIRE(made);
    const auto report = kernel::run(*module, made->launch);
    REQUIRE(report);
    for (const kernel::AccessLine& line : report->accesses) {
      INFO(entry << " line " << line.line << " " << line.op);
      const auto access = kernel::accessMap(line);
      REQUIRE(access);
      guarded += access->map.guards().empty() ? 0 : 1;
      const Arrow arrow = arrowOf(access->map, SpaceKind::Coordinates, LinearOrder::Lex, SpaceKind::Elements);
      const auto threads = threadAccess(arrow, "a", 8 * access->elementBytes, access->perLane);
      REQUIRE(threads);
      const bool shared = line.space == ptx::Space::Shared;
      const auto counted = threadReport(*threads, shared ? MemorySpace::Shared : MemorySpace::Global);
      REQUIRE(counted);
      CHECK((shared ? counted->wavefronts : counted->sectors) == (shared ? line.wavefronts : line.sectors));
      ++compared;
    }
  }
  CHECK(compared == 18);
  CHECK(guarded == 4);
}

TEST_CASE("a kernel with a race says so, and has its accesses") {
  const auto all =
      run(kernelOf("small.ptx", "entry reverse_race block (128) args (f32[128], f32[128])") + "\naccesses(K)");
  REQUIRE_FALSE(all[0].diag);
  REQUIRE_FALSE(all[0].notes.empty());
  CHECK(all[0].notes[0].message.starts_with("race: "));
  CHECK(textOf(*all[1].value).find("shared") != std::string::npos);
  const std::string race = kernelOf("small.ptx", "entry reverse_race block (128) args (f32[128], f32[128])");
  CHECK(truthOf(race, "race_free(K)") == Truth::Refuted);
  CHECK(truthOf(race, "not race_free(K)") == Truth::Proved);
  const std::string free = kernelOf("small.ptx", "entry reverse block (128) args (f32[128], f32[128])");
  CHECK(truthOf(free, "race_free(K)") == Truth::Proved);
}

TEST_CASE("kernels that cannot run are refused at their place") {
  const std::pair<std::string, std::string> kWrong[] = {
      {"K = kernel \"nowhere.ptx\"", "cannot read nowhere.ptx"},
      {"K = kernel \"/dev/zero\"", "not a regular file"},
      {"K = kernel \"" TESSERA_SOURCE_DIR "/assets/kernels/copy.cu\"", "no compiler is run here"},
      {"K = kernel \"a.ptx", "closing quote"},
      {kernelOf("copy.ptx", "entry nothing"), "no entry nothing"},
      {kernelOf("copy.ptx", "entry transpose_tile grid (2,2"), "not closed"},
      {kernelOf("copy.ptx", "entry transpose_tile block (0)"), "block"},
      {kernelOf("copy.ptx", "entry transpose_tile args (banana)"), "banana"},
      {kernelOf("copy.ptx", "entry transpose_tile shared -4"), "negative"},
      {kernelOf("copy.ptx", "entry transpose_tile " + kTransposeLaunch) + "\nK.line 1500", "line 1500"},
  };
  for (const auto& [text, message] : kWrong) {
    const Outcome outcome = run(text).back();
    INFO(text);
    REQUIRE(outcome.diag);
    INFO(outcome.diag->message << " / " << outcome.diag->expected);
    CHECK((outcome.diag->message + outcome.diag->expected).find(message) != std::string::npos);
    CHECK_FALSE(outcome.diag->span.empty());
  }
  const Outcome entries = run(kernelOf("copy.ptx", "")).back();
  REQUIRE(entries.diag);
  CHECK(entries.diag->hint == "add entry NAME");
}

TEST_CASE("C.line N is the access at that line of a block of code") {
  const std::string code =
      "C = cuda {\n  __shared__ float tile[32][32];\n  tile[t / 8][t % 8] = 1;\n  float b = tile[t % 32][0];\n} over "
      "(t = "
      "32)\n";
  const auto first = run(code + "C.line 3"), named = run(code + "C.tile.1");
  REQUIRE_FALSE(first.back().diag);
  CHECK(textOf(*first.back().value) == textOf(*named.back().value));
  CHECK(run(code + "C.line 40").back().diag);
}

TEST_CASE("computes(K) proves the reference of a kernel for every value, refutes it, or says why not") {
  const auto kernel = [](const std::string& entry, const std::string& reference) {
    return kernelOf("values.ptx",
                    "entry " + entry + " block (32) args (x=f32[32], out=f32[32]=0) reference \"" + reference + "\"");
  };
  CHECK(truthOf(kernel("relu", "out = np.maximum(x, 0)"), "computes(K)") == Truth::Proved);
  CHECK(truthOf(kernel("relu", "out[i] = max(0, x[i])"), "computes(K)") == Truth::Proved);
  // By the given numbers, and by numbers far from 0.
  CHECK(truthOf(kernel("relu", "out = np.minimum(x, 0)"), "computes(K)") == Truth::Refuted);
  CHECK(truthOf(kernel("cut", "out = x"), "computes(K)") == Truth::Refuted);
  CHECK(truthOf(kernel("relu", "out = np.minimum(x, 0)"), "race_free(K)") == Truth::Proved);
  CHECK(truthOf(kernel("clipped", "out = np.maximum(x, 0)"), "computes(K)") == Truth::Unknown);
  const auto refusal = [](const std::string& text) {
    const Outcome outcome = run(text).back();
    REQUIRE(outcome.diag);
    return outcome.diag->message;
  };
  const std::string without = kernelOf("values.ptx", "entry relu block (32) args (x=f32[32], out=f32[32]=0)");
  CHECK(refusal(without + "\nprove computes(K)") == "the statement of this kernel has no reference");
  CHECK(refusal(without + " reference out") == "a text in quotes is expected");
  CHECK(refusal(without + " reference \"out = y\"").find("y is neither an argument nor a result") == 0);
  CHECK(refusal("L = (4,8):(8,1)\nprove computes(L)") == "computes takes a kernel");
}
