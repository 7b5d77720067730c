/* cmd_devices: lanewise devices, the devices there is a profile of. */
#include "cli.h"

static const opt_row no_options[] = {{0}};

static void show(void *user, const lw_device_info *d)
{
    (void)user;
    printf("%-12s %-30s %2d.%-2d %5d %8.1f %8.1f %8.0f %8.0f\n", d->id, d->name, d->major, d->minor, d->multiprocessors,
           (double)d->memory_bytes / (1u << 30), (double)d->l2_bytes / (1u << 20),
           (double)d->shared_per_multiprocessor / 1024, (double)d->shared_per_block / 1024);
}

static int run_devices(const command *self, int argc, char **argv)
{
    lw_message message = {""};
    if (argc > 1) return opt_unknown(self, argv[1]);
    printf("%-12s %-30s %5s %5s %8s %8s %8s %8s\n", "--device", "name", "cc", "SMs", "memory", "L2", "shared",
           "shared");
    printf("%-12s %-30s %5s %5s %8s %8s %8s %8s\n", "", "", "", "", "GiB", "MiB", "KiB/SM", "KiB/blk");
    if (!lw_device_each(show, NULL, &message)) return 0;
    say("%s", message.text);
    return EXIT_REFUSED;
}

const command command_devices = {
    .name = "devices",
    .usage = "lanewise devices",
    .about = "Lists the devices a program can be run as. `lanewise run --device NAME` takes the "
             "name of\nthe first column.",
    .options = no_options,
    .examples = "lanewise run --device h200 prog.cu",
    .run = run_devices};
