#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/process.h"

using namespace tessera;
namespace fs = std::filesystem;

TEST_CASE("draw: the ending of the output picks the ink") {
  const std::string folder = scratchFolder();
  const std::string layout = "Sw<3,3,3> o (64,64):(64,1)";
  const auto begins = [&](const std::string& ending, const std::string& start) {
    const std::string file = folder + "/x." + ending;
    const Finished ran = run({"draw", layout, "-o", file});
    INFO(ending << ": " << ran.err);
    CHECK(ran.exit == 0);
    CHECK(readText(file).substr(0, start.size()) == start);
  };
  begins("svg", "<");
  begins("json", "{");
  CHECK(run({"draw", layout, "-o", folder + "/x.csv"}).exit == 0);
  CHECK(run({"draw", "(4,8):(8,1)", "-o", folder + "/y.txt"}).exit == 0);
  CHECK(readText(folder + "/y.txt").find("31") != std::string::npos);
  CHECK(run({"draw", layout, "-o", folder + "/x.xyz"}).exit == 2);
  CHECK(run({"draw", layout, "-o", folder + "/x"}).exit == 2);
}

TEST_CASE("draw: views, operations, verdicts, statements") {
  const std::string out = scratchFolder() + "/x.svg";
  for (const char* view : {"grid", "memory", "flow", "f2"}) {
    INFO(view);
    CHECK(run({"draw", "Sw<1,0,3> o (4,8):(8,1)", "--as", view, "-o", out}).exit == 0);
  }
  CHECK(run({"draw", "composition((6,2):(8,2), (4,3):(3,1))", "--as", "algebra", "-o", out}).exit == 0);
  CHECK(run({"draw", "A = (4,8):(8,1); show A as grid", "-o", out}).exit == 0);
  CHECK(run({"draw", "injective((4,2):(1,2))", "-o", out}).exit == 1);  // refuted, and drawn
  CHECK(fs::exists(out));
  CHECK(run({"draw", "injective((4,2):(1,4))", "-o", out}).exit == 0);
  // A refused composition is drawn with the place where its law breaks, and is still an error.
  fs::remove(out);
  CHECK(run({"draw", "composition((6,2):(1,7), (3,2):(2,3))", "-o", out}).exit == 1);
  CHECK(fs::exists(out));
  CHECK(run({"draw", "(64,64):(64,1)", "--as", "banks fp16 ldmatrix.x4 at 16 0", "-o", out}).exit == 0);
  CHECK(run({"draw", "((4,8),(2,2)):((32,1),(16,8))", "--as", "threads 16x8", "-o", out}).exit == 0);
  CHECK(run({"draw", "(64,64):(64,1)", "--as", "banks fp16 ldmatrix.x9", "-o", out}).exit == 1);
  CHECK(run({"draw", "8:1", "--as", "nonsense", "-o", out}).exit == 1);
  CHECK(run({"draw", "8:1", "--as", "algebra", "-o", out}).exit == 1);
  CHECK(run({"draw", "size(8:1)", "-o", out}).exit == 1);
}

TEST_CASE("draw: a kernel step by step, as picture, text and table") {
  const std::string folder = scratchFolder();
  const std::string kernel = "kernel \"" TESSERA_SOURCE_DIR
                             "/assets/kernels/reduce.ptx\" entry reduce_race block (256) args (s32[256], s32[1])";
  for (const char* ending : {"svg", "txt", "csv", "json"}) {
    const std::string out = folder + "/step." + ending;
    const Finished ran = run({"draw", kernel, "--as", "player, step 40", "-o", out});
    INFO(ran.err);
    CHECK(ran.exit == 0);
    CHECK(fs::exists(out));
  }
  CHECK(readText(folder + "/step.txt").find("step 40 of") != std::string::npos);
  CHECK(run({"draw", kernel, "--as", "player, finding 1", "-o", folder + "/f.svg"}).exit == 0);
  const Finished beyond = run({"draw", kernel, "--as", "player, step 99999", "-o", folder + "/f.svg"});
  CHECK(beyond.exit == 1);
  CHECK(beyond.err.find("there is no step 99999") != std::string::npos);
}

TEST_CASE("draw: a .graphene file is a program, seen in every view; what is not proved is drawn and said") {
  const std::string folder = scratchFolder(), out = folder + "/x.svg";
  const std::string assets = TESSERA_SOURCE_DIR "/assets/graphene/";
  for (const char* file : {"ldmatrix_move", "gemm_simple", "predicated_copy", "warp_sum"}) {
    for (const char* view : {"", "tree", "spec 1", "player", "player, thread 1", "checklist", "predictions"}) {
      INFO(file << " as " << view);
      fs::remove(out);
      const Finished ran = run({"draw", "--budget", "300", assets + file + ".graphene", "--as", view, "-o", out});
      INFO(ran.err);
      CHECK(ran.exit == 0);
      CHECK(fs::exists(out));
    }
  }
  CHECK(run({"draw", "-", "-o", out}, readText(assets + "vector_load.graphene")).exit == 0);
  // Sizes that are symbols are said; without them there is no moment.
  const std::string symbolic = assets + "gemm_symbolic.graphene";
  CHECK(run({"draw", symbolic, "--as", "tree", "-o", out}).exit == 0);
  CHECK(run({"draw", symbolic, "--as", "player", "-o", out}).exit == 1);
  CHECK(run({"draw", symbolic, "--as", "player M 2 N 2 K 8", "-o", out}).exit == 0);
  CHECK(run({"draw", symbolic, "--as", "nonsense", "-o", out}).exit == 1);
  // The places of an error are those of the file.
  const std::string broken = folder + "/broken.graphene";
  writeText(broken, "%a : [4].fp32.GL\n%b <- Move(%a)\n");
  const Finished ran = run({"draw", broken, "-o", out});
  CHECK(ran.exit == 2);
  CHECK(ran.err.find("line 2") != std::string::npos);
  const std::string wrong = folder + "/wrong.graphene";
  std::string text = readText(assets + "ldmatrix_move.graphene");
  text.replace(text.find("%q[@gm,@gn]"), 11, "%q[@gn,@gm]");
  writeText(wrong, text);
  CHECK(run({"draw", wrong, "--as", "player", "-o", out}).exit == 0);
  fs::remove(out);
  CHECK(run({"draw", wrong, "--as", "checklist", "-o", out}).exit == 1);
  CHECK(fs::exists(out));
}

TEST_CASE("draw --against: two pictures in one file, what differs lit; csv has the differing cells") {
  const std::string folder = scratchFolder(), out = folder + "/both.svg";
  const std::string a = "(4,8):(8,1)", b = "(4,8):(1,4)";
  const Finished ran = run({"draw", a, "--against", b, "-o", out});
  INFO(ran.err);
  CHECK(ran.exit == 0);
  const std::string svg = readText(out);
  CHECK(svg.find("30 of 32 cells differ") != std::string::npos);
  CHECK(run({"draw", a, "--against", b, "-o", folder + "/both.csv"}).exit == 0);
  const std::string csv = readText(folder + "/both.csv");
  // Every cell whose two offsets differ, by the formulas.
  std::string expected = "grid,row,column,A,B\n";
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; ++c)
      if (8 * r + c != r + 4 * c)
        expected += "," + std::to_string(r) + "," + std::to_string(c) + "," + std::to_string(8 * r + c) + "," +
                    std::to_string(r + 4 * c) + "\n";
  CHECK(csv == expected);
  CHECK(run({"draw", a, "--against", b, "--as", "memory", "-o", out}).exit == 0);
  // Sheets are compared show by show.
  writeText(folder + "/one.tess", "show (4,8):(8,1)\nshow (2,2):(2,1)\n");
  writeText(folder + "/two.tess", "show (4,8):(1,4)\nshow (2,2):(1,2)\n");
  CHECK(run({"draw", folder + "/one.tess", "--against", folder + "/two.tess", "-o", folder + "/p.svg"}).exit == 0);
  CHECK(fs::exists(folder + "/p-1.svg"));
  CHECK(fs::exists(folder + "/p-2.svg"));
  const Finished uneven = run({"draw", folder + "/one.tess", "--against", b, "-o", out});
  CHECK(uneven.exit == 2);
  CHECK(uneven.err.find("cannot compare 2 pictures with 1") != std::string::npos);
  CHECK(run({"draw", a, "--against", "oops(", "-o", out}).exit == 1);
}

TEST_CASE("draw: every show of a worksheet, numbered") {
  const std::string folder = scratchFolder();
  writeText(folder + "/s.tess", "A = (4,8):(8,1)\nshow A\nshow Sw<1,0,3> o A as grid\n");
  const Finished ran = run({"draw", folder + "/s.tess", "-o", folder + "/p.svg"});
  CHECK(ran.exit == 0);
  CHECK(fs::exists(folder + "/p-1.svg"));
  CHECK(fs::exists(folder + "/p-2.svg"));
}

TEST_CASE("draw --json: one object a picture, and it counts the bytes of the file") {
  const std::string folder = scratchFolder();
  const Finished ran = run({"draw", "(4,8):(8,1)", "--json", "-o", folder + "/x.svg"});
  CHECK(ran.exit == 0);
  const auto line = nlohmann::json::parse(ran.out);
  CHECK(line == nlohmann::json({{"ok", true}, {"kind", "picture"}, {"bytes", fs::file_size(folder + "/x.svg")}}));
}

TEST_CASE("draw: the old file stays whole when the new one cannot be written") {
  const std::string folder = scratchFolder();
  CHECK(run({"draw", "8:1", "-o", folder + "/missing/x.svg"}).exit == 2);
  CHECK(run({"draw", "8:1", "-o", "/dev/full"}).exit == 2);
  writeText(folder + "/x.svg", "old");
  if (::geteuid() != 0) {  // root writes everywhere
    ::chmod(folder.c_str(), 0555);
    CHECK(run({"draw", "8:1", "-o", folder + "/x.svg"}).exit == 2);
    ::chmod(folder.c_str(), 0755);
    CHECK(readText(folder + "/x.svg") == "old");
  }
  CHECK(run({"draw", "8:1", "-o", folder + "/x.svg"}).exit == 0);
  CHECK(readText(folder + "/x.svg") != "old");
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);  // no other file remains
}

TEST_CASE("draw -o X.md writes a report of the sheet, with its pictures beside it") {
  const std::string folder = scratchFolder(), report = folder + "/out.md";
  writeText(folder + "/s.tess",
            "// # Rows\nA = (4,8):(8,1)\nshow A as grid\nA\nsize(A)\nprove injective(A)\nassert size(A) == 32\n");
  const Finished ran = run({"draw", folder + "/s.tess", "-o", report});
  INFO(ran.err);
  CHECK(ran.exit == 0);
  CHECK(ran.err.empty());
  const std::string md = readText(report);
  std::size_t at = 0;
  for (const char* piece : {"# Rows\n", "```\nA = (4,8):(8,1)\nshow A as grid\n```", "](out_pictures/1-a-as-grid.svg)",
                            "](out_pictures/2-", "= `32`", "**proved** `injective(A)`", "**holds**"}) {
    INFO(piece);
    REQUIRE(md.find(piece, at) != std::string::npos);
    at = md.find(piece, at);
  }
  // Every link leads to a picture that is there, and there are no others.
  std::size_t links = 0;
  for (std::size_t from = 0; (from = md.find("](out_pictures/", from)) != std::string::npos; ++links) {
    const std::size_t end = md.find(')', from);
    CHECK(readText(folder + "/" + md.substr(from + 2, end - from - 2)).starts_with("<"));
    from = end;
  }
  CHECK(links == 2);
  CHECK(std::distance(fs::directory_iterator(folder + "/out_pictures"), {}) == 2);
  // Statements and standard input, and nothing to draw: no folder.
  CHECK(run({"draw", "size(8:1); assert size(8:1) == 8", "-o", folder + "/plain.md"}).exit == 0);
  CHECK(readText(folder + "/plain.md").find("= `8`") != std::string::npos);
  CHECK_FALSE(fs::exists(folder + "/plain_pictures"));
  CHECK(run({"draw", "-", "-o", folder + "/in.md"}, "prove injective(4:1)\n").exit == 0);
  const Finished json = run({"draw", "--json", folder + "/s.tess", "-o", report});
  CHECK(json.out.find(R"("kind":"report")") != std::string::npos);
  CHECK(json.out.find(R"("pictures":2)") != std::string::npos);
}

TEST_CASE("draw --as V is show as V") {
  const std::string folder = scratchFolder();
  const std::string block =
      "cuda { __shared__ float tile[32][32]; float x = tile[threadIdx.x][threadIdx.y]; } over (threadIdx.x = 32, "
      "threadIdx.y = 32)";
  for (const std::string& value : {block, std::string("(64,64):(64,1)"), std::string("ldmatrix.x4")})
    for (const char* name : {"banks", "banks f16", "grid", "memory"}) {
      const std::string view = name;
      INFO(value << " as " << view);
      const Finished drawn = run({"draw", value, "--as", view, "-o", folder + "/a.txt"});
      const Finished shown = run({"draw", "show " + value + " as " + view, "-o", folder + "/b.txt"});
      if (drawn.exit != 0 || shown.exit != 0) continue;  // a show assumes a type, and says so
      const auto belowTitle = [&](const char* file) {
        const std::string text = readText(folder + file);
        return text.substr(std::min(text.find('\n'), text.size()));
      };
      CHECK(belowTitle("/a.txt") == belowTitle("/b.txt"));
    }
  CHECK(run({"draw", block, "--as", "banks", "-o", folder + "/a.txt"}).exit == 0);
  CHECK(readText(folder + "/a.txt").find("32-way at worst") != std::string::npos);
}

TEST_CASE("draw -o X.html writes one page") {
  const std::string folder = scratchFolder(), page = folder + "/out.html";
  writeText(folder + "/s.tess", "// # Rows & columns\nA = (4,8):(8,1)\nshow A as grid\nprove injective(A)\n");
  const Finished ran = run({"draw", folder + "/s.tess", "-o", page});
  INFO(ran.err);
  CHECK(ran.exit == 0);
  const std::string html = readText(page);
  CHECK(html.starts_with("<!DOCTYPE html>"));
  for (const char* piece : {"<title>Rows &amp; columns</title>", "show A as grid</code>", "data-points=", "proved</b>"})
    CHECK(html.find(piece) != std::string::npos);
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 2);  // no other file
  const Finished json = run({"draw", "--json", folder + "/s.tess", "-o", page});
  CHECK(json.out.find(R"("kind":"report")") != std::string::npos);
  // Pictures alone: of a program, with a view, of two.
  const std::string program = TESSERA_SOURCE_DIR "/assets/graphene/vector_load.graphene";
  const std::vector<std::vector<std::string>> pictures = {
      {"draw", program, "-o", page},
      {"draw", "8:1", "--as", "memory", "-o", page},
      {"draw", "(4,2):(2,1)", "--against", "(4,2):(1,4)", "-o", page}};
  for (const auto& arguments : pictures) {
    const Finished drawn = run(arguments);
    INFO(drawn.err);
    CHECK(drawn.exit == 0);
    CHECK(readText(page).find("<figure ") != std::string::npos);
  }
  CHECK(run({"draw", "prove injective((4,2):(1,2))", "-o", page}).exit == 1);
  CHECK(readText(page).find("refuted</b>") != std::string::npos);
  CHECK(run({"draw", "8:1", "-o", folder + "/missing/x.html"}).exit == 2);
  CHECK(run({"draw", folder + "/none.tess", "-o", page}).exit == 2);
  CHECK(run({"draw", "-", "-o", page}, "show (4,8) as grid\n").exit == 0);
  CHECK(readText(page).find("<figure ") != std::string::npos);
  const Finished empty = run({"draw", "", "-o", folder + "/empty.html"});
  CHECK(empty.exit == 1);
  CHECK(empty.err.find("nothing to report") != std::string::npos);
  CHECK_FALSE(fs::exists(folder + "/empty.html"));
}

TEST_CASE("a report has what is refuted and wrong, and the command says so") {
  const std::string folder = scratchFolder(), report = folder + "/r.md";
  const Finished ran = run({"draw", "prove injective((4,2):(1,2)); size(B)", "-o", report});
  CHECK(ran.exit == 1);
  CHECK(ran.err.find("B") != std::string::npos);
  CHECK(readText(report).find("**refuted** `injective((4,2):(1,2))`") != std::string::npos);
  CHECK(readText(report).find("**error**: ") != std::string::npos);
  const Finished task = run({"draw", "S = ?; task \"fill it\": bijective(S)", "-o", report});
  CHECK(task.exit == 1);
  CHECK(readText(report).find("**not yet** fill it: S is not filled in yet") != std::string::npos);
  CHECK(run({"draw", "S = 8:1; task \"fill it\": bijective(S)", "-o", report}).exit == 0);
  CHECK(readText(report).find("**solved** fill it\n") != std::string::npos);
}

TEST_CASE("a report that cannot be written, or is not of a worksheet, is refused and leaves nothing") {
  const std::string folder = scratchFolder();
  const auto refused = [&](std::vector<std::string> words, const std::string& says) {
    words.insert(words.begin(), "draw");
    const Finished ran = run(words);
    INFO(ran.err);
    CHECK(ran.exit == 2);
    CHECK(ran.err.find(says) != std::string::npos);
  };
  refused({"show 8:1", "-o", folder + "/missing/r.md"}, "cannot create the folder");
  CHECK_FALSE(fs::exists(folder + "/missing"));
  refused({"size(8:1)", "-o", folder + "/missing/r.md"}, "missing/r.md");
  writeText(folder + "/taken_pictures", "a file\n");
  refused({"show 8:1", "-o", folder + "/taken.md"}, "cannot create the folder");
  CHECK_FALSE(fs::exists(folder + "/taken.md"));
  fs::create_directory(folder + "/dir.md");
  refused({"size(8:1)", "-o", folder + "/dir.md"}, "dir.md");
  refused({"8:1", "--as", "grid", "-o", folder + "/r.md"}, "a report has no --as");
  refused({"8:1", "--against", "4:1", "-o", folder + "/r.md"}, "a report has no --against");
  refused({TESSERA_SOURCE_DIR "/assets/graphene/vector_load.graphene", "-o", folder + "/r.md"}, "not of a program");
  refused({folder + "/none.tess", "-o", folder + "/r.md"}, "none.tess");
  CHECK_FALSE(fs::exists(folder + "/r.md"));
}
