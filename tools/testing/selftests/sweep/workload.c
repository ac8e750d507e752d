// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps a kernel busy in many ways until it is killed, or for so many rounds:
 *
 *	workload [ROUNDS]
 *
 * A wrong result is reported and ends it: a probed kernel must behave as without
 * probes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BLOCK		8192

/* For what a kernel must do; some kernels lack a call altogether. */
#define must(condition)	must_(condition, #condition, __LINE__)

static void must_(int good, const char *what, int line)
{
	if (good)
		return;
	printf("workload: line %d: %s: %s\n", line, what, strerror(errno));
	fflush(stdout);
	exit(1);
}

static void fill(char *data, size_t len, int with)
{
	size_t i;

	for (i = 0; i < len; i++)
		data[i] = (char)(i * 31 + with);
}

static void processes(void)
{
	int i, status;

	for (i = 0; i < 3; i++) {
		pid_t child = fork();

		must(child >= 0);
		if (!child) {
			if (i == 0)
				execl("/proc/self/exe", "workload", "0", NULL);
			_exit(i == 0 ? 1 : i);
		}
		must(waitpid(child, &status, 0) == child);
		must(WIFEXITED(status) && WEXITSTATUS(status) == i);
	}
}

static void files(void)
{
	static char out[BLOCK], in[BLOCK];
	char name[64], other[64];
	struct stat st;
	int fd, fd2;

	snprintf(name, sizeof(name), "/tmp/work.%d", getpid());
	snprintf(other, sizeof(other), "/tmp/work.%d.other", getpid());
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(fd >= 0);
	fill(out, BLOCK, getpid());
	must(write(fd, out, BLOCK) == BLOCK);
	must(pread(fd, in, BLOCK, 0) == BLOCK && !memcmp(in, out, BLOCK));
	must(fstat(fd, &st) == 0 && st.st_size == BLOCK);
	fd2 = open(other, O_RDWR | O_CREAT, 0600);
	must(fd2 >= 0 && lseek(fd, 0, SEEK_SET) == 0);
	must(sendfile(fd2, fd, NULL, BLOCK) == BLOCK);
	must(ftruncate(fd, 100) == 0 && fsync(fd) == 0);
	close(fd2);
	close(fd);
	must(rename(other, name) == 0 && stat(name, &st) == 0 && st.st_size == BLOCK);
	must(chmod(name, 0644) == 0 && unlink(name) == 0 && access(name, F_OK) < 0);
}

static void directories(void)
{
	struct dirent *entry;
	char name[64];
	DIR *dir;

	snprintf(name, sizeof(name), "/tmp/dir.%d", getpid());
	must(mkdir(name, 0700) == 0);
	must(symlink("nowhere", "/tmp/dir.link") == 0 || errno == EEXIST);
	must(rmdir(name) == 0);
	dir = opendir("/proc/self/fd");
	must(!!dir);
	while ((entry = readdir(dir)))
		;
	closedir(dir);
}

static void pipes(void)
{
	char out[BLOCK], in[BLOCK];
	int fd[2], i, status;
	pid_t child;

	must(pipe(fd) == 0);
	child = fork();
	must(child >= 0);
	fill(out, BLOCK, 7);
	if (!child) {
		for (i = 0; i < 16; i++)
			must(write(fd[1], out, BLOCK) == BLOCK);
		_exit(0);
	}
	for (i = 0; i < 16 * BLOCK;) {
		int got = read(fd[0], in, BLOCK);

		must(got > 0 && in[0] == (char)(i % BLOCK * 31 + 7));
		i += got;
	}
	must(waitpid(child, &status, 0) == child && !status);
	close(fd[0]);
	close(fd[1]);
}

static void unix_sockets(void)
{
	char out[512], in[512];
	int fd[2], i, type;

	fill(out, sizeof(out), 3);
	for (type = 0; type < 2; type++) {
		must(socketpair(AF_UNIX, type ? SOCK_DGRAM : SOCK_STREAM, 0, fd) == 0);
		for (i = 0; i < 4; i++) {
			must(send(fd[0], out, sizeof(out), 0) == sizeof(out));
			must(recv(fd[1], in, sizeof(in), MSG_WAITALL) == sizeof(in));
			must(!memcmp(in, out, sizeof(in)));
		}
		close(fd[0]);
		close(fd[1]);
	}
}

static int bound_socket(int type, struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, type, 0);

	must(fd >= 0);
	memset(addr, 0, sizeof(*addr));
	addr->sin_family = AF_INET;
	addr->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(bind(fd, (struct sockaddr *)addr, sizeof(*addr)) == 0);
	must(getsockname(fd, (struct sockaddr *)addr, &len) == 0);
	return fd;
}

static void inet_udp(void)
{
	struct sockaddr_in addr, mine;
	int to = bound_socket(SOCK_DGRAM, &addr), from = bound_socket(SOCK_DGRAM, &mine);
	char out[700], in[700];

	fill(out, sizeof(out), 5);
	must(sendto(from, out, sizeof(out), 0, (struct sockaddr *)&addr, sizeof(addr)) ==
	     sizeof(out));
	must(recv(to, in, sizeof(in), 0) == sizeof(in) && !memcmp(in, out, sizeof(in)));
	close(to);
	close(from);
}

static void inet_tcp(void)
{
	struct sockaddr_in addr;
	int server = bound_socket(SOCK_STREAM, &addr);
	int client = socket(AF_INET, SOCK_STREAM, 0), one = 1, conn;
	struct linger now = { .l_onoff = 1 };
	char out[3000], in[3000];

	must(listen(server, 4) == 0);
	setsockopt(client, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	must(connect(client, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	conn = accept(server, NULL, NULL);
	must(conn >= 0);
	fill(out, sizeof(out), 9);
	must(send(client, out, sizeof(out), 0) == sizeof(out));
	must(recv(conn, in, sizeof(in), MSG_WAITALL) == sizeof(in));
	must(!memcmp(in, out, sizeof(in)));
	/* No TIME_WAIT: ports would run out. */
	setsockopt(client, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(client);
	close(conn);
	close(server);
}

static volatile sig_atomic_t signals;

static void on_signal(int nr)
{
	signals++;
}

static void timers(void)
{
	struct itimerspec in_2ms = { .it_value = { .tv_nsec = 2000000 } };
	struct itimerval alarm_2ms = { .it_value = { .tv_usec = 2000 } };
	struct timespec nap = { .tv_nsec = 500000 };
	struct epoll_event event = { .events = EPOLLIN };
	int poller = epoll_create1(0), fd = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned long expired;
	int before = signals;

	must(poller >= 0 && fd >= 0);
	must(epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) == 0);
	must(timerfd_settime(fd, 0, &in_2ms, NULL) == 0);
	must(epoll_wait(poller, &event, 1, 60000) == 1);
	must(read(fd, &expired, sizeof(expired)) == sizeof(expired));
	close(fd);
	close(poller);
	signal(SIGALRM, on_signal);
	must(setitimer(ITIMER_REAL, &alarm_2ms, NULL) == 0);
	while (signals == before)
		nanosleep(&nap, NULL);
}

static void send_signals(void)
{
	int before = signals, i, status;
	pid_t child;

	signal(SIGUSR1, on_signal);
	for (i = 0; i < 4; i++)
		raise(SIGUSR1);
	must(signals >= before + 4);
	child = fork();
	must(child >= 0);
	if (!child)
		for (;;)
			pause();
	must(kill(child, SIGSTOP) == 0 && waitpid(child, &status, WUNTRACED) == child);
	must(WIFSTOPPED(status));
	must(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
	must(WIFSIGNALED(status));
}

static void memory(void)
{
	size_t size = 64 * 4096, i;
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *moved;
	pid_t child;
	int status;

	must(area != MAP_FAILED);
	for (i = 0; i < size; i += 4096)
		area[i] = (char)(i >> 12);
	child = fork();
	must(child >= 0);
	if (!child) {
		for (i = 0; i < size; i += 8192)
			area[i]++;
		_exit(area[4096] != 1);
	}
	must(waitpid(child, &status, 0) == child && !status);
	must(mprotect(area, size / 2, PROT_READ) == 0);
	must(madvise(area + size / 2, size / 2, MADV_DONTNEED) == 0 && area[size / 2] == 0);
	moved = mremap(area + size / 2, size / 2, size, MREMAP_MAYMOVE);
	must(moved != MAP_FAILED && moved[size - 1] == 0);
	/* What is left of it, and what was moved. */
	must(munmap(area, size / 2) == 0 && munmap(moved, size) == 0);
}

static sigset_t all_signals(void)
{
	sigset_t set;

	sigfillset(&set);
	return set;
}

/* The compiler must not know. */
static char * volatile nowhere = (char *)16;

/* A fault that ends in a signal, and system calls that are given bad addresses. */
static void faults(void)
{
	sigset_t set = all_signals(), old;
	struct rlimit none = { 0, 0 };
	int status, fd[2];
	pid_t child = fork();

	must(child >= 0);
	if (!child) {
		setrlimit(RLIMIT_CORE, &none);
		*(volatile char *)nowhere = 1;
		_exit(0);
	}
	must(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	must(pipe(fd) == 0);
	must(write(fd[1], nowhere, 8) == -1 && errno == EFAULT);
	must(write(fd[1], "x", 1) == 1);
	must(read(fd[0], nowhere, 8) == -1 && errno == EFAULT);
	must(open(nowhere, O_RDONLY) == -1 && errno == EFAULT);
	must(uname((struct utsname *)nowhere) == -1 && errno == EFAULT);
	must(sigprocmask(SIG_BLOCK, &set, &old) == 0 && sigprocmask(SIG_SETMASK, &old, NULL) == 0);
	close(fd[0]);
	close(fd[1]);
}

static void proc_files(void)
{
	static const char * const names[] = {
		"/proc/stat", "/proc/meminfo", "/proc/self/maps", "/proc/self/status",
		"/proc/interrupts", "/proc/vmstat", "/proc/loadavg", "/proc/self/stat",
		"/proc/modules", "/proc/softirqs", "/proc/net/tcp", "/proc/self/mounts",
		"/proc/slabinfo", "/proc/timer_list", "/proc/self/smaps", "/proc/buddyinfo",
		"/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/kernel/ostype",
	};
	static char text[BLOCK];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		int fd = open(names[i], O_RDONLY);

		while (fd >= 0 && read(fd, text, sizeof(text)) > 0)
			;
		if (fd >= 0)
			close(fd);
	}
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counted;

static void *count(void *unused)
{
	int i;

	for (i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		counted++;
		if (i % 10 == 0)
			sched_yield();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[3];
	unsigned int i;

	counted = 0;
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		must(pthread_create(&thread[i], NULL, count, NULL) == 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		must(pthread_join(thread[i], NULL) == 0);
	must(counted == 50 * ARRAY_SIZE(thread));
}

static void scheduling(void)
{
	cpu_set_t set, all;
	int i;

	must(sched_getaffinity(0, sizeof(all), &all) == 0);
	for (i = 0; i < 2; i++) {
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		/* The CPU may be offline at the moment. */
		sched_setaffinity(0, sizeof(set), &set);
		sched_yield();
	}
	sched_setaffinity(0, sizeof(all), &all);
	setpriority(PRIO_PROCESS, 0, 1);
	must(getpid() == getpid() && prctl(PR_SET_NAME, "workload") == 0);
}

static void events(void)
{
	unsigned long one = 1, got;
	int fd = eventfd(0, 0);
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	struct iovec vec[2] = { { &got, 4 }, { (char *)&got + 4, 4 } };

	must(fd >= 0);
	must(poll(&poller, 1, 0) == 0);
	must(write(fd, &one, sizeof(one)) == sizeof(one) && poll(&poller, 1, 1000) == 1);
	must(readv(fd, vec, 2) == sizeof(got) && got == 1);
	close(fd);
}

static void (* const kinds[])(void) = {
	processes, files, directories, pipes, unix_sockets, inet_udp, inet_tcp, timers,
	send_signals, memory, faults, proc_files, threads, scheduling, events,
};

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : -1;
	unsigned int i;

	for (; rounds; rounds--) {
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			kinds[i]();
	}
	return 0;
}
