#include "ssm/interop/state_file.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr const char* kFormat = "ssm-state-1";

std::string Metadata(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? "" : found->second;
}

}  // namespace

template <Scalar T>
std::string StateFileBytes(const State<T>& state, const std::string& model) {
  TensorFile file = StateTensors(state);
  file.metadata = {{"format", kFormat}, {"model", model}};
  return SafetensorsBytes(file);
}

template <Scalar T>
State<T> ReadStateFile(const std::string& path, const std::string& model,
                       std::span<const SlotSpec> layout) {
  const TensorFile file = ReadSafetensors(path);
  if (Metadata(file, "format") != kFormat) {
    Fail(ExitCode::kBadData,
         fmt::format("{} is no state of \"ssmctl apply\": its metadata do not say {}.",
                     QuotePath(path), kFormat));
  }
  if (Metadata(file, "model") != model) {
    Fail(ExitCode::kBadData,
         fmt::format("{} is the state of another model: it was left by {}, and this one is {}; a "
                     "state goes on only in the model, at the checkpoint, that left it.",
                     QuotePath(path), Metadata(file, "model").substr(0, 12), model.substr(0, 12)));
  }
  return StateFromTensors<T>(file, path, layout);
}

#define SSM_INSTANTIATE(T)                                                  \
  template std::string StateFileBytes(const State<T>&, const std::string&); \
  template State<T> ReadStateFile(const std::string&, const std::string&,   \
                                  std::span<const SlotSpec>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
