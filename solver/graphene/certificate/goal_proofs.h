// GoalProofs: proves goals of one obligation of a kernel, and keeps their proofs. Shared by the obligations.
//
//     prove("0/0/0/below", instances of site 0, -1 - coordinate)        the coordinate is not negative
//     agree("0/once", two copies, a.own, b.own, true)                   they are the same instance
//
// Law: what prove() accepts has a proof in the certificate, under this name.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solver/graphene/certificate/certificate.h"
#include "solver/graphene/certificate/instances.h"

namespace tessera::graphene {

using Conditions = std::vector<Expr>;  // each >= 0
void append(Conditions& to, const Conditions& more);
void equate(Conditions& to, const Expr& a, const Expr& b);
void equate(Conditions& to, const std::vector<Expr>& a, const std::vector<Expr>& b);

// Pairs of expressions of two copies that may be equal.
struct AgreeHelpers {
  std::vector<Expr> a, b;
};

class GoalProofs {
 public:
  using Values = std::map<std::string, LinearForm>;  // of variables

  // `stated`: the program with its assumptions.
  GoalProofs(const Z3Kernel& kernel, Obligation o, const Program& stated);
  // Sets why the obligation has no certificate; the first reason is kept. Returns false.
  bool fail(std::string why);
  // `wrong` >= 0 contradicts the conditions.
  bool prove(const std::string& name, const Conditions& conditions, const std::optional<LinearForm>& wrong);
  bool prove(const std::string& name, const Conditions& conditions, const Expr& wrong) {
    return prove(name, conditions, forms.of(wrong));
  }
  // Whether the form is >= 0 under the conditions, with a short proof, or one sum. Keeps nothing.
  [[nodiscard]] bool holds(const Conditions& conditions, const LinearForm& form, bool oneSum = false);
  bool proveEqual(const std::string& name, const Conditions& conditions, const Expr& a, const Expr& b) {
    return prove(name + "/more", conditions, a - b - 1) && prove(name + "/less", conditions, b - a - 1);
  }
  // The same, where a is over the digits of a copy with these values.
  bool proveEqual(const std::string& name, const Conditions& given, const Expr& a, const Values& values, const Expr& b);
  // No two points of the conditions differ in these digits, in the order of the goals: those proved equal are
  // conditions of the next ones. `symmetric`: one direction suffices. `helpers`: pairs that may be equal too, tried if
  // the digits alone have no proof.
  bool agree(const std::string& name, Conditions all, const std::vector<Expr>& a, const std::vector<Expr>& b,
             bool symmetric, const AgreeHelpers& helpers = {});
  // The instance with these values of its digits exists and is at the place.
  bool isInstance(const std::string& name, const Conditions& given, const Conditions& conditions, const Values& values,
                  const std::vector<Expr>& axes, const std::vector<Expr>& place);

  // The digits of the instances made since restart(), if the values of the axes determine them. The first axes are the
  // sizes.
  struct Inverse {
    std::vector<std::string> names;
    std::vector<Expr> digits;  // by name, over the axes as digits
  };
  [[nodiscard]] std::optional<Inverse> inverted(const std::vector<Expr>& axes, const std::vector<i64>& extents,
                                                const Conditions& conditions) const;
  // The sizes, as the first axes.
  [[nodiscard]] std::vector<Expr> sizeAxes() const;
  [[nodiscard]] std::vector<i64> reachOf(const std::vector<Expr>& axes) const;  // their largest values + 1
  // The digits of an instance at these values of the axes; their texts are added to `chosen`.
  Values valuesAt(const Inverse& inverse, const std::vector<Expr>& axes, ChosenInstance& chosen);
  // Chooses the instance of the site at these values of the axes, and returns its digits.
  Values choose(const std::string& name, std::size_t site, const Inverse& inverse, const std::vector<Expr>& axes);
  // Forgets the goals and choices after these numbers of them.
  struct Mark {
    std::size_t goals, choices;
  };
  [[nodiscard]] Mark mark() const { return {out.goals.size(), out.choices.size()}; }
  void forget(const Mark& mark);

  // The contributions of a copy to a product that is accumulated in place, as (m, n, k), and its three accesses.
  struct Contributions {
    std::vector<Expr> at, extents;
    std::vector<SiteSpot> spots;
  };
  [[nodiscard]] std::optional<Contributions> contributions(const SiteCopy& a);

  [[nodiscard]] const Site& site(std::size_t k) const { return *kernel.own()[k]; }
  [[nodiscard]] std::size_t count() const { return kernel.own().size(); }
  [[nodiscard]] Memory memoryOf(int storage) const { return kernel.sites().of(storage).declared.memory; }
  [[nodiscard]] bool isProduct() const { return spec.kind == SpecKind::MatMul; }

  const Z3Kernel& kernel;
  const Spec& spec;
  Instances instances;
  LinearForms forms;
  ObligationCertificate out;
  std::vector<LinearForm> cases;  // each >= 0; conditions of all goals while they are here

 private:
  std::optional<CertifiedGoal> refuted(const std::string& name, const Conditions& conditions, const LinearForm& wrong,
                                       int nodes);
  std::optional<LinearForm> beyond(const Expr& a, const Values& values, const Expr& b, bool more);
  int nodes_;  // of a proof
};

[[nodiscard]] LinearForm lessOne(const LinearForm& form, i64 times);  // form * times - 1; times is 1 or -1

// An instance that may be chosen: it is one where all of `needed` are >= 0. `places` are too; they are not tested.
struct CaseCandidate {
  ChosenInstance chosen;  // without a name
  std::vector<LinearForm> needed, places;
  std::function<bool(const std::string& path)> proved;  // proves the goals of the choice in a case
};
// Chooses by cases: the first candidate that exists, which is tested where it does not exist everywhere. Those that do
// come first, unless `inOrder`. Keeps the choice.
bool chooseByCases(GoalProofs& proofs, const std::string& name, const Conditions& given,
                   const std::vector<CaseCandidate>& candidates, bool inOrder);

// The cases of the first and the last phase in which the instances of a site access their places. A copy (cp.async)
// accesses them until a wait of its thread, before which more groups are closed than it leaves open.
class Spans {
 public:
  struct Span {
    std::string path;               // "/then/else", in the choice of the wait
    std::vector<LinearForm> cases;  // each >= 0
    LinearForm first, last;
  };
  explicit Spans(GoalProofs& proofs) : p_(proofs) {}
  // Proves that counts of barriers and groups are right, and (`copies`) finds the waits.
  bool prepare(bool copies);
  // Requires: the site has a phase.
  [[nodiscard]] std::vector<Span> of(const SiteCopy& copy) const;

 private:
  bool counts();
  bool find(std::size_t s);
  std::optional<CaseCandidate> endsAt(std::size_t s, int wait);

  GoalProofs& p_;
  std::map<const Site*, std::vector<Span>> copies_;  // over the variables of a copy without a suffix
};

// The obligations. Return whether all goals are proved.
bool boundsGoals(GoalProofs& proofs);
bool coverageGoals(GoalProofs& proofs);
bool uniquenessGoals(GoalProofs& proofs);
bool raceGoals(GoalProofs& proofs);
bool definednessGoals(GoalProofs& proofs);
bool valueGoals(GoalProofs& proofs);

}  // namespace tessera::graphene
