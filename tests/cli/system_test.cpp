// The process in its environment: signals, closed or full standard streams, exit codes, and what reaches a terminal.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

// Subset sums of coprime strides: no structural rung decides them, and Z3 thinks until its budget is spent.
std::string hardClaim(int lastExtent) {
  return "prove injective((65536,65536,65536," + std::to_string(lastExtent) +
         "):(7919023757,136117223861,122446330495,194939225901)) by z3\n";
}

bool haveZ3() { return run({"eval", "prove injective((3,5):(5,1)) by z3"}).out.find("no Z3") == std::string::npos; }

// Whoever notices a signal by himself says what he knows, however long a busy machine takes over it.
struct NoHurry {
  NoHurry() { ::setenv("TESSERA_SECONDS_TO_END", "100000", 1); }
  ~NoHurry() { ::unsetenv("TESSERA_SECONDS_TO_END"); }
  NoHurry(const NoHurry&) = delete;
  NoHurry& operator=(const NoHurry&) = delete;
};

// No escape, DEL or C1 byte sequence, in either of the two.
bool harmless(const Finished& ran) {
  const std::string all = ran.out + ran.err;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto c = static_cast<unsigned char>(all[i]);
    const auto next = i + 1 < all.size() ? static_cast<unsigned char>(all[i + 1]) : 0U;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (c == 0xC2 && next < 0xA0)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Ctrl-C while a line is waited for") {
  for (const int number : {SIGINT, SIGTERM}) {
    Conversation waiting({"eval", "-"});
    waiting.say("1");
    CHECK(waiting.hear() == "1");
    waiting.signal(number);
    CHECK(waiting.wait() == 128 + number);
  }
}

TEST_CASE("Ctrl-C while Z3 thinks ends all claims, and none is called a time-out") {
  if (!haveZ3()) return;
  const NoHurry noHurry;
  const std::string folder = scratchFolder();
  writeText(folder + "/hard.tess", hardClaim(1024) + hardClaim(1023) + hardClaim(1021));
  for (const int number : {SIGINT, SIGTERM}) {
    Conversation check({"check", "--json", "--budget", "1000", folder + "/hard.tess"});
    REQUIRE(check.waitUntilSolving());
    check.signal(number);
    const Json claim = Json::parse(check.hear()), summary = Json::parse(check.hear());
    CHECK(claim["verdict"] == "unknown");
    CHECK(claim["detail"] == "cancelled");
    CHECK(summary["text"] == "interrupted");
    CHECK(summary["ok"] == false);
    CHECK(summary["unknown"] == 1);
    CHECK(check.hear().empty());
    CHECK(check.wait() == 128 + number);
  }
  Conversation eval({"eval", "--budget", "1000", "-"});
  eval.say(hardClaim(1024) + hardClaim(1023));
  REQUIRE(eval.waitUntilSolving());
  eval.signal(SIGINT);
  CHECK(eval.hear().substr(0, 7) == "unknown");
  CHECK(eval.hear() == "         cancelled");
  CHECK(eval.hear().empty());
  CHECK(eval.wait() == 130);

  Conversation draw({"draw", "--budget", "1000", hardClaim(1024), "-o", folder + "/x.svg"});
  REQUIRE(draw.waitUntilSolving());
  draw.signal(SIGINT);
  CHECK(draw.wait() == 130);
}

TEST_CASE("an early Ctrl-C in check, measure and tune says so") {
  // A pipe that has a writer who writes nothing: without the signal none of them would end.
  const std::string silent = scratchFolder() + "/silent.graphene";
  REQUIRE(::mkfifo(silent.c_str(), 0600) == 0);
  const int writer = ::open(silent.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(writer >= 0);
  std::vector<std::vector<std::string>> calls = {
      {"check", silent}, {"check", "--json", silent}, {"measure", silent},        {"measure", "--json", silent},
      {"tune", silent},  {"tune", "--json", silent},  {"tune", "--merge", silent}};
  // Work for a minute and more each.
  const std::string gallery = TESSERA_SOURCE_DIR "/assets/graphene/", gemm = gallery + "gemm.graphene";
  calls.push_back({"check", "--budget", "1000"});
  calls.back().insert(calls.back().end(), 30, gallery + "gemm_pipelined.graphene");
  calls.push_back({"measure", "--emulate", "--variants", "--size", "M=16", "--size", "N=16", "--size", "K=64", gemm});
  calls.push_back({"tune", "--size", "M=4096", "--size", "N=4096", "--size", "K=4096", gemm});
  for (const auto& call : calls) {
    for (const int number : {SIGINT, SIGTERM}) {
      INFO(call[0] << " " << call[1] << " " << call.back() << " " << number);
      const Finished ran = runAndSignal(call, number, SignalAt::Handled);
      CHECK(ran.exit == 128 + number);
      CHECK(ran.err.ends_with("tessera: cancelled; the answer is not complete\n"));
      CHECK(harmless(ran));
    }
    // Before it has a handler the signal ends it, as it ends any program; a little later it says so.
    const Finished first = runAndSignal(call, SIGINT, SignalAt::Begun);
    CHECK(first.exit == 130);
    CHECK((first.err.empty() || first.err.ends_with("tessera: cancelled; the answer is not complete\n")));
  }
  ::close(writer);
}

TEST_CASE("Ctrl-C where nothing looks for it: a pipe that nobody reads") {
  Conversation atlas({"atlas", "--json"});  // more than a pipe holds
  CHECK_FALSE(atlas.hear().empty());
  atlas.signal(SIGINT);
  CHECK(atlas.wait() == 130);
}

TEST_CASE("eval and draw say with their exit code what check says with its own") {
  struct Row {
    const char* statement;
    int exit;
  };
  const std::string out = scratchFolder() + "/x.svg";
  for (const Row& row :
       {Row{"prove injective(8:1)", 0}, Row{"prove injective(8:0)", 1}, Row{"prove not injective(8:0)", 0},
        Row{"prove not injective(8:1)", 1}, Row{"prove injective((3,5):(5,1)) by f2", 1},
        Row{"assert injective(8:0)", 1}, Row{"assert 1 == 2", 1}, Row{"A = 8:1; prove injective(B)", 1}}) {
    INFO(row.statement);
    CHECK(run({"check", "-"}, row.statement).exit == row.exit);
    CHECK(run({"eval", row.statement}).exit == row.exit);
    CHECK(run({"eval", "--json", row.statement}).exit == row.exit);
    CHECK(run({"eval", "-"}, row.statement).exit == row.exit);
    CHECK(run({"draw", std::string("8:1; ") + row.statement, "-o", out}).exit == row.exit);
  }
  // A claim without `prove` in front is still answered: refuted is no success. A truth value is a value.
  CHECK(run({"eval", "injective(8:0)"}).exit == 1);
  CHECK(run({"eval", "V = injective(8:0)"}).exit == 1);
  CHECK(run({"eval", "injective(8:1)"}).exit == 0);
  CHECK(run({"eval", "1 == 2"}).exit == 0);
  CHECK(run({"draw", "prove injective(8:0); show 8:1", "-o", out}).err.find("refuted  injective(8:0)") !=
        std::string::npos);
}

TEST_CASE("standard input that is closed, or cannot be read, is exit 2 with a reason") {
  const std::string out = scratchFolder() + "/x.svg";
  for (const char* input : {"<&-", "</"}) {
    for (const std::vector<std::string>& call : {std::vector<std::string>{"eval", "-"},
                                                 {"eval", "--json", "1", "-"},
                                                 {"check", "-"},
                                                 {"draw", "-", "-o", out}}) {
      INFO(input << " " << call[0]);
      const Finished ran = runWith(input, call);
      CHECK(ran.exit == 2);
      CHECK(ran.err.find("cannot read standard input: ") != std::string::npos);
    }
    CHECK(runWith(input, {"eval", "1 + 1"}).out == "2\n");  // it is not asked for
  }
  CHECK(runWith("</dev/null", {"eval", "-"}).exit == 0);  // an empty stream is one
}

TEST_CASE("standard output that is closed or full is exit 2, whatever was to be said") {
  const std::string folder = scratchFolder();
  writeText(folder + "/x.tess", "prove injective(8:1)\n");
  for (const char* output : {">/dev/full", ">&-"}) {
    for (const std::vector<std::string>& call : {std::vector<std::string>{"--help"},
                                                 {"--version"},
                                                 {"eval", "--help"},
                                                 {"eval", "1"},
                                                 {"atlas"},
                                                 {"atlas", "ldmatrix.x4"},
                                                 {"check", folder + "/x.tess"},
                                                 {"draw", "--json", "8:1", "-o", folder + "/x.svg"}}) {
      INFO(output << " " << call[0]);
      const Finished ran = runWith(output, call);
      CHECK(ran.exit == 2);
      CHECK(ran.err.find("cannot write to standard output: ") != std::string::npos);
    }
  }
  // The number of a closed stream is not given to the picture.
  CHECK(runWith("<&- >&- 2>&-", {"draw", "8:1", "-o", folder + "/y.svg"}).exit == 0);
  CHECK(readText(folder + "/y.svg").substr(0, 1) == "<");
}

TEST_CASE("draw writes into a pipe, and through a link") {
  const std::string folder = scratchFolder();
  const std::string pipe = folder + "/pipe.csv", link = folder + "/link.csv", file = folder + "/file.csv";
  REQUIRE(run({"draw", "(2,2):(2,1)", "-o", file}).exit == 0);
  const std::string picture = readText(file);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string heard;
  std::thread reader([&] { heard = readText(pipe); });
  CHECK(run({"draw", "(2,2):(2,1)", "-o", pipe}).exit == 0);
  reader.join();
  CHECK(heard == picture);
  CHECK(fs::is_fifo(pipe));

  writeText(file, "old");
  fs::create_symlink("file.csv", link);
  CHECK(run({"draw", "(2,2):(2,1)", "-o", link}).exit == 0);
  CHECK(fs::is_symlink(link));
  CHECK(readText(file) == picture);
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 3);
}

TEST_CASE("no escape sequence of the input reaches the terminal") {
  const std::string folder = scratchFolder();
  for (const std::string evil : {"\x1b[31m", "\x1b]0;title\x07",
                                 "\xC2\x9B"
                                 "31m",
                                 "\x7F", "\r"}) {
    const std::string file = folder + "/" + evil + ".tess";
    writeText(file, "size(\"" + evil + "\")\nassert \"" + evil + "\" == \"b\" // " + evil + "\nprove injective(8:1) " +
                        evil + "\nA" + evil + " = 8:1\n\"" + evil + "\"\n");
    CHECK(harmless(run({"check", file})));
    CHECK(harmless(run({"check", file, file})));  // names its files
    CHECK(harmless(run({"check", "--json", file})));
    CHECK(harmless(run({"check", file + ".gone"})));
    CHECK(harmless(run({"check", file + ".hlo"})));
    CHECK(harmless(run({"draw", file, "-o", folder + "/x.svg"})));
    CHECK(harmless(run({"draw", "8:1", "-o", folder + "/missing/" + evil + ".svg"})));
    CHECK(harmless(run({"draw", "8:1", "--as", evil, "-o", folder + "/x.svg"})));
    CHECK(harmless(run({"eval", "-"}, readText(file))));
    CHECK(harmless(run({"eval", "--json", "-"}, readText(file))));
    CHECK(harmless(run({"eval", "size(" + evil + ")", "\"" + evil + "\""})));
    CHECK(harmless(run({"eval", "--" + evil})));
    CHECK(harmless(run({"eval", "--budget", evil, "1"})));
    CHECK(harmless(run({"atlas", evil})));
    CHECK(harmless(run({"atlas", "--arch", evil})));
    CHECK(harmless(run({file + "x"})));
  }
  // What the text says is still all there in JSON.
  const Finished json = run({"eval", "--json",
                             "\"a\x1b[1m\x7F\xC2\x9B"
                             "b\xC3\xA9\""});
  CHECK(Json::parse(json.out)["text"] ==
        "a\x1b[1m\x7F\xC2\x9B"
        "b\xC3\xA9");
}

TEST_CASE("lines that end in CR LF are shown as they are meant") {
  const Finished ran =
      run({"check", "-"}, "A = 8:1\r\nassert size(A) == 8\r\nassert size(A) == 9\r\nprove injective(A)\r\n");
  CHECK(ran.exit == 1);
  CHECK(ran.out.find("\xEF\xBF\xBD") == std::string::npos);
  CHECK(ran.out.find("2 proved") == std::string::npos);
  CHECK(ran.out.find("1 proved, 1 assertion held, 1 failed") != std::string::npos);
}

TEST_CASE("an error in a stream names the line of the stream") {
  const Finished ran = run({"eval", "-"}, "8:1\n\n(4,8\nsize(8:1)\n  size(Q)\n");
  CHECK(ran.exit == 1);
  CHECK(ran.out == "8:1\n8\n");
  CHECK(ran.err.find("error: line 3, column 1: this '(' is never closed") != std::string::npos);
  CHECK(ran.err.find("error: line 5, column 8: 'Q' is not defined\n    size(Q)\n         ^") != std::string::npos);
  // Every line is named once, for any mistake in it.
  std::string lines;
  for (int k = 0; k < 300; ++k) lines += k % 3 == 0 ? "8:1\n" : k % 3 == 1 ? "find nothing\n" : "A = = 3\n";
  std::istringstream errors(run({"eval", "-"}, lines).err);
  int expected = 2;
  for (std::string line; std::getline(errors, line);) {
    if (line.rfind("error: ", 0) != 0) continue;
    CHECK(line.find("line " + std::to_string(expected) + ",") != std::string::npos);
    expected += expected % 3 == 2 ? 1 : 2;
  }
  CHECK(expected == 302);
}

TEST_CASE("check prints what find found") {
  const std::string sheet =
      "find swizzle for (128,64):(64,1) where conflict_free(ldmatrix.x4, fp16)\nprove injective(8:1)\n"
      "find swizzle for (3,5):(5,1) where conflict_free(nothing, fp16)\n";
  const Finished ran = run({"check", "-"}, sheet);
  CHECK(ran.exit == 1);  // of the third line
  CHECK(ran.out.find("line 1: found\n    Sw<") != std::string::npos);
  CHECK(ran.out.find("1 proved, 1 failed") != std::string::npos);
  std::istringstream lines(run({"check", "--json", "-"}, sheet.substr(0, sheet.find('\n'))).out);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  CHECK(Json::parse(first)["kind"] == "search");
  CHECK(Json::parse(first)["line"] == 1);
  CHECK(Json::parse(first)["swizzles"].size() >= 1);
  CHECK(Json::parse(second)["kind"] == "summary");
}

TEST_CASE("check prints notes about statements that are no claims") {
  const Finished ran = run({"check", "-"}, "x = 20 // 3\nprove injective(8:1)\n");
  CHECK(ran.exit == 0);
  CHECK(ran.err.find("note: line 1, column 8: comment; write floordiv") != std::string::npos);
}
