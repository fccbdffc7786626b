/*
 * Traffic for `npm run bench:dataplane`, as cheap as sockets allow: what the ruleset costs must not drown in what the
 * measuring costs.
 *
 *   traffic serve ADDRESS PORT              accepts and closes; answers each byte with a byte
 *   traffic connect SECONDS PORT LANE...    opens one connection after the other; prints how many a second, a line for each lane
 *   traffic echo SECONDS PORT LANE...       sends a byte back and forth on one connection; prints round trips a second
 *
 * A lane is `NAMESPACE,ADDRESS,SERVER`: the network namespace that is sent from (a file), who is sent to, and the process that
 * answers there. Lanes take turns of a few milliseconds, so that whatever else the machine does, it does to all of them.
 * Seconds are those that the processor spends on both ends of a lane, of which the kernel does the work of the node between
 * them: others who use the same processor do not count.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct place {
  struct sockaddr_storage address;
  socklen_t length;
};

struct lane {
  int space;
  struct place to;
  clockid_t server;
  /* Of round trips. */
  int connection;
  double spent;
  long count;
};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static struct place parse(const char *address, const char *port) {
  struct place to = {0};
  struct sockaddr_in *four = (struct sockaddr_in *)&to.address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&to.address;
  if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(atoi(port));
    to.length = sizeof *four;
  } else if (inet_pton(AF_INET6, address, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(atoi(port));
    to.length = sizeof *six;
  } else {
    fprintf(stderr, "not an address: %s\n", address);
    exit(2);
  }
  return to;
}

static double spent_by(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) < 0) fail("clock");
  return time.tv_sec + time.tv_nsec / 1e9;
}

static int opened(const struct place *to) {
  int one = 1;
  int fd = socket(to->address.ss_family, SOCK_STREAM, 0);
  if (fd < 0) fail("socket");
  if (connect(fd, (const struct sockaddr *)&to->address, to->length) < 0) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static void serve(struct place here) {
  int one = 1;
  int listener = socket(here.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&here.address, here.length) < 0) fail("bind");
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

/* A reset instead of the long goodbye: no port waits for its turn, and each connection is new to the kernel. */
static void connect_once(struct lane *lane) {
  struct linger reset = {.l_onoff = 1, .l_linger = 0};
  int fd = opened(&lane->to);
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  close(fd);
}

static void echo_once(struct lane *lane) {
  char byte = 'x';
  if (write(lane->connection, &byte, 1) != 1 || read(lane->connection, &byte, 1) != 1) fail("round trip");
}

/* As many as take a few milliseconds. */
static const int turn = 128;

static void take_turn(struct lane *lane, void (*once)(struct lane *)) {
  if (setns(lane->space, CLONE_NEWNET) < 0) fail("namespace");
  double start = spent_by(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < turn; i++) once(lane);
  lane->spent += spent_by(CLOCK_PROCESS_CPUTIME_ID) - start;
  lane->count += turn;
}

static void measure(struct lane *lanes, int count, double seconds, void (*once)(struct lane *)) {
  /* Caches are cold the first time. */
  for (int i = 0; i < count; i++) take_turn(&lanes[i], once);
  for (int i = 0; i < count; i++) {
    lanes[i].count = 0;
    /* What servers do, they may do after the turn of their lane. */
    lanes[i].spent = -spent_by(lanes[i].server);
  }
  double end = spent_by(CLOCK_PROCESS_CPUTIME_ID) + seconds * count;
  while (spent_by(CLOCK_PROCESS_CPUTIME_ID) < end)
    for (int i = 0; i < count; i++) take_turn(&lanes[i], once);
  for (int i = 0; i < count; i++)
    printf("%.1f\n", lanes[i].count / (lanes[i].spent + spent_by(lanes[i].server)));
}

static struct lane open_lane(char *words, const char *port) {
  struct lane lane = {0};
  const char *space = strtok(words, ","), *address = strtok(NULL, ","), *server = strtok(NULL, ",");
  if (server == NULL) {
    fprintf(stderr, "a lane is NAMESPACE,ADDRESS,SERVER\n");
    exit(2);
  }
  lane.space = open(space, O_RDONLY | O_CLOEXEC);
  if (lane.space < 0 || setns(lane.space, CLONE_NEWNET) < 0) fail(space);
  lane.to = parse(address, port);
  lane.connection = opened(&lane.to);
  if (clock_getcpuclockid(atoi(server), &lane.server) != 0) fail("clock of the server");
  return lane;
}

int main(int count, char **words) {
  if (count < 4) {
    fprintf(stderr, "usage: traffic serve ADDRESS PORT | traffic connect|echo SECONDS PORT LANE...\n");
    return 2;
  }
  if (strcmp(words[1], "serve") == 0) serve(parse(words[2], words[3]));
  int lane_count = count - 4;
  struct lane lanes[lane_count];
  for (int i = 0; i < lane_count; i++) lanes[i] = open_lane(words[4 + i], words[3]);
  measure(lanes, lane_count, atof(words[2]), strcmp(words[1], "echo") == 0 ? echo_once : connect_once);
  return 0;
}
