#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "burst/fuse/mount.hpp"
#include "burst/this_node.hpp"
#include "cli/fs.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string job;
  burst::MountOptions mount;
};

Result<int> mount(const Options& options, Output& out) {
  const auto path = job_file(options.job);
  if (!path) return path.error();
  const auto job = burst::Job::read(*path);
  if (!job) return job.error();
  const auto node = burst::server_of_this_node(*job);
  if (!options.mount.foreground)
    out.print("{} shows what {} will hold; end it with 'fusermount3 -u {}'\n", options.mount.point.string(),
              job->backing.string(), options.mount.point.string());
  if (auto told = out.finish(); !told) return told.error();
  if (auto mounted = burst::mount_job(*job, node ? *node : 0, options.mount); !mounted)
    return mounted.error();
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  app.add_option("POINT", options->mount.point, "an empty directory")->required()->type_name("POINT");
  app.add_flag("--foreground", options->mount.foreground, "serve until it is unmounted");
  return [options](Output& out) { return mount(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir fs mount view --job job.json", "the job's files for every program, static ones too"},
    Example{"fusermount3 -u view", "and no longer"},
};

}  // namespace

const Command kFsMount = {
    .name = "mount",
    .summary = "show the job's files to every program, through FUSE",
    .examples = kExamples,
    .define = define,
    .notes =
        "Slower than 'weir run': each call goes through the kernel and back. Shared mappings are not "
        "supported; private ones are.",
};

}  // namespace weir::cli
