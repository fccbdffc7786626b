/*
 * Traffic for `npm run bench:dataplane`, as cheap as sockets allow: what the ruleset costs must not drown in what the
 * measuring costs.
 *
 *   traffic serve ADDRESS PORT                    accepts and closes; answers each byte with a byte
 *   traffic connect ADDRESS PORT SECONDS SERVER   opens one connection after the other; prints how many a second
 *   traffic echo ADDRESS PORT SECONDS SERVER      sends a byte back and forth on one connection; prints round trips a second
 *
 * Seconds are those that the processor spends on both ends, of which the kernel does the work of the node between them:
 * others who use the same processor do not count. SERVER is the process at the other end.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_storage where;
static socklen_t length;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void parse(const char *address, const char *port) {
  struct sockaddr_in *four = (struct sockaddr_in *)&where;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&where;
  if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(atoi(port));
    length = sizeof *four;
  } else if (inet_pton(AF_INET6, address, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(atoi(port));
    length = sizeof *six;
  } else {
    fprintf(stderr, "not an address: %s\n", address);
    exit(2);
  }
}

static clockid_t server_clock;

static double spent_by(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) < 0) fail("clock");
  return time.tv_sec + time.tv_nsec / 1e9;
}

static double now(void) {
  return spent_by(CLOCK_PROCESS_CPUTIME_ID) + spent_by(server_clock);
}

static int opened(void) {
  int one = 1;
  int fd = socket(where.ss_family, SOCK_STREAM, 0);
  if (fd < 0) fail("socket");
  if (connect(fd, (struct sockaddr *)&where, length) < 0) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static void serve(void) {
  int one = 1;
  int listener = socket(where.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&where, length) < 0) fail("bind");
  if (listen(listener, 4096) < 0) fail("listen");
  int poll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    struct epoll_event ready[64];
    int count = epoll_wait(poll, ready, 64, -1);
    for (int i = 0; i < count; i++) {
      int fd = ready[i].data.fd;
      if (fd == listener) {
        int accepted;
        while ((accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          event.data.fd = accepted;
          epoll_ctl(poll, EPOLL_CTL_ADD, accepted, &event);
        }
        continue;
      }
      char byte[64];
      ssize_t got = read(fd, byte, sizeof byte);
      if (got <= 0 || write(fd, byte, got) != got) close(fd);
    }
  }
}

static double connections(double seconds) {
  /* A reset instead of the long goodbye: no port waits for its turn, and each connection is new to the kernel. */
  struct linger reset = {.l_onoff = 1, .l_linger = 0};
  double start = now(), end = start + seconds, at = start;
  long count = 0;
  while (at < end) {
    int fd = opened();
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    if (++count % 16 == 0) at = now();
  }
  return count / (at - start);
}

static double round_trips(double seconds) {
  int fd = opened();
  char byte = 'x';
  double start = now(), end = start + seconds, at = start;
  long count = 0;
  while (at < end) {
    if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1) fail("round trip");
    if (++count % 16 == 0) at = now();
  }
  return count / (at - start);
}

int main(int count, char **words) {
  if (count != 4 && count != 6) {
    fprintf(stderr, "usage: traffic serve|connect|echo ADDRESS PORT [SECONDS SERVER]\n");
    return 2;
  }
  parse(words[2], words[3]);
  if (count == 4) serve();
  double seconds = atof(words[4]);
  if (clock_getcpuclockid(atoi(words[5]), &server_clock) != 0) fail("clock of the server");
  printf("%.1f\n", strcmp(words[1], "echo") == 0 ? round_trips(seconds) : connections(seconds));
  return 0;
}
