// Storage: where the tensors of a kernel lie: parameters, registers and shared memory, and which view is of which.
//
//     %A:[...].fp16.GL             A, a parameter
//     %dst:[...].fp32.RF           dst_local: a copy of the caller's, fetched at the start and stored at the end
//     %a:[...].fp16.SH             __shared__ __align__(16) half a[1024];
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/codegen/address/variables.h"
#include "core/codegen/operand/place.h"

namespace tessera::codegen {

// SharedMemory: shared memory of a kernel: arrays that it declares, up to 48 KiB; beyond that one stretch that the
// launch gives, and pointers into it.
//
//     __shared__ __align__(16) half sA[12288];
//     half* const sA = reinterpret_cast<half*>(tessera::dynamic_shared());
//     half* const sB = reinterpret_cast<half*>(tessera::dynamic_shared() + 40960);

class SharedMemory {
 public:
  // Whether the arrays of these bodies exceed what a kernel may declare decides how each is declared.
  void choose(const graphene::Body& outside, const graphene::Body& body, const Variables& variables);
  // The definition of an array. An operand's is counted when it is used.
  [[nodiscard]] std::string declared(const Root& root, const std::string& word, Writer& out);
  void count(const Root& operand);
  // A Diag: a block of the architecture has less.
  [[nodiscard]] Result<void> enough(const std::string& architecture, Span span) const;

  [[nodiscard]] i64 bytes() const { return declared_ + dynamicBytes_; }
  [[nodiscard]] i64 dynamicBytes() const { return dynamicBytes_; }

 private:
  bool dynamic_ = false;                 // more than a kernel may declare statically
  i64 declared_ = 0, dynamicBytes_ = 0;  // the latter: provided by the launch
};

// Tensors, where they are declared: the sums of warpgroup products, and A in registers; the matrices, and what TMA
// writes.
struct Products {
  std::set<const graphene::Tensor*> sums, matrices;
};
[[nodiscard]] Products productsOf(const graphene::Program& program, const std::string& architecture);

class Storage {
 public:
  Storage(Products products, Variables& variables, Writer& out)
      : products_(std::move(products)), variables_(variables), out_(out) {}

  // A Diag: an element without a C++ type, a size that is a symbol, a temporary in global memory.
  Result<void> operands(const graphene::Program& program);
  Result<void> temporary(const graphene::Temporary& t, Span span);
  void view(const graphene::Define& d);
  // Views and temporaries that are made from here on are visible up to `close`.
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  [[nodiscard]] Root* find(const std::string& name) const;  // "%10"; nullptr: not visible

  void fetchCopies();
  void storeCopies();
  // What the compiler may not move past this place: the registers that products are added to.
  void settle();

  [[nodiscard]] const std::vector<Root*>& parameters() const { return operands_; }  // in the program's order
  [[nodiscard]] SharedMemory& shared() { return shared_; }

 private:
  using Scope = std::map<std::string, Root*>;  // by the name of a view, "%10"
  Result<Root*> add(const graphene::Tensor& tensor, Span span, bool operand);
  void declare(Root& root);
  void eachPlace(const Root& root, bool store);

  Products products_;
  Variables& variables_;
  Writer& out_;
  std::vector<std::unique_ptr<Root>> roots_;
  std::vector<Root*> operands_;
  std::vector<Scope> scopes_{1};
  SharedMemory shared_;
};

}  // namespace tessera::codegen
