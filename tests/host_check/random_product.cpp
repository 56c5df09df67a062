#include <fmt/format.h>

#include <random>

#include "random_programs.h"

namespace tessera::host_check {
namespace {

std::string with(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}
std::string with(const std::string& text, const std::string& what, int by) {
  return with(text, what, fmt::format("{}", by));
}

// Capitals between bars are numbers.
constexpr const char* kText = R"(
%A:[|ROWS|,|DEPTH|:|DEPTH|,1].fp16.GL  %B:[|DEPTH|,|COLUMNS|:|BSTRIDES|].fp16.GL  %C:[|ROWS|,|COLUMNS|:|COLUMNS|,1].fp32.GL
|UNUSED|
#grid:[|GM|,|GN|:|GN|,1].block  #cta:[|THREADS|:1].thread
%C <- MatMul<<<#grid,#cta>>>(%A,%B) {
  (@bm,@bn) = #grid.indices()
  %sA:|SWIZZLE| o [|STAGES|,|BM|,|BK|:|ASTAGE|,|BK|,1].fp16.SH  %sB:|BSHARED|.fp16.SH
  #ld:[|LOADROWS|,|CHUNKS|:|CHUNKS|,1].thread = #cta.reshape(0,[|LOADROWS|,|CHUNKS|])
  (@r,@c) = #ld.indices()
  %At = %A.tile([|BM|:1],[|BK|:1])  %Bt = %B.tile([|BK|:1],[|BN|:1])
  %sA8 = %sA.tile([1:1],[1:1],[8:1])  %sB8 = |BCHUNKS|
  for (st = 0; st < |AHEAD|; st += 1) {
    |FIRST| {
    %Ak = %At[@bm,st]  %A8 = %Ak.tile([1:1],[8:1])  %Bk = %Bt[st,@bn]  %B8 = |BTILE|
    for (i = 0; i < |APASSES|; i += 1) {
      %a1 = %A8[|LOADROWS|*i + @r, @c]  %a2 = %sA8[st, |LOADROWS|*i + @r, @c]
      %a2 <- Move<async>(%a1)
    }
    for (i = 0; i < |BPASSES|; i += 1) {
      %b1 = %B8[|BFROM|]  %b2 = %sB8[st, |BFROM|]
      %b2 <- Move<async>(%b1)
    }
    }
    commit
  }
  #warps:[|WM|,|WN|:|WARPROW|,32].[32:1].thread = #cta.tile([32:1]).reshape(0,[|WM|,|WN|])
  (@wm,@wn), @lane = #warps.indices()
  #w = #warps[@wm,@wn]
  #rows:[2,16:16,1].thread = #w.reshape(0,[2,16])
  (@ac,@ar) = #rows.indices()
  #columns:[2,2,8:16,8,1].thread = #w.reshape(0,[2,2,8])
  (@bh,@bk,@bc) = #columns.indices()
  #quads:[8,4:4,1].thread = #w.reshape(0,[8,4])
  (@g,@q) = #quads.indices()
  %acc:[|MT|,|NT|:|ACCROW|,4].[2,1:2,0].[1,2:0,1].fp32.RF
  %C1 = %C.tile([|BM|:1],[|BN|:1])  %C2 = %C1[@bm,@bn]  %Ct = %C2.tile([16:1],[8:1])
  for (m = 0; m < |MT|; m += 1) { for (n = 0; n < |NT|; n += 1) { for (i = 0; i < 2; i += 1) {
    %c1 = %Ct[|MT|*@wm + m, |NT|*@wn + n]  %c2 = %c1.tile([1:1],[2:1])  %c3 = %c2[8*i + @g, @q]
    %f1 = %acc[m,n]  %f = %f1[i,0]
    %f <- Move(%c3)
  } } }
  %sAt = %sA.tile([1:1],[16:1],[16:1])  %sBt = %sB.tile([1:1],[16:1],[16:1])
  for (kt = 0; kt < |STEPS|; kt += 1) {
    wait |PENDING|
    sync
    if (kt + |AHEAD| < |STEPS|) {
      %Ak = %At[@bm, kt + |AHEAD|]  %A8 = %Ak.tile([1:1],[8:1])  %Bk = %Bt[kt + |AHEAD|, @bn]  %B8 = |BTILE|
      for (i = 0; i < |APASSES|; i += 1) {
        %a1 = %A8[|LOADROWS|*i + @r, @c]  %a2 = %sA8[(kt + |AHEAD|)%|STAGES|, |LOADROWS|*i + @r, @c]
        %a2 <- Move<async>(%a1)
      }
      for (i = 0; i < |BPASSES|; i += 1) {
        %b1 = %B8[|BFROM|]  %b2 = %sB8[(kt + |AHEAD|)%|STAGES|, |BFROM|]
        %b2 <- Move<async>(%b1)
      }
    }
    commit
    for (k = 0; k < |KSTEPS|; k += 1) {
      %a:[|MT|:8].[2,2:4,2].[1,2:0,1].fp16.RF  %b:[|PAIRS|:8].[2,2:4,2].[1,2:0,1].fp16.RF
      for (m = 0; m < |MT|; m += 1) {
        %Am = %sAt[kt%|STAGES|, |MT|*@wm + m, k]  %Ar = %Am.tile([1:1],[1:1],[8:1])  %row = %Ar[0,@ar,@ac]
        %am = %a[m]
        %am <- Move<<<#grid,#w>>>(%row)
      }
      for (p = 0; p < |PAIRS|; p += 1) {
        %Bp = %sBt[kt%|STAGES|, k, |PAIRS|*@wn + p]  |BFRAGMENT|
        %bp = %b[p]
        %bp <- Move|TRANS|<<<#grid,#w>>>(%column)
      }
      for (m = 0; m < |MT|; m += 1) { for (p = 0; p < |PAIRS|; p += 1) { for (h = 0; h < 2; h += 1) {
        %am = %a[m]  %b1 = %b[p]  %b2 = %b1.tile([1:1],[2:1])  %bf = %b2[h,0]
        %f = %acc[m, 2*p + h]
        %f <- MatMul<<<#grid,#w>>>(%am,%bf)
      } } }
    }
  }
  for (m = 0; m < |MT|; m += 1) { for (n = 0; n < |NT|; n += 1) { for (i = 0; i < 2; i += 1) {
    %c1 = %Ct[|MT|*@wm + m, |NT|*@wn + n]  %c2 = %c1.tile([1:1],[2:1])  %c3 = %c2[8*i + @g, @q]
    %f1 = %acc[m,n]  %f = %f1[i,0]
    %c3 <- Move(%f)
  } } }
}
)";

struct Tiles {
  int stages, bk, wm, wn, mt, pairs, gm, gn, steps;
  bool symbolic, across;  // across: n is contiguous in B
};

Tiles tilesOf(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<int> all) { return *(all.begin() + random() % all.size()); };
  Tiles t{pick({2, 3, 4}),      pick({32, 64}),   pick({1, 2}),
          pick({1, 2}),         pick({2, 4}),     pick({1, 2}),
          pick({1, 2}),         pick({1, 2}),     pick({1, 2, 3, 4, 5, 7}),
          pick({0, 1, 2}) == 0, pick({0, 1}) == 1};
  if (t.bk == 64) t.stages = std::min(t.stages, 3);
  return t;
}

// B in rows of n: its tiles of 64 or 32 columns are as the swizzle wants rows of halves.
std::string placeB(std::string text, const Tiles& t, int bn, int threads) {
  const int chunks = bn / 8;
  if (!t.across) {
    text = with(text, "|BSHARED|", "|SWIZZLE| o [|STAGES|,|BK|,|BN|:|BSTAGE|,1,|BK|]");
    text = with(with(text, "|BCHUNKS|", "%sB.tile([1:1],[8:1],[1:1])"), "|BTILE|", "%Bk.tile([8:1],[1:1])");
    text = with(with(text, "|BFROM|", "@c, |LOADROWS|*i + @r"), "|BPASSES|", bn * t.bk / 8 / threads);
    text = with(text, "|BFRAGMENT|", "%Br = %Bp.tile([1:1],[8:1],[1:1])  %column = %Br[0, @bk, 8*@bh + @bc]");
    return with(with(text, "|TRANS|", ""), "|BSTRIDES|", "1,|DEPTH|");
  }
  text = with(text, "|BSHARED|", "|BSWIZZLE| o [|STAGES|,|BK|,|BN|:|BSTAGE|,|BN|,1]");
  text = with(text, "|BSWIZZLE|", chunks >= 8 ? "Sw<3,3,3>" : chunks == 4 ? "Sw<2,3,3>" : "Sw<1,3,3>");
  text = with(with(text, "|BCHUNKS|", "%sB.tile([1:1],[1:1],[8:1])"), "|BTILE|", "%Bk.tile([1:1],[8:1])");
  text = with(text, "|BFROM|", fmt::format("({}*i + @t) / {}, ({}*i + @t) % {}", threads, chunks, threads, chunks));
  text = with(text, "  (@r,@c) = #ld.indices()\n", "  (@r,@c) = #ld.indices()  @t = #cta.indices()\n");
  text = with(text, "|BPASSES|", bn * t.bk / 8 / threads);
  text = with(text, "|BFRAGMENT|", "%Br = %Bp.tile([1:1],[1:1],[8:1])  %column = %Br[0, 8*@bk + @bc, @bh]");
  return with(with(text, "|TRANS|", "<trans>"), "|BSTRIDES|", "|COLUMNS|,1");
}

}  // namespace

Case randomProduct(unsigned seed) {
  std::mt19937 random(seed);
  Tiles t = tilesOf(random);
  const int threads = 32 * t.wm * t.wn, bm = 16 * t.wm * t.mt;
  while (16 * t.wn * t.pairs * t.bk / 8 % threads != 0) ++t.pairs;
  const int bn = 16 * t.wn * t.pairs, chunks = t.bk / 8;
  while (2 * t.stages * t.bk * (bm + bn) > 48 * 1024) --t.stages;  // what a kernel may declare
  std::string text = placeB(kText, t, bn, threads);
  text = with(with(text, "|SWIZZLE|", t.bk == 64 ? "Sw<3,3,3>" : "Sw<2,3,3>"), "|FIRST|",
              t.symbolic || t.steps < t.stages - 1 ? "if (st < |STEPS|)" : "if (0 < 1)");
  text = with(text, "|UNUSED|", t.symbolic ? "%n:[N:1].fp32.GL" : "");
  text = with(text, "|STEPS|", t.symbolic ? "N" : fmt::format("{}", t.steps));
  text = with(text, "|DEPTH|", t.symbolic ? fmt::format("{}*N", t.bk) : fmt::format("{}", t.bk * t.steps));
  const std::pair<const char*, int> numbers[] = {{"|ROWS|", bm * t.gm},
                                                 {"|COLUMNS|", bn * t.gn},
                                                 {"|GM|", t.gm},
                                                 {"|GN|", t.gn},
                                                 {"|THREADS|", threads},
                                                 {"|STAGES|", t.stages},
                                                 {"|BM|", bm},
                                                 {"|BN|", bn},
                                                 {"|BK|", t.bk},
                                                 {"|ASTAGE|", bm * t.bk},
                                                 {"|BSTAGE|", bn * t.bk},
                                                 {"|LOADROWS|", threads / chunks},
                                                 {"|CHUNKS|", chunks},
                                                 {"|AHEAD|", t.stages - 1},
                                                 {"|PENDING|", t.stages - 2},
                                                 {"|APASSES|", bm * chunks / threads},
                                                 {"|WM|", t.wm},
                                                 {"|WN|", t.wn},
                                                 {"|WARPROW|", 32 * t.wn},
                                                 {"|MT|", t.mt},
                                                 {"|NT|", 2 * t.pairs},
                                                 {"|ACCROW|", 8 * t.pairs},
                                                 {"|PAIRS|", t.pairs},
                                                 {"|KSTEPS|", t.bk / 16}};
  for (const auto& [name, number] : numbers) text = with(text, name, number);
  return {fmt::format("product {}", seed), text, {{"N", t.steps}}};
}

}  // namespace tessera::host_check
