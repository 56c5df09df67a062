// Checks every #include of the product against the order of the source tree, app -> {solver, render} -> core, and
// against the one folder that owns each external library.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Include {
  std::string file;    // "core/expr/expr.cpp"
  std::string target;  // "core/base/types.h" or "z3++.h"
  bool quoted = false;
};

std::vector<Include> includesBelow(const fs::path& root) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  for (const char* layer : {"core", "solver", "render", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const std::string ext = entry.path().extension().string();
      if (ext != ".h" && ext != ".cpp") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        std::smatch m;
        if (std::regex_search(line, m, kInclude))
          found.push_back({fs::relative(entry.path(), root).generic_string(), m[2].str(), m[1].str() == "\""});
      }
    }
  }
  return found;
}

std::string firstFolder(const std::string& path) { return path.substr(0, path.find('/')); }
bool startsWith(const std::string& s, const std::string& prefix) { return s.rfind(prefix, 0) == 0; }

const std::vector<Include>& allIncludes() {
  static const std::vector<Include> kAll = includesBelow(TESSERA_SOURCE_DIR);
  return kAll;
}

}  // namespace

TEST_CASE("there are includes to read") { REQUIRE(allIncludes().size() > 50); }

TEST_CASE("arrows point down only") {
  const std::map<std::string, std::set<std::string>> mayUse = {
      {"core", {"core"}},
      {"solver", {"solver", "core"}},
      {"render", {"render", "core"}},
      {"app", {"app", "solver", "render", "core"}},
  };
  for (const Include& i : allIncludes()) {
    if (!i.quoted) continue;
    INFO(i.file << " includes " << i.target);
    CHECK(mayUse.at(firstFolder(i.file)).count(firstFolder(i.target)) == 1);
    CHECK(fs::exists(fs::path(TESSERA_SOURCE_DIR) / i.target));
  }
}

namespace {

// A part of the source tree and its level. The longest prefix of a file's path is its part; parts of one level
// may see each other. A file may include its own level and those below.
struct Part {
  const char* prefix;
  int floor;
};

// nullptr when the path is in none.
const Part* partOf(const std::vector<Part>& parts, const std::string& path) {
  const Part* best = nullptr;
  for (const Part& p : parts)
    if (startsWith(path, p.prefix) &&
        (best == nullptr || std::string(p.prefix).size() > std::string(best->prefix).size()))
      best = &p;
  return best;
}

std::set<std::string> foldersOf(const std::string& root) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / root))
    if (entry.is_directory()) found.insert(entry.path().filename().string());
  return found;
}

// Every folder of `root` is in a part, and no include among its files points up.
void checkFloors(const std::string& root, const std::vector<Part>& parts) {
  for (const std::string& folder : foldersOf(root)) {
    INFO(root << folder << " has no floor in the list");
    CHECK(partOf(parts, root + folder + "/") != nullptr);
  }
  for (const Include& i : allIncludes()) {
    if (!startsWith(i.file, root)) continue;
    const Part *from = partOf(parts, i.file), *to = partOf(parts, i.target);
    if (!i.quoted || !startsWith(i.target, root) || from == nullptr) continue;
    INFO(i.file << " includes " << i.target);
    REQUIRE(to != nullptr);
    CHECK(to->floor <= from->floor);
  }
}

}  // namespace

TEST_CASE("inside core, a folder stands on those before it and sees none behind it") {
  checkFloors("core/", {{"core/base/", 0},
                        {"core/expr/", 1},
                        {"core/map/", 2},
                        {"core/layout/", 3},
                        {"core/notation/", 4},
                        {"core/code/", 5},
                        {"core/atlas/", 5},
                        {"core/analysis/", 6},
                        {"core/graphene/", 7},
                        {"core/hlo/", 7},
                        {"core/ptx/", 1},
                        {"core/sass/", 1},
                        {"core/claim/", 8},
                        {"core/codegen/", 8},
                        {"core/worksheet/", 9},
                        {"core/paste/", 10}});
}

TEST_CASE("the language of layouts needs neither HLO nor Graphene nor the CUDA writer") {
  for (const Include& i : allIncludes()) {
    if (!startsWith(i.file, "core/worksheet/") || startsWith(i.file, "core/worksheet/programs/")) continue;
    INFO(i.file << " includes " << i.target);
    CHECK_FALSE(startsWith(i.target, "core/hlo/"));
    CHECK_FALSE(startsWith(i.target, "core/codegen/"));
    // Declares what a name of a program holds; nothing is linked for it.
    CHECK((!startsWith(i.target, "core/graphene/") || i.target == "core/graphene/listing.h"));
  }
}

TEST_CASE("inside core/hlo and solver/measure, a folder stands on those before it") {
  checkFloors("core/hlo/", {{"core/hlo/text/", 0},
                            {"core/hlo/ops/", 0},
                            {"core/hlo/compose/", 1},
                            {"core/hlo/tiles/", 1},
                            {"core/hlo/cost/", 2},
                            {"core/hlo/", 3}});
  checkFloors("solver/measure/", {{"solver/measure/device/", 0},
                                  {"solver/measure/reference/", 1},
                                  {"solver/measure/predict/", 1},
                                  {"solver/measure/", 2},
                                  {"solver/measure/report/", 3}});
}

TEST_CASE("every folder of many files has subfolders by role and a README") {
  for (const char* folder : {"core/hlo", "core/graphene", "core/codegen", "solver/emulate", "solver/graphene",
                             "solver/kernel", "solver/measure", "solver/prove", "app/engine", "app/views", "app/gui",
                             "app/cli", "core/map", "core/analysis", "core/notation/axe", "core/notation/cute"}) {
    INFO(folder);
    CHECK(fs::exists(fs::path(TESSERA_SOURCE_DIR) / folder / "README.md"));
    std::ifstream in(fs::path(TESSERA_SOURCE_DIR) / folder / "README.md");
    const std::string readme((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (const std::string& sub : foldersOf(folder)) CHECK(readme.find("`" + sub + "/`") != std::string::npos);
  }
}

TEST_CASE("a notation sees another only along this list") {
  // Swizzled and tiled layouts are expressed in CuTe's terms; Triton's attributes are linear layouts.
  const std::map<std::string, std::set<std::string>> sees = {
      {"axe", {}},    {"cute", {}},      {"graphene", {"axe", "cute"}}, {"indexing", {"axe"}},  // its scanner
      {"linear", {}}, {"tla", {"cute"}}, {"triton", {"linear"}},        {"xla", {"cute"}},
  };
  const std::string root = "core/notation/";
  const auto notationOf = [&](const std::string& path) {  // "" for the files above all of them: translate
    const std::string rest = path.substr(root.size());
    return rest.find('/') == std::string::npos ? std::string() : firstFolder(rest);
  };
  for (const std::string& folder : foldersOf(root)) {
    INFO(folder << " is a notation that the list does not know");
    CHECK(sees.count(folder) == 1);
  }
  for (const Include& i : allIncludes()) {
    if (!i.quoted || !startsWith(i.file, root) || !startsWith(i.target, root)) continue;
    const std::string from = notationOf(i.file), to = notationOf(i.target);
    if (from.empty() || from == to) continue;
    INFO(i.file << " includes " << i.target);
    CHECK((sees.count(from) == 1 && sees.at(from).count(to) == 1));
  }
}

TEST_CASE("inside the emulator: memory, which knows no program; the machine's parts; leaves, on top of them") {
  checkFloors("solver/emulate/", {{"solver/emulate/memory/", 0},
                                  {"solver/emulate/", 1},
                                  {"solver/emulate/machine/", 2},
                                  {"solver/emulate/leaf/", 3},
                                  {"solver/emulate/machine.", 4},
                                  {"solver/emulate/emulate.", 5}});
  for (const Include& i : allIncludes())
    if (i.quoted && startsWith(i.file, "solver/emulate/memory/")) {
      INFO(i.file << " includes " << i.target);
      CHECK((startsWith(i.target, "core/base/") || startsWith(i.target, "solver/emulate/memory/")));
    }
}

TEST_CASE("inside the worksheet: values, the language's trees, functions, and the statements that evaluate both") {
  checkFloors("core/worksheet/", {{"core/worksheet/", 0},
                                  {"core/worksheet/language/", 1},
                                  {"core/worksheet/functions/", 2},
                                  {"core/worksheet/language/literal_value", 3},  // evaluates literals and tilers
                                  {"core/worksheet/extension.h", 1},
                                  {"core/worksheet/value.cpp", 1},  // prints programs by the extension
                                  {"core/worksheet/statements/", 3},
                                  {"core/worksheet/programs/", 4}});
  CHECK(foldersOf("core/worksheet") == std::set<std::string>{"functions", "language", "programs", "statements"});
}

TEST_CASE("inside render: figures, what draws them, ink, and OpenGL, which sees figures only") {
  checkFloors("render/", {{"render/figure/", 0}, {"render/draw/", 1}, {"render/ink/", 2}, {"render/gl/", 3}});
  for (const Include& i : allIncludes()) {
    if (!i.quoted || !startsWith(i.target, "render/")) continue;
    // A figure says all there is to a picture: neither paper nor screen knows what it shows.
    if (!startsWith(i.file, "render/ink/") && !startsWith(i.file, "render/gl/")) continue;
    INFO(i.file << " includes " << i.target);
    CHECK(
        (startsWith(i.target, "render/figure/") || fs::path(i.target).parent_path() == fs::path(i.file).parent_path()));
  }
}

TEST_CASE(
    "inside app: which view shows which value; the engine and files; the library's front door and the language server; "
    "the command line or the "
    "session; its widgets, its panes, the window around them") {
  checkFloors("app/", {{"app/show/", 0},
                       {"app/engine/", 1},
                       {"app/files/", 1},
                       {"app/library/", 2},
                       {"app/lsp/", 2},
                       {"app/cli/", 3},
                       {"app/session/", 3},
                       {"app/widgets/", 4},
                       {"app/views/", 5},
                       {"app/gui/", 6},
                       {"app/desktop/", 7},
                       {"app/web/", 7},
                       {"app/main.cpp", 8}});
  for (const Include& i : allIncludes()) {
    if (!i.quoted) continue;
    INFO(i.file << " includes " << i.target);
    // The command line builds without the window, and the window's files run no command line.
    if (startsWith(i.file, "app/cli/"))
      CHECK((!startsWith(i.target, "app/") || startsWith(i.target, "app/cli/") || startsWith(i.target, "app/engine/") ||
             startsWith(i.target, "app/files/") || startsWith(i.target, "app/show/") ||
             startsWith(i.target, "app/lsp/")));
    if (startsWith(i.target, "app/cli/")) CHECK((startsWith(i.file, "app/cli/") || i.file == "app/main.cpp"));
    if (startsWith(i.file, "app/widgets/")) CHECK_FALSE(startsWith(i.target, "app/session/"));
  }
}

TEST_CASE("an archive needs those that CMakeLists.txt says and no other") {
  // Folder, archive; and what each archive depends on. Core's order of folders is checked above.
  const std::vector<std::pair<std::string, std::string>> archives = {
      {"core/hlo/", "hlo"},
      {"core/graphene/", "graphene"},
      {"core/codegen/", "codegen"},
      {"core/worksheet/", "worksheet"},
      {"core/paste/", "paste"},
      {"core/ptx/", "ptx"},
      {"core/sass/", "sass"},
      {"core/", "notation"},
      {"solver/kernel/", "kernel"},
      {"solver/prove/", "prove"},
      {"solver/emulate/", "emulate"},
      {"solver/", "run"},
      {"render/ink/", "ink"},
      {"render/gl/", "app"},
      {"render/", "draw"},
      {"app/show/", "show"},
  };
  const std::map<std::string, std::set<std::string>> sees = {
      {"notation", {}},
      {"hlo", {"notation"}},
      {"graphene", {"notation"}},
      {"codegen", {"graphene", "notation"}},
      {"worksheet", {"codegen", "graphene", "hlo", "notation"}},
      {"paste", {"worksheet", "codegen", "graphene", "hlo", "notation"}},
      {"prove", {"worksheet", "codegen", "graphene", "hlo", "notation"}},
      {"emulate", {"graphene", "notation"}},
      {"ptx", {"notation"}},
      {"sass", {"notation"}},
      {"kernel", {"ptx", "prove", "emulate", "worksheet", "codegen", "graphene", "hlo", "notation"}},
      {"run", {"kernel", "ptx", "prove", "emulate", "worksheet", "codegen", "graphene", "hlo", "notation"}},
      // A picture is of a layout, a report, a program or a module: values and statements are above it.
      {"draw", {"codegen", "graphene", "hlo", "notation"}},
      {"ink", {"draw", "codegen", "graphene", "hlo", "notation"}},
      {"show", {"draw", "worksheet", "codegen", "graphene", "hlo", "notation"}},
  };
  const auto archiveOf = [&](const std::string& path) {
    for (const auto& [folder, archive] : archives)
      if (startsWith(path, folder)) return archive;
    return std::string();
  };
  for (const Include& i : allIncludes()) {
    const std::string from = archiveOf(i.file), to = archiveOf(i.target);
    if (!i.quoted || sees.count(from) == 0 || from == to) continue;
    INFO(i.file << " includes " << i.target << ": " << from << " does not link " << to);
    CHECK(sees.at(from).count(to) == 1);
  }
}

TEST_CASE("the front door of layouts stands on core alone, and public headers on the standard library") {
  for (const Include& i : allIncludes()) {
    if (!i.quoted || !startsWith(i.file, "app/library/layout/")) continue;
    INFO(i.file << " includes " << i.target);
    CHECK((startsWith(i.target, "core/") || startsWith(i.target, "app/library/layout/")));
  }
  const std::set<std::string> light = {"cstdint",     "functional", "memory", "optional",        "string",
                                       "string_view", "utility",    "vector", "tessera/layout.h"};
  for (const char* header : {"include/tessera/layout.h", "include/tessera/tessera.h"}) {
    std::ifstream in(fs::path(TESSERA_SOURCE_DIR) / header);
    int lines = 0;
    for (std::string line; std::getline(in, line); ++lines) {
      std::smatch m;
      if (!std::regex_search(line, m, std::regex(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re"))) continue;
      INFO(header << " includes " << m[1].str());
      CHECK(light.count(m[1].str()) == 1);
    }
    CHECK(lines > 100);
    CHECK(lines <= 400);
  }
}

TEST_CASE("only a notation's own functions and views ask which notation a layout is") {
  // Everybody else reads its arrow (core/layout). A file here is one that shows or edits what one notation alone has.
  const std::set<std::string> own = {
      "core/analysis/access/tile.cpp",              // CuTe's swizzle on bytes needs the elements' width
      "core/worksheet/language/literals.cpp",       // the readers of literals
      "core/worksheet/statements/tiler_value.cpp",  // CuTe's tilers
      "core/codegen/index/index_code.cpp",          // CuTe's types
      "render/draw/subject.cpp",                    // the flow of CuTe's digits, and its swizzle alone
      "app/show/views.cpp",                         // which views are whose
      "app/views/pictures/layout_editor.cpp",       // XLA's layouts
      "app/views/inspector/inspector_facts.cpp",    // the swizzle's bits, an array's padding
  };
  const std::regex kAsks(
      R"(\b(as|is|holds)<(cute::(Layout|ComposedLayout|Swizzle)|(tla|axe|linear|triton|xla|indexing)::\w+)>|\bxla::shapeIn\()");
  int asked = 0;
  for (const char* layer :
       {"core/expr", "core/map", "core/layout", "core/analysis", "core/atlas", "core/hlo", "core/graphene",
        "core/codegen", "core/claim", "core/worksheet", "solver", "render", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / layer)) {
      const std::string file = fs::relative(entry.path(), TESSERA_SOURCE_DIR).generic_string();
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      if (startsWith(file, "core/worksheet/functions/") || startsWith(file, "render/draw/xla/") ||
          startsWith(file, "render/draw/placed/"))
        continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (line.find("//") == line.find_first_not_of(' ') || !std::regex_search(line, kAsks)) continue;
        ++asked;
        INFO(file << ": " << line);
        CHECK(own.count(file) == 1);
      }
    }
  }
  CHECK(asked > 0);
}

TEST_CASE("a function of the language asks only whether a layout is of its own notation") {
  // What all notations share is a row: of NotationOf<T> (core/layout/layout.h) or of a family (familyRowOf). A file
  // here holds functions whose meaning belongs to the notations beside it; in any spelling, no other is asked for.
  const std::map<std::string, std::set<std::string>> own = {
      {"access_over.cpp", {"cute"}},                     // a (thread, value) layout over a tile
      {"algebra.cpp", {"cute"}},                         // CuTe's algebra: plain, composed, a swizzle
      {"axe.cpp", {"axe", "linear", "triton", "cute"}},  // places; a swizzle over a tile, to_axe(L, axis)
      {"cute.cpp", {"cute"}},                            // the modes of a composed layout
      {"functions.cpp", {"cute"}},                       // an argument that is a plain CuTe layout
      {"equal_statement.cpp", {"graphene"}},
      {"graphene.cpp", {"graphene"}},
      {"hardware.cpp", {"cute"}},  // tma_mode(SWIZZLE)
      {"hlo.cpp", {"hlo"}},
      {"part_claims.cpp", {"hlo"}},
      {"programs.cpp", {"hlo", "graphene"}},
      {"run_statement.cpp", {"graphene"}},
      {"map.cpp", {"map", "indexing"}},  // only indexing maps have domains of their own
      {"tiles.cpp", {"hlo"}},            // what an instruction reads, or a map
      {"tla.cpp", {"tla"}},
      {"triton.cpp", {"triton", "axe"}},  // to_linear(X, shape), to_cute(X, shape)
      {"xla.cpp", {"xla"}},
  };
  const std::map<std::string, std::string> unqualified = {
      {"Arrow", "map"}, {"IndexingMap", "indexing"}, {"Tensor", "graphene"}, {"Part", "hlo"}, {"Listing", "hlo"}};
  const std::regex kAsks(
      R"re(\b(?:as|is|holds|held|get_if|get|holds_alternative)<(?:tessera::)?)re"
      R"re((?:(cute|tla|axe|linear|triton|xla|indexing|graphene|hlo)::)?)re"
      R"re((Layout|ComposedLayout|Swizzle|Composed|Mesh|Shape|Instruction|Arrow|IndexingMap|Tensor|Part|Listing)>)re"
      R"re(|(?:family|kind|noun)\(\) *[!=]= *"(\w+)"|[!=]= *NotationOf<(\w+)::)re");
  std::set<std::string> asking;
  int asked = 0;
  std::vector<fs::path> files;
  for (const char* folder : {"core/worksheet/functions", "core/worksheet/programs"})
    for (const auto& entry : fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / folder))
      files.push_back(entry.path());
  for (const fs::path& path : files) {
    const std::string file = path.filename().string();
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      for (std::sregex_iterator m(line.begin(), line.end(), kAsks), end; m != end; ++m) {
        std::string notation = (*m)[1].str() + (*m)[3].str() + (*m)[4].str();
        if (const auto alias = unqualified.find((*m)[2].str()); notation.empty() && alias != unqualified.end())
          notation = alias->second;
        if (notation.empty()) continue;  // std::get_if<Layout>: any notation
        ++asked;
        asking.insert(file);
        INFO(file << ": " << line);
        CHECK((own.count(file) == 1 && own.at(file).count(notation) == 1));
      }
    }
  }
  for (const auto& [file, notations] : own) {
    INFO(file << " asks nothing and needs no entry");
    CHECK(asking.count(file) == 1);
  }
  CHECK(asked <= 71);  // with the seven of programs and two of get_swizzle_portion; 102 before the rows
}

TEST_CASE("what passes values on does not include their alternatives") {
  // An edit of core/worksheet/value.h is not felt by those who hold a Shared<Value> (core/worksheet/any_value.h).
  for (const char* header : {"core/worksheet/worksheet.h", "core/worksheet/requests.h", "core/worksheet/any_value.h",
                             "core/worksheet/language/syntax.h", "core/worksheet/language/literals.h"}) {
    std::set<std::string> seen{header};
    std::vector<std::string> open{header};
    while (!open.empty()) {
      const std::string file = open.back();
      open.pop_back();
      for (const Include& i : allIncludes())
        if (i.quoted && i.file == file && seen.insert(i.target).second) open.push_back(i.target);
    }
    INFO(header);
    CHECK(seen.size() > 3);
    CHECK(seen.count("core/worksheet/value.h") == 0);
  }
}

TEST_CASE("a notation's names live in the namespace of its folder") {
  // core/notation/xla/shape.h declares tessera::xla::Shape. notation.{h,cpp} say what the notation is to everybody.
  const fs::path notations = fs::path(TESSERA_SOURCE_DIR) / "core/notation";
  const std::regex kOpens(R"(^namespace tessera(::(\w+))?)");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(notations)) {
    const fs::path file = fs::relative(entry.path(), notations);
    const std::string kind = file.extension().string();
    if (!file.has_parent_path() || (kind != ".h" && kind != ".cpp")) continue;
    ++files;
    std::ifstream in(entry.path());
    std::smatch match;
    int opened = 0;
    for (std::string line; std::getline(in, line);) {
      if (!std::regex_search(line, match, kOpens)) continue;
      ++opened;
      INFO(file.generic_string() << ": " << line);
      CHECK((match[2].str() == file.begin()->string() || (file.stem() == "notation" && match[2].str().empty())));
    }
    INFO(file.generic_string());
    CHECK(opened > 0);
  }
  CHECK(files > 50);
}

TEST_CASE("each outside library stays behind the folder that owns it") {
  struct Owner {
    const char* library;
    std::vector<const char*> folders;
  };
  const std::vector<Owner> owners = {
      {"z3", {"solver/prove/"}},
      {"cairo", {"render/ink/"}},
      {"CLI/", {"app/cli/"}},
      {"GLFW/", {"app/gui/", "app/desktop/"}},
      {"epoxy/", {"render/gl/", "app/desktop/"}},
      {"EGL/", {"app/desktop/"}},
      {"fontconfig/", {"app/desktop/"}},
      {"emscripten", {"app/web/"}},
      {"imgui", {"render/gl/", "app/widgets/", "app/gui/", "app/views/", "app/desktop/", "app/web/"}},
      {"nlohmann/", {"render/ink/", "app/"}},
  };
  for (const Include& i : allIncludes()) {
    if (i.quoted) continue;
    for (const Owner& o : owners) {
      if (!startsWith(i.target, o.library)) continue;
      bool allowed = false;
      for (const char* folder : o.folders) allowed = allowed || startsWith(i.file, folder);
      INFO(i.file << " includes <" << i.target << ">");
      CHECK(allowed);
    }
  }
}

TEST_CASE("a header includes what takes long to compile only for a reason") {
  // <memory> and <functional> are everywhere (docs/design/testing_and_time.md); these would add 5,000 to 50,000 lines.
  const std::regex kHeavy(
      "chrono|condition_variable|filesystem|format|fstream|future|iomanip|iostream|istream|locale|ostream|random|"
      "ranges|"
      "regex|sstream|thread|fmt/.*|nlohmann/.*|z3.*|CLI.*");
  const std::map<std::string, std::string> reasons = {
      {"app/engine/background.h chrono", "times of its steps"},
      {"app/engine/background.h condition_variable", "a member of Background"},
      {"app/engine/background.h thread", "a member of Background"},
      {"app/engine/evaluation.h condition_variable", "a member of Evaluation"},
      {"app/lsp/protocol.h nlohmann/json_fwd.hpp", "declares Json only; its users include this"},
      {"core/base/work_budget.h chrono", "the safety stop is a member"},
      {"core/hlo/ops/op.h fmt/format.h", "messages of a template; only core/hlo includes this"},
      {"render/figure/thinned.h thread", "a member of Thinned"},
      {"solver/emulate/machine/scheduler.h random", "the generator is passed on; only the emulator includes this"},
      {"solver/emulate/meaning_value.h fmt/format.h", "messages of a template; two sources include this"},
      {"solver/prove/z3/z3_check.h z3++.h", "Z3's types; only solver/prove/z3 includes this"},
      {"solver/prove/z3/z3_translate.h z3++.h", "Z3's types; only solver/prove/z3 includes this"},
  };
  std::set<std::string> found;
  for (const Include& i : allIncludes()) {
    if (i.quoted || fs::path(i.file).extension() != ".h" || !std::regex_match(i.target, kHeavy)) continue;
    INFO(i.file << " includes <" << i.target << ">");
    CHECK(reasons.count(i.file + " " + i.target) == 1);
    found.insert(i.file + " " + i.target);
  }
  CHECK(found.size() == reasons.size());  // a reason without its include goes
}

TEST_CASE("the core does no I/O and opens no window") {
  const std::set<std::string> forbidden = {"iostream",     "fstream", "filesystem", "thread",
                                           "GLFW/glfw3.h", "imgui.h", "z3++.h",     "cairo.h"};
  for (const Include& i : allIncludes()) {
    if (firstFolder(i.file) != "core") continue;
    INFO(i.file << " includes <" << i.target << ">");
    CHECK(forbidden.count(i.target) == 0);
  }
}

TEST_CASE("what is drawn by hand answers the mouse through ui::hitArea, which a pane without room cannot abort") {
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "app")) {
    if (entry.path().extension() != ".cpp" || entry.path().filename() == "ui.cpp") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (line.find("ImGui::InvisibleButton") != std::string::npos) FAIL_CHECK(entry.path().string() << ": " << line);
  }
}

TEST_CASE("a section banner is one line, so that no formatter broke it in two") {
  for (const char* layer : {"core", "solver", "render", "app", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / layer)) {
      const std::string ext = entry.path().extension().string();
      if (ext != ".h" && ext != ".cpp") continue;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        const bool dashes =
            line.size() > 10 && startsWith(line, "//") && line.find_first_not_of("/- ") == std::string::npos;
        if (dashes) FAIL_CHECK(entry.path().string() << ":" << number << " is half a banner");
      }
    }
  }
}
