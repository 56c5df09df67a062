// inspector: the hovered or pinned cell as a derivation, top to bottom: logical -> digits -> address bits -> and back.
#pragma once

#include <string>
#include <vector>

#include "app/session/session.h"

namespace tessera::panes {

// One row of the derivation. Pure data, so that tests and the window read the same.
struct Fact {
  enum class Kind { Row, Bits, Check };
  std::string section;  // "logical", "digits", "address", "back to logical"
  std::string name, value;
  Kind kind = Kind::Row;
  u64 bits = 0, read = 0, write = 0;  // Bits: the value and the swizzle's fields
  int bitCount = 0;
};

// The derivation of an element's address: logical -> digits -> address bits -> and back; empty for what is no element of
// this layout. Of an outcome: of the layout that its line shows.
[[nodiscard]] std::vector<Fact> factsAbout(const Value& value, Point point);
[[nodiscard]] std::vector<Fact> factsAbout(const Outcome& outcome, Point point);

// All that is known of a cell of any picture: its elements, the first one's derivation, byte, word and bank, phase,
// wavefront and lanes of the access that the sheet speaks of (else of the usual one), lane and register that hold it.
[[nodiscard]] std::vector<Fact> factsAt(const Snapshot& now, const Hover& cell);
// Where the other pictures of the sheet show it.
[[nodiscard]] std::vector<Fact> factsElsewhere(const Snapshot& now, const Hover& cell);

// What the picture itself says of a cell that is no point of a layout: a thread of an instruction, a bank. Where it is,
// what it says, and the other places of the same point.
[[nodiscard]] std::vector<Fact> factsAboutCell(const Figure& figure, const Hover& cell);

void inspector(Session& session);

}  // namespace tessera::panes
