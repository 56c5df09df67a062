// inspector: the derivation of the hovered or pinned cell, from top to bottom: logical coordinate -> digits -> address
// bits, and back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace tessera::panes {

// One row of the derivation. Pure data, shared by tests and the window.
struct Fact {
  enum class Kind { Row, Bits, Check };
  std::string section;  // "logical", "digits", "address", "back to logical"
  std::string name, value;
  Kind kind = Kind::Row;
  u64 bits = 0, read = 0, write = 0;  // Bits: the value and the swizzle's fields
  int bitCount = 0;
};

struct Facts : std::vector<Fact> {
  void add(std::string section, std::string name, std::string value, Fact::Kind kind = Fact::Kind::Row) {
    push_back({std::move(section), std::move(name), std::move(value), kind});
  }
  void append(const Facts& more) { insert(end(), more.begin(), more.end()); }
};

// The derivation of an element's address: logical -> digits -> address bits -> and back; empty if the point is not an
// element of this layout. For an outcome: of its line's layout.
[[nodiscard]] Facts factsAbout(const Value& value, Point point);

// All facts about a cell of any picture: its elements, the first one's derivation, byte, word and bank; phase,
// wavefront and lanes of the access named in the sheet (else of the usual one); the lane and register that hold it.
[[nodiscard]] Facts factsAt(const Snapshot& now, const Hover& cell);
// The corresponding cells in the other pictures of the sheet.
[[nodiscard]] Facts factsElsewhere(const Snapshot& now, const Hover& cell);

// Facts about a cell in the reads view of an HLO instruction: an output element and its reads of each operand, or an
// operand element and its readers. nullopt: the cell is not of a reads picture.
[[nodiscard]] std::optional<Facts> readsFacts(const Outcome& seen, const Hover& cell);

// Facts from the picture about a cell that is not a point of a layout: a thread of an instruction, a bank. Its
// position, its text, and the other places of the same point.
[[nodiscard]] Facts factsAboutCell(const Figure& figure, const Hover& cell);

// "(2, 3)", "5"
[[nodiscard]] std::string tupleText(const std::vector<i64>& values);
// The texts of at most `most` points: "0 1 2 and 5 more".
[[nodiscard]] std::string listed(const std::vector<Point>& points, std::size_t most,
                                 const std::function<std::string(const Point&)>& text);

void inspector(Session& session);

}  // namespace tessera::panes
