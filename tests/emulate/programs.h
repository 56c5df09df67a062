// Programs shared by the emulator's tests: the paper's figures, and the right and wrong decompositions of the facts.
#pragma once

#include <string>

// Figure 1d as the paper prints it.
inline const std::string kLdmatrixMove = R"(
%1 : [16,16].fp16.SH   %2 : [2,4].fp16.RF
#3 : [1].block   #4 : [32].thread
%2 <- Move<<<#3, #4>>>(%1) {
  #5 : [4].[8].thread = #4.tile(8)
  #6 : [2,2].[8].thread = #5.reshape(0, [2,2])
  (@m, @n), @r = #6.indices()
  %7 : [2,2].[8,8].fp16.SH = %1.tile([8, 8])
  %8 = %7[@m, @n]
  %9 : [8,1].[1,8].fp16.SH = %8.tile([1, 8])
  %10 = %9[@r, 0]
  %11 : [2,2].[1,2].fp16.RF = %2.tile([1, 2])
  %11 <- Move<<<#3, #4>>>(%10)
}
)";

// C += A*B of 64^3 by 4 warps of 32x32: cp.async into swizzled shared memory, ldmatrix, m16n8k16.
inline const std::string kTensorCoreTile = R"(
%A:[64,64].fp16.GL  %B:[64,64].fp16.GL  %C:[64,64].fp32.GL
#grid:[1].block  #cta:[128].thread
%C <- MatMul<<<#grid,#cta>>>(%A,%B) {
  #g = #grid.scalar()   #one = #cta.scalar()
  #ld = #cta.reshape(0,[16,8])
  (@lr, @lc) = #ld.indices()
  #wl = #cta.reshape(0,[2,2,2,16])
  (@wm, @wn, @lh, @l16) = #wl.indices()
  #fr = #cta.reshape(0,[4,8,4])
  (@wid, @grp, @q) = #fr.indices()
  #warps = #cta.tile([32])
  #warp = #warps[@wid]
  %sa:Sw<3,3,3> o [64,64:64,1].fp16.SH
  %sb:Sw<3,3,3> o [64,64:64,1].fp16.SH
  %gaV = %A.tile([1],[8])   %gbV = %B.tile([1],[8])
  %saV = %sa.tile([1],[8])  %sbV = %sb.tile([1],[8])
  for (i = 0; i < 64; i += 16) {
    %ga = %gaV[@lr + i, @lc]  %gb = %gbV[@lr + i, @lc]
    %da = %saV[@lr + i, @lc]  %db = %sbV[@lr + i, @lc]
    %da <- Move<async><<<#g,#one>>>(%ga)
    %db <- Move<async><<<#g,#one>>>(%gb)
  }
  commit
  %acc:[2,4:16,4].[2,1:2,_].[1,2:_,1].fp32.RF
  %cV = %C.tile([1],[2])
  for (m = 0; m < 2; m += 1) { for (n = 0; n < 4; n += 1) { for (r = 0; r < 2; r += 1) {
    %c = %cV[32*@wm + 16*m + 8*r + @grp, 16*@wn + 4*n + @q]
    %acc1 = %acc[m,n]  %acc2 = %acc1[r,0]
    %acc2 <- Move<<<#g,#one>>>(%c)
  } } }
  wait 0
  sync
  for (k = 0; k < 4; k += 1) {
    %af:[2:8].[2,2:4,2].[1,2:_,1].fp16.RF
    %bf:[2:8].[2,2:4,2].[1,2:_,1].fp16.RF
    for (m = 0; m < 2; m += 1) {
      %arow = %saV[32*@wm + 16*m + @l16, 2*k + @lh]
      %a1 = %af[m]
      %a1 <- Move<<<#g,#warp>>>(%arow)
      %brow = %sbV[16*k + @l16, 4*@wn + 2*m + @lh]
      %b1 = %bf[m]
      %b1 <- Move<trans><<<#g,#warp>>>(%brow)
    }
    for (m = 0; m < 2; m += 1) { for (n = 0; n < 2; n += 1) { for (h = 0; h < 2; h += 1) {
      %a = %af[m]
      %b2 = %bf[n]
      %b3 = %b2.tile([1],[2])
      %b = %b3[h,0]
      %d = %acc[m, 2*n + h]
      %d <- MatMul<<<#g,#warp>>>(%a,%b)
    } } }
  }
  for (m = 0; m < 2; m += 1) { for (n = 0; n < 4; n += 1) { for (r = 0; r < 2; r += 1) {
    %c = %cV[32*@wm + 16*m + 8*r + @grp, 16*@wn + 4*n + @q]
    %acc1 = %acc[m,n]  %acc2 = %acc1[r,0]
    %c <- Move<<<#g,#one>>>(%acc2)
  } } }
}
)";

// Figure 8, smaller: 64x64x32 by 2x2 blocks of 8x8 threads with 4x4 elements each, column-major throughout.
inline const std::string kSimpleGemm = R"(
%A:[64,32:1,64].fp16.GL  %B:[32,64:1,32].fp16.GL  %C:[64,64:1,64].fp16.GL
#grid:[2,2:1,2].block  #cta:[8,8:1,8].thread
%C <- Spec<<<#grid,#cta>>>(%A,%B) {
  (@bm,@bn) = #grid.indices()
  (@tm,@tn) = #cta.indices()
  for(k=0; k<32; k+=1) { for(m=0; m<4; m+=1) { for(n=0; n<4; n+=1) {
    %A1 = %A.tile([32:1],_)  %A2 = %A1[@bm,0]
    %B1 = %B.tile(_,[32:1])  %B2 = %B1[0,@bn]
    %C1 = %C.tile([32:1],[32:1])  %C2 = %C1[@bm,@bn]
    %A3 = %A2.tile([4:1],_)  %A4 = %A3[@tm,0]
    %B3 = %B2.tile(_,[4:1])  %B4 = %B3[0,@tn]
    %C3 = %C2.tile([4:1],[4:1])  %C4 = %C3[@tm,@tn]
    %a = %A4[m,k]  %b = %B4[k,n]  %c = %C4[m,n]
    #b1 = #grid.scalar()  #t1 = #cta.scalar()
    %c <- MatMul<<<#b1,#t1>>>(%a,%b)
  }}}
}
)";

// C5: a 32x32 transpose through padded shared memory. SYNC and INSIDE are replaced by what is between and around.
inline const std::string kTranspose = R"(
%in:[32,32:32,1].fp32.GL  %out:[32,32:1,32].fp32.GL
#b:[1].block  #t:[32,32].thread
%out <- Move<<<#b,#t>>>(%in) {
  (@y, @x) = #t.indices()
  #one = #t.scalar()  #g = #b.scalar()
  %s : [32,32:33,1].fp32.SH
  %from = %in[@y, @x]
  %to = %s[@y, @x]
  %to <- Move<<<#g,#one>>>(%from)
  SYNC
  %q = %s[@x, @y]
  %o = %out[@x, @y]
  %o <- Move<<<#g,#one>>>(%q)
}
)";
