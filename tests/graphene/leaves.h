// Leaves of small programs for the tests of atoms.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "core/graphene/program.h"

namespace tessera::graphene::test {

// Figure 1d, as the paper prints it.
inline const std::string kFigure1d = R"(%1 : [16, 16].fp16.SH
%2 : [ 2, 4].fp16.RF
#3 : [ 1].block
#4 : [32].thread
%2 <- Move<<<#3, #4>>>(%1) {
#5 : [4].[8].thread = #4.tile(8)
#6 : [2,2].[8].thread = #5.reshape(0, [2,2])
(@thr_grp_m, @thr_grp_n), @grp_local_idx = #6.indices()
%7 : [2, 2].[8, 8].fp16.SH = %1.tile([8, 8])
%8 : [8, 8].fp16.SH = %7[@thr_grp_m, @thr_grp_n]
%9 : [8, 1].[1, 8].fp16.SH = %8.tile([1, 8])
%10 : [1, 8].fp16.SH = %9[@grp_local_idx, 0]
%11 : [2, 2].[1, 2].fp16.RF = %2.tile([1, 2])
%11 <- Move<<<#3, #4>>>(%10) }
)";

inline const std::string kFigure8 = R"(
%A:[1024,1024:1,1024].fp16.GL  %B:[1024,1024:1,1024].fp16.GL  %C:[1024,1024:1,1024].fp16.GL
#grid:[8,8:1,8].block          #cta:[16,16:1,16].thread
%C <- Spec<<<#grid,#cta>>>(%A,%B) {
  (@bm,@bn) = #grid.indices()
  (@tm,@tn) = #cta.indices()
  for(k=0; k<1024; k+=1) { for(m=0; m<8; m+=1) { for(n=0; n<8; n+=1) {
    %A1 = %A.tile([128:1],_)      %A2 = %A1[@bm,0]
    %B1 = %B.tile(_,[128:1])   %B2 = %B1[0,@bn]
    %C1 = %C.tile([128:1],[128:1])  %C2 = %C1[@bm,@bn]
    %A3 = %A2.tile([8:1],_)          %A4 = %A3[@tm,0]
    %B3 = %B2.tile(_,[8:1])       %B4 = %B3[0,@tn]
    %C3 = %C2.tile([8:1],[8:1])     %C4 = %C3[@tm,@tn]
    %a = %A4[m,k]   %b = %B4[k,n]   %c = %C4[m,n]
    #b1 = #grid.scalar()   #t1 = #cta.scalar()
    %c <- MatMul<<<#b1,#t1>>>(%a,%b)
  }}}
}
)";

// The first specification without a body; nullptr: there is none.
inline const Spec* leafIn(const Body& body) {
  for (const Statement& s : body) {
    const Spec* found = nullptr;
    if (const auto* spec = std::get_if<Spec>(&s.what)) found = spec->decomposed ? leafIn(spec->body) : spec;
    if (const auto* loop = std::get_if<Loop>(&s.what)) found = leafIn(loop->body);
    if (const auto* branch = std::get_if<Branch>(&s.what)) found = leafIn(branch->then);
    if (found != nullptr) return found;
  }
  return nullptr;
}

inline Spec firstLeaf(const std::string& text) {
  const auto program = readProgram(text);
  INFO(text << (program ? "" : "\n" + program.error().message));
  REQUIRE(program.ok());
  const Spec* leaf = leafIn(program->specs);
  REQUIRE(leaf != nullptr);
  return *leaf;
}

// `statements` end with the leaf.
inline Spec leafOf(const std::string& declarations, const std::string& statements) {
  return firstLeaf(declarations + " %out:[].fp32.GL #bb:[1].block #tt:[1].thread\n%out <- Spec<<<#bb,#tt>>>() {\n" +
                   statements + "\n}\n");
}

}  // namespace tessera::graphene::test
