// Distribution: which element of a logical tile each register of each thread holds.
//
//     [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]     Axe: element (0,1) is register 1 of lane 0
//     [16,16] as ((4,8),(2,2,2)):((32,1),(16,8,128))                  CuTe: (thread, register) -> row + rows * column
//     [16,16] as mma.m16n8k16.f32.f16.f16.f32 A                       the atlas: this operand of the instruction
//
// Registers are addresses of the register tensor (offset + sum of digit * stride), so every view of it holds the same
// elements. Threads count from the first of the tensor's warp (`lane`) or block (`tid`; warp w, lane l is 32 w + l).
//
// Law: each (thread, register) holds one element or none; an element may be held several times (replication).
//
// Source: ours. Graphene's shapes alone do not determine the element in register i of lane t.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tessera::graphene {

struct Distribution {
  std::vector<i64> extents;  // of the logical tile, [16,16]
  std::string layout;        // as printed: "S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]"
  i64 threads = 0;           // 32; in a larger block, thread t is t % threads of its copy of the tile
  i64 registers = 0;         // 8
  std::vector<i64> element;  // [thread * registers + register]: row-major index into the tile, -1: none
  [[nodiscard]] i64 at(i64 thread, i64 reg) const {
    const i64 t = thread % threads;
    return reg < 0 || reg >= registers ? -1 : element[static_cast<std::size_t>(t * registers + reg)];
  }
  bool operator==(const Distribution&) const = default;
};

// Shared by all views of a tensor; compared by value.
struct Holds {
  std::shared_ptr<const Distribution> is;
  explicit operator bool() const { return is != nullptr; }
  const Distribution* operator->() const { return is.get(); }
  bool operator==(const Holds& other) const {
    return is == other.is || (is != nullptr && other.is != nullptr && *is == *other.is);
  }
};

}  // namespace tessera::graphene
