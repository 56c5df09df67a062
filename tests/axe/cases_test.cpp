// Every case of tests/cases/axe.jsonl. Layouts are compared as text in canonical spelling, and by meaning. If a case's
// mode is tvm, the expectation is TVM's. The few places where the paper's answer differs are named here.
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/mesh.h"
#include "core/notation/axe/notation.h"

using namespace tessera;
using nlohmann::json;

namespace {

using Shape = std::vector<i64>;

axe::Layout layoutOf(const json& c, const char* key = "layout") {
  auto parsed = axe::parse(c.at(key).get<std::string>());
  INFO(c.at(key).get<std::string>());
  if (!parsed) FAIL(parsed.error().message);
  return *parsed;
}

bool refused(const json& c) { return c.contains("expect_error") || (c.contains("expect") && c.at("expect").is_null()); }

// The result is the expected layout, or the expected refusal.
void checkLayout(const json& c, const Result<axe::Layout>& got) {
  if (refused(c)) {
    CHECK_FALSE(got.ok());
    if (!got) CHECK_FALSE(got.error().message.empty());
    return;
  }
  if (!got) FAIL(got.error().message);
  const axe::Layout want = layoutOf(c, "expect");
  INFO("got " << print(*got));
  const auto same = axe::equal(*got, want);
  REQUIRE(same.ok());
  CHECK(*same);
  CHECK(print(got->withoutShape()) == print(want));
}

axe::Place placeOf(const json& j) {
  axe::Place place;
  for (const auto& [axis, value] : j.items()) place[axis] = value.get<i64>();
  return place;
}

void checkParse(const json& c) {
  const auto parsed = axe::parse(c.at("text").get<std::string>());
  if (refused(c)) {
    REQUIRE_FALSE(parsed.ok());
    CHECK_FALSE(parsed.error().span.empty());
    return;
  }
  if (!parsed) FAIL(parsed.error().message);
  CHECK(print(*parsed) == c.at("expect").get<std::string>());
}

void checkForward(const json& c) {
  const axe::Layout layout = layoutOf(c);
  const auto got = forward(layout, c.at("shape").get<Shape>(), c.at("coord").get<Shape>());
  if (refused(c)) {
    CHECK_FALSE(got.ok());
    return;
  }
  REQUIRE(got.ok());
  std::vector<axe::Place> want;
  for (const json& place : c.at("expect")) want.push_back(placeOf(place));
  std::sort(want.begin(), want.end());
  CHECK(*got == want);
}

void checkForwardSet(const json& c) {
  const auto got = forward(layoutOf(c), c.at("shape").get<Shape>(), c.at("coord").get<Shape>());
  REQUIRE(got.ok());
  Shape values;
  for (const axe::Place& place : *got) values.push_back(place.begin()->second);
  CHECK(values == c.at("expect_set").get<Shape>());
}

void checkBackward(const json& c) {
  const auto got = backward(layoutOf(c), c.at("shape").get<Shape>(), placeOf(c.at("physical")));
  REQUIRE(got.ok());
  CHECK(*got == c.at("expect").get<std::vector<Shape>>());
}

void checkGroup(const json& c) {
  const auto got = group(layoutOf(c), c.at("shape").get<Shape>(), c.value("canonicalize_first", true));
  if (refused(c)) {
    CHECK_FALSE(got.ok());
    return;
  }
  if (!got) FAIL(got.error().message);
  CHECK(print(got->layout) == c.at("expect").get<std::string>());
  CHECK(got->separators == c.at("expect_seps").get<std::vector<std::size_t>>());
}

// TVM gives a unit dimension an iter of extent 1; ours is an empty block (paper), so positions after one shift down.
void checkGroupMany(const json& c) {
  const auto got = groupMany(layoutOf(c), c.at("shapes").get<std::vector<Shape>>());
  if (refused(c)) {
    CHECK_FALSE(got.ok());
    return;
  }
  if (!got) FAIL(got.error().message);
  const axe::Layout want = layoutOf(c, "expect");
  std::vector<axe::Iter> iters;
  std::vector<std::size_t> position = {0};  // of each of TVM's iters among ours
  for (const axe::Iter& it : want.shard()) {
    if (it.extent > 1) iters.push_back(it);
    position.push_back(iters.size());
  }
  CHECK(got->layout.shard() == iters);
  const auto seps = c.at("expect_seps").get<std::vector<std::vector<std::size_t>>>();
  REQUIRE(got->separators.size() == seps.size());
  for (std::size_t s = 0; s < seps.size(); ++s) {
    std::vector<std::size_t> moved;
    for (const std::size_t k : seps[s]) moved.push_back(position[k]);
    CHECK(got->separators[s] == moved);
  }
}

void checkSizeSpan(const json& c) {
  const axe::Layout layout = layoutOf(c);
  const std::string axis = c.at("axis").get<std::string>();
  CHECK(sizeOn(layout, axis) == c.at("expect_size").get<i64>());
  CHECK(span(layout, axis) == c.at("expect_span").get<i64>());
}

void checkScope(const json& c) {
  const auto got = scopeOf(layoutOf(c));
  if (c.contains("expect_error")) {
    CHECK_FALSE(got.ok());
    return;
  }
  REQUIRE(got.ok());
  if (c.at("expect").is_null()) {
    CHECK_FALSE(got->has_value());
    return;
  }
  REQUIRE(got->has_value());
  CHECK((*got)->first == c.at("expect")[0].get<std::string>());
  CHECK((*got)->second == c.at("expect")[1].get<std::string>());
}

Result<axe::Swizzle> swizzleOf(const json& c) {
  return axe::Swizzle::create(c.at("per_element").get<i64>(), c.at("swizzle_len").get<i64>(),
                              c.at("atom_len").get<i64>(), c.value("swizzle_inner", true));
}

void checkSwizzle(const json& c) {
  const auto swizzle = swizzleOf(c);
  if (refused(c)) {
    CHECK_FALSE(swizzle.ok());
    return;
  }
  REQUIRE(swizzle.ok());
  CHECK(swizzle->apply(c.at("m").get<i64>()) == c.at("expect").get<i64>());
}

void checkSwizzleBank(const json& c) {
  const auto swizzle = swizzleOf(c);
  REQUIRE(swizzle.ok());
  const auto composed = axe::Composed::create(*swizzle, layoutOf(c));
  REQUIRE(composed.ok());
  const auto address = addressOf(*composed, c.at("shape").get<Shape>(), c.at("coord").get<Shape>());
  REQUIRE(address.ok());
  CHECK(*address == c.at("expect_addr").get<i64>());
  CHECK(*address * c.at("dtype_bytes").get<i64>() / 4 % 32 == c.at("expect_bank").get<i64>());
}

void checkSharding(const json& c) {
  axe::Mesh mesh;
  mesh.shape = c.at("mesh").get<Shape>();
  mesh.strides = !c.contains("mesh_strides") || c.at("mesh_strides").is_null() ? axe::rowMajorStrides(mesh.shape)
                                                                               : c.at("mesh_strides").get<Shape>();
  std::vector<axe::Placement> placements;
  for (const json& p : c.at("placements")) {
    auto placement = axe::parsePlacement(p.get<std::string>());
    REQUIRE(placement.ok());
    placements.push_back(*placement);
  }
  const axe::ShardPitch pitch =
      c.value("local", "compact") == "compact" ? axe::ShardPitch::Compact : axe::ShardPitch::Global;
  const auto got = shard(c.at("shape").get<Shape>(), mesh, placements, pitch);
  if (refused(c)) {
    REQUIRE_FALSE(got.ok());
    return;
  }
  REQUIRE(got.ok());
  CHECK(print(got->withoutShape()) == c.at("expect").get<std::string>());
  // and back again
  const auto found = placementsOf(*got, c.at("shape").get<Shape>(), mesh);
  REQUIRE(found.ok());
  CHECK(found->pitch == pitch);
}

const std::map<std::string, std::function<void(const json&)>>& checkers() {
  const auto s = [](const json& c, const char* key) { return c.at(key).get<Shape>(); };
  static const std::map<std::string, std::function<void(const json&)>> kCheckers = {
      {"parse", checkParse},
      {"forward", checkForward},
      {"forward_set", checkForwardSet},
      {"backward", checkBackward},
      {"injective",
       [](const json& c) {
         const auto got = findCollision(layoutOf(c));
         REQUIRE(got.ok());
         CHECK(!got->has_value() == c.at("expect").get<bool>());
       }},
      {"canonicalize",
       [](const json& c) {
         checkLayout(c, canonicalize(layoutOf(c)));
         if (c.contains("expect_equal_to"))
           CHECK(*axe::equal(canonicalize(layoutOf(c)), layoutOf(c, "expect_equal_to")));
       }},
      {"canonicalize_cuda", [](const json& c) { checkLayout(c, fuseThreads(layoutOf(c))); }},
      {"gap_condition", [](const json& c) { CHECK(gapCondition(layoutOf(c)) == c.at("expect").get<bool>()); }},
      {"get_scope", checkScope},
      {"group", checkGroup},
      {"group_many", checkGroupMany},
      {"tile",
       [s](const json& c) {
         checkLayout(c, tile(layoutOf(c, "outer"), s(c, "outer_shape"), layoutOf(c, "inner"), s(c, "inner_shape")));
       }},
      {"is_tile_inner",
       [s](const json& c) {
         checkLayout(c,
                     tileOuterOf(layoutOf(c, "tiled"), s(c, "tiled_shape"), layoutOf(c, "inner"), s(c, "inner_shape")));
       }},
      {"is_tile_outer",
       [s](const json& c) {
         checkLayout(c,
                     tileInnerOf(layoutOf(c, "tiled"), s(c, "tiled_shape"), layoutOf(c, "outer"), s(c, "outer_shape")));
       }},
      {"direct_sum",
       [s](const json& c) {
         checkLayout(c, directSum(layoutOf(c, "left"), s(c, "left_shape"), layoutOf(c, "right"), s(c, "right_shape")));
       }},
      {"slice",
       [s](const json& c) {
         axe::Region region;
         for (const json& r : c.at("region")) region.push_back({r[0].get<i64>(), r[1].get<i64>()});
         checkLayout(c, slice(layoutOf(c), s(c, "shape"), region));
       }},
      {"size_span", checkSizeSpan},
      {"equal",
       [](const json& c) {
         const auto got = axe::equal(layoutOf(c, "a"), layoutOf(c, "b"));
         REQUIRE(got.ok());
         CHECK(*got == c.at("expect").get<bool>());
       }},
      {"sharding", checkSharding},
      {"trainium",
       [s](const json& c) { checkLayout(c, axe::trainium(c.at("annotation").get<std::string>(), s(c, "shape"))); }},
      {"to_psum", [](const json& c) { checkLayout(c, toPsum(layoutOf(c))); }},
      {"swizzle", checkSwizzle},
      {"swizzle_bank", checkSwizzleBank},
      {"unpack", [](const json& c) { checkLayout(c, unpack(layoutOf(c), c.at("num").get<i64>())); }},
      {"pack", [](const json& c) { checkLayout(c, pack(layoutOf(c), c.at("num").get<i64>())); }},
      {"storage", [](const json& c) { checkLayout(c, storage(layoutOf(c))); }},
  };
  return kCheckers;
}

}  // namespace

TEST_CASE("the published cases of Axe") {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/axe.jsonl");
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const json c = json::parse(line);
    INFO(line);
    const auto checker = checkers().find(c.at("op").get<std::string>());
    REQUIRE(checker != checkers().end());
    checker->second(c);
  }
  CHECK(count >= 130);
}
