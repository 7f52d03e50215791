#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <ctime>

#include "ssm/base/build_info.h"
#include "ssm/base/cpu.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {
namespace {

std::string UtcStamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, HOST_NAME_MAX) == 0 ? name : "unknown";
}

std::string WorkingDirectory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof(path)) != nullptr ? path : ".";
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

void RunManifest::VisitFields(FieldVisitor& visitor) {
  visitor.Text("version", version, "of this program");
  visitor.Text("commit", commit, "of its sources");
  visitor.Text("compiler", compiler, "that built it");
  visitor.Text("build_type", build_type, "of the build");
  visitor.Text("flags", flags, "as the compiler got them");
  visitor.Text("arch", arch, "SSM_ARCH of the build");
  visitor.Text("isa", isa, "instruction sets compiled in");
  visitor.Text("eigen", eigen, "version of Eigen");
  visitor.Text("fftw", fftw, "version of FFTW");
  visitor.Text("cpu", cpu, "processor it ran on");
  visitor.Text("host", host, "machine it ran on");
  visitor.Text("started", started, "UTC");
  visitor.Text("slurm_job", slurm_job, "SLURM_JOB_ID");
  visitor.Int("threads", threads, {.min = 1}, "threads; results do not depend on them");
  visitor.Int("seed_init", seed_init, {.min = 0}, "seed.init");
  visitor.Int("seed_data", seed_data, {.min = 0}, "seed.data");
  visitor.Int("seed_eval", seed_eval, {.min = 0}, "seed.eval");
  visitor.TextList("arguments", arguments, "command line");
  visitor.Text("working_directory", working_directory, "where it was started");
  visitor.Text("config_directory", config_directory, "where relative paths of the config start");
  visitor.Text("data_sha256", data_sha256, "of the files the task read; empty: none");
  visitor.Text("model_sha256", model_sha256, "of the files the layers read; empty: none");
  visitor.Real("flops_per_step", flops_per_step, NonNegative(),
               "FLOPs of one training step, forward and backward; 0: not known");
}

RunManifest MakeManifest(const Experiment& experiment, int threads,
                         const std::vector<std::string>& arguments) {
  const BuildInfo& build = GetBuildInfo();
  RunManifest manifest;
  manifest.version = build.version;
  manifest.commit = build.commit;
  manifest.compiler = build.compiler;
  manifest.build_type = build.build_type;
  manifest.flags = build.flags;
  manifest.arch = build.arch;
  manifest.isa = build.isa;
  manifest.eigen = build.eigen;
  manifest.fftw = build.fftw;
  manifest.cpu = CpuName();
  manifest.host = HostName();
  manifest.started = UtcStamp();
  manifest.slurm_job = Environment("SLURM_JOB_ID");
  manifest.threads = threads;
  manifest.seed_init = experiment.config->seed.init;
  manifest.seed_data = experiment.config->seed.data;
  manifest.seed_eval = experiment.config->seed.eval;
  manifest.arguments = arguments;
  manifest.working_directory = WorkingDirectory();
  manifest.config_directory = experiment.directory;
  manifest.data_sha256 = experiment.config->task->DataDigest();
  manifest.model_sha256 = experiment.config->model.FileDigest();
  return manifest;
}

}  // namespace ssm
