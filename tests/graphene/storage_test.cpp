// The parts of a type beside its shape: swizzled addresses, and the elements that registers hold.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/atlas/atlas.h"
#include "core/graphene/program.h"
#include "core/notation/axe/eval.h"
#include "core/notation/graphene/notation.h"
#include "core/notation/graphene/operations.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

Tensor tensor(const std::string& text) {
  const auto read = parseTensor(text);
  INFO(text << ": " << (read ? "" : read.error().message));
  REQUIRE(read.ok());
  return *read;
}

// A tensor that a program declares: instructions are known there.
Tensor declared(const std::string& text) {
  const auto read = readProgram(text);
  INFO(text << ": " << (read ? "" : read.error().message));
  REQUIRE(read.ok());
  return read->operands.at(0);
}

Diag refusedTensor(const std::string& text) {
  const auto read = readProgram(text);
  INFO(text);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().span.end <= text.size());
  CHECK_FALSE(read.error().span.empty());
  return read.error();
}

std::string at(const std::string& text, Span span) { return text.substr(span.begin, span.end - span.begin); }

}  // namespace

TEST_CASE("a swizzled tensor's address is the swizzle of offset + the sum") {
  const Tensor t = tensor("%s:Sw<3,3,3> o [64,64:64,1].fp16.SH");
  CHECK(print(t) == "%s:Sw<3,3,3> o [64,64:64,1].fp16.SH");
  const auto arrow = NotationOf<Tensor>::arrow(t);
  REQUIRE(arrow.ok());
  for (i64 i = 0; i < 64; ++i)
    for (i64 j = 0; j < 64; ++j) {
      const std::vector<i64> at = {i, j};
      const i64 expected = 64 * i + (8 * ((j / 8) ^ (i % 8)) + j % 8);
      REQUIRE(arrow->map.at(at)[0] == expected);
    }
  CHECK(arrow->map.axes()[0].extent == 4096);
}

TEST_CASE("tile, reshape and index keep the swizzle, and every element its address") {
  const Tensor whole = tensor("%s:Sw<2,3,3> o [32,32:32,1].fp16.SH");
  const auto sw = whole.swizzle;
  const auto tiles = tile(whole, {TileSize({{8, 1}}), TileSize({{16, 1}})});
  REQUIRE(tiles.ok());
  CHECK(tiles->swizzle == sw);
  for (i64 m = 0; m < 4; ++m)
    for (i64 n = 0; n < 2; ++n) {
      const auto one = index(*tiles, {{Expr::constant(m)}, {Expr::constant(n)}});
      REQUIRE(one.ok());
      const auto arrow = NotationOf<Tensor>::arrow(*one);
      REQUIRE(arrow.ok());
      for (i64 i = 0; i < 8; ++i)
        for (i64 j = 0; j < 16; ++j) {
          const i64 plain = (8 * m + i) * 32 + 16 * n + j;
          const std::vector<i64> at = {i, j};
          REQUIRE(arrow->map.at(at)[0] == sw(plain));
          const auto address = addressOf(*one, {{{Expr::constant(i)}, {Expr::constant(j)}}});
          REQUIRE((address.ok() && address->isConstant(sw(plain))));
        }
    }
}

TEST_CASE("an address with names in it is the swizzle's formula") {
  const auto read = readProgram(
      "%s:Sw<3,3,3> o [64,64].fp16.SH #b:[1].block #t:[64].thread\n"
      "%s <- Init<0><<<#b,#t>>>() { @i = #t.indices()\n %r = %s[@i,0]\n %r <- Init<0><<<#b,#t>>>() }");
  REQUIRE(read.ok());
  const auto& spec = std::get<Spec>(read->specs[0].what);
  const auto& leaf = std::get<Spec>(spec.body.back().what);
  CHECK(leaf.outputs[0].swizzle == tensor("%s:Sw<3,3,3> o [1].fp16.SH").swizzle);
  const std::string printed = print(*read);
  const auto again = readProgram(printed);
  INFO(printed);
  REQUIRE(again.ok());
  CHECK(print(*again) == printed);
}

TEST_CASE("swizzles that are none, or stand where none can, are refused at their place") {
  const std::string broken = "%s:Sw<3,3> o [64,64].fp16.SH";
  CHECK(at(broken, refusedTensor(broken).span) == "Sw<3,3>");
  const std::string near = "%s:Sw<3,3,1> o [64,64].fp16.SH";
  CHECK(at(near, refusedTensor(near).span) == "Sw<3,3,1>");
  CHECK(refusedTensor("%s:Sw<3,3,3> [64,64].fp16.SH").message.find("`o` is missing") != std::string::npos);
  CHECK(refusedTensor("#t:Sw<3,3,3> o [32].thread").message == "threads have no swizzle");
}

TEST_CASE("a distribution by an Axe layout is what the layout says, element by element") {
  const std::string text = "S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]";
  const Tensor d = tensor("%d:[2,4:4,1].fp16.RF holds [16,16] as " + text);
  REQUIRE(d.holds);
  CHECK(d.holds->threads == 32);
  CHECK(d.holds->registers == 8);
  // facts, section 6: group (m,n), row l/4, column 2*(l%4)+v
  for (i64 lane = 0; lane < 32; ++lane)
    for (i64 r = 0; r < 8; ++r) {
      const i64 row = r / 4 * 8 + lane / 4, column = r / 2 % 2 * 8 + 2 * (lane % 4) + r % 2;
      REQUIRE(d.holds->at(lane, r) == row * 16 + column);
      REQUIRE(d.holds->at(lane + 64, r) == row * 16 + column);  // every warp has its own
    }
  CHECK(d.holds->at(0, 8) == -1);
  CHECK(print(d) == "%d:[2,4:4,1].fp16.RF holds [16,16] as " + text);
}

TEST_CASE("a distribution by a thread-value layout, and by the instruction that has it, are the same") {
  const Tensor byLayout = tensor("%a:[8].fp16.RF holds [16,16] as ((4,8),(2,2,2)):((32,1),(16,8,128))");
  const Tensor byAtlas = declared("%a:[8].fp16.RF holds [16,16] as mma.m16n8k16.f32.f16.f16.f32 A");
  CHECK(byLayout.holds->element == byAtlas.holds->element);
  CHECK(print(byAtlas) == "%a:[8:1].fp16.RF holds [16,16] as mma.m16n8k16.f32.f16.f16.f32 A");
  for (i64 lane = 0; lane < 32; ++lane)
    for (i64 i = 0; i < 8; ++i) {  // PTX: row g + 8 ((i>>1)&1), column 2q + (i&1) + 8 (i>>2)
      const i64 g = lane / 4, q = lane % 4;
      REQUIRE(byAtlas.holds->at(lane, i) == (g + 8 * (i / 2 % 2)) * 16 + 2 * q + i % 2 + 8 * (i / 4));
    }
}

TEST_CASE("the B of an mma is K x N, as MatMul reads it") {
  const Tensor b = declared("%b:[4].fp16.RF holds [16,8] as mma.m16n8k16.f32.f16.f16.f32 B");
  for (i64 lane = 0; lane < 32; ++lane)
    for (i64 i = 0; i < 4; ++i) {  // PTX: k = 2q + (i&1) + 8 (i>>1), n = g
      const i64 g = lane / 4, q = lane % 4;
      REQUIRE(b.holds->at(lane, i) == (2 * q + i % 2 + 8 * (i / 2)) * 8 + g);
    }
  const std::string other = "%b:[4].fp16.RF holds [8,16] as mma.m16n8k16.f32.f16.f16.f32 B";
  const Diag refused = refusedTensor(other);
  CHECK(refused.message.find("[16,8], not [8,16]") != std::string::npos);
  CHECK(at(other, refused.span) == "mma.m16n8k16.f32.f16.f16.f32 B");
}

TEST_CASE("each quad pair of m8n8k4 holds a tile of its own") {
  const Tensor a = declared("%a:[4].fp16.RF holds [8,4] as mma.m8n8k4.row.col.f32.f16.f16.f32 A");
  CHECK(a.holds->threads == 32);
  for (i64 lane = 0; lane < 32; ++lane)
    for (i64 i = 0; i < 4; ++i)  // m = l%4 + 4 (l>=16), k = i
      REQUIRE(a.holds->at(lane, i) == (lane % 4 + (lane >= 16 ? 4 : 0)) * 4 + i);
}

TEST_CASE("threads of a block, warps and replicas") {
  const Tensor block = tensor("%d:[8].fp32.RF holds [1024] as S[(128,8):(1@tid,1@reg)]");
  CHECK(block.holds->threads == 128);
  CHECK(block.holds->at(5, 3) == 43);
  const Tensor warps = tensor("%d:[2].fp32.RF holds [4,64] as S[(4,32,2):(1@warp,1@lane,1@reg)]");
  CHECK(warps.holds->threads == 128);
  CHECK(warps.holds->at(33, 1) == 64 + 3);
  const Tensor copies = tensor("%d:[1].fp32.RF holds [8] as S[(8,1):(1@lane,1@reg)] + R[4:8@lane]");
  for (i64 lane = 0; lane < 32; ++lane) CHECK(copies.holds->at(lane, 0) == lane % 8);
  const Tensor some = tensor("%d:[2].fp32.RF holds [16] as S[16:2@lane]");
  CHECK(some.holds->at(1, 0) == -1);  // a place without an element is allowed
  CHECK(some.holds->at(2, 0) == 1);
}

TEST_CASE("distributions that cannot be are refused with their place") {
  const auto message = [](const std::string& behind) {
    const std::string text = "%d:[2,4].fp16.RF holds " + behind;
    const auto read = parseTensor(text);
    INFO(text);
    REQUIRE_FALSE(read.ok());
    const bool atEnd = read.error().span.begin == text.size();
    CHECK((atEnd || !read.error().span.empty()));
    CHECK(read.error().span.end <= text.size());
    return read.error().message;
  };
  CHECK(message("[16,16] as S[(8,16):(1@reg,1@lane)]") == "the layout has 128 elements, but the tile [16,16] has 256");
  CHECK(message("[16,16] as S[(16,16):(1@reg,1@lane)]") == "the layout needs 16 registers per thread, but %d has 8");
  CHECK(message("[64] as S[64:1@lane]") == "lane 32 of a warp");
  CHECK(message("[64] as S[64:1@m]") == "registers have no axis 'm'");
  CHECK(message("[64] as S[(2,32):(1@tid,1@tid)]").find("would hold") != std::string::npos);
  CHECK(message("[8,8] as (32,8):(8,1)") == "register 0 of thread 8 would hold element 64 of 64");
  CHECK(message("[8,8] as 64:1").find("not a thread-value layout") != std::string::npos);
  CHECK(message("16 as 64:1").find("[") != std::string::npos);
  CHECK(message("[16,16] of 64:1").find("`as` is missing") != std::string::npos);
  CHECK(message("[16,16] as").find("a layout is missing") != std::string::npos);
  CHECK(message("[16,16] as mma.m16n8k16") == "the operand of mma.m16n8k16 is missing");
  CHECK(message("[16,16] as mma.m16n8k16 A") == "instructions cannot be used here");
  CHECK(message("[1048577] as S[1048577:1@reg]").find("cannot be listed") != std::string::npos);
  CHECK(refusedTensor("%d:[8].fp16.SH holds [8] as S[8:1@reg]").message.find("not in RF") != std::string::npos);
  CHECK(refusedTensor("%d:[8].fp16.RF holds [8] as mma.m99 A").message.find("m99") != std::string::npos);
  CHECK(refusedTensor("%d:[8].fp16.RF holds [16,16] as wgmma.m64n8k16.f32.f16.f16.ss B").message.find("registers") !=
        std::string::npos);
}

TEST_CASE("views of a register tensor keep what it holds, and a program says it once") {
  const auto read = readProgram(
      "%s:[16,16].fp16.SH %d:[2,4].fp16.RF holds [16,16] as "
      "S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]\n#b:[1].block #t:[32].thread\n"
      "%d <- Move<<<#b,#t>>>(%s) { %f = %d.tile([1],[2])\n %f <- Init<0><<<#b,#t>>>() }");
  REQUIRE(read.ok());
  const auto& spec = std::get<Spec>(read->specs[0].what);
  CHECK(std::get<Define>(spec.body[0].what).tensor.holds == read->operands[1].holds);
  const std::string printed = print(*read);
  CHECK(printed.find("holds") == printed.rfind("holds"));
  const auto again = readProgram(printed);
  REQUIRE(again.ok());
  CHECK(print(*again) == printed);
  CHECK(std::get<Spec>(again->specs[0].what).outputs[0].holds == spec.outputs[0].holds);
}

// The obvious implementation: for every element, every place of axe::forward.
TEST_CASE("random Axe layouts hold what axe::forward says, or are refused for a clash") {
  std::mt19937 random(17);
  int held = 0;
  for (int round = 0; round < 400; ++round) {
    std::string sizes, strides;
    i64 elements = 1;
    const int iters = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < iters; ++k) {
      const i64 n = i64{1} << (1 + random() % 2);
      elements *= n;
      const bool lane = random() % 2 == 0;
      sizes += (k == 0 ? "" : ",") + std::to_string(n);
      strides += (k == 0 ? "" : ",") + std::to_string(i64{1} << (random() % 3)) + (lane ? "@lane" : "@reg");
    }
    const std::string text = "S[(" + sizes + "):(" + strides + ")]";
    const auto read = parseTensor("%d:[256].fp16.RF holds [" + std::to_string(elements) + "] as " + text);
    const auto layout = axe::parse(text);
    REQUIRE(layout.ok());
    std::map<std::pair<i64, i64>, i64> owner;
    bool clash = false;
    for (i64 x = 0; x < elements; ++x) {
      const auto owners = axe::forward(*layout, {elements}, {x});
      REQUIRE(owners.ok());
      for (const axe::Place& p : *owners) {
        const auto on = [&](const char* axis) { return p.count(axis) == 0 ? 0 : p.at(axis); };
        clash = !owner.emplace(std::pair(on("lane"), on("reg")), x).second || clash;
      }
    }
    INFO(text);
    if (clash) {
      CHECK_FALSE(read.ok());
      continue;
    }
    REQUIRE(read.ok());
    ++held;
    for (i64 lane = 0; lane < 32; ++lane)
      for (i64 r = 0; r < 64; ++r) {
        const auto found = owner.find({lane, r});
        REQUIRE(read->holds->at(lane, r) == (found == owner.end() ? -1 : found->second));
      }
  }
  CHECK(held > 50);
}

TEST_CASE("commit and wait are read, printed and bounded") {
  const std::string head = "%a:[8].fp16.GL %s:[8].fp16.SH #b:[1].block #t:[1].thread\n%s <- Move<<<#b,#t>>>(%a) { ";
  const auto read = readProgram(head + "%s <- Move<async><<<#b,#t>>>(%a) commit wait 0 sync wait 2 }");
  REQUIRE(read.ok());
  const auto& body = std::get<Spec>(read->specs[0].what).body;
  REQUIRE(body.size() == 5);
  CHECK(std::holds_alternative<Commit>(body[1].what));
  CHECK(std::get<Wait>(body[2].what).pending == 0);
  CHECK(std::get<Wait>(body[4].what).pending == 2);
  const std::string printed = print(*read);
  CHECK(printed.find("  commit\n  wait 0\n  sync\n  wait 2\n") != std::string::npos);
  REQUIRE(readProgram(printed).ok());
  CHECK(print(*readProgram(printed)) == printed);
  CHECK_FALSE(readProgram(head + "wait }").ok());
  CHECK_FALSE(readProgram(head + "wait -1 }").ok());
  CHECK_FALSE(readProgram(head + "wait 65 }").ok());
  CHECK(readProgram(head + "comit }").error().hint == "did you mean commit?");
}

TEST_CASE("a ring of buffers: coordinates with / and %, min and max") {
  const auto read = readProgram(R"(
%A:[3,64,32].fp16.SH %g:[64,1024].fp16.GL #b:[1].block #t:[128].thread
%A <- Spec<<<#b,#t>>>(%g) {
  for (k = 0; k < 1024; k += 32) {
    %now = %A[(k/32)%3, min(k, 63), max(0, k%32)]
    %next = %A[((k+64)/32)%3, 0, 0]
    %now <- Init<0><<<#b,#t>>>()
  }
})");
  INFO((read ? "" : read.error().message));
  REQUIRE(read.ok());
  const auto& loop = std::get<Loop>(std::get<Spec>(read->specs[0].what).body[0].what);
  const Tensor& now = std::get<Define>(loop.body[0].what).tensor;
  for (i64 k = 0; k < 1024; k += 32) {
    std::vector<i64> params(read->variables.size(), 0);
    params[static_cast<std::size_t>(loop.variable)] = k;
    CHECK(evaluate(now.offset, {}, params) == k / 32 % 3 * 2048 + std::min<i64>(k, 63) * 32 + k % 32);
    const Tensor& next = std::get<Define>(loop.body[1].what).tensor;
    CHECK(evaluate(next.offset, {}, params) == (k + 64) / 32 % 3 * 2048);
  }
  const std::string printed = print(*read);
  REQUIRE(readProgram(printed).ok());
  CHECK(print(*readProgram(printed)) == printed);
}
