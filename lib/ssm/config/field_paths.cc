#include "ssm/config/field_paths.h"

#include <algorithm>
#include <memory>

#include "ssm/config/name_visitor.h"

namespace ssm {
namespace {

class NameList final : public NameVisitor {
 public:
  std::vector<std::string> names;

 protected:
  void Name(const char* name) override { names.emplace_back(name); }
};

class PathList final : public NameVisitor {
 public:
  std::vector<FieldPath> paths;

 protected:
  void Name(const char* name) override {
    const std::string dotted = prefix_ + name;
    const auto same = [&](const FieldPath& path) { return path.dotted == dotted; };
    if (std::none_of(paths.begin(), paths.end(), same)) paths.push_back({dotted, name});
  }
  void Below(const char* name, Configurable* value) override {
    Name(name);
    const std::string before = prefix_;
    prefix_ += std::string(name) + ".";
    value->VisitFields(*this);
    prefix_ = before;
  }
  void Types(const char* name, TaggedField& value) override {
    for (size_t i = 0; i < value.types(); ++i) Below(name, value.Make(i).get());
  }
  void Entries(const char* name, MapField& value) override {
    Name(name);
    const std::string before = prefix_;
    prefix_ += std::string(name) + ".NAME.";
    value.Make()->VisitFields(*this);
    prefix_ = before;
  }

 private:
  std::string prefix_;
};

}  // namespace

std::vector<std::string> FieldNames(Configurable& object) {
  NameList list;
  object.VisitFields(list);
  return list.names;
}

std::vector<FieldPath> FieldPaths(Configurable& root) {
  PathList list;
  root.VisitFields(list);
  return list.paths;
}

}  // namespace ssm
