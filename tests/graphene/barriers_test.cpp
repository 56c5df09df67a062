// mbarrier and TMA: parsing, printing and refusing the statements by name and place; tiles that are boxes and tiles
// that are not.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "core/graphene/atoms/atom.h"
#include "leaves.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::graphene::test;

namespace {

const std::string kBody =
    "  %s:[64].fp16.SH\n  %full:[3].mbarrier.SH\n  @t = #t.indices()\n  #one = #t.scalar()\n"
    "  for (k = 0; k < 9; k += 1) {\n    %f = %full[k%3]\n"
    "    mbarrier.init %f, 2\n    mbarrier.arrive %f\n    mbarrier.expect %f, %s, %s\n"
    "    %s <- Move<bulk %f><<<#b,#one>>>(%x)\n    mbarrier.wait %f, (k/3 - 1)\n    mbarrier.wait %f, 0\n    %y = %s\n "
    " }\n";

std::string kernel(const std::string& body) {
  return "%x:[64].fp16.GL\n#b:[1].block #t:[128].thread\n%x <- Spec<<<#b,#t>>>(%x) {\n" + body + "}\n";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// What is wrong, and the text that the place of it covers.
std::pair<Diag, std::string> refused(const std::string& text) {
  const auto program = readProgram(text);
  INFO(text);
  REQUIRE_FALSE(program.ok());
  const Span span = program.error().span;
  REQUIRE(span.end <= text.size());
  return {program.error(), text.substr(span.begin, span.end - span.begin)};
}

// A box: of a matrix in global memory, through `tile`, to shared memory.
struct Box {
  std::string global = "[256,128:128,1].fp16.GL", shared = "Sw<3,3,3> o [2,64,64:4096,64,1].fp16.SH";
  std::string tile = "%A.tile([64:1],[64:1])[1,0]", into = "%S.tile([1:1],[64:1],[64:1])[1,0,0].reshape(0,[64,64])";
  std::string threads = "#one";
};

Result<Atom> atomOf(const Box& b, const std::string& architecture = "sm_90a") {
  const std::string text = fmt::format(
      "%A:{}\n#b:[1].block #t:[128].thread\n%A <- Spec<<<#b,#t>>>(%A) {{\n  #one = #t.scalar()\n  %S:{}\n"
      "  %f:[].mbarrier.SH\n  %g = {}\n  %s = {}\n  %s <- Move<bulk %f><<<#b,{}>>>(%g)\n}}\n",
      b.global, b.shared, b.tile, b.into, b.threads);
  INFO(text);
  return matchAtom(firstLeaf(text), architecture);
}

std::string refusal(const std::function<void(Box&)>& change, const std::string& architecture = "sm_90a") {
  Box b;
  change(b);
  const auto atom = atomOf(b, architecture);
  REQUIRE_FALSE(atom.ok());
  return atom.error().message;
}

}  // namespace

TEST_CASE("the statements of barriers are read and printed as they are") {
  const auto program = readProgram(kernel(kBody));
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  const std::string printed = print(*program);
  INFO(printed);
  for (const char* words : {"mbarrier.init %f, 2\n", "mbarrier.arrive %f\n", "mbarrier.expect %f, %s, %s\n",
                            "%s <- Move<bulk %f><<<#b, #one>>>(%x)\n", "mbarrier.wait %f, (k/3+-1)\n",
                            "mbarrier.wait %f, 0\n", "%full:[3:1].mbarrier.SH\n"})
    CHECK(printed.find(words) != std::string::npos);
  const auto again = readProgram(printed);
  REQUIRE(again.ok());
  CHECK(print(*again) == printed);
}

TEST_CASE("what is wrong about a barrier is said where it stands") {
  struct Row {
    const char *from, *to, *at, *says;
  };
  const Row rows[] = {
      {"mbarrier.init %f, 2", "mbarrier.inti %f, 2", "mbarrier.inti", "no statement 'mbarrier.inti'"},
      {"mbarrier.arrive %f", "mbarrier", "mbarrier", "no statement 'mbarrier'"},
      {"mbarrier.arrive %f", "mbarrier.arrive %s", "%s", "%s is not a barrier"},
      {"mbarrier.arrive %f", "mbarrier.arrive %full", "%full", "%full is more than one barrier"},
      {"mbarrier.arrive %f", "mbarrier.arrive %g", "%g", "there is no tensor %g here"},
      {"mbarrier.init %f, 2", "mbarrier.init %f, 0", "0", "a phase of 0 arrivals"},
      {"mbarrier.init %f, 2", "mbarrier.init %f, 1048576", "1048576", "a phase of 1048576 arrivals"},
      {"mbarrier.init %f, 2", "mbarrier.init %f, k", "k", "not known before the program runs"},
      {"mbarrier.expect %f, %s, %s", "mbarrier.expect %f, %x", "%x", "%x is not data in shared memory"},
      {"mbarrier.expect %f, %s, %s", "mbarrier.expect %f, %f", "%f", "%f is not data in shared memory"},
      {"Move<bulk %f>", "Move<bulk %s>", "%s", "%s is not a barrier"},
      {">>>(%x)\n    mbarrier.wait", ">>>(%f)\n    mbarrier.wait", "%f", "%f is a barrier, not data"},
      {"    %s <- Move<bulk", "    %f <- Move<bulk", "%f", "%f is a barrier, not data"},
      {"%full:[3].mbarrier.SH", "%full:[3].mbarrier.RF", "%full:[3].mbarrier.RF", "a barrier is in shared memory"},
      {"%full:[3].mbarrier.SH", "%full:Sw<1,0,1> o [4].mbarrier.SH", "%full:Sw<1,0,1> o [4].mbarrier.SH",
       "not swizzled"},
  };
  for (const Row& row : rows) {
    const auto [diag, at] = refused(changed(kernel(kBody), row.from, row.to));
    INFO(row.to << ": " << diag.message << " at '" << at << "'");
    CHECK(diag.message.find(row.says) != std::string::npos);
    CHECK(at.find(row.at) != std::string::npos);
    CHECK_FALSE(diag.expected.empty());
  }
  CHECK(refused(changed(kernel(kBody), "mbarrier.init", "mbarrier.inti")).first.hint == "did you mean mbarrier.init?");
  CHECK(refused(changed(kernel(kBody), "mbarrier.arrive", "mbarier.arrive")).first.hint == "did you mean mbarrier?");
  CHECK(refused("%f:[3].mbarrier.SH\n").first.message.find("barriers belong to a kernel") != std::string::npos);
  for (const char* open :
       {"mbarrier.init %f,", "mbarrier.wait %f, (k/3", "mbarrier.", "mbarrier.expect", "mbarrier.wait %f"})
    (void)refused(changed(kernel(kBody), "mbarrier.arrive %f\n", std::string(open) + "\n}\n}\n"));
}

TEST_CASE("a tile is a box: sizes innermost first, strides and the mode of its swizzle") {
  const auto atom = atomOf({});
  INFO((atom ? "" : atom.error().message));
  REQUIRE(atom.ok());
  CHECK(atom->name == "cp.async.bulk.tensor.2d.load");
  CHECK(atom->lanes == 1);
  CHECK_FALSE(atom->async);
  CHECK(atom->accesses.empty());
  REQUIRE(atom->box.has_value());
  CHECK(atom->box->dims == std::vector<int>{1, 0});
  CHECK(atom->box->sizes == std::vector<i64>{64, 64});
  CHECK(atom->box->strides == std::vector{Expr::constant(1), Expr::constant(128)});
  CHECK(atom->box->swizzle == "128B");
  CHECK(atom->box->repeats == 512);
  CHECK(atom->box->bytes == 64 * 64 * 2);
  REQUIRE(atom->terms.size() == 64 * 64);
  for (std::size_t s = 0; s < atom->terms.size(); ++s)
    REQUIRE(atom->terms[s] == std::vector<AtomTerm>{{static_cast<int>(s), static_cast<int>(s)}});
  // Columns side by side: the first dimension is the inner one.
  Box columns;
  columns.global = "[128,256:1,128].fp16.GL";
  columns.shared = "Sw<3,3,3> o [2,64,64:4096,1,64].fp16.SH";
  columns.tile = "%A.tile([64:1],[64:1])[0,1]";
  const auto turned = atomOf(columns);
  REQUIRE(turned.ok());
  CHECK(turned->box->dims == std::vector<int>{0, 1});
  CHECK(turned->box->strides == std::vector{Expr::constant(1), Expr::constant(128)});
  // Without a swizzle lines may be of any length, and storage begins at a multiple of 128 bytes.
  Box plain;
  plain.shared = "[2,64,64:4096,64,1].fp16.SH";
  CHECK(atomOf(plain)->box->swizzle == "NONE");
  CHECK(atomOf(plain)->box->repeats == 64);
  // One row of one matrix: a box of one dimension.
  Box row;
  row.global = "[8,256:256,1].fp32.GL";
  row.shared = "[256].fp32.SH";
  row.tile = "%A.tile([1:1],[256:1])[3,0]";
  row.into = "%S.tile([256:1])[0]";
  const auto line = atomOf(row);
  INFO((line ? "" : line.error().message));
  REQUIRE(line.ok());
  CHECK(line->name == "cp.async.bulk.tensor.1d.load");
  CHECK(line->box->dims == std::vector<int>{1});
}

TEST_CASE("what is no box is said") {
  const auto says = [](const std::string& message, const std::string& what) {
    INFO(message);
    return message.find(what) != std::string::npos;
  };
  CHECK(says(refusal([](Box&) {}, "sm_80"), "needs sm_90, but the target is sm_80"));
  CHECK(says(refusal([](Box& b) { b.threads = "#t"; }), "must be executed by one thread"));
  CHECK(says(refusal([](Box& b) { b.global = "[256,128:2048,16].fp16.GL"; }), "the smallest stride is 16"));
  // Sizes: what holds at every one, and what does not at some.
  for (const char* global :
       {"[64*M,64*K:64*K,1]", "[64*M,64*K:1,64*M]", "[256,128*K:128*K + 8,1]", "[M,K + 1:64*(K + 1),1]"}) {
    Box b;
    b.global = std::string(global) + ".fp16.GL";
    if (std::string_view(global).ends_with("64*M]")) b.shared = "Sw<3,3,3> o [2,64,64:4096,1,64].fp16.SH";
    const auto atom = atomOf(b);
    INFO(global << (atom ? "" : ": " + atom.error().message));
    CHECK(atom.ok());
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"[64*M,64*K:64*K + 4,1]", "multiples of 16 bytes"},
      {"[64*M,K:K,1]", "multiples of 16 bytes"},
      {"[64*M,64*K:64,1]", "rows that do not overlap"},
      {"[64*M,64*K:64*K - 64,1]", "rows that do not overlap"},
      {"[64*M,64*(K - 1):64*K,1]", "extents of 1 to 2^32"},
      {"[256,128:M,1]", "multiples of 16 bytes"},
      {"[256,128:8*M,M]", "contiguous elements; %g"},
      {"[256,128:64/(M - 1),1]", "within 2^40"},
      {"[256,128:64%(M - 1),1]", "within 2^40"},
      {"[256,128:9223372036854775807*M,1]", "within 2^40"},
      {"[256,128:128*M*M*M,1]", "within 2^40"},
      {"[64*M,128:1,64/(M - 1)]", "within 2^40"},
  };
  for (const auto& [global, reason] : wrong) {
    const std::string text = std::string(global) + ".fp16.GL";
    INFO(global);
    CHECK(says(refusal([&](Box& b) { b.global = text; }), reason));
  }
  CHECK(says(refusal([](Box& b) { b.global = "[256,128:130,1].fp16.GL"; }), "stride of 260 bytes"));
  CHECK(says(refusal([](Box& b) { b.shared = "Sw<3,3,3> o [2,64,64:8192,128,1].fp16.SH"; }),
             "has stride 128 instead of 64"));
  CHECK(
      says(refusal([](Box& b) { b.shared = "Sw<3,4,3> o [2,64,64:4096,64,1].fp16.SH"; }), "has no mode for Sw<3,4,3>"));
  CHECK(says(refusal([](Box& b) {
               b.shared = "Sw<3,3,3> o [2,64,32:2048,32,1].fp16.SH";
               b.tile = "%A.tile([64:1],[32:1])[1,0]";
               b.into = "%S.tile([1:1],[64:1],[32:1])[1,0,0].reshape(0,[64,32])";
             }),
             "fills lines of 128 bytes in mode 128B; those of %s have 64"));
  CHECK(says(refusal([](Box& b) { b.tile = "%A.tile([64:2],[64:1])[1,0]"; }), "takes every 2th"));
  CHECK(says(refusal([](Box& b) { b.into = "%S.tile([1:1],[64:1],[64:1])[1,0,0].reshape(0,[32,128])"; }),
             "of the same shape"));
  CHECK(says(refusal([](Box& b) {
               b.global = "[512,128:128,1].fp16.GL";
               b.shared = "Sw<3,3,3> o [1,512,64:32768,64,1].fp16.SH";
               b.tile = "%A.tile([512:1],[64:1])[0,0]";
               b.into = "%S.tile([1:1],[512:1],[64:1])[0,0,0].reshape(0,[512,64])";
             }),
             "the box has 512 elements"));
  CHECK(says(refusal([](Box& b) { b.shared = "Sw<3,3,3> o [2,64,64:4160,64,1].fp16.SH"; }),
             "to begin at a multiple of 512 elements; it begins at 4160"));
  CHECK(says(refusal([](Box& b) { b.shared = "Sw<3,3,3> o [2,64,64:4096,64,1].bf16.SH"; }), "wants f16 of %s"));
}

TEST_CASE("damaged programs with barriers are read and printed alike, or refused with a place") {
  const std::string text = kernel(kBody), bytes = "0123456789()[]:,.%#@<>-+*/ bulkmreiSH\n{}";
  std::mt19937 random(11);
  std::size_t good = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = text;
    const auto times = 1 + random() % 3;
    for (unsigned k = 0; k < times; ++k) {
      const std::size_t at = random() % damaged.size();
      const char c = bytes[random() % bytes.size()];
      const auto how = random() % 3;
      if (how == 0) damaged[at] = c;
      if (how == 1) damaged.insert(at, 1, c);
      if (how == 2) damaged.erase(at, 1 + at % 5);
    }
    const auto program = readProgram(damaged);
    if (!program) {
      INFO(damaged << ": " << program.error().message);
      REQUIRE(program.error().span.begin <= program.error().span.end);
      REQUIRE(program.error().span.end <= damaged.size());
      REQUIRE_FALSE(program.error().message.empty());
      continue;
    }
    ++good;
    const std::string printed = print(*program);
    const auto again = readProgram(printed);
    INFO(damaged << " -> " << printed << (again ? "" : again.error().message));
    REQUIRE(again.ok());
    REQUIRE(print(*again) == printed);
  }
  CHECK(good > 100);
}
