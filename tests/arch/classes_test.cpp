// Classes stay small enough to understand: at most 40 member functions and 14 data members, and no header is a piece of a class
// body. The table lists the classes that are larger, with their sizes: they may shrink and must not grow, and a row whose class
// is within the limits is an error.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr int kMostFunctions = 40, kMostMembers = 14;

struct Size {
  int functions = 0, members = 0;
};

// Comments, strings and preprocessor lines as blanks.
std::string bare(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text.compare(k, 2, "//") == 0 || (text[k] == '#' && (k == 0 || text[k - 1] == '\n'))) {
      while (k < text.size() && text[k] != '\n') ++k;
      out += '\n';
    } else if (text.compare(k, 2, "/*") == 0) {
      k = std::min(text.find("*/", k + 2), text.size()) + 1;
    } else if (text.compare(k, 2, "R\"") == 0) {
      const std::size_t open = text.find('(', k);
      k = text.find(")" + text.substr(k + 2, open - k - 2) + "\"", open);
      k = text.find('"', k);
    } else if (text[k] == '"' ||
               (text[k] == '\'' && !(k > 0 && std::isdigit(static_cast<unsigned char>(text[k - 1]))))) {
      const char quote = text[k];
      for (++k; k < text.size() && text[k] != quote; ++k)
        if (text[k] == '\\') ++k;
      out += "0";
    } else {
      out += text[k];
    }
  }
  return out;
}

// Past the bracket that opens at `at`.
std::size_t pastBracket(const std::string& text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ')' || text[at] == ']')
      if (--depth == 0) return at + 1;
  }
  return text.size();
}

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The first word at or after `at`.
std::string wordAt(const std::string& text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  std::size_t end = at;
  while (end < text.size() && isWordChar(text[end])) ++end;
  return text.substr(at, end - at);
}

// Adds one member declaration: everything up to its `;` or the end of its body, bodies as {}.
void count(std::string declaration, Size& size) {
  for (const std::string access : {"public:", "private:", "protected:"})
    for (std::size_t at; (at = declaration.find(access)) != std::string::npos;) declaration.erase(at, access.size());
  const std::string first = wordAt(declaration, 0);
  if (first.empty() && declaration.find('~') == std::string::npos && declaration.find('[') == std::string::npos) return;
  for (const std::string none : {"using", "friend", "typedef", "static_assert", "enum", "class", "struct"})
    if (first == none) return;
  // Without what is inside of angle brackets, parentheses, and initialisers.
  std::string flat;
  int angles = 0, commas = 0;
  bool function = declaration.find("operator") != std::string::npos;
  for (std::size_t k = 0; k < declaration.size() && !function; ++k) {
    const char c = declaration[k];
    if (c == '<') ++angles;
    if (c == '>' && angles > 0) --angles;
    if (angles > 0) continue;
    if (c == '[') {
      k = pastBracket(declaration, k) - 1;
      continue;
    }
    if (c == '{' || c == '=') {  // the initialiser of a data member, to the next declarator
      for (; k < declaration.size() && declaration[k] != ','; ++k)
        if (declaration[k] == '{' || declaration[k] == '(' || declaration[k] == '[')
          k = pastBracket(declaration, k) - 1;
      --k;
      continue;
    }
    if (c == '(') {
      function = true;
    } else if (c == ',') {
      ++commas;
    }
    flat += c;
  }
  if (function) {
    ++size.functions;
    return;
  }
  if (flat.find("static") != std::string::npos || wordAt(flat, 0).empty()) return;
  size.members += 1 + commas;
}

struct Found {
  std::string name;
  Size size;
};

// Every class and struct of the text; nested ones count for themselves.
std::vector<Found> classesIn(const std::string& text) {
  std::vector<Found> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool isClass = text.compare(at, 6, "class ") == 0, isStruct = text.compare(at, 7, "struct ") == 0;
    if ((!isClass && !isStruct) || (at > 0 && isWordChar(text[at - 1]))) continue;
    if (at >= 5 && text.compare(at - 5, 5, "enum ") == 0) continue;
    const std::string name = wordAt(text, at + (isClass ? 6 : 7));
    std::size_t open = at;
    while (open < text.size() && text[open] != '{' && text[open] != ';' && text[open] != '(' && text[open] != ')')
      ++open;
    if (name.empty() || open >= text.size() || text[open] != '{') continue;
    if (text.substr(at, open - at).find('>') != std::string::npos &&
        text.substr(at, open - at).find('<') == std::string::npos)
      continue;  // template <class T> ...: the parameter
    const std::size_t end = pastBracket(text, open) - 1;
    Found one{name, {}};
    std::string declaration;
    for (std::size_t k = open + 1; k < end; ++k) {
      if (text[k] == '(' || text[k] == '[') {
        const std::size_t past = pastBracket(text, k);
        declaration += text.substr(k, past - k);
        k = past - 1;
      } else if (text[k] == '{') {
        const std::size_t past = pastBracket(text, k);
        declaration += "{}";
        k = past - 1;
        // The body of a function ends its declaration; an initialiser is followed by `;`, `,` or the body.
        const std::size_t next = text.find_first_not_of(" \n", past);
        if (declaration.find('(') != std::string::npos && std::string(";,{").find(text[next]) == std::string::npos) {
          count(declaration, one.size);
          declaration.clear();
        }
      } else if (text[k] == ';') {
        count(declaration, one.size);
        declaration.clear();
      } else {
        declaration += text[k];
      }
    }
    found.push_back(std::move(one));
  }
  return found;
}

Size sizeIn(const std::string& text) {
  const std::vector<Found> found = classesIn(bare(text));
  REQUIRE(!found.empty());
  return found.front().size;
}

// Larger than the limits.
struct Large {
  const char* name;
  int functions, members;
};
const std::vector<Large> kLarge = {
    {"app/gui/panes/sheet_compare.h SheetCompare", 4, 24},
    {"app/gui/commands.h WindowState", 0, 20},
    {"app/views/editor/editor.h EditorState", 1, 36},
    {"app/views/pictures/canvas.h CanvasState", 0, 17},
    {"app/engine/engine.h Outcome", 1, 15},
    {"app/session/session.h Session", 59, 38},
    {"app/cli/commands.h MeasureCommandOptions", 0, 19},
    {"core/hlo/text/read.cpp ModuleReader", 45, 5},
    {"core/worksheet/language/expression_parser.h ExpressionParser", 51, 7},
    {"core/graphene/reader/program_reader.h ProgramReader", 76, 15},
    {"core/graphene/atoms/atom.h Atom", 0, 19},
    {"core/codegen/kernel/kernel_writer.h KernelWriter", 84, 31},
    {"core/analysis/prediction.h PredictionRow", 0, 17},
    {"solver/graphene/running/run_kernel.cpp Run", 27, 15},
    {"solver/graphene/values/algebra.h Algebra", 29, 15},
    {"solver/emulate/machine.h Machine", 103, 29},
    {"solver/emulate/machine.h Warp", 0, 25},
    {"solver/emulate/plan.h PlanOperand", 0, 16},
    {"solver/measure/emulated.h Emulated", 0, 15},
    {"solver/measure/report/comparison.h ComparisonRow", 0, 22},
    {"solver/measure/runner.h Measurement", 0, 15},
    {"render/draw/subject.h Subject", 9, 16},
    {"render/figure/figure.h Grid", 1, 16},
    {"render/figure/figure.h Figure", 0, 17},
    {"render/ink/page.h PageGrid", 4, 19},
};

}  // namespace

TEST_CASE("members are counted whatever their spelling") {
  const auto is = [](const std::string& text, int functions, int members) {
    INFO(text);
    const Size size = sizeIn(text);
    CHECK(size.functions == functions);
    CHECK(size.members == members);
  };
  is("struct A {\n  int a = 0, b = 1;  // c, d\n  std::map<int, int> m;\n};", 0, 3);
  is("class A {\n public:\n  A() : a_{1} {}\n  ~A() = default;\n  [[nodiscard]] int f(int x, int y) const { return "
     "{x}; }\n\n private:\n  int a_{0};\n};",
     3, 1);
  is("struct A {\n  static constexpr int kMost = 3;\n  using B = int;\n  friend class C;\n  bool operator==(const A&) "
     "const = default;\n};",
     1, 0);
  is("struct A {\n  struct B {\n    int x, y;\n  };\n  std::vector<B> all = {{1, 2}, {3, 4}};\n  enum class E { One, "
     "Two };\n  E e = E::One;\n};",
     0, 2);
  is("template <class T>\nstruct A {\n  T value;\n  template <class U>\n  void f(U u);\n  std::array<i64, 3> x{}, "
     "y{};\n};",
     1, 3);
  is("struct A {\n  double (*value)(double, double);\n  int after = f(1, 2);\n};", 1,
     1);  // a pointer to a function counts as one
}

TEST_CASE("no class is larger than it was, and new ones are small") {
  std::map<std::string, Size> large;
  for (const char* layer : {"app", "core", "solver", "render", "include"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / layer)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream in(entry.path());
      std::ostringstream text;
      text << in.rdbuf();
      for (const Found& one : classesIn(bare(text.str()))) {
        if (one.size.functions <= kMostFunctions && one.size.members <= kMostMembers) continue;
        const std::string file = fs::relative(entry.path(), TESSERA_SOURCE_DIR).generic_string();
        const std::string name = file + " " + one.name;
        large[name] = one.size;
        const auto row = std::find_if(kLarge.begin(), kLarge.end(), [&](const Large& l) { return l.name == name; });
        INFO(name << ": " << one.size.functions << " functions, " << one.size.members << " data members");
        if (row == kLarge.end()) {
          FAIL_CHECK("at most " << kMostFunctions << " functions and " << kMostMembers << " data members");
          continue;
        }
        CHECK(one.size.functions <= std::max(row->functions, kMostFunctions));
        CHECK(one.size.members <= std::max(row->members, kMostMembers));
      }
    }
  for (const Large& row : kLarge) {
    INFO(row.name << " is within the limits, or gone: remove its row");
    CHECK(large.count(row.name) == 1);
  }
}

TEST_CASE("no header is a piece of a class body") {
  // Such a header closes brackets that another one opens, or opens no namespace.
  for (const char* layer : {"app", "core", "solver", "render", "include"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / layer)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      std::ostringstream text;
      text << in.rdbuf();
      const std::string code = bare(text.str());
      INFO(entry.path().string());
      CHECK(std::count(code.begin(), code.end(), '{') == std::count(code.begin(), code.end(), '}'));
      CHECK((code.find("namespace tessera") != std::string::npos || text.str().find("#define") != std::string::npos));
    }
}
