#include "core/paste/paste.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/paste/dialects.h"
#include "core/paste/framing.h"
#include "core/paste/meaning.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// "CuTe C++" as an argument: "cute-c++".
std::string wordOf(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

struct Tried {
  const Dialect* dialect;
  Reading reading;
};

Diag named(const Dialect& dialect, Diag diag) {
  diag.message = fmt::format("read as {}: {}", dialect.name, diag.message);
  return diag;
}

Diag ambiguous(const Dialect& a, const Dialect& b) {
  return Diag{fmt::format("the text has two readings: as {} and as {}", a.name, b.name),
              "one dialect",
              fmt::format("--as {} or --as {}", wordOf(a.name), wordOf(b.name)),
              {}};
}

// The readings by the dialects that are `sure`, those without questions first. `wrong`: the first refusal.
std::vector<Tried> readingsAt(int sure, const std::vector<std::pair<const Dialect*, int>>& rows, std::string_view text,
                              const Given& given, std::optional<Diag>& wrong) {
  std::vector<Tried> out;
  for (const auto& [dialect, known] : rows) {
    if (known != sure) continue;
    Result<Reading> reading = dialect->read(text, given);
    if (!reading) {
      if (!wrong) wrong = named(*dialect, reading.error());
    } else if (!reading->statements.empty() || !reading->questions.empty()) {
      out.push_back({dialect, *std::move(reading)});
    }
  }
  std::stable_partition(out.begin(), out.end(), [](const Tried& t) { return t.reading.questions.empty(); });
  return out;
}

// Whether it asks for a name that a statement of the worksheet binds: (M,N):(N,1) is no line of its dialect.
bool asksForBound(const Reading& reading, const Reading& sheet) {
  return std::ranges::any_of(reading.questions, [&](const Question& question) {
    return std::ranges::any_of(sheet.statements, [&](const Statement& s) { return s.name == question.name; });
  });
}

Result<Reading> readAs(std::string_view text, const Given& given) {
  for (const Dialect* dialect : dialects()) {
    if (given.dialect != dialect->name && given.dialect != wordOf(dialect->name)) continue;
    Result<Reading> reading = dialect->read(text, given);
    if (!reading) return named(*dialect, reading.error());
    return reading;
  }
  std::string known;
  for (const Dialect* dialect : dialects()) known += (known.empty() ? "" : ", ") + wordOf(dialect->name);
  return Diag{fmt::format("--as {}: there is no such dialect", given.dialect.substr(0, 60)), known};
}

// `%a = f32[8] add(..)` is an expression of the worksheet; XLA's dialect also binds its name.
bool hasHloNames(const Reading& sheet) {
  return std::ranges::any_of(sheet.statements, [](const Statement& s) {
    return s.name.empty() && s.text.find('=') != std::string::npos &&
           (s.text.starts_with('%') || s.text.starts_with("ROOT "));
  });
}

Result<Reading> readAny(std::string_view text, const Given& given) {
  Result<Reading> sheet = given.isSource ? Diag{"it is no layout, array, index or integer that a reader knows"}
                                         : kWorksheet.read(text, given);
  if (sheet && sheet->questions.empty() && !hasHloNames(*sheet)) return sheet;
  if (!sheet && !given.isSource && isWorksheet(text, given)) return named(kWorksheet, sheet.error());
  std::vector<std::pair<const Dialect*, int>> rows;
  for (const Dialect* dialect : dialects())
    if (dialect != &kWorksheet) rows.emplace_back(dialect, dialect->recognizes(text));
  std::optional<Diag> wrong;
  for (const int sure : {2, 1}) {
    std::vector<Tried> tried = readingsAt(sure, rows, text, given, wrong);
    if (tried.empty()) continue;
    Tried& first = tried.front();
    for (const Tried& other : tried) {
      if (!first.reading.questions.empty() || !other.reading.questions.empty()) break;
      if (&other != &first && !sameMeaning(first.reading, other.reading))
        return ambiguous(*first.dialect, *other.dialect);
    }
    const bool misread = sheet && asksForBound(first.reading, *sheet);
    return misread ? *std::move(sheet) : std::move(first.reading);
  }
  if (sheet) return sheet;
  if (wrong) return *std::move(wrong);
  if (given.isSource) return sheet.error();
  Diag diag = named(kWorksheet, sheet.error());
  diag.message = "no format of another tool is recognized; " + diag.message;
  if (diag.hint.empty()) diag.hint = "--as DIALECT, if the text is of another tool: --as cute-c++";
  return diag;
}

// A dialect that reads a rewritten text may give a place beyond this one: then there is none.
void keepInside(Span& span, std::string_view text) {
  if (span.begin > span.end || span.end > text.size()) span = {};
}

}  // namespace

const std::string* Given::let(std::string_view key) const {
  for (const auto& [written, value] : lets)
    if (written == key) return &value;
  return nullptr;
}

Result<Reading> read(std::string_view text, const Given& given) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.size() > kMostBytes)
    return Diag{fmt::format("the text has {} bytes; the limit is {}", text.size(), kMostBytes), "a shorter text"};
  std::vector<std::string> framing;
  const std::string plain = withoutFraming(text, framing);
  if (stripped(plain).empty())
    return Diag{"the text is empty", "a layout, or source, a print or a dump of another tool"};
  Result<Reading> reading = given.dialect.empty() ? readAny(plain, given) : readAs(plain, given);
  if (!reading) {
    keepInside(reading.error().span, text);
    return reading;
  }
  if (reading->dialect.empty()) reading->dialect = "unknown";
  reading->notes.insert(reading->notes.begin(), framing.begin(), framing.end());
  for (Question& question : reading->questions) keepInside(question.span, text);
  for (Statement& statement : reading->statements) keepInside(statement.span, text);
  return reading;
}

std::string_view dialectOf(std::string_view written) {
  std::vector<std::string> framing;
  const std::string text = withoutFraming(written, framing);
  for (const int sure : {2, 1})
    for (const Dialect* dialect : dialects())
      if (dialect->recognizes(text) == sure) return dialect->name;
  return {};
}

}  // namespace tessera::paste
