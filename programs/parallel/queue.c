// N queens, with a queue of unfinished boards under a lock and a condition variable; checked against the known numbers
#include "parallel.h"

enum { SPLIT = 3, MOST_JOBS = 1 << 16 };
typedef struct { uint32_t columns, left, right; int row; } board;
static board queue[MOST_JOBS];
static int waiting, busy;
static long found[MOST_THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static long solve(board b) {
    if (b.row == size) return 1;
    long sum = 0;
    for (uint32_t free = ~(b.columns | b.left | b.right) & ((1u << size) - 1); free; free &= free - 1) {
        uint32_t bit = free & -free;
        sum += solve((board){b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1, b.row + 1});
    }
    return sum;
}

static void put(board b) {
    pthread_mutex_lock(&lock);
    if (waiting == MOST_JOBS) fail("the queue's length");
    queue[waiting++] = b;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void work(int id) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (waiting == 0 && busy > 0) pthread_cond_wait(&more, &lock);
        if (waiting == 0) {
            pthread_cond_broadcast(&more);
            pthread_mutex_unlock(&lock);
            return;
        }
        board b = queue[--waiting];
        busy++;
        pthread_mutex_unlock(&lock);
        if (b.row < SPLIT && b.row < size) {
            for (uint32_t free = ~(b.columns | b.left | b.right) & ((1u << size) - 1); free; free &= free - 1) {
                uint32_t bit = free & -free;
                put((board){b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1, b.row + 1});
            }
        } else {
            found[id] += solve(b);
        }
        pthread_mutex_lock(&lock);
        busy--;
        if (busy == 0 && waiting == 0) pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&lock);
    }
}

int main(int argc, char **argv) {
    static const long known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
    begin(argc, argv, 10);
    if (size > 14) fail("14 queens at most");
    put((board){0, 0, 0, 0});
    parallel(work);
    long sum = 0;
    for (int i = 0; i < threads; i++) sum += found[i];
    if (sum != known[size]) fail("the number");
    return done("queue", (uint32_t)sum);
}
