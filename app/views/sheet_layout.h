// SheetLayout: where each byte of a worksheet stands on its page, and which byte stands at a place.
//
// The page is a column of *blocks*: a run of statements, a paragraph of a comment, a heading, an item, a blank comment
// line. A block is shown as *rows*: statements and the caret's own block as they are written (long lines wrap with a
// hanging indent), the other comments as flowing prose without their marks (prose.h).
//
//     // Groups of `2^3` stay
//     // together.                    one block, one row:   Groups of 2^3 stay together.
//     A = (8,64):(64,1)               one block, a row a line
//
// Laws (tests/gui/prose_test.cpp, for every byte of every lesson):
//   - every byte has one place: place(b) is in exactly one row, and places come in the order of their bytes;
//   - every place has one byte: offsetAt(place(b)) is at the same place; where text is shown as written it is b itself.
//
// Cost: laid out when text, width, notes or the caret's block change, never in a frame without a change. Blocks know
// only their height; the rows are made for those that are seen. So 16 MiB of text cost one pass over its lines.
//
// What it is not: a widget. It measures through a function, so that tests need no font.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/views/prose.h"

namespace tessera {

enum class Ink : unsigned char { Source, Body, Strong, Emphasis, Code, Link, Title, Heading, Bullet, Join };

struct Run {
  std::size_t begin = 0, end = 0;
  float x = 0, width = 0;
  Ink ink = Ink::Source;
  std::size_t targetBegin = 0, targetEnd = 0;  // Link
};
// Bytes [begin, end), and end itself when the line (prose: the block) ends here.
struct Row {
  std::size_t begin = 0, end = 0;
  bool ends = false;        // the byte `end` is the newline or the end of the text, and stands here
  bool startsLine = false;  // the first row of a line, as written
  std::uint32_t line = 0;   // 0-based
  std::size_t comment = std::string_view::npos;  // as written: where the line's comment begins
  float y = 0, height = 0;                       // below the block's top
  std::vector<Run> runs;
};

// What hangs below a line: a value that may find room behind it, a card.
struct Hanging {
  std::size_t valueChars = 0;  // 0: none
  std::size_t valueRows = 0;   // that it takes when it finds no room behind the line
  float card = 0;
};

struct SheetStyle {
  float width = 400;  // of the text column
  float advance = 8;  // of one character as written
  float line = 22;    // height of a row as written
  float prose = 20;   // of a row of prose
  float title = 27, heading = 22;
  float gap = 10;  // a blank comment line
  float pad = 2;   // around a paragraph; headings have more above them
  bool operator==(const SheetStyle&) const = default;
  [[nodiscard]] std::size_t columns() const;
};

struct Place {
  std::size_t block = 0, row = 0;
  float x = 0;
  double y = 0;
  float height = 0;
};

struct Block {
  enum class Kind : unsigned char { Code, Paragraph, Heading, Item, Blank };
  Kind kind = Kind::Code;
  bool source = true;  // shown as written
  std::size_t begin = 0, end = 0;
  std::uint32_t firstLine = 0, lines = 0;
  std::size_t longest = 0;  // bytes of its longest line
  double y = 0;
  float height = 0;
};

// Where a text as written is broken so that a row holds so many characters: behind blanks and commas, and before a
// comment that does not fit. The begin of each row; the first row may hold another number.
[[nodiscard]] std::vector<std::size_t> brokenAt(std::string_view text, std::size_t firstRoom, std::size_t room);

class SheetLayout {
 public:
  using Measure = std::function<float(Ink, std::string_view)>;

  // revealed: the byte whose block is shown as written. Cheap when nothing has changed; true when something has.
  // `text` must stay where it is until the next update.
  bool update(const std::string& text, std::uint64_t revision, const SheetStyle& style, const Measure& measure,
              std::optional<std::size_t> revealed, const std::map<int, Hanging>& hanging, std::uint64_t hangingVersion);

  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] double height() const;
  [[nodiscard]] std::size_t blockOf(std::size_t byte) const;
  [[nodiscard]] std::size_t blockAt(double y) const;
  [[nodiscard]] const std::vector<Row>& rows(std::size_t block) const;
  // The same block as it would be written: what up and down walk through. `made` holds the rows when they are not kept.
  [[nodiscard]] const std::vector<Row>& writtenRows(std::size_t block, std::vector<Row>& made) const;

  [[nodiscard]] Place place(std::size_t byte) const;
  [[nodiscard]] std::size_t offsetAt(float x, double y) const;
  // The byte of a row that is nearest to x.
  [[nodiscard]] std::size_t offsetIn(const Row& row, float x) const;
  [[nodiscard]] float xIn(const Row& row, std::size_t byte) const;
  [[nodiscard]] const Run* linkAt(float x, double y) const;
  // The byte one row up (-1) or down (1), nearest to x; the text's begin or end beyond the last row.
  [[nodiscard]] std::size_t vertical(std::size_t byte, int by, float x) const;
  // The last byte that stands in the row of this one.
  [[nodiscard]] std::size_t rowEnd(std::size_t byte) const;
  [[nodiscard]] std::size_t rowBegin(std::size_t byte) const;

  // Whether a value has room behind a line that is filled up to a column.
  [[nodiscard]] static bool standsBehind(std::size_t usedColumns, std::size_t valueChars, std::size_t columns);
  static constexpr std::size_t kHanging = 4;  // columns that a continued statement is indented by

 private:
  void split();
  void addBlock(Block::Kind kind, std::size_t begin, std::size_t end);
  void addCode(std::size_t begin, std::size_t end);
  void addComment(std::size_t begin, std::size_t end, const CommentLine& line);
  void finish(Block& block);
  [[nodiscard]] float writtenHeight(const Block& block) const;
  [[nodiscard]] float proseHeight(const Block& block);
  void breakLine(std::size_t begin, std::size_t end, std::uint32_t line, std::vector<Row>& out) const;
  [[nodiscard]] std::vector<Row> sourceRows(const Block& block) const;
  [[nodiscard]] std::vector<Row> proseRows(const Block& block) const;
  [[nodiscard]] float hangingBelow(std::uint32_t line, std::size_t usedColumns) const;

  const std::string* text_ = nullptr;
  std::uint64_t revision_ = ~std::uint64_t{0}, hangingVersion_ = ~std::uint64_t{0};
  SheetStyle style_;
  Measure measure_;
  std::optional<std::size_t> revealed_;
  std::map<int, Hanging> hanging_;
  std::vector<Block> blocks_;
  mutable std::unordered_map<std::size_t, std::vector<Row>> rows_;
  std::unordered_map<std::size_t, float> proseHeights_;  // by the hash of the block's text, for this style
  CommentLine opened_;                                   // the first line of the last block, when it is a comment
};

}  // namespace tessera
