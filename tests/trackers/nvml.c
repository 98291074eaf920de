/* Stands in for libnvidia-ml.so.1: two GPUs whose memory in use stands in files.

   $NVML_STANDIN is a folder; a file `GPU.PID` holds the bytes that the process PID has in use on
   that GPU, in decimal digits. A file `looks.GPU` gets a byte for each time that the processes of
   that GPU were asked for, so that who changes the others can wait for it. NVML_STANDIN_NAME and NVML_STANDIN_BYTES are the cards' name and
   memory. Layouts and return codes are those of NVIDIA's nvml.h. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_v2_t;
typedef struct { unsigned pid; unsigned long long used; unsigned instance, compute; } process_t;
typedef struct { unsigned gpu, memory; } utilization_t;

enum { SUCCESS = 0, INVALID = 2, NOT_SUPPORTED = 3, TOO_SMALL = 7 };

static unsigned long long size_of(void) {
    const char *given = getenv("NVML_STANDIN_BYTES");
    return given ? strtoull(given, NULL, 10) : 85520809984ULL;
}

static unsigned each(unsigned long gpu, process_t *found, unsigned most, unsigned long long *sum) {
    const char *place = getenv("NVML_STANDIN");
    DIR *folder = place ? opendir(place) : NULL;
    struct dirent *entry;
    unsigned count = 0;
    *sum = 0;
    if (!folder) return 0;
    while ((entry = readdir(folder))) {
        unsigned long card, pid;
        unsigned long long used = 0;
        char path[4096];
        FILE *file;
        if (sscanf(entry->d_name, "%lu.%lu", &card, &pid) != 2 || card != gpu) continue;
        snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
        if (!(file = fopen(path, "r"))) continue;
        if (fscanf(file, "%llu", &used) == 1) {
            *sum += used;
            if (found && count < most) {
                memset(&found[count], 0, sizeof *found);
                found[count].pid = (unsigned)pid;
                found[count].used = used;
                found[count].instance = found[count].compute = 0xFFFFFFFFu;
            }
            count++;
        }
        fclose(file);
    }
    closedir(folder);
    return count;
}

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlInitWithFlags(unsigned flags) { (void)flags; return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { (void)code; return "an error of the stand-in"; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return SUCCESS; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) {
    snprintf(text, size, "550.54.15");
    return SUCCESS;
}
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 12040; return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    if (index > 1) return INVALID;
    *device = (void *)(unsigned long)(index + 1);
    return SUCCESS;
}
int nvmlDeviceGetIndex(void *device, unsigned *index) {
    *index = (unsigned)((unsigned long)device - 1);
    return SUCCESS;
}
int nvmlDeviceGetName(void *device, char *text, unsigned size) {
    const char *name = getenv("NVML_STANDIN_NAME");
    (void)device;
    snprintf(text, size, "%s", name ? name : "NVIDIA H800");
    return SUCCESS;
}
int nvmlDeviceGetUUID(void *device, char *text, unsigned size) {
    snprintf(text, size, "GPU-00000000-0000-0000-0000-%012lu", (unsigned long)device);
    return SUCCESS;
}
int nvmlDeviceGetMemoryInfo(void *device, memory_t *memory) {
    each((unsigned long)device - 1, NULL, 0, &memory->used);
    memory->total = size_of();
    memory->free = memory->total - memory->used;
    return SUCCESS;
}
int nvmlDeviceGetMemoryInfo_v2(void *device, memory_v2_t *memory) {
    each((unsigned long)device - 1, NULL, 0, &memory->used);
    memory->total = size_of();
    memory->reserved = 0;
    memory->free = memory->total - memory->used;
    return SUCCESS;
}
static void looked(unsigned long gpu) {
    const char *place = getenv("NVML_STANDIN");
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s/looks.%lu", place ? place : "/nowhere", gpu);
    if (!(file = fopen(path, "a"))) return;
    fputc('.', file);
    fclose(file);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, process_t *found) {
    unsigned long long sum;
    unsigned most = *count;
    *count = each((unsigned long)device - 1, found, most, &sum);
    looked((unsigned long)device - 1);
    return *count > most ? TOO_SMALL : SUCCESS;
}
int nvmlDeviceGetUtilizationRates(void *device, utilization_t *rates) {
    (void)device;
    rates->gpu = rates->memory = 50;
    return SUCCESS;
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees) {
    (void)device; (void)sensor;
    *degrees = 60;
    return SUCCESS;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
    (void)device;
    *milliwatts = 300000;
    return SUCCESS;
}
