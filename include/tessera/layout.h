// Tessera: tensor layouts as a library. This header reads, asks, translates and analyses layouts; tessera.h adds
// proofs, pictures, worksheets, kernels and HLO modules.
//
// A layout says which element lies at which address, or in which lane and register. The same layout has a different
// text in each tool: CuTe writes (4,8):(8,1), Axe S[(4,8):(8,1)] over (4,8), XLA f32[4,8]{1,0}, Triton
// #ttg.blocked<{...}>, a linear layout lists bit vectors. All of them mean one thing: a map from coordinates to places.
//
//     namespace ts = tessera::api;
//     ts::Layout s = ts::layout("Sw<3,3,3> o (64,64):(64,1)").value();
//     s.size()                                       4096
//     s.at({3, 5})                                   221: 3*64 + 5 = 197, and its bits 6 to 8 (011) flip bits 3 to 5
//     s.backward(221)                                {{3, 5}}
//     s.to("linear")                                 dim0 = [[72], [144], [288], ...], dim1 = ... -> offset 4096
//     ts::bankReport(s, "ldmatrix.x4", "fp16")       64 wavefronts, as many as there must be
//
// A layout of registers may go the other way: the coordinates of a Triton encoding are (register, lane, warp, block),
// and its places are elements of the tile. axes() says what a place has.
//
// A coordinate has one number a mode, however a mode nests, or is a single linear index. Linear indices count in the
// notation's own order: CuTe's first mode is the fastest, Axe's, XLA's and Triton's last one.
//
// Laws
//     layout(l.text()) == l                          the text is canonical and reads back
//     c is in l.backward(p)  iff  p is in l.places(c)
//     l.to(n) is the same function as l, or an Error that says what n cannot express
//     l.table()[i] == l.at({i})                      one axis, every element at one place
//
// Errors. What a text may be wrong about comes back as an Error with its place; nothing here throws, prints or exits.
// Running out of memory, of the budget, or a cancelled call is an Error, too; only a constructor or a function that
// gives a plain value may throw std::bad_alloc, as the standard library does. Two bugs print and
// abort: the caller's, who takes the value of a failed Result, and Tessera's own, where an internal check fails.
//
// Work. A budget is counted work and not time (Options::seconds): the same call gives the same answer on every machine.
//
// Threads. Every function may be called from any thread at any time. A const object may be shared by threads.
//
// Not here: proofs. at() and table() look at points; tessera.h proves for all of them.
//
// Why tessera::api: the names in the namespace tessera itself (tessera::Layout, tessera::Result) are the program's own,
// and change. An inline namespace would make these two ambiguous; a name of its own lets a program include either or
// both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::api {

// Of the library: "1.2.3".
[[nodiscard]] std::string_view version() noexcept;

// What is wrong with a text, and where.
struct Error {
  std::string message;             // "strides have 3 modes, shape (8,4) has 2"
  std::string expected;            // what would have been right; may be empty
  std::string hint;                // a suggestion to paste; may be empty
  int line = 0, column = 0;        // from 1; 0: it has no place in a text
  std::size_t begin = 0, end = 0;  // bytes [begin, end) of the text
  std::string shown;               // what marked() returns
  // The line with the offending piece underlined, then what was expected and the hint.
  [[nodiscard]] const std::string& marked() const noexcept { return shown.empty() ? message : shown; }
};

namespace detail {
// Prints the error on standard error and aborts.
[[noreturn]] void valueOfFailure(const Error& error) noexcept;
}  // namespace detail

// A value, or the Error why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  // Requires ok(): anything else aborts.
  [[nodiscard]] const T& value() const& { return checked(), *value_; }
  [[nodiscard]] T value() && { return checked(), *std::move(value_); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] T valueOr(T other) const { return ok() ? *value_ : std::move(other); }
  // Empty when ok().
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  void checked() const {
    if (!value_) detail::valueOfFailure(error_);
  }
  std::optional<T> value_;
  Error error_;
};

// Ends calls that run on other threads. Copies are one flag.
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

// What a call may spend. `seconds` of counted work: 30 million steps each, about what one core does in that time.
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
  // Its canonical text.
  [[nodiscard]] const std::string& text() const noexcept;
  // How many coordinates it has; none beyond 2^63-1, or where the text gives no shape (a swizzle alone).
  [[nodiscard]] std::optional<std::int64_t> size() const noexcept;
  // The modes, and how many elements each has. A nested mode is one: ((2,2),8) has the shape {4, 8}.
  [[nodiscard]] const Numbers& shape() const noexcept;
  [[nodiscard]] std::size_t rank() const noexcept { return shape().size(); }
  // What a place has: "offset" in memory; "lane", "reg" ... in hardware; coordinates of a tile.
  [[nodiscard]] const std::vector<std::string>& axes() const noexcept;
  // Whether linear indices count the first mode fastest.
  [[nodiscard]] bool firstModeFastest() const noexcept;

  // Where a coordinate is, one number an axis: {offset}, {lane, reg}. An Error where it is at several places (a
  // replica) or at none (padding).
  [[nodiscard]] Result<Numbers> at(const Numbers& coordinate) const;
  // All its places, sorted.
  [[nodiscard]] Result<std::vector<Numbers>> places(const Numbers& coordinate) const;
  // Which coordinates are at a place, sorted. An Error where there is no formula and too many points to try.
  [[nodiscard]] Result<std::vector<Numbers>> backward(const Numbers& place, const Options& options = {}) const;
  [[nodiscard]] Result<std::vector<Numbers>> backward(std::int64_t address, const Options& options = {}) const {
    return backward(Numbers{address}, options);
  }
  // One axis of every coordinate in linear order. At most 2^26 of them; no replicas and no padding.
  [[nodiscard]] Result<Numbers> table(std::size_t axis = 0, const Options& options = {}) const;
  // The same layout in another notation: one of notations(). Exact, or an Error.
  [[nodiscard]] Result<Layout> to(std::string_view notation, const Options& options = {}) const;

  // One notation and the same text. Two texts of one function: equal() in tessera.h.
  friend bool operator==(const Layout& a, const Layout& b) noexcept {
    return a.text() == b.text() && a.kind() == b.kind();
  }
  friend bool operator!=(const Layout& a, const Layout& b) noexcept { return !(a == b); }
  struct Impl;

 private:
  friend struct Access;
  explicit Layout(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

using Names = std::vector<std::pair<std::string, Layout>>;

// Reads a layout: a literal of any notation, or an expression of the worksheet language whose value is one.
//     layout("(4,8):(8,1)")   layout("bf16[128,64]{1,0:T(8,128)}")   layout("composition(A, B)", {{"A", a}, {"B", b}})
[[nodiscard]] Result<Layout> layout(std::string_view text, const Names& names = {}, const Options& options = {});

// "cute" "axe" "linear" "xla" "map" "indexing": what Layout::to takes.
[[nodiscard]] const std::vector<std::string>& notations() noexcept;

// What shared memory does for an access. A wavefront serves one word of each of the 32 banks; an access needs at least
// one for each phase, and as many more as words collide.
struct BankReport {
  std::int64_t instructions = 0;  // warp-wide ones: a tile needs many
  std::int64_t wavefronts = 0, ideal = 0, excess = 0;
  int degree = 0;           // of the worst phase: 8 is an "8-way conflict"
  std::vector<int> phases;  // wavefronts of each phase, of the worst instruction
  std::string conflict;     // the worst one in a sentence; empty when there is none
  [[nodiscard]] bool conflictFree() const noexcept { return excess == 0; }
};
// An instruction that walks over a tile in shared memory, at every position: "ldmatrix.x4", "ld.shared.v4.b32",
// "st.shared.v2.b64.column", "cp.async16" ...; type: "fp16", "f32", "s8" ...
[[nodiscard]] Result<BankReport> bankReport(const Layout& layout, std::string_view access, std::string_view type,
                                            const Options& options = {});
// One access of a warp: up to 32 byte addresses, lane by lane, each `width` bytes wide. kind: "load", "store", or an
// instruction of that width.
[[nodiscard]] Result<BankReport> bankReport(const Numbers& addresses, int width, std::string_view kind = "load");

// What global memory does: 32-byte sectors and 128-byte lines that all accesses of the tile touch.
struct SectorReport {
  std::int64_t instructions = 0;
  std::int64_t sectors = 0, ideal = 0, lines = 0;
  [[nodiscard]] bool coalesced() const noexcept { return sectors == ideal; }
};
[[nodiscard]] Result<SectorReport> sectorReport(const Layout& layout, std::string_view access, std::string_view type,
                                                const Options& options = {});

// A layout that serves all accesses, and how to write it.
struct SwizzleChoice {
  Layout layout;
  std::int64_t padding = 0;  // elements added to each row; 0: a swizzle, or as it is
  std::int64_t bytes = 0;    // of memory
  std::string cuda;          // "int offset = row * 64 + column; offset ^= (offset & 448) >> 3;"
  std::string tma;           // "CU_TENSOR_MAP_SWIZZLE_128B"; empty: TMA has no such mode
  std::string triton;        // empty: Triton has no such layout
};
struct SwizzleSearch {
  std::vector<SwizzleChoice> swizzles;  // the simplest first; the layout itself where it needs none
  std::vector<SwizzleChoice> paddings;  // longer rows instead
  int candidates = 0;                   // swizzles tried: all that can make a difference, so an empty list is a proof
  std::vector<std::string> clash;       // of an empty list: accesses that no swizzle serves together
};
// The swizzles under which every access is free of bank conflicts.
[[nodiscard]] Result<SwizzleSearch> findSwizzle(const Layout& layout, const std::vector<std::string>& accesses,
                                                std::string_view type, const Options& options = {});

}  // namespace tessera::api
