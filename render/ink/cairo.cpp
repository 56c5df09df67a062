// PNG and PDF through Cairo. Fonts come from fontconfig: Inter and JetBrains Mono, otherwise the system's sans-serif
// and monospace (a "mono" family in which i and M differ in width is a substitute and is not used).

#include "render/ink/page.h"

#ifdef TESSERA_HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kMaxPixels = 36e6;  // 144 MB of pixels
constexpr double kMaxSide = 12000;
constexpr double kMaxPdfSide = 14400;  // points; the limit of PDF readers

void setColour(cairo_t* c, Rgba v) { cairo_set_source_rgba(c, v.r / 255.0, v.g / 255.0, v.b / 255.0, v.a / 255.0); }

bool isMonospaced(cairo_t* c) {
  cairo_text_extents_t narrow, wide;
  cairo_text_extents(c, "i", &narrow);
  cairo_text_extents(c, "M", &wide);
  return std::abs(narrow.x_advance - wide.x_advance) < 0.01 * wide.x_advance;
}

void roundedPath(cairo_t* c, const Rect& r, double radius) {
  const double k = std::min({radius, r.w / 2, r.h / 2});
  if (k <= 0.05) {
    cairo_rectangle(c, r.x, r.y, r.w, r.h);
    return;
  }
  const double pi = 3.14159265358979323846;
  cairo_new_sub_path(c);
  cairo_arc(c, r.x + r.w - k, r.y + k, k, -pi / 2, 0);
  cairo_arc(c, r.x + r.w - k, r.y + r.h - k, k, 0, pi / 2);
  cairo_arc(c, r.x + k, r.y + r.h - k, k, pi / 2, pi);
  cairo_arc(c, r.x + k, r.y + k, k, pi, 3 * pi / 2);
  cairo_close_path(c);
}

class Painter {
 public:
  Painter(cairo_t* c, const Page& page, double scale) : c_(c), page_(page), scale_(scale) {
    cairo_font_options_t* o = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(c_, o);
    cairo_font_options_destroy(o);
    cairo_set_font_size(c_, 10);
    cairo_select_font_face(c_, kMonoFamily, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    mono_ = isMonospaced(c_) ? kMonoFamily : "monospace";
  }

  void paint() {
    if (!page_.transparent) {
      setColour(c_, canvas(page_.theme));
      cairo_paint(c_);
    }
    for (const PageGrid& g : page_.grids) grid(g);
    for (const Mark& m : page_.marks) mark(m);
  }

 private:
  void setFace(Face face, double size) {
    if (face == face_ && size == size_) return;
    face_ = face;
    size_ = size;
    const char* family = isMono(face) ? mono_ : face == Face::SansMedium ? "Inter Medium" : kSansFamily;
    cairo_select_font_face(c_, family, CAIRO_FONT_SLANT_NORMAL,
                           face == Face::MonoBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c_, size);
  }

  // y is the vertical centre.
  void text(double x, double y, const std::string& raw, double size, Face face, Align align, Rgba colour) {
    if (raw.empty()) return;
    const std::string s = cleaned(raw);
    setFace(face, size);
    setColour(c_, colour);
    if (align != Align::Left) {
      double w = 0.6 * size * static_cast<double>(countCodePoints(s));
      if (!isMono(face) || mono_ != kMonoFamily) {
        cairo_text_extents_t e;
        cairo_text_extents(c_, s.c_str(), &e);
        w = e.x_advance;
      }
      x -= align == Align::Center ? w / 2 : w;
    }
    cairo_move_to(c_, x, y + size * kCapHeight / 2);
    cairo_show_text(c_, s.c_str());
  }

  // cairo_show_text puts the context into an error state on invalid UTF-8.
  static std::string cleaned(const std::string& s) {
    if (std::ranges::all_of(s, [](char ch) { return ch >= 32 && ch < 127; })) return s;
    std::string x = validUtf8(s);
    std::replace_if(
        x.begin(), x.end(), [](char ch) { return ch == '\n' || ch == '\t'; }, ' ');
    return x;
  }

  void hatch(const Rect& r, double radius) {
    cairo_save(c_);
    roundedPath(c_, r, radius);
    cairo_clip(c_);
    setColour(c_, resolve({Role::Padding}, page_.theme));
    cairo_set_line_width(c_, 1.6);
    const double step = 7;
    const double from = std::floor((r.x + r.y) / step) * step, to = r.x + r.w + r.y + r.h;
    for (double k = from; k <= to; k += step) {  // lines x + y = k, continuous from cell to cell
      cairo_move_to(c_, k - r.y, r.y);
      cairo_line_to(c_, k - r.y - r.h, r.y + r.h);
    }
    cairo_stroke(c_);
    cairo_restore(c_);
  }

  void grid(const PageGrid& g) {
    const double radius = std::min(3.0, g.pitchY * 0.12);
    const bool crisp = std::min(g.pitchX, g.pitchY) * scale_ < 6;
    const bool labelled = !g.labels.empty() && g.labelSize * scale_ >= 4;
    cairo_set_antialias(c_, crisp ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT);
    std::vector<std::size_t> litCells;
    eachCell(g.rows, g.cols, [&](i64 r, i64 c) {
      const std::size_t k = g.at(r, c);
      const Rect s = g.square(r, c);
      if (g.lit[k]) return litCells.push_back(k);
      if (g.quiet[k] == PageGrid::kHatched) hatch(s, radius);
      if (g.fill[k].a != 0) {
        setColour(c_, g.fill[k]);
        roundedPath(c_, s, crisp ? 0 : radius);
        cairo_fill(c_);
      }
      if (labelled) label(g, k);
    });
    cairo_set_antialias(c_, CAIRO_ANTIALIAS_DEFAULT);
    for (std::size_t k : litCells) litCell(g, k, radius, labelled);
  }

  void litCell(const PageGrid& g, std::size_t k, double radius, bool labelled) {
    roundedPath(c_, litSquare(g.square(static_cast<i64>(k) / g.cols, static_cast<i64>(k) % g.cols)), radius);
    setColour(c_, g.fill[k]);
    cairo_fill_preserve(c_);
    setColour(c_, resolve({Role::Text}, page_.theme));
    cairo_set_line_width(c_, 1.5);
    cairo_stroke(c_);
    if (labelled) label(g, k);
  }

  void label(const PageGrid& g, std::size_t k) {
    const Rgba colour = g.labelColour(k, page_.theme);
    g.eachLine(k, g.x, g.y, [&](double x, double y, const std::string& line, double size) {
      text(x, y, line, size, Face::Mono, Align::Center, colour);
    });
  }

  void mark(const Mark& m) {
    const Rgba fill = resolve(m.fill, page_.theme), stroke = resolve(m.stroke, page_.theme);
    if (m.kind == Mark::Kind::Text)
      return text(m.rect.x, m.rect.y + m.rect.h / 2, m.text, m.size, m.face, m.align, fill);
    if (m.kind != Mark::Kind::Rectangle) return line(m, fill);
    if (m.fill.role == Role::Padding) {
      hatch(m.rect, m.radius);
    } else if (fill.a != 0) {
      roundedPath(c_, m.rect, m.radius);
      setColour(c_, fill);
      cairo_fill(c_);
    }
    if (stroke.a == 0) return;
    roundedPath(c_, m.rect, m.radius);
    setColour(c_, stroke);
    cairo_set_line_width(c_, m.width);
    cairo_stroke(c_);
  }

  void line(const Mark& m, Rgba colour) {
    const double x1 = m.rect.x + m.rect.w, y1 = m.rect.y + m.rect.h;
    cairo_set_line_cap(c_, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(c_, CAIRO_LINE_JOIN_ROUND);
    setColour(c_, colour);
    cairo_set_line_width(c_, m.width);
    cairo_move_to(c_, m.rect.x, m.rect.y);
    cairo_line_to(c_, x1, y1);
    if (m.kind == Mark::Kind::Arrow) {
      const ArrowHead head = headOf(m);
      cairo_move_to(c_, head.x0, head.y0);
      cairo_line_to(c_, x1, y1);
      cairo_line_to(c_, head.x1, head.y1);
    }
    cairo_stroke(c_);
  }

  cairo_t* c_;
  const Page& page_;
  double scale_;
  const char* mono_ = kMonoFamily;
  Face face_ = Face::Sans;
  double size_ = -1;
};

cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {  // Cairo is C: no exception may pass through it
    return CAIRO_STATUS_NO_MEMORY;
  }
}

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

Result<void> drawOn(cairo_surface_t* surface, const Page& page, double scale) {
  Context c(cairo_create(surface), cairo_destroy);
  cairo_scale(c.get(), scale, scale);
  Painter(c.get(), page, scale).paint();
  if (cairo_status(c.get()) != CAIRO_STATUS_SUCCESS)
    return Diag{fmt::format("Cairo could not draw this: {}", cairo_status_to_string(cairo_status(c.get())))};
  return {};
}

}  // namespace

bool haveCairo() { return true; }
void setPngFromSvg(PngFromSvg) {}

Result<std::string> inkPng(const Figure& figure, const InkOptions& options) {
  const Page page = makePage(figure, options);
  double scale = std::clamp(options.scale, 0.005, 16.0);
  scale = std::min(scale, kMaxSide / std::max({page.width, page.height, 1.0}));
  scale = std::min(scale, std::sqrt(kMaxPixels / std::max(1.0, page.width * page.height)));
  const int w = std::max(1, static_cast<int>(std::ceil(page.width * scale)));
  const int h = std::max(1, static_cast<int>(std::ceil(page.height * scale)));
  Surface surface(cairo_image_surface_create(options.transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24, w, h),
                  cairo_surface_destroy);
  TESSERA_CHECKED(drawOn(surface.get(), page, scale));
  std::string out;
  if (cairo_surface_write_to_png_stream(surface.get(), append, &out) != CAIRO_STATUS_SUCCESS)
    return Diag{fmt::format("Cairo could not write a PNG of {} x {} pixels", w, h)};
  return out;
}

Result<std::string> inkPdf(const Figure& figure, const InkOptions& options) {
  const Page page = makePage(figure, options);
  const double scale = std::min(1.0, kMaxPdfSide / std::max({page.width, page.height, 1.0}));
  std::string out;
  {
    Surface surface(cairo_pdf_surface_create_for_stream(append, &out, page.width * scale, page.height * scale),
                    cairo_surface_destroy);
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, validUtf8(figure.title).c_str());
    // A fixed date, so that two runs give the same bytes.
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    TESSERA_CHECKED(drawOn(surface.get(), page, scale));
    cairo_surface_finish(surface.get());
    if (const cairo_status_t status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS)
      return Diag{fmt::format("Cairo could not write this PDF: {}", cairo_status_to_string(status))};
  }
  return out;
}

Result<std::string> encodePng(int width, int height, const unsigned char* rgba) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height), cairo_surface_destroy);
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
    return Diag{"the picture is too large for an image", "at most 32767 pixels per side"};
  cairo_surface_flush(surface.get());
  unsigned char* rows = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  eachCell(height, width, [&](i64 y, i64 x) {
    const unsigned char* from = rgba + 4 * (y * width + x);
    const std::uint32_t pixel = (std::uint32_t{from[0]} << 16) | (std::uint32_t{from[1]} << 8) | from[2];
    std::memcpy(rows + y * stride + x * 4, &pixel, 4);
  });
  cairo_surface_mark_dirty(surface.get());
  std::string bytes;
  cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
  return bytes;
}

}  // namespace tessera

#else

namespace tessera {

namespace {

PngFromSvg& pngFromSvg() {
  static PngFromSvg draw;
  return draw;
}

}  // namespace

bool haveCairo() { return false; }
void setPngFromSvg(PngFromSvg draw) { pngFromSvg() = std::move(draw); }
Result<std::string> inkPng(const Figure& figure, const InkOptions& options) {
  if (pngFromSvg()) {
    TESSERA_TRY(const std::string svg, inkSvg(figure, options));
    return pngFromSvg()(svg, options.scale);
  }
  return Diag{"this build has no Cairo, so it writes no PNG", "svg, tex, txt, csv or json", "-o picture.svg"};
}
Result<std::string> inkPdf(const Figure&, const InkOptions&) {
  return Diag{"this build has no Cairo, so it writes no PDF", "svg, tex, txt, csv or json", "-o picture.svg"};
}
Result<std::string> encodePng(int, int, const unsigned char*) {
  return Diag{"this build has no Cairo, which writes PNG", "a build with libcairo2-dev"};
}

}  // namespace tessera

#endif
