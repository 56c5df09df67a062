// The rows of a comment that is shown as prose.
#include <algorithm>

#include "app/engine/prose.h"
#include "app/views/editor/sheet_layout.h"
#include "core/base/chars.h"

namespace tessera {

namespace {

// A word or a blank in one ink.
struct Piece : Run {
  bool blank = false;
};

// In a heading only links, and code if it is not a title, differ from the rest.
Ink inkOf(Ink ink, Ink base) {
  if (ink == Ink::Link || (ink == Ink::Code && base != Ink::Title)) return ink;
  return base == Ink::Body ? ink : base;
}

void addSpan(std::string_view t, const ProseSpan& span, Ink base, std::vector<Piece>& out) {
  for (std::size_t at = span.begin; at < span.end;) {
    const bool blank = t[at] == ' ';
    std::size_t stop = at;
    while (stop < span.end && (t[stop] == ' ') == blank) ++stop;
    out.push_back({{at, stop, 0, 0, inkOf(span.ink, base), span.targetBegin, span.targetEnd}, blank});
    at = stop;
  }
}

// Builds rows left to right; adjacent pieces of one ink become one run.
struct Builder {
  const SheetLayout::Measure& measure;
  std::string_view text;
  float width, indent, rowHeight, y;
  float x;
  std::vector<Row> rows = {};

  void open(std::size_t begin) {
    if (!rows.empty()) {
      rows.back().end = begin;
      y += rowHeight;
    }
    rows.push_back({begin, 0, false, false, 0, std::string_view::npos, y, rowHeight, {}});
    x = indent;
  }
  void add(const Piece& p) {
    std::vector<Run>& runs = rows.back().runs;
    if (!runs.empty() && runs.back().ink == p.ink && runs.back().end == p.begin && p.ink != Ink::Join &&
        runs.back().targetBegin == p.targetBegin) {
      runs.back().end = p.end;
      runs.back().width += p.width;
    } else {
      runs.push_back(p);
      runs.back().x = x;
    }
    x += p.width;
  }
  // Breaks a word longer than a row at the row's end.
  void addBroken(Piece p) {
    while (p.begin < p.end) {
      Piece part = p;
      part.width = 0;
      std::size_t at = p.begin;
      while (at < p.end) {
        const std::size_t stop = std::min(nextCodePoint(text, at), p.end);
        const float w = measure(p.ink, text.substr(at, stop - at));
        if (x + part.width + w > width && at > p.begin) break;
        part.width += w;
        at = stop;
      }
      part.end = at;
      add(part);
      p.begin = at;
      if (p.begin < p.end) open(p.begin);
    }
  }
};

void flow(Builder& b, std::vector<Piece>& pieces) {
  for (Piece& p : pieces)
    p.width =
        p.ink == Ink::Join ? b.measure(Ink::Body, " ") : b.measure(p.ink, b.text.substr(p.begin, p.end - p.begin));
  for (std::size_t k = 0; k < pieces.size();) {
    if (pieces[k].blank) {
      b.add(pieces[k++]);
      continue;
    }
    std::size_t stop = k;
    float w = 0;
    for (; stop < pieces.size() && !pieces[stop].blank; ++stop) w += pieces[stop].width;
    if (b.x + w > b.width && b.x > b.indent) b.open(pieces[k].begin);
    for (; k < stop; ++k) {
      if (b.x + pieces[k].width > b.width && pieces[k].ink != Ink::Bullet) {
        b.addBroken(pieces[k]);
      } else {
        b.add(pieces[k]);
      }
    }
  }
}

}  // namespace

std::vector<Row> SheetLayout::proseRows(const Block& block) const {
  const std::string_view t = *text_;
  const bool heading = block.kind == Block::Kind::Heading;
  std::vector<Piece> pieces;
  CommentLine first;
  std::size_t at = block.begin;
  for (std::uint32_t k = 0; k < block.lines; ++k) {
    const std::size_t end = std::min(t.find('\n', at), t.size());
    const CommentLine line = readComment(t, at, end).value_or(CommentLine{});
    if (k == 0) first = line;
    // The second line of an item may be indented like code; its words start after the blanks.
    if (k > 0 && line.content > 0) pieces.push_back({{at - 1, line.content, 0, 0, Ink::Join}, true});
    const Ink base = !heading ? Ink::Body : first.level == 1 ? Ink::Title : Ink::Heading;
    std::size_t stop = end;
    while (stop > line.content && (t[stop - 1] == ' ' || t[stop - 1] == '\r')) --stop;
    for (const ProseSpan& span : proseSpans(t, line.content, stop)) addSpan(t, span, base, pieces);
    at = end + 1;
  }
  if (block.kind == Block::Kind::Blank) {
    return {Row{block.begin, block.end, true, false, block.firstLine, std::string_view::npos, 0, style_.gap, {}}};
  }
  const float bullet = style_.prose * 0.9F;
  const float indent = block.kind == Block::Kind::Item ? bullet * static_cast<float>(first.level + 1) : 0;
  const float height = !heading ? style_.prose : first.level == 1 ? style_.title : style_.heading;
  const float above = !heading ? style_.pad : first.level == 1 ? style_.pad : style_.pad * 4;
  Builder b{measure_, t, std::max(style_.width, style_.advance * 12), indent, height, above, 0, {}};
  b.open(block.begin);
  if (block.kind == Block::Kind::Item) {
    b.rows.back().runs.push_back({first.markBegin, first.markEnd, indent - bullet, bullet, Ink::Bullet, 0, 0});
  }
  flow(b, pieces);
  b.rows.back().end = block.end;
  b.rows.back().ends = true;
  for (Row& row : b.rows) row.line = block.firstLine;
  return std::move(b.rows);
}

}  // namespace tessera
