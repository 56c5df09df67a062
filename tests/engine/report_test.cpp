// A sheet as Markdown.
#include "app/engine/report/report.h"

#include <catch2/catch.hpp>
#include <set>

using namespace tessera;

namespace {

ReportInput inputOf(const std::string& text) {
  ReportInput input;
  input.text = text;
  input.folder = "sheet_pictures";
  Scope scope;
  EngineOptions options;
  options.figures = EngineOptions::Figures::Bare;
  for (const Statement& s : splitStatements(text))
    input.outcomes.push_back(std::make_shared<const Outcome>(runStatement(s, scope, options)));
  return input;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("comments are text, statements code, and each answer follows its statement") {
  const Report report =
      reportOf(inputOf("// # Swizzles\n// Rows of *64*.\n\nS = Sw<3,3,3> o (64,64):(64,1)\n"
                       "prove injective(S)\nsize(S)\n// The picture:\nshow S as grid  // here\n"
                       "prove conflict_free((64,64):(64,1), ldmatrix.x4, fp16)\nsize(T)\n"));
  const std::string& md = report.markdown;
  INFO(md);
  std::size_t at = 0;
  for (const char* piece :
       {"# Swizzles\nRows of *64*.\n\n```\nS = Sw<3,3,3> o (64,64):(64,1)\nprove injective(S)\n```\n\n**proved** "
        "`injective(S)`",
        "```\nsize(S)\n```\n\n= `4096`", "The picture:", "show S as grid",
        "![S as grid](sheet_pictures/1-s-as-grid.svg)", "here",
        "**refuted** `conflict_free((64,64):(64,1), ldmatrix.x4", "size(T)", "**error**: "}) {
    const std::size_t found = md.find(piece, at);
    INFO(piece);
    REQUIRE(found != std::string::npos);
    at = found + 1;
  }
  CHECK(count(md, "```") % 2 == 0);
  REQUIRE(report.pictures.size() == 2);  // the show, and the refuted claim
  CHECK(report.pictures[0].figure.title == "S as grid");
}

TEST_CASE("every statement is in the report once, every picture is linked once") {
  const std::string text = "A = (4,8):(8,1)\nA\nshow A\nshow A as memory\nshow A\nprove injective(A)\n";
  const ReportInput input = inputOf(text);
  const Report report = reportOf(input);
  std::set<std::string> files;
  std::size_t figures = 0;
  for (const auto& o : input.outcomes) figures += o->figure.has_value();
  for (const ReportPicture& p : report.pictures) {
    CHECK(files.insert(p.file).second);
    CHECK(count(report.markdown, "](" + p.file + ")") == 1);
  }
  CHECK(figures == report.pictures.size());
  CHECK(count(report.markdown, "show A\n") == 2);
  CHECK(reportOf(inputOf(text)).markdown == report.markdown);
  CHECK(reportOf({}).markdown.empty());
}

TEST_CASE("a file name has the words of the title") {
  CHECK(fileNameOf("S as grid") == "s-as-grid");
  CHECK(fileNameOf("Sw<3,3,3> o (64,64):(64,1) as grid") == "sw-3-3-3-o-64-64-64-1-as-grid");
  CHECK(fileNameOf("///") == "");
  CHECK(fileNameOf(std::string(100, 'a')).size() == 40);
}
