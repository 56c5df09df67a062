// ProgramReader: the statements of a program by recursive descent, and what a body is. What is inside a statement is
// read by the functions of constructs.h, calls of named specifications by CallReader, tensors, shapes and operations by
// the notation's own Reader. Entry point: readProgram (program.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/graphene/program.h"
#include "core/graphene/reader/call_reader.h"
#include "core/graphene/reader/program_text.h"

namespace tessera::graphene {

class ProgramReader {
 public:
  ProgramReader(std::string_view text, Order order)
      : text_(text, order), in_(text_.in), calls_(text_, [this] { return block(); }) {}
  // Gives numbers to sizes (sized.h). notAsked, after run: one of them that the text does not use.
  void give(std::map<std::string, i64> sizes) { text_.names.give(std::move(sizes)); }
  [[nodiscard]] std::optional<std::string> notAsked() const { return text_.names.notAsked(); }
  Result<Program> run();

 private:
  Result<void> topLevel();
  Result<void> next(Body& out);
  Result<Statement> statement();
  void place(Statement& out, std::size_t begin);
  Result<Statement> tensorStatement();
  Result<Statement> spec();
  Result<Body> block();
  Result<void> rest(Body& out, Span open);
  Result<void> inPlace(Body& out);
  Result<Statement> loop();
  Result<void> branch(Body& out);
  Result<void> chosen(bool then, Body& out);

  ProgramText text_;
  Cursor& in_;
  Program program_;
  CallReader calls_;
};

}  // namespace tessera::graphene
