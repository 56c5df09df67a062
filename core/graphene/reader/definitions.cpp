#include "core/graphene/reader/definitions.h"

#include <fmt/format.h>

#include "core/base/chars.h"

namespace tessera::graphene {
namespace {

// The // lines directly above `at`, without their marks.
std::string commentAbove(std::string_view text, std::size_t at) {
  std::string out;
  std::size_t end = text.rfind('\n', at);
  while (end != std::string_view::npos && end > 0) {
    const std::size_t before = text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (line.substr(0, 2) != "//") break;
    out = std::string(line.substr(line.size() > 2 && line[2] == ' ' ? 3 : 2)) + (out.empty() ? "" : " ") + out;
    if (begin == 0) break;
    end = before;
  }
  return out;
}

std::vector<Definition> definitionsOf(std::string_view text) {
  std::vector<Definition> out;
  Cursor in(text, {.lineComments = true, .blockComments = true});
  while (!in.atEnd()) {
    const std::size_t begin = in.position();
    if (!in.acceptWord("def")) break;
    Result<Definition> one = definitionAt(in);
    if (!one) break;  // tests/graphene reads every file to its end
    one->library = true;
    one->comment = commentAbove(text, begin);
    out.push_back(*std::move(one));
  }
  return out;
}

}  // namespace

Result<Definition> definitionAt(Cursor& in) {
  Definition out;
  out.text = in.text();
  const std::size_t begin = in.start();
  TESSERA_TRY(out.name, in.identifier("the name of the specification"));
  out.span = in.spanFrom(begin);
  if (in.accept('<')) {
    do {
      TESSERA_TRY(std::string parameter, in.identifier("a parameter"));
      out.parameters.push_back(std::move(parameter));
    } while (in.accept(','));
    TESSERA_CHECKED(in.expect(">", "after the parameters"));
  }
  TESSERA_CHECKED(in.expect(":", "between the name and the specification"));
  out.head = in.start();
  // A head has no braces and only one arrow.
  int arrows = 0;
  while (!in.atEnd() && in.raw() != '{' && in.raw() != '}') {
    if (in.raw() == '<' && in.raw(1) == '-' && ++arrows > 1) break;
    in.advance();
  }
  out.signature = stripped(in.text().substr(begin, in.position() - begin));
  if (in.raw() == '{' && out.signature.ends_with(" means")) {
    out.signature = stripped(std::string_view(out.signature).substr(0, out.signature.size() - 6));
    const std::size_t open = in.position();
    if (!in.acceptBracketed(false)) return Diag{"the `means` block is never closed", "`}`", "", {open, open + 1}};
    in.skipBlanks();
  }
  if (in.raw() != '{')
    return in.failFrom(begin, fmt::format("{} has no decomposition", out.name), "def NAME: %out <- Move(%in) { ... }");
  const std::size_t open = in.position();
  if (!in.acceptBracketed(false)) return Diag{"this body is never closed", "`}`", "", {open, open + 1}};
  out.end = in.position();
  return out;
}

const std::vector<Definition>& libraryDefinitions() {
  static const std::vector<Definition> kAll = [] {
    std::vector<Definition> all;
    for (const LibraryFile& file : libraryFiles())
      for (Definition& d : definitionsOf(file.text)) all.push_back(std::move(d));
    return all;
  }();
  return kAll;
}

}  // namespace tessera::graphene
