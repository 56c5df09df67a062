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
#pragma once

#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/map/map.h"

namespace tessera {

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
// "elements", "memory", "hardware", "devices", "coordinates".
[[nodiscard]] const char* name(SpaceKind kind);

}  // namespace tessera
