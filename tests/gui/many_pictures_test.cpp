// A sheet with thousands of pictures draws only those near the visible part. The others keep their places.
#include <catch2/catch.hpp>

#include "tests/gui/app.h"

using namespace tessera;

namespace {

constexpr int kPictures = 400;

// Pictures of several heights, in no order.
std::string sheet() {
  std::string text;
  for (int k = 0; k < kPictures; ++k)
    text += "show (" + std::to_string(2 + k * 7 % 40) + "," + std::to_string(3 + k % 5) + ") as grid\n";
  return text;
}

// The pictures that were drawn, from the first to the last, by their numbers in the sheet.
std::vector<int> drawn() {
  std::vector<int> out;
  for (int k = 0; k < kPictures; ++k)
    if (ui::places().count("figure." + std::to_string(k) + ".picture") != 0) out.push_back(k);
  return out;
}

float topOf(int k) { return ui::places().at("figure." + std::to_string(k) + ".picture").y; }

}  // namespace

TEST_CASE("of many pictures those near the window are drawn") {
  App app;
  app.session.document().replace(0, 0, sheet());
  app.session.touch();
  app.settle();
  app.frame(5);
  CHECK(drawn().size() < 40);
  CHECK(drawn().front() == 0);
  for (const int line : {200, 399, 57, 201}) {
    INFO(line);
    app.state.canvas.scrollToLine = line + 1;
    app.frame(8);
    REQUIRE(ui::places().count("figure." + std::to_string(line) + ".picture") == 1);
    const float top = topOf(line);
    CHECK(top >= 0);
    CHECK(top < 1000);
    CHECK(drawn().size() < 60);
    for (const int k : drawn()) CHECK(std::abs(k - line) < 60);
    app.frame(8);  // what comes to be known of those above does not move it
    CHECK(topOf(line) == top);
  }
}

TEST_CASE("few pictures are all drawn") {
  App app;
  std::string text;
  for (int k = 0; k < 12; ++k) text += "show (4," + std::to_string(k + 2) + ") as grid\n";
  app.session.document().replace(0, 0, text);
  app.session.touch();
  app.settle();
  CHECK(drawn().size() == 12);
}
