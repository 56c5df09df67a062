// Arrow and Space. An Arrow is the form in which every consumer reads a layout: a Map between two spaces.
//
//     (4,8):(8,1)                    Elements(4,8) -> Memory        (i0, i1) -> offset: i0 * 8 + i1
//     #blocked over (16,8)           Hardware -> Elements(16,8)     (register, lane) -> (dim0, dim1)
//     S[(16,8):(8,1)] over (16,8)    Elements(16,8) -> Memory
//
// Law: the Index digits of `map` are the digits of from.modes, mode by mode in order, with the same extents; the axes
// of `map` are the coordinates of `to`, in order (to.modes is empty or has one mode per axis).
//
// Views, claims, searches, the inspector and the translations take only arrows; they compose arrows and invert those of
// the other direction. Why not the notation itself: forty places once tested "is this a CuTe layout?", and half of them
// missed the notation added last (XLA).
//
// It is not a notation: the profile of a shape and its algebra belong to the notation's own value (core/notation).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/map/map.h"

namespace tessera {

// Space: the meaning of the coordinates on one side of a layout, their grouping, and their order in a linear index.
//
//     (4,8):(8,1)                     Elements, modes 4 and 8, colex      ->  Memory
//     ((2,2),8):((1,16),2)            Elements, modes 4 = (2,2) and 8     ->  Memory
//     f32[4,8]{1,0}                   Elements, modes 4 and 8, lex        ->  Memory, 32 bits per element
//     S[(8,4):(4@lane,1@lane)]        Elements, modes 8 and 4, lex        ->  Hardware, lane below 32
//     #ttg.blocked<..> over (16,8)    Hardware (register, lane, warp)     ->  Elements, modes 16 and 8, lex
//
// A Map (core/map) gives the numbers; it does not say that its first two digits are one mode of a CuTe shape, that a
// linear index counts the last dimension fastest, or that its axis is a lane. A Space adds exactly that. The notations
// use two orders: CuTe counts the first mode fastest (colex), Axe, XLA and C arrays the last one (lex). Inside a mode
// the digits are always colex: a nested CuTe mode is one number whose leftmost leaf is fastest.
enum class SpaceKind : unsigned char {
  Elements,     // of a tensor: logical coordinates
  Memory,       // addresses, in elements; elementBits if the notation gives them
  Hardware,     // lane, reg, warp, TLane ...: named axes
  Devices,      // of a mesh
  Banks,        // of shared memory: bank, row
  Coordinates,  // plain numbers: an indexing map, the values of a coordinate layout
};

// One coordinate: lo <= c < lo + extent, split into `digits` (their product is the extent, the first is the fastest).
struct Mode {
  std::string name;  // "" or "dim0", "lane"
  std::vector<i64> digits;
  i64 lo = 0;
  [[nodiscard]] i64 extent() const;  // saturates at 2^63-1
  bool operator==(const Mode&) const = default;
};

struct Space {
  SpaceKind kind = SpaceKind::Elements;
  std::vector<Mode> modes;  // empty if the notation does not bound the space
  LinearOrder order = LinearOrder::Colex;
  int elementBits = 0;  // Memory: bits of one element; 0 if unknown
  bool shaped = true;   // Elements: false if no shape was given and the modes are the notation's own digits
  bool operator==(const Space&) const = default;
};

// The modes' extents, one number per mode.
[[nodiscard]] std::vector<i64> extentsOf(const Space& space);
// "elements", "memory", "hardware", "devices", "banks", "coordinates".
[[nodiscard]] const char* name(SpaceKind kind);

struct Arrow {
  Space from;
  Map map;
  Space to;
  bool operator==(const Arrow&) const = default;
};

// An arrow with one mode per Index digit of the map, whose target has the map's axes.
[[nodiscard]] Arrow arrowOf(Map map, SpaceKind from, LinearOrder order, SpaceKind to);

// Product of the modes of `from`; nullopt above 2^63-1.
[[nodiscard]] std::optional<i64> sizeOf(const Arrow& arrow);
// Coordinates -> one address, as the memory views, the bank model and `find` need.
[[nodiscard]] bool isMemory(const Arrow& arrow);
// Hardware on one side, elements on the other.
[[nodiscard]] bool isDistribution(const Arrow& arrow);

// One number per mode -> one number per digit of the map (Fan digits 0). Requires numbers inside the modes.
[[nodiscard]] std::vector<i64> digitsAt(const Arrow& arrow, std::span<const i64> coord);

// The map over other Index digits: digit k of the old map is indexValues[k] over the new ones; Fan digits follow.
[[nodiscard]] Result<Map> overDigits(const Map& map, std::vector<Digit> digits, const std::vector<Expr>& indexValues,
                                     std::vector<Axis> axes);
// Whether some mode does not have exactly one digit.
[[nodiscard]] bool isNested(const Arrow& arrow);
// One digit per mode: a nested mode ((2,2) of CuTe) becomes one number, which the map splits. All variables have
// distinct names.
[[nodiscard]] Result<Arrow> withWholeModes(const Arrow& arrow);
// The same with simplified values: ((4,2)):((1,4)) is i0. Returns the arrow unchanged if no mode nests.
[[nodiscard]] Result<Arrow> withSimplerModes(const Arrow& arrow);

// The inverse relation: y in arrow(x) <=> x in converse(arrow)(y), by a computed inverse of the map; set-valued if two
// coordinates share a place, guarded if some place is not hit. A Diag: no formula is known.
[[nodiscard]] Result<Arrow> converse(const Arrow& arrow);

// The codomain of an arrow: the places that surjective and bijective cover if no number is given.
//
//     f32[3,128]{1,0:T(8,128)}         1024 slots, padding included: declared by the array
//     S[8:1@lane]                      32 lanes: given by the hardware
//     dim0 = [[1],[2]] -> offset 8     8 offsets: given in the text
//     (4,8):(12,1)                     [0, 44): one more than the largest value
//     Sw<1,2,3> o S[8:1]               [0, 8): the largest value, not the swizzle's period
//
// Law: without a declaration the codomain ends at the largest value, in any notation and formula. So equal layouts get
// the same verdict; if one of them declares more, bijective(X, n) uses the same places for both.
//
// The arrow's map with the codomain of each axis as its extent; none if the largest value is not known exactly.
[[nodiscard]] Result<Map> overCodomain(const Arrow& arrow);

}  // namespace tessera
