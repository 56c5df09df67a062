// Tensor copies (data/tensor.cu) against a slow implementation: a loop over the elements of the box, with PTX's swizzle
// written out.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <sstream>

#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/arguments.h"
#include "solver/kernel/reference/check.h"
#include "tests/kernel/kernels.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

using Bytes = std::vector<std::byte>;

// A tensor with its box and its copy's coordinates, all innermost first.
struct TensorCase {
  int bytes = 2;  // of an element
  std::vector<i64> extents, strides, box, steps, at;
  int swizzle = 0;  // 32, 64, 128
  bool nan = false;
};

// Calls visit(offset in the tensor or -1, offset in shared memory) for each byte of the box.
template <class Visit>
void eachByte(const TensorCase& c, i64 shift, const Visit& visit) {
  std::vector<i64> count = c.box;
  for (std::size_t d = 1; d < count.size(); ++d) count[d] = (c.box[d] + c.steps[d] - 1) / c.steps[d];
  i64 elements = 1;
  for (const i64 n : count) elements *= n;
  for (i64 e = 0; e < elements; ++e) {
    i64 rest = e, from = 0;
    bool inside = true;
    for (std::size_t d = 0; d < count.size(); ++d) {
      const i64 x = c.at[d] + rest % count[d] * (d == 0 ? 1 : c.steps[d]);
      rest /= count[d];
      inside = inside && 0 <= x && x < c.extents[d];
      from += x * c.strides[d];
    }
    for (i64 b = 0; b < c.bytes; ++b) {
      i64 to = shift + e * c.bytes + b;
      // PTX ISA, swizzling modes: bits 4 to 6 are xored with bits 7 to 9; 2 bits and 1 for the smaller modes.
      if (c.swizzle == 128) to ^= (to >> 7 & 7) << 4;
      if (c.swizzle == 64) to ^= (to >> 7 & 3) << 4;
      if (c.swizzle == 32) to ^= (to >> 7 & 1) << 4;
      visit(inside ? from + b : -1, to - shift);
    }
  }
}

std::string joined(const std::vector<i64>& innermostFirst, char between) {
  std::string out;
  for (std::size_t k = innermostFirst.size(); k-- > 0;)
    out += (out.empty() ? "" : std::string(1, between)) + std::to_string(innermostFirst[k]);
  return out;
}

// The argument as a user writes it.
std::string mapText(const TensorCase& c) {
  const char* type = c.bytes == 1 ? "u8" : c.bytes == 2 ? "f16" : c.bytes == 4 ? "f32" : "f64";
  std::string out = "tensormap:" + std::string(type) + "[" + joined(c.extents, ',') + "],box=" + joined(c.box, 'x') +
                    ",steps=" + joined(c.steps, 'x');
  if (c.extents.size() > 1) out += ",strides=" + joined({c.strides.begin() + 1, c.strides.end()}, 'x');
  if (c.swizzle != 0) out += ",swizzle=" + std::to_string(c.swizzle) + "B";
  if (c.nan) out += ",fill=nan";
  return out;
}

const ptx::Function& entryNamed(const std::string& name) {
  const ptx::Function* f = test::kernelsOf("tensor").function(name);
  REQUIRE(f != nullptr);
  return *f;
}

Launch launchOf(const std::string& entry, const std::vector<std::string>& arguments, std::uint32_t blocks = 1) {
  const auto given = readArguments(entryNamed(entry), arguments, 7, {});
  INFO(entry << ": " << (given ? "" : given.error().message + " / " + given.error().expected));
  REQUIRE(given.ok());
  Launch launch;
  launch.entry = entry;
  launch.grid = {blocks, 1, 1};
  launch.block = {64, 1, 1};
  launch.dynamicShared = 160 * 1024;
  for (const Given& g : *given) launch.arguments.push_back(g.argument);
  return launch;
}

Report tensorRun(const Launch& launch) {
  auto report = run(test::kernelsOf("tensor"), launch);
  INFO(launch.entry << ": " << (report ? "" : report.error().message));
  REQUIRE(report.ok());
  return *std::move(report);
}

AccessLine copyOf(const Report& r) {
  for (const AccessLine& a : r.accesses)
    if (a.op.starts_with("cp.async.bulk")) return a;
  FAIL("no copy");
  return {};
}

std::string tensorVerdict(const Report& r) {
  if (!r.reason.empty()) UNSCOPED_INFO(r.reason);
  if (!r.findings.empty()) UNSCOPED_INFO(r.findings.front().message);
  return std::string(nameOf(r.verdict));
}

// A random tensor of some rank, with padded rows, and a box that often lies beyond its edges.
TensorCase randomCase(std::mt19937& random) {
  const auto upTo = [&](i64 least, i64 most) {
    return least + static_cast<i64>(random() % static_cast<unsigned>(most - least + 1));
  };
  TensorCase c;
  c.bytes = 1 << upTo(0, 3);
  const std::size_t rank = static_cast<std::size_t>(upTo(1, 5));
  constexpr int kSwizzles[] = {0, 32, 64, 128};
  c.swizzle = kSwizzles[upTo(0, 3)];
  const i64 line = c.swizzle != 0 ? c.swizzle : 16 * upTo(1, 8);
  c.nan = c.bytes > 1 && upTo(0, 3) == 0;
  i64 stride = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    c.extents.push_back(d == 0 ? upTo(1, 2 * line / c.bytes) : upTo(1, 9));
    c.strides.push_back(d == 0 ? c.bytes : stride);
    stride = d == 0 ? (c.extents[0] * c.bytes + 15) / 16 * 16 + 16 * upTo(0, 1) : stride * c.extents[d];
    c.box.push_back(d == 0 ? line / c.bytes : upTo(1, 5));
    c.steps.push_back(d == 0 ? 1 : upTo(1, 4) == 1 ? 2 : 1);
    const i64 reach = c.extents[d] + c.box[d];
    c.at.push_back(upTo(0, 2) == 0 ? 0 : upTo(-c.box[d] - 1, reach));
  }
  return c;
}

std::string rankText(const TensorCase& c) { return std::to_string(c.extents.size()) + "d"; }

std::vector<std::string> coordinatesOf(const TensorCase& c) {
  std::vector<std::string> out;
  for (std::size_t d = 0; d < 5; ++d) out.push_back("int32:" + std::to_string(d < c.at.size() ? c.at[d] : 0));
  return out;
}

}  // namespace

TEST_CASE("a load places each element of the box, and fills what lies beyond the tensor") {
  std::mt19937 random(5);
  for (int k = 0; k < 300; ++k) {
    const TensorCase c = randomCase(random);
    const i64 shift = 128 * static_cast<i64>(random() % 9);
    i64 bytes = 0;
    eachByte(c, shift, [&](i64, i64) { ++bytes; });
    // A swizzle may leave the box's bytes if the tile does not start at a whole pattern.
    const i64 all = (bytes + shift + 1023) / 1024 * 1024 - shift;
    std::vector<std::string> arguments = {mapText(c), "u32[" + std::to_string(all / 4) + "]=0", std::to_string(all),
                                          std::to_string(bytes), std::to_string(shift)};
    for (const std::string& x : coordinatesOf(c)) arguments.push_back(x);
    Launch launch = launchOf("load_" + rankText(c), arguments);
    const Bytes tensor = launch.arguments[0].bytes;
    Bytes want(static_cast<std::size_t>(all)), written(static_cast<std::size_t>(all));
    eachByte(c, shift, [&](i64 from, i64 to) {
      const bool sign = to % c.bytes == c.bytes - 1;
      const std::byte fill = !c.nan ? std::byte{0} : sign ? std::byte{0x7f} : std::byte{0xff};
      REQUIRE((to >= 0 && to < all));
      want[static_cast<std::size_t>(to)] = from < 0 ? fill : tensor[static_cast<std::size_t>(from)];
      written[static_cast<std::size_t>(to)] = std::byte{1};
    });
    const Report r = tensorRun(launch);
    INFO(arguments[0] << " at " << joined(c.at, ',') << ", shift " << shift << ", verdict " << tensorVerdict(r));
    std::set<i64> sectors;
    eachByte(c, shift, [&](i64 from, i64) {
      if (from >= 0) sectors.insert(from / 32);
    });
    const AccessLine copy = copyOf(r);
    CHECK(copy.space == ptx::Space::Shared);
    CHECK(copy.width == bytes);
    CHECK(copy.sectors == static_cast<i64>(sectors.size()));
    CHECK(copy.idealSectors <= copy.sectors);
    const bool whole = std::find(written.begin(), written.end(), std::byte{0}) == written.end();
    CHECK(r.verdict == (whole ? Verdict::Clean : Verdict::Uninitialised));
    for (std::size_t b = 0; b < want.size(); ++b)
      if (written[b] == std::byte{1} && r.buffers[1][b] != want[b]) {
        CAPTURE(b);
        REQUIRE(r.buffers[1][b] == want[b]);
      }
  }
}

TEST_CASE("a store writes what lies in the tensor, and nothing else") {
  std::mt19937 random(6);
  for (int k = 0; k < 200; ++k) {
    const TensorCase c = randomCase(random);
    i64 bytes = 0;
    eachByte(c, 0, [&](i64, i64) { ++bytes; });
    const i64 all = (bytes + 1023) / 1024 * 1024;
    std::vector<std::string> arguments = {mapText(c), "u32[" + std::to_string(all / 4) + "]", std::to_string(all), "0"};
    for (const std::string& x : coordinatesOf(c)) arguments.push_back(x);
    Launch launch = launchOf("store_" + rankText(c), arguments);
    std::mt19937 fill(static_cast<unsigned>(k));
    for (std::byte& b : launch.arguments[1].bytes) b = static_cast<std::byte>(fill());
    Bytes want = launch.arguments[0].bytes;
    eachByte(c, 0, [&](i64 at, i64 from) {
      if (at >= 0) want[static_cast<std::size_t>(at)] = launch.arguments[1].bytes[static_cast<std::size_t>(from)];
    });
    const Report r = tensorRun(launch);
    INFO(arguments[0] << " at " << joined(c.at, ',') << ", verdict " << tensorVerdict(r));
    CHECK(r.verdict == Verdict::Clean);
    CHECK(r.buffers[0] == elementsOf(*launch.arguments[0].map, want));
    std::set<i64> sectors;
    eachByte(c, 0, [&](i64 at, i64) {
      if (at >= 0) sectors.insert(at / 32);
    });
    CHECK(copyOf(r).space == ptx::Space::Global);
    CHECK(copyOf(r).sectors == static_cast<i64>(sectors.size()));
  }
}

TEST_CASE("blocks that reduce the same tile give what the operation gives one after the other") {
  using Op = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;
  const std::pair<const char*, Op> operations[] = {
      {"add", [](auto x, auto y) { return x + y; }},
      {"min", [](auto x, auto y) { return std::min(x, y); }},
      {"max", [](auto x, auto y) { return std::max(x, y); }},
      {"and", [](auto x, auto y) { return x & y; }},
      {"or", [](auto x, auto y) { return x | y; }},
      {"xor", [](auto x, auto y) { return x ^ y; }},
      {"inc", [](auto x, auto y) { return x >= y ? 0 : x + 1; }},
      {"dec", [](auto x, auto y) { return x == 0 || x > y ? y : x - 1; }},
  };
  const auto words = [](const Bytes& bytes) {
    std::vector<std::uint32_t> out(bytes.size() / 4);
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  };
  for (const auto& [name, op] : operations) {
    // 12 rows of 8; the tile of 8 x 8 starts at row 6, so its last two rows are left out. Both blocks give equal values,
    // because the order of wrapping counters matters otherwise.
    Launch launch =
        launchOf("reduce_" + std::string(name), {"tensormap:u32[12,8],box=8x8", "u32[128]", "256", "0", "6"}, 2);
    auto& in = launch.arguments[1].bytes;
    std::copy(in.begin(), in.begin() + 256, in.begin() + 256);
    auto want = words(launch.arguments[0].bytes);
    const auto values = words(in);
    for (int block = 0; block < 2; ++block)
      for (std::size_t k = 0; k < 48; ++k) want[48 + k] = op(want[48 + k], values[k]);
    const Report r = tensorRun(launch);
    INFO(name);
    CHECK(tensorVerdict(r) == "clean");
    CHECK(words(r.buffers[0]) == want);
  }
  CHECK(tensorRun(launchOf("reduce_add", {"tensormap:f16[8,8],box=8x8", "u32[64]", "128", "0", "0"}, 2)).verdict ==
        Verdict::Clean);
  const Report bytes = tensorRun(launchOf("reduce_add", {"tensormap:u8[8,16],box=8x16", "u32[64]", "128", "0", "0"}));
  CHECK(bytes.reason.find("does not add elements of type u8") != std::string::npos);
  CHECK(tensorRun(launchOf("reduce_inc", {"tensormap:f32[8,8],box=8x8", "u32[64]", "256", "0", "0"})).verdict ==
        Verdict::Unknown);
}

TEST_CASE("a pipeline of tensor copies is clean, and each of its faults is found") {
  const auto twice = [](int tiles, int fault) {
    Launch launch = launchOf("twice", {"tensormap:#2,box=8x64,swizzle=128B", "tensormap:#2,box=8x64,swizzle=128B",
                                       "u16[40,64]", std::to_string(tiles), std::to_string(fault)});
    Report r = tensorRun(launch);
    for (const Bytes* buffer : {&r.buffers[0], &r.buffers[1]}) CHECK(*buffer == r.buffers[2]);
    if (fault == 0) {
      std::vector<std::uint16_t> before(40 * 64), after(40 * 64);
      std::memcpy(before.data(), launch.arguments[2].bytes.data(), before.size() * 2);
      std::memcpy(after.data(), r.buffers[2].data(), after.size() * 2);
      for (std::size_t k = 0; k < static_cast<std::size_t>(tiles) * 512; ++k) before[k] *= 2;
      before[0] += 1;
      CHECK(before == after);
    }
    return r;
  };
  for (const int tiles : {1, 2, 3, 5}) CHECK(tensorVerdict(twice(tiles, 0)) == "clean");
  for (const int fault : {1, 2, 3, 4, 5}) {
    const Report r = twice(2, fault);
    INFO(fault);
    CHECK(tensorVerdict(r) == "race");
    CHECK(r.findings.front().other.has_value());
  }
  // A place that was only read is loaded again without a fence; one that was written needs it.
  const auto again = [](const char* fault) {
    return tensorRun(launchOf("again", {"tensormap:f16[16,64],box=8x64", "u32[128]=0", fault}));
  };
  CHECK(tensorVerdict(again("0")) == "clean");
  CHECK(tensorVerdict(again("1")) == "race");
  const auto load = [](const char* expected, const char* shift) {
    return tensorRun(launchOf("load_2d", {"tensormap:f16[64,64],box=8x64,swizzle=128B", "u32[256]=0", "1024", expected,
                                          shift, "0", "0", "0", "0", "0"}));
  };
  CHECK(tensorVerdict(load("1024", "1024")) == "clean");
  const Report more = load("1152", "0"), less = load("512", "0");
  CHECK(tensorVerdict(more) == "deadlock");
  CHECK(more.findings.front().message.find("expects 128 bytes that no copy brings") != std::string::npos);
  CHECK(tensorVerdict(less) == "deadlock");
  CHECK(less.findings.front().message.find("got 512 bytes more than it expects") != std::string::npos);
  CHECK(tensorVerdict(load("1024", "64")) == "misaligned");
  CHECK(tensorVerdict(load("1024", "163712")) == "bounds");
  CHECK(tensorVerdict(tensorRun(launchOf("store_nothing", {"tensormap:f16[8,64],box=8x64"}))) == "uninitialised");
  CHECK(tensorVerdict(tensorRun(launchOf("no_barrier", {"tensormap:f16[8,64],box=8x64"}))) == "uninitialised");
}

TEST_CASE("multicast to the own block, cache hints, and a map that the kernel copies") {
  for (const char* entry : {"many", "copied"}) {
    std::vector<std::string> arguments = {"tensormap:f16[8,64],box=8x64"};
    if (std::string(entry) == "copied") arguments.emplace_back("b8[128]");
    arguments.emplace_back("u32[256]=0");
    const Launch launch = launchOf(entry, arguments);
    const Report r = tensorRun(launch);
    CHECK(tensorVerdict(r) == "clean");
    CHECK(r.buffers.back() == launch.arguments[0].bytes);
  }
}

TEST_CASE("a tensor copy that is not supported, or does not fit its map, says why") {
  const auto reason = [](const std::string& entry, const std::string& map) {
    const Report r = tensorRun(launchOf(entry, {map}));
    CHECK(r.verdict == Verdict::Unknown);
    return r.reason;
  };
  CHECK(reason("offsets", "tensormap:f16[8,8,64],box=1x8x64").find("the mode im2col is not supported") !=
        std::string::npos);
  CHECK(reason("no_barrier", "tensormap:f16[8,8,64],box=1x8x64")
            .find("has 2 coordinates, and the tensor map of argument 0 3 dimensions") != std::string::npos);
  CHECK(reason("no_barrier", "_").find("argument 0, the tensor map no_barrier_param_0, was not given") !=
        std::string::npos);
}

TEST_CASE("the gallery's product by TMA and wgmma is clean, and is the product of its matrices") {
  const ptx::Module& module = test::kernelsOf("gemm_wgmma_tma");
  const ptx::Function& entry = module.functions.back();
  const auto product = [&](const std::string& mode) {
    // 128 x 320 by 320 x 256, whose columns are contiguous: five tiles of depth through four stages.
    const auto given = readArguments(entry,
                                     {"C=f32[128,256]", "A=tensormap:f16[128,320],box=128x64,swizzle=" + mode,
                                      "B=tensormap:f16[256,320],box=256x64,swizzle=" + mode},
                                     3, {});
    REQUIRE(given.ok());
    Launch launch;
    launch.entry = entry.name;
    launch.block = {384, 1, 1};
    launch.dynamicShared = 196864;
    for (const Given& g : *given) launch.arguments.push_back(g.argument);
    auto report = run(module, launch);
    INFO((report ? "" : report.error().message));
    REQUIRE(report.ok());
    CHECK(tensorVerdict(*report) == "clean");
    const auto compared = reference::check("C = C + A @ B.T", *given, 0, *report);
    REQUIRE(compared.ok());
    REQUIRE(compared->size() == 1);
    CHECK(compared->front().elements == 128 * 256);
    // Every element of A and B is copied once, and read once for the four warps of its group.
    i64 copied = 0, read = 0;
    for (const AccessLine& a : report->accesses) {
      if (a.op.starts_with("cp.async.bulk")) copied += a.bytes;
      if (a.op.starts_with("wgmma")) read += a.bytes;
    }
    CHECK(copied == (128 + 256) * 320 * 2);
    CHECK(read == (128 + 2 * 256) * 320 * 2);
    return compared->front().wrong;
  };
  CHECK(product("128B") == 0);
  CHECK(product("NONE") > 0);
}

TEST_CASE("accumulators that are read before the wait, and products without a fence, are races") {
  const ptx::Module& module = test::kernelsOf("gemm_wgmma_tma");
  const ptx::Function& entry = module.functions.back();
  const auto given = readArguments(entry,
                                   {"C=f32[128,256]", "A=tensormap:f16[128,128],box=128x64,swizzle=128B",
                                    "B=tensormap:f16[256,128],box=256x64,swizzle=128B"},
                                   3, {});
  REQUIRE(given.ok());
  const auto messageWithout = [&](std::string_view opcode) {
    Launch launch;
    launch.entry = entry.name;
    launch.block = {384, 1, 1};
    launch.dynamicShared = 196864;
    for (const Given& g : *given) launch.arguments.push_back(g.argument);
    for (const ptx::Instruction& i : entry.instructions)
      if (i.opcode.text.starts_with(opcode)) launch.without.push_back(i.line);
    const auto report = run(module, launch);
    REQUIRE(report.ok());
    if (opcode.empty() || report->findings.empty()) return std::string(nameOf(report->verdict));
    CHECK(report->verdict == Verdict::Race);
    return report->findings.front().message;
  };
  CHECK(messageWithout("wgmma.wait_group").find("a register of the accumulator") != std::string::npos);
  CHECK(messageWithout("wgmma.fence").find("without a wgmma.fence") != std::string::npos);
  CHECK(messageWithout("no such instruction") == "clean");
}

TEST_CASE("CUTLASS's product for Hopper, from its tutorial, is clean and right in clusters of two blocks") {
  const char* cases = std::getenv("TESSERA_CASES");
  std::ifstream in(std::string(cases != nullptr ? cases : "") + "/kernels/cutlass/cutlass_cute_wgmma_tma_sm90.ptx");
  if (!in) {
    std::cout << "CUTLASS's product: not run, TESSERA_CASES has no such file\n";
    return;
  }
  std::stringstream text;
  text << in.rdbuf();
  const auto module = ptx::read(text.str());
  REQUIRE(module.ok());
  int ran = 0;
  for (const ptx::Function& entry : module->functions) {
    // Matrices whose rows (0) or columns (1) are contiguous.
    const bool rows = entry.name.find("MajorE0") != std::string::npos;
    if (!entry.entry || (!rows && entry.name.find("MajorE1") == std::string::npos)) continue;
    ++ran;
    const std::string box = rows ? "box=128x64,swizzle=128B" : "box=8x64,swizzle=128B";
    // (m, n, k), tiles, A with its map, B with its map, C with its stride, the tiled product, alpha, beta.
    const auto given =
        readArguments(entry,
                      {"struct:00010000 80000000 00010000", "struct:00", "uint64:0", "A=tensormap:f16[256,256]," + box,
                       "uint64:0", "B=tensormap:f16[" + std::string(rows ? "128,256]," : "256,128],") + box,
                       "C=f16[128,256]=0", "int32:256", "struct:01000000 01000000", "float16:1", "float16:0"},
                      9, {});
    INFO((given ? "" : given.error().message));
    REQUIRE(given.ok());
    Launch launch;
    launch.entry = entry.name;
    launch.grid = launch.cluster = {2, 1, 1};
    launch.block = {128, 1, 1};
    launch.dynamicShared = 98432;
    for (const Given& g : *given) launch.arguments.push_back(g.argument);
    auto report = run(*module, launch);
    REQUIRE(report.ok());
    CHECK(tensorVerdict(*report) == "clean");
    const auto compared = reference::check(rows ? "C = B @ A.T" : "C = B.T @ A", *given, 0, *report);
    REQUIRE(compared.ok());
    CHECK(compared->front().wrong == 0);
  }
  CHECK(ran == 2);
}
