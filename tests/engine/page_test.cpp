// A sheet as one HTML file.
#include "app/engine/report/page.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "app/engine/report/report.h"
#include "render/ink/html.h"

using namespace tessera;

namespace {

ReportInput inputOf(const std::string& text) {
  ReportInput input;
  input.text = text;
  Scope scope;
  EngineOptions options;
  for (const Statement& s : splitStatements(text))
    input.outcomes.push_back(std::make_shared<const Outcome>(runStatement(s, scope, options)));
  return input;
}

std::string pageOf(const std::string& text) { return htmlOf("sheet", partsOf(inputOf(text))); }

// FIPS 180-4, in base 64.
std::string sha256(std::string text) {
  // The fractional parts of the cube roots and square roots of the first primes.
  std::array<std::uint32_t, 64> k{};
  std::array<std::uint32_t, 8> h{};
  std::size_t found = 0;
  for (int p = 2; found < k.size(); ++p) {
    bool prime = true;
    for (int d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
    if (!prime) continue;
    const long double cube = cbrtl(p), square = sqrtl(p);
    k[found] = static_cast<std::uint32_t>((cube - floorl(cube)) * 4294967296.0L);
    if (found < h.size()) h[found] = static_cast<std::uint32_t>((square - floorl(square)) * 4294967296.0L);
    ++found;
  }
  const std::uint64_t bits = text.size() * 8;
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (int b = 56; b >= 0; b -= 8) text += static_cast<char>(bits >> b);
  for (std::size_t at = 0; at < text.size(); at += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 64; ++t) {
      if (t < 16) {
        for (std::size_t b = 0; b < 4; ++b) w[t] = w[t] << 8 | static_cast<unsigned char>(text[at + 4 * t + b]);
        continue;
      }
      const std::uint32_t x = w[t - 15], y = w[t - 2];
      w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[t - 7] +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
    }
    std::array<std::uint32_t, 8> s = h;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t one = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[t] + w[t];
      const std::uint32_t two = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                                ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) h[i] += s[i];
  }
  std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", out;
  std::vector<int> binary;
  for (const std::uint32_t word : h)
    for (int b = 31; b >= 0; --b) binary.push_back(static_cast<int>(word >> b & 1));
  for (std::size_t i = 0; i < binary.size(); i += 6) {
    int v = 0;
    for (std::size_t b = i; b < i + 6; ++b) v = 2 * v + (b < binary.size() ? binary[b] : 0);
    out += digits[static_cast<std::size_t>(v)];
  }
  return out + "=";
}

// The tags of a page in order, with the names of their attributes.
std::vector<std::string> tagsOf(const std::string& page) {
  std::vector<std::string> out;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    std::string tag;
    bool quoted = false, value = false;
    for (++at; at < page.size() && (quoted || page[at] != '>'); ++at) {
      if (page[at] == '"') quoted = !quoted;
      if (page[at] == '=') value = true;
      if (!quoted && (page[at] == ' ' || page[at] == '\n')) value = false;
      if (!quoted && !value) tag += page[at];
    }
    out.push_back(tag);
    // Neither is markup.
    if (tag == "script" || tag == "style") at = page.find("</" + tag + ">", at);
    if (at == std::string::npos) break;
  }
  return out;
}

Figure labelled(const std::string& text) {
  class Source final : public CellSource {
   public:
    explicit Source(std::string label) : label_(std::move(label)) {}
    [[nodiscard]] Cell cell(i64, i64) const override { return {label_, label_, {Role::Group}, {}}; }
    [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point, int) const override { return {}; }
    [[nodiscard]] std::string rowHeader(i64) const override { return label_; }
    [[nodiscard]] std::string colHeader(i64) const override { return label_; }

   private:
    std::string label_;
  };
  Figure figure;
  figure.title = figure.subtitle = figure.caption = text;
  figure.badges = {{text}};
  figure.width = 1800;
  figure.height = 200;
  figure.grids = {makeGrid(text, 2, 2, std::make_shared<Source>(text), 900, 60, 2)};
  figure.grids[0].rowTitle = figure.grids[0].colTitle = text;
  addText(figure, 5, 150, text, 11, Face::Sans, Role::Text);
  return figure;
}

std::string pageWith(const std::string& text) {
  Verdict verdict;
  verdict.truth = Truth::Refuted;
  verdict.claim = verdict.method = verdict.detail = text;
  using Kind = ReportPart::Kind;
  std::vector<ReportPart> parts;
  for (const Kind kind : {Kind::Prose, Kind::Code, Kind::Error, Kind::Value}) parts.push_back({kind, text});
  parts.push_back({Kind::Prose, "# " + text + "\n\n- `" + text + "`\n- **" + text + "**"});
  parts.push_back({Kind::Verdict, "", verdict});
  parts.push_back({Kind::Task, text, verdict, false});
  parts.push_back({Kind::Picture, "", std::nullopt, false, std::make_shared<const Figure>(labelled(text))});
  return htmlOf(text, parts);
}

// The points of a picture: those of each square of each grid.
std::vector<std::vector<std::set<std::string>>> decoded(const std::string& json) {
  std::vector<std::string> domains;
  for (std::size_t at = json.find("\"d\":[") + 5; json[at] == '"' || json[at] == ','; ++at) {
    if (json[at] == ',') continue;
    const std::size_t end = json.find('"', at + 1);
    domains.push_back(json.substr(at + 1, end - at - 1));
    at = end;
  }
  std::vector<std::vector<std::set<std::string>>> out;
  std::string domain;
  const auto number = [](const std::string& word) { return static_cast<i64>(std::stoll(word, nullptr, 36)); };
  const auto split = [](const std::string& text, char by) {
    std::vector<std::string> parts(1);
    for (const char c : text)
      if (c == by)
        parts.emplace_back();
      else
        parts.back() += c;
    return parts;
  };
  const auto point = [&](std::string word) {
    if (const std::size_t colon = word.find(':'); colon != std::string::npos) {
      domain = domains.at(static_cast<std::size_t>(std::stoi(word.substr(0, colon))));
      word = word.substr(colon + 1);
    }
    return number(word);
  };
  for (std::size_t at = json.find("\"c\":"); at != std::string::npos; at = json.find("\"c\":", at + 1)) {
    const i64 columns = std::stoll(json.substr(at + 4));
    const std::size_t begin = json.find("\"p\":\"", at) + 5;
    auto& squares = out.emplace_back();
    for (const std::string& row : split(json.substr(begin, json.find('"', begin) - begin), '|')) {
      if (const std::size_t step = row.find('~'); step != std::string::npos) {
        const i64 first = point(row.substr(0, step));
        for (i64 c = 0; c < columns; ++c)
          squares.push_back({domain + ":" + std::to_string(first + c * number(row.substr(step + 1)))});
        continue;
      }
      for (const std::string& cell : split(row, ' ')) {
        auto& names = squares.emplace_back();
        if (cell.empty()) continue;
        for (const std::string& word : split(cell, '.')) {
          const i64 index = point(word);
          names.insert(domain + ":" + std::to_string(index));
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a page has the parts of the sheet in order") {
  const std::string page = pageOf(
      "// # Swizzles\n// Rows of `64`.\nS = Sw<3,3,3> o (64,64):(64,1)\nprove injective(S)\nsize(S)\n"
      "show S as grid\nsize(T)\n");
  std::size_t at = 0;
  for (const char* piece : {"<h1>Swizzles</h1>", "<p>Rows of <code>64</code>.", "<pre><code>S = Sw&lt;3,3,3&gt; o",
                            "proved</b> <code>injective(S)</code>", "= 4096", "<figure ", "<b>S as grid</b>", "<svg ",
                            "size(T)", "error</b>"}) {
    const std::size_t found = page.find(piece, at);
    INFO(piece);
    REQUIRE(found != std::string::npos);
    at = found + 1;
  }
  CHECK(pageOf("show (4,8)") == pageOf("show (4,8)"));
}

TEST_CASE("prose is read as in the window") {
  const std::string page = pageOf(
      "// # 1  Title\n// Groups of `2^3` stay *together*,\n// and i * 8 + j * 2 is **kept**; see [banks](x.tess).\n//\n"
      "// - one\n//   thing\n// - two\n// 1. first\n// 2. second\n//\n//     for (i = 0; i < 4; ++i)\n//       "
      "f(i);\nsize(4)\n");
  for (const char* piece :
       {"<h1>1  Title</h1>",
        "<p>Groups of <code>2^3</code> stay <em>together</em>,\nand i * 8 + j * 2 is <b>kept</b>; see banks.</p>",
        "<ul><li>one\nthing</li>\n<li>two</li></ul>",
        "<ol><li value=\"1\">first</li>\n<li value=\"2\">second</li></ol>",
        "<pre>    for (i = 0; i &lt; 4; ++i)\n      f(i);</pre>"}) {
    INFO(piece << "\n" << page.substr(page.find("<body>"), 1200));
    CHECK(page.find(piece) != std::string::npos);
  }
}

TEST_CASE("no text of a sheet becomes markup or script") {
  REQUIRE(sha256("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  CHECK(sha256(std::string(page::kScript)) == page::kScriptHash);
  const std::string plain = pageWith("plain");
  CHECK(plain.find(page::kScriptHash) != std::string::npos);
  const std::vector<std::string> expected = tagsOf(plain);
  CHECK(expected.size() > 60);
  for (const char* hostile :
       {"<script>alert(1)</script>", "</script><script>alert(1)", "</style><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>", "' onmouseover='alert(1)", "</code></pre><b>", "&lt;script&gt;", "<!--", "]]>",
        "javascript:alert(1)", "a\" b=\"c", "<", "\xff\xfe<\x01", "@text</title>"}) {
    INFO(hostile);
    CHECK(tagsOf(pageWith(hostile)) == expected);
    const std::string sheet = std::string("// ") + hostile + "\n(4,8)\nshow (4,8) as grid\n";
    const std::string same = "// x\n(4,8)\nshow (4,8) as grid\n";
    CHECK(tagsOf(pageOf(sheet)) == tagsOf(pageOf(same)));
  }
}

TEST_CASE("the squares of a page have the points of the cells") {
  for (const char* text : {"show (4,8):(8,1) as grid", "show Sw<3,3,3> o (64,64):(64,1) as banks f16",
                           "show ldmatrix.x4", "show (4,8):(8,1) as memory", "show (2,3,4) as grid"}) {
    INFO(text);
    const ReportInput input = inputOf(text);
    REQUIRE(input.outcomes.front()->figure);
    const Figure& figure = *input.outcomes.front()->figure;
    Tones tones(Theme::Light, Theme::Dark);
    const auto grids = decoded(htmlPicture(figure, tones, "a").points);
    REQUIRE(grids.size() == figure.grids.size());
    for (std::size_t g = 0; g < grids.size(); ++g) {
      const Grid& grid = figure.grids[g];
      REQUIRE(static_cast<i64>(grids[g].size()) == grid.rows * grid.cols);
      for (i64 k = 0; k < grid.rows * grid.cols; ++k) {
        std::set<std::string> points;
        for (const Point& p : pointsOf(grid.cells->cell(k / grid.cols, k % grid.cols)))
          points.insert(fmt::format("{:x}:{}", p.domain, p.index));
        CHECK(grids[g][static_cast<std::size_t>(k)] == points);
      }
    }
  }
}

TEST_CASE("a page names each pair of colours once, for both themes") {
  const std::string page = pageOf("show (8,8):(8,1) as grid\nprove injective((4,4):(1,1))\n");
  std::set<std::string> used, light;
  for (std::size_t at = page.find("var(--c"); at != std::string::npos; at = page.find("var(--c", at + 1))
    used.insert(page.substr(at + 4, page.find(')', at) - at - 4));
  const std::size_t begin = page.find("color-scheme:light;"), end = page.find('}', begin);
  for (std::size_t at = page.find("--c", begin); at < end; at = page.find("--c", at + 1))
    light.insert(page.substr(at, page.find(':', at) - at));
  CHECK(used == light);
}

TEST_CASE("a tile of 128 x 64 with four views is a page of at most 1 MB") {
  const std::string page = pageOf(
      "S = Sw<3,3,3> o (128,64):(64,1)\nshow S as grid\nshow S as memory\nshow S as banks f16\nshow S as table\n"
      "show S as f2\nprove injective(S)\n");
  CHECK(page.find("error</b>") == std::string::npos);
  CHECK(page.size() <= 1'000'000);
  CHECK(page.size() > 100'000);
}
