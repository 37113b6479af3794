/* Makes every sync to the disk a millisecond longer, for whatever program it is loaded
 * into before the C library (LD_PRELOAD), and its children: what syncing costs on a disk
 * that does not answer at once. `make bench` builds it; see docs/decisions/0026. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_a_millisecond(void) {
    struct timespec left = {0, 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_a_millisecond();
    return real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_a_millisecond();
    return real(file);
}
