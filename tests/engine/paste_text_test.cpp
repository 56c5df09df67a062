// What Ctrl+V inserts.
#include "app/engine/paste/paste_text.h"

#include <catch2/catch.hpp>

#include "core/paste/dialects.h"
#include "core/worksheet/value.h"

using namespace tessera;

namespace {

// Every statement of the inserted text evaluates.
void checkReads(const std::string& text) {
  Scope scope;
  for (const Statement& s : splitStatements(text)) {
    const Evaluated e = evaluate(s, scope);
    INFO(s.text << (e.diag ? ": " + e.diag->message : ""));
    CHECK_FALSE(e.diag);
  }
}

}  // namespace

TEST_CASE("what the worksheet reads is inserted unchanged") {
  for (const char* text : {"(4,8):(8,1)", "A = (4,8):(8,1)\nshow A as grid\nprove injective(A)", "size((4,8))",
                           "composition((M,N):(N,1), (2,4))", "ldmatrix.x4", "just some words", "", "  \n",
                           "// a comment", "f32[4,8]{1,0}"}) {
    INFO(text);
    const PasteText inserted = pasteText(text);
    CHECK(inserted.text.empty());
    CHECK(inserted.remark.empty());
  }
}

TEST_CASE("a program becomes a block and its check") {
  const PasteText inserted =
      pasteText("%a:[4].fp32.GL %b:[4].fp32.GL #g:[1].block #t:[4].thread\n%b <- Move<<<#g,#t>>>(%a) {\n}\n");
  INFO(inserted.remark);
  CHECK(inserted.text.starts_with("graphene kernel {\n  %a:[4]"));
  CHECK(inserted.text.ends_with("}\n\ncheck kernel\n"));
  CHECK(inserted.remark == "read as Graphene");
}

TEST_CASE("constants that the text does not define are lines of their own, or remarks") {
  const PasteText layout = pasteText("using A = Layout<Shape<_8, Int<kCols>>, Stride<Int<kCols>, _1>>;", {});
  INFO(layout.text << layout.remark);
  REQUIRE_FALSE(layout.text.empty());
  CHECK(layout.text.find("kCols = 64   // assumed: edit") != std::string::npos);
  CHECK(layout.text.find("show A") != std::string::npos);
  CHECK(layout.remark.find("CuTe C++") != std::string::npos);
  checkReads(layout.text);
  // An edit of the line is an edit of the layout.
  std::string edited = layout.text;
  edited.replace(edited.find("kCols = 64"), 10, "kCols = 16");
  Scope scope;
  for (const Statement& s : splitStatements(edited)) CHECK_FALSE(evaluate(s, scope).diag);
  REQUIRE(scope.find("A") != nullptr);
  CHECK(print(*scope.find("A")).find("16") != std::string::npos);

  const PasteText code = pasteText("smem[threadIdx.x * 33 + k]", {});
  INFO(code.text << code.remark);
  CHECK(code.text.find("show") != std::string::npos);
  checkReads(code.text);
}

TEST_CASE("a value without a name gets one that the worksheet does not have") {
  const PasteText value =
      pasteText("tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64>{})", {"X", "X2"});
  INFO(value.text << value.remark);
  CHECK(value.text.find("X3") != std::string::npos);
  CHECK(value.text.find("show X3") != std::string::npos);
}
