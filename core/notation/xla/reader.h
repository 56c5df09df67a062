// The scanner that the readers of XLA text share: blanks, // and /* */ comments vanish; failures are Diags with places.
#pragma once

#include <string>
#include <string_view>

#include "core/base/arith.h"
#include "core/base/result.h"
#include "core/notation/xla/shape.h"

namespace tessera {

class XlaReader {
 public:
  explicit XlaReader(std::string_view text) : text_(text) {}
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t position() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  void skip();
  [[nodiscard]] char peek();  // '\0' at the end
  bool accept(std::string_view token);
  [[nodiscard]] std::string_view peekWord();  // letters, digits, _; empty when none begins here
  [[nodiscard]] bool atInteger();
  [[nodiscard]] Result<i64> integer(std::string_view what);
  [[nodiscard]] Result<void> expect(std::string_view token, std::string_view where);
  [[nodiscard]] Span here();
  [[nodiscard]] Diag fail(std::string message, std::string expected = {}, std::string hint = {});

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// One shape from where the reader stands.
[[nodiscard]] Result<XlaShape> readXlaShape(XlaReader& in, int depth);

}  // namespace tessera
