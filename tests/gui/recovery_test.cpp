// Typed text is recovered with its history: after kill -9, after damage, and beside other windows.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "tests/gui/state_folder.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

// A change as a person makes it.
void change(Document& d, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  switch (below(12)) {
    case 0:
      d.undo();
      break;
    case 1:
      d.redo();
      break;
    case 2:
      d.setCaret(below(d.text().size() + 1));
      break;
    case 3: {
      const std::size_t a = below(d.text().size() + 1),
                        b = a + below(std::min<std::size_t>(d.text().size() - a, 5) + 1);
      d.replace(a, b, std::string("\xff\0p\n", below(5)));
      break;
    }
    case 4:
      d.sawOnDisk(below(2) == 0 ? d.text() : "theirs", {1, 2, 3, -4, random()});
      break;
    default: {
      const char c = "ab \n"[below(4)];
      d.replace(d.caret(), d.caret(), {&c, 1}, /*typing=*/true);
    }
  }
}

std::vector<fs::path> journals(const StateFolder& state) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(state / "state.sheets"))
    if (entry.path().extension() == ".journal") found.push_back(entry.path());
  return found;
}

// Types `text` key by key in a process of its own, flushing now and then, and is killed after it has said so `after`
// times. The number of keys that were flushed by then.
std::size_t typeAndKill(const std::string& text, std::size_t after, std::mt19937& random) {
  int pipe[2] = {};
  REQUIRE(::pipe(pipe) == 0);
  const auto seed = static_cast<unsigned>(random());
  const pid_t child = ::fork();
  if (child == 0) {
    std::mt19937 own(seed);
    KeptSession session;
    for (std::size_t k = 0; k < text.size(); ++k) {
      session.type(text.substr(k, 1));
      if (own() % 7 != 0) continue;
      if (!session.sheets().flush().ok()) ::_exit(1);
      const std::size_t done = k + 1;
      if (::write(pipe[1], &done, sizeof done) != sizeof done) ::_exit(1);
    }
    for (;;) ::pause();
  }
  ::close(pipe[1]);
  std::size_t flushed = 0;
  for (std::size_t k = 0; k < after; ++k) REQUIRE(::read(pipe[0], &flushed, sizeof flushed) == sizeof flushed);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  // What it said between our last look and its end.
  for (std::size_t more = 0; ::read(pipe[0], &more, sizeof more) == sizeof more;) flushed = more;
  ::close(pipe[0]);
  return flushed;
}

}  // namespace

TEST_CASE("a document is what its records say, whatever was done to it") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Document d;
    d.reset(seed % 2 == 0 ? "one\ntwo" : "", seed % 3 == 0 ? "a \n.tess" : "", seed % 5 != 0);
    std::vector<std::string> records = {wholeRecord(d, Ended::No)};
    d.onChange([&](const Change& c) { records.push_back(changeRecord(c, d)); });
    for (int k = 0; k < 200; ++k) {
      change(d, random);
      if (k % 50 == 49) records = {wholeRecord(d, Ended::No)};
    }
    auto again = replayed(records);
    REQUIRE(again);
    again->caret = d.caret();  // a caret that only moved is in the next record
    CHECK(*again == d.state());
    const auto summary = summaryOf(records.front());
    REQUIRE(summary);
    CHECK(summary->path == d.path());
    // Cut off anywhere, the whole record is nothing; it never crashes.
    for (std::size_t size = 0; size < records.front().size(); size += 1 + size / 40)
      CHECK_FALSE(replayed({records.front().substr(0, size)}));
  }
}

TEST_CASE("kill -9 at random moments loses nothing that was flushed, and brings back what was typed") {
  const std::string text = "A = (4,8):(8,1)\nshow A as grid // a line\n\nprove injective(A)\n";
  std::mt19937 random(20261122);
  for (int round = 0; round < 12; ++round) {
    const StateFolder state;
    const std::size_t flushed = typeAndKill(text, 1 + random() % 6, random);
    INFO("round " << round << ", " << flushed << " keys flushed");
    KeptSession next;
    REQUIRE(next.restoreState());
    const std::string& back = next.document().text();
    CHECK(back.size() >= flushed);
    CHECK(back == text.substr(0, back.size()));
    CHECK(next.message.find("unsaved line") != std::string::npos);
    CHECK(next.message.find("an untitled sheet") != std::string::npos);
    while (next.document().undo()) {
    }
    CHECK(next.document().text().empty());
    while (next.document().redo()) {
    }
    CHECK(next.document().text() == text.substr(0, flushed == back.size() ? flushed : back.size()));
  }
}

TEST_CASE("killed again and again, the same sheet goes on") {
  const StateFolder state;
  std::string expected;
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      KeptSession session;
      const bool restored = session.restoreState();
      session.document().setCaret(session.document().text().size());
      session.type("line " + std::to_string(round) + "\n");
      ::_exit(restored == (round > 0) && session.sheets().flush().ok() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(status == 0);
    expected += "line " + std::to_string(round) + "\n";
  }
  KeptSession last;
  REQUIRE(last.restoreState());
  CHECK(last.document().text() == expected);
}

TEST_CASE("two windows at once never lose each other's text, and both come back") {
  const StateFolder state;
  {
    KeptSession one, two;
    one.type("first");
    two.type("second");
    REQUIRE(one.sheets().flush().ok());
    REQUIRE(two.sheets().flush().ok());
    CHECK(one.sheets().others().empty());  // a window's sheet is its own
    KeptSession three;
    CHECK_FALSE(three.restoreState());
    one.storeState();
    two.storeState();
  }
  KeptSession next;
  REQUIRE(next.restoreState());
  const std::string text = next.document().text();
  CHECK((text == "first" || text == "second"));
  CHECK(next.message.find("1 more under File") != std::string::npos);
  std::vector<std::string> others;
  for (const auto& sheet : next.sheets().others())
    if (sheet.summary.modified) others.push_back(sheet.summary.firstLine);
  CHECK(others == std::vector<std::string>{text == "first" ? "second" : "first"});
  for (const auto& sheet : next.sheets().others()) {
    if (!sheet.summary.modified) continue;
    REQUIRE(next.recover(sheet.id));
    break;
  }
  CHECK(next.document().text() == others.front());
  CHECK_FALSE(next.sheets().others().empty());  // what it replaced is there still
}

TEST_CASE("a newer sheet in which nothing was typed does not come before an older one with text") {
  const StateFolder state;
  {
    KeptSession typed, shown;
    typed.type("typed");
    REQUIRE(typed.sheets().flush().ok());
    shown.document().reset("// from the gallery");
    REQUIRE(shown.sheets().flush().ok());
  }
  for (const auto& journal : journals(state))
    fs::last_write_time(journal, fs::file_time_type::clock::now() -
                                     std::chrono::hours(fileText(journal).find("gallery") == std::string::npos));
  KeptSession next;
  REQUIRE(next.restoreState());
  CHECK(next.document().text() == "typed");
}

TEST_CASE("a sheet is opened again with its history, when its file is what it was") {
  const StateFolder state;
  const std::string path = state / "a.tess";
  putFile(path, "A = 8:1\n");
  {
    KeptSession s;
    REQUIRE(s.open(path));
    s.document().setCaret(8);
    s.type("size(A)");
    REQUIRE(s.save());
    s.newWorksheet();
  }
  {
    KeptSession s;
    REQUIRE(s.open(path));
    CHECK(s.document().text() == "A = 8:1\nsize(A)");
    CHECK_FALSE(s.document().modified());
    REQUIRE(s.document().undo());
    CHECK(s.document().text() == "A = 8:1\n");
    REQUIRE(s.document().redo());
    s.document().setCaret(15);
    s.type("\nunsaved");
    REQUIRE(s.sheets().flush().ok());
  }  // as if killed
  {
    KeptSession s;
    REQUIRE(s.open(path));
    CHECK(s.document().text() == "A = 8:1\nsize(A)\nunsaved");
    CHECK(s.document().modified());
    CHECK(s.message.find("restored 1 unsaved line of a.tess from ") == 0);
    s.newWorksheet();  // thrown away
  }
  {
    KeptSession s;
    REQUIRE(s.open(path));
    CHECK(s.document().text() == "A = 8:1\nsize(A)");
    CHECK_FALSE(s.document().modified());
    REQUIRE(s.document().undo());
    CHECK(s.document().text() == "A = 8:1\nsize(A)\nunsaved");
  }
  putFile(path, "somebody else's");
  KeptSession s;
  REQUIRE(s.open(path));
  CHECK(s.document().text() == "somebody else's");
  CHECK_FALSE(s.document().canUndo());
  CHECK_FALSE(s.sheets().others().empty());
}

TEST_CASE("a damaged journal is no crash, and keeps nobody from starting") {
  const StateFolder state;
  {
    KeptSession s;
    s.type("kept");
    REQUIRE(s.sheets().flush().ok());
  }
  REQUIRE(journals(state).size() == 1);
  const fs::path journal = journals(state).front();
  const std::string bytes = fileText(journal);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string damaged = bytes;
    damaged[at] ^= 0x20;
    for (const auto& old : journals(state)) fs::remove(old);
    putFile(journal, damaged);
    KeptSession s;
    (void)s.restoreState();
    CHECK(std::string("kept").compare(0, s.document().text().size(), s.document().text()) == 0);
  }
}

TEST_CASE("where nothing can be kept the window says so once, and works") {
  const StateFolder state;
  putFile(state / "state.sheets", "a file where the folder should be");
  KeptSession s;
  s.type("typed");
  s.touch();
  CHECK(s.messageIsError);
  CHECK(s.message.find("would not survive a crash") != std::string::npos);
  s.tell("");
  s.type(" on");
  s.touch();
  CHECK(s.message.empty());
  CHECK(s.document().text() == "typed on");
}

TEST_CASE("preferences are the windows' together: each writes what it changed") {
  const StateFolder state;
  Session one, two;
  one.restorePreferences();
  two.restorePreferences();
  one.preferences.theme = Theme::Light;
  one.preferences.sizes["left"] = 512;
  two.preferences.scale = 1.5;
  one.storeState();
  two.storeState();
  Session next;
  next.restorePreferences();
  CHECK(next.preferences.theme == Theme::Light);
  CHECK(next.preferences.scale == 1.5);
  CHECK(next.preferences.sizes.at("left") == 512);
  putFile(state / "state.json", "{\"theme\": 5, \"scale\": 1e99, \"sizes\": {\"left\": \"wide\", \"right\": -3}}");
  next.restorePreferences();
  CHECK(next.preferences.theme == Theme::Dark);
  CHECK(next.preferences.scale == 4);
  CHECK(next.preferences.sizes.empty());
}

TEST_CASE("what earlier versions kept is restored") {
  const StateFolder state;
  putFile(state / "state.json", "{\"text\": \"size(8:1)\", \"path\": \"\", \"modified\": true, \"theme\": \"light\"}");
  KeptSession s;
  REQUIRE(s.restoreState());
  CHECK(s.document().text() == "size(8:1)");
  CHECK(s.document().modified());
  CHECK(s.preferences.theme == Theme::Light);
}

TEST_CASE("old sheets go, unsaved ones never") {
  const StateFolder state;
  const std::string path = state / "a.tess";
  std::size_t unsaved = 0;
  for (std::size_t k = 0; k < SheetStore::kKept + 20; ++k) {
    KeptSession s;
    s.type("sheet " + std::to_string(k));
    if (k % 10 == 0) {
      ++unsaved;
      s.storeState();
    } else {
      REQUIRE(s.saveAs(path));
      s.newWorksheet();
    }
  }
  KeptSession last;
  std::size_t kept = 0;
  for (const auto& sheet : last.sheets().others()) kept += sheet.summary.modified;
  CHECK(kept == unsaved);
  CHECK(journals(state).size() <= SheetStore::kKept + unsaved + 2);
}

namespace {

// A window types the text and is killed by `signal` while `deadly` is evaluated, or answered. Nothing else is then.
void killedIn(const std::string& text, const std::string& deadly, bool answering, int signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(signal, SIG_DFL);
    const auto dieIn = [=](const Statement& statement) {
      if (statement.text != deadly) return;
      ::raise(signal);
      for (;;) ::pause();  // until it has arrived: a signal may end the process a little later
    };
    const auto answer = [=](Started started, const EngineOptions& options, const JobContext& context) {
      if (answering) dieIn(started.outcome.statement);
      return answered(std::move(started), options, context);
    };
    const auto start = [=](const Statement& statement, Scope& scope, const EngineOptions& options) {
      if (!answering) dieIn(statement);
      return startStatement(statement, scope, options);
    };
    Session session({}, answer, start);
    session.keepSheets();
    if (!session.restoreState()) session.document().replace(0, 0, text, /*typing=*/true);
    (void)session.waitUntilEvaluated(600);
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("a statement that ends the window takes neither the sheet nor the next window with it") {
  const StateFolder state;
  const std::string text = "A = (4,8):(8,1)\nsize(A)\nprove bijective(A)\n";
  killedIn(text, "prove bijective(A)", /*answering=*/true, SIGKILL);
  {  // A window that is closed in order without an edit forgets nothing.
    Session between;
    between.keepSheets();
    REQUIRE(between.restoreState());
    REQUIRE(between.waitUntilEvaluated(600));
    between.storeState();
  }
  killedIn(text, "size(A)", /*answering=*/false, SIGSEGV);  // a second one
  Session next;
  next.keepSheets();
  REQUIRE(next.restoreState());
  REQUIRE(next.document().text() == text);  // typed at once before the claim was looked at
  const auto diagOf = [&](std::size_t k) { return next.evaluation().snapshot()->outcomes.at(k)->diag; };
  REQUIRE(next.waitUntilEvaluated(600));
  CHECK_FALSE(diagOf(0));
  for (const std::size_t k : {1, 2}) {
    REQUIRE(diagOf(k));
    CHECK(diagOf(k)->message == "not computed: an earlier window crashed while computing this");
  }
  // Another line's edit does not compute it; its own does, also when it is what it was again.
  next.document().replace(text.size(), text.size(), "B = A\n", /*typing=*/true);
  REQUIRE(next.waitUntilEvaluated(600));
  REQUIRE(diagOf(2));
  next.document().replace(text.size() - 1, text.size() - 1, "x", /*typing=*/true);
  REQUIRE(next.waitUntilEvaluated(600));
  next.document().undo();
  REQUIRE(next.waitUntilEvaluated(600));
  CHECK_FALSE(diagOf(2));
  CHECK(next.evaluation().snapshot()->count().proved == 1);
  CHECK(diagOf(1));
  next.evaluation().reevaluate();  // Ctrl+Enter
  REQUIRE(next.waitUntilEvaluated(600));
  CHECK_FALSE(diagOf(1));
}
