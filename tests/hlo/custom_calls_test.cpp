// Custom calls: by an interpreter where it knows them, attention by its formula as loops, and the table of the user.
#include "core/hlo/ops/custom_calls.h"

#include <catch2/catch.hpp>

#include "hlo/beside_results.h"
#include "hlo/support_cases.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Soundness;

namespace {

using Related = std::set<std::pair<Element, Element>>;

hlo::Module calling(const std::string& body) {
  hlo::Module m = hlo::readModule(entryOf(body));
  for (const hlo::Problem& p : m.problems) FAIL(hlo::textOf(p));
  return m;
}

hlo::Where lastOf(const hlo::Module& m) { return {m.entry, m.computations.at(static_cast<std::size_t>(m.entry)).root}; }

Related related(const hlo::Reach& reach, const std::vector<i64>& sizes) {
  Related all;
  eachCoordinate(sizes, [&](const Element& at) {
    for (const Element& e : elementsAt(reach.maps, at)) all.insert({at, e});
  });
  return all;
}

// Reads and uses of every operand and output are each other's converse, and inside the arrays.
void bothDirections(const hlo::Module& m, bool known = true) {
  const hlo::Where root = lastOf(m);
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
  const hlo::Instruction& i = c.at(root.instruction);
  for (std::size_t o = 0; o < m.outputsOf(i); ++o) {
    const auto reads = hlo::readsOf(m, root, static_cast<int>(o));
    if (!reads) FAIL(reads.error().message);
    REQUIRE(reads->size() == i.operands.size());
    const xla::Shape& out = m.shapeOf(i).leaf(o);
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const auto uses = hlo::usesOf(m, root, static_cast<int>(k));
      if (!uses) FAIL(uses.error().message);
      const hlo::Reach &read = reads->at(k), &use = uses->at(o);
      INFO("output " << o << ", operand " << k << "\n" << mapsOf(read) << mapsOf(use));
      CHECK(read.soundness == use.soundness);
      CHECK((read.soundness == Soundness::Exact) == read.why.empty());
      if (known) CHECK(read.soundness != Soundness::Unknown);
      const std::vector<i64> in = m.shapeOf(c.at(i.operands[k])).sizes();
      const Related there = related(read, out.sizes());
      Related turned;
      for (const auto& [a, b] : related(use, in)) turned.insert({b, a});
      CHECK(there == turned);
      for (const auto& [at, e] : there)
        for (std::size_t d = 0; d < e.size(); ++d) REQUIRE((e[d] >= 0 && e[d] < in[d]));
    }
  }
}

std::string parameters(const std::vector<std::string>& shapes) {
  std::string out;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    out += "p" + std::to_string(k) + " = " + shapes[k] + " parameter(" + std::to_string(k) + ")\n ";
  return out;
}
std::string operandList(std::size_t count) {
  std::string out;
  for (std::size_t k = 0; k < count; ++k) out += (k == 0 ? "p" : ", p") + std::to_string(k);
  return out;
}

}  // namespace

TEST_CASE("custom calls read what an interpreter finds") {
  Compared compared;
  const std::string identity = "p0 = f32[3,4] parameter(0)\n ROOT r = f32[3,4] custom-call(p0), custom_call_target=";
  const std::vector<std::string> bodies = {
      identity + "\"Sharding\"",
      identity + "\"MoveToHost\"",
      identity + "\"SPMDFullToShardShape\"",
      identity + "\"xla.sdy.LocalToGlobalShape\"",
      "p0 = f32[3,5] parameter(0)\n ROOT r = (f32[3,2], s32[3,2]) custom-call(p0), custom_call_target=\"TopK\"",
      "p0 = u32[3] parameter(0)\n p1 = u32[3] parameter(1)\n p2 = u32[3] parameter(2)\n p3 = u32[3] parameter(3)\n "
      "ROOT "
      "r = (u32[3], u32[3]) custom-call(p0, p1, p2, p3), custom_call_target=\"cu_threefry2x32_ffi\"",
      "p0 = f32[3,4] parameter(0)\n p1 = f32[4,2] parameter(1)\n c = (f32[3,2], s8[16]) custom-call(p0, p1), "
      "custom_call_target=\"__cublas$gemm\", lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
      "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]}}}\n ROOT r = "
      "f32[3,2] get-tuple-element(c), index=0",
      "p0 = f32[2,4,3] parameter(0)\n p1 = f32[2,4,5] parameter(1)\n p2 = f32[2,3,5] parameter(2)\n p3 = f32[5] "
      "parameter(3)\n c = (f32[2,3,5], s8[16]) custom-call(p0, p1, p2, p3), custom_call_target=\"__cublas$gemm\", "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "backend_config=\"{\\\"dot_dimension_numbers\\\":{\\\"lhs_contracting_dimensions\\\":[\\\"1\\\"],"
      "\\\"rhs_contracting_dimensions\\\":[\\\"1\\\"],\\\"lhs_batch_dimensions\\\":[\\\"0\\\"],"
      "\\\"rhs_batch_dimensions\\\":[\\\"0\\\"]}}\"\n ROOT r = f32[2,3,5] get-tuple-element(c), index=0",
  };
  for (const std::string& body : bodies) {
    besideResults(entryOf(body), 3, compared);
    if (body.find("get-tuple") == std::string::npos) bothDirections(calling(body));
  }
  CHECK(compared.wider == 0);
  CHECK(compared.exact > 25);
}

TEST_CASE("a shard is somewhere in the whole") {
  const hlo::Module shard = calling(
      "p0 = f32[3,7] parameter(0)\n ROOT r = f32[3,4] custom-call(p0), custom_call_target=\"SPMDFullToShardShape\"");
  bothDirections(shard);
  const auto reads = hlo::readsOf(shard, lastOf(shard));
  CHECK(reads->at(0).soundness == Soundness::Over);
  Related expected;
  eachCoordinate({3, 4}, [&](const Element& at) {
    for (const i64 first : {0, 4})
      if (at[1] + first < 7) expected.insert({at, {at[0], at[1] + first}});
  });
  CHECK(related(reads->at(0), {3, 4}) == expected);
  bothDirections(calling(
      "p0 = f32[3,4] parameter(0)\n p1 = f32[2] parameter(1)\n ROOT r = (f32[3,8], f32[2]) custom-call(p0, p1), "
      "custom_call_target=\"xla.sdy.LocalToGlobalShape\""));
}

// o = softmax(mask(q k^T)) v with 2 query heads for a key head, by loops.
TEST_CASE("attention reads by its formula") {
  const std::vector<i64> q = {2, 4, 4, 3}, k = {2, 4, 2, 3};
  const std::vector<std::string> in = {"f32[2,4,4,3]", "f32[2,4,2,3]", "f32[2,4,2,3]", "f32[0]",
                                       "u32[2]",       "s32[3]",       "f32[0]"};
  const std::vector<std::string> back = {"f32[2,4,4,3]", "f32[2,4,2,3]", "f32[2,4,2,3]", "f32[0]", "f32[2,4,4,1]",
                                         "u32[2,4]",     "f32[2,4,4,3]", "f32[2,4,4,3]", "s32[3]"};
  for (const int mask : {0, 1, 2, 3})
    for (const int window : {-1, 1}) {
      const std::string config =
          "backend_config={dropout_probability = 0.000000e+00 : f64, mask_type = " + std::to_string(mask) +
          " : i64, qkv_layout = 9 : i64, window_size_left = " + std::to_string(window) + " : i64}";
      const auto sees = [&](i64 i, i64 j) { return (mask < 2 || j <= i) && (window < 0 || i - window <= j); };
      const hlo::Module m =
          calling(parameters(in) + "ROOT r = (f32[2,4,4,3], f32[2,4,4,1], u32[2,4], u8[48]) custom-call(" +
                  operandList(in.size()) + "), custom_call_target=\"te_fused_attn_forward_ffi\", " + config);
      bothDirections(m);
      const auto out = hlo::readsOf(m, lastOf(m), 0), statistics = hlo::readsOf(m, lastOf(m), 1);
      REQUIRE((out.ok() && statistics.ok()));
      CHECK((out->at(1).soundness == Soundness::Exact) == (mask == 0 || mask == 2));
      Related keys, values, queries, ofQuery, ofKey, ofValue;
      eachCoordinate(q, [&](const Element& at) {
        for (i64 d = 0; d < 3; ++d) queries.insert({at, {at[0], at[1], at[2], d}});
        for (i64 j = 0; j < 4; ++j) {
          if (!sees(at[1], j)) continue;
          values.insert({at, {at[0], j, at[2] / 2, at[3]}});
          for (i64 d = 0; d < 3; ++d) keys.insert({at, {at[0], j, at[2] / 2, d}});
        }
      });
      CHECK(related(out->at(0), q) == queries);
      CHECK(related(out->at(1), q) == keys);
      CHECK(related(out->at(2), q) == values);
      CHECK(out->at(3).maps.empty());
      CHECK(statistics->at(2).maps.empty());
      CHECK(hlo::readsOf(m, lastOf(m), 3)->at(0).maps.empty());
      // Gradients: a query's through its keys, a key's through the queries that see it.
      const hlo::Module g = calling(
          parameters(back) + "ROOT r = (f32[2,4,4,3], f32[2,4,2,3], f32[2,4,2,3], f32[0], u8[48]) custom-call(" +
          operandList(back.size()) + "), custom_call_target=\"te_fused_attn_backward_ffi\", " + config);
      bothDirections(g);
      eachCoordinate(k, [&](const Element& at) {
        for (i64 i = 0; i < 4; ++i)
          for (i64 h = 0; sees(i, at[1]) && h < 2; ++h) {
            ofValue.insert({at, {at[0], i, at[2] * 2 + h, at[3]}});
            for (i64 d = 0; d < 3; ++d) ofKey.insert({at, {at[0], i, at[2] * 2 + h, d}});
          }
      });
      CHECK(related(hlo::readsOf(g, lastOf(g), 0)->at(1), q) == keys);
      CHECK(related(hlo::readsOf(g, lastOf(g), 0)->at(2), q) == keys);
      CHECK(related(hlo::readsOf(g, lastOf(g), 0)->at(7), q) == queries);
      CHECK(related(hlo::readsOf(g, lastOf(g), 1)->at(0), k) == ofKey);
      CHECK(related(hlo::readsOf(g, lastOf(g), 1)->at(7), k) == ofKey);
      CHECK(related(hlo::readsOf(g, lastOf(g), 2)->at(7), k) == ofValue);
      CHECK(hlo::readsOf(g, lastOf(g), 2)->at(6).maps.empty());
    }
}

TEST_CASE("a call whose configuration is missing reads everything, at most") {
  for (const std::string target : {"te_fused_attn_forward_ffi", "__cublas$gemm", "__cudnn$fmhaSoftmax", "__cudnn$norm",
                                   "lapack_sgeqrf_ffi", "Cholesky", "__cudnn$convBackwardInput"}) {
    INFO(target);
    const hlo::Module m =
        calling(parameters({"f32[2,3,3]", "f32[2,3,3]", "f32[2,3,3]", "f32[]"}) +
                "ROOT r = (f32[2,3,3], u8[4]) custom-call(p0, p1, p2, p3), custom_call_target=\"" + target + "\"");
    bothDirections(m);
    const auto reads = hlo::readsOf(m, lastOf(m), 0);
    for (const hlo::Reach& r : *reads) {
      CHECK(r.soundness == Soundness::Over);
      CHECK(r.maps.size() == 1);
    }
  }
}

TEST_CASE("a custom call that contradicts itself is named") {
  for (const std::string root :
       {"r = f32[3,5] custom-call(p0), custom_call_target=\"Sharding\"", "r = f32[3,4] custom-call(p0)",
        "r = (f32[3,4], f32[3,4]) custom-call(p0, p0, p0), custom_call_target=\"Sharding\"",
        "r = (f32[3,9], s32[3,2]) custom-call(p0), custom_call_target=\"TopK\"",
        "r = f32[3,2] custom-call(p0), custom_call_target=\"TopK\"",
        "r = f32[9,9] custom-call(p0), custom_call_target=\"SPMDFullToShardShape\"",
        "r = f32[3,9] custom-call(p0, p0), custom_call_target=\"__cublas$gemm\", "
        "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
        "\"rhs_contracting_dimensions\":[\"1\"]}}",
        "r = f32[3,3] custom-call(p0, p0), custom_call_target=\"__cublas$gemm\", "
        "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"x\"]}}"}) {
    INFO(root);
    const hlo::Module m = calling("p0 = f32[3,4] parameter(0)\n ROOT " + root);
    const auto reads = hlo::readsOf(m, lastOf(m));
    REQUIRE_FALSE(reads.ok());
    CHECK(reads.error().message.starts_with("r: "));
    CHECK_FALSE(reads.error().expected.empty());
    CHECK_FALSE(hlo::usesOf(m, lastOf(m), 0).ok());
  }
}

TEST_CASE("a table of the user gives rules to custom calls") {
  const auto table = hlo::CustomCalls::parse(
      "# what these calls read\nnorm 0 0 (d0, d1)[s0] -> (d0, s0)\nnorm 0 1 (d0, d1) -> (d1)  # a weight per column\n"
      "norm 0 2 nothing\nnorm 1 * all\nstencil 0 0 at most (i, j)[s] -> (i + s - 1, j), domain: s in [0, 2]\nmine* * * "
      "same\nmine.other 0 0 all\n");
  if (!table) FAIL(table.error().message);
  const auto with = [&](const std::string& body) { return hlo::withCustomCalls(calling(body), *table); };
  const hlo::Module norm = with(parameters({"f32[2,3]", "f32[3]", "f32[7]"}) +
                                "ROOT r = (f32[2,3], f32[2]) custom-call(p0, p1, p2), custom_call_target=\"norm\"");
  bothDirections(norm);
  const auto reads = hlo::readsOf(norm, lastOf(norm), 0);
  CHECK(mapsOf(reads->at(0)) == "\n(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 2]\n");
  CHECK(reads->at(0).soundness == Soundness::Exact);
  CHECK(reads->at(2).maps.empty());
  CHECK(related(hlo::readsOf(norm, lastOf(norm), 1)->at(2), {2}).size() == 14);
  // Points outside the array are not read.
  const hlo::Module stencil =
      with("p0 = f32[4,2] parameter(0)\n ROOT r = f32[4,2] custom-call(p0), custom_call_target=\"stencil\"");
  bothDirections(stencil);
  const hlo::Reach around = hlo::readsOf(stencil, lastOf(stencil))->at(0);
  CHECK(around.soundness == Soundness::Over);
  CHECK(around.why == "as line 6 of the table of custom calls says");
  CHECK(elementsAt(around.maps, {0, 1}) == Elements{{0, 1}, {1, 1}});
  CHECK(elementsAt(around.maps, {2, 0}) == Elements{{1, 0}, {2, 0}, {3, 0}});
  // The whole name before the beginning of one; a rule of the user before one of ours.
  const std::string copy = "p0 = f32[2,3] parameter(0)\n ROOT r = f32[2,3] custom-call(p0), custom_call_target=";
  const hlo::Module other = with(copy + "\"mine.other\""), some = with(copy + "\"mine.some\"");
  CHECK(related(hlo::readsOf(other, lastOf(other))->at(0), {2, 3}).size() == 36);
  CHECK(related(hlo::readsOf(some, lastOf(some))->at(0), {2, 3}).size() == 6);
  const auto sharded = hlo::CustomCalls::parse("Sharding 0 0 nothing\n");
  const hlo::Module ours = hlo::withCustomCalls(calling(copy + "\"Sharding\""), *sharded);
  CHECK(hlo::readsOf(ours, lastOf(ours))->at(0).maps.empty());
  // What does not fit, and what is not listed, is unknown and says what to do.
  const hlo::Module odd = with(parameters({"f32[2,3,4]", "f32[4]", "f32[4]", "f32[2]"}) +
                               "ROOT r = f32[2,3,4] custom-call(p0, p1, p2, p3), custom_call_target=\"norm\"");
  bothDirections(odd, false);
  const auto unfit = hlo::readsOf(odd, lastOf(odd), 0);
  CHECK(unfit->at(0).why ==
        "line 2 of the table of custom calls: it has 2 coordinates and 2 results, for [2,3,4] and [2,3,4]");
  CHECK(unfit->at(3).why == "the table of custom calls has no line `norm 0 3 READ`");
  const hlo::Module none = with(copy + "\"no.such\"");
  CHECK(hlo::readsOf(none, lastOf(none))->at(0).why ==
        "custom call no.such: add `no.such 0 0 READ` to a table (--custom-calls)");
}

TEST_CASE("a line of the table that says nothing is refused with what is expected") {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"norm 0", "a line has four parts"},
      {"norm 0 0", "there is no read"},
      {"norm x 0 same", "`x` is no number of an output"},
      {"norm 0 -1 same", "`-1` is no number of an operand"},
      {"norm 0 0 every", "`every` is no read"},
      {"norm 0 0 (d0 -> (d0)", "`(d0 -> (d0)` is no read"},
      {"norm 0 0 (d0) (d0)", "`(d0) (d0)` has no ->"},
      {"norm 0 0 (d0)[s0] -> (d0 + s0)", "the range of a variable of [s0] is not given by the sizes"},
      {"norm 0 0 (d0) -> (d1)", ""},
      {"norm 0 0 (d0) -> (d0 +)", ""},
  };
  for (const auto& [line, message] : wrong) {
    INFO(line);
    const auto table = hlo::CustomCalls::parse("ok 0 0 same\n" + line + "\n");
    REQUIRE_FALSE(table.ok());
    if (!message.empty()) CHECK(table.error().message == message);
    CHECK_FALSE(table.error().expected.empty());
    CHECK(table.error().span.begin == 12);
  }
  CHECK(hlo::CustomCalls::parse("# only this\n").error().message == "the table has no line");
}
