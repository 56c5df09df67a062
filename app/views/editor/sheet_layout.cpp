#include "app/views/editor/sheet_layout.h"

#include <algorithm>
#include <cmath>

#include "core/base/columns.h"
#include "core/base/types.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostLines = 64;      // per block of statements
constexpr std::size_t kMostBytes = 16 << 10;  // likewise, unless a single line is longer

// The last element whose `key` is at most `value`, in ascending order; the first one if there is none.
template <typename T, typename V, typename Key>
std::size_t lastUpTo(const std::vector<T>& list, V value, Key key) {
  const auto after = std::ranges::upper_bound(list, value, {}, key) - list.begin();
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - 1, 0));
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

// Adds a line to the last block if the line continues it, else as a new block. `comment`: nullopt for other lines.
void SheetLayout::addLine(std::size_t begin, std::size_t end, const std::optional<CommentLine>& comment) {
  using Kind = Block::Kind;
  constexpr Kind kKinds[] = {Kind::Paragraph, Kind::Heading, Kind::Item, Kind::Code, Kind::Blank};
  const Kind kind = comment ? kKinds[static_cast<std::size_t>(comment->kind)] : Kind::Code;
  Block b{kind, true, begin, end, 0, 1, end - begin, 0, 0};
  if (!blocks_.empty()) {
    Block& last = blocks_.back();
    const bool flows =
        comment && (last.kind == Kind::Paragraph || last.kind == Kind::Item) && flowsOn(opened_, *comment);
    const bool code = kind == Kind::Code && last.kind == Kind::Code && last.lines < kMostLines;
    if ((flows || code) && end - last.begin < kMostBytes) {
      last.end = end;
      last.longest = std::max(last.longest, end - begin);
      ++last.lines;
      return;
    }
    b.firstLine = last.firstLine + last.lines;
  }
  blocks_.push_back(b);
  if (kind != Kind::Code) opened_ = *comment;
}

void SheetLayout::split() {
  const std::string_view t = *text_;
  blocks_.clear();
  rows_.clear();
  BlockLines program;
  for (std::size_t at = 0;;) {
    const std::size_t end = at < t.size() && t[at] == '\n' ? at : lineEnd(t, at);
    const bool source = program.inside(t.substr(at, end - at));
    addLine(at, end, source || end - at < 2 ? std::nullopt : readComment(t, at, end));
    if (end == t.size()) break;
    at = end + 1;
  }
  double y = 0;
  for (Block& b : blocks_) {
    b.source = b.kind == Block::Kind::Code || (revealed_ && *revealed_ >= b.begin && *revealed_ <= b.end);
    b.height = b.source ? writtenHeight(b) : b.kind == Block::Kind::Blank ? style_.gap : proseHeight(b);
    b.y = y;
    y += static_cast<double>(b.height);
  }
}

float SheetLayout::writtenHeight(const Block& block) const {
  const auto hanging = hanging_.lower_bound(static_cast<int>(block.firstLine) + 1);
  const bool bare = hanging == hanging_.end() || hanging->first > static_cast<int>(block.firstLine + block.lines);
  if (bare && block.longest <= style_.columns()) return style_.line * static_cast<float>(block.lines);
  std::vector<Row> rows;
  return addSourceRows(block, rows);
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

bool SheetLayout::fitsAfter(std::size_t usedColumns, std::size_t valueChars, std::size_t columns) {
  return usedColumns + 3 + 2 + valueChars <= columns;
}

float SheetLayout::hangingBelow(std::uint32_t line, std::size_t usedColumns) const {
  const auto found = hanging_.find(static_cast<int>(line) + 1);
  if (found == hanging_.end()) return 0;
  const Hanging& h = found->second;
  const float below = h.sliders + h.card;
  if (fitsAfter(usedColumns, h.valueChars, style_.columns())) return below;
  return below + style_.line * static_cast<float>(h.valueRows);
}

double SheetLayout::height() const {
  return blocks_.empty() ? 0 : blocks_.back().y + static_cast<double>(blocks_.back().height);
}

std::size_t SheetLayout::blockOf(std::size_t byte) const { return lastUpTo(blocks_, byte, &Block::begin); }

std::size_t SheetLayout::blockAt(double y) const { return lastUpTo(blocks_, y, &Block::y); }

// --- rows ------------------------------------------------------------------------------------------------------------

const std::vector<Row>& SheetLayout::rows(std::size_t block) const {
  const auto found = rows_.find(block);
  if (found != rows_.end()) return found->second;
  if (rows_.size() > 512) rows_.clear();
  std::vector<Row> made = blocks_[block].source ? std::vector<Row>{} : proseRows(blocks_[block]);
  if (blocks_[block].source) addSourceRows(blocks_[block], made);
  return rows_.emplace(block, std::move(made)).first->second;
}

const std::vector<Row>& SheetLayout::writtenRows(std::size_t block, std::vector<Row>& made) const {
  if (blocks_[block].source) return rows(block);
  made.clear();
  addSourceRows(blocks_[block], made);
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
    while (stop < t.size() && shown < room) {
      const std::size_t next = nextCodePoint(t, stop);
      shown += columnsOf(t.substr(stop, next - stop));
      stop = next;
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

// Long lines are broken, with continued rows indented. Returns the block's height.
float SheetLayout::addSourceRows(const Block& block, std::vector<Row>& out) const {
  const std::size_t columns = style_.columns();
  float y = 0;
  std::size_t at = block.begin;
  for (std::uint32_t line = block.firstLine; line < block.firstLine + block.lines; ++line) {
    const std::size_t end = lineEnd(*text_, at);
    const std::string_view t = std::string_view(*text_).substr(at, end - at);
    const std::size_t comment = std::string_view(*text_).substr(0, end).find("//", at);
    const std::size_t indent = std::min({t.find_first_not_of(' '), t.size(), columns / 3});
    const std::size_t hang = std::min(indent + (comment == at + indent ? 3 : kHanging), columns / 2);
    for (const std::string_view piece : broken(t, columns, columns - hang)) {
      const std::size_t begin = at + static_cast<std::size_t>(piece.data() - t.data()), stop = begin + piece.size();
      Row row{begin, stop, stop == end, begin == at, line, comment, y, style_.line, {}};
      row.runs.push_back({row.begin, row.end, row.startsLine ? 0 : style_.advance * static_cast<float>(hang),
                          style_.advance * static_cast<float>(columnsOf(piece)), Ink::Source, 0, 0});
      out.push_back(std::move(row));
      y += style_.line;
    }
    const Run& last = out.back().runs.front();
    y += hangingBelow(line, static_cast<std::size_t>((last.x + last.width) / style_.advance + 0.5F));
    at = end + 1;
  }
  return y;
}

float SheetLayout::xIn(const Row& row, std::size_t byte) const {
  if (row.runs.empty()) return 0;
  const Run* run = &row.runs.front();
  for (const Run& r : row.runs)
    if (r.begin <= byte) run = &r;
  if (byte <= run->begin) return run->x;
  if (byte >= run->end) return run->x + run->width;
  const std::string_view before = std::string_view(*text_).substr(run->begin, byte - run->begin);
  if (run->ink == Ink::Source) return run->x + style_.advance * static_cast<float>(columnsOf(before));
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
        at += run.ink == Ink::Source ? style_.advance * static_cast<float>(columnsOf(t.substr(b, after - b)))
                                     : measure_(run.ink, t.substr(b, after - b));
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
  const std::size_t block = blockOf(byte), k = lastUpTo(rows(block), byte, &Row::begin);
  const Row& row = rows(block)[k];
  return {block, k, xIn(row, byte), blocks_[block].y + static_cast<double>(row.y), row.height};
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
  const std::size_t k = lastUpTo(all, byte, &Row::begin);
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
