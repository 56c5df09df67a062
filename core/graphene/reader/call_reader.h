// CallReader: reads named specifications (definitions.h): definitions, and calls. A call is expanded by reading the
// body of its definition again, in scopes that have the caller's sizes and the call's arguments.
//
//     def all<op>: ...      definition()        %sum <- all<+>(%sum)      call(), a Spec with called = "all<+>"
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/reader/definitions.h"
#include "core/graphene/reader/program_text.h"

namespace tessera::graphene {

class CallReader {
 public:
  using ReadBody = std::function<Result<Body>()>;  // reads { ... } at the cursor
  CallReader(ProgramText& text, ReadBody body) : text_(text), in_(text.in), body_(std::move(body)) {}

  // def all<op>: %x <- Spec<all><<<#b,#w>>>(%x) { ... }, after `def`
  Result<void> definition();
  // From the program, else from the library; null: none.
  [[nodiscard]] const Definition* definitionOf(const std::string& word);
  [[nodiscard]] std::vector<std::string> names() const;
  // all<+><<<#b, #w>>>(%sum), after `%sum <-`. `head` has the outputs.
  Result<Statement> call(const Definition& definition, Spec head, std::size_t begin, std::size_t wordSize);
  // The span to report for a statement: its own, or that of the outermost call if the statement is the library's.
  [[nodiscard]] Span shown(Span own) const { return inLibrary_ ? call_ : own; }

 private:
  Result<Scope> arguments(const Definition& definition);
  Result<void> expand(const Definition& definition, Spec& out, Scope given, std::size_t begin);
  Result<void> formals(const std::vector<Tensor>& actual, std::string_view what);
  Result<void> matchHead(Spec& out);

  ProgramText& text_;
  Cursor& in_;
  ReadBody body_;
  std::map<std::string, Definition> definitions_;
  bool libraryRead_ = false;
  std::vector<const Definition*> expanding_;  // outermost first
  Span call_;                                 // outermost call that expands a library definition
  bool inLibrary_ = false;
};

}  // namespace tessera::graphene
