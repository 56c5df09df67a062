// inverse: computes the point from its axis values.
//
//     (4,8):(8,1)                 offset = i*8 + j    ->  i = offset floordiv 8, j = offset mod 8       by strides
//     (4,8):(10,1)                the same with 10; offsets 8, 9, 18, 19 ... are holes                  by strides
//     tiles of 2 x 2              i is split into i floordiv 2 and i mod 2, then by strides             by strides
//     Sw<3,3,3> o (8,64):(64,1)   the bit matrix is inverted                                            by F2
//     Sw<3,3,3> o (6,64):(72,1)   the swizzle is undone, then by strides          by strides under a swizzle
//     lane = t mod 4, row = t floordiv 4                                                                by F2
//     any other small map         by lookup                                                             by table
//
// The point has one value per digit, Fan digits included (the placement law requires injectivity on Index x Fan).
// Guards are respected: only real points are found. Several axes are inverted jointly.
// Law: inverse(f)->find(f(p)) == p for every real point p of f; find(x) == nullopt if no real point maps to x. A map
// that is not injective is refused with two points that share a place, when the method finds such a pair: a digit that
// moves nothing, two colliding strides, a kernel vector of the bit matrix, or a duplicate in the table. Not CuTe's
// right_inverse, which returns a layout and may cover only part of the image. For maps that are not injective see
// converse below.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

// The inverse as formulas: Digit a is the place on axis a, in places[a] if it is hit (negative places included, which a
// Map's digits do not allow).
struct BackFormula {
  std::string method;  // "strides", "strides under a swizzle", "F2"
  std::vector<Range> places;
  std::vector<Expr> values;    // one per digit of the map
  std::vector<Guard> guards;   // satisfied by exactly the places that are hit
  std::vector<Digit> choices;  // Digit axes + t: free choices (converse below); empty for an inverse
};

class Inverse {
 public:
  virtual ~Inverse() = default;
  // The point (one value per digit) with these axis values; nullopt: a hole. Requires one value per axis.
  [[nodiscard]] virtual std::optional<std::vector<i64>> find(std::span<const i64> axes) const = 0;
  [[nodiscard]] std::optional<std::vector<i64>> find(i64 x) const { return find(std::span<const i64>(&x, 1)); }
  // "strided", "swizzle, strided", "F2", "table"
  [[nodiscard]] virtual std::string method() const = 0;
  [[nodiscard]] virtual Result<BackFormula> formula() const = 0;
};

// Tries strides, then F2, then strides of the digits' parts under a swizzle, then a table of at most tableLimit points.
[[nodiscard]] Result<std::shared_ptr<const Inverse>> inverse(const Map& map, i64 tableLimit = i64{1} << 22);

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
// (above), which does not exist if two points share a place.
//
// How: an injective map by its inverse; a map linear over bits by a pseudo-inverse of its matrix and one Fan digit per
// run of kernel vectors, xored in; a strided map by its nesting digits, trying the others one by one (guards keep those
// that fit). Before that, swizzles are undone and tiled digits are split.

// Refused, with the reason: symbolic sizes, negative places (a digit counts from 0), and formulas of other forms.
[[nodiscard]] Result<Map> converse(const Map& f);
// The formulas of the converse, negative places included. If a place has one coordinate, the values of Fan digits are
// those of one replica at that place; otherwise only the values of Index digits are meaningful.
[[nodiscard]] Result<BackFormula> backFormula(const Map& f);

}  // namespace tessera
