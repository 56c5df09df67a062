// Tessera: tensor layouts as a library. This header reads, evaluates, translates and analyses layouts; tessera.h adds
// proofs, pictures, worksheets, kernels and HLO modules.
//
// A layout maps each element to an address, or to a lane and register. Each tool writes the same layout differently:
// CuTe (4,8):(8,1), Axe S[(4,8):(8,1)] over (4,8), XLA f32[4,8]{1,0}, Triton #ttg.blocked<{...}>, and a linear layout
// as a list of bit vectors. All of them denote a map from coordinates to places.
//
//     namespace ts = tessera::api;
//     ts::Layout s = ts::layout("Sw<3,3,3> o (64,64):(64,1)").value();
//     s.size()                                       4096
//     s.at({3, 5})                                   221: 3*64 + 5 = 197, and its bits 6 to 8 (011) flip bits 3 to 5
//     s.backward(221)                                {{3, 5}}
//     s.to("linear")                                 dim0 = [[72], [144], [288], ...], dim1 = ... -> offset 4096
//     ts::bankReport(s, "ldmatrix.x4", "fp16")       64 wavefronts, the minimum
//
// A layout of registers may map in the other direction: the coordinates of a Triton encoding are (register, lane, warp,
// block), and its places are elements of the tile. axes() names the components of a place.
//
// A coordinate has one number per mode, nested or not, or is a single linear index. Linear indices follow the order of
// the notation: in CuTe the first mode varies fastest; in Axe, XLA and Triton the last.
//
// Laws
//     layout(l.text()) == l                          the text is canonical and can be parsed again
//     c is in l.backward(p)  iff  p is in l.places(c)
//     l.to(n) is the same function as l, or an Error that states what n cannot express
//     l.table()[i] == l.at({i})                      if there is one axis and every element has one place
//
// Errors. A fault in a text is returned as an Error with its position; no function throws, prints or exits. Exhausted
// memory, an exhausted budget and a cancelled call are Errors too. Only constructors and functions that return a plain
// value may throw std::bad_alloc, like the standard library. Two bugs print a message and abort: taking the value of a
// failed Result, and a failed internal check of Tessera.
//
// Work. A budget (Options::seconds) limits counted work, not time: a call gives the same answer on every machine.
//
// Threads. Every function may be called from any thread at any time. Threads may share const objects.
//
// Not here: proofs. at() and table() evaluate points; tessera.h proves claims for all of them.
//
// Why tessera::api: names directly in the namespace tessera (tessera::Layout, tessera::Result) are internal and may
// change. An inline namespace would make the two sets ambiguous; with a separate one, a program can include both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::api {

// The library's version, "1.2.3".
[[nodiscard]] std::string_view version() noexcept;

// A fault and its position in a text.
struct Error {
  std::string message;             // "strides have 3 modes, shape (8,4) has 2"
  std::string expected;            // a correct form; may be empty
  std::string hint;                // a suggestion to paste; may be empty
  int line = 0, column = 0;        // from 1; 0: no position in a text
  std::size_t begin = 0, end = 0;  // bytes [begin, end) of the text
  std::string shown;               // the result of marked()
  // The message, the line with the offending piece underlined, the expected form and the hint.
  [[nodiscard]] const std::string& marked() const noexcept { return shown.empty() ? message : shown; }
};

namespace detail {
// Prints the error on standard error and aborts.
[[noreturn]] void valueOfFailure(const Error& error) noexcept;
}  // namespace detail

// A value, or an Error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  // Requires ok(); aborts otherwise.
  [[nodiscard]] const T& value() const& { return checked(), *value_; }
  [[nodiscard]] T value() && { return checked(), *std::move(value_); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] T valueOr(T other) const { return ok() ? *value_ : std::move(other); }
  // Empty if ok().
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  void checked() const {
    if (!value_) detail::valueOfFailure(error_);
  }
  std::optional<T> value_;
  Error error_;
};

// Cancels calls on other threads. Copies share one flag.
class CancelFlag {
 public:
  CancelFlag();
  void raise() const noexcept;
  [[nodiscard]] bool raised() const noexcept;
  struct Impl;

 private:
  friend struct Access;
  std::shared_ptr<Impl> impl_;
};

// The budget of a call: `seconds` of counted work, at 30 million steps per second, about the speed of one core.
struct Options {
  double seconds = 10;
  const CancelFlag* cancel = nullptr;  // must outlive the call
};

using Numbers = std::vector<std::int64_t>;

// A layout of any notation: an immutable value, cheap to copy.
class Layout {
 public:
  // The notation: "layout" (CuTe), "axe", "linear", "triton", "xla", "map" ...
  [[nodiscard]] std::string_view kind() const noexcept;
  // Its canonical text. Like the facts below it is found when it is first asked for, and kept.
  [[nodiscard]] const std::string& text() const;
  // The number of coordinates; nullopt beyond 2^63-1, or if the text gives no shape (a swizzle without a layout).
  [[nodiscard]] std::optional<std::int64_t> size() const;
  // The extent of each mode. A nested mode counts as one: ((2,2),8) has the shape {4, 8}.
  [[nodiscard]] const Numbers& shape() const;
  [[nodiscard]] std::size_t rank() const { return shape().size(); }
  // The components of a place: "offset" in memory; "lane", "reg" ... in hardware; coordinates of a tile.
  [[nodiscard]] const std::vector<std::string>& axes() const;
  // Whether the first mode of a linear index varies fastest.
  [[nodiscard]] bool firstModeFastest() const;

  // The place of a coordinate, one number per axis: {offset}, {lane, reg}. An Error if it has several places (replicas)
  // or none (padding).
  [[nodiscard]] Result<Numbers> at(const Numbers& coordinate) const;
  // All places of a coordinate, sorted.
  [[nodiscard]] Result<std::vector<Numbers>> places(const Numbers& coordinate) const;
  // The coordinates at a place, sorted. An Error if there is no inverse formula and too many points to search.
  [[nodiscard]] Result<std::vector<Numbers>> backward(const Numbers& place, const Options& options = {}) const;
  [[nodiscard]] Result<std::vector<Numbers>> backward(std::int64_t address, const Options& options = {}) const {
    return backward(Numbers{address}, options);
  }
  // One axis of every coordinate, in linear order. For at most 2^26 coordinates, without replicas or padding.
  [[nodiscard]] Result<Numbers> table(std::size_t axis = 0, const Options& options = {}) const;
  // The inverse as a map: y -> the c with at(c) == y; several or none, if the layout is not bijective.
  [[nodiscard]] Result<Layout> inverse(const Options& options = {}) const;
  // The same layout in another notation: one of notations(). Exact, or an Error.
  [[nodiscard]] Result<Layout> to(std::string_view notation, const Options& options = {}) const;

  // Same notation and same text. To compare two texts as functions, use equal() of tessera.h.
  friend bool operator==(const Layout& a, const Layout& b) { return a.text() == b.text() && a.kind() == b.kind(); }
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }
  struct Impl;

 private:
  friend struct Access;
  explicit Layout(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

using Names = std::vector<std::pair<std::string, Layout>>;

// Reads a layout: a literal of any notation, or an expression of the worksheet language that evaluates to a layout.
//     layout("(4,8):(8,1)")   layout("bf16[128,64]{1,0:T(8,128)}")   layout("composition(A, B)", {{"A", a}, {"B", b}})
[[nodiscard]] Result<Layout> layout(std::string_view text, const Names& names = {}, const Options& options = {});

// The value of an expression of the worksheet language. Every value has a text.
struct Computed {
  std::string kind;                    // "layout", "int", "bool", "tuple", "text" ...
  std::string text;                    // of another value, as `tessera eval` prints it
  std::optional<Layout> layout;        // if it is one
  std::optional<std::int64_t> number;  // likewise; true is 1
};
//     compute("cosize(L)", {{"L", l}})->number     compute("logical_divide(L, <4,2>)", {{"L", l}})->layout
[[nodiscard]] Result<Computed> compute(std::string_view expression, const Names& names = {},
                                       const Options& options = {});

// An argument of apply(): a layout, a number, a tuple (with a layout in it a tiler), or a text of the language.
struct Term {
  Term(Layout value) : layout(std::move(value)) {}
  Term(std::int64_t value) : number(value) {}
  Term(std::vector<Term> values) : parts(std::move(values)) {}
  [[nodiscard]] static Term written(std::string text) {
    Term out(std::int64_t{0});
    out.number.reset();
    out.text = std::move(text);
    return out;
  }
  std::optional<Layout> layout;
  std::optional<std::int64_t> number;
  std::vector<Term> parts;  // of a tuple: neither layout nor number nor text
  std::string text;         // "_" in a tuple: a mode that is kept whole
};
// The value of FUNCTION(ARGUMENTS) in the worksheet language, without its text: apply("composition", {a, b})->layout.
[[nodiscard]] Result<Computed> apply(std::string_view function, const std::vector<Term>& arguments,
                                     const Options& options = {});

// The notations that Layout::to accepts: "cute" "axe" "linear" "xla" "map" "indexing".
[[nodiscard]] const std::vector<std::string>& notations() noexcept;

// The cost of an access to shared memory. A wavefront serves one word of each of the 32 banks; each phase of an access
// needs one, and one more for each further word in the same bank.
struct BankReport {
  std::int64_t instructions = 0;  // warp-wide instructions; a tile needs several
  std::int64_t wavefronts = 0, ideal = 0, excess = 0;
  int degree = 0;           // of the worst phase: 8 is an "8-way conflict"
  std::vector<int> phases;  // wavefronts of each phase of the worst instruction
  std::string conflict;     // the worst conflict as a sentence; empty if there is none
  [[nodiscard]] bool conflictFree() const noexcept { return excess == 0; }
};
// An instruction applied to a tile in shared memory at every position: "ldmatrix.x4", "ld.shared.v4.b32",
// "st.shared.v2.b64.column", "cp.async16" ... (the manual lists them under "Instructions, banks, swizzles"); type:
// "fp16", "f32", "s8" ...
[[nodiscard]] Result<BankReport> bankReport(const Layout& layout, std::string_view access, std::string_view type,
                                            const Options& options = {});
// One access of a warp: up to 32 byte addresses in lane order, each `width` bytes wide. kind: "load", "store", or an
// instruction of that width.
[[nodiscard]] Result<BankReport> bankReport(const Numbers& addresses, int width, std::string_view kind = "load");

// The cost in global memory: the 32-byte sectors and 128-byte lines that all accesses of the tile touch.
struct SectorReport {
  std::int64_t instructions = 0;
  std::int64_t sectors = 0, ideal = 0, lines = 0;
  [[nodiscard]] bool coalesced() const noexcept { return sectors == ideal; }
};
[[nodiscard]] Result<SectorReport> sectorReport(const Layout& layout, std::string_view access, std::string_view type,
                                                const Options& options = {});

// A layout without bank conflicts in any of the accesses, in several notations.
struct SwizzleChoice {
  Layout layout;
  std::int64_t padding = 0;  // elements added to each row; 0: a swizzle, or the layout unchanged
  std::int64_t bytes = 0;    // of memory
  std::string cuda;          // "int offset = row * 64 + column; offset ^= (offset & 0x1c0) >> 3;"
  std::string tma;           // "CU_TENSOR_MAP_SWIZZLE_128B"; empty: TMA has no equivalent mode
  std::string triton;        // empty: Triton has no equivalent layout
};
struct SwizzleSearch {
  std::vector<SwizzleChoice> swizzles;  // the simplest first; the layout itself if it needs none
  std::vector<SwizzleChoice> paddings;  // longer rows instead
  int candidates = 0;                   // swizzles tried: all that can differ, so an empty list is a proof
  std::vector<std::string> clash;       // if the list is empty: accesses that no single swizzle serves
};
// Finds the swizzles under which every access is free of bank conflicts.
[[nodiscard]] Result<SwizzleSearch> findSwizzle(const Layout& layout, const std::vector<std::string>& accesses,
                                                std::string_view type, const Options& options = {});

}  // namespace tessera::api
