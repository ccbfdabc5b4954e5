/**
 * Makes calls on one file fail, in a process that loads this library with LD_PRELOAD. The file that FAULTY_DISK names
 * has one line: an error number, "write" or "sync", and the end of a path, or a part of it that ends with a slash. An
 * empty file means no fault.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_meant(const char *path, const char *name) {
  const char *at = strstr(path, name);
  if (at == NULL || name[strlen(name) - 1] == '/') return at != NULL;
  const char *rest = path + strlen(path) - strlen(name);
  // A file that replaces another one has the ending .new while it is written.
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".new") == 0) return at + strlen(name) + 4 == path + length;
  return rest >= path && strcmp(rest, name) == 0;
}

/** The error with which a call fails; 0 if it does not. */
static int fault_of(const char *path, const char *call) {
  const char *control = getenv("FAULTY_DISK");
  if (control == NULL) return 0;
  char line[512];
  int file = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY);
  if (file < 0) return 0;
  ssize_t length = syscall(SYS_read, file, line, sizeof line - 1);
  syscall(SYS_close, file);
  if (length <= 0) return 0;
  line[length] = 0;
  int number;
  char calls[16], name[400];
  if (sscanf(line, "%d %15s %399s", &number, calls, name) != 3 || strcmp(calls, call) != 0) return 0;
  return is_meant(path, name) ? number : 0;
}

static int fault_at(int fd, const char *call) {
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = 0;
  return fault_of(path, call);
}

#define FAIL(CALL, FAILED) \
  int fault = fault_at(fd, CALL); \
  if (fault != 0) { errno = fault; return FAILED; }
#define REAL(NAME) __typeof__(&NAME) real = dlsym(RTLD_NEXT, #NAME)
#define CALL(TYPE, NAME, KIND, DECLARED, GIVEN) \
  TYPE NAME DECLARED { FAIL(KIND, -1) REAL(NAME); return real GIVEN; }
#define RETURNED(NAME, DECLARED, GIVEN) \
  int NAME DECLARED { int fault = fault_at(fd, "write"); REAL(NAME); return fault != 0 ? fault : real GIVEN; }

CALL(ssize_t, write, "write", (int fd, const void *data, size_t size), (fd, data, size))
CALL(ssize_t, pwrite, "write", (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
CALL(ssize_t, pwrite64, "write", (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
CALL(ssize_t, writev, "write", (int fd, const struct iovec *data, int count), (fd, data, count))
CALL(ssize_t, pwritev, "write", (int fd, const struct iovec *data, int count, off_t at), (fd, data, count, at))
CALL(ssize_t, pwritev64, "write", (int fd, const struct iovec *data, int count, off64_t at), (fd, data, count, at))
CALL(int, ftruncate, "write", (int fd, off_t size), (fd, size))
CALL(int, ftruncate64, "write", (int fd, off64_t size), (fd, size))
CALL(int, fallocate, "write", (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
CALL(int, fallocate64, "write", (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))
RETURNED(posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size))
RETURNED(posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size))
CALL(int, fsync, "sync", (int fd), (fd))
CALL(int, fdatasync, "sync", (int fd), (fd))

/** A new file needs room, too. */
#define OPEN(NAME) \
  int NAME(const char *path, int flags, ...) { \
    mode_t mode = 0; \
    if ((flags & O_CREAT) != 0) { \
      va_list more; \
      va_start(more, flags); \
      mode = va_arg(more, mode_t); \
      va_end(more); \
      int fault = access(path, F_OK) == 0 ? 0 : fault_of(path, "write"); \
      if (fault != 0) { errno = fault; return -1; } \
    } \
    REAL(NAME); \
    return real(path, flags, mode); \
  }

OPEN(open)
OPEN(open64)
