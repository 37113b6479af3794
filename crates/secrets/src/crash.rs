//! What a crash may leave behind: no image of the memory, in which keys stand as they are.

/// From now on the system keeps no image of this process, or of a program that it starts,
/// when it crashes. Where that cannot be had the process goes on without.
#[cfg(unix)]
pub fn leave_no_image() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Core);
    // No image is as small as a byte. With nothing at all Linux would still hand it to a
    // program that collects images, if the system has one; with this it does not.
    let current = Some(maximum.map_or(1, |most| most.min(1)));
    // Lowering one's own limit is refused to nobody.
    let _ = setrlimit(Resource::Core, Rlimit { current, maximum });
}

#[cfg(not(unix))]
pub fn leave_no_image() {}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn no_image_is_left_of_this_process() {
        super::leave_no_image();
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let cores = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
        let soft: u64 = cores.split_whitespace().nth(4).unwrap().parse().unwrap();
        assert!(soft <= 1, "{cores}");
    }
}
