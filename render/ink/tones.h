// Tones: the colours of an SVG, of one theme or of two.
//
//     Tones one(Theme::Light);          one.name(one.of({Role::Text}))     "#1f2328"
//     Tones both(Theme::Light, Theme::Dark);      both.name(...)           "var(--c0)"
//     both.rules(false)                 "--c0:#1f2328;"                    both.rules(true)    "--c0:#e6edf3;"
//
// Law: a name stands for one pair of colours, and each pair has one name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "render/figure/palette.h"

namespace tessera {

struct Tone {
  Rgba light, dark;
  [[nodiscard]] u64 key() const {
    const auto bits = [](Rgba c) { return u64{c.r} << 24 | u64{c.g} << 16 | u64{c.b} << 8 | c.a; };
    return bits(light) << 32 | bits(dark);
  }
  bool operator==(const Tone&) const = default;
  bool operator<(const Tone& other) const { return key() < other.key(); }
};

class Tones {
 public:
  explicit Tones(Theme theme) : light_(theme), dark_(theme) {}
  Tones(Theme light, Theme dark) : light_(light), dark_(dark) {}
  [[nodiscard]] Theme light() const { return light_; }
  [[nodiscard]] Theme dark() const { return dark_; }
  [[nodiscard]] Tone of(const Paint& paint) const { return {resolve(paint, light_), resolve(paint, dark_)}; }
  [[nodiscard]] Tone canvas() const { return {tessera::canvas(light_), tessera::canvas(dark_)}; }
  // Without alpha.
  [[nodiscard]] std::string name(Tone tone);
  // The values of all names so far, as CSS.
  [[nodiscard]] std::string rules(bool dark) const;

 private:
  Theme light_, dark_;
  std::map<u64, std::size_t> numbers_;
  std::vector<Tone> tones_;
};

}  // namespace tessera
