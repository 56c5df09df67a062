// Tasks: their text, their edits, and blanks in the sheet around them.
#include "core/worksheet/statements/task.h"

#include <catch2/catch.hpp>

using namespace tessera;

namespace {

const std::string kLesson = R"(A = (64,64):(64,1)
S = ?
// A comment: task "none": in a comment is none.
task "make it conflict free": conflict_free(S, ldmatrix.x4, fp16) and bijective(S) {
  hint "the row has to reach"   // a comment
       "the bits of the bank"
  hint "three bits"
  answer S = Sw<3,3,3> o A
  wrong S = A
  wrong S = (64,64):(64,1)
  also A = (64,64):(72,1)
}
size(A)
task "without braces": size(f32[2,3]{1,0}) == 6
)";

std::vector<Statement> statements() { return splitStatements(kLesson); }

// What each statement of a text reads as blank; "-": it reads none.
std::vector<std::string> blanks(const std::string& text) {
  Scope scope;
  std::vector<std::string> out;
  for (const Statement& s : splitStatements(text)) {
    const Evaluated e = evaluate(s, scope);
    INFO(s.text);
    CHECK((e.blank.empty() || (!e.diag && !e.value)));
    out.push_back(e.diag ? "error" : e.blank.empty() ? "-" : e.blank);
  }
  return out;
}

}  // namespace

TEST_CASE("a task has a title, a claim and what its lesson keeps") {
  REQUIRE(statements().size() == 5);
  CHECK(statements()[2].kind == StatementKind::Task);
  CHECK(statements()[4].kind == StatementKind::Task);
  const auto task = readTask(statements()[2].text);
  REQUIRE(task);
  CHECK(task->title == "make it conflict free");
  CHECK(task->claim == "conflict_free(S, ldmatrix.x4, fp16) and bijective(S)");
  CHECK(statements()[2].text.substr(task->claimAt.begin, task->claimAt.end - task->claimAt.begin) == task->claim);
  CHECK(task->hints == std::vector<std::string>{"the row has to reach the bits of the bank", "three bits"});
  REQUIRE(task->answers.size() == 1);
  CHECK(task->answers[0] == TaskAnswer{{"S", "", "S = Sw<3,3,3> o A"}});
  REQUIRE(task->wrong.size() == 2);
  CHECK(task->wrong[1].size() == 2);
  CHECK(print(task->wrong[1]) == "S = (64,64):(64,1)\nA = (64,64):(72,1)");
  CHECK_FALSE(task->shippedSolved);
  const auto bare = readTask(statements()[4].text);
  REQUIRE(bare);
  CHECK(bare->claim == "size(f32[2,3]{1,0}) == 6");
  CHECK(bare->answers.empty());
}

TEST_CASE("a task that cannot be read says what is missing, at its place") {
  const std::pair<const char*, const char*> kWrong[] = {
      {"task \"x\" injective(A)", "the ':' before the claim is missing"},
      {"task \"x\":", "the claim of the task is missing"},
      {"task \"x\": { hint \"y\" }", "the claim of the task is missing"},
      {"task \" \": injective(A)", "the title of the task is empty"},
      {"task \"x\": injective(A) {\n  hnt \"y\"\n}", "a task keeps no 'hnt \"y\"'"},
      {"task \"x\": injective(A) {\n  also A = 4:1\n}", "a task keeps no 'also A = 4:1'"},
      {"task \"x\": injective(A) {\n  answer 4:1\n}", "this edit cannot be read"},
      {"task \"x\": injective(A) {\n  answer \"4\" \"5\"\n}", "this edit cannot be read"},
      {"task \"x\": injective(A) {\n  hint y\n}", "a text in quotes is missing here"},
      {"task \"x\": injective(A) {\n  hint \"y\" z\n}", "only one text in quotes can be here"},
  };
  for (const auto& [text, message] : kWrong) {
    INFO(text);
    const auto task = readTask(text);
    REQUIRE_FALSE(task);
    CHECK(task.error().message == message);
    CHECK(task.error().span.end <= std::string_view(text).size());
    // Also as a statement, at its place in the document.
    Scope scope;
    const std::string document = std::string("1\n") + text;
    const std::vector<Statement> all = splitStatements(document);
    REQUIRE(all.size() == 2);
    const Evaluated e = evaluate(all[1], scope);
    REQUIRE(e.diag);
    CHECK(e.diag->message == message);
    CHECK(e.diag->span.begin >= 2);
  }
  // Other statements that begin with the word.
  CHECK(splitStatements("task = 5")[0].kind == StatementKind::Bind);
  CHECK(splitStatements("task(5)")[0].kind == StatementKind::Expression);
  CHECK(splitStatements("task")[0].kind == StatementKind::Expression);
}

TEST_CASE("an answer replaces the line that binds its name, or a piece of the text above the task") {
  const auto with = [](const TaskEdit& edit) { return withAnswer(kLesson, 0, {edit}); };
  const auto line = with({"S", "", "S = A"});
  REQUIRE(line);
  CHECK(line->find("S = A\n// A comment") != std::string::npos);
  CHECK(line->find("S = ?") == std::string::npos);
  CHECK(line->find("answer S = Sw<3,3,3> o A") != std::string::npos);  // what a task keeps is no place
  const auto piece = with({"", "(64,1)", "(72,1)"});
  REQUIRE(piece);
  CHECK(piece->starts_with("A = (64,64):(72,1)\n"));
  const auto fresh = with({"T", "", "T = 4:1"});
  REQUIRE(fresh);
  CHECK(fresh->find("T = 4:1\ntask \"make it") != std::string::npos);
  CHECK_FALSE(with({"", "not there", "x"}));
  CHECK_FALSE(with({"", "three bits", "x"}));  // only in a task
}

TEST_CASE("what a learner gets has the same statements, and nothing that the tasks keep") {
  const std::string shown = withoutKept(kLesson);
  for (const char* kept : {"hint", "answer", "wrong", "also", "Sw<3,3,3>"})
    CHECK(shown.find(kept) == std::string::npos);
  const std::vector<Statement> now = splitStatements(shown), before = statements();
  REQUIRE(now.size() == before.size());
  for (std::size_t k = 0; k < now.size(); ++k) {
    CHECK(now[k].kind == before[k].kind);
    if (now[k].kind != StatementKind::Task) CHECK(now[k].text == before[k].text);
    if (now[k].kind == StatementKind::Task) CHECK(readTask(now[k].text)->claim == readTask(before[k].text)->claim);
  }
  CHECK(withoutKept(shown) == shown);
}

TEST_CASE("a blank is no error, and what reads it waits for it") {
  using Names = std::vector<std::string>;
  CHECK(blanks("S = ?\nsize(S)\nprove injective(S)\nB = composition(S, 4:1)\nB\nassert refuses(S)\n3") ==
        Names{"S", "S", "S", "S", "B", "S", "-"});
  CHECK(blanks("f(i, j) = ? over (4, 4)\nf(1, 2)\ng(i, j) = ?") == Names{"f", "f", "g"});
  CHECK(
      blanks(
          "T = Sw<?,3,3> o (8,64):(64,1)\nV = ? o (8,8):(8,1)\nN = shard((64,128), mesh (2,2), ?, R) over (64,128)") ==
      Names{"T", "V", "N"});
  // CuTe's dynamic integers are values.
  CHECK(blanks("U = (8,8):(?,1)") == Names{"-"});
  // Filled in again, nothing waits.
  CHECK(blanks("S = ?\nS = 4:1\nsize(S)") == Names{"S", "-", "-"});
  // A '?' elsewhere is an error as before.
  CHECK(blanks("size(?)\nA = (4,8)?") == Names{"error", "error"});
  // Names like those of a blank's: parameters, members.
  CHECK(blanks("i = ?\nf(i) = i * 2 over (4)\nf(1)") == Names{"i", "-", "-"});
}

TEST_CASE("a statement that reads a blank depends on it") {
  Scope scope;
  const std::vector<Statement> all = splitStatements("S = ?\nsize(S)");
  (void)evaluate(all[0], scope);
  Scope::Trace trace;
  scope.keepTrace(&trace);
  (void)evaluate(all[1], scope);
  scope.keepTrace(nullptr);
  CHECK(trace.reads.count("S") == 1);
  CHECK(scope.readsTheSame(trace));
  (void)evaluate(splitStatements("S = 4:1")[0], scope);
  CHECK_FALSE(scope.readsTheSame(trace));
}
