// Decompositions as programs: C are correct, W are subtly wrong.
#pragma once

#include <string>

#include "tests/support/replaced.h"

namespace tessera::programs {

using testing::replaced;

// Figure 8. ROWS: of a block; the thread tile is ROWS/16.
inline std::string gemm(const std::string& sizes, const std::string& grid, const std::string& body) {
  return sizes + "\n" + grid + R"( #cta:[16,16:1,16].thread
%C <- MatMul<<<#grid,#cta>>>(%A,%B) {
  (@bm,@bn) = #grid.indices()
  (@tm,@tn) = #cta.indices()
)" + body +
         "}\n";
}

inline std::string gemmBody(int rows, int threadRows, const std::string& loops, const std::string& m,
                            const std::string& k, int closing) {
  std::string text = loops + R"(
    %A2 = %A.tile([ROWS:1],_)[@bm,0]
    %B2 = %B.tile(_,[128:1])[0,@bn]
    %C2 = %C.tile([ROWS:1],[128:1])[@bm,@bn]
    %A4 = %A2.tile([TROWS:1],_)[@tm,0]
    %B4 = %B2.tile(_,[8:1])[0,@tn]
    %C4 = %C2.tile([TROWS:1],[8:1])[@tm,@tn]
    %a = %A4[MM,KK]   %b = %B4[KK,n]   %c = %C4[MM,n]
    #b1 = #grid.scalar()   #t1 = #cta.scalar()
    %c <- MatMul<<<#b1,#t1>>>(%a,%b)
)" + std::string(static_cast<std::size_t>(closing), '}');
  text = replaced(text, "TROWS", std::to_string(threadRows));
  text = replaced(text, "ROWS", std::to_string(rows));
  text = replaced(text, "MM", m);
  return replaced(text, "KK", k);
}

// n x n x n in blocks of 128 x 128.
inline std::string figure8(int n) {
  const std::string sizes =
      replaced("%A:[NN,NN:1,NN].fp16.GL %B:[NN,NN:1,NN].fp16.GL %C:[NN,NN:1,NN].fp16.GL", "NN", std::to_string(n));
  return gemm(
      sizes, replaced("#grid:[GG,GG:1,GG].block", "GG", std::to_string(n / 128)),
      gemmBody(128, 8, "for(k=0; k<" + std::to_string(n) + "; k+=1) { for(m=0; m<8; m+=1) { for(n=0; n<8; n+=1) {", "m",
               "k", 3));
}

inline const std::string kC2 = figure8(1024);
// M in tiles of 128 rows, N and K too.
inline const std::string kC2Symbolic = gemm(
    "%A:[128*M,K:1,128*M].fp16.GL %B:[K,128*N:1,K].fp16.GL %C:[128*M,128*N:1,128*M].fp16.GL", "#grid:[M,N:1,M].block",
    gemmBody(128, 8, "for(k=0; k<K; k+=1) { for(m=0; m<8; m+=1) { for(n=0; n<8; n+=1) {", "m", "k", 3));
inline const std::string kSizes =
    "%A:[1024,1024:1,1024].fp16.GL %B:[1024,1024:1,1024].fp16.GL %C:[1024,1024:1,1024].fp16.GL";
inline const std::string kGrid = "#grid:[8,8:1,8].block";
inline const std::string kW2 =
    gemm(kSizes, kGrid,
         gemmBody(64, 4, "for(k=0; k<1024; k+=1) { for(m=0; m<4; m+=1) { for(n=0; n<8; n+=1) {", "m", "k", 3));
inline const std::string kW3 =
    gemm(kSizes, kGrid,
         gemmBody(128, 8, "for(k=0; k<1024; k+=1) { for(m=0; m<16; m+=1) { for(n=0; n<8; n+=1) {", "m", "k", 3));
inline const std::string kW7 =
    gemm(kSizes, kGrid,
         gemmBody(128, 8,
                  "for(kt=0; kt<1024; kt+=32) { for(kk=0; kk<16; kk+=1) { for(m=0; m<8; m+=1) { for(n=0; n<8; n+=1) {",
                  "m", "kt + kk", 4));

// 1024 halves through 8 registers of each of 128 threads; TILE is one thread's.
inline std::string copied(const std::string& tile) {
  return replaced(R"(
%x:[1024].fp16.GL %y:[1024].fp16.GL #b:[1].block #t:[128].thread
%y <- Move<<<#b,#t>>>(%x) {
  @t = #t.indices()
  #t1 = #t.scalar()
  %from = %x.tile(TILE)[@t]
  %to = %y.tile(TILE)[@t]
  %r:[8].fp16.RF
  %r <- Move<<<#b,#t1>>>(%from)
  %to <- Move<<<#b,#t1>>>(%r)
})",
                  "TILE", tile);
}
inline const std::string kC3 = copied("[8:1]");
// Interleaved: elements 128 apart, one after the other.
inline const std::string kC4 = R"(
%x:[1024].fp16.GL %y:[1024].fp16.GL #b:[1].block #t:[128].thread
%y <- Move<<<#b,#t>>>(%x) {
  @t = #t.indices()
  #t1 = #t.scalar()
  %from = %x.tile([8:128])[@t]
  %to = %y.tile([8:128])[@t]
  for (i = 0; i < 8; i += 1) {
    %r:[].fp16.RF
    %f = %from[i]
    %o = %to[i]
    %r <- Move<<<#b,#t1>>>(%f)
    %o <- Move<<<#b,#t1>>>(%r)
  }
})";

// Transpose through shared memory. WRITE and READ: the places of thread (y, x).
inline std::string transposed(const std::string& shared, const std::string& write, const std::string& between,
                              const std::string& read) {
  return R"(
%in:[32,32:32,1].fp32.GL %out:[32,32:1,32].fp32.GL #b:[1].block #t:[32,32:32,1].thread
%out <- Move<<<#b,#t>>>(%in) {
  (@y,@x) = #t.indices()
  #t1 = #t.scalar()
  )" + shared +
         R"(
  %from = %in[@y,@x]
  %to = )" +
         write + R"(
  %r:[].fp32.RF
  %r <- Move<<<#b,#t1>>>(%from)
  %to <- Move<<<#b,#t1>>>(%r)
  )" + between +
         R"(
  %back = )" +
         read + R"(
  %q:[].fp32.RF
  %o = %out[@x,@y]
  %q <- Move<<<#b,#t1>>>(%back)
  %o <- Move<<<#b,#t1>>>(%q)
})";
}
inline const std::string kC5 = transposed("%s:[32,32:33,1].fp32.SH", "%s[@y,@x]", "sync", "%s[@x,@y]");
inline const std::string kC6 = transposed("%s:Sw<5,0,5> o [32,32:32,1].fp32.SH", "%s[@y,@x]", "sync", "%s[@x,@y]");
inline const std::string kW4 = transposed("%s:[32,32:33,1].fp32.SH", "%s[@y,@x]", "", "%s[@x,@y]");
inline const std::string kW5 =
    transposed("%s:[1056].fp32.SH", "%s.tile([33:1])[@y][@x]", "sync", "%s.tile([32:1])[@x][@y]");

inline std::string partial(const std::string& before, const std::string& after) {
  return R"(
%x:[1023].fp32.GL %y:[1023].fp32.GL #b:[8].block #t:[128].thread
%y <- Move<<<#b,#t>>>(%x) {
  @o = #b.indices()
  @i = #t.indices()
  #b1 = #b.scalar()
  #t1 = #t.scalar()
  )" + before +
         R"(
  %f = %x.tile([128:1])[@o][@i]
  %r:[].fp32.RF
  %t = %y.tile([128:1])[@o][@i]
  %r <- Move<<<#b1,#t1>>>(%f)
  %t <- Move<<<#b1,#t1>>>(%r)
  )" + after +
         "\n}";
}
inline const std::string kC7 = partial("if (128*@o + @i < 1023) {", "}");
inline const std::string kW6 = partial("", "");

// Row m, column n of a 64 x 48 matrix in tiles of 32 x 32; the predicate compares m with BOUND.
inline std::string partial2(const std::string& predicate) {
  return R"(
%x:[64,48:48,1].fp32.GL %y:[64,48:48,1].fp32.GL #b:[2,2:1,2].block #t:[32,32:1,32].thread
%y <- Move<<<#b,#t>>>(%x) {
  (@om,@on) = #b.indices()
  (@im,@in) = #t.indices()
  #b1 = #b.scalar()
  #t1 = #t.scalar()
  if ()" +
         predicate + R"() {
    %f = %x.tile([32:1],[32:1])[@om,@on][@im,@in]
    %t = %y.tile([32:1],[32:1])[@om,@on][@im,@in]
    %r:[].fp32.RF
    %r <- Move<<<#b1,#t1>>>(%f)
    %t <- Move<<<#b1,#t1>>>(%r)
  }
})";
}
inline const std::string kC7b = partial2("32*@on + @in < 48");
inline const std::string kW6b = partial2("32*@om + @im < 64");

inline std::string warpSum(const std::string& last) {
  std::string text = R"(
%in:[32].fp32.GL %out:[32].fp32.GL #b:[1].block #w:[32].thread
%out <- Spec<<<#b,#w>>>(%in) {
  @l = #w.indices()
  #t1 = #w.scalar()
  %f = %in[@l]
  %o = %out[@l]
  %a:[].fp32.RF
  %a <- Move<<<#b,#t1>>>(%f)
)";
  int n = 0;
  for (const std::string& offset : {std::string("16"), std::string("8"), std::string("4"), std::string("2"), last}) {
    const std::string s = "%s" + std::to_string(n++);
    text += "  " + s + ":[].fp32.RF\n  " + s + " <- Shfl<bfly " + offset +
            "><<<#b,#w>>>(%a)\n  %a <- BinaryPW<+><<<#b,#t1>>>(%a," + s + ")\n";
  }
  return text + "  %o <- Move<<<#b,#t1>>>(%a)\n}\n";
}
// Every lane has the sum: each row of a 32 x 32 matrix whose rows are all the same 32 elements is reduced.
inline std::string reduced(std::string text) {
  text = replaced(replaced(text, "%in:[32]", "%in:[32,32:0,1]"), "%in[@l]", "%in[@l,@l]");
  return replaced(text, "Spec<<<#b,#w>>>(%in)", "Reduction<+,1><<<#b,#w>>>(%in)");
}
inline const std::string kC8 = reduced(warpSum("1"));
inline const std::string kW8 = reduced(warpSum("2"));

// Figure 1d, with what its registers hold. FROM: the source of thread group (m, n).
inline std::string figure1(const std::string& from, const std::string& fragment) {
  return R"(
%1:[16,16].fp16.SH
%2:[2,4].fp16.RF holds [16,16] as )" +
         fragment + R"(
#3:[1].block
#4:[32].thread
%2 <- Move<<<#3, #4>>>(%1) {
  #5:[4].[8].thread = #4.tile(8)
  #6:[2,2].[8].thread = #5.reshape(0, [2,2])
  (@m, @n), @i = #6.indices()
  %7:[2,2].[8,8].fp16.SH = %1.tile([8,8])
  %8:[8,8].fp16.SH = %7[)" +
         from + R"(]
  %9:[8,1].[1,8].fp16.SH = %8.tile([1,8])
  %10:[1,8].fp16.SH = %9[@i, 0]
  %11:[2,2].[1,2].fp16.RF = %2.tile([1,2])
  %11 <- Move<<<#3, #4>>>(%10)
})";
}
inline const std::string kFragment = "S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]";
inline const std::string kFragmentA = "S[(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)]";  // of m16n8k16
inline const std::string kC1 = figure1("@m, @n", kFragment);
inline const std::string kW1 = figure1("@n, @m", kFragment);
inline const std::string kW1b = figure1("@m, @n", kFragmentA);

// A 32 x 32 x 64 product, a block of 4 tiles of 16 deep through registers; INIT where the accumulator begins.
inline std::string accumulated(const std::string& before, const std::string& inside) {
  return R"(
%A:[32,512:512,1].fp32.GL %B:[512,32:32,1].fp32.GL %C:[32,32:32,1].fp32.GL #b:[1].block #t:[32,32:32,1].thread
%C <- MatMul<<<#b,#t>>>(%A,%B) {
  (@m,@n) = #t.indices()
  #t1 = #t.scalar()
  %c = %C[@m,@n]
  %acc:[].fp32.RF
  )" + before +
         R"(
  for (kt = 0; kt < 512; kt += 16) {
    )" + inside +
         R"(
    for (k = 0; k < 16; k += 1) {
      %a = %A[@m, kt + k]
      %b = %B[kt + k, @n]
      %acc <- MatMul<<<#b,#t1>>>(%a,%b)
    }
  }
  %c <- Move<<<#b,#t1>>>(%acc)
})";
}
inline const std::string kC10 = accumulated("%acc <- Move<<<#b,#t1>>>(%c)", "");
inline const std::string kW9 = accumulated("%acc <- Move<<<#b,#t1>>>(%c)", "%acc <- Init<0><<<#b,#t1>>>()");

inline const std::string kW10 = R"(
%x:[32].fp32.GL %y:[32].fp32.GL #b:[1].block #t:[32].thread
%y <- Move<<<#b,#t>>>(%x) {
  @t = #t.indices()
  #t1 = #t.scalar()
  %r:[].fp32.RF
  %f = %x[@t]
  %o = %y[@t]
  %r <- Move<<<#b,#t1>>>(%f)
  if (@t < 16) { sync }
  %o <- Move<<<#b,#t1>>>(%r)
})";

inline const std::string kW11 = R"(
%x:[128].fp32.GL #b:[1].block #t:[128].thread
%x <- Spec<<<#b,#t>>>(%x) {
  @t = #t.indices()
  #t1 = #t.scalar()
  if (@t < 127) {
    %r:[].fp32.RF
    %f = %x[@t]
    %o = %x[@t + 1]
    %r <- Move<<<#b,#t1>>>(%f)
    %o <- Move<<<#b,#t1>>>(%r)
  }
})";

}  // namespace tessera::programs
