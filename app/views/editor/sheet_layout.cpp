#include "app/views/editor/sheet_layout.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/chars.h"
#include "core/base/types.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostLines = 64;      // per block of statements
constexpr std::size_t kMostBytes = 16 << 10;  // likewise, unless a single line is longer

std::size_t rowWith(std::size_t byte, const std::vector<Row>& rows) {
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), byte, [](std::size_t b, const Row& r) { return b < r.begin; });
  return after == rows.begin() ? 0 : static_cast<std::size_t>(after - rows.begin()) - 1;
}

std::size_t lineEnd(std::string_view t, std::size_t at) { return std::min(t.find('\n', at), t.size()); }

// Tracks lines inside `graphene NAME {` ... `}` or `hlo NAME {` ... `}`, where a comment is source and not prose.
class BlockLines {
 public:
  // Processes the next line, without its end: returns whether it starts inside a block.
  bool inside(std::string_view line) {
    const bool within = depth_ > 0;
    if (!within && !opens(line)) return false;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (graphene_ && line.substr(k, 2) == "//") break;
      if (line[k] == '"' && line.find('"', k + 1) != std::string_view::npos) k = line.find('"', k + 1);
      if (line[k] == '{') ++depth_;
      if (line[k] == '}' && --depth_ == 0) break;
    }
    return within;
  }

 private:
  bool opens(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    graphene_ = line.starts_with("graphene ");
    if (!graphene_ && !line.starts_with("hlo ")) return false;
    const std::size_t name = std::min(line.find_first_not_of(" \t", line.find(' ')), line.size());
    std::size_t end = name;
    while (end < line.size() && isNamePart(line[end])) ++end;
    const std::size_t brace = line.find_first_not_of(" \t", end);
    return end > name && brace != std::string_view::npos && line[brace] == '{';
  }
  i64 depth_ = 0;
  bool graphene_ = false;
};

}  // namespace

std::size_t SheetStyle::columns() const {
  return static_cast<std::size_t>(std::max(16.0F, std::floor(width / std::max(1.0F, advance))));
}

bool SheetLayout::update(const std::string& text, std::uint64_t revision, const SheetStyle& style,
                         const Measure& measure, std::optional<std::size_t> revealed,
                         const std::map<int, Hanging>& hanging, std::uint64_t hangingVersion) {
  const bool same =
      text_ == &text && revision_ == revision && style_ == style && hangingVersion_ == hangingVersion && measure_;
  if (same && revealed_ == revealed) return false;
  if (same) {
    // If the caret moved, nothing changes while it stays among statements or within one comment.
    const auto shown = [&](const std::optional<std::size_t>& byte) {
      if (!byte) return blocks_.size();
      const std::size_t k = blockOf(std::min(*byte, text.size()));
      return blocks_[k].kind == Block::Kind::Code ? blocks_.size() : k;
    };
    if (shown(revealed_) == shown(revealed)) {
      revealed_ = revealed;
      return false;
    }
  }
  if (!(style_ == style) || proseHeights_.size() > 200'000) proseHeights_.clear();
  text_ = &text;
  revision_ = revision;
  hangingVersion_ = hangingVersion;
  style_ = style;
  measure_ = measure;
  revealed_ = revealed;
  hanging_ = hanging;
  split();
  return true;
}

// --- blocks ----------------------------------------------------------------------------------------------------------

void SheetLayout::addCode(std::size_t begin, std::size_t end) {
  if (!blocks_.empty()) {
    Block& b = blocks_.back();
    if (b.kind == Block::Kind::Code && b.lines < kMostLines && end - b.begin < kMostBytes) {
      b.end = end;
      b.longest = std::max(b.longest, end - begin);
      ++b.lines;
      return;
    }
  }
  addBlock(Block::Kind::Code, begin, end);
}

void SheetLayout::addBlock(Block::Kind kind, std::size_t begin, std::size_t end) {
  Block b;
  b.kind = kind;
  b.begin = begin;
  b.end = end;
  b.longest = end - begin;
  b.firstLine = blocks_.empty() ? 0 : blocks_.back().firstLine + blocks_.back().lines;
  b.lines = 1;
  blocks_.push_back(b);
}

void SheetLayout::addComment(std::size_t begin, std::size_t end, const CommentLine& line) {
  using Kind = Block::Kind;
  if (!blocks_.empty()) {
    Block& b = blocks_.back();
    const bool open = (b.kind == Kind::Paragraph || b.kind == Kind::Item) && end - b.begin < kMostBytes;
    if (open && flowsOn(opened_, line)) {
      b.end = end;
      b.longest = std::max(b.longest, end - begin);
      ++b.lines;
      return;
    }
  }
  if (line.kind == CommentKind::Verbatim) return addCode(begin, end);
  addBlock(line.kind == CommentKind::Heading ? Kind::Heading
           : line.kind == CommentKind::Item  ? Kind::Item
           : line.kind == CommentKind::Blank ? Kind::Blank
                                             : Kind::Paragraph,
           begin, end);
  opened_ = line;
}

void SheetLayout::split() {
  const std::string_view t = *text_;
  blocks_.clear();
  rows_.clear();
  BlockLines program;
  for (std::size_t at = 0;;) {
    const std::size_t end = at < t.size() && t[at] == '\n' ? at : lineEnd(t, at);
    const bool source = program.inside(t.substr(at, end - at));
    const auto comment = source || end - at < 2 ? std::nullopt : readComment(t, at, end);
    if (comment) {
      addComment(at, end, *comment);
    } else {
      addCode(at, end);
    }
    if (end == t.size()) break;
    at = end + 1;
  }
  double y = 0;
  for (Block& b : blocks_) {
    finish(b);
    b.y = y;
    y += static_cast<double>(b.height);
  }
}

void SheetLayout::finish(Block& block) {
  block.source = block.kind == Block::Kind::Code || (revealed_ && *revealed_ >= block.begin && *revealed_ <= block.end);
  block.height = block.source                       ? writtenHeight(block)
                 : block.kind == Block::Kind::Blank ? style_.gap
                                                    : proseHeight(block);
}

float SheetLayout::writtenHeight(const Block& block) const {
  const std::string_view t = *text_;
  const std::size_t columns = style_.columns();
  const auto hanging = hanging_.lower_bound(static_cast<int>(block.firstLine) + 1);
  const bool bare = hanging == hanging_.end() || hanging->first > static_cast<int>(block.firstLine + block.lines);
  if (bare && block.longest <= columns) return style_.line * static_cast<float>(block.lines);
  float h = 0;
  std::vector<Row> rows;
  std::size_t at = block.begin;
  for (std::uint32_t k = 0; k < block.lines; ++k) {
    const std::size_t end = lineEnd(t, at);
    std::size_t used = end - at;
    if (used <= columns) {
      h += style_.line;
    } else {
      rows.clear();
      breakLine(at, end, block.firstLine + k, rows);
      h += style_.line * static_cast<float>(rows.size());
    }
    if (!hanging_.empty() && hanging_.count(static_cast<int>(block.firstLine + k) + 1) != 0) {
      if (used > columns) {
        const Row& last = rows.back();
        used = static_cast<std::size_t>(last.runs.front().x / style_.advance + 0.5F) +
               countCodePoints(t.substr(last.begin, last.end - last.begin));
      } else {
        used = countCodePoints(t.substr(at, used));
      }
      h += hangingBelow(block.firstLine + k, used);
    }
    at = end + 1;
  }
  return h;
}

float SheetLayout::proseHeight(const Block& block) {
  const std::string_view words = std::string_view(*text_).substr(block.begin, block.end - block.begin);
  const auto [found, fresh] = proseHeights_.try_emplace(std::hash<std::string_view>{}(words));
  if (fresh) {
    const std::vector<Row> rows = proseRows(block);
    found->second = rows.back().y + rows.back().height + style_.pad;
  }
  return found->second;
}

bool SheetLayout::standsBehind(std::size_t usedColumns, std::size_t valueChars, std::size_t columns) {
  return usedColumns + 3 + 2 + valueChars <= columns;
}

float SheetLayout::hangingBelow(std::uint32_t line, std::size_t usedColumns) const {
  const auto found = hanging_.find(static_cast<int>(line) + 1);
  if (found == hanging_.end()) return 0;
  const Hanging& h = found->second;
  if (standsBehind(usedColumns, h.valueChars, style_.columns())) return h.card;
  return h.card + style_.line * static_cast<float>(h.valueRows);
}

double SheetLayout::height() const {
  return blocks_.empty() ? 0 : blocks_.back().y + static_cast<double>(blocks_.back().height);
}

std::size_t SheetLayout::blockOf(std::size_t byte) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), byte, [](std::size_t b, const Block& x) { return b < x.begin; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::size_t SheetLayout::blockAt(double y) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), y, [](double at, const Block& x) { return at < x.y; });
  return after == blocks_.begin() ? 0 : static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

// --- rows ------------------------------------------------------------------------------------------------------------

const std::vector<Row>& SheetLayout::rows(std::size_t block) const {
  const auto found = rows_.find(block);
  if (found != rows_.end()) return found->second;
  if (rows_.size() > 512) rows_.clear();
  const Block& b = blocks_[block];
  return rows_.emplace(block, b.source ? sourceRows(b) : proseRows(b)).first->second;
}

const std::vector<Row>& SheetLayout::writtenRows(std::size_t block, std::vector<Row>& made) const {
  if (blocks_[block].source) return rows(block);
  made = sourceRows(blocks_[block]);
  return made;
}

std::vector<std::string_view> broken(std::string_view t, std::size_t firstRoom, std::size_t otherRoom) {
  std::vector<std::string_view> rows;
  const std::size_t comment = t.find("//");
  for (std::size_t at = 0; at < t.size() || rows.empty();) {
    rows.push_back(t.substr(at));
    const std::size_t room = std::max<std::size_t>(1, at == 0 ? firstRoom : otherRoom);
    if (t.size() - at <= room) break;
    std::size_t stop = at, shown = 0, space = 0;
    for (; stop < t.size() && shown < room; ++shown) {
      stop = nextCodePoint(t, stop);
      if ((t[stop - 1] == ' ' || t[stop - 1] == ',') && shown > room / 3) space = stop;
    }
    if (stop == t.size()) break;
    if (comment > at && comment < stop && t.find_first_not_of(' ', at) < comment) {
      stop = comment;  // the comment gets its own rows
    } else if (t[stop] == ' ') {
      while (stop < t.size() && t[stop] == ' ') ++stop;
    } else if (space != 0) {
      stop = space;
    }
    rows.back() = t.substr(at, stop - at);
    at = stop;
  }
  return rows;
}

// Breaks one line as written, with continued rows indented.
void SheetLayout::breakLine(std::size_t begin, std::size_t end, std::uint32_t line, std::vector<Row>& out) const {
  const std::string_view t = std::string_view(*text_).substr(begin, end - begin);
  const std::size_t columns = style_.columns();
  std::size_t indent = 0;
  while (indent < t.size() && t[indent] == ' ' && indent < columns / 3) ++indent;
  const bool comment = t.substr(indent, 2) == "//";
  const std::size_t hang = std::min(indent + (comment ? 3 : kHanging), columns / 2);
  for (const std::string_view piece : broken(t, columns, columns - hang)) {
    Row row;
    row.begin = begin + static_cast<std::size_t>(piece.data() - t.data());
    row.end = row.begin + piece.size();
    row.ends = row.end == end;
    row.startsLine = row.begin == begin;
    row.line = line;
    row.height = style_.line;
    const float x = row.startsLine ? 0 : style_.advance * static_cast<float>(hang);
    row.runs.push_back({row.begin, row.end, x, 0, Ink::Source, 0, 0});
    out.push_back(std::move(row));
  }
}

std::vector<Row> SheetLayout::sourceRows(const Block& block) const {
  const std::string_view t = *text_;
  std::vector<Row> out;
  float y = 0;
  std::size_t at = block.begin;
  for (std::uint32_t k = 0; k < block.lines; ++k) {
    const std::size_t end = lineEnd(t, at), first = out.size();
    breakLine(at, end, block.firstLine + k, out);
    const std::size_t comment = t.substr(0, end).find("//", at);
    for (std::size_t r = first; r < out.size(); ++r) {
      out[r].comment = comment;
      Run& run = out[r].runs.front();
      run.width = style_.advance * static_cast<float>(countCodePoints(t.substr(run.begin, run.end - run.begin)));
      out[r].y = y;
      y += style_.line;
    }
    const Run& last = out.back().runs.front();
    y += hangingBelow(block.firstLine + k, static_cast<std::size_t>((last.x + last.width) / style_.advance + 0.5F));
    at = end + 1;
  }
  return out;
}

float SheetLayout::xIn(const Row& row, std::size_t byte) const {
  if (row.runs.empty()) return 0;
  const Run* run = &row.runs.front();
  for (const Run& r : row.runs)
    if (r.begin <= byte) run = &r;
  if (byte <= run->begin) return run->x;
  if (byte >= run->end) return run->x + run->width;
  const std::string_view before = std::string_view(*text_).substr(run->begin, byte - run->begin);
  if (run->ink == Ink::Source) return run->x + style_.advance * static_cast<float>(countCodePoints(before));
  if (run->ink == Ink::Join || run->ink == Ink::Bullet) return run->x;
  return run->x + measure_(run->ink, before);
}

std::size_t SheetLayout::offsetIn(const Row& row, float x) const {
  const std::string_view t = *text_;
  if (row.runs.empty()) return row.begin;
  std::size_t best = row.runs.front().begin;
  float nearest = std::abs(x - row.runs.front().x);
  const auto offer = [&](std::size_t byte, float at) {
    const float away = std::abs(x - at);
    // Two bytes at one position (with a hidden mark between them): right of it choose the second one.
    if (away > nearest || (away == nearest && x < at) || (byte >= row.end && !row.ends) || byte > row.end) return;
    nearest = std::abs(x - at);
    best = byte;
  };
  for (const Run& run : row.runs) {
    offer(run.begin, run.x);
    if (run.ink != Ink::Join && run.ink != Ink::Bullet && x > run.x - 1 && x < run.x + run.width + 1) {
      float at = run.x;
      for (std::size_t b = run.begin; b < run.end;) {
        const std::size_t after = nextCodePoint(t, b);
        at += run.ink == Ink::Source ? style_.advance : measure_(run.ink, t.substr(b, after - b));
        b = after;
        if (b < run.end) offer(b, at);
      }
    }
    offer(run.end, run.x + run.width);
  }
  // Beyond the last character of a continued row: before that character, since the next byte is in the next row.
  const Run& last = row.runs.back();
  if (!row.ends && x > last.x + last.width && row.end > row.begin) best = previousCodePoint(t, row.end);
  return best;
}

Place SheetLayout::place(std::size_t byte) const {
  byte = std::min(byte, text_->size());
  Place p;
  p.block = blockOf(byte);
  const std::vector<Row>& all = rows(p.block);
  p.row = rowWith(byte, all);
  const Row& row = all[p.row];
  p.x = xIn(row, byte);
  p.y = blocks_[p.block].y + static_cast<double>(row.y);
  p.height = row.height;
  return p;
}

std::size_t SheetLayout::offsetAt(float x, double y) const {
  const std::size_t block = blockAt(y);
  const std::vector<Row>& all = rows(block);
  const double within = y - blocks_[block].y;
  std::size_t k = 0;
  while (k + 1 < all.size() && static_cast<double>(all[k + 1].y) <= within) ++k;
  return offsetIn(all[k], x);
}

const Run* SheetLayout::linkAt(float x, double y) const {
  const std::size_t block = blockAt(y);
  if (blocks_[block].source) return nullptr;
  const float within = static_cast<float>(y - blocks_[block].y);
  for (const Row& row : rows(block))
    for (const Run& run : row.runs)
      if (run.ink == Ink::Link && within >= row.y && within < row.y + row.height && x >= run.x && x < run.x + run.width)
        return &run;
  return nullptr;
}

std::size_t SheetLayout::vertical(std::size_t byte, int by, float x) const {
  const std::size_t block = blockOf(byte);
  std::vector<Row> made, beside;
  const std::vector<Row>& all = writtenRows(block, made);
  const std::size_t k = rowWith(byte, all);
  if (by < 0) {
    if (k > 0) return offsetIn(all[k - 1], x);
    return block == 0 ? 0 : offsetIn(writtenRows(block - 1, beside).back(), x);
  }
  if (k + 1 < all.size()) return offsetIn(all[k + 1], x);
  return block + 1 == blocks_.size() ? text_->size() : offsetIn(writtenRows(block + 1, beside).front(), x);
}

std::size_t SheetLayout::rowBegin(std::size_t byte) const {
  const Place p = place(byte);
  const Row& row = rows(p.block)[p.row];
  return row.runs.empty() ? row.begin : row.runs.front().begin;
}

std::size_t SheetLayout::rowEnd(std::size_t byte) const {
  const Place p = place(byte);
  const Row& row = rows(p.block)[p.row];
  return row.ends || row.end == row.begin ? row.end : previousCodePoint(*text_, row.end);
}

}  // namespace tessera
