// converse: the relation turned round, from places to coordinates.
//
//     (4,8):(8,1)                 offset -> (i0: offset floordiv 8, i1: offset mod 8)
//     (4,8):(0,1)                 offset -> {(k0, offset): k0 in [0,4)}       what the layout does not tell apart
//     (4,4):(1,1)                 offset -> {(offset - k0, k0): k0 in [0,4), offset - k0 in [0,4)}
//     S[4:1@lane] + R[2:4@lane]   lane -> x: lane mod 4                        replicas of one element
//     #ttg.blocked, broadcast     (dim0, dim1) -> every (register, lane, warp) that holds the element
//
// Law: y in f(x) <=> x in converse(f)(y), as sets (Map::imageOf), for every coordinate x and every place y.
// The Index digits are f's axes, the axes f's Index digits, both by name. Where f is not injective the result is a set:
// its Fan digits range over what f does not tell apart. Where f is not onto it is guarded: a hole has no real point.
// A Fan digit of f is dropped: whichever replica gave the place, the element is the answer.
// It is not an inverse (core/map/inverse.h), which is refused when two points meet.
//
// How: an injective map by its inverse; one that is linear over bits by a pseudo-inverse of the matrix and a Fan digit
// for each run of kernel vectors, xored in; strides by the digits that nest, while the others are tried one by one (the
// guards keep those that fit). Swizzles are undone and tiled digits cut into parts first.
#pragma once

#include "core/base/result.h"
#include "core/map/inverse.h"
#include "core/map/map.h"

namespace tessera {

// Refused, with the reason: symbolic sizes, negative places (a digit counts from 0), and formulas of no such form.
[[nodiscard]] Result<Map> converse(const Map& f);
// The formulas behind it, negative places included. Where there is no choice, the values of Fan digits are those of one
// replica that gives the place; where there is one, only the Index digits' values mean anything.
[[nodiscard]] Result<BackFormula> backFormula(const Map& f);

}  // namespace tessera
