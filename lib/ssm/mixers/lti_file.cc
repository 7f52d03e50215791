#include "ssm/mixers/lti_file.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/systems/stability.h"

namespace ssm {
namespace {

void RequireFit(const LtiFile& file, const std::string& where, int64_t d_model, int64_t states) {
  const int64_t inputs = file.B().cols, outputs = file.C().rows, found = file.A().rows;
  if (inputs != d_model || outputs != d_model) {
    Fail(ExitCode::kBadConfig,
         fmt::format("{} has {} and {}, but the layer takes and gives d_model = {}: name a system "
                     "with as many of both{}.",
                     where, FormatCount(inputs, "input"), FormatCount(outputs, "output"), d_model,
                     inputs == outputs ? fmt::format(", or set model.d_model to {}", inputs) : ""));
  }
  if (states != 0 && states != found) {
    Fail(ExitCode::kBadConfig, fmt::format("{} has {}, but d_state is {}: leave d_state out.",
                                           where, FormatCount(found, "state"), states));
  }
}

}  // namespace

const Matrix& LtiFile::A() const {
  return std::visit([](const auto& system) -> const Matrix& { return system.A; }, contents.system);
}
const Matrix& LtiFile::B() const {
  return std::visit([](const auto& system) -> const Matrix& { return system.B; }, contents.system);
}
const Matrix& LtiFile::C() const {
  return std::visit([](const auto& system) -> const Matrix& { return system.C; }, contents.system);
}
const Matrix& LtiFile::D() const {
  return std::visit([](const auto& system) -> const Matrix& { return system.D; }, contents.system);
}

LtiFile ReadLtiFile(const std::string& directory, const std::string& file, int64_t layer,
                    int64_t d_model, int64_t states) {
  const std::string path = JoinPath(directory, file);
  const LtiFile read{ReadSystemFile(path), Sha256File(path)};
  const std::string where = fmt::format("model.layers[{}].mixer: {}", layer, QuotePath(path));
  RequireFit(read, where, d_model, states);
  const StabilityReport report =
      std::visit([](const auto& system) { return StabilityOf(system); }, read.contents.system);
  if (report.verdict != Stability::kStable) {
    LogWarning(fmt::format("{} is {}", where, report.Text()));
  }
  return read;
}

}  // namespace ssm
