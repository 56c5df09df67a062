// Every case of tests/cases/triton.jsonl: lowerings, operations, attribute text, dumps.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <map>

#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/notation.h"
#include "tests/triton/linear_json.h"

using namespace tessera;
using nlohmann::json;

namespace {

using Names = std::vector<std::string>;
using Shape = std::vector<i64>;

triton::Encoding encodingOf(const std::string& text) {
  auto parsed = triton::parseEncoding(text);
  INFO(text);
  if (!parsed) FAIL(parsed.error().message);
  return *parsed;
}

void checkLinear(const Result<linear::Layout>& got, const json& want) {
  if (want.is_object() && want.contains("error")) {
    CHECK_FALSE(got.ok());
    return;
  }
  if (!got) FAIL(got.error().message);
  INFO("got  " << print(*got));
  INFO("want " << print(linearOf(want)));
  CHECK((*got == linearOf(want)));
}

void checkLowering(const json& c) {
  const std::string text = c.at("inputs").at("encoding_text").get<std::string>();
  const triton::Encoding encoding = encodingOf(text);
  CHECK(print(encoding) == text);
  checkLinear(toLinear(encoding, c.at("inputs").at("shape").get<Shape>()), c.at("expected"));
}

void checkAttribute(const json& c) {
  const std::string text = c.at("inputs").at("text").get<std::string>();
  const Shape shape = c.at("inputs").at("shape").get<Shape>();
  const triton::Encoding encoding = encodingOf(text);
  CHECK(mnemonic(encoding) == c.at("expected").at("mnemonic").get<std::string>());
  CHECK(encodingOf(print(encoding)) == encoding);
  checkLinear(toLinear(encoding, shape), c.at("expected").at("linear_layout"));
  // The fields, as one JSON object a level, are what print writes: `key = value`.
  for (const auto& [key, value] : c.at("expected").at("fields").items()) {
    if (key == "parent" || value.is_object()) continue;
    std::string want = value.dump();
    std::string spaced;
    for (const char ch : want) spaced += ch == ',' ? ", " : std::string(1, ch);
    INFO(key);
    if (key != "block" || !value.empty()) CHECK(print(encoding).find(key + " = " + spaced) != std::string::npos);
  }
}

void checkPrint(const json& c) {
  CHECK(print(encodingOf(c.at("inputs").at("text").get<std::string>())) == c.at("expected").get<std::string>());
}

void checkRefused(const json& c) {
  const auto parsed = triton::parse(c.at("inputs").at("text").get<std::string>());
  REQUIRE_FALSE(parsed.ok());
  CHECK_FALSE(parsed.error().message.empty());
  CHECK_FALSE(parsed.error().span.empty());
}

void checkPadded(const json& c) {
  std::vector<std::pair<i64, i64>> intervals;
  for (const json& p : c.at("inputs").at("interval_pads")) intervals.push_back({p[0].get<i64>(), p[1].get<i64>()});
  Shape got;
  for (const json& i : c.at("inputs").at("indices")) got.push_back(triton::paddedOffset(intervals, i.get<i64>()));
  CHECK(got == c.at("expected").at("padded_indices").get<Shape>());
  CHECK(triton::paddedSize(intervals, c.at("inputs").at("num_elements").get<i64>()) ==
        c.at("expected").at("padded_size").get<i64>());
}

void checkSwizzleTable(const json& c) {
  const json& in = c.at("inputs");
  triton::SwizzledShared e;
  e.vec = in.at("vec").get<i64>();
  e.perPhase = in.at("perPhase").get<i64>();
  e.maxPhase = in.at("maxPhase").get<i64>();
  e.order = in.at("order").get<Shape>();
  const auto layout = toLinear(triton::Encoding{e}, in.at("shape").get<Shape>());
  REQUIRE(layout.ok());
  i64 offset = 0;
  for (const json& row : c.at("expected").at("memory_rows_as_coords"))
    for (const json& cell : row) CHECK(layout->at({offset++, 0}) == cell.get<Shape>());
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found(1);
  for (const char ch : text)
    if (ch == '\n')
      found.emplace_back();
    else
      found.back() += ch;
  return found;
}

void checkDump(const json& c) {
  const json& in = c.at("inputs");
  const auto got =
      triton::dumpLayout(*toLinear(encodingOf(in.at("text").get<std::string>()), in.at("shape").get<Shape>()),
                         in.at("hw_view").get<bool>());
  if (!got) FAIL(got.error().message);
  const std::string kind = c.at("kind").get<std::string>();
  if (kind == "dump_layout") {
    CHECK(*got == c.at("expected").get<std::string>());
    return;
  }
  const std::vector<std::string> have = lines(*got);
  for (const json& line : c.at("expected")) {
    INFO(line.get<std::string>());
    CHECK(std::find(have.begin(), have.end(), line.get<std::string>()) != have.end());
  }
}

Result<linear::Layout> reshape(const linear::Layout& l, const json& in, bool ins) {
  return ins ? reshapeIns(l, outsOf(in.at("dims"))) : reshapeOuts(l, outsOf(in.at("dims")));
}

void checkNullable(const std::optional<linear::Layout>& got, const json& want) {
  REQUIRE(got.has_value() == !want.is_null());
  if (got) checkLinear(*got, want);
}

const std::map<std::string, std::function<void(const json&, const json&)>>& operations() {
  const auto names = [](const json& in, const char* key) { return in.at(key).get<Names>(); };
  static const std::map<std::string, std::function<void(const json&, const json&)>> kOperations = {
      {"multiply", [](const json& in,
                      const json& want) { checkLinear(multiply(linearOf(in.at("A")), linearOf(in.at("B"))), want); }},
      {"transposeOuts",
       [names](const json& in, const json& want) {
         checkLinear(transposeOuts(linearOf(in.at("L")), names(in, "names")), want);
       }},
      {"transposeIns",
       [names](const json& in, const json& want) {
         checkLinear(transposeIns(linearOf(in.at("L")), names(in, "names")), want);
       }},
      {"isSurjective",
       [](const json& in, const json& want) { CHECK(linearOf(in.at("L")).isSurjective() == want.get<bool>()); }},
      {"compose",
       [](const json& in, const json& want) {
         checkLinear(compose(linearOf(in.at("inner")), linearOf(in.at("outer"))), want);
       }},
      {"reshapeIns",
       [](const json& in, const json& want) { checkLinear(reshape(linearOf(in.at("L")), in, true), want); }},
      {"reshapeOuts",
       [](const json& in, const json& want) { checkLinear(reshape(linearOf(in.at("L")), in, false), want); }},
      {"flattenIns",
       [](const json& in, const json& want) {
         const linear::Layout l = linearOf(in.at("L"));
         if (l.ins().empty()) return checkLinear(l, want);
         checkLinear(reshapeIns(l, {{l.ins()[0].name, i64{1} << l.inBits()}}), want);
       }},
      {"flattenOuts",
       [](const json& in, const json& want) {
         const linear::Layout l = linearOf(in.at("L"));
         if (l.outs().empty()) return checkLinear(l, want);
         checkLinear(reshapeOuts(l, {{l.outs()[0].name, i64{1} << l.outBits()}}), want);
       }},
      {"invert", [](const json& in, const json& want) { checkLinear(invert(linearOf(in.at("L"))), want); }},
      {"invertAndCompose",
       [](const json& in, const json& want) {
         checkLinear(invertAndCompose(linearOf(in.at("B")), linearOf(in.at("A"))), want);
       }},
      {"pseudoinvert", [](const json& in, const json& want) { checkLinear(pseudoinvert(linearOf(in.at("L"))), want); }},
      {"apply",
       [](const json& in, const json& want) {
         linear::NamedValues values;
         for (const json& v : in.at("ins")) values.push_back({v[0].get<std::string>(), v[1].get<i64>()});
         const auto got = linearOf(in.at("L")).apply(values);
         REQUIRE(got.ok());
         linear::NamedValues expected;
         for (const json& v : want) expected.push_back({v[0].get<std::string>(), v[1].get<i64>()});
         CHECK(*got == expected);
       }},
      {"numConsecutiveInOut",
       [](const json& in, const json& want) { CHECK(numConsecutiveInOut(linearOf(in.at("L"))) == want.get<i64>()); }},
      {"sublayout",
       [names](const json& in, const json& want) {
         checkLinear(sublayout(linearOf(in.at("L")), names(in, "ins"), names(in, "outs")), want);
       }},
      {"sublayoutIsZero",
       [names](const json& in, const json& want) {
         const linear::Layout part = *sublayout(linearOf(in.at("L")), names(in, "ins"), names(in, "outs"));
         CHECK(std::all_of(part.ins().begin(), part.ins().end(), [](const linear::In& i) {
                 return std::all_of(i.bases.begin(), i.bases.end(), linear::isZero);
               }) == want.get<bool>());
       }},
      {"freeVariableMasks",
       [](const json& in, const json& want) {
         linear::NamedValues expected;
         for (const json& v : want) expected.push_back({v[0].get<std::string>(), v[1].get<i64>()});
         CHECK(freeVariableMasks(linearOf(in.at("L"))) == expected);
       }},
      {"quotient",
       [names](const json& in, const json& want) {
         checkNullable(quotient(linearOf(in.at("L")), names(in, "dims")), want);
       }},
      {"divideLeft",
       [](const json& in, const json& want) {
         checkNullable(divideLeft(linearOf(in.at("A")), linearOf(in.at("B"))), want);
       }},
      {"divideRight",
       [](const json& in, const json& want) {
         checkNullable(divideRight(linearOf(in.at("A")), linearOf(in.at("B"))), want);
       }},
      {"construct",
       [](const json& in, const json&) {
         CHECK_FALSE(linear::Layout::create(insOf(in.at("bases")), outsOf(in.at("out")),
                                            in.at("require_surjective").get<bool>())
                         .ok());
       }},
  };
  return kOperations;
}

void checkOperation(const json& c) {
  const auto op = operations().find(c.at("inputs").at("op").get<std::string>());
  REQUIRE(op != operations().end());
  op->second(c.at("inputs"), c.at("expected"));
}

}  // namespace

TEST_CASE("the published cases of Triton") {
  const std::map<std::string, std::function<void(const json&)>> checkers = {
      {"linear_layout", checkLowering},
      {"linear_layout_op", checkOperation},
      {"linear_layout_error", checkOperation},
      {"mlir_attr", checkAttribute},
      {"mlir_attr_print", checkPrint},
      {"mlir_attr_error", checkRefused},
      {"padded_shared", checkPadded},
      {"swizzled_shared_table", checkSwizzleTable},
      {"dump_layout", checkDump},
      {"dump_layout_lines", checkDump},
      {"dump_layout_rows", checkDump},
  };
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/triton.jsonl");
  std::map<std::string, int> counts;
  for (std::string line; std::getline(in, line);) {
    const json c = json::parse(line);
    const std::string kind = c.at("kind").get<std::string>();
    DYNAMIC_SECTION(c.at("id").get<std::string>()) {
      INFO(line.substr(0, 600));
      REQUIRE(checkers.count(kind) == 1);
      checkers.at(kind)(c);
    }
    ++counts[kind];
  }
  CHECK(counts["linear_layout"] >= 178);
  CHECK(counts["linear_layout_op"] >= 121);
}
