// Every row of xla.jsonl whose kind is about shapes and layouts.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/notation/xla/address.h"
#include "core/notation/xla/edit.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

using Ints = std::vector<i64>;

std::vector<Json> rows(const std::string& kind) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/xla.jsonl");
  REQUIRE(in.good());
  std::vector<Json> out;
  for (std::string line; std::getline(in, line);) {
    Json row = Json::parse(line);
    if (row.at("kind") == kind) out.push_back(std::move(row));
  }
  REQUIRE_FALSE(out.empty());
  return out;
}
xla::Shape shapeOf(const Json& text) {
  auto shape = xla::parseShape(text.get<std::string>());
  INFO(text.dump());
  REQUIRE(shape.ok());
  return *shape;
}
Ints ints(const Json& list) { return list.get<Ints>(); }

}  // namespace

TEST_CASE("shape: addresses, slots, bytes, and XLA's own numbers") {
  for (const Json& row : rows("shape")) {
    INFO(row.at("id") << " " << row.at("text"));
    const xla::Shape shape = shapeOf(row.at("text"));
    const xla::Addressing addressing = *xla::Addressing::create(shape);
    const xla::Sizes sizes = *xla::sizesOf(shape);
    CHECK(sizes.elements == row.at("elements"));
    CHECK(sizes.slots == row.at("physical_elements"));
    if (row.contains("padded_elements")) CHECK(addressing.tiledSlots() == row.at("padded_elements"));
    if (row.contains("physical_bytes")) CHECK(sizes.bytes == row.at("physical_bytes"));
    if (row.contains("expanded_dims")) CHECK(addressing.expansion().dims == ints(row.at("expanded_dims")));
    if (row.contains("xla_array_size_bytes") && !row.at("xla_array_size_bytes").is_null())
      CHECK(sizes.arraySize == row.at("xla_array_size_bytes").get<i64>());
    std::size_t k = 0;
    for (const Json& point : row.value("points", Json::array())) {
      const Ints index = ints(point.at("index"));
      CHECK(addressing.linear(index) == point.at("linear"));
      CHECK(addressing.at(point.at("linear")).index == index);
      if (row.contains("top_tile_only_linear")) {
        CHECK(xla::topTileLinear(shape, index) == row.at("top_tile_only_linear").at(k).get<i64>());
      } else if (const auto top = xla::topTileLinear(shape, index)) {
        CHECK(*top == point.at("linear"));  // no row of its own: the helpers agree
      }
      ++k;
    }
  }
}

TEST_CASE("delinearize") {
  for (const Json& row : rows("delinearize")) {
    const xla::Addressing addressing = *xla::Addressing::create(shapeOf(row.at("text")));
    for (const Json& point : row.at("points")) {
      INFO(row.at("id") << " " << point.dump());
      const auto found = addressing.at(point.at("linear"));
      CHECK(found.padding == point.at("index").is_null());
      if (!point.at("index").is_null()) CHECK(found.index == ints(point.at("index")));
    }
  }
}

TEST_CASE("shape_parse and shape_validate") {
  for (const Json& row : rows("shape_parse")) {
    const auto shape = xla::parseShape(row.at("text").get<std::string>());
    INFO(row.dump());
    REQUIRE(shape.ok() == row.at("accept").get<bool>());
    if (!shape) continue;
    CHECK(print(*shape) == row.at("canonical"));
    CHECK(*xla::parseShape(print(*shape)) == *shape);
  }
  for (const Json& row : rows("shape_validate")) {
    INFO(row.dump());
    CHECK(xla::parseShape(row.at("text").get<std::string>()).ok() == row.at("valid").get<bool>());
  }
}

TEST_CASE("splits, strides, order") {
  for (const Json& row : rows("max_split_size"))
    CHECK(xla::maxSplitSize(shapeOf(row.at("text")), row.at("dim").get<std::size_t>()) == row.at("expected"));
  for (const Json& row : rows("max_elements_per_split")) {
    const xla::Shape shape = shapeOf(row.at("text"));
    i64 most = 1;
    for (std::size_t k = 0; k < shape.rank(); ++k) most *= xla::maxSplitSize(shape, k);
    CHECK(most == row.at("expected"));
  }
  for (const Json& row : rows("unpacked_byte_strides"))
    CHECK(*xla::unpackedByteStrides(shapeOf(row.at("text"))) == ints(row.at("expected")));
  for (const Json& row : rows("reorder_logical_dims"))
    CHECK(print(*reorderDimensions(shapeOf(row.at("text")), ints(row.at("permutation")))) == row.at("expected"));
  for (const Json& row : rows("is_untiled_layout")) {
    xla::Layout layout;
    layout.tiles = row.at("tiles").get<std::vector<Ints>>();
    CHECK(xla::isUntiled(*xla::Shape::array("f32", ints(row.at("dims")), layout)) == row.at("expected"));
  }
  for (const Json& row : rows("byte_strides_is_major_to_minor")) {
    const xla::Shape shape = *xla::Shape::array(row.at("dtype").get<std::string>(), ints(row.at("dims")));
    CHECK((*xla::unpackedByteStrides(shape) == ints(row.at("byte_strides"))) == row.at("expected"));
  }
}

TEST_CASE("bitcast_decomposition") {
  for (const Json& row : rows("bitcast_decomposition")) {
    INFO(row.dump());
    const xla::Shape in = shapeOf(row.at("input")), out = shapeOf(row.at("output"));
    const Json& expected = row.at("expected");
    if (expected.contains("reshape_is_bitcast")) {
      CHECK(*reshapeIsBitcast(in, out) == expected.at("reshape_is_bitcast"));
      continue;
    }
    const xla::Bitcast how = *decomposeBitcast(in, out);
    if (expected.at("decomposition").is_null()) {
      CHECK(how.kind == xla::Bitcast::Kind::None);
    } else if (expected.at("decomposition") == "reshape") {
      CHECK(how.kind == xla::Bitcast::Kind::Reshape);
    } else if (expected.at("decomposition") == "transpose") {
      REQUIRE(how.kind == xla::Bitcast::Kind::Transpose);
      CHECK(how.transpose1 == ints(expected.at("transpose_dims")));
    } else {
      REQUIRE(how.kind == xla::Bitcast::Kind::TransposeReshapeTranspose);
      CHECK(how.transpose1 == ints(expected.at("transpose1_dims")));
      CHECK(how.transpose2 == ints(expected.at("transpose2_dims")));
      CHECK(print(*how.shape1) == expected.at("transpose1_shape"));
      CHECK(print(*how.reshape) == expected.at("reshape_shape"));
    }
  }
}

TEST_CASE("layout_map: the map by its text, on every point") {
  for (const Json& row : rows("layout_map")) {
    INFO(row.dump());
    const Map map = *toMap(shapeOf(row.at("text")));
    // The rows have the formula that the lowering writes, but for brackets that precedence makes needless.
    const auto bare = [](std::string text) {
      text = text.substr(text.find("->"));
      text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '(' || c == ')'; }), text.end());
      return text;
    };
    const std::string expected = bare(row.at("expected_map").get<std::string>());
    CHECK_THAT(bare(print(map)), Catch::Matchers::StartsWith("-> m: " + expected.substr(3) + ", domain: "));
  }
}

TEST_CASE("bandwidth_utilization") {
  for (const Json& row : rows("bandwidth_utilization")) {
    INFO(row.dump());
    const auto rate = xla::bandwidthUtilization(shapeOf(row.at("text")), ints(row.at("tile_sizes")),
                                                ints(row.at("tile_strides")), row.at("transaction_bytes"));
    REQUIRE(rate.ok());
    CHECK(*rate == Approx(row.at("expected").get<double>()));
  }
}
