// Runs tiny programs, and scripts of real ones, bare and preloaded and compares all that can be seen from
// outside: what they print, how they end, and the files they leave. The counts in a program's first comment
// lines then prove that it was really intercepted.
//
//   run [--repeat 100] [NAME...]
//   run --every-call                     only look whether some program counts on each call of the tables
//
// Every run starts in an empty directory with /dev/null as its input. Programs must not print what differs
// between two bare runs. A script is left out where a tool it needs is not installed; exit 77 when nothing
// is left.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counting_handler.hpp"
#include "expected_counts.hpp"

namespace {

namespace fs = std::filesystem;
using weir::CallCounts;

constexpr int kTimeoutMs = 60'000;

struct Options {
  int repeat = 1;
  fs::path library = WEIR_TEST_LIBRARY;
  fs::path programs = WEIR_TEST_PROGRAMS;
  fs::path sources = WEIR_TEST_SOURCES;
  std::vector<std::string> names;
};

// What a run shows to the world.
struct Outcome {
  std::string status;
  std::string out;
  std::string err;
  std::map<std::string, std::string> files;  // mode and content by name
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Sparse files can be larger than memory: beyond this only their size is compared.
constexpr std::uintmax_t kComparedBytes = 4 << 20;

std::string describe(const fs::directory_entry& entry) {
  const auto mode = static_cast<unsigned>(entry.status().permissions());
  if (!entry.is_regular_file()) return fmt::format("{:o} (not a file)", mode);
  const std::uintmax_t size = entry.file_size();
  return fmt::format("{:o} {} bytes {}", mode, size, size <= kComparedBytes ? read_file(entry.path()) : "");
}

std::map<std::string, std::string> read_tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    files[entry.path().lexically_relative(root).string()] = describe(entry);
  return files;
}

// A directory that goes away with all that is in it.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "weir-preload-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      fmt::print(stderr, "run: cannot make a directory {}: {}\n", name, std::strerror(errno));
      std::exit(3);
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void redirect(const fs::path& path, int flags, int to) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0 || dup2(fd, to) != to) _exit(125);
}

[[noreturn]] void become(const fs::path& program, const Scratch& scratch, const fs::path* library) {
  if (chdir((scratch.path() / "work").c_str()) != 0) _exit(125);
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(scratch.path() / "out", O_CREAT | O_WRONLY, STDOUT_FILENO);
  redirect(scratch.path() / "err", O_CREAT | O_WRONLY, STDERR_FILENO);
  closefrom(STDERR_FILENO + 1);  // whoever started us may have left some open
  setenv(weir::kCountsVariable, (scratch.path() / "counts").c_str(), 1);
  if (library != nullptr) setenv("LD_PRELOAD", library->c_str(), 1);
  execl(program.c_str(), program.c_str(), nullptr);
  _exit(126);
}

std::string wait_for(pid_t child) {
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd ended{handle, POLLIN, 0};
  const bool late = handle >= 0 && poll(&ended, 1, kTimeoutMs) == 0;
  if (late) kill(child, SIGKILL);
  if (handle >= 0) close(handle);
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) continue;
  if (late) return fmt::format("did not end within {} s", kTimeoutMs / 1000);
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  return fmt::format("exit {}", WEXITSTATUS(status));
}

Outcome run_once(const fs::path& program, const fs::path* library, CallCounts* counts) {
  const Scratch scratch;
  fs::create_directory(scratch.path() / "work");
  std::ofstream(scratch.path() / "counts") << std::string(sizeof(CallCounts), '\0');
  const pid_t child = fork();
  if (child == 0) become(program, scratch, library);
  Outcome seen;
  seen.status = wait_for(child);
  seen.out = read_file(scratch.path() / "out");
  seen.err = read_file(scratch.path() / "err");
  seen.files = read_tree(scratch.path() / "work");
  const std::string bytes = read_file(scratch.path() / "counts");
  if (counts != nullptr && bytes.size() == sizeof(CallCounts)) weir::load(bytes, *counts);
  return seen;
}

std::string file_of(const Outcome& outcome, const std::string& name) {
  const auto at = outcome.files.find(name);
  return at == outcome.files.end() ? "(absent)" : at->second;
}

// Empty when the two are the same.
std::string difference(const Outcome& bare, const Outcome& preloaded) {
  std::string text;
  const auto compare = [&](std::string_view what, const std::string& a, const std::string& b) {
    if (a != b) text += fmt::format("  {}:\n    bare:      {}\n    preloaded: {}\n", what, a, b);
  };
  compare("status", bare.status, preloaded.status);
  compare("stdout", bare.out, preloaded.out);
  compare("stderr", bare.err, preloaded.err);
  std::map<std::string, std::string> all = bare.files;
  all.insert(preloaded.files.begin(), preloaded.files.end());
  for (const auto& entry : all)
    compare("file " + entry.first, file_of(bare, entry.first), file_of(preloaded, entry.first));
  return text;
}

bool is_installed(const std::string& tool) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / tool).c_str(), X_OK) == 0) return true;
  return false;
}

// The tool that a script needs and this machine lacks; empty when it can run.
std::string lacking(const fs::path& source) {
  for (const std::string& tool : weir::read_needs(source))
    if (!is_installed(tool)) return tool;
  return {};
}

enum class Verdict { good, bad, skipped };

Verdict run_program(const Options& options, const std::string& name) {
  const auto source = weir::find_source(options.sources, name);
  if (!source) {
    fmt::print("{}: no such program in {}\n", name, options.sources.string());
    return Verdict::bad;
  }
  const auto expected = weir::read_expected(*source);
  if (!expected) {
    fmt::print("{}: {}\n", source->string(), expected.error().text());
    return Verdict::bad;
  }
  if (const std::string tool = lacking(*source); !tool.empty()) {
    fmt::print("{}: skipped, there is no {} here\n", name, tool);
    return Verdict::skipped;
  }
  const fs::path program = source->extension() == ".sh" ? *source : options.programs / name;
  for (int round = 1; round <= options.repeat; ++round) {
    auto counts = std::make_unique<CallCounts>();
    const Outcome bare = run_once(program, nullptr, nullptr);
    const Outcome preloaded = run_once(program, &options.library, counts.get());
    std::string wrong = difference(bare, preloaded);
    if (bare.status == "exit 98" || bare.status == "exit 126")
      wrong += fmt::format("  the bare run failed:\n{}", bare.out);
    wrong += weir::unmet(*expected, *counts);
    if (wrong.empty()) continue;
    fmt::print("{}: round {} of {}:\n{}", name, round, options.repeat, wrong);
    return Verdict::bad;
  }
  fmt::print("{}: the same, {} times\n", name, options.repeat);
  return Verdict::good;
}

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--repeat" && i + 1 < words.size()) {
      options.repeat = std::atoi(words[++i].c_str());
      if (options.repeat < 1) return std::nullopt;
    } else if (words[i].starts_with("-")) {
      return std::nullopt;
    } else {
      options.names.push_back(words[i]);
    }
  }
  if (options.names.empty()) options.names = weir::all_programs(options.sources);
  return options;
}

// Whether each call of the tables is in some program's counts.
bool every_call_is_expected() {
  const auto missing = weir::never_expected(WEIR_TEST_SOURCES);
  for (const std::string& call : missing) fmt::print("{}: no program counts on it\n", call);
  return missing.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--every-call") return every_call_is_expected() ? 0 : 1;
  const auto options = parse({argv + 1, argv + argc});
  if (!options) {
    fmt::print(stderr, "usage: run [--repeat N] [PROGRAM...]\n");
    return 2;
  }
  std::size_t bad = 0;
  std::size_t skipped = 0;
  for (const std::string& name : options->names) {
    const Verdict verdict = run_program(*options, name);
    bad += verdict == Verdict::bad ? 1 : 0;
    skipped += verdict == Verdict::skipped ? 1 : 0;
  }
  if (bad != 0 || options->names.empty()) return 1;
  return skipped == options->names.size() ? 77 : 0;
}
