// Tensor: a Graphene tensor of data (%) or threads (#), with shapes and strides that nest into tiles.
//
//     %A:[4,8:1,4].fp32.GL                    4x8, column-major, in global memory
//     %A.tile([2:2],[4:1])                    %A:[2,2:1,16].[2,4:2,4].fp32.GL: a 2x2 arrangement of 2x4 tiles
//     %C:[4,(2,4):2,(1,8)].fp32.GL            the second dimension is hierarchical: [0,3] is [0,(1,1)], address 9
//     #warp:[32:1].thread                     a warp; #warp.tile([8:1]) = [4:8].[8:1].thread, four groups of eight
//
// The outermost shape is leftmost; strides at all levels count scalar elements. Within a hierarchical dimension the
// leftmost mode is fastest, as in CuTe; omitted strides are row-major over the dimensions.
//
// Law: the address of a coordinate is offset + sum of digit * stride, and its logical coordinate along each declared
// dimension is origin + sum of digit * step. tile, reshape and index change the shapes but never the elements, so the
// predicate of a partial tile is `coordinate < extent`, never a test of the address.
//
// Two extensions of the paper:
//
//     %s:Sw<3,3,3> o [64,64:64,1].fp16.SH                       a swizzled tensor: the address is Sw(offset + the sum)
//     %d:[2,4:4,1].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
//                                                          which element register r of a thread holds (Distribution)
//
// Both are properties of the storage, which tile, reshape and index preserve.
//
// Sizes may be symbolic ([M,N:N,1]): an Expr over params named by `symbols`. It is not a CuTe layout: the commas
// between the brackets give the rank of a level, and parentheses always make one hierarchical dimension.
//
// Source: Hagedorn et al., Graphene, ASPLOS 2023, sections 3.1 to 3.4, figures 2 to 6.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/expr/expr.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::graphene {

// Names: a copy-on-write list of names, shared by many tensors. Every tensor of a program refers to the names of all
// variables, and a program of ten thousand loops has that many tensors; copying the list copies a pointer.
//
//     Names a = {"M", "N"}, b = a;   b.add("k");         a has two names, b three
class Names {
 public:
  using List = std::vector<std::string>;

  Names() = default;
  Names(List names) : list_(names.empty() ? nullptr : std::make_shared<List>(std::move(names))) {}  // implicit

  [[nodiscard]] const List& list() const {
    static const List none;
    return list_ ? *list_ : none;
  }
  operator const List&() const { return list(); }
  [[nodiscard]] bool empty() const { return list().empty(); }
  [[nodiscard]] std::size_t size() const { return list().size(); }
  [[nodiscard]] const std::string& front() const { return list().front(); }
  [[nodiscard]] const std::string& operator[](std::size_t k) const { return list()[k]; }
  [[nodiscard]] auto begin() const { return list().begin(); }
  [[nodiscard]] auto end() const { return list().end(); }

  void clear() { list_.reset(); }
  void add(std::string name) {
    if (list_.use_count() != 1) list_ = std::make_shared<List>(list());
    list_->push_back(std::move(name));
  }

  friend bool operator==(const Names& a, const Names& b) { return a.list_ == b.list_ || a.list() == b.list(); }

 private:
  std::shared_ptr<List> list_;  // modified only if unshared
};

// Distribution: the element of a logical tile that each register of each thread holds.
//
//     [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]     Axe: element (0,1) is register 1 of lane 0
//     [16,16] as ((4,8),(2,2,2)):((32,1),(16,8,128))                  CuTe: (thread, register) -> row + rows * column
//     [16,16] as mma.m16n8k16.f32.f16.f16.f32 A                       the atlas: this operand of the instruction
//
// Registers are the addresses of the register tensor (offset + sum of digit * stride), so all its views hold the same
// elements. Threads count from the first of the tensor's warp (`lane`) or block (`tid`; warp w, lane l is 32 w + l).
//
// Law: each (thread, register) holds at most one element; an element may be held several times (replication).
//
// Source: this project. Graphene's shapes do not determine the element in register i of lane t.
struct Distribution {
  std::vector<i64> extents;  // of the logical tile, [16,16]
  std::string layout;        // as printed: "S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]"
  i64 threads = 0;           // 32; in a larger block, thread t is thread t % threads of its copy of the tile
  i64 registers = 0;         // 8
  std::vector<i64> element;  // [thread * registers + register]: row-major index into the tile, -1: none
  [[nodiscard]] i64 at(i64 thread, i64 reg) const {
    const i64 t = thread % threads;
    return reg < 0 || reg >= registers ? -1 : element[static_cast<std::size_t>(t * registers + reg)];
  }
  bool operator==(const Distribution&) const = default;
};

// Shared by all views of a tensor; compared by value.
struct Holds {
  std::shared_ptr<const Distribution> is;
  explicit operator bool() const { return is != nullptr; }
  const Distribution* operator->() const { return is.get(); }
  bool operator==(const Holds& other) const {
    return is == other.is || (is != nullptr && other.is != nullptr && *is == *other.is);
  }
};

// `size` places that are `stride` elements apart in memory and `step` apart along declared dimension `dim`.
struct Mode {
  Expr size = Expr::constant(1), stride{};
  int dim = 0;
  Expr step{};
  bool operator==(const Mode&) const = default;
};
using Dim = std::vector<Mode>;  // at least one mode; the first is fastest

struct Level {
  std::vector<Dim> dims;
  bool operator==(const Level&) const = default;
};

enum class Memory : unsigned char { None, Global, Shared, Register };

struct Tensor {
  std::string name;      // "A", "18"
  bool threads = false;  // #
  std::vector<Level> levels;
  std::string element;  // "fp16"; "thread" or "block"; "": unspecified
  Memory memory = Memory::None;
  Names symbols;              // the name of each param
  std::vector<Expr> extents;  // of the declared dimensions
  Expr offset;                // address of the element at coordinate 0 of every level
  std::vector<Expr> origin;   // its logical coordinate
  cute::Swizzle swizzle;      // of the scalar address; the identity by default
  Holds holds;                // of register tensors; empty by default
  bool operator==(const Tensor&) const = default;
};

// Order of omitted strides over a shape's dimensions; inside a dimension the leftmost mode is fastest in both.
enum class Order : unsigned char { Row, Column };

// NAME : {shape .} element [. memory], then any number of .tile(..) .reshape(..) .scalar() [coordinates].
[[nodiscard]] Result<Tensor> parseTensor(std::string_view text, Order order = Order::Row);
// "%A:[2,2:1,16].[2,4:2,4].fp32.GL", with explicit strides (0 for size 1); parse(print(t)) prints the same.
[[nodiscard]] std::string print(const Tensor& tensor);
// A size, stride, offset or coordinate in C syntax: "128*N", "ceildiv(M,128)".
[[nodiscard]] std::string print(const Expr& value, const std::vector<std::string>& symbols);
[[nodiscard]] inline std::string print(const Expr& value, const Names& symbols) { return print(value, symbols.list()); }

[[nodiscard]] Expr sizeOf(const Dim& dim);  // product of its modes
[[nodiscard]] Expr sizeOf(const Level& level);
[[nodiscard]] std::vector<Mode> modesOf(const Tensor& tensor);  // of all levels, outermost first

}  // namespace tessera::graphene
