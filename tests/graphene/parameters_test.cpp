// Parameters: the program equals the one with the numbers written out, and errors are reported at their place.
#include "core/graphene/reader/parameters.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/graphene/program.h"
#include "core/graphene/reader/sized.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

std::string printed(const std::string& text, const Settings& settings = {}) {
  INFO(text);
  const auto listing = readListing("p", text, settings);
  if (!listing) FAIL(listing.error().message);
  return print(*listing);
}

Diag refusal(const std::string& text, const Settings& settings = {}) {
  INFO(text);
  const auto listing = readListing("p", text, settings);
  REQUIRE_FALSE(listing.ok());
  CHECK(listing.error().span.begin <= listing.error().span.end);
  CHECK(listing.error().span.end <= text.size());
  return listing.error();
}

std::string piece(const std::string& text, const Diag& d) {
  return text.substr(d.span.begin, d.span.end - d.span.begin);
}

// A tile of BM rows through shared memory, by a definition of its own and a copy that is chosen.
const std::string kTiles = R"(// the head
param BM = 16 in 8, 16, 32
param width = 4 in 2, 4   // values at once
param half = BM/2
param bits = 2 in 0, 2
param order = row in row, column
param copy = copy_rows in copy_rows, slow
param op = relu in relu, exp
require BM*width <= 64 && BM % 8 == 0
%in:[64,BM:BM,1].fp32.GL
if (order == row) { %out:[64,BM:BM,1].fp32.GL } else if (BM == 32) { %out:[64,BM:1,96] } else { %out:[64,BM:1,64].fp32.GL }
#b:[1].block  #t:[64:1].thread
def slow<rows, chunks, trips, size>: %to <- Move<<<#g,#u>>>(%from) {
  #l = #u.reshape(0,[64])  @r = #l.indices()
  for (c = 0; c < BM; c += 1) { %f = %from[@r,c]  %t = %to[@r,c]  %v:[].fp32.RF  %v <- Move(%f)  %v <- UnaryPointwise<op>(%v)  %t <- Move(%v) }
}
%out <- Spec<<<#b,#t>>>(%in) {
  %s:Sw<bits,1 + 1,bits> o [64,BM:BM,1].fp32.SH
  %s <- copy<64*width/BM, BM/width, half*2/(64*width/64)*BM/64*4, width><<<#b,#t>>>(%in)
  wait (half - 4)
  for (k = 0; k < 2*half; k += half) { %e = %s[0,k] %o = %out[0,k]  %v:[].fp32.RF  %v <- Move(%e)  %o <- Move(%v) }
}
)";

}  // namespace

TEST_CASE("the program is the one with the numbers written out") {
  const std::string with =
      "param M = 8 in 8, 16\nparam op = + in +, max\nrequire M >= 8\n"
      "%a:[M,4:4,1].fp32.GL #b:[1].block #t:[M:1].thread\n"
      "%a <- Spec<<<#b,#t>>>(%a) { @i = #t.indices() %t = %a.tile([1:1],[M/4:1])[@i,0] "
      "%v:[M/4:1].fp32.RF %v <- BinaryPointwise<op>(%t,%t) }";
  const auto written = [](const std::string& m, const std::string& part, const std::string& op) {
    return "%a:[" + m + ",4:4,1].fp32.GL #b:[1].block #t:[" + m +
           ":1].thread\n%a <- Spec<<<#b,#t>>>(%a) { @i = #t.indices() %t = %a.tile([1:1],[" + part + ":1])[@i,0] %v:[" +
           part + ":1].fp32.RF %v <- BinaryPointwise<" + op + ">(%t,%t) }";
  };
  CHECK(printed(with) == printed(written("8", "2", "+")));
  CHECK(printed(with, {{"M", "16"}}) == printed(written("16", "4", "+")));
  CHECK(printed(with, {{"op", "max"}, {"M", "16"}}) == printed(written("16", "4", "max")));
  CHECK(printed(printed(with)) == printed(with));
}

TEST_CASE("a setting writes over the value and nothing else") {
  CHECK(*withSettings(kTiles, {}) == kTiles);
  const std::string changed = *withSettings(kTiles, {{"BM", "8"}, {"order", "column"}});
  CHECK(changed.find("param BM = 8 in 8, 16, 32\n") != std::string::npos);
  CHECK(changed.find("param order = column in row, column\n") != std::string::npos);
  CHECK(std::count(changed.begin(), changed.end(), '\n') == std::count(kTiles.begin(), kTiles.end(), '\n'));
  CHECK(*withSettings("param a = 2*3 /* six */ // or\nparam b = a // too", {{"a", "7"}, {"b", "1"}}) ==
        "param a = 7 /* six */ // or\nparam b = 1 // too");
  const auto listing = readListing("p", kTiles);
  REQUIRE(listing.ok());
  const auto other = with(*listing, {{"BM", "8"}});
  REQUIRE(other.ok());
  CHECK_FALSE(*other == *listing);
  CHECK(*with(*other, {{"BM", "16"}}) == *listing);
  CHECK(print(*other).find("%in:[64,8:8,1].fp32.GL") == 0);
}

TEST_CASE("sizes, swizzles, bounds, words and definitions") {
  const std::string row = printed(kTiles);
  CHECK(row.find("%out:[64,16:16,1].fp32.GL") != std::string::npos);
  CHECK(row.find("Sw<2,2,2> o [64,16:16,1]") != std::string::npos);
  CHECK(row.find("wait 4") != std::string::npos);
  CHECK(row.find("for (k = 0; k < 16; k += 8)") != std::string::npos);
  CHECK(row.find("BinaryPointwise") == std::string::npos);
  const std::string column = printed(kTiles, {{"order", "column"}, {"copy", "slow"}, {"op", "exp"}, {"bits", "0"}});
  CHECK(column.find("%out:[64,16:1,64].fp32.GL") != std::string::npos);
  CHECK(column.find("UnaryPointwise<exp>") != std::string::npos);
  CHECK(column.find("Sw<") == std::string::npos);
}

TEST_CASE("an `if` that is decided leaves its side in place") {
  const std::string head =
      "param n = 2 in 1, 2, 3\n%a:[8].fp32.GL #b:[1].block #t:[8:1].thread\n%a <- Spec<<<#b,#t>>>(%a) { @i = "
      "#t.indices() ";
  const auto body = [&](const std::string& text, const std::string& n) {
    return printed(head + text + " }", {{"n", n}});
  };
  const auto plain = [&](const std::string& text) { return printed(head + text + " }"); };
  // Its names stay; what does not hold is not read.
  const std::string choice =
      "if (n == 1) { %v:[].fp32.RF } else if (n == 2) { %v:[2].fp32.RF } else { %v:[3].fp32.RF sync } %e = %a[@i]";
  CHECK(body(choice, "1") == plain("%v:[].fp32.RF %e = %a[@i]"));
  CHECK(body(choice, "2") == plain("%v:[2].fp32.RF %e = %a[@i]"));
  CHECK(body(choice, "3") == plain("%v:[3].fp32.RF sync %e = %a[@i]"));
  CHECK(body("if (n > 2) { %nobody <- Knows<<(%x, [\"a }\"]) /* } */ }", "2") == plain(""));
  // What holds anyway is not asked again; what cannot hold asks nothing.
  CHECK(body("if (@i < 3 && n == 2) { sync }", "2") == plain("if (@i < 3) { sync }"));
  CHECK(body("if (@i < 3 && n == 2) { sync } else { syncwarp }", "3") == plain("syncwarp"));
  CHECK(body("if (@i < n) { sync } else if (n == 2) { syncwarp } else { commit }", "2") ==
        plain("if (@i < 2) { sync } else { syncwarp }"));
  CHECK(body("for (k = 0; k < n; k += 1) { if (k < n) { if (n != 1) { sync } } }", "3") ==
        plain("for (k = 0; k < 3; k += 1) { if (k < 3) { sync } }"));
}

TEST_CASE("a name inside hides the parameter") {
  const std::string text =
      "param k = 5\nparam n = 3\n%a:[64].fp32.GL #b:[1].block #t:[1].thread\n"
      "def f<n>: %x <- Spec<<<#b,#t>>>(%x) { for (k = 0; k < n; k += n) { %y = %x[k + n] } wait n }\n"
      "%a <- Spec<<<#b,#t>>>(%a) { %a <- f<7><<<#b,#t>>>(%a) wait n for (k = 0; k < 2; k += 1) { %z = %a[k] } }";
  const std::string out = printed(text);
  CHECK(out.find("k < 7; k += 7") != std::string::npos);
  CHECK(out.find("%a[k+7]") != std::string::npos);
  CHECK(out.find("wait 7") != std::string::npos);
  CHECK(out.find("wait 3") != std::string::npos);
  CHECK(out.find("%z:[].fp32.GL = %a[k") != std::string::npos);
}

TEST_CASE("the library does not see a program's parameters") {
  // `distance`, `op`, `rows` are names in the library's bodies.
  const std::string call =
      "#b:[1].block #t:[32:1].thread %a:[32].fp32.GL\n%a <- Spec<<<#b,#t>>>(%a) { @l = #t.indices() %v:[].fp32.RF "
      "%e = %a[@l] %v <- Move(%e) %v <- all<+><<<#b,#t>>>(%v) }";
  CHECK(printed("param other = 3\nparam l = 4\nparam op = max\n" + call) == printed(call));
}

TEST_CASE("what is refused, and where") {
  const auto in = [](const std::string& text, const Settings& settings = {}) {
    const Diag d = refusal(text, settings);
    return std::pair(d.message, piece(text, d));
  };
  using P = std::pair<std::string, std::string>;
  const std::string two = "param BM = 128 in 64, 128\nparam stages = 3 in 2, 3\nrequire BM*stages <= 384\n";
  CHECK(in(two, {{"stage", "4"}}).first == "there is no parameter stage");
  CHECK(refusal(two, {{"stage", "4"}}).hint == "did you mean stages?");
  CHECK(in(two, {{"stages", "4"}}) == P("stages cannot be 4", "param stages = 3 in 2, 3"));
  CHECK(in(two, {{"stages", "x"}}).first == "stages cannot be 'x'");
  CHECK(in(two, {{"stages", "99999999999999999999"}}).first == "stages cannot be '99999999999999999999'");
  CHECK(in("param a = 1", {{"b", "1"}}).first == "there is no parameter b");
  CHECK(in("%a:[4].fp32.GL", {{"b", "1"}}).first == "there is no parameter b");
  CHECK(in("param a = 4 in 4, 8\nparam b = 2*a\nrequire b < 10 && a == a // why\n", {{"a", "8"}}) ==
        P("require b < 10 && a == a does not hold with a = 8, b = 16", "require b < 10 && a == a"));
  CHECK(in("require 2 < 1") == P("require 2 < 1 does not hold", "require 2 < 1"));
  CHECK(in("param o = row in row, column\nrequire o != row").first == "require o != row does not hold with o = row");
  CHECK(in("param a = 3 in 1, 2") == P("a is 3, which is not in its list", "3"));
  CHECK(in("param a = 1 in 1, x").second == "x");
  CHECK(in("param a = 1\nparam a = 2").first == "a is defined twice");
  CHECK(in("param Move = 1").first == "Move is a kind of specification");
  CHECK(in("param a = b + 1").first == "there is no parameter b here");
  CHECK(in("param o = row\nparam a = 2*o") == P("o is row, which is not a number", "o"));
  CHECK(in("param a = 9223372036854775807*2").first == "this product does not fit in 64 bits");
  CHECK(in("param a = 1/0").first == "a divisor below 1");
  CHECK(in("param a 1").first == "`=` is missing after the name of the parameter");
  CHECK(in("param").second.empty());
  CHECK(in("require 1").first == "a comparison is missing here");
  CHECK(in("param o = row\nrequire o < row").first == "< compares numbers");
  CHECK(in("%a:[4].fp32.GL\nparam a = 1") == P("`param` must be at the head of the program", "param"));
  CHECK(in("param o = row\n%a:[o].fp32.GL") == P("o is row, which is not a number", "o"));
  CHECK(in("param f = nothing\n%a:[4].fp32.GL %a <- f(%a)").first == "there is no specification 'nothing'");
  CHECK(in("param n = 1\nif (n == 1) { %a:[4].fp32.GL").first == "this body is never closed");
  CHECK(in("param n = 1\nif (n == 2) { %a:[4].fp32.GL").first == "this body is never closed");
  CHECK(in("param n = 1\nif (n == 1) { } else if (n == 2 { }").first == "this condition is never closed");
  std::string deep;
  for (int k = 0; k < 5000; ++k) deep += "if (1 < 2) { ";
  CHECK(in(deep).first == "this nests more than 200 levels deep");
  std::string chain = "if (1 < 2) { }";
  for (int k = 0; k < 5000; ++k) chain += " else if (1 < 2) { }";
  CHECK(readProgram(chain).ok());
  std::string falses = "if (2 < 1) { }";
  for (int k = 0; k < 5000; ++k) falses += " else if (2 < 1) { }";
  CHECK(in(falses).first == "this nests more than 200 levels deep");
}

TEST_CASE("candidates are the products of the lists that keep the requirements") {
  const auto all = candidatesOf(kTiles);
  REQUIRE(all.ok());
  std::size_t expected = 0;
  for (const int bm : {8, 16, 32})
    for (const int width : {2, 4}) expected += bm * width <= 64 ? 16 : 0;
  CHECK(all->size() == expected);
  std::set<std::string> keys;
  for (const Settings& s : *all) {
    const auto head = parametersOf(kTiles, s);
    REQUIRE(head.ok());
    CHECK(head->broken.empty());
    keys.insert(keyOf(*head));
  }
  CHECK(keys.size() == all->size());
  CHECK(keys.count("BM=8 width=2 bits=0 order=column copy=slow op=exp") == 1);
  CHECK(candidatesOf(kTiles, {{"BM", "32"}, {"op", "exp"}})->size() == 8);
  CHECK(candidatesOf("%a:[4].fp32.GL")->size() == 1);
  std::string many;
  for (char c = 'a'; c < 'z'; ++c) many += std::string("param ") + c + " = 1 in 1, 2, 3\n";
  CHECK(candidatesOf(many).error().message == "there are more than 100000 combinations up to k");
}

TEST_CASE("sizes over parameters: one problem, whatever the tiles are") {
  const std::string text = "param BM = 64 in 64, 96\nparam group = 2 in 2, 4 // so many\n%a:[BM*group*M,N].fp16.GL";
  CHECK(*sizesOf(text, {"N=8", "BM*group*M=5120"}) == Sizes{{"M", 40}, {"N", 8}});
  CHECK(*sizesOf(text, {"BM*(group+2)*M=768"}, {{"group", "4"}}) == Sizes{{"M", 2}});
  CHECK(*sizesOf(text, {"M*group*BM=5120"}, {{"group", "4"}}) == Sizes{{"M", 20}});
  CHECK(sizesOf(text, {"BM*group*M=5120"}, {{"BM", "96"}}).error().message ==
        "BM*group*M is 192*M, which cannot be 5120");
  for (const char* const wrong :
       {"", "M", "M=", "=8", "BM*M=0", "M=x", "BM=64", "M*N=8", "M+1=8", "M*M=4", "(M=4", "M)=4"}) {
    INFO(wrong);
    CHECK_FALSE(sizesOf(text, {wrong}).ok());
  }
  CHECK(sizesOf("%a:[M].fp16.GL", {"M=9223372036854775807"})->at("M") == 9223372036854775807);
  CHECK(candidatesOf(text, {{"BM", "64,96"}, {"group", "4"}})->size() == 2);
  CHECK(candidatesOf(text, {{"BM", "65"}}).error().message == "BM cannot be 65");
}

TEST_CASE("stages=4 as a command line has it") {
  CHECK(*settingsOf({"stages=4", "op=+"}) == Settings{{"stages", "4"}, {"op", "+"}});
  for (const char* const wrong : {"", "a", "=1", "a="}) CHECK_FALSE(settingsOf({wrong}).ok());
  CHECK_FALSE(settingsOf({"a=1", "a=2"}).ok());
  CHECK(settingsOf({"a=1", "a=1"}).ok());
}

TEST_CASE("a block of a worksheet has parameters too") {
  const std::string text = "graphene k {\n  param n = 4 in 4, 8\n  %a:[n].fp32.GL\n}";
  const auto block = readBlock(text);
  REQUIRE(block.ok());
  const auto other = with(*block, {{"n", "8"}});
  REQUIRE(other.ok());
  CHECK(print(*other) == "%a:[8:1].fp32.GL");
  CHECK(other->name == "k");
  const auto wrong = with(*block, {{"n", "5"}});
  REQUIRE_FALSE(wrong.ok());
  CHECK(piece(text, wrong.error()) == "param n = 4 in 4, 8");
}

TEST_CASE("damaged programs with parameters") {
  std::mt19937 random(11);
  const std::string bytes = "0123456789()[]{}:,.%#@_+-*/=&<> MNparamrequireinifelse\n\"\xE2\x88\x98";
  for (int round = 0; round < 20000; ++round) {
    std::string text = kTiles;
    for (unsigned k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % 400 % (text.size() + 1);
      const char c = bytes[random() % bytes.size()];
      switch (random() % 4) {
        case 0:
          text.insert(at, 1, c);
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        case 2:
          if (at < text.size()) text[at] = c;
          break;
        default:
          text.insert(at, text.substr(at, 12));
      }
    }
    const auto read = readProgram(text);
    INFO(text);
    if (!read) {
      REQUIRE(read.error().span.begin <= read.error().span.end);
      REQUIRE(read.error().span.end <= text.size());
      REQUIRE_FALSE(read.error().message.empty());
      continue;
    }
    const std::string once = print(*read);
    const auto again = readProgram(once);
    REQUIRE(again.ok());
    REQUIRE(print(*again) == once);
    const auto head = parametersOf(text);
    REQUIRE(head.ok());
    for (const Parameter& p : head->all)
      for (const std::string& v : p.values) (void)readListing("p", text, {{p.name, v}});
  }
}
