#include "tests/cli/run_command.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace stoker::cli {
namespace {

void redirect(int descriptor, const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
}

[[noreturn]] void become_command(char* const* arguments, const char* output, const char* errors) {
  redirect(STDOUT_FILENO, output);
  redirect(STDERR_FILENO, errors);
  // Tests may run as root, who may read every file; without these, not even root may. Others have
  // nothing to drop, and the calls fail.
  ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
  ::prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0);
  ::execv(STOKER_COMMAND, arguments);
  ::_exit(127);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments,
                          const std::string& output_file) {
  const TemporaryFolder folder;
  const std::string output = output_file.empty() ? folder / "stdout" : output_file;
  const std::string errors = folder / "stderr";
  std::vector<std::string> words{"stoker"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_command(pointers.data(), output.c_str(), errors.c_str());
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          output_file.empty() ? content_of(output) : std::string(), content_of(errors)};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "stoker-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  const auto path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

std::string TemporaryFolder::copy_image(const std::string& image, const std::string& name) const {
  return write(name, content_of(std::string(STOKER_TEST_DATA) + "/jpegs/" + image));
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace stoker::cli
