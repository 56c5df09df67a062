// Side: one of two compared programs at known sizes, ready to run on numbers and on terms.
//
//     TESSERA_TRY(const Side side, Side::of("mlp", program, "sm_80"));
//     side.ports()                  X input [128,128] fp16; W, bias; Y output
//     side.run<Terms>(terms, side.plan(), initial)      initial("X", 5): element [0,5], in row-major order
//
// A port is an operand of the program. Its elements are numbered in row-major order of its declared dimensions, copy by
// copy, so that layouts do not matter: the two sides may store %B by rows and by columns.
//
// Law: run(...).values["Y"][e] is the machine's value (solver/emulate/machine.h) at element e after all kernels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/work_budget.h"
#include "solver/emulate/machine.h"
#include "solver/measure/reference/operand.h"
#include "solver/measure/reference/reference.h"

namespace tessera::graphene {

struct Port {
  std::string name;     // "X"
  std::string element;  // "fp16"
  NumberFormat type;
  std::vector<i64> extents;
  i64 copies = 1;
  i64 elements = 0;     // in all copies
  bool input = false;   // a kernel reads it before one writes it
  bool output = false;  // a kernel writes it
  bool passed = false;  // a kernel reads what an earlier one wrote
  // The first element at the same address; empty: every element has its own.
  std::vector<i64> alias = {};
  [[nodiscard]] std::string shapeText() const;               // "[128,64].fp16"
  [[nodiscard]] std::string elementText(i64 e) const;        // "%Y[3,5]"
  [[nodiscard]] std::vector<i64> coordinateOf(i64 e) const;  // in the declared dimensions
};

template <class Value>
using Values = std::map<std::string, std::vector<Value>, std::less<>>;

template <class Value>
struct SideRun {
  Values<Value> values;  // of the outputs
  std::string finding;   // the first: "O6 races: ..."; empty: none
  std::string stopped;   // why the machine ended early
};

class Side {
 public:
  // The program's sizes are numbers. A Diag if it cannot be run.
  [[nodiscard]] static Result<Side> of(std::string name, std::shared_ptr<const Program> program,
                                       const std::string& architecture);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] const std::vector<Port>& ports() const { return ports_; }
  [[nodiscard]] const Port* port(std::string_view name) const;
  [[nodiscard]] const Plan& plan() const { return *plan_; }
  // Without rounding: floating types are doubles, and constants are the numbers that they round.
  [[nodiscard]] const Plan& exact() const { return *exact_; }
  [[nodiscard]] i64 elements() const;  // of all ports

  // Runs all kernels. `initial`: the value of an element before the run.
  template <class Domain>
  [[nodiscard]] SideRun<typename Domain::Value> run(
      Domain& domain, const Plan& plan,
      const std::function<typename Domain::Value(const Port&, i64 element)>& initial) const;

 private:
  struct Place {
    int root = 0;
    std::vector<measure::PlaceOfElement> at;  // by element
  };
  std::string name_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<const Plan> plan_, exact_;
  std::vector<Port> ports_;
  std::vector<Place> places_;  // of the ports
};

// The number that a constant of a program rounds (ValueTerms): log2(e) / 8 for 0.18033688.
[[nodiscard]] double constantMeant(double value);

template <class Domain>
SideRun<typename Domain::Value> Side::run(
    Domain& domain, const Plan& plan,
    const std::function<typename Domain::Value(const Port&, i64 element)>& initial) const {
  using Value = typename Domain::Value;
  SideRun<Value> out;
  // A step of a warp on terms takes about 3 microseconds, far more than it is counted.
  constexpr i64 kMostSteps = i64{1} << 22;
  Machine<Domain> machine(plan, domain, {.maxSteps = Domain::kRounds ? INT64_MAX : kMostSteps, .count = false});
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    const Root& root = plan.roots[places_[k].root];
    std::vector<Value> values(static_cast<std::size_t>(root.places * root.copies), Domain::undefined());
    spend(ports_[k].elements / 4 + 1);
    for (i64 e = ports_[k].elements; e-- > 0;) {  // the first element at an address is the last to be set
      const measure::PlaceOfElement& at = places_[k].at[static_cast<std::size_t>(e)];
      const i64 place = placeIn(plan, root, at.block, at.thread, at.address);
      if (place >= 0) values[static_cast<std::size_t>(place)] = initial(ports_[k], e);
    }
    machine.fill(places_[k].root, [&](i64 block, i64 thread, i64 address) {
      return values[static_cast<std::size_t>(placeIn(plan, root, block, thread, address))];
    });
  }
  machine.run();
  out.stopped = machine.stopped();
  if (!machine.findings().empty()) {
    const Finding& f = machine.findings().front();
    out.finding = std::string(label(f.obligation)) + " " + std::string(graphene::name(f.obligation)) + ": " + print(f);
  }
  for (std::size_t k = 0; k < ports_.size(); ++k) {
    if (!ports_[k].output) continue;
    spend(ports_[k].elements / 4 + 1);
    std::vector<Value>& values = out.values[ports_[k].name];
    values.reserve(static_cast<std::size_t>(ports_[k].elements));
    for (const measure::PlaceOfElement& at : places_[k].at)
      values.push_back(machine.value(places_[k].root, at.block, at.thread, at.address).value_or(Domain::undefined()));
  }
  return out;
}

}  // namespace tessera::graphene
