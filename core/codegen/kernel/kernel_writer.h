// KernelWriter: writes one top-level specification as a __global__ function, statements in order, loops as loops.
//
//     for (k = 0; k < 1024; k += 16) { sync }      for (int k = 0; k < 1024; k += 16) { __syncthreads(); }
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/codegen/address/expression.h"
#include "core/codegen/address/place.h"
#include "core/codegen/address/rotation.h"
#include "core/codegen/kernel/kernel.h"
#include "core/codegen/kernel/prelude.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {

class KernelWriter {
 public:
  KernelWriter(const graphene::Program& program, const CodegenOptions& options, Used& used)
      : program_(program), options_(options), head_(used) {}

  // Records a statement that is outside every body and before the kernel.
  Result<void> before(const graphene::Statement& s);
  Result<Kernel> run(const graphene::Spec& spec, Span span, std::string name);
  // After run: the signature, the lines of the body, and the closing brace.
  [[nodiscard]] std::vector<Writer::Line> lines() { return std::move(text_); }
  // Whether run rejected the kernel because the architecture has too little shared memory.
  [[nodiscard]] bool lacksShared() const { return lacksShared_; }

 private:
  using Roots = std::map<std::string, Root*>;
  struct Scope {
    Roots roots;  // by the name of a view, "%10"
  };

  // kernel_writer.cpp: variables, storage, statements
  Result<void> ranges(const graphene::Spec& spec, Span span);
  Result<void> operands();
  Result<Root*> addRoot(const graphene::Tensor& tensor, Span span, bool operand);
  Root* rootOf(const std::string& name) const;
  void addRotations(const graphene::Spec& spec, Environment& box);
  void declare(Root& root);
  // shared_memory.cpp
  [[nodiscard]] i64 sharedOf(const graphene::Body& statements) const;
  void chooseShared(const graphene::Spec& spec);
  std::string sharedText(const Root& root, const std::string& word);
  void countShared(const Root& root);
  [[nodiscard]] Result<void> enoughShared(Span span);

  void fetchCopies();
  void storeCopies();
  void eachPlace(const Root& root, bool store);
  Kernel described(const graphene::Spec& spec, std::string name);
  std::string signature(const Kernel& kernel);
  std::string withUnused(std::string head);
  Result<void> body(const graphene::Body& statements);
  Result<void> scoped(const graphene::Body& statements);
  Result<void> statement(const graphene::Statement& s);
  Result<void> one(const graphene::Define& d, Span span);
  Result<void> one(const graphene::Temporary& t, Span span);
  Result<void> one(const graphene::Indices& indices, Span span);
  Result<void> one(const graphene::Loop& loop, Span span);
  [[nodiscard]] bool isWide(const graphene::Variable& v) const;
  Result<void> one(const graphene::Branch& branch, Span span);
  Result<void> one(const graphene::Sync& s, Span span);
  Result<void> one(const graphene::Commit& c, Span span);
  Result<void> one(const graphene::Wait& w, Span span);
  Result<void> one(const graphene::Fence& f, Span span);
  Result<void> one(const graphene::Mbarrier& m, Span span);  // bulk.cpp
  Result<void> one(const graphene::Spec& spec, Span span);
  [[nodiscard]] int depthOfIndex(const Expr& value) const;
  // rounds.cpp: a loop split into stages
  Result<void> rotated(const graphene::Loop& loop, Rotation& rotation);
  Result<void> stages(const graphene::Loop& loop, Rotation& rotation, int outside, i64 count, const std::string& guard);
  Result<void> leftOver(const graphene::Loop& loop, Rotation& rotation, int outside);
  void stepPointers(const Rotation& rotation, bool ofStage);
  // conditions.cpp
  std::string comparison(const graphene::Comparison& c);
  std::string converse(const graphene::Comparison& c);
  std::string ofLoops(Linear loops, Linear fixed);
  std::string ofStages(const Rotation& r, bool below, Linear fixed);

  // kernel_text.cpp: expressions and operands as text
  [[nodiscard]] std::vector<int> paramsOf(const Expr& e) const;
  [[nodiscard]] bool inLoop(const Expr& e) const;
  std::string nameOfParam(int param);
  std::string named(const Expr& e);
  std::string text(const Expr& e, bool whole = false);
  [[nodiscard]] Expr known(const Expr& e) const;
  Expr small(const Expr& e);
  Result<Place> place(const graphene::Tensor& tensor);
  Expr address(const Place& p, std::size_t slot);
  std::string value(const Place& p, std::size_t slot);
  std::string pointer(const Place& p, std::size_t slot);
  [[nodiscard]] bool aligned(const Place& p, i64 elements);
  void fixed(const std::string& function);
  void header(const ScalarType& type);

  // bases.cpp: addresses in a rotated loop, through pointers computed before it
  std::string onBase(const Root& root, const Expr& address);
  struct Split {
    Expr from, rest;  // the loop-invariant part, and the offset added by unrolled loops
    Expr changed;     // `from`, with the index of one unrolled loop in it
    int loop = -1;    // that loop
    i64 step = 0;     // per round
    Expr stageStep;   // per stage
  };
  struct Stepped {
    Expr times, others;  // (round * n * stages + stage * stages + others) * times
    i64 stages = 0;
  };
  std::optional<Stepped> stepped(const Expr& part, const Rotation& r) const;
  std::optional<Split> split(const Expr& address, const Rotation& r, int depth, bool far);
  Writer::Name base(const Root& root, const Split& s, const std::string& wish, const std::string& type,
                    const std::string& format, int depth);
  [[nodiscard]] i64 unrolledTrips(int loop) const;

  // warpgroup.cpp: warpgroup products
  void findProducts();
  [[nodiscard]] std::vector<Root*> visibleSums() const;
  void settle();
  [[nodiscard]] static i64 alignmentOf(const Root& root);
  Result<void> product(const graphene::Atom& atom, const graphene::Spec& spec, const std::vector<Place>& places);

  // bulk.cpp: mbarriers and TMA
  struct MapParam {
    Root* root = nullptr;
    Writer::Name name = -1;
    TensorMap map;
    std::vector<int> dims;  // declared, innermost first
  };
  Result<Place> startOf(const graphene::Tensor& tensor);
  Result<MapParam> mapOf(const graphene::AtomBox& box, const graphene::Tensor& global);
  Result<void> bulk(const graphene::Atom& atom, const graphene::Spec& spec);

  // leaf.cpp: instructions
  Result<void> leaf(const graphene::Spec& spec, Span span);
  Result<bool> call(const graphene::Atom& atom, const graphene::Spec& spec, const std::vector<Place>& places);
  void callWith(const std::string& function, const std::vector<Place>& places, const std::vector<int>& slots,
                bool readsOutput);
  Result<void> shuffle(const graphene::Spec& spec, const std::vector<Place>& places);
  Result<void> copy(const graphene::Atom& atom, const std::vector<Place>& places);
  Result<void> convert(const std::vector<Place>& places, std::size_t count);
  void vectorMove(const Place& to, const Place& from, std::size_t count);
  Result<void> compute(const graphene::Atom& atom, const std::vector<Place>& places);
  void constant(const graphene::Atom& atom, const Place& to, std::size_t count);
  bool counted(const std::vector<const Place*>& places, std::size_t count, const std::string& format);
  std::string pairOf(const Place& p, std::size_t slot, bool write);

  const graphene::Program& program_;
  const CodegenOptions& options_;
  Used& head_;
  Writer out_;
  std::unique_ptr<FactBase> facts_;
  std::vector<Expr> values_;                        // of the variables; Index variables simplified
  std::vector<std::optional<Writer::Name>> named_;  // of the variables that have a visible name
  std::vector<int> depthOf_;                        // scope of each variable
  std::vector<std::unique_ptr<Root>> roots_;
  std::vector<Root*> operands_;  // in the program's order
  std::vector<MapParam> maps_;
  std::vector<Scope> scopes_{1};
  std::vector<std::unordered_map<Expr, Writer::Name>> hoisted_;  // by the scope of their definition
  std::unordered_map<Expr, Expr> small_;                         // simplified
  std::vector<Expr> meaning_;  // the expression for each variable: itself, or round * 3 + stage
  std::vector<Rotation> rotations_;
  std::vector<Rotation*> turning_;  // enclosing rotations, and the scope of each
  std::vector<int> turningDepth_;
  std::vector<bool> convergent_;                       // whether all threads reach them
  std::set<const graphene::Tensor*> sums_, matrices_;  // tensors of products, where they are declared
  int branches_ = 0;                                   // enclosing branches that may diverge
  std::string hint_;                                   // for naming expressions
  i64 threads_ = 1;
  bool dynamic_ = false;               // more shared memory than a kernel may declare statically
  bool lacksShared_ = false;           // more than a block of the architecture has
  i64 shared_ = 0, dynamicBytes_ = 0;  // declared; provided by the launch
  Expr blocks_;
  std::vector<graphene::Statement> outside_;
  std::vector<Writer::Line> text_;
};

// "%C <- MatMul(%A, %B)"
[[nodiscard]] std::string commentOf(const graphene::Spec& spec);

}  // namespace tessera::codegen
