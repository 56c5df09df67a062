#include "core/worksheet/statements/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/chars.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/words.h"

namespace tessera {
namespace {

constexpr const char* kForm = "task \"TITLE\": CLAIM { hint \"...\" answer NAME = ... wrong NAME = ... }";

// The `{` of the braces that end the statement, after a blank and outside brackets and strings; its size if there is
// none.
std::size_t keptBegin(std::string_view text) {
  const std::size_t end = trimEnd(text, 0, text.size());
  if (end == 0 || text[end - 1] != '}') return text.size();
  std::size_t found = text.size();
  int depth = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const char c = text[i];
    if (c == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos) return text.size();
    } else if (c == '(' || c == '[' || c == '{') {
      if (c == '{' && depth == 0) found = i > 0 && isBlank(text[i - 1]) ? i : text.size();
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
      if (depth == 0 && i + 1 < end) found = text.size();  // something follows
    }
  }
  return found;
}

// Reads "..." at i; moves i past it.
Result<std::string> quoted(std::string_view text, std::size_t& i, std::string_view expected) {
  i = skipBlanks(text, i);
  const std::size_t close = i < text.size() && text[i] == '"' ? text.find('"', i + 1) : std::string_view::npos;
  if (close == std::string_view::npos || text.substr(i, close - i).find('\n') != std::string_view::npos)
    return Diag{"a text in quotes is missing here", std::string(expected), kForm, {i, std::min(i + 1, text.size())}};
  std::string words(text.substr(i + 1, close - i - 1));
  i = close + 1;
  return words;
}

Result<TaskEdit> editIn(std::string_view line, Span place) {
  TaskEdit edit;
  if (line.starts_with('"')) {
    std::size_t i = 0;
    TESSERA_TRY(edit.before, placed(quoted(line, i, "\"before\" -> \"after\""), place));
    i = skipBlanks(line, i);
    if (line.substr(i, 2) == "->") {
      i += 2;
      TESSERA_TRY(edit.after, placed(quoted(line, i, "\"before\" -> \"after\""), place));
      if (!edit.before.empty() && skipBlanks(line, i) == line.size()) return edit;
    }
    return Diag{"this edit cannot be read", "NAME = ..., or \"before\" -> \"after\"", "", place};
  }
  const std::vector<Statement> statements = splitStatements(line);
  if (statements.size() != 1 || statements.front().kind != StatementKind::Bind)
    return Diag{"this edit cannot be read", "NAME = ..., or \"before\" -> \"after\"", "", place};
  edit.name = statements.front().name;
  edit.after = line;
  return edit;
}

// What the braces hold, line by line.
Result<void> readKept(std::string_view text, std::size_t open, Task& task) {
  const std::size_t end = text.rfind('}');
  std::vector<TaskAnswer>* last = nullptr;  // the list that `also` continues
  for (std::size_t line = open + 1; line < end;) {
    const std::size_t lineEnd = std::min(text.find('\n', line), end);
    const std::size_t from = skipBlanks(text.substr(0, lineEnd), line), to = trimEnd(text, from, lineEnd);
    line = lineEnd + 1;
    if (from >= to) continue;
    const std::size_t wordEnd = skipWord(text, from);
    const std::string_view word = text.substr(from, wordEnd - from);
    const Span whole = {from, to};
    std::size_t at = skipBlanks(text, wordEnd);
    if (word == "hint" || (word.empty() && text[from] == '"' && !task.hints.empty())) {
      TESSERA_TRY(std::string words, quoted(text.substr(0, to), at, "hint \"...\""));
      if (at < to) return Diag{"only one text in quotes can be here", "hint \"...\"", "", {at, to}};
      if (word.empty()) {
        task.hints.back() += " " + words;
      } else {
        task.hints.push_back(std::move(words));
      }
    } else if (word == "solved" && at >= to) {
      task.shippedSolved = true;
    } else if (word == "answer" || word == "wrong" || (word == "also" && last != nullptr)) {
      TESSERA_TRY(TaskEdit edit, editIn(text.substr(at, to - std::min(at, to)), whole));
      if (word != "also") {
        last = word == "answer" ? &task.answers : &task.wrong;
        last->emplace_back();
      }
      last->back().push_back(std::move(edit));
    } else {
      return Diag{fmt::format("a task keeps no '{}'", cleaned(text.substr(from, std::min<std::size_t>(to - from, 40)))),
                  "hint \"...\", answer NAME = ..., wrong NAME = ..., also NAME = ..., solved", kForm, whole};
    }
  }
  return {};
}

std::size_t taskAt(std::span<const Statement> statements, std::size_t k) {
  for (std::size_t n = 0; n < statements.size(); ++n)
    if (statements[n].kind == StatementKind::Task && k-- == 0) return n;
  return statements.size();
}

}  // namespace

std::string print(const TaskAnswer& answer) {
  std::string out;
  for (const TaskEdit& edit : answer) {
    if (!out.empty()) out += '\n';
    out += edit.name.empty() ? fmt::format("{}  ->  {}", edit.before, edit.after) : edit.after;
  }
  return out;
}

Result<Task> readTask(std::string_view statement) {
  const std::string text = withoutComments(statement);
  Task task;
  std::size_t i = skipWord(text, 0);
  TESSERA_TRY(task.title, quoted(text, i, "the title of the task"));
  if (task.title.find_first_not_of(' ') == std::string::npos)
    return Diag{"the title of the task is empty", "task \"make it conflict free\": ...", "", {0, i}};
  i = skipBlanks(text, i);
  if (i >= text.size() || text[i] != ':')
    return Diag{
        "the ':' before the claim is missing", "task \"TITLE\": CLAIM", kForm, {i, std::min(i + 1, text.size())}};
  const std::size_t open = keptBegin(text);
  const std::size_t begin = std::min(skipBlanks(text, i + 1), open), end = trimEnd(text, begin, open);
  if (begin == end) return Diag{"the claim of the task is missing", "task \"TITLE\": CLAIM", kForm, {i, i + 1}};
  task.claimAt = {begin, end};
  task.claim = text.substr(begin, end - begin);
  if (open < text.size()) TESSERA_CHECKED(readKept(text, open, task));
  return task;
}

Result<TextEdit> placeOf(const TaskEdit& edit, std::string_view document, std::span<const Statement> statements,
                         std::size_t task) {
  const std::span<const Statement> above = statements.first(std::min(task, statements.size()));
  for (std::size_t k = above.size(); k-- > 0;) {
    const Statement& s = above[k];
    if (!edit.name.empty() && s.kind == StatementKind::Bind && s.name == edit.name) return TextEdit{s.span, edit.after};
    if (!edit.name.empty() || s.kind == StatementKind::Task) continue;
    const std::size_t found = document.substr(s.span.begin, s.span.end - s.span.begin).rfind(edit.before);
    if (found == std::string_view::npos) continue;
    const std::size_t begin = s.span.begin + found;
    return TextEdit{{begin, begin + edit.before.size()}, edit.after};
  }
  if (edit.name.empty())
    return Diag{fmt::format("the sheet above the task has no '{}'", cleaned(edit.before.substr(0, 80))),
                "the text that the lesson began with",
                "open the lesson again",
                {}};
  const std::size_t at = task < statements.size() ? statements[task].span.begin : document.size();
  return TextEdit{{at, at}, edit.after + "\n"};
}

Result<std::string> withAnswer(std::string document, std::size_t k, const TaskAnswer& answer) {
  for (const TaskEdit& edit : answer) {
    const std::vector<Statement> statements = splitStatements(document);
    TESSERA_TRY(const TextEdit place, placeOf(edit, document, statements, taskAt(statements, k)));
    document.replace(place.span.begin, place.span.end - place.span.begin, place.text);
  }
  return document;
}

std::string withoutKept(std::string document) {
  const std::vector<Statement> statements = splitStatements(document);
  for (std::size_t k = statements.size(); k-- > 0;) {
    const Statement& s = statements[k];
    if (s.kind != StatementKind::Task) continue;
    const auto task = readTask(s.text);
    if (!task) continue;
    const std::size_t end = s.span.begin + task->claimAt.end;
    document.erase(end, s.span.end - end);
  }
  return document;
}

}  // namespace tessera
