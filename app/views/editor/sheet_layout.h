// SheetLayout: maps between bytes of a worksheet and positions on its page.
//
// The page is a column of *blocks*: a run of statements, a paragraph of a comment, a heading, an item, a blank comment
// line. A block is displayed as *rows*: statements and the caret's block as written (long lines wrap with a hanging
// indent), other comments as flowing prose without marks (prose.h).
//
//     // Groups of `2^3` stay
//     // together.                    one block, one row:   Groups of 2^3 stay together.
//     A = (8,64):(64,1)               one block, a row per line
//
// Laws (tests/gui/prose_test.cpp, for every byte of every lesson):
//   - every byte has one place: place(b) is in exactly one row, and places are in byte order;
//   - every place has one byte: offsetAt(place(b)) is at the same place; where text is shown as written it is b itself.
//
// Cost: the layout is recomputed only if text, width, notes or the caret's block change. Blocks store only their
// height; rows are created for visible blocks. So 16 MiB of text cost one pass over its lines.
//
// Not a widget: it measures through a function, so that tests need no font.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/engine/prose.h"

namespace tessera {

struct Run {
  std::size_t begin = 0, end = 0;
  float x = 0, width = 0;
  Ink ink = Ink::Source;
  std::size_t targetBegin = 0, targetEnd = 0;  // Link
};
// Bytes [begin, end), plus end itself if the line (in prose: the block) ends here.
struct Row {
  std::size_t begin = 0, end = 0;
  bool ends = false;        // the byte `end` is the newline or the end of the text, and is in this row
  bool startsLine = false;  // first row of a line, as written
  std::uint32_t line = 0;   // 0-based
  std::size_t comment = std::string_view::npos;  // as written: start of the line's comment
  float y = 0, height = 0;                       // relative to the block's top
  std::vector<Run> runs;
};

// Attachments of a line: a value, after it if there is room, sliders and a card below.
struct Hanging {
  std::size_t valueChars = 0;  // 0: none
  std::size_t valueRows = 0;   // if it does not fit after the line
  float card = 0;
  float sliders = 0;
};

struct SheetStyle {
  float width = 400;  // of the text column
  float advance = 8;  // of a character as written
  float line = 22;    // height of a row as written
  float prose = 20;   // of a row of prose
  float title = 27, heading = 22;
  float gap = 10;  // height of a blank comment line
  float pad = 2;   // around a paragraph; larger above headings
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

// Breaks a text as written into rows of at most `room` characters: after blanks and commas, and before a comment that
// does not fit. The rows are the text in pieces; the first one holds firstRoom characters.
[[nodiscard]] std::vector<std::string_view> broken(std::string_view text, std::size_t firstRoom, std::size_t room);

class SheetLayout {
 public:
  using Measure = std::function<float(Ink, std::string_view)>;

  // revealed: a byte whose block is shown as written. Cheap if nothing has changed; returns whether something has.
  // `text` must stay valid until the next update.
  bool update(const std::string& text, std::uint64_t revision, const SheetStyle& style, const Measure& measure,
              std::optional<std::size_t> revealed, const std::map<int, Hanging>& hanging, std::uint64_t hangingVersion);

  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] double height() const;
  [[nodiscard]] std::size_t blockOf(std::size_t byte) const;
  [[nodiscard]] std::size_t blockAt(double y) const;
  [[nodiscard]] const std::vector<Row>& rows(std::size_t block) const;
  // The rows of a block as written, used by up and down. `made` receives them if they are not cached.
  [[nodiscard]] const std::vector<Row>& writtenRows(std::size_t block, std::vector<Row>& made) const;

  [[nodiscard]] Place place(std::size_t byte) const;
  [[nodiscard]] std::size_t offsetAt(float x, double y) const;
  // The byte of a row nearest to x.
  [[nodiscard]] std::size_t offsetIn(const Row& row, float x) const;
  [[nodiscard]] float xIn(const Row& row, std::size_t byte) const;
  [[nodiscard]] const Run* linkAt(float x, double y) const;
  // The byte one row up (-1) or down (1), nearest to x; the start or end of the text beyond the outer rows.
  [[nodiscard]] std::size_t vertical(std::size_t byte, int by, float x) const;
  // The last byte in the row of this one.
  [[nodiscard]] std::size_t rowEnd(std::size_t byte) const;
  [[nodiscard]] std::size_t rowBegin(std::size_t byte) const;

  // Whether a value fits after a line that occupies some columns.
  [[nodiscard]] static bool fitsAfter(std::size_t usedColumns, std::size_t valueChars, std::size_t columns);
  static constexpr std::size_t kHanging = 4;  // indentation of continued rows, in columns

 private:
  void split();
  void addLine(std::size_t begin, std::size_t end, const std::optional<CommentLine>& comment);
  [[nodiscard]] float writtenHeight(const Block& block) const;
  [[nodiscard]] float proseHeight(const Block& block);
  float addSourceRows(const Block& block, std::vector<Row>& out) const;
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
  std::unordered_map<std::size_t, float> proseHeights_;  // by hash of the block's text, for this style
  CommentLine opened_;                                   // first line of the last block, if it is a comment
};

}  // namespace tessera
