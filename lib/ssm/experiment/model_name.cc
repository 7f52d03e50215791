#include "ssm/experiment/model_name.h"

#include <fmt/format.h>

namespace ssm {

std::string ModelName(const ModelOptions& options) {
  std::string name;
  for (int64_t i = 0; i < options.layers.size();) {
    const std::string& type = options.layers.at(i).mixer.type();
    int64_t run = 1;
    while (i + run < options.layers.size() && options.layers.at(i + run).mixer.type() == type) {
      ++run;
    }
    name += fmt::format("{}{} x {}", i > 0 ? ", " : "", run, type);
    i += run;
  }
  return fmt::format("{}, d_model {}", name, options.d_model);
}

}  // namespace ssm
