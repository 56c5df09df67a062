// Finds the scopes of a file, and where it declares, changes and accesses names. Private to declarations.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/code/declarations.h"

namespace tessera::code {

class Declarations::Builder {
 public:
  explicit Builder(Declarations& out) : out_(out), isPython_(out.language_ == Language::Python) {}
  void run();

 private:
  // Where a tree is.
  struct In {
    int scope = 0;
    const Tree* statement = nullptr;
  };
  void add(const std::string& name, const Tree& tree, const In& in, What what, std::size_t begin);
  [[nodiscard]] int open(int parent, ScopeKind kind, Span span);
  void all(const std::vector<Tree>& trees, int scope);
  void statement(const Tree& tree, int scope);
  void declare(const Tree& tree, const In& in, What what);
  void function(const Tree& tree, int scope);
  void structure(const Tree& tree, int scope);
  void space(const Tree& tree, int scope);
  void loop(const Tree& tree, int scope);
  void directive(const Tree& tree, const In& in);
  void import(const Tree& tree, const In& in);
  void opaque(const Tree& tree, const In& in);
  void expression(const Tree& tree, const In& in);
  void assign(const Tree& tree, const In& in);
  void target(const Tree& tree, const In& in, What what);
  void subscript(const Tree& tree, const In& in);
  void parameters(const std::vector<Tree::Parameter>& list, const Tree& of, int scope);
  [[nodiscard]] std::size_t columnOf(std::size_t at) const;

  Declarations& out_;
  bool isPython_;
  std::map<std::pair<int, std::string>, int, std::less<>> spaces_;
  std::vector<Branch> branches_;
  int conditions_ = 0;  // #if so far
};

}  // namespace tessera::code
