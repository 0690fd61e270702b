/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "common/plain_rings.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { capacity = 256 << 10, at_once = capacity / 4, most_rings = 64 };

/* One direction: who sends owns `put`, who receives `taken`; each says whether it sleeps on the other's word. */
struct ring {
  _Alignas(64) _Atomic uint32_t put;
  _Atomic uint32_t sender_sleeps;
  _Alignas(64) _Atomic uint32_t taken;
  _Atomic uint32_t receiver_sleeps;
  _Alignas(64) char data[capacity];
};

struct rings {
  struct ring* out;
  struct ring* in;
};

static struct rings of_handle[most_rings];
static int spins = 0;
int plain_rings_used = 0;

void plain_rings_spin(int on) {
  spins = on;
}

int plain_rings_of(int handle) {
  return handle < most_rings && of_handle[handle].out != NULL;
}

static int map(int handle, int memory, int serves) {
  struct ring* const both =
      mmap(NULL, 2 * sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
  close(memory);
  if (both == MAP_FAILED || handle >= most_rings) return -1;
  of_handle[handle].out = &both[serves ? 1 : 0];
  of_handle[handle].in = &both[serves ? 0 : 1];
  plain_rings_used = 1;
  return 0;
}

int plain_rings_offer(int handle) {
  const int memory = memfd_create("plain", MFD_CLOEXEC);
  char octet = 0;
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec piece = {&octet, 1};
  struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (memory < 0 || ftruncate(memory, 2 * sizeof(struct ring)) != 0) return -1;
  struct cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &memory, sizeof memory);
  if (sendmsg(handle, &header, MSG_NOSIGNAL) != 1) return -1;
  return map(handle, memory, 1);
}

int plain_rings_take(int handle) {
  int memory = -1;
  char octet;
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec piece = {&octet, 1};
  struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(handle, &header, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  if (rights == NULL || rights->cmsg_type != SCM_RIGHTS) {
    errno = EPROTO;
    return -1;
  }
  memcpy(&memory, CMSG_DATA(rights), sizeof memory);
  return map(handle, memory, 0);
}

/* Until *word is not `seen`; 0 if the peer is gone. */
static int await_change(int handle, _Atomic uint32_t* word, uint32_t seen, _Atomic uint32_t* sleeps) {
  while (atomic_load(word) == seen) {
    if (spins) {
      for (int i = 0; i < 1000 && atomic_load(word) == seen; ++i) __builtin_ia32_pause();
      continue;
    }
    const struct timespec second = {.tv_sec = 1};
    atomic_store(sleeps, 1);
    if (atomic_load(word) == seen && syscall(SYS_futex, word, FUTEX_WAIT, seen, &second, NULL, 0) != 0 &&
        errno == ETIMEDOUT) {
      char octet;
      if (recv(handle, &octet, 1, MSG_DONTWAIT) == 0) return 0;
    }
    atomic_store(sleeps, 0);
  }
  return 1;
}

static void publish(_Atomic uint32_t* word, uint32_t value, _Atomic uint32_t* sleeps) {
  atomic_store(word, value);
  if (atomic_load(sleeps) != 0) syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

ssize_t plain_rings_receive(int handle, void* data, size_t size) {
  struct ring* const ring = of_handle[handle].in;
  const uint32_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
  if (!await_change(handle, &ring->put, taken, &ring->receiver_sleeps)) return 0;
  const uint32_t there = atomic_load(&ring->put) - taken;
  const size_t count = size < there ? size : there;
  const size_t at = taken % capacity;
  const size_t first = count < capacity - at ? count : capacity - at;
  memcpy(data, ring->data + at, first);
  memcpy((char*)data + first, ring->data, count - first);
  publish(&ring->taken, taken + (uint32_t)count, &ring->sender_sleeps);
  return (ssize_t)count;
}

/* Puts in two pieces, as many octets as there is room for; what is published at once. */
int plain_rings_send(int handle, const void* head, size_t head_size, const void* data, size_t size) {
  struct ring* const ring = of_handle[handle].out;
  const char* pieces[2] = {head, data};
  size_t left[2] = {head_size, size};
  while (left[0] + left[1] > 0) {
    uint32_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    const uint32_t taken = atomic_load(&ring->taken);
    size_t room = capacity - (put - taken);
    if (room == 0) {
      if (!await_change(handle, &ring->taken, taken, &ring->sender_sleeps)) return -1;
      continue;
    }
    if (room > at_once) room = at_once;
    for (int i = 0; i < 2; ++i) {
      const size_t count = left[i] < room ? left[i] : room;
      const size_t at = put % capacity;
      const size_t first = count < capacity - at ? count : capacity - at;
      if (count == 0) continue;
      memcpy(ring->data + at, pieces[i], first);
      memcpy(ring->data, pieces[i] + first, count - first);
      pieces[i] += count;
      left[i] -= count;
      room -= count;
      put += (uint32_t)count;
    }
    publish(&ring->put, put, &ring->receiver_sleeps);
  }
  return 0;
}
