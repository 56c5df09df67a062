// Plans of kernels: from the settings of a dump, from the hero, and what they load.
#include "core/hlo/cost/plan.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/compose/structure.h"
#include "core/hlo/cost/compare.h"
#include "core/hlo/cost/operations.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/cost/wire.h"
#include "core/hlo/text/backend_config.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

hlo::Module moduleOf(const std::string& text) {
  hlo::Module m = hlo::readModule(text);
  INFO(text);
  REQUIRE(m.problems.empty());
  return m;
}
hlo::Where rootOf(const hlo::Module& m) { return {m.entry, m.computation(m.entry).root}; }

std::string product(const std::string& config, const std::string& kind) {
  return "f {\n  a = f32[300,64] parameter(0)\n  b = f32[64,500] parameter(1)\n  d = f32[300,500] dot(a, b), "
         "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT n = f32[300,500] negate(d)\n}\nENTRY e {\n  a = "
         "f32[300,64] parameter(0)\n  b = f32[64,500] parameter(1)\n  ROOT r = f32[300,500] fusion(a, b), kind=" +
         kind + ", calls=f" + config + "\n}\n";
}

const char* const kSoftmax = R"(add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
soft {
  t = f32[64,1024] parameter(0)
  z = f32[] constant(0)
  e = f32[64,1024] exponential(t)
  rs = f32[64] reduce(e, z), dimensions={1}, to_apply=add
  rb = f32[64,1024] broadcast(rs), dimensions={0}
  ROOT dv = f32[64,1024] divide(e, rb)
}
ENTRY main {
  x = f32[64,1024] parameter(0)
  ROOT f = f32[64,1024] fusion(x), kind=kCustom, calls=soft, backend_config=CONFIG
}
)";
std::string softmax(const std::string& config) {
  std::string text = kSoftmax;
  text.replace(text.find("CONFIG"), 6, config);
  return text;
}

std::set<Element> loadsOf(const hlo::PlannedReads& reads) {
  std::set<Element> all;
  for (const Map& map : reads.elements) {
    std::vector<int> digits(map.digits().size());
    for (std::size_t k = 0; k < digits.size(); ++k) digits[k] = static_cast<int>(k);
    eachPoint(map, digits, std::vector<i64>(digits.size(), 0), [&](std::span<const i64> point) {
      if (map.isReal(point)) all.insert(map.at(point));
    });
  }
  return all;
}

}  // namespace

TEST_CASE("a Triton fusion loads each tile of its operand once") {
  for (
      const char* config :
      {R"({"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"output_tiles":[{"sizes":["1","1024"]}],"num_warps":"4"}}})",
       R"({"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"output_tile_sizes":["1","1024"],"num_warps":"4"}}})",
       R"("{\"fusion_backend_config\":{\"kind\":\"__triton\",\"block_level_fusion_config\":{\"output_tiles\":[{\"sizes\":[\"1\",\"1024\"]}],\"num_warps\":\"4\"}}}")"}) {
    const hlo::Module m = moduleOf(softmax(config));
    const auto waste = hlo::wasteOf(m, rootOf(m));
    REQUIRE(waste);
    CHECK(waste->plan == "Triton, output tiles of 1x1024, 4 warps");
    CHECK(waste->needed() == 64 * 1024 * 4);
    CHECK(waste->asked() == 64 * 1024 * 4);
  }
  // Without the tile, a loop over the output sums each row 1,024 times.
  const hlo::Module loop = moduleOf(softmax(R"({"fusion_backend_config":{"kind":"__triton"}})"));
  CHECK(hlo::wasteOf(loop, rootOf(loop))->asked() > 64 * 1024 * 4 * 32);
}

TEST_CASE("a product loads a row of tiles for each column of tiles") {
  struct Case {
    std::string config, plan;
    i64 rows, columns;
  };
  for (
      const Case& c : {
          Case{"", "a product, tiles of 128x128", 3, 4},
          Case{
              R"(, backend_config={"fusion_backend_config":{"kind":"__triton_gemm","triton_gemm_config":{"block_m":"64","block_n":"32","block_k":"32"}}})",
              "Triton, tiles of 64x32", 5, 16},
      }) {
    const hlo::Module m = moduleOf(product(c.config, c.config.empty() ? "kLoop" : "kCustom"));
    const auto waste = hlo::wasteOf(m, rootOf(m));
    REQUIRE(waste);
    CHECK(waste->plan == c.plan);
    // Rows of 256 bytes and, along the second operand, of 512 or 128 bytes out of 2,000: 31.25 sectors of 64 bytes.
    CHECK(waste->operands[0].asked == 300 * 64 * 4 * c.columns);
    CHECK(*waste->operands[1].asked >= 64 * 500 * 4 * c.rows);
    CHECK(*waste->operands[1].asked <= 64 * 500 * 4 * c.rows * 6 / 5);
  }
}

TEST_CASE("the blocks of a random tiling load what their outputs read") {
  int kernels = 0, boxes = 0;
  for (u64 seed = 1; seed <= 150; ++seed) {
    std::string text = RandomComputation(seed + 3000).text(1 + static_cast<int>(seed % 4), true);
    const hlo::Module plain = hlo::readModule(text);
    if (!plain.problems.empty()) continue;
    const xla::Shape& shape = plain.shapeOf(plain.at(rootOf(plain)));
    std::string tile;
    for (std::size_t k = 0; k < shape.rank(); ++k)
      tile += (k == 0 ? "\"" : ",\"") + std::to_string(1 + (seed + k) % 3) + "\"";
    const std::string config =
        "kind=kCustom, backend_config={\"fusion_backend_config\":{\"kind\":\"__triton\","
        "\"block_level_fusion_config\":{\"output_tile_sizes\":[" +
        tile + "]}}}";
    text.replace(text.find("kind=kLoop"), 10, config);
    INFO(text);
    const hlo::Module m = moduleOf(text);
    const auto plan = hlo::planOf(m, rootOf(m));
    REQUIRE(plan.ok());
    CHECK(plan->kind == hlo::Plan::Kind::Tiles);
    const auto reads = hlo::readsOfPlan(m, rootOf(m), 0, *plan);
    if (!reads) FAIL(reads.error().message);
    const auto whole = hlo::readsThrough(m, rootOf(m));
    REQUIRE(whole.ok());
    for (std::size_t k = 0; k < whole->size(); ++k) {
      if (std::ranges::any_of((*whole)[k].maps, [](const Map& map) { return !map.params().empty(); })) continue;
      std::set<Element> needed;
      eachCoordinate(shape.sizes(), [&](const Element& at) { needed.merge(elementsAt((*whole)[k].maps, at)); });
      const std::set<Element> loaded = loadsOf((*reads)[k]);
      CHECK(std::ranges::includes(loaded, needed));
      const xla::Shape& operand = m.shapeOf(m.computation(m.entry).at(m.at(rootOf(m)).operands[k]));
      for (const Element& e : loaded)
        for (std::size_t d = 0; d < e.size(); ++d) CHECK((e[d] >= 0 && e[d] < operand.dims()[d].size));
      ++kernels;
      boxes += loaded == needed;
    }
  }
  CHECK(kernels > 150);
  CHECK(boxes * 10 > kernels * 9);
}

TEST_CASE("a hero under elementwise operations decides the plan") {
  const auto planOf = [](const std::string& body, const std::string& shape) {
    const hlo::Module m = moduleOf(
        "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nf {\n p = f32[256,512] "
        "parameter(0)\n q = f32[256] parameter(1)\n z = f32[] constant(0)\n" +
        body + "}\nENTRY e {\n p = f32[256,512] parameter(0)\n q = f32[256] parameter(1)\n ROOT r = " + shape +
        " fusion(p, q), kind=kLoop, calls=f\n}\n");
    const auto waste = hlo::wasteOf(m, rootOf(m));
    REQUIRE(waste);
    return *waste;
  };
  const std::string reduce = " s = f32[256] reduce(p, z), dimensions={1}, to_apply=sum\n";
  const auto epilogue = planOf(reduce + " ROOT m = f32[256] multiply(s, q)\n", "f32[256]");
  CHECK(epilogue.plan == "a row reduction");
  CHECK(epilogue.asked() == epilogue.needed());  // q is read by a loop over the output
  CHECK(planOf(" t = f32[512,256] transpose(p), dimensions={1,0}\n ROOT n = f32[512,256] negate(t)\n", "f32[512,256]")
            .plan == "a transposition by tiles of 32x32");
  CHECK(
      planOf(" n = f32[256,512] negate(p)\n ROOT c = f32[512,512] concatenate(p, n), dimensions={0}\n", "f32[512,512]")
          .plan == "a loop over the widest operand of the concatenation");
  // Two heroes: neither.
  CHECK(planOf(reduce + " o = f32[256] reduce(p, z), dimensions={1}, to_apply=sum\n ROOT m = f32[256] multiply(s, o)\n",
               "f32[256]")
            .plan == "a loop over the output");
}

TEST_CASE("loops multiply what runs inside, and calls add up") {
  const std::string text = R"(body {
  x = f32[64] parameter(0)
  ROOT n = f32[64] negate(x)
}
test {
  x = f32[64] parameter(0)
  ROOT c = pred[] constant(true)
}
outer {
  x = f32[64] parameter(0)
  ROOT w = f32[64] while(x), condition=test, body=body, backend_config={"known_trip_count":{"n":"5"}}
}
ENTRY e {
  x = f32[64] parameter(0)
  a = f32[64] while(x), condition=test, body=outer, backend_config="{\"known_trip_count\":{\"n\":\"3\"}}"
  b = f32[64] call(a), to_apply=body
  ROOT c = f32[64] while(b), condition=test, body=body
}
)";
  const hlo::Module m = moduleOf(text);
  const auto runs = hlo::runsOf(m);
  CHECK(runs[static_cast<std::size_t>(m.byName.at("body"))].times == 15 + 1 + 1);
  CHECK_FALSE(runs[static_cast<std::size_t>(m.byName.at("body"))].known);
  CHECK(runs[static_cast<std::size_t>(m.byName.at("outer"))].times == 3);
  CHECK(runs[static_cast<std::size_t>(m.byName.at("outer"))].known);
  CHECK(hlo::rankingOf(m).kernels.front().runs == 17);
}

TEST_CASE("equal structures have equal waste, and the ranking is that of each kernel alone") {
  int same = 0;
  for (const char* name : {"attention.after.hlo", "layernorm.after.hlo", "mlp.before.hlo", "while_.after.hlo",
                           "grad.after.hlo", "scan.after.hlo", "conv.before.hlo", "sort.after.hlo", "dyn.before.hlo"}) {
    std::ifstream in(std::string(TESSERA_SOURCE_DIR "/tests/cases/hlo/") + name);
    std::ostringstream text;
    text << in.rdbuf();
    const hlo::Module m = hlo::readModule(text.str());
    hlo::Structures structures(m);
    std::map<int, std::string> known;
    for (const hlo::KernelWaste& k : hlo::rankingOf(m).kernels) {
      const auto alone = hlo::wasteOf(m, k.where);
      REQUIRE(alone);
      INFO(name << " " << m.at(k.where).name);
      CHECK(hlo::textOf(*alone) == hlo::textOf(hlo::KernelWaste{k.where, k.plan, k.operands, k.why}));
      CHECK(alone->plan == k.plan);
      const auto [at, isNew] = known.try_emplace(structures.of(k.where), hlo::textOf(*alone));
      CHECK(at->second == hlo::textOf(*alone));
      same += !isNew;
    }
  }
  CHECK(same > 10);
  const auto numbers = [](const std::string& second) {
    const hlo::Module m = moduleOf(
        "ENTRY e {\n p = f32[8,4] parameter(0)\n i = s32[] constant(1)\n j = s32[] constant(2)\n z = s32[] "
        "constant(0)\n a = f32[1,4] dynamic-slice(p, i, z), dynamic_slice_sizes={1,4}\n" +
        second + "}\n");
    hlo::Structures s(m);
    return s.of({m.entry, 4}) == s.of({m.entry, 5});
  };
  CHECK(numbers(" b = f32[1,4] dynamic-slice(p, i, z), dynamic_slice_sizes={1,4}, metadata={op_name=\"x\"}\n"));
  CHECK_FALSE(numbers(" b = f32[1,4] dynamic-slice(p, j, z), dynamic_slice_sizes={1,4}\n"));  // another element
  CHECK_FALSE(numbers(" b = f32[1,2] dynamic-slice(p, i, z), dynamic_slice_sizes={1,2}\n"));
}

TEST_CASE("settings of backends are read by path, and damage is no settings") {
  hlo::Instruction i;
  const auto with = [&](std::string_view text) {
    i.attributes = {{"backend_config", text}};
    return hlo::BackendConfig(i);
  };
  CHECK(with(R"({"a":{"b":["1","22"],"c":"x,}y"},"n":-3})").numbers({"a", "b"}) == std::vector<i64>{1, 22});
  CHECK(with(R"({"a":{"b":["1","22"],"c":"x,}y"},"n":-3})").at({"a", "c"}) == "x,}y");
  CHECK(with(R"({"a":{"b":["1","22"],"c":"x,}y"},"n":-3})").number({"n"}) == -3);
  CHECK(with(R"({attn_heads = 64 : i64, scale = 1.0e-1 : f64})").number({"attn_heads"}) == 64);
  for (const char* damaged : {"", "{", "}", "\"", "{\"a\":}", "{\"a\"", "[[[[", "{\"a\":{\"b\":[}", "\"{\\\""}) {
    CHECK_FALSE(with(damaged).number({"a", "b"}));
    CHECK_FALSE(with(damaged).numbers({"a"}));
  }
  i.attributes = {{"backend_config", "\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"10\\\"}}\""}};
  CHECK(hlo::knownTripCount(i) == 10);
}

TEST_CASE("an update in place reads the update only") {
  const hlo::Module m = moduleOf(
      "f {\n p = f32[1000,64] parameter(0)\n u = f32[1,64] parameter(1)\n i = s32[] parameter(2)\n z = s32[] "
      "constant(0)\n n = f32[1,64] negate(u)\n ROOT d = f32[1000,64] dynamic-update-slice(p, n, i, z)\n}\nENTRY e {\n "
      "p = "
      "f32[1000,64] parameter(0)\n u = f32[1,64] parameter(1)\n i = s32[] parameter(2)\n z = s32[] constant(0)\n a = "
      "f32[1000,64] fusion(p, u, i), kind=kLoop, calls=f\n ROOT b = f32[1000,64] dynamic-update-slice(a, u, i, "
      "z)\n}\n");
  for (const int at : {4, 5}) {
    const auto waste = hlo::wasteOf(m, {m.entry, at});
    REQUIRE(waste);
    CHECK(waste->plan == "in place, a loop over the update");
    CHECK(waste->operands[0].asked == 0);
    CHECK(waste->operands[1].asked == 256);
    CHECK(hlo::bytesWritten(m, {m.entry, at}) == 256);
  }
}

TEST_CASE("operations are those of the definition") {
  const auto of = [](const std::string& line) {
    const hlo::Module m = moduleOf(
        "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nENTRY e {\n p = "
        "f32[2,8,32] parameter(0)\n q = f32[2,32,16] parameter(1)\n x = f32[1,9,9,3] parameter(2)\n w = f32[3,3,3,5] "
        "parameter(3)\n z = f32[] constant(0)\n ROOT r = " +
        line + "\n}\n");
    return hlo::operationsOf(m, rootOf(m));
  };
  const auto dot =
      of("f32[2,8,16] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
         "rhs_contracting_dims={1}");
  CHECK((dot.products == 2.0 * 2 * 8 * 16 * 32 && dot.others == 0 && dot.type == "f32"));
  CHECK(of("f32[1,7,7,5] convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f").products ==
        2.0 * 7 * 7 * 5 * 27);
  CHECK(of("f32[2,8] reduce(p, z), dimensions={2}, to_apply=sum").others == 2 * 8 * 32);
  CHECK(of("f32[2,8,32] exponential(p)").others == 512);
  CHECK(of("f32[8,2,32] transpose(p), dimensions={1,0,2}").others == 0);
  CHECK(of("f32[2,8,32] sort(p), dimensions={2}, to_apply=sum").why == "sort of r are not counted");
}

TEST_CASE("modules compare kernel by kernel") {
  const hlo::Module
      before = moduleOf(product("", "kLoop")),
      after = moduleOf(product(
          R"(, backend_config={"fusion_backend_config":{"kind":"__triton_gemm","triton_gemm_config":{"block_m":"64","block_n":"32","block_k":"32"}}})",
          "kCustom"));
  const hlo::Ranking was = hlo::rankingOf(before), is = hlo::rankingOf(after);
  const auto forth = hlo::changesOf(before, was, after, is), back = hlo::changesOf(after, is, before, was);
  REQUIRE((forth.size() == 1 && back.size() == 1));
  CHECK(forth[0].by == "name");
  CHECK(forth[0].asked > 0);
  CHECK((forth[0].asked == -back[0].asked && forth[0].needed == 0));
  for (const hlo::KernelChange& c : hlo::changesOf(before, was, before, was))
    CHECK((c.asked == 0 && c.before == c.after));
  // Every kernel is in one change; names that change do not matter.
  std::string text = softmax("{}");
  const hlo::Module one = moduleOf(text);
  for (std::string from : {"ROOT f =", "fusion(x)"}) {
    const std::size_t at = text.find(from);
    if (from == "ROOT f =")
      text.replace(at, from.size(), "y = f32[64,1024] negate(x)\n  ROOT g =");
    else
      text.replace(at, from.size(), "fusion(y)");
  }
  const hlo::Module two = moduleOf(text);
  const auto changes = hlo::changesOf(one, hlo::rankingOf(one), two, hlo::rankingOf(two));
  REQUIRE(changes.size() == 2);
  CHECK((changes[0].before.has_value() != changes[1].before.has_value()));
  CHECK(changes[1].by == "structure");
}

TEST_CASE("collectives send what a ring sends, once per run, and share the axis of their groups") {
  const hlo::Module m = moduleOf(
      "HloModule m, replica_count=8\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, "
      "b)\n}\nbody {\n x = f32[1000] parameter(0)\n ROOT r = f32[1000] all-reduce(x), "
      "replica_groups={{0,1,2,3},{4,5,6,7}}, "
      "to_apply=add\n}\ntest {\n x = f32[1000] parameter(0)\n ROOT c = pred[] constant(true)\n}\nENTRY e {\n x = "
      "f32[1000] "
      "parameter(0)\n w = f32[1000] while(x), condition=test, body=body, "
      "backend_config={\"known_trip_count\":{\"n\":\"10\"}}\n g = f32[8000] all-gather(w), replica_groups={}, "
      "dimensions={0}\n p = f32[8000] collective-permute(g), source_target_pairs={{0,1},{1,0}}\n ROOT o = f32[8000] "
      "all-reduce(p), replica_groups={{0},{1},{2},{3},{4},{5},{6},{7}}, to_apply=add\n}\n");
  const hlo::Wire wire = hlo::wireOf(m);
  REQUIRE(wire.uses.size() == 4);
  const auto use = [&](std::string_view name) {
    for (const hlo::WireUse& u : wire.uses)
      if (m.at(u.where).name == name) return u;
    FAIL("no " << name);
    return hlo::WireUse();
  };
  CHECK(use("r").inAll() == 10 * 2 * 4000.0 * 3 / 4);
  CHECK(use("r").replicas == 4);
  CHECK(use("g").inAll() == 32000.0 * 7 / 8);
  CHECK(use("p").inAll() == 32000);
  CHECK(use("o").inAll() == 0);  // groups of one
  CHECK((use("g").reshards && use("p").reshards && !use("r").reshards));
  for (std::size_t k = 1; k < wire.uses.size(); ++k) CHECK(wire.uses[k - 1].inAll() >= wire.uses[k].inAll());
  double sum = 0;
  for (const hlo::WireAxis& axis : wire.axes) sum += axis.bytes;
  CHECK(sum == 60000 + 28000 + 32000);
}
