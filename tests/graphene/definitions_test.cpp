// Named specifications: a call equals its expanded body, names do not clash, and the library is complete.
#include "core/graphene/reader/definitions.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/base/chars.h"
#include "core/graphene/program.h"
#include "core/graphene/spec_tree.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::string kHead = "%in:[32:1].fp32.GL  %out:[32:1].fp32.GL\n#b:[1].block  #w:[32:1].thread\n";

std::string fileText(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string printed(const std::string& text) {
  const auto program = readProgram(text);
  INFO(text);
  if (!program) FAIL(program.error().message);
  return print(*program);
}

Diag refusal(const std::string& text) {
  const auto program = readProgram(text);
  INFO(text);
  REQUIRE_FALSE(program.ok());
  CHECK(program.error().span.end <= text.size());
  CHECK(program.error().span.begin <= program.error().span.end);
  return program.error();
}

std::string piece(const std::string& text, const Diag& d) {
  return text.substr(d.span.begin, d.span.end - d.span.begin);
}

}  // namespace

TEST_CASE("a call is the body written out") {
  const std::string called = kHead + R"(
def twice<op>: %x <- Spec<twice>(%x) {
  %x <- BinaryPointwise<op>(%x,%x)
}
%out <- Spec<<<#b,#w>>>(%in) {
  @l = #w.indices()
  %v:[].fp32.RF
  %e = %in[@l]  %o = %out[@l]
  %v <- Move(%e)
  %v <- twice<+>(%v)
  %o <- Move(%v)
})";
  const std::string written = kHead + R"(
%out <- Spec<<<#b,#w>>>(%in) {
  @l = #w.indices()
  %v:[].fp32.RF
  %e = %in[@l]  %o = %out[@l]
  %v <- Move(%e)
  %v <- Spec<twice>(%v) {
    %v <- BinaryPointwise<+>(%v,%v)
  }
  %o <- Move(%v)
})";
  CHECK(printed(called) == printed(written));
  CHECK(printed(printed(called)) == printed(called));
  const auto program = readProgram(called);
  const SpecTree tree = specTree(*program);
  REQUIRE(tree.rows.size() == 5);
  CHECK(tree.rows[2].text == "%v <- twice<+>(%v)");
  CHECK(tree.rows[3].parent == 2);
  // What is inside is in the definition, the call where it is written.
  CHECK(called.substr(tree.rows[2].span.begin, 5) == "%v <-");
  CHECK(tree.rows[3].span.begin < called.find("%out <-"));
}

TEST_CASE("names of a body and of what it is called with do not meet") {
  // %t is the caller's and the body's; @i and k are the body's, and part of the argument.
  const std::string text = kHead + R"(
def shifted<by>: %to <- Spec<shifted><<<#g,#t>>>(%from) {
  @i = #t.indices()
  %t:[].fp32.RF  %t_2:[].fp32.RF
  for (k = 0; k < 1; k += 1) {
    %f = %from[(@i + by + k)%32]  %o = %to[@i]
    %t <- Move(%f)  %t_2 <- Move(%t)  %o <- Move(%t_2)
  }
}
%t:[32:1].fp32.GL
%out <- Spec<<<#b,#w>>>(%t) {
  for (k = 0; k < 2; k += 1) {
    @i = #w.indices()
    %out <- shifted<k + 3><<<#b,#w>>>(%t)
  }
})";
  const std::string once = printed(text);
  CHECK(printed(once) == once);
  CHECK(once.find("%t_2:[].fp32.RF") != std::string::npos);
  CHECK(once.find("for (k_2 = 0; k_2 < 1; k_2 += 1)") != std::string::npos);
  CHECK(once.find("%f:[].fp32.GL = %t[(@i_2+(k+3)+k_2)%32]") != std::string::npos);
  // A body does not see what it was not given.
  const std::string peeking = kHead +
                              "def f: %x <- Spec(%x) { %y <- Move(%x) }\n%out <- Spec<<<#b,#w>>>(%in) { "
                              "%y:[].fp32.RF  %z:[].fp32.RF  %z <- f(%z) }";
  CHECK(refusal(peeking).message.find("there is no tensor %y here") == 0);
  // Sizes of the caller's tensors are known everywhere.
  CHECK(
      printed("%a:[M:1].fp32.GL #b:[1].block #t:[32:1].thread def f: %x <- Spec<<<#b,#t>>>(%y) { for (k = 0; k < M; k "
              "+= 1) { %v:[].fp32.RF %e = %y[k] %v <- Move(%e) } }\n%a <- f<<<#b,#t>>>(%a)")
          .find("k < M") != std::string::npos);
}

TEST_CASE("parameters are numbers, operations, and what is handed on") {
  const std::string text = kHead + R"(
def one<op, D>: %x <- Spec<one><<<#b,#w>>>(%x) {
  %o:[].fp32.RF
  %o <- Shfl<bfly D><<<#b,#w>>>(%x)
  %x <- BinaryPointwise<op>(%x,%o)
}
def two<op, D>: %x <- Spec<two><<<#b,#w>>>(%x) {
  %x <- one<op, 2*D><<<#b,#w>>>(%x)
  %x <- one<op, D><<<#b,#w>>>(%x)
  for (k = 0; k < 4*D; k += D) { %y:[].fp32.RF  %y <- Init<D>() }
}
%out <- Spec<<<#b,#w>>>(%in) {
  %v:[].fp32.RF  %v <- Init<0>()
  %v <- two<max, 4><<<#b,#w>>>(%v)
})";
  const std::string out = printed(text);
  CHECK(out.find("Shfl<bfly8>") != std::string::npos);
  CHECK(out.find("Shfl<bfly4>") != std::string::npos);
  CHECK(out.find("BinaryPointwise<max>") != std::string::npos);
  CHECK(out.find("k < 16; k += 4") != std::string::npos);
  CHECK(out.find("Init<4>") != std::string::npos);
}

TEST_CASE("definitions and calls that cannot be read are refused where they stand") {
  const std::string def = "def f<n>: %x <- Spec<<<#b,#w>>>(%x) { }\n";
  const auto with = [&](const std::string& definitions, const std::string& call) {
    return kHead + definitions + "%out <- Spec<<<#b,#w>>>(%in) { " + call + " }";
  };
  struct Row {
    std::string text, message, piece;
  };
  const Row rows[] = {
      {with(def, "%out <- f<<<#b,#w>>>(%out)"), "the parameters of f are missing", ""},
      {with(def, "%out <- f<1,2><<<#b,#w>>>(%out)"), "`>` is missing after the parameters of f", ","},
      {with(def, "%out <- f<1>(%out)"), "it is called without blocks and threads", "Spec"},
      {with(def, "%out <- f<1><<<#b,#w>>>(%in)"), "%x is both %out and %in", "%x"},
      {with(def, "%out <- f<1><<<#b,#w>>>(%out,%in)"), "it is called with 2 inputs, but takes 1", "%x"},
      {with(def, "%out <- f<1><<<#b,#w>>>(%out) { }"), "f is decomposed in its definition", "{"},
      {with(def, "%out <- g<1><<<#b,#w>>>(%out)"), "there is no specification 'g'", "g"},
      {with(def + def, ""), "f is defined twice", "f"},
      {with("def Move: %x <- Spec(%x) { }\n", ""), "Move is a kind of specification", "Move"},
      {with("def f<n,n>: %x <- Spec(%x) { }\n", ""), "f has the parameter n twice", "f"},
      {with("def f: %x <- Spec(%x)\n", ""), "f has no decomposition", ""},
      {kHead + "def f: %x <- Spec(%x) { ", "this body is never closed", "{"},
      {with("def f: %x <- f(%x) { }\n", "%out <- f(%out)"), "'f' is not a kind of specification", "f"},
      {with("def f: %x <- Spec(%x) { %x <- f(%x) }\n", "%out <- f(%out)"), "f calls itself: f > f", "f"},
      {with("def f: %x <- Spec(%x) { %x <- g(%x) }\ndef g: %x <- Spec(%x) { %x <- f(%x) }\n", "%out <- f(%out)"),
       "f calls itself: f > g > f", "f"},
      {with("", "%out <- all<<<#b,#w>>>(%out)"), "the parameters of all are missing", ""},
      {with("", "%out <- copy_rows<16,8,4,7><<<#b,#w>>>(%in)"), "in copy_rows of the library: ", "copy_rows<16,8,4,7>"},
  };
  for (const Row& r : rows) {
    const Diag d = refusal(r.text);
    INFO(r.text << "\n" << d.message << " at " << piece(r.text, d));
    CHECK(d.message.find(r.message) == 0);
    if (!r.piece.empty()) CHECK(piece(r.text, d).find(r.piece) == 0);
  }
}

TEST_CASE("calls that multiply without end are refused soon") {
  std::string text = kHead + "def f0: %x <- Spec(%x) { %x <- Move(%x) }\n";
  for (int k = 1; k < 40; ++k) {
    const std::string inner = "f" + std::to_string(k - 1);
    text += "def f" + std::to_string(k) + ": %x <- Spec(%x) { %x <- " + inner + "(%x)  %x <- " + inner + "(%x) }\n";
  }
  CHECK(refusal(text + "%out <- f39(%out)").message.find("calls nest more than") != std::string::npos);
  CHECK(refusal(text + "%out <- f22(%out)").message.find("this program is too long") != std::string::npos);
}

TEST_CASE("the library is read whole, and every specification of it is used by a program") {
  std::size_t words = 0;
  for (const LibraryFile& file : libraryFiles()) {
    INFO(file.name);
    for (std::size_t at = file.text.find("def "); at != std::string_view::npos; at = file.text.find("\ndef ", at + 1))
      ++words;
    const std::filesystem::path path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/library" / (std::string(file.name) + ".graphene");
    CHECK(fileText(path) == file.text);
  }
  CHECK(words >= 15);
  REQUIRE(libraryDefinitions().size() == words);
  std::string programs;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/assets/graphene"))
    if (entry.is_regular_file()) programs += fileText(entry.path());
  for (const LibraryFile& file : libraryFiles()) programs += file.text;
  for (const Definition& d : libraryDefinitions()) {
    INFO(d.name);
    CHECK(names.insert(d.name).second);
    CHECK_FALSE(d.comment.empty());
    CHECK(d.signature.find(": %") != std::string::npos);
    const std::string call = "<- " + d.name;
    std::size_t at = programs.find(call);
    while (at != std::string::npos && isNamePart(programs[at + call.size()])) at = programs.find(call, at + 1);
    CHECK(at != std::string::npos);
  }
}

TEST_CASE("a program's own definition hides the library's") {
  const std::string own = kHead + "def all<op>: %x <- Spec<mine><<<#b,#w>>>(%x) { }\n" +
                          "%out <- Spec<<<#b,#w>>>(%in) { %out <- all<+><<<#b,#w>>>(%out) }";
  CHECK(printed(own).find("Spec<mine>") != std::string::npos);
  CHECK(printed(kHead + "%out <- Spec<<<#b,#w>>>(%in) { %v:[].fp32.RF %v <- Init<0>() %v <- all<+><<<#b,#w>>>(%v) }")
            .find("Spec<all>") != std::string::npos);
}
