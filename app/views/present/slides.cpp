#include "app/views/present/slides.h"

#include <algorithm>

#include "app/engine/prose.h"
#include "app/views/present/linked_path.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

constexpr std::size_t kMostBeside = 4;

// The words of a comment line without its marks and link targets.
std::string wordsOf(std::string_view text, std::size_t begin, std::size_t end) {
  std::string words;
  for (const ProseSpan& span : proseSpans(text, begin, end)) words += text.substr(span.begin, span.end - span.begin);
  return words;
}

class SlideMaker {
 public:
  std::vector<Slide> run(std::string_view text) {
    int line = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line;
      if (const auto comment = readComment(text, begin, end)) {
        addComment(text, *comment, end, line);
      } else if (!stripped(text.substr(begin, end - begin)).empty()) {
        addLine(std::string(text.substr(begin, end - begin)), line);
      } else {
        joins_ = false;
      }
      begin = end + 1;
    }
    finish();
    return std::move(slides_);
  }

 private:
  void finish() {
    if (!now_.heading.empty() || !now_.paragraphs.empty() || !now_.code.empty()) slides_.push_back(std::move(now_));
    now_ = {};
    joins_ = false;
  }
  void reach(int line) {
    if (now_.firstLine == 0) now_.firstLine = line;
    now_.lastLine = line;
  }
  void addLine(std::string words, int line) {
    now_.code.push_back(std::move(words));
    reach(line);
  }
  void addComment(std::string_view text, const CommentLine& comment, std::size_t end, int line) {
    if (comment.kind == CommentKind::Blank) {
      joins_ = false;
      return;
    }
    if (!now_.code.empty() || (comment.kind == CommentKind::Heading && !now_.paragraphs.empty())) finish();
    reach(line);
    if (comment.kind == CommentKind::Heading) {
      now_.heading = wordsOf(text, comment.content, end);
    } else if (comment.kind == CommentKind::Text && joins_) {
      now_.paragraphs.back() += " " + wordsOf(text, comment.content, end);
    } else if (comment.kind == CommentKind::Verbatim) {
      now_.paragraphs.emplace_back(text.substr(comment.content, end - comment.content));
    } else {
      const bool item = comment.kind == CommentKind::Item;
      now_.paragraphs.push_back((item ? "\u2022 " : "") + wordsOf(text, comment.content, end));
    }
    joins_ = comment.kind == CommentKind::Text || comment.kind == CommentKind::Item;
  }

  Slide now_;
  bool joins_ = false;  // the next line of text continues the last paragraph
  std::vector<Slide> slides_;
};

}  // namespace

std::vector<Slide> slidesOf(const Snapshot& snapshot, const TaskHelp& help) {
  std::vector<Slide> slides;
  std::size_t k = 0;
  for (Slide& slide : SlideMaker().run(snapshot.text)) {
    bool first = true;
    for (; k < snapshot.outcomes.size() && snapshot.outcomes[k]->statement.line <= slide.lastLine; ++k) {
      const Outcome& o = *snapshot.outcomes[k];
      if (!o.figure || !help.shows(o)) continue;
      Slide* const with = first ? nullptr : &slides.back();
      if (with != nullptr && with->pictures.size() < kMostBeside &&
          areLinked(*snapshot.outcomes[with->pictures.front()], o)) {
        with->pictures.push_back(k);
        continue;
      }
      slide.pictures = {k};
      slides.push_back(slide);
      first = false;
    }
    if (first) slides.push_back(std::move(slide));
  }
  return slides;
}

}  // namespace tessera::panes
