/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "common/plain_uring.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/plain_sockets.h"

enum { entries = 2048, buffers = 2048, buffer_size = 4096, group = 1 };
enum purpose { p_accept = 1, p_receive, p_send };

struct uring {
  int handle;
  unsigned queued; /* submissions that the kernel has not been told of */
  unsigned tail;
  unsigned *sq_tail, *sq_mask, *sq_array;
  unsigned *cq_head, *cq_tail, *cq_mask;
  struct io_uring_cqe* completions;
  struct io_uring_sqe* submissions;
  struct io_uring_buf_ring* lent;
  uint16_t lent_tail;
  char* memory;
};

static void* map_memory(int handle, size_t size, off_t offset) {
  const int flags = handle < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
  void* const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, handle, offset);
  return memory == MAP_FAILED ? NULL : memory;
}

static void lend(struct uring* ring, unsigned buffer) {
  struct io_uring_buf* const slot = &ring->lent->bufs[ring->lent_tail & (buffers - 1)];
  slot->addr = (uintptr_t)(ring->memory + (size_t)buffer * buffer_size);
  slot->len = buffer_size;
  slot->bid = (uint16_t)buffer;
  __atomic_store_n(&ring->lent->tail, ++ring->lent_tail, __ATOMIC_RELEASE);
}

static int open_ring(struct uring* ring) {
  struct io_uring_params parameters = {
      .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
      .cq_entries = 8 * entries};
  ring->handle = (int)syscall(SYS_io_uring_setup, entries, &parameters);
  if (ring->handle < 0) return -1;
  const struct io_sqring_offsets sq = parameters.sq_off;
  const struct io_cqring_offsets cq = parameters.cq_off;
  char* const shared = map_memory(ring->handle,
                                  cq.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe) + sq.array +
                                      parameters.sq_entries * sizeof(unsigned),
                                  IORING_OFF_SQ_RING);
  ring->submissions = map_memory(ring->handle, parameters.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
  ring->lent = map_memory(-1, buffers * sizeof(struct io_uring_buf), 0);
  ring->memory = map_memory(-1, (size_t)buffers * buffer_size, 0);
  if (shared == NULL || ring->submissions == NULL || ring->lent == NULL || ring->memory == NULL) return -1;
  ring->sq_tail = (unsigned*)(shared + sq.tail);
  ring->sq_mask = (unsigned*)(shared + sq.ring_mask);
  ring->sq_array = (unsigned*)(shared + sq.array);
  ring->cq_head = (unsigned*)(shared + cq.head);
  ring->cq_tail = (unsigned*)(shared + cq.tail);
  ring->cq_mask = (unsigned*)(shared + cq.ring_mask);
  ring->completions = (struct io_uring_cqe*)(shared + cq.cqes);
  ring->tail = *ring->sq_tail;
  struct io_uring_buf_reg lent = {.ring_addr = (uintptr_t)ring->lent, .ring_entries = buffers, .bgid = group};
  if (syscall(SYS_io_uring_register, ring->handle, IORING_REGISTER_PBUF_RING, &lent, 1) != 0) return -1;
  for (unsigned i = 0; i < buffers; ++i) lend(ring, i);
  return 0;
}

/* Tells the kernel of what is queued, and waits for as many completions. */
static int enter(struct uring* ring, unsigned wait_for) {
  __atomic_store_n(ring->sq_tail, ring->tail, __ATOMIC_RELEASE);
  const long taken = syscall(SYS_io_uring_enter, ring->handle, ring->queued, wait_for, IORING_ENTER_GETEVENTS, NULL, 0);
  if (taken < 0) return errno == EINTR || errno == EBUSY || errno == EAGAIN ? 0 : -1;
  ring->queued -= (unsigned)taken;
  return 0;
}

/* The next submission; null if the kernel takes none. `number` and `purpose` come back with its completion. */
static struct io_uring_sqe* next(struct uring* ring, int opcode, int handle, enum purpose purpose, unsigned number) {
  if (ring->queued == entries && (enter(ring, 0) != 0 || ring->queued == entries)) return NULL;
  const unsigned at = ring->tail++ & *ring->sq_mask;
  struct io_uring_sqe* const entry = &ring->submissions[at];
  ring->sq_array[at] = at;
  ++ring->queued;
  memset(entry, 0, sizeof *entry);
  entry->opcode = (uint8_t)opcode;
  entry->fd = handle;
  entry->user_data = (uint64_t)purpose << 32 | number;
  return entry;
}

static int accept_more(struct uring* ring, int listener) {
  struct io_uring_sqe* const entry = next(ring, IORING_OP_ACCEPT, listener, p_accept, 0);
  if (entry == NULL) return -1;
  entry->ioprio = IORING_ACCEPT_MULTISHOT;
  entry->accept_flags = SOCK_CLOEXEC;
  return 0;
}

static int receive_more(struct uring* ring, int handle) {
  struct io_uring_sqe* const entry = next(ring, IORING_OP_RECV, handle, p_receive, (unsigned)handle);
  if (entry == NULL) return -1;
  entry->ioprio = IORING_RECV_MULTISHOT;
  entry->flags = IOSQE_BUFFER_SELECT;
  entry->buf_group = group;
  return 0;
}

static int answer(struct uring* ring, int handle, unsigned buffer, int size) {
  const char* const data = ring->memory + (size_t)buffer * buffer_size;
  if (size % plain_ping_size != 0 || !plain_is_ping(data)) {
    lend(ring, buffer);
    return shutdown(handle, SHUT_RDWR);
  }
  struct io_uring_sqe* const entry = next(ring, IORING_OP_SEND, handle, p_send, buffer);
  if (entry == NULL) return -1;
  entry->addr = (uintptr_t)data;
  entry->len = (unsigned)size;
  entry->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
  return 0;
}

static int on_received(struct uring* ring, const struct io_uring_cqe* completion) {
  const int handle = (int)(completion->user_data & UINT32_MAX);
  int status = 0;
  if (completion->res > 0) {
    status = answer(ring, handle, completion->flags >> IORING_CQE_BUFFER_SHIFT, completion->res);
  } else if (completion->res != -ENOBUFS) {
    return close(handle);
  }
  if (status == 0 && (completion->flags & IORING_CQE_F_MORE) == 0) status = receive_more(ring, handle);
  return status;
}

static int on_completion(struct uring* ring, int listener, const struct io_uring_cqe* completion) {
  switch (completion->user_data >> 32) {
    case p_accept:
      if (completion->res < 0) return -1;
      plain_send_at_once(completion->res);
      if (receive_more(ring, completion->res) != 0) return -1;
      return (completion->flags & IORING_CQE_F_MORE) != 0 ? 0 : accept_more(ring, listener);
    case p_send:
      lend(ring, (unsigned)(completion->user_data & UINT32_MAX));
      return 0;
    default:
      return on_received(ring, completion);
  }
}

int plain_has_uring(void) {
  struct uring ring = {0};
  const int there = open_ring(&ring) == 0; /* the memory is the process's until it ends */
  if (ring.handle >= 0) close(ring.handle);
  return there;
}

int plain_serve_all_by_uring(int listener) {
  struct uring ring = {0};
  int status = open_ring(&ring);
  if (status == 0) status = accept_more(&ring, listener);
  while (status == 0) {
    status = enter(&ring, 1);
    unsigned head = *ring.cq_head;
    const unsigned end = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
    for (; status == 0 && head != end; ++head) {
      status = on_completion(&ring, listener, &ring.completions[head & *ring.cq_mask]);
    }
    __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
  }
  return -1; /* the process ends, and the ring with it */
}
