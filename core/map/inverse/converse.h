// converse: the inverse relation, from places to coordinates.
//
//     (4,8):(8,1)                 offset -> (i0: offset floordiv 8, i1: offset mod 8)
//     (4,8):(0,1)                 offset -> {(k0, offset): k0 in [0,4)}       coordinates that share a place
//     (4,4):(1,1)                 offset -> {(offset - k0, k0): k0 in [0,4), offset - k0 in [0,4)}
//     S[4:1@lane] + R[2:4@lane]   lane -> x: lane mod 4                        replicas of one element
//     #ttg.blocked, broadcast     (dim0, dim1) -> every (register, lane, warp) that holds the element
//
// Law: y in f(x) <=> x in converse(f)(y), as sets (Map::imageOf), for every coordinate x and every place y.
// The Index digits are f's axes, the axes f's Index digits, both by name. If f is not injective the result is a set:
// its Fan digits range over the coordinates that share a place. If f is not onto, the result is guarded: a hole has no
// real point. Fan digits of f are dropped: every replica of an element gives the same answer. It is not an inverse
// (core/map/inverse/inverse.h), which does not exist if two points share a place.
//
// How: an injective map by its inverse; a map linear over bits by a pseudo-inverse of its matrix and one Fan digit per
// run of kernel vectors, xored in; a strided map by its nesting digits, trying the others one by one (guards keep those
// that fit). Before that, swizzles are undone and tiled digits are split.
#pragma once

#include "core/base/result.h"
#include "core/map/inverse/inverse.h"
#include "core/map/map.h"

namespace tessera {

// Refused, with the reason: symbolic sizes, negative places (a digit counts from 0), and formulas of other forms.
[[nodiscard]] Result<Map> converse(const Map& f);
// The formulas of the converse, negative places included. If a place has one coordinate, the values of Fan digits are
// those of one replica at that place; otherwise only the values of Index digits are meaningful.
[[nodiscard]] Result<BackFormula> backFormula(const Map& f);

}  // namespace tessera
