// SharedMemory: shared memory of a kernel: arrays that it declares, up to 48 KiB; beyond that one stretch that the
// launch gives, and pointers into it.
//
//     __shared__ __align__(16) half sA[12288];
//     half* const sA = reinterpret_cast<half*>(tessera::dynamic_shared());
//     half* const sB = reinterpret_cast<half*>(tessera::dynamic_shared() + 40960);
#pragma once

#include <string>

#include "core/codegen/address/variables.h"
#include "core/codegen/operand/place.h"

namespace tessera::codegen {

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

}  // namespace tessera::codegen
