#include "ssm/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "ssm/base/atomic_file.h"
#include "ssm/base/crash_point.h"
#include "ssm/base/descriptor.h"
#include "ssm/base/errors.h"
#include "ssm/base/memory.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr mode_t kFolderMode = 0777;

std::string SystemText(int error) { return std::generic_category().message(error); }

bool Stat(const std::string& path, struct stat& status) {
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

std::string ReadFile(const std::string& path, int64_t limit, std::string_view reason) {
  const Descriptor file(OpenDescriptor(path, O_RDONLY));
  if (file.get() < 0) FailOpen("open", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) FailSystem(ExitCode::kIoError, "inspect", path);
  if (S_ISDIR(status.st_mode)) {
    throw Error(ExitCode::kMissingInput,
                fmt::format("Cannot read {}: it is a folder, not a file.", QuotePath(path)));
  }
  const auto refuse_size = [&](int64_t size) {
    throw Error(
        ExitCode::kBadData,
        fmt::format("{} is too large: {} or more, where at most {} are read{}{}.", QuotePath(path),
                    FormatBytes(size), FormatBytes(limit), reason.empty() ? "" : ", ", reason));
  };
  if (S_ISREG(status.st_mode) && status.st_size > limit) refuse_size(status.st_size);
  std::string bytes;
  // The size is a hint: pipes say 0 and files grow.
  size_t capacity = static_cast<size_t>(std::max<int64_t>(status.st_size, 0)) + 1;
  while (true) {
    const size_t used = bytes.size();
    bytes.resize(std::max(capacity, used + 4096));
    const ssize_t got = Uninterrupted([&] {
      return ::read(file.get(), bytes.data() + used,
                    std::min(bytes.size() - used, size_t{1} << 30));
    });
    if (got < 0) FailSystem(ExitCode::kIoError, "read", path);
    bytes.resize(used + static_cast<size_t>(got));
    if (got == 0) return bytes;
    if (static_cast<int64_t>(bytes.size()) > limit) {
      refuse_size(static_cast<int64_t>(bytes.size()));
    }
    if (bytes.size() >= capacity) capacity = 2 * bytes.size();
  }
}

std::string ReadDataFile(const std::string& path) {
  struct stat status {};
  if (Stat(path, status) && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    throw Error(
        ExitCode::kBadData,
        fmt::format("Cannot read {}: it is a device; name a file or a pipe.", QuotePath(path)));
  }
  return ReadFile(path, AvailableMemory() / 4, "a quarter of the free memory");
}

void AtomicWriteFile(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.WriteAt(0, bytes);
  file.Commit();
}

int64_t RemoveTemporaries(const std::string& folder) {
  int64_t removed = 0;
  for (const std::string& name : ListDirectory(folder)) {
    if (!name.ends_with(kTemporarySuffix)) continue;
    RemoveTree(JoinPath(folder, name));
    ++removed;
  }
  return removed;
}

void WriteNewFile(const std::string& path, std::string_view bytes) {
  Descriptor file(OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL));
  if (file.get() < 0) FailSystem(ExitCode::kCannotCreate, "create", path);
  const size_t half = bytes.size() / 2;
  WriteAll(file.get(), bytes.substr(0, half), path);
  Pass(CrashPoint::kCheckpointWrite);
  WriteAll(file.get(), bytes.substr(half), path);
  Pass(CrashPoint::kCheckpointFsync);
  SyncDescriptor(file.get(), path);
  CloseChecked(file.Release(), path);
}

AppendFile::AppendFile(const std::string& path)
    : path_(path), descriptor_(OpenDescriptor(path, O_WRONLY | O_CREAT | O_APPEND)) {
  if (descriptor_ < 0) FailSystem(ExitCode::kCannotCreate, "open for appending", path);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    Descriptor closed(std::exchange(descriptor_, -1));
    FailSystem(ExitCode::kIoError, "inspect", path);
  }
  size_ = status.st_size;
}

AppendFile::AppendFile(const std::string& path, int64_t keep) : AppendFile(path) {
  SSM_CHECK(keep >= 0, "a file keeps 0 or more bytes");
  if (size_ < keep) {
    throw Error(ExitCode::kBadData,
                fmt::format("{} has {} bytes where at least {} are expected: its end was lost.",
                            QuotePath(path), size_, keep));
  }
  if (Uninterrupted([&] { return ::ftruncate(descriptor_, keep); }) != 0) {
    FailSystem(ExitCode::kIoError, "shorten", path);
  }
  size_ = keep;
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

void AppendFile::Line(std::string_view line) {
  SSM_CHECK(descriptor_ >= 0, "a line for a closed file");
  std::string whole(line);
  whole += '\n';
  // One write; two only where a test wants to kill between them.
  const size_t half = CrashPointsWatched() ? whole.size() / 2 : 0;
  if (half > 0) WriteAll(descriptor_, std::string_view(whole).substr(0, half), path_);
  Pass(CrashPoint::kMetricsAppend);
  WriteAll(descriptor_, std::string_view(whole).substr(half), path_);
  size_ += static_cast<int64_t>(whole.size());
}

void AppendFile::Sync() { SyncDescriptor(descriptor_, path_); }

void AppendFile::Close() {
  if (descriptor_ >= 0) CloseChecked(std::exchange(descriptor_, -1), path_);
}

bool Exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat status {};
  return Stat(path, status) && S_ISDIR(status.st_mode);
}

int64_t FileSize(const std::string& path) {
  struct stat status {};
  if (!Stat(path, status)) FailOpen("find", path);
  return status.st_size;
}

bool TryMakeDirectory(const std::string& path) {
  if (::mkdir(path.c_str(), kFolderMode) == 0) return true;
  if (errno == EEXIST) return false;
  FailSystem(ExitCode::kCannotCreate, "make the folder", path);
}

void MakeDirectory(const std::string& path) {
  if (!TryMakeDirectory(path)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("Cannot make the folder {}: it exists.", QuotePath(path)));
  }
}

void MakeDirectories(const std::string& path) {
  if (path.empty() || IsDirectory(path)) return;
  const std::string parent = ParentPath(path);
  if (parent != path) MakeDirectories(parent);
  if (!TryMakeDirectory(path) && !IsDirectory(path)) {
    throw Error(
        ExitCode::kCannotCreate,
        fmt::format("Cannot make the folder {}: a file of that name exists.", QuotePath(path)));
  }
}

void RequireWritable(const std::string& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  const int error = errno;
  throw Error(ExitCode::kCannotCreate,
              fmt::format("Cannot write into the folder {}: {}; ask whoever owns it, or work on a "
                          "copy.",
                          QuotePath(folder), SystemText(error)));
}

void RenameDurably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    throw Error(ExitCode::kIoError, fmt::format("Cannot rename {} to {}: {}.", QuotePath(from),
                                                QuotePath(to), SystemText(error)));
  }
  FsyncDirectory(ParentPath(to));
}

void FsyncDirectory(const std::string& path) {
  const Descriptor folder(OpenDescriptor(path, O_RDONLY | O_DIRECTORY));
  if (folder.get() < 0) FailSystem(ExitCode::kIoError, "open the folder", path);
  // Some file systems cannot sync a folder and say EINVAL: nothing more can be done there.
  if (Uninterrupted([&] { return ::fsync(folder.get()); }) != 0 && errno != EINVAL) {
    FailSystem(ExitCode::kIoError, "sync the folder", path);
  }
}

void RemoveTree(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return;
    FailSystem(ExitCode::kIoError, "inspect", path);
  }
  if (S_ISDIR(status.st_mode)) {
    for (const std::string& name : ListDirectory(path)) RemoveTree(JoinPath(path, name));
    if (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
      FailSystem(ExitCode::kIoError, "remove the folder", path);
    }
  } else if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    FailSystem(ExitCode::kIoError, "remove", path);
  }
}

std::vector<std::string> ListDirectory(const std::string& path) {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) FailOpen("list the folder", path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  ::closedir(folder);
  if (error != 0) {
    errno = error;
    FailSystem(ExitCode::kIoError, "list the folder", path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  if (folder.empty() || folder == "." || name.starts_with('/')) return std::string(name);
  std::string path(folder);
  if (name.empty() || name == ".") return path;
  if (path.back() != '/') path += '/';
  return path + std::string(name);
}

std::string ParentPath(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string BaseName(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path
                                                                         : path.substr(slash + 1));
}

}  // namespace ssm
