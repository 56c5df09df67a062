#include "app/views/editor/insert.h"

#include <algorithm>

namespace tessera::panes {

void insertBehind(Session& session, const Statement& behind, const std::string& statements) {
  const std::string& text = session.document().text();
  const std::size_t end = std::min(text.find('\n', std::min(behind.span.end, text.size())), text.size());
  session.document().replace(end, end, "\n" + statements);
}

void takeStep(Session& session, const Statement& of, const NextStep& step) {
  const std::string& text = session.document().text();
  const Span span = of.span;
  if (span.end > text.size() || text.compare(span.begin, span.end - span.begin, of.text) != 0) return;
  if (step.replace) {
    session.document().replace(step.replace->begin, step.replace->end, step.statement);
  } else {
    insertBehind(session, of, step.statement);
  }
}

}  // namespace tessera::panes
