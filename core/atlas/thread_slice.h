// ThreadSlice: a tiled mma or copy as one thread sees it: CuTe's ThrMMA and ThrCopy.
//
//     get_slice(make_tiled_mma(mma.m16n8k16.f16, (2,2,1)), 37)      thr_vmnk (5,1,0,0): lane 5 of warp 1
//
// It is a value of the worksheet that the partition functions take; it is no layout, and has no arrow.
#pragma once

#include <string>
#include <variant>

#include "core/atlas/tiled.h"
#include "core/base/result.h"
#include "core/layout/layout.h"

namespace tessera {

struct ThreadSlice {
  std::variant<TiledMma, TiledCopy> of;
  i64 thread = 0;
  bool operator==(const ThreadSlice& other) const;
};
// A Diag if there is no such thread.
[[nodiscard]] Result<ThreadSlice> threadSlice(TiledMma mma, i64 thread);
[[nodiscard]] Result<ThreadSlice> threadSlice(TiledCopy copy, i64 thread);
[[nodiscard]] std::string print(const ThreadSlice& slice);

template <>
struct NotationOf<ThreadSlice> {
  static std::string_view kind(const ThreadSlice& s) { return s.of.index() == 0 ? "thr_mma" : "thr_copy"; }
  static std::string_view noun(const ThreadSlice& s) {
    return s.of.index() == 0 ? "a thread's slice of a tiled mma" : "a thread's slice of a tiled copy";
  }
  static Result<Arrow> arrow(const ThreadSlice& slice);
  static constexpr std::string_view kFamily = "slice";
};

}  // namespace tessera
