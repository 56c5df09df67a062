// Words that must not appear in comments, strings (including messages) and documents. Each row has the standard term
// that replaces them. docs/glossary.md has the project's own terms.
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = TESSERA_SOURCE_DIR;

struct Row {
  const char* word;     // in each match, in lower case: lines without it are passed quickly
  const char* pattern;  // of the ECMAScript grammar
  const char* instead;
};

const Row kRows[] = {
    {"hang", R"(\bhangs? on\b)", "depends on"},
    {"told", R"(\btold\b)", "reported"},
    {"stand", R"(\bstands?\b(?! for))", "is, appears, comes after"},
    {"behind", R"(\bbehind\b)", "after, under, inside"},
    {"nobody", R"(\bnobody\b)", "no thread, not"},
    {"is known to", R"(\bnothing\b[^.]{0,30} is known to)", "state the fact"},
    {"whatever", R"(\bwhatever\b)", "any, for every"},
    {"is said", R"(\bis said (twice|below|above|once|here)\b)", "is given, is described"},
    {"the run knows", R"(\bthe run knows\b)", "run-time value"},
    {"way goes on", R"(\bway goes on\b)", "the successors are"},
    {"of the run", R"(\bnumbers? of the run\b)", "run-time value"},
    {"left away", R"(\bleft away\b)", "omitted, ignored"},
    {"suspicion", R"(\bsuspicion from intervals\b)", "an interval estimate"},
};

// Names that were replaced: a budget, a traversal, a cache, a cycle, a reason, a printer, a reference, a converse.
const Row kNames[] = {
    {"patience", R"(\b\w*Patience\w*\b)", "WorkBudget"},
    {"trail", R"(\b(class|struct) Trail\b)", "Traversal"},
    {"circle", R"(\b(class|struct) Circle\b)", "Cycle"},
    {"trouble", R"(\b(class|struct) Trouble\b)", "Reason"},
    {"teller", R"(\b(class|struct) \w*Teller\b)", "printer, builder"},
    {"struct", R"(\b(class|struct) (Stated|Meant)\b)", "reference, equation"},
    {"thereandback", R"(\bthereAndBack\w*\b)", "roundTrip"},
    {"everyfew", R"(\beveryFew\w*\b)", "strideFilter"},
};

std::string textOf(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// What a person reads of a source: its strings and comments (of a test, its comments); the rest is blank, so that lines
// keep their numbers. Includes are paths, not words.
std::string readable(const std::string& source, bool strings = true) {
  std::string out;
  for (std::size_t k = 0; k < source.size(); ++k) {
    const bool lineBegins = k == 0 || source[k - 1] == '\n';
    if (lineBegins && source.compare(k, 8, "#include") == 0) {
      while (k < source.size() && source[k] != '\n') ++k;
    }
    if (k >= source.size()) break;
    if (source.compare(k, 2, "//") == 0) {
      while (k < source.size() && source[k] != '\n') out += source[k++];
      if (k < source.size()) out += '\n';
    } else if (source.compare(k, 3, "'\"'") == 0) {
      k += 2;
    } else if (source.compare(k, 2, "R\"") == 0) {
      const std::size_t open = source.find('(', k);
      const std::string close = ")" + source.substr(k + 2, open - k - 2) + "\"";
      const std::size_t end = source.find(close, open);
      for (std::size_t c = open + 1; c < end; ++c) out += strings || source[c] == '\n' ? source[c] : ' ';
      k = end + close.size() - 1;
    } else if (source[k] == '"') {
      for (++k; k < source.size() && source[k] != '"'; ++k) {
        if (source[k] == '\\')
          ++k;
        else if (strings)
          out += source[k];
      }
      out += ' ';
    } else {
      out += source[k] == '\n' ? '\n' : ' ';
    }
  }
  return out;
}

std::vector<fs::path> below(const std::vector<std::string>& folders, const std::vector<std::string>& endings) {
  std::vector<fs::path> found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      for (const std::string& ending : endings)
        if (entry.path().extension() == ending) found.push_back(entry.path());
  return found;
}

void checkLines(const std::string& where, const std::string& text, const Row& row, const std::regex& pattern) {
  std::istringstream in(text);
  int number = 0;
  for (std::string line, lower; std::getline(in, line);) {
    ++number;
    lower = line;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::smatch match;
    if (lower.find(row.word) != std::string::npos && std::regex_search(line, match, pattern))
      FAIL_CHECK(where << ":" << number << ": \"" << match.str() << "\", better: " << row.instead);
  }
}

}  // namespace

TEST_CASE("what a person reads in a source is its strings and comments") {
  const std::string source = "#include \"behind.h\"\nint a;  // told\nauto s = \"stands \\\" here\";\nchar c = '\"';\n";
  CHECK(readable(source).find("behind") == std::string::npos);
  CHECK(readable(source).find("// told") != std::string::npos);
  CHECK(readable(source).find("stands  here") != std::string::npos);
  CHECK(readable(source, false).find("stands") == std::string::npos);
  CHECK(readable("f(R\"x(raw nobody)x\");\n").find("raw nobody") != std::string::npos);
}

TEST_CASE("comments, messages and documents use the standard terms") {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const fs::path& path : below({"app", "core", "solver", "render", "include", "assets"}, {".h", ".cpp"}))
    texts.emplace_back(fs::relative(path, kRoot).generic_string(), readable(textOf(path)));
  for (const fs::path& path : below({"tests"}, {".h", ".cpp"}))
    if (path.filename() != "words_test.cpp")
      texts.emplace_back(fs::relative(path, kRoot).generic_string(), readable(textOf(path), /*strings=*/false));
  for (const fs::path& path : below({"assets"}, {".tess", ".graphene"}))
    texts.emplace_back(fs::relative(path, kRoot).generic_string(), textOf(path));
  for (const fs::path& path : below({"docs", "core", "solver", "app", "render"}, {".md"}))
    texts.emplace_back(fs::relative(path, kRoot).generic_string(), textOf(path));
  for (const char* one : {"README.md", "CONTRIBUTING.md", "assets/manual.md"})
    texts.emplace_back(one, textOf(kRoot / one));
  for (const Row& row : kRows) {
    const std::regex pattern(row.pattern, std::regex::icase | std::regex::optimize);
    for (const auto& [where, text] : texts) checkLines(where, text, row, pattern);
  }
}

TEST_CASE("names use the standard terms") {
  for (const Row& row : kNames) {
    const std::regex pattern(row.pattern, std::regex::optimize);
    for (const fs::path& path : below({"app", "core", "solver", "render", "include"}, {".h", ".cpp"}))
      checkLines(fs::relative(path, kRoot).generic_string(), textOf(path), row, pattern);
  }
}
