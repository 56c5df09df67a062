// Exports: a parser can read every file, it contains everything in the picture, and nothing in it overlaps.
#include <sys/wait.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "app/show/show.h"
#include "core/atlas/atlas.h"
#include "render/figure/figure.h"
#include "render/figure/text_metrics.h"
#include "render/ink/ink.h"
#include "render/ink/page.h"
#include "tests/files/folder.h"
#include "tests/support/value_of.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

Figure figureOf(const std::string& text, const std::string& view, const std::string& name = "") {
  DrawOptions options;
  options.name = name;
  auto f = draw(valueOf(text), view, options);
  INFO(text << " as " << view);
  REQUIRE(f.ok());
  return *std::move(f);
}

std::string inked(const Figure& f, const char* format, const InkOptions& options = {}) {
  const auto bytes = ink(f, format, options);
  INFO(format << (bytes.ok() ? "" : ": " + bytes.error().message));
  REQUIRE(bytes.ok());
  return *bytes;
}

const std::vector<std::pair<const char*, const char*>>& samples() {
  static const std::vector<std::pair<const char*, const char*>> kSamples = {
      {"1:0", "grid"},
      {"(2,2):(1,2)", "grid"},
      {"(4,8):(8,1)", "grid"},
      {"((2,4),(3,2)):((3,24),(1,6))", "grid"},
      {"(2,3,4):(12,4,1)", "grid"},
      {"(4,2):(1,2)", "memory"},
      {"(3,4):(6,1)", "memory"},
      {"Sw<1,1,2> o 0 o (4,8):(8,1)", "flow"},
      {"Sw<1,1,2> o 0 o (4,8):(8,1)", "f2"},
      {"(4,8):(8,1)", "table"},
      {"atlas(mma.m16n8k16.f32.f16.f16.f32)", "instruction"},
      {"atlas(ldmatrix.x4)", "instruction"},
      {"wavefronts([0, 128, 256, 4, 8, null], 4)", "banks"},
      {"chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A)", "chain"},
      {"f32[3,5]{1,0:T(2,2)}", "tensor"},
      {"bf16[10,200]{1,0:T(8,128)(2,1)}", "tiles"},
      {"bf16[4,8]{0,1:T(2,4)(2,1)}", "address"},
      {"S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)", "threads"},
      {"(4096,4096):(4096,1)", "grid"},
      {"(100000,4):(4,1)", "grid"},
  };
  return kSamples;
}

// "" when the XML is well formed: every tag closed in order, every attribute quoted, no bare < or &.
std::string xmlFault(const std::string& s) {
  std::vector<std::string> open;
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (s[k] == '&') {
      const std::size_t end = s.find(';', k);
      const std::string name = end == std::string::npos ? "" : s.substr(k + 1, end - k - 1);
      if (!std::set<std::string>{"amp", "lt", "gt", "quot"}.count(name)) return "a bare & at " + std::to_string(k);
    }
    if (s[k] != '<') continue;
    std::size_t end = k + 1;
    bool quoted = false;
    for (; end < s.size() && (quoted || s[end] != '>'); ++end) {
      if (s[end] == '"') quoted = !quoted;
      if (s[end] == '<') return "a < within a tag at " + std::to_string(end);
    }
    if (end == s.size()) return "a tag without end";
    const std::string tag = s.substr(k + 1, end - k - 1), name = tag.substr(0, tag.find_first_of(" \n/", 1));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    k = end;
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

u64 bigEndian(const std::string& s, std::size_t at) {
  u64 v = 0;
  for (std::size_t k = at; k < at + 4; ++k) v = v << 8 | static_cast<unsigned char>(s.at(k));
  return v;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t c = 0xffffffffU;
  for (const char b : bytes) {
    c ^= static_cast<unsigned char>(b);
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320U ^ (c >> 1) : c >> 1;
  }
  return c ^ 0xffffffffU;
}

struct Png {
  u64 width = 0, height = 0;
  int colourType = -1;
  std::string fault;
};
Png pngOf(const std::string& s) {
  Png png;
  if (s.substr(0, 8) != "\x89PNG\r\n\x1a\n") return {0, 0, -1, "no signature"};
  for (std::size_t at = 8; at + 12 <= s.size();) {
    const u64 length = bigEndian(s, at);
    const std::string kind = s.substr(at + 4, 4);
    if (at + 12 + length > s.size()) return {0, 0, -1, "a chunk is cut off"};
    if (crc32(std::string_view(s).substr(at + 4, 4 + length)) != bigEndian(s, at + 8 + length))
      return {0, 0, -1, "the sum of " + kind + " is wrong"};
    if (kind == "IHDR") {
      png.width = bigEndian(s, at + 8);
      png.height = bigEndian(s, at + 12);
      png.colourType = static_cast<unsigned char>(s[at + 17]);
    }
    at += 12 + length;
    if (kind == "IEND") return at == s.size() ? png : Png{0, 0, -1, "something follows the end"};
  }
  return {0, 0, -1, "no end"};
}

// "" when the cross-reference table is where the end says, and every object where the table says.
std::string pdfFault(const std::string& s) {
  if (s.rfind("%PDF-", 0) != 0) return "no header";
  const std::size_t mark = s.rfind("startxref");
  if (mark == std::string::npos || s.rfind("%%EOF") == std::string::npos) return "no end";
  const std::size_t table = static_cast<std::size_t>(std::stoll(s.substr(mark + 9)));
  if (s.compare(table, 4, "xref") != 0) return "no table where the end says";
  std::istringstream in(s.substr(table + 4));
  long long first = 0, count = 0;
  in >> first >> count;
  for (long long k = 0; k < count; ++k) {
    long long offset = 0, generation = 0;
    char kind = ' ';
    in >> offset >> generation >> kind;
    const std::string head = std::to_string(first + k) + " 0 obj";
    if (kind == 'n' && s.compare(static_cast<std::size_t>(offset), head.size(), head) != 0)
      return "object " + std::to_string(k) + " is elsewhere";
  }
  return s.find("/Type /Page\n") != std::string::npos || s.find("/Type /Page ") != std::string::npos ? "" : "no page";
}

std::vector<std::vector<std::string>> csvOf(const std::string& s) {
  std::vector<std::vector<std::string>> lines{{""}};
  bool quoted = false;
  for (std::size_t k = 0; k < s.size(); ++k) {
    std::string& field = lines.back().back();
    if (quoted) {
      if (s[k] == '"' && k + 1 < s.size() && s[k + 1] == '"') {
        field += s[k++];
      } else if (s[k] == '"') {
        quoted = false;
      } else {
        field += s[k];
      }
    } else if (s[k] == '"') {
      quoted = true;
    } else if (s[k] == ',') {
      lines.back().emplace_back();
    } else if (s[k] == '\n') {
      lines.push_back({""});
    } else {
      field += s[k];
    }
  }
  lines.pop_back();
  return lines;
}

}  // namespace

TEST_CASE("every picture is a well-formed SVG, a whole PNG and a PDF that opens") {
  for (const auto& [text, view] : samples())
    for (const bool transparent : {false, true}) {
      const Figure f = figureOf(text, view, "a <name> & \"more\"");
      InkOptions options;
      options.transparent = transparent;
      INFO(text << " as " << view);
      CHECK(xmlFault(inked(f, "svg", options)) == "");
      if (!haveCairo()) continue;
      const Png png = pngOf(inked(f, "png", options));
      CHECK(png.fault == "");
      CHECK(png.colourType == (transparent ? 6 : 2));
      CHECK(png.width > 0);
      CHECK(pdfFault(inked(f, "pdf", options)) == "");
    }
}

TEST_CASE("a tiny scale gives a tiny picture, and it still decodes") {
  if (!haveCairo()) return;
  for (const auto& [text, view] : samples()) {
    const Figure f = figureOf(text, view);
    const Page page = makePage(f, {});
    InkOptions options;
    options.scale = 40 / std::max(page.width, page.height);
    const Png png = pngOf(inked(f, "png", options));
    INFO(text << " as " << view);
    CHECK(png.fault == "");
    CHECK(png.width <= 41);
    CHECK(png.height <= 41);
  }
}

TEST_CASE("no text of a page meets another, and none leaves the page") {
  for (const auto& [text, view] : samples())
    for (const char* name : {"", "a name that is far too long for the small picture below it, and goes on and on"}) {
      const Page page = makePage(figureOf(text, view, name), {});
      std::vector<std::pair<std::string, Rect>> texts;
      for (const Mark& m : page.marks) {
        if (m.kind != Mark::Kind::Text || m.text.empty()) continue;
        Rect r = extentOf(m);
        r.y += r.h * 0.2;  // the digits, not the line
        r.h *= 0.6;
        texts.emplace_back(m.text, r);
      }
      INFO(text << " as " << view << ", " << name);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto& [said, a] = texts[i];
        INFO(said);
        CHECK(a.x >= -0.5);
        CHECK(a.x + a.w <= page.width + 0.5);
        CHECK(a.y >= 0);
        CHECK(a.y + a.h <= page.height);
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
          const Rect& b = texts[j].second;
          const bool meets = a.x < b.x + b.w - 1 && b.x < a.x + a.w - 1 && a.y < b.y + b.h && b.y < a.y + a.h;
          if (meets) FAIL_CHECK(said << " meets " << texts[j].first);
        }
      }
      for (const PageGrid& g : page.grids)
        for (const auto* labels : {&g.labels, &g.seconds})
          for (const std::string& label : *labels)
            CHECK(textWidth(label, Face::Mono, g.labelSize * (labels == &g.labels ? 1 : kSecondLabel)) <= g.pitchX);
    }
}

TEST_CASE("CSV says of every cell what the picture says") {
  const Figure f = figureOf("atlas(mma.m16n8k16.f32.f16.f16.f32)", "instruction");
  const auto lines = csvOf(inked(f, "csv"));
  CHECK(lines.at(0) == std::vector<std::string>{"grid", "row", "column", "thread", "value", "holders"});
  std::size_t at = 0;
  for (const Grid& g : f.grids) {
    CHECK(lines.at(at).size() == 6);
    ++at;
    for (i64 r = 0; r < g.rows; ++r)
      for (i64 c = 0; c < g.cols; ++c, ++at) {
        const Cell cell = g.cells->cell(r, c);
        const auto& line = lines.at(at);
        REQUIRE(line.size() == 6);
        CHECK(line[0] == g.name);
        CHECK("T" + line[3] == cell.label);
        CHECK("V" + line[4] == cell.second);
      }
    ++at;  // a blank line
  }
  CHECK(lines.at(at) == std::vector<std::string>{"operand", "(thread, value) -> index"});

  const auto banks = csvOf(inked(figureOf("wavefronts([0, 128, 256, 4, 8, null], 4)", "banks"), "csv"));
  std::set<std::string> columns;
  for (const auto& line : banks) columns.insert(line.begin(), line.end());
  for (const char* name : {"phase", "bank", "words", "byte", "lanes", "wavefronts"}) CHECK(columns.count(name) == 1);

  // A matrix keeps its form, its cells both their lines.
  const auto memory = csvOf(inked(figureOf("(4,2):(1,2)", "memory"), "csv"));
  CHECK(memory.at(0).at(0).empty());
  std::set<std::string> said;
  for (const auto& line : memory) said.insert(line.begin(), line.end());
  CHECK(std::any_of(said.begin(), said.end(),
                    [](const std::string& s) { return s.find("\u00d72") != std::string::npos; }));
}

TEST_CASE("TikZ compiles, where TeX is at hand") {
  if (std::system("pdflatex --version >/dev/null 2>&1 && "
                  "kpsewhich tikz.sty amssymb.sty >/dev/null 2>&1") != 0) {
    WARN("skipped: no pdflatex with TikZ (texlive-latex-base texlive-pictures)");
    return;
  }
  const TestFolder own;
  const fs::path folder = own.path();
  for (const auto& [text, view] : samples()) {
    InkOptions options;
    options.transparent = view[0] == 'm';
    const std::string tex = inked(figureOf(text, view, "50 % of a_b & {c} ~ \u2192 \u00e4 \u4e2d"), "tex", options);
    if (tex.size() > 12'000) continue;  // seconds of TeX each
    std::ofstream(folder / "picture.tex") << tex;
    const int status = std::system(
        ("cd '" + folder.string() + "' && pdflatex -interaction=nonstopmode -halt-on-error picture.tex >log.txt 2>&1")
            .c_str());
    std::ifstream in(folder / "log.txt");
    std::string log{std::istreambuf_iterator<char>(in), {}};
    const std::size_t fault = log.find("\n!");
    INFO(text << " as " << view << (fault == std::string::npos ? "" : log.substr(fault, 300)));
    CHECK(status == 0);
  }
}
