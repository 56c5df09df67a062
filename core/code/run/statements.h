// Statements: what a statement of index code does.
#pragma once

#include <string>
#include <vector>

#include "core/code/run/interpreter.h"

namespace tessera::code {

class Statements {
 public:
  static constexpr int kMostIterations = 4096;

  Statements(Interpreter& of, const Tree& tree) : of_(of), tree_(tree) {}

  [[nodiscard]] Result<void> run();

 private:
  [[nodiscard]] Result<void> declare();
  [[nodiscard]] Result<void> definePointer(const Tree& sum, const Type& type);
  [[nodiscard]] Result<void> declareArray(const Type& type);
  [[nodiscard]] Result<void> declareSeveral();
  [[nodiscard]] Result<std::vector<Value>> flattened(const Tree& tree);
  [[nodiscard]] Result<void> alias();
  [[nodiscard]] Result<void> define();
  [[nodiscard]] Result<void> structure();
  [[nodiscard]] Result<void> expression();
  [[nodiscard]] Result<void> condition();
  [[nodiscard]] Result<void> unknownCondition();
  [[nodiscard]] Result<void> loop(const Tree* condition, const Tree* step, const Tree& body, bool bodyFirst);
  struct LoopRange {
    i64 from = 0, by = 1, count = 1;
    Type type;
  };
  [[nodiscard]] bool leaves(const Tree& body) const;
  [[nodiscard]] bool isIndependent(const Tree& body, std::string_view variable);
  [[nodiscard]] std::optional<LoopRange> independent(const Tree& declared, const std::string& name);
  [[nodiscard]] Result<void> asCoordinate(const std::string& name, const LoopRange& range, const Tree& body);
  [[nodiscard]] Result<void> forLoop();
  [[nodiscard]] Result<void> forEach();
  [[nodiscard]] Result<std::vector<Value>> iterated(const Tree& iterable);
  [[nodiscard]] Result<void> choose();
  [[nodiscard]] Result<void> returnValue();
  [[nodiscard]] Result<void> inOwnScope(const std::vector<Tree>& statements);

  Interpreter& of_;
  const Tree& tree_;
};

// The names that a statement assigns, for what depends on data.
void collectAssigned(const Tree& tree, std::vector<std::string>& names);

}  // namespace tessera::code
