#include "app/session/sheet_record.h"

#include <algorithm>

#include "app/files/fields.h"

namespace tessera {
namespace {

// First word of a complete record; a change has a single letter.
constexpr std::string_view kWhole = "sheet ";

// "A = (4,8):(8,1)" of "\n\nA = (4,8):(8,1)\n..."
std::string firstLineOf(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 120)));
}

std::size_t linesIn(std::string_view text) {
  return text.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void write(FieldWriter& out, const FileStamp& stamp) {
  out.number(stamp.device).number(stamp.inode).number(stamp.size);
  out.number(static_cast<std::uint64_t>(stamp.modifiedNs)).number(stamp.sum);
}

FileStamp readStamp(FieldReader& in) {
  // In order: a braced list is evaluated from left to right.
  return {in.number(), in.number(), in.number(), static_cast<std::int64_t>(in.number()), in.number()};
}

void write(FieldWriter& out, const std::vector<Edit>& edits) {
  out.number(edits.size());
  for (const Edit& e : edits)
    out.number(e.at).bytes(e.removed).bytes(e.inserted).number(e.caretBefore).number(e.typing ? 1 : 0);
}

std::vector<Edit> readEdits(FieldReader& in) {
  std::vector<Edit> edits;
  for (std::uint64_t count = in.number(); count > 0 && in.fine(); --count) {
    Edit e{static_cast<std::size_t>(in.number()), std::string(in.bytes()), std::string(in.bytes()),
           static_cast<std::size_t>(in.number()), in.number() != 0};
    if (in.fine()) edits.push_back(std::move(e));
  }
  return edits;
}

// The saved text is usually the text itself.
void writeSaved(FieldWriter& out, const std::string& saved, const std::string& text) {
  out.number(saved == text ? 1 : 0);
  if (saved != text) out.bytes(saved);
}

std::string readSaved(FieldReader& in, const std::string& text) {
  return in.number() == 1 ? text : std::string(in.bytes());
}

std::optional<SheetSummary> readSummary(FieldReader& in) {
  SheetSummary s;
  const std::uint64_t ended = in.number();
  s.ended = ended <= 2 ? static_cast<Ended>(ended) : Ended::No;
  s.modified = in.number() != 0;
  s.path = in.bytes();
  s.firstLine = in.bytes();
  s.lines = in.number();
  if (!in.fine()) return std::nullopt;
  return s;
}

std::optional<Document::State> readWhole(std::string_view record) {
  if (record.substr(0, kWhole.size()) != kWhole) return std::nullopt;
  FieldReader in(record.substr(kWhole.size()));
  const auto summary = readSummary(in);
  if (!summary) return std::nullopt;
  Document::State state;
  state.path = summary->path;
  state.text = in.bytes();
  state.saved = readSaved(in, state.text);
  state.stamp = readStamp(in);
  state.caret = in.number();
  state.undo = readEdits(in);
  state.redo = readEdits(in);
  if (!in.fine() || state.text.size() > Document::kMaxBytes) return std::nullopt;
  return state;
}

// Returns false for an invalid record.
bool applied(std::string_view record, Document& document) {
  if (record.size() < 2 || record[1] != ' ') return false;
  FieldReader in(record.substr(2));
  switch (record[0]) {
    case 'r': {
      const std::uint64_t begin = in.number(), end = in.number();
      const bool typing = in.number() != 0;
      document.setCaret(in.number());
      const std::string_view with = in.bytes();
      return in.fine() && document.replace(begin, end, with, typing);
    }
    case 'u':
      return document.undo();
    case 'd':
      return document.redo();
    case 's': {
      std::string saved = readSaved(in, document.text());
      const FileStamp stamp = readStamp(in);
      if (!in.fine()) return false;
      document.sawOnDisk(std::move(saved), stamp);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

SheetSummary summaryOf(const Document::State& state, Ended ended) {
  return {ended, state.text != state.saved, state.path, firstLineOf(state.text), linesIn(state.text)};
}

std::string wholeRecord(const Document& document, Ended ended) {
  const Document::State state = document.state();
  const SheetSummary s = summaryOf(state, ended);
  FieldWriter out;
  out.number(static_cast<std::uint64_t>(ended)).number(s.modified ? 1 : 0);
  out.bytes(s.path).bytes(s.firstLine).number(s.lines).bytes(state.text);
  writeSaved(out, state.saved, state.text);
  write(out, state.stamp);
  out.number(state.caret);
  write(out, state.undo);
  write(out, state.redo);
  return std::string(kWhole) + out.text();
}

std::string changeRecord(const Change& change, const Document& document) {
  FieldWriter out;
  switch (change.kind) {
    case Change::Kind::Replace:
      out.number(change.begin).number(change.end).number(change.typing ? 1 : 0);
      out.number(change.caretBefore).bytes(change.with);
      return "r " + out.text();
    case Change::Kind::Undo:
      return "u ";
    case Change::Kind::Redo:
      return "d ";
    case Change::Kind::Saved:
      writeSaved(out, document.savedText(), document.text());
      write(out, document.stamp());
      return "s " + out.text();
    case Change::Kind::Reset:
      break;
  }
  return {};  // a reset starts a new journal
}

std::optional<SheetSummary> summaryOf(std::string_view wholeRecord) {
  if (wholeRecord.substr(0, kWhole.size()) != kWhole) return std::nullopt;
  FieldReader in(wholeRecord.substr(kWhole.size()));
  return readSummary(in);
}

std::optional<Document::State> replayed(const std::vector<std::string>& records) {
  if (records.empty()) return std::nullopt;
  std::optional<Document::State> first = readWhole(records.front());
  if (!first) return std::nullopt;
  Document document;
  document.restore(*std::move(first));
  for (std::size_t k = 1; k < records.size() && applied(records[k], document); ++k) {
  }
  return document.state();
}

}  // namespace tessera
