// Provenance: traces the value at a place of a kernel back to the inputs, for all instances at once.
//
//     %y[i] = Move(%s[i]), %s[i] = exp(%x[i])        from %y[i]: the operation exp on the input %x at i
//
// Each choice of writers is reported separately. Requires single-thread instructions without sums in temporaries.
//
// Law: if exact(), each traced place has one writer, so a wrong value refutes the program.
#pragma once

#include <functional>

#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

class Provenance {
 public:
  // The actual or the specified value of a place, over the digits of a box: an element of an input, a constant, or an
  // operation on such values.
  struct Value {
    enum class Kind : unsigned char { Input, Constant, Operation } kind = Kind::Constant;
    std::string name = {};           // of the operation; the constant as text
    double number = 0;               // of the constant
    int storage = -1;                // of the input; -1: none
    std::vector<Expr> at = {};       // its element: this coordinate
    std::vector<Expr> extents = {};  // in these extents; another shape is read by the lexicographic index
    std::vector<Value> arguments = {};
    std::size_t input = 0;  // of the specification: the operand
  };
  using Done = std::function<bool(const Box&, const Value&)>;  // false: stop

  explicit Provenance(const Z3Kernel& kernel) : kernel_(kernel) {}

  // Reports the value that the writer at `out` stores. Returns false if it stopped, or cannot trace it: reason().
  bool written(Box& box, const Place& out, const Done& done, int depth = 0);
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] bool exact() const { return exact_; }

 private:
  bool fail(std::string reason);
  // The operation of the scalar atom, after its first arguments.
  bool operation(Box& box, const Place& out, const std::vector<Value>& first, const Done& done, int depth);
  // Input `k` of the scalar atom, at the slot of `out`.
  bool operand(Box& box, const Place& out, int k, const Done& done, int depth);
  bool read(Box& box, const Place& in, const Done& done, int depth);
  // Whether a single instance of the site writes each place of a storage.
  bool once(const Site& site, const Access& access);

  const Z3Kernel& kernel_;
  std::string reason_;
  bool exact_ = true;
};

}  // namespace tessera::graphene
