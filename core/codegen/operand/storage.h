// Storage: where the tensors of a kernel are stored (parameters, registers, shared memory), and the root of each view.
//
//     %A:[...].fp16.GL             A, a parameter
//     %dst:[...].fp32.RF           dst_local: a copy of the caller's tensor, loaded at the start and stored at the end
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

// SharedMemory: the shared memory of a kernel. Up to 48 KiB are declared as arrays; beyond that, all of it is one block
// of memory from the launch, with pointers into it.
//
//     __shared__ __align__(16) half sA[12288];
//     half* const sA = reinterpret_cast<half*>(tessera::dynamic_shared());
//     half* const sB = reinterpret_cast<half*>(tessera::dynamic_shared() + 40960);

class SharedMemory {
 public:
  // Decides how arrays are declared: whether those of these bodies exceed what a kernel may declare.
  void choose(const graphene::Body& outside, const graphene::Body& body, const Variables& variables);
  // The definition of an array. Operands are counted separately, if they are used.
  [[nodiscard]] std::string declared(const Root& root, const std::string& word, Writer& out);
  void count(const Root& operand);
  // A Diag: a block of the architecture has less shared memory.
  [[nodiscard]] Result<void> enough(const std::string& architecture, Span span) const;

  [[nodiscard]] i64 bytes() const { return declared_ + dynamicBytes_; }
  [[nodiscard]] i64 dynamicBytes() const { return dynamicBytes_; }

 private:
  bool dynamic_ = false;                 // they exceed what a kernel may declare
  i64 declared_ = 0, dynamicBytes_ = 0;  // the latter: provided by the launch
};

// Declared tensors: `sums` and A in registers of warpgroup products; `matrices` in shared memory, and what TMA writes.
struct Products {
  std::set<const graphene::Tensor*> sums, matrices;
};
[[nodiscard]] Products productsOf(const graphene::Program& program, const std::string& architecture);

class Storage {
 public:
  Storage(Products products, Variables& variables, Writer& out)
      : products_(std::move(products)), variables_(variables), out_(out) {}

  // A Diag: an element type has no C++ type, a size is symbolic, a temporary is in global memory.
  Result<void> operands(const graphene::Program& program);
  Result<void> temporary(const graphene::Temporary& t, Span span);
  void view(const graphene::Define& d);
  // Views and temporaries defined from here on are visible until `close`.
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  [[nodiscard]] Root* find(const std::string& name) const;  // "%10"; nullptr: not visible

  void fetchCopies();
  void storeCopies();
  // Keeps the compiler from moving accesses to the registers of warpgroup products past this point.
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
