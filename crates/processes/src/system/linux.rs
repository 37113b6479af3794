//! What Linux keeps for everybody. Of this there is nothing on Windows.

/// What programs are made of: everybody on this machine may read it.
pub(super) const PROGRAMS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system/sw",
    "/sys/devices/system/cpu",
];

/// What says how the machine is, and nothing of who else works on it.
pub(super) const MACHINE: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/fs",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/proc/uptime",
    "/proc/version",
];

/// Where the programs of the machine are found, those of its person apart.
pub(super) const FOUND_IN: &[&str] =
    &["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];
