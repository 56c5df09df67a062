// A program for tests of the window: a move of a 16 x 16 tile by ldmatrix, right or with its quarters exchanged.
#pragma once

#include <string>

// `quarter`: the index of a group's quarter. "@gm, @gn" is right, "@gn, @gm" exchanges two of them.
inline std::string moveProgram(const std::string& quarter = "@gm, @gn") {
  return R"(graphene move {
%src : [16,16].fp16.SH
%dst : [2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
#blk : [1].block   #warp : [32].thread
%dst <- Move<<<#blk, #warp>>>(%src) {
#g = #warp.tile(8).reshape(0, [2,2])
(@gm, @gn), @r = #g.indices()
%row = %src.tile(8,8)[)" +
         quarter + R"(].tile(1,8)[@r, 0]
%f = %dst.tile(1,2)
%f <- Move<<<#blk, #warp>>>(%row)
}
}
)";
}
