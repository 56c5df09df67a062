// Layout: a type-erased value of any notation, with its text and its arrow.
//
//     Layout a = cute::Layout(...);        a.kind() "layout", a.noun() "a layout", print(a) "(4,8):(8,1)"
//     Layout x = xla::Shape(...);          a.arrow() and x.arrow(): used by views, claims and searches
//     as<xla::Shape>(x)                    the notation's own value, for its own functions and views
//
// A notation is a value type T with print(T), ==, and one specialisation of NotationOf<T>
// (core/notation/cute/notation.h and similar). The only list of notations is in core/worksheet/language/literals.cpp,
// which reads their literals. Law: a == b iff both are of one notation and equal in it.
#pragma once

#include <concepts>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/layout/arrow.h"

namespace tessera {

// A number, a list, or a text that --json adds to the text of a layout: {"shape", [4,[2,3]]}.
struct LayoutFact {
  using Tree = std::vector<LayoutFact>;  // a list: unnamed facts
  std::string name;
  std::variant<i64, std::string, Tree> value;
  bool operator==(const LayoutFact&) const = default;
};
using LayoutFacts = std::vector<LayoutFact>;

// Specialised by each notation:
//     static std::string_view kind(const T&)      "layout": --json's kind
//     static std::string_view noun(const T&)      "a layout": for messages
//     static Result<Arrow> arrow(const T&)        a Diag says why there is none (a bare swizzle, an attribute without
//                                                 a shape)
// and optionally:
//     static Result<Arrow> threadValueArrow(const T&)   the layout as (thread, value) -> index of a tile
//     static LayoutFacts facts(const T&)
//     static constexpr std::string_view kFamily         "axe": whose functions apply to it; by default its kind
//     static Layout underlying(const T&)                a TLA layout's CuTe layout; by default the layout itself
//     static Result<T> withElements(const T&, int bits) L over f16, which S<3,4,3> o 0 o L needs
//     static std::optional<std::string> missingElements(const T&)   why it has no addresses until then
//     static std::string baseAddress(const T&)          of a tensor's pointer; the arrow excludes it
template <typename T>
struct NotationOf;

template <typename T>
concept IsNotation = requires(const T& value) {
  { NotationOf<T>::kind(value) } -> std::convertible_to<std::string_view>;
  { NotationOf<T>::arrow(value) } -> std::same_as<Result<Arrow>>;
};

class Layout {
 public:
  template <IsNotation T>
  Layout(T value) : held_(std::make_shared<Held<T>>(std::move(value))) {}  // NOLINT: implicit for every notation

  [[nodiscard]] std::string_view kind() const { return held_->kind(); }
  [[nodiscard]] std::string_view noun() const { return held_->noun(); }
  // Computed once and cached, because views need it in every frame. Thread-safe.
  [[nodiscard]] const Result<Arrow>& arrow() const { return held_->keptArrow(); }
  // The alternative reading of a layout whose text does not fix the meaning of its coordinates; a Diag if there is
  // none.
  [[nodiscard]] Result<Arrow> threadValueArrow() const { return held_->threadValueArrow(); }
  [[nodiscard]] LayoutFacts facts() const { return held_->facts(); }
  [[nodiscard]] std::string_view family() const { return held_->family(); }
  // What == compares, and what the functions of another notation read.
  [[nodiscard]] Layout underlying() const { return held_->underlying().value_or(*this); }
  // nullopt: the notation takes no element type.
  [[nodiscard]] std::optional<Result<Layout>> withElements(int bits) const { return held_->withElements(bits); }
  [[nodiscard]] std::optional<std::string> missingElements() const { return held_->missingElements(); }
  [[nodiscard]] std::string baseAddress() const { return held_->baseAddress(); }  // "": none
  // The notation's own value; nullptr for another notation.
  template <typename T>
  [[nodiscard]] const T* as() const {
    return held_->type() == typeid(T) ? &static_cast<const Held<T>&>(*held_).value : nullptr;
  }
  // Copies share their value: equal ids mean the same value.
  [[nodiscard]] const void* id() const { return held_.get(); }
  // Whether both are of the same notation.
  [[nodiscard]] bool isLike(const Layout& other) const { return held_->type() == other.held_->type(); }
  bool operator==(const Layout& other) const { return isLike(other) && held_->equals(*other.held_); }
  [[nodiscard]] std::string text() const { return held_->text(); }

 private:
  struct Face {
    virtual ~Face() = default;
    [[nodiscard]] virtual const std::type_info& type() const = 0;
    [[nodiscard]] virtual std::string_view kind() const = 0;
    [[nodiscard]] virtual std::string_view noun() const = 0;
    [[nodiscard]] virtual std::string text() const = 0;
    [[nodiscard]] virtual Result<Arrow> arrow() const = 0;
    [[nodiscard]] virtual Result<Arrow> threadValueArrow() const = 0;
    [[nodiscard]] virtual LayoutFacts facts() const = 0;
    [[nodiscard]] virtual std::string_view family() const = 0;
    [[nodiscard]] virtual std::optional<Layout> underlying() const = 0;
    [[nodiscard]] virtual std::optional<Result<Layout>> withElements(int bits) const = 0;
    [[nodiscard]] virtual std::optional<std::string> missingElements() const = 0;
    [[nodiscard]] virtual std::string baseAddress() const = 0;
    [[nodiscard]] virtual bool equals(const Face& other) const = 0;
    [[nodiscard]] const Result<Arrow>& keptArrow() const {
      std::call_once(once, [this] { kept = arrow(); });
      return *kept;
    }
    mutable std::once_flag once;
    mutable std::optional<Result<Arrow>> kept;
  };
  template <typename T>
  struct Held final : Face {
    explicit Held(T v) : value(std::move(v)) {}
    [[nodiscard]] const std::type_info& type() const override { return typeid(T); }
    [[nodiscard]] std::string_view kind() const override { return NotationOf<T>::kind(value); }
    [[nodiscard]] std::string_view noun() const override { return NotationOf<T>::noun(value); }
    [[nodiscard]] std::string text() const override { return print(value); }
    [[nodiscard]] Result<Arrow> arrow() const override { return NotationOf<T>::arrow(value); }
    [[nodiscard]] Result<Arrow> threadValueArrow() const override {
      if constexpr (requires { NotationOf<T>::threadValueArrow(value); }) return NotationOf<T>::threadValueArrow(value);
      return Diag{std::string(noun()) + " is not read as (thread, value)", "a layout of two modes"};
    }
    [[nodiscard]] LayoutFacts facts() const override {
      if constexpr (requires { NotationOf<T>::facts(value); }) return NotationOf<T>::facts(value);
      return {};
    }
    [[nodiscard]] std::string_view family() const override {
      if constexpr (requires { NotationOf<T>::kFamily; }) return NotationOf<T>::kFamily;
      return kind();
    }
    [[nodiscard]] std::optional<Layout> underlying() const override {
      if constexpr (requires { NotationOf<T>::underlying(value); }) return NotationOf<T>::underlying(value);
      return std::nullopt;
    }
    [[nodiscard]] std::optional<Result<Layout>> withElements(int bits) const override {
      if constexpr (requires { NotationOf<T>::withElements(value, bits); }) {
        Result<T> typed = NotationOf<T>::withElements(value, bits);
        if (!typed) return Result<Layout>(typed.error());
        return Result<Layout>(*std::move(typed));
      }
      return std::nullopt;
    }
    [[nodiscard]] std::optional<std::string> missingElements() const override {
      if constexpr (requires { NotationOf<T>::missingElements(value); }) return NotationOf<T>::missingElements(value);
      return std::nullopt;
    }
    [[nodiscard]] std::string baseAddress() const override {
      if constexpr (requires { NotationOf<T>::baseAddress(value); }) return NotationOf<T>::baseAddress(value);
      return {};
    }
    [[nodiscard]] bool equals(const Face& other) const override {
      return value == static_cast<const Held<T>&>(other).value;
    }
    T value;
  };
  std::shared_ptr<const Face> held_;
};

// Canonical text, in the format of the notation's own tool. Only for Layout itself, not for types that convert to it: a
// notation without print must not select this overload.
template <std::same_as<Layout> T>
[[nodiscard]] std::string print(const T& layout) {
  return layout.text();
}

// An arrow as a layout: the value of to_map(L). It prints as its map with one variable per mode, because text has no
// nested modes: (i0, i1) of ((4,2)):((1,4)) would be read as two dimensions.
[[nodiscard]] inline std::string print(const Arrow& arrow) {
  const Result<Arrow> whole = isNested(arrow) ? withSimplerModes(arrow) : Result<Arrow>(arrow);
  return print(whole ? whole->map : arrow.map);
}

template <>
struct NotationOf<Arrow> {
  static std::string_view kind(const Arrow&) { return "map"; }
  static std::string_view noun(const Arrow&) { return "a map"; }
  static Result<Arrow> arrow(const Arrow& arrow) { return arrow; }
};

// align: brings two arrows to a common domain and codomain, so that a claim can compare them.
//
//     (4,8):(8,1)  and  f32[4,8]                     same modes: coordinate by coordinate
//     (4,8):(1,4)  and  32:1                         both colex: by linear index, first mode fastest
//     S[(4,8):(8,1)] over (4,8)  and  f32[32]        both lex: by linear index, last mode fastest
//     #mma over (16,8)  and  S[(16,8) on lane, reg]  one maps from the hardware, the other to it: one is inverted
//     #mma over (16,8)  and  ((4,8),(2,2)):(...)     the CuTe layout is read as (thread, value) -> index of the tile
//
// Law. Two arrows between the same kinds of spaces are compared
//   - coordinate by coordinate when their modes have the same extents (nested modes are one number),
//   - otherwise by linear index, if both count it in the same order;
//   - not at all if modes and orders differ: no definition of "the same element" would be an equivalence. (4,8):(8,1)
//     equals S[(4,8):(8,1)], which equals S[32:1] (Axe counts the last fastest), which equals 32:1, but (4,8):(8,1) is
//     not 32:1 (CuTe counts the first fastest). The refusal says how to give both one shape.
// Where it is defined, equality is reflexive, symmetric and transitive (tests/agree/notations).
// Hardware axes are matched by name (register is reg, block is cta, offset is m ...); an axis that only one side names
// is 0 on the other. Coordinates without a meaning (an indexing map) match any space with as many numbers.
struct Aligned {
  Map f, g;
  LinearOrder order = LinearOrder::Colex;  // of the linear index, if the extents differ
  std::string reading;                     // "by linear index, the last mode fastest"; for the verdict
};
[[nodiscard]] Result<Aligned> align(const Layout& a, const Layout& b);
// Arrows of one direction, or one inverted; without the alternative reading of a Layout (threadValueArrow).
[[nodiscard]] Result<Aligned> align(const Arrow& a, const Arrow& b);

}  // namespace tessera
