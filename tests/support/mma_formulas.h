// The fragments of mma.sync as PTX states them: the place of value i of a lane.
//
//     mmaA(16, 16, 16, lane, i)     m16n8k16, A of 16 bits: (row, k)
//     mmaB(16, lane, i)             (column n, k)
//     mmaC(16, lane, i)             (row, column)
//
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k*", one branch a section; g = groupID, q = threadID_in_group.
#pragma once

#include "core/base/types.h"

namespace tessera::test {

struct Place {
  i64 row, col;
};

inline Place mmaA(i64 m, i64 bits, i64 k, i64 lane, i64 i) {
  const i64 g = lane >> 2, q = lane % 4;
  if (m == 8) {
    if (bits == 64) return {g, q};
    if (bits == 8) return {g, q * 4 + i};
    if (bits == 4) return {g, q * 8 + i};
    return {g, q * 32 + i};
  }
  if (bits == 64) {  // .f64: m16n8k4, k8, k16
    return {i % 2 == 0 ? g : g + 8, q + 4 * (i / 2)};
  }
  if (bits == 32) {  // .tf32: m16n8k4, k8
    if (k == 4) return {i == 0 ? g : g + 8, q};
    return {i == 0 || i == 2 ? g : g + 8, i < 2 ? q : q + 4};
  }
  if (bits == 16) {
    if (k == 8) return {i < 2 ? g : g + 8, q * 2 + (i & 1)};
    const bool upper = i < 2 || (i >= 4 && i < 6);
    return {upper ? g : g + 8, i < 4 ? q * 2 + (i & 1) : q * 2 + (i & 1) + 8};
  }
  if (bits == 8) {
    if (k == 16) return {i < 4 ? g : g + 8, q * 4 + (i & 3)};
    const bool upper = i < 4 || (i >= 8 && i < 12);
    return {upper ? g : g + 8, i < 8 ? q * 4 + (i & 3) : q * 4 + (i & 3) + 16};
  }
  if (bits == 4) {
    if (k == 32) return {i < 8 ? g : g + 8, q * 8 + (i & 7)};
    const bool upper = i < 8 || (i >= 16 && i < 24);
    return {upper ? g : g + 8, i < 16 ? q * 8 + (i & 7) : q * 8 + (i & 7) + 32};
  }
  if (k == 128) return {i < 32 ? g : g + 8, q * 32 + (i & 31)};
  const bool upper = i < 32 || (i >= 64 && i < 96);
  return {upper ? g : g + 8, i < 64 ? q * 32 + (i & 31) : q * 32 + (i & 31) + 128};
}

// B as (n, k).
inline Place mmaB(i64 bits, i64 lane, i64 i) {
  const i64 g = lane >> 2, q = lane % 4;
  if (bits >= 32) return {g, q + 4 * i};
  if (bits == 16) return {g, q * 2 + (i & 1) + 8 * (i / 2)};
  if (bits == 8) return {g, q * 4 + (i & 3) + 16 * (i / 4)};
  if (bits == 4) return {g, q * 8 + (i & 7) + 32 * (i / 8)};
  return {g, q * 32 + (i & 31) + 128 * (i / 32)};
}

inline Place mmaC(i64 m, i64 lane, i64 i) {
  const i64 g = lane >> 2, q = lane % 4;
  if (m == 8) return {g, q * 2 + (i & 1)};
  return {i < 2 ? g : g + 8, q * 2 + (i & 1)};
}

}  // namespace tessera::test
