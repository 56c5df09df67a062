// A misspelt view suggests the view that was meant, or nothing.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "app/engine/engine.h"
#include "app/engine/kernel/kernel_value.h"
#include "core/worksheet/value.h"

using namespace tessera;

namespace {

// Values of every kind that a view shows.
const char* const kValues =
    R"(
Sw<3,3,3> o (64,64):(64,1)
((4,8),(2,2)):((32,1),(16,8))
(4,8,3):(24,3,1)
mma.m16n8k16.f16
make_tiled_mma(mma.m16n8k16.f16, (2,2,1))
f32[3,5]{1,0:T(2,2)}
S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128)
#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}> over (16, 16)
chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A)
(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]
simplify((d0) -> (d0 mod 4), domain: d0 in [0, 3])
%A:[4,8:1,4].fp32.GL
%d:[2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
ldmatrix.x4 over (64,64):(64,1), fp16
#W:[32:1].thread
hlo soft {
ENTRY main {
  p = f32[4,8] parameter(0)
  ROOT t = f32[8,4] transpose(p), dimensions={1,0}
}
}
soft
soft.%t
graphene rows {
%a:[32].fp32.GL %b:[32].fp32.GL #g:[1].block #t:[32].thread
%b <- Move<<<#g,#t>>>(%a) { @i = #t.indices()  %x = %a[@i] %y = %b[@i]  %y <- Move(%x) }
}
rows
K = kernel ")" TESSERA_SOURCE_DIR
    R"(/assets/kernels/copy.ptx" entry transpose_tile grid (2,2) block (32,32) args (f32[64,64], out=f32[64,64], 64)
K
)";

std::vector<Value> valuesOfEachKind() {
  addKernels();
  std::vector<Value> out;
  Scope scope;
  for (const Statement& s : splitStatements(kValues)) {
    const Outcome o = runStatement(s, scope, {});
    INFO(s.text);
    CHECK_FALSE(o.diag);
    if (o.value) out.push_back(*o.value);
  }
  return out;
}

// One letter swapped with the next, dropped, doubled or replaced.
std::set<std::string> misspellings(const std::string& word) {
  std::set<std::string> out;
  for (std::size_t k = 0; k < word.size(); ++k) {
    std::string changed = word;
    if (k + 1 < word.size()) {
      std::swap(changed[k], changed[k + 1]);
      out.insert(changed);
    }
    out.insert(std::string(word).erase(k, 1));
    out.insert(std::string(word).insert(k, 1, word[k]));
    for (char c = 'a'; c <= 'z'; ++c) {
      changed = word;
      changed[k] = c;
      out.insert(changed);
    }
  }
  out.erase(word);
  out.erase("");
  return out;
}

std::string suggested(const Value& value, const std::string& view) {
  const auto figure = draw(value, view, {});
  if (figure) return view;
  const std::string& hint = figure.error().hint;
  const std::string lead = "write \"as ";
  if (!hint.starts_with(lead)) {
    CHECK(hint.empty());
    return "";
  }
  return hint.substr(lead.size(), hint.size() - lead.size() - 1);
}

}  // namespace

TEST_CASE("a misspelt view suggests the one that was meant, or none") {
  std::set<std::string> all, tried;
  for (const ViewInfo& v : views()) all.insert(std::string(v.name));
  std::size_t right = 0, none = 0;
  for (const Value& value : valuesOfEachKind()) {
    for (const std::string_view view : viewsFor(value)) {
      const std::string name(view);
      tried.insert(name);
      for (const std::string& wrong : misspellings(name)) {
        if (all.contains(wrong)) continue;  // it is another view
        const std::string meant = suggested(value, wrong);
        INFO(wrong << " for " << name << ": " << meant);
        CHECK((meant.empty() || meant == name));
        (meant.empty() ? none : right) += 1;
      }
    }
  }
  CHECK(right > 10 * none);
  // Those that no value of its own shows.
  for (const char* other : {"verdict", "search", "predictions", "steps"}) tried.insert(other);
  CHECK(tried == all);
  const Value swizzled = valuesOfEachKind().front();
  CHECK(suggested(swizzled, "bankz") == "banks");
  CHECK(suggested(swizzled, "gird") == "grid");
  CHECK(suggested(swizzled, "qqqqq").empty());
}
