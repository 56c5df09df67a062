// Module reader: reads a text in one pass: heads, tables and computations in read.cpp, the instructions of a body in
// read_body.cpp. Internal to core/hlo/text.
//
//     ModuleReader("HloModule m  ENTRY e { ROOT p = f32[] parameter(0) }").run()       a Module with one computation
//
// Operand names are resolved at the end of their computation, computation names on use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hlo/text/module.h"
#include "core/hlo/text/scan.h"

namespace tessera::hlo {

class ModuleReader {
 public:
  explicit ModuleReader(std::string text);
  [[nodiscard]] Module run();

  // For the reader of a body:
  void problem(Diag diag, std::string_view computation = {}, std::string_view instruction = {});
  [[nodiscard]] Diag here(std::string message, std::string expected) const;
  [[nodiscard]] Span spanOf(std::string_view piece) const;
  [[nodiscard]] std::size_t lineEnd(std::size_t at) const;
  // Reads ", name=value" repeatedly, up to any other line or an inline body. A Diag: a value is missing.
  std::optional<Diag> readAttributes(std::vector<Attribute>& attributes);
  [[nodiscard]] Result<int> shapeNumber(std::string_view text);
  // Whether NAME = follows.
  [[nodiscard]] bool loneInstruction() const;
  // Whether NAME = shape follows.
  [[nodiscard]] bool instructionFollows();
  // Whether NAME ( follows.
  [[nodiscard]] bool opcodeFollows();
  // Whether NAME (parameters) -> shape { follows: then the previous computation lacks its closing brace.
  [[nodiscard]] bool headFollows();
  // Whether `(` follows, possibly on a later line; moves the cursor there.
  bool bracketFollows();

  Module module;
  Scan in{""};
  int nested = 0;  // nesting depth of the bodies being read

 private:
  void topLevel();
  void readHead();
  void readTable(std::string_view table);
  void readLoose();
  bool readComputation();
  void finish(Computation c);
  void sortProblems();
  bool signaturePassed();
  std::string_view valueOfAttribute(std::string_view name);
  // Looks ahead with `in` itself, so that its limit on wasted work applies.
  template <class Look>
  bool follows(Look look) {
    const std::size_t begin = in.at();
    const bool is = look();
    in.seek(begin);
    return is;
  }

  std::unordered_map<std::string_view, int> shapes_;
};

// Reads instructions up to the closing brace; `loose`: up to the first text that is not an instruction.
void readBody(ModuleReader& reader, Computation& c, bool loose);

}  // namespace tessera::hlo
