// prove equal(NAME, OTHER) of Graphene programs: what is asked, and what is refused where.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/graphene/program.h"
#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

// y = x by blocks of BT threads.
std::string block(const std::string& name) {
  return fmt::format(R"(graphene {} {{
  param BT = 32 in 32, 64
  %x:[64*M].fp32.GL  %y:[64*M].fp32.GL
  #b:[64*M/BT].block  #t:[BT].thread
  %y <- Move<<<#b,#t>>>(%x) {{
    @b = #b.indices()  @t = #t.indices()
    %xe = %x.tile([BT:1])[@b][@t]  %ye = %y.tile([BT:1])[@b][@t]
    %v:[].fp32.RF
    %v <- Move(%xe)
    %ye <- Move(%v)
  }}
}}
)",
                     name);
}

EqualRequest asked(const std::string& statement) {
  const auto ran = runAll(block("one") + block("two") + "L = (4,8):(8,1)\n" + statement);
  INFO(statement << ": " << (ran.back().evaluated.diag ? ran.back().evaluated.diag->message : ""));
  const auto* request = std::get_if<EqualRequest>(&ran.back().evaluated.request);
  REQUIRE(request != nullptr);
  return *request;
}
std::string refused(const std::string& statement) {
  const auto ran = runAll(block("one") + block("two") + "L = (4,8):(8,1)\n" + statement);
  INFO(statement);
  REQUIRE(ran.back().evaluated.diag);
  const Diag& d = *ran.back().evaluated.diag;
  const std::size_t begin = ran.back().statement.span.begin;
  REQUIRE(d.span.begin >= begin);
  return d.message + " @ " + statement.substr(d.span.begin - begin, d.span.end - d.span.begin);
}

}  // namespace

TEST_CASE("equal of two programs asks for their equality") {
  const EqualRequest both = asked("prove equal(one, two)");
  CHECK(both.first.name == "one");
  REQUIRE(both.second);
  CHECK(both.second->name == "two");
  CHECK(both.text == "equal(one, two)");
  CHECK(!both.negated);
  CHECK(asked("assert equal(one, two)").second);
  CHECK(asked("V = equal(one, two)").second);
  CHECK(asked("show equal(one, two)").second);
  const EqualRequest no = asked("prove not equal(one, two)");
  CHECK(no.negated);
  CHECK(no.text == "not equal(one, two)");
}

TEST_CASE("equal of a program and a text asks for a reference, in either order") {
  for (const std::string statement : {"prove equal(one, \"y = x\")", "prove equal(\"y = x\", one)"}) {
    const EqualRequest r = asked(statement);
    CHECK(r.first.name == "one");
    CHECK(!r.second);
    CHECK(r.reference == "y = x");
  }
}

TEST_CASE("clauses of equal give sizes, parameters and inputs") {
  const EqualRequest r = asked("prove equal(one, two) with M=3, BT=64 against M=5 where \"x = 2 * x\" on sm_90");
  CHECK(r.sizes == std::map<std::string, i64>{{"M", 3}});
  CHECK(r.secondSizes == std::map<std::string, i64>{{"M", 5}});
  CHECK(r.where == "x = 2 * x");
  CHECK(r.architecture == "sm_90");
  CHECK(r.text == "equal(one, two)");
  CHECK(r.first.text.find("param BT = 64") != std::string::npos);
  CHECK(r.second->text.find("param BT = 64") != std::string::npos);
  const EqualRequest schedules = asked("prove equal(one, one) against BT=64 with small");
  CHECK(schedules.small);
  CHECK(schedules.first.text.find("param BT = 32") != std::string::npos);
  CHECK(schedules.second->text.find("param BT = 64") != std::string::npos);
}

TEST_CASE("within gives an error, and for the ranges of inputs") {
  const EqualRequest r = asked("prove equal(one, two) within 1e-3 for |x| <= 4, 0 <= inputs <= 0.5 with M=3");
  REQUIRE(r.within);
  CHECK(*r.within == 1e-3);
  CHECK(r.ranges == "|x| <= 4, 0 <= inputs <= 0.5");
  CHECK(r.sizes == std::map<std::string, i64>{{"M", 3}});
  CHECK(r.text == "equal(one, two)");
  CHECK(*asked("prove equal(one, \"y = x\") within 0").within == 0);
  CHECK(!asked("prove equal(one, two)").within);
  CHECK(refused("prove equal(one, two) within").find("the error is missing here") == 0);
  CHECK(refused("prove equal(one, two) within x").find("the error is missing here") == 0);
  CHECK(refused("prove equal(one, two) within 1e-3x") == "this is no number @ 1e-3x");
  CHECK(refused("prove equal(one, two) within -1").find("the error is negative") == 0);
  CHECK(refused("prove equal(one, two) within 1 within 2").find("'within' is given twice") == 0);
  CHECK(refused("prove equal(one, two) for |x| <= 1").find("ranges of inputs are for a bound on the error") == 0);
  CHECK(refused("prove equal(one, two) within 1 for |x| < 1").find("`<=` is missing after |x|") == 0);
  CHECK(refused("prove equal(one, two) within 1 for 2 <= x <= 1").find("the range is empty @ 2 <= x <= 1") == 0);
  CHECK(refused("prove equal(one, two) within 1 for x <= 1").find("the least number, or |X|, is missing here") == 0);
}

TEST_CASE("an equality of programs that cannot be read is refused at its place") {
  CHECK(refused("prove equal(one, L)") == "'L' is a layout, and the other one is a Graphene program @ L");
  CHECK(refused("prove equal(L, one)").find("'L' is a layout") == 0);
  CHECK(refused("prove equal(one, three)") == "'three' is not defined @ three");
  CHECK(refused("prove equal(one, two, one)").find("`)` is missing after the second program") == 0);
  CHECK(refused("prove equal(one, two) wiht M=1") == "'wiht' is not a clause of equal @ wiht");
  CHECK(refused("prove equal(one, two) by z3").find("'by' is not a clause of equal") == 0);
  CHECK(refused("prove equal(one, two) with M=1 with M=2").find("'with' is given twice") == 0);
  CHECK(refused("prove equal(one, two) with M=1, M=2").find("'M' is given twice") == 0);
  CHECK(refused("prove equal(one, two) with N=1") == "N is neither a size nor a parameter of one or two @ N=1");
  CHECK(refused("prove equal(one, two) with M=0").find("the size M must be a number of at least 1") == 0);
  CHECK(refused("prove equal(one, two) with BT=48").find("BT") != std::string::npos);
  CHECK(refused("prove equal(one, \"\")").find("the reference is empty") == 0);
  CHECK(refused("prove equal(one, two) on hopper").find("'hopper' is not an architecture") == 0);
  CHECK(refused("prove equal(one, two) where x").find("what `where` states is missing") == 0);
  // Layouts keep their meaning.
  CHECK(std::get_if<ProveRequest>(&runAll("prove equal((4,8):(8,1), (4,8):(8,1))").back().evaluated.request) !=
        nullptr);
  CHECK(runAll("prove equal(\"a\", \"b\")").back().evaluated.diag);
}
