// A queue of jobs with a mistake: a job's name is copied without a look at its length.

#include <stdint.h>

struct job {
    char name[8];
    void (*run)(struct job *);
    struct job *next;
};

static struct job jobs[4];

static void put(const char *s)
{
    while (*s)
        *(volatile char *)0x10000000 = *s++;
}

static void hello(struct job *job)
{
    put("hello from ");
    put(job->name);
    put("\n");
}

static void __attribute__((noinline)) copy(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

static void add(int i, const char *name)
{
    jobs[i].run = hello;
    jobs[i].next = i ? &jobs[i - 1] : 0;
    copy(jobs[i].name, name);
}

int main(void)
{
    add(0, "first");
    add(1, "second");
    add(2, "the third job");
    add(3, "fourth");
    for (struct job *job = &jobs[3]; job; job = job->next)
        job->run(job);
    return 0;
}
