// Badges stay inside their width and reach every ink. Bands cover all rows once.
#include <atomic>
#include <catch2/catch.hpp>

#include "render/figure/figure.h"
#include "render/figure/thinned.h"
#include "render/ink/ink.h"

using namespace tessera;

namespace {

Figure withBadges() {
  Figure figure;
  figure.title = "Tiles";
  figure.badges = {{"S(1) VMEM (TPU)", Role::Accent}, {"bf16, 16 bit a slot"}, {"34.9 % padding", Role::Refuted}};
  return figure;
}

}  // namespace

TEST_CASE("badges stand in lines no wider than they may be, in order, without overlap") {
  const std::vector<FigureBadge> badges = withBadges().badges;
  for (const double width : {1000.0, 300.0, 200.0, 10.0}) {
    CAPTURE(width);
    std::vector<Mark> marks;
    const double height = addBadges(marks, badges, 5, 7, width);
    REQUIRE(marks.size() == 2 * badges.size());  // a box and its text each
    const Rect* before = nullptr;
    for (std::size_t k = 0; k < badges.size(); ++k) {
      const Mark &box = marks[2 * k], &text = marks[2 * k + 1];
      CHECK(text.text == badges[k].text);
      CHECK(text.rect.x > box.rect.x);
      CHECK(box.rect.y + box.rect.h <= 7 + height);
      const bool alone = box.rect.x == 5;
      CHECK((alone || box.rect.x + box.rect.w <= 5 + width));
      if (before != nullptr) CHECK((box.rect.y >= before->y + before->h || box.rect.x >= before->x + before->w));
      before = &box.rect;
    }
    CHECK((marks.back().rect.y > marks[1].rect.y) == (width < 400));  // 1000 takes one line, the others more
  }
  std::vector<Mark> none;
  CHECK(addBadges(none, {}, 0, 0, 100) == 0);
  CHECK(none.empty());
}

TEST_CASE("badges reach svg, text and JSON, and a frameless picture leaves them out") {
  const Figure figure = withBadges();
  for (const char* format : {"svg", "txt", "json"}) {
    CAPTURE(format);
    const auto bytes = ink(figure, format, {});
    REQUIRE(bytes.ok());
    for (const FigureBadge& badge : figure.badges) CHECK_THAT(*bytes, Catch::Matchers::Contains(badge.text));
  }
  InkOptions bare;
  bare.frame = false;
  CHECK_THAT(*ink(figure, "svg", bare), !Catch::Matchers::Contains("VMEM"));
}

TEST_CASE("bands cover every row once, however many are asked for") {
  for (const i64 count : {0, 1, 3, 7, 1000})
    for (const i64 most : {-1, 0, 1, 2, 5, 1000}) {
      CAPTURE(count, most);
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      inBands(count, most, [&](i64 from, i64 to) {
        for (i64 r = from; r < to; ++r) ++seen[static_cast<std::size_t>(r)];
      });
      CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
    }
}
