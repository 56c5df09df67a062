// Names: a copy-on-write list of names shared by many tensors. Every tensor of a program refers to the names of all
// variables, and a program with ten thousand loops has as many tensors; a copy of the list is a pointer.
//
//     Names a = {"M", "N"}, b = a;   b.add("k");         a has two names, b three
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::graphene {

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

}  // namespace tessera::graphene
