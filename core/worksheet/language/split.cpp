// splitStatements: one pass over the bytes. A *segment* is a line, or a piece of a line up to a `;`, without its
// comment; it records how many more brackets it opens than it closes. Most segments are statements. A segment that
// leaves a bracket open is joined with the following ones until the count returns; if it never does, the group is split
// into single segments (joinGroup: "next smaller or equal" with a monotone stack, so 10^6 open brackets cost 10^6
// steps, not 10^12).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/code/index_code.h"
#include "core/notation/indexing/map.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/worksheet.h"

namespace tessera {
namespace {

constexpr std::size_t kMaxGroup = 65'536;  // segments per statement
constexpr int kMaxUnclosed = 16;           // blocks of code without an end that are searched for it
constexpr std::size_t kMaxDivisor = 256;   // bytes of a comment that are examined
constexpr std::array<std::string_view, 5> kKeywords = {"show", "prove", "assert", "find", "run"};
constexpr std::array<StatementKind, 5> kKinds = {StatementKind::Show, StatementKind::Prove, StatementKind::Assert,
                                                 StatementKind::Find, StatementKind::Run};
constexpr std::array<std::string_view, 2> kBlocks = {"hlo", "graphene"};

struct Head {
  StatementKind kind = StatementKind::Expression;
  std::string_view name;
};

std::size_t skipName(std::string_view text, std::size_t i) {
  return i < text.size() && isNameStart(text[i]) ? skipWord(text, i) : i;
}

// Whether the list that begins here is followed by another list of bases, `, P = [`, or by the sizes, `-> dim0 4`.
bool goesOnAfterList(std::string_view text, std::size_t i) {
  constexpr std::size_t kLongest = 8192;  // bytes per list
  const std::size_t last = std::min(text.size(), i + kLongest);
  int depth = 0;
  for (; i < last; ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (depth == 0) break;
  }
  if (i >= last) return false;
  i = skipBlanks(text, i + 1);
  if (text.substr(i, 2) == "->") return true;
  if (i >= text.size() || text[i] != ',') return false;
  const std::size_t name = skipBlanks(text, i + 1), end = skipName(text, name), equals = skipBlanks(text, end);
  if (end == name || equals >= text.size() || text[equals] != '=') return false;
  const std::size_t open = skipBlanks(text, equals + 1);
  return open < text.size() && text[open] == '[';
}

// register = [[0, 1], ..., dim0 = [[1], ...: the bases of a linear layout, not a binding.
bool isBases(std::string_view word, std::string_view text, std::size_t i) {
  constexpr std::array<std::string_view, 7> kInputs = {"register", "lane", "warp", "block", "offset", "row", "col"};
  const bool dimension =
      word.size() > 3 && word.starts_with("dim") && std::all_of(word.begin() + 3, word.end(), isDigit);
  const bool known = dimension || std::ranges::find(kInputs, word) != kInputs.end();
  i = skipBlanks(text, i);
  if (i >= text.size() || text[i] != '[') return false;
  const std::size_t list = i;
  i = skipBlanks(text, i + 1);
  if (i >= text.size() || (text[i] != '[' && text[i] != ']')) return false;
  return known || goesOnAfterList(text, list);
}

// Classifies a statement by its first word. Reads a bounded number of bytes, except for the length of one name.
Head classify(std::string_view text) {
  const std::size_t start = skipBlanks(text, 0);
  const bool alias = start < text.size() && text[start] == '#';  // #blocked = #ttg.blocked<{...}>
  const std::size_t end = skipName(text, alias ? start + 1 : start);
  const std::string_view word = text.substr(start, end - start);
  if (word.empty()) return {};
  const std::size_t next = skipBlanks(text, end);
  const char after = next < text.size() ? text[next] : '\0';
  const bool assigns = after == '=' && (next + 1 >= text.size() || text[next + 1] != '=');
  if (assigns && isBases(word, text, next + 1)) return {};
  if (assigns) return {StatementKind::Bind, word};
  if (alias) return {};
  if (const std::string_view name = code::codeBlockName(text.substr(start)); !name.empty())
    return {StatementKind::Bind, name};
  const auto keyword = static_cast<std::size_t>(std::ranges::find(kKeywords, word) - kKeywords.begin());
  if (after == '(' && keyword == kKeywords.size() && indexing::opensFormula(text.substr(start)))
    return {StatementKind::Bind, word};
  if (after != '\0' && next == end) return {};                                   // show(...) is a call
  if (word == "check" && isNameStart(after)) return {StatementKind::Prove, {}};  // check NAME; check (L) is a call
  if (word == "task" && after == '"') return {StatementKind::Task, {}};
  if (keyword < kKeywords.size()) return {kKinds[keyword], {}};
  if (std::ranges::find(kBlocks, word) != kBlocks.end()) {
    const std::size_t nameEnd = skipName(text, next);
    return {StatementKind::Block, text.substr(next, nameEnd - next)};
  }
  return {};
}

// %add.936 = ..., ROOT add.936 = ...: an HLO instruction, which is not a binding.
bool opensInstruction(std::string_view text) {
  const bool root = text.substr(0, 5) == "ROOT ";
  std::size_t i = root ? skipBlanks(text, 5) : 0;
  const bool percent = i < text.size() && text[i] == '%';
  if (percent) ++i;
  const std::size_t name = i;
  i = skipName(text, i);
  const std::size_t plain = i;
  if (i > name)
    while (i < text.size() && (isNamePart(text[i]) || text[i] == '.' || text[i] == '-')) ++i;
  if (i == name || !(root || percent || i > plain)) return false;
  i = skipBlanks(text, i);
  return i < text.size() && text[i] == '=' && (i + 1 >= text.size() || text[i + 1] != '=');
}

struct Segment {
  std::size_t begin = 0, end = 0;
  int line = 1;
  i64 net = 0;  // brackets opened minus closed
  bool blank = true;
};

// Not a blank, bracket, quote, comment or end of a statement.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = 0; c < 256; ++c) plain[c] = !isBlank(static_cast<char>(c));
  for (const char c : {'(', ')', '[', ']', '{', '}', '"', '/', ';', '\n'}) plain[static_cast<unsigned char>(c)] = false;
  return plain;
}();

class Splitter {
 public:
  explicit Splitter(std::string_view document, bool slashesDivide = false)
      : document_(document), slashesDivide_(slashesDivide) {}

  std::vector<Statement> run() {
    while (position_ < document_.size() && !full_) {
      const Segment segment = nextSegment();
      if (segment.blank) continue;
      const Head head = classify(text(segment));
      if (head.kind == StatementKind::Block && blockOpens(segment)) {
        takeBlock(segment, head);
      } else if (segment.net > 0) {
        takeGroup(segment);
      } else if (opensInstruction(text(segment))) {
        takeInstruction(segment);
      } else {
        emit(segment.begin, segment.end, segment.line, &head);
      }
    }
    return std::move(statements_);
  }

 private:
  [[nodiscard]] std::string_view text(const Segment& s) const { return document_.substr(s.begin, s.end - s.begin); }

  // Skips plain bytes, which most are.
  void takePlain(Segment& s) {
    const std::size_t from = position_;
    while (position_ < document_.size() && kPlain[static_cast<unsigned char>(document_[position_])]) ++position_;
    if (position_ > from) extend(s, from);
  }
  // The bytes from `from` to the position are part of s.
  void extend(Segment& s, std::size_t from) const {
    if (s.blank) {
      s.begin = from;
      s.line = line_;
    }
    s.blank = false;
    s.end = position_;
  }

  // A block of code is one piece of its statement, over any number of lines.
  void takeCode(Segment& s, std::size_t end) {
    const std::size_t from = position_;
    position_ = end;
    extend(s, from);
    line_ += static_cast<int>(std::count(document_.begin() + static_cast<std::ptrdiff_t>(from),
                                         document_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  }

  // Whether the `//` at the position is floor division.
  [[nodiscard]] bool divides(const Segment& s, std::optional<std::size_t>& divisions) const {
    if (s.blank) return false;
    if (slashesDivide_) return true;
    if (!divisions) divisions = s.begin + formulaDivisionsEnd(document_.substr(s.begin, kMaxStatementBytes));
    return position_ < *divisions;
  }

  // Keeps a comment that looks like a divisor in its statement, which then warns about it.
  void keepDivisor(Segment& s) const {
    if (s.blank) return;
    const std::size_t from = position_ + 2, line = std::min(document_.find('\n', from), document_.size());
    const std::string_view divisor = divisorIn(document_.substr(from, std::min(line - from, kMaxDivisor)));
    if (!divisor.empty()) s.end = static_cast<std::size_t>(divisor.data() - document_.data()) + divisor.size();
  }

  // Reads up to and past the next newline or `;`.
  Segment nextSegment() {
    Segment s;
    s.begin = s.end = position_;
    s.line = line_;
    i64 depth = 0;
    bool inComment = false, inString = false;
    std::optional<std::size_t> divisions;  // end of the part where `//` divides; computed at the first `//`
    while (position_ < document_.size()) {
      if (!inComment) takePlain(s);
      if (position_ == document_.size()) break;
      const char c = document_[position_];
      if (c == '\n') {
        ++position_;
        ++line_;
        break;
      }
      if (inComment) {
        ++position_;
        continue;
      }
      if (!inString && c == '/' && position_ + 1 < document_.size() && document_[position_ + 1] == '/') {
        if (divides(s, divisions)) {
          position_ += 2;
          s.end = position_;
        } else {
          inComment = true;
          keepDivisor(s);
        }
        continue;
      }
      if (!inString && c == '/' && closes_ && document_.substr(position_, 2) == "/*") {
        const std::size_t close = document_.find("*/", position_ + 2);
        closes_ = close != std::string_view::npos;
        if (closes_) {
          line_ += static_cast<int>(std::count(document_.begin() + static_cast<std::ptrdiff_t>(position_),
                                               document_.begin() + static_cast<std::ptrdiff_t>(close), '\n'));
          position_ = close + 2;
          continue;
        }
      }
      if (!inString && c == ';') {
        ++position_;
        break;
      }
      if (!inString && c == '{' && unclosed_ < kMaxUnclosed) {
        const auto block = code::codeBlockEnd(document_.substr(s.begin), position_ - s.begin);
        if (block && *block != std::string_view::npos) {
          takeCode(s, s.begin + *block);
          continue;
        }
        unclosed_ += block ? 1 : 0;
      }
      if (c == '"') inString = !inString;
      if (!inString) {
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
      }
      ++position_;
      if (!isBlank(c)) extend(s, position_ - 1);
    }
    s.net = depth;
    return s;
  }

  // An MLIR alias may be inside brackets: to_linear(#mma = ... #dot = ...).
  [[nodiscard]] bool opensStatement(const Segment& s) const {
    return !s.blank && document_[s.begin] != '#' && classify(text(s)).kind != StatementKind::Expression;
  }

  [[nodiscard]] bool blockOpens(const Segment& s) const {
    const std::string_view t = text(s);
    std::size_t i = skipName(t, skipBlanks(t, skipName(t, 0)));
    i = skipBlanks(t, i);
    return i < t.size() && t[i] == '{';
  }

  // The next quote or line end; HLO escapes quotes in strings as \".
  [[nodiscard]] std::size_t stringEnd(std::size_t from, bool escapes) const {
    std::size_t at = document_.find_first_of("\"\n", from);
    while (escapes && at != std::string_view::npos && document_[at] == '"' && isEscaped(at, from))
      at = document_.find_first_of("\"\n", at + 1);
    return at;
  }
  [[nodiscard]] bool isEscaped(std::size_t at, std::size_t from) const {
    std::size_t backslashes = 0;
    while (at > from + backslashes && document_[at - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }

  // hlo NAME { ... }: raw text up to the closing brace.
  void takeBlock(const Segment& head, const Head& what) {
    std::size_t i = document_.find('{', head.begin);
    i64 depth = 0;
    int line = head.line;
    const bool comments = text(head).starts_with("graphene");
    for (; i < document_.size(); ++i) {
      const char c = document_[i];
      if (c == '\n') ++line;
      if (comments && c == '/' && document_.substr(i, 2) == "//") {  // Graphene comments may hold braces too
        i = std::min(document_.find('\n', i), document_.size()) - 1;
        continue;
      }
      if (c == '"') {  // a string that is closed on its line may hold braces
        const std::size_t close = stringEnd(i + 1, !comments);
        if (close != std::string_view::npos && document_[close] == '"') i = close;
        continue;
      }
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) break;
    }
    if (i >= document_.size()) {
      Statement s = statement(head.begin, document_.size(), head.line);
      s.name = what.name;
      invalidate(s, "this block is never closed", {head.begin, head.end}, "a '}' that closes it", "");
      add(std::move(s));
      position_ = document_.size();
      return;
    }
    Statement s = statement(head.begin, i + 1, head.line);
    s.kind = StatementKind::Block;
    s.name = what.name;
    check(s, kMaxBlockBytes);
    add(std::move(s));
    position_ = i + 1;
    line_ = line;
  }

  // Dumps break the lines of an instruction: more deeply indented lines that open nothing new belong to it.
  void takeInstruction(const Segment& first) {
    std::size_t end = first.end;
    while (position_ < document_.size()) {
      const bool newLine = position_ > 0 && document_[position_ - 1] == '\n';
      const std::size_t positionBefore = position_;
      const int lineBefore = line_;
      const Segment s = nextSegment();
      const bool indented = s.begin > positionBefore && isBlank(document_[s.begin - 1]);
      const bool opens = (opensStatement(s) && document_[end - 1] != ',') || opensInstruction(text(s));
      if (!newLine || s.blank || !indented || opens || s.net != 0 || s.end - first.begin > kMaxStatementBytes) {
        position_ = positionBefore;
        line_ = lineBefore;
        break;
      }
      end = s.end;
    }
    emit(first.begin, end, first.line);
  }

  void takeGroup(const Segment& first) {
    std::vector<Segment> group{first};
    i64 depth = first.net;
    std::size_t bytes = 0;
    while (depth > 0 && position_ < document_.size() && group.size() < kMaxGroup) {
      const std::size_t positionBefore = position_;
      const int lineBefore = line_;
      Segment s = nextSegment();
      bytes += position_ - positionBefore;
      if (s.blank) continue;
      if (opensStatement(s)) {
        position_ = positionBefore;
        line_ = lineBefore;
        break;
      }
      depth += s.net;
      group.push_back(s);
      if (bytes > kMaxBlockBytes) break;
    }
    joinGroup(group);
  }

  // For each segment, finds the first one at or after it where the brackets it opened are closed, if any.
  void joinGroup(const std::vector<Segment>& group) {
    const std::size_t n = group.size();
    std::vector<i64> before(n + 1, 0);
    for (std::size_t k = 0; k < n; ++k) before[k + 1] = before[k] + group[k].net;
    std::vector<std::size_t> closes(n, n);
    std::vector<std::size_t> open;  // indices whose end is unknown; `before` increases along the stack
    for (std::size_t k = 0; k < n; ++k) {
      open.push_back(k);
      while (!open.empty() && before[k + 1] <= before[open.back()]) {
        closes[open.back()] = k;
        open.pop_back();
      }
    }
    for (std::size_t k = 0; k < n && !full_;) {
      const std::size_t last = closes[k] == n ? k : closes[k];  // unfinished: the parser reports which bracket
      emit(group[k].begin, group[last].end, group[k].line);
      k = last + 1;
    }
  }

  [[nodiscard]] Statement statement(std::size_t begin, std::size_t end, int line,
                                    std::size_t most = kMaxBlockBytes) const {
    Statement s;
    s.span = {begin, end};
    s.line = line;
    s.slashesDivide = slashesDivide_;
    s.text = document_.substr(begin, std::min(end - begin, most));
    return s;
  }

  static void invalidate(Statement& s, std::string message, Span span, std::string expected, std::string hint) {
    s.kind = StatementKind::Invalid;
    s.diag = Diag{std::move(message), std::move(expected), std::move(hint), span};
  }

  // Checks length and encoding.
  void check(Statement& s, std::size_t limit) const {
    const std::size_t length = s.span.end - s.span.begin;
    if (length > limit) {
      s.text.resize(1024);
      s.text.shrink_to_fit();
      invalidate(s, fmt::format("this statement has {} bytes; the limit is {}", length, limit),
                 {s.span.begin, s.span.begin + 1}, "a shorter statement", "bind the parts to names");
      return;
    }
    if (const auto bad = firstBadByte(s.text)) {
      const auto byte = static_cast<unsigned char>(s.text[*bad]);
      invalidate(s,
                 byte == 0 ? std::string("a NUL byte (0x00) is not allowed in a worksheet")
                           : fmt::format("byte 0x{:02X} is not UTF-8", byte),
                 {s.span.begin + *bad, s.span.begin + *bad + 1}, "UTF-8 text", "");
    }
  }

  // `known`: its head, if already classified.
  void emit(std::size_t begin, std::size_t end, int line, const Head* known = nullptr) {
    Statement s = statement(begin, end, line, kMaxStatementBytes + 1);
    const Head head = known != nullptr && end - begin <= kMaxStatementBytes ? *known : classify(s.text);
    s.kind = head.kind;
    if (head.kind == StatementKind::Bind || head.kind == StatementKind::Block) s.name = head.name;
    check(s, kMaxStatementBytes);
    add(std::move(s));
  }

  void add(Statement s) {
    if (statements_.size() + 1 < kMaxStatements) {
      statements_.push_back(std::move(s));
      return;
    }
    full_ = true;
    Statement rest = statement(s.span.begin, s.span.begin, s.line);
    rest.span.end = document_.size();
    invalidate(rest, fmt::format("the document has more than {} statements", kMaxStatements - 1), s.span,
               "a smaller document", "split the file");
    statements_.push_back(std::move(rest));
  }

  std::string_view document_;
  bool slashesDivide_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool full_ = false;
  bool closes_ = true;  // a "*/" may still follow
  int unclosed_ = 0;    // blocks of code without an end
  std::vector<Statement> statements_;
};

std::vector<Statement> split(std::string_view document, bool slashesDivide) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (!document.starts_with(kByteOrderMark)) return Splitter(document, slashesDivide).run();
  std::vector<Statement> statements = Splitter(document.substr(kByteOrderMark.size()), slashesDivide).run();
  for (Statement& s : statements) {
    s.span = s.span.shifted(kByteOrderMark.size());
    if (s.diag) s.diag->span = s.diag->span.shifted(kByteOrderMark.size());
  }
  return statements;
}

}  // namespace

std::vector<Statement> splitStatements(std::string_view document) { return split(document, false); }

std::vector<Statement> splitArgument(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const bool oneLine = last != std::string_view::npos && text.substr(0, last).find('\n') == std::string_view::npos;
  return split(text, oneLine);
}

}  // namespace tessera
