#include "reference/reference_case.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"

namespace ssm::reference {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kParts = {"settings", "inputs", "outputs", "cotangents", "gradients"};

[[noreturn]] void Bad(const std::string& file, const std::string& what) {
  Fail(ExitCode::kBadData, file + ": " + what);
}

void RequireKeys(const std::string& file, const std::string& where, const Json& object,
                 const Layout& keys) {
  if (!object.is_object()) Bad(file, where + " is not an object");
  for (const std::string& key : keys.required) {
    if (!object.contains(key)) Bad(file, where + " has no \"" + key + "\"");
  }
  for (const auto& item : object.items()) {
    if (keys.required.count(item.key()) == 0 && keys.optional.count(item.key()) == 0) {
      Bad(file, where + " has an unknown key \"" + item.key() + "\"");
    }
  }
}

std::vector<double> ReadNumbers(const std::string& file, const std::string& where,
                                const Json& list) {
  if (!list.is_array()) Bad(file, where + " is not a list");
  std::vector<double> numbers;
  for (const Json& number : list) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) {
      Bad(file, where + " holds something that is not a finite number");
    }
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

Shape ReadShape(const std::string& file, const std::string& where, const Json& list) {
  std::vector<int64_t> axes;
  for (double axis : ReadNumbers(file, where + "/shape", list)) {
    if (axis < 0 || axis != std::floor(axis)) Bad(file, where + "/shape is not one of sizes");
    axes.push_back(static_cast<int64_t>(axis));
  }
  if (axes.size() > static_cast<size_t>(Shape::kMaxRank)) Bad(file, where + " has too many axes");
  return Shape(axes.data(), static_cast<int>(axes.size()));
}

Array<double> ReadArray(const std::string& file, const std::string& where, const Json& object) {
  const bool complex = object.is_object() && object.contains("real");
  RequireKeys(file, where, object,
              {complex ? std::set<std::string>{"shape", "real", "imag"}
                       : std::set<std::string>{"shape", "data"},
               {}});
  const Shape shape = ReadShape(file, where, object["shape"]);
  const std::vector<double> real = ReadNumbers(file, where, object[complex ? "real" : "data"]);
  const std::vector<double> imag =
      complex ? ReadNumbers(file, where, object["imag"]) : std::vector<double>();
  const size_t size = static_cast<size_t>(shape.size());
  if (real.size() != size || (complex && imag.size() != size)) {
    Bad(file, fmt::format("{} has {} elements, its shape {} asks for {}", where, real.size(),
                          shape.ToString(), size));
  }
  Array<double> array(complex ? shape.Append(2) : shape);
  const int64_t stride = complex ? 2 : 1;
  for (int64_t i = 0; i < shape.size(); ++i) {
    array[i * stride] = real[static_cast<size_t>(i)];
    if (complex) array[i * stride + 1] = imag[static_cast<size_t>(i)];
  }
  return array;
}

Arrays ReadArrays(const std::string& file, const std::string& part, const Json& root) {
  Arrays arrays;
  if (!root.contains(part)) return arrays;
  if (!root[part].is_object()) Bad(file, "/" + part + " is not an object");
  for (const auto& item : root[part].items()) {
    arrays.emplace(item.key(), ReadArray(file, "/" + part + "/" + item.key(), item.value()));
  }
  return arrays;
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Json ReadJson(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) Fail(ExitCode::kMissingInput, path + " cannot be opened");
  Json root = Json::parse(in, nullptr, false);
  if (root.is_discarded()) Bad(FileName(path), "is not JSON");
  if (!root.is_object() || !root.contains("kind") || !root["kind"].is_string()) {
    Bad(FileName(path), "has no \"kind\"");
  }
  return root;
}

}  // namespace

std::string ReadKind(const std::string& path) { return ReadJson(path)["kind"].get<std::string>(); }

ReferenceCase ReadCase(const std::string& path) {
  ReferenceCase c;
  c.file = FileName(path);
  c.folder = path.substr(0, path.size() - c.file.size());
  const Json root = ReadJson(path);
  for (const auto& item : root.items()) {
    const bool part = kParts.count(item.key()) > 0;
    // Whatever else a file says of itself is prose.
    if (!part && !item.value().is_string())
      Bad(c.file, "has an unknown key \"" + item.key() + "\"");
  }
  for (const char* part : {"inputs", "outputs"}) {
    if (!root.contains(part)) Bad(c.file, std::string("has no \"") + part + "\"");
  }
  c.kind = root["kind"].get<std::string>();
  const Json settings = root.value("settings", Json::object());
  if (!settings.is_object()) Bad(c.file, "/settings is not an object");
  for (const auto& item : settings.items()) {
    if (item.value().is_number()) c.numbers[item.key()] = item.value().get<double>();
    if (item.value().is_string()) c.words[item.key()] = item.value().get<std::string>();
    if (item.value().is_boolean())
      c.words[item.key()] = item.value().get<bool>() ? "true" : "false";
  }
  c.inputs = ReadArrays(c.file, "inputs", root);
  c.outputs = ReadArrays(c.file, "outputs", root);
  c.cotangents = ReadArrays(c.file, "cotangents", root);
  c.gradients = ReadArrays(c.file, "gradients", root);
  return c;
}

void Require(const ReferenceCase& c, const std::string& part, const Arrays& arrays,
             const Layout& layout) {
  for (const std::string& name : layout.required) {
    if (arrays.count(name) == 0) Bad(c.file, "/" + part + " has no \"" + name + "\"");
  }
  for (const auto& [name, array] : arrays) {
    if (layout.required.count(name) == 0 && layout.optional.count(name) == 0) {
      Bad(c.file, "/" + part + "/" + name + " is unknown to kind " + c.kind);
    }
  }
}

void RequireSettings(const ReferenceCase& c, const std::set<std::string>& numbers,
                     const std::set<std::string>& words) {
  const auto check = [&](const auto& found, const std::set<std::string>& wanted) {
    for (const std::string& name : wanted) {
      if (found.count(name) == 0) Bad(c.file, "/settings has no \"" + name + "\"");
    }
    for (const auto& [name, value] : found) {
      if (wanted.count(name) == 0) Bad(c.file, "/settings/" + name + " is unknown to " + c.kind);
    }
  };
  check(c.numbers, numbers);
  check(c.words, words);
}

const Array<double>& Shaped(const ReferenceCase& c, const Arrays& arrays, const std::string& name,
                            const Shape& shape) {
  const Array<double>& array = arrays.at(name);
  if (!(array.shape() == shape)) {
    Bad(c.file, fmt::format("{} has shape {}, kind {} expects {}", name, array.shape().ToString(),
                            c.kind, shape.ToString()));
  }
  return array;
}

}  // namespace ssm::reference
