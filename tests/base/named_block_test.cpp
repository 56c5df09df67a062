#include <catch2/catch.hpp>

#include "core/base/cursor.h"

using namespace tessera;

TEST_CASE("a named block keeps its places, and its head and braces are blanks") {
  for (const std::string text :
       {"hlo soft { a }", "hlo /* , */ x{}", "hlo\n  y // of z\n{\n  b }\n}", "hlo n {a{b}c}"}) {
    INFO(text);
    const auto block = namedBlock(text, "hlo", "hlo softmax {");
    REQUIRE(block.ok());
    CHECK(block->inside.size() == text.size());
    CHECK(text[block->open] == '{');
    for (std::size_t k = 0; k < text.size(); ++k) {
      const bool head = k <= block->open, last = k == text.rfind('}');
      CHECK(block->inside[k] == ((head && text[k] != '\n') || last ? ' ' : text[k]));
    }
  }
  CHECK(namedBlock("hlo\n  y // of z\n{\n}", "hlo", "")->name == "y");
  CHECK(namedBlock("graphene k {}", "graphene", "")->name == "k");
  CHECK(namedBlock("hlo soft", "hlo", "").error().message == "this block has no braces");
  CHECK(namedBlock("hlo soft } {", "hlo", "").error().expected == "hlo NAME { ... }");
  const auto nameless = namedBlock("hlo { a }", "hlo", "hlo softmax {");
  REQUIRE(!nameless.ok());
  CHECK(nameless.error().message == "this block has no name");
  CHECK(nameless.error().hint == "hlo softmax {");
}
