//! Programs that are confined and mean to get out.
//!
//! Each tries one way. What it may do beside that is tried too, so that no test
//! passes because nothing works in there at all.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::time::Duration;

use processes::{
    Confinement, Ended, Finished, Keeper, Limits, Marks, Most, Network, Process, Program, Resource,
    StartError, program_folders, system_files, system_program,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};

/// A folder of the agent's beside things that are not its own.
struct Place {
    all: TempDir,
    keeper: Keeper,
    confinement: Confinement,
}

const MIB: u64 = 1 << 20;

fn keeper() -> Keeper {
    Keeper(env!("CARGO_BIN_EXE_coterie-keeper").into())
}

fn place() -> Place {
    let all = tempfile::tempdir().unwrap();
    let path = all.path().canonicalize().unwrap();
    fs::create_dir(path.join("inside")).unwrap();
    fs::create_dir(path.join("outside")).unwrap();
    fs::write(path.join("outside/id_ed25519"), "the secret").unwrap();
    fs::write(path.join("inside/plan"), "the plan").unwrap();
    let confinement = Confinement {
        machine: system_files(),
        reads: Vec::new(),
        writes: vec![path.join("inside")],
        temporary: path.join("temporary"),
        network: Network::None,
        most: Most {
            memory_bytes: 250 * MIB,
            cpu: Duration::from_secs(60),
            tasks: 60,
            file_bytes: 64 * MIB,
            written_bytes: 100 * MIB,
        },
    };
    Place { all, keeper: keeper(), confinement }
}

impl Place {
    fn path(&self, path: &str) -> PathBuf {
        self.all.path().canonicalize().unwrap().join(path)
    }

    fn program(&self, program: &str, code: &str) -> Program {
        let folders = std::env::join_paths(program_folders()).unwrap();
        let paths = ["inside", "outside", "temporary"];
        let mut environment: Vec<_> =
            paths.map(|name| (name.to_uppercase().into(), self.path(name).into_os_string())).into();
        environment.push(("PATH".into(), folders));
        environment.push(("TMPDIR".into(), self.path("temporary").into()));
        Program {
            program: system_program(program).unwrap().into(),
            arguments: vec!["-c".into(), code.into()],
            environment,
            folder: self.path("inside"),
        }
    }

    async fn run(&self, program: &str, code: &str) -> Finished {
        let program = self.program(program, code);
        let process = Process::confined(&self.keeper, &program, &self.confinement).await.unwrap();
        let limits = Limits { time: Duration::from_secs(60), output_bytes: 100_000 };
        process.finish(b"", limits).await
    }

    async fn says(&self, program: &str, code: &str) -> String {
        let finished = self.run(program, code).await;
        finished.stdout.text() + &finished.stderr.text()
    }

    /// What a Python expression comes to: its value, or its error's number.
    async fn comes_to(&self, expression: &str) -> String {
        let code = format!(
            "import ctypes, os, socket\nlibc = ctypes.CDLL(None, use_errno=True)\n\
             def call(*a):\n    r = libc.syscall(*a)\n    return os.strerror(ctypes.get_errno()) if r < 0 else 'done'\n\
             I, O, T = (os.environ[n] for n in ('INSIDE', 'OUTSIDE', 'TEMPORARY'))\n\
             try:\n    print({expression})\nexcept OSError as e:\n    print(e.strerror)"
        );
        self.says("python3", &code).await.trim().to_owned()
    }
}

fn kernel() -> (u32, u32) {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(|sign: char| !sign.is_ascii_digit());
    let mut number = || numbers.next().unwrap().parse().unwrap();
    (number(), number())
}

#[tokio::test]
async fn a_confined_program_works_in_its_folders_with_the_programs_of_the_machine() {
    let place = place();
    let script = "cat plan; echo; mkdir -p a/b; echo new > a/b/c; mv a/b/c a/d; ln -s d a/e; cat a/e; \
        rm -r a/b; echo t > $TMPDIR/t; cat $TMPDIR/t; cat <(echo fed); seq 3 | sort -r | tr '\\n' ' '; \
        cat /etc/hostname > /dev/null && python3 -c 'print(6 * 7)'; touch a/d";
    assert_eq!(place.says("bash", script).await, "the plan\nnew\nt\nfed\n3 2 1 42\n");
    assert_eq!(fs::read_to_string(place.path("inside/a/d")).unwrap(), "new\n");
    assert!(!place.path("temporary").exists(), "it is removed with the program");
    if kernel() >= (6, 14) {
        let most = place.says("bash", "cat /proc/sys/kernel/pid_max").await;
        assert_eq!(most, "361\n", "the kernel itself counts its processes");
    }
    let works = place.comes_to("len(os.listdir('.')), os.fork() >= 0 or os._exit(0)").await;
    assert!(works.contains("True"), "{works}");
}

#[tokio::test]
async fn no_path_leads_to_a_file_that_is_not_its_own() {
    let place = place();
    std::os::unix::fs::symlink(place.path("outside"), place.path("inside/link")).unwrap();
    let secret = place.path("outside/id_ed25519");
    let secret = secret.display();
    for path in [
        format!("{secret}"),
        "../outside/id_ed25519".into(),
        "link/id_ed25519".into(),
        format!("/proc/self/root{secret}"),
        "/proc/self/cwd/../outside/id_ed25519".into(),
        format!("/proc/{}/root{secret}", std::process::id()),
        format!("/dev/fd/../root{secret}"),
    ] {
        assert_eq!(
            place.comes_to(&format!("open({path:?}).read()")).await,
            "Permission denied",
            "{path}"
        );
    }
    for expression in [
        "open(O + '/id_ed25519', 'w')",
        "open(O + '/new', 'w')",
        "os.mkdir(O + '/new')",
        "os.unlink(O + '/id_ed25519')",
        "os.truncate(O + '/id_ed25519', 0)",
        "os.symlink(I, O + '/new')",
        "os.mkfifo(O + '/new')",
        "open('/proc/self/oom_score_adj', 'w').write('0')",
        "open('/tmp/coterie-new', 'w')",
        "open('/usr/coterie-new', 'w')",
    ] {
        let came = place.comes_to(expression).await;
        // Both walls stand there, and either may be met first.
        assert!(["Permission denied", READ_ONLY].contains(&came.as_str()), "{expression}: {came}");
    }
    for expression in [
        "os.listdir(O)",
        "open(f'/proc/{os.getppid()}/environ').read()",
        "open('/proc/1/environ').read()",
        "open(f'/proc/{os.getppid()}/cmdline').read()",
        "open('/etc/shadow').read()",
        "os.listdir('/home')",
        "os.listdir('/root')",
        "os.listdir('/proc')",
        "os.listdir('/run')",
        "os.mknod(I + '/disk', 0o60600, os.makedev(254, 0))",
    ] {
        let came = place.comes_to(expression).await;
        assert_eq!(came, "Permission denied", "{expression}");
    }
    for expression in [
        "os.rename(O + '/id_ed25519', I + '/key')",
        "os.link(O + '/id_ed25519', I + '/key')",
        "os.rename(I + '/plan', O + '/plan')",
    ] {
        let came = place.comes_to(expression).await;
        assert!(
            ["Permission denied", READ_ONLY, "Invalid cross-device link"].contains(&came.as_str()),
            "{expression}: {came}"
        );
    }
    assert_eq!(place.comes_to("os.chroot('/')").await, "Operation not permitted");
    assert_eq!(fs::read_to_string(place.path("outside/id_ed25519")).unwrap(), "the secret");
    assert_eq!(fs::read_dir(place.path("outside")).unwrap().count(), 1);
}

const READ_ONLY: &str = "Read-only file system";

#[tokio::test]
async fn modes_owners_and_times_change_in_its_own_folders_and_nowhere_else() {
    let mut place = place();
    // What it may only read is no more its own than what it does not see.
    place.confinement.reads.push(place.path("outside"));
    let secret = place.path("outside/id_ed25519");
    let marks = || {
        let found = fs::metadata(&secret).unwrap();
        (found.mode(), found.uid(), found.gid(), found.mtime(), found.mtime_nsec())
    };
    let before = marks();
    for expression in [
        "os.chmod('plan', 0o640)",
        "os.chmod(I + '/plan', 0o700)",
        "os.chown(I + '/plan', os.getuid(), os.getgid())",
        "os.utime(I + '/plan', (1, 2))",
        "os.utime(I, (3, 4))",
        "os.fchmod(os.open('plan', os.O_RDONLY), 0o750)",
        "os.chmod(T, 0o755)",
    ] {
        assert_eq!(place.comes_to(expression).await, "None", "{expression}");
    }
    let plan = fs::metadata(place.path("inside/plan")).unwrap();
    assert_eq!((plan.mode() & 0o7777, plan.mtime()), (0o750, 2));
    assert_eq!(fs::metadata(place.path("inside")).unwrap().mtime(), 4);
    std::os::unix::fs::symlink(&secret, place.path("inside/link")).unwrap();
    let around = format!("/proc/self/root{}", secret.display());
    for expression in [
        "os.chmod(O + '/id_ed25519', 0o777)",
        "os.chmod(O, 0o777)",
        "os.chmod('link', 0o777)",
        "os.chmod('../outside/id_ed25519', 0o777)",
        &format!("os.chmod({around:?}, 0o777)"),
        "os.fchmod(os.open(O + '/id_ed25519', os.O_RDONLY), 0o777)",
        "os.chmod(f'/proc/self/fd/{os.open(O + \"/id_ed25519\", os.O_RDONLY)}', 0o777)",
        "os.chown(O + '/id_ed25519', 1, 1)",
        "os.utime(O + '/id_ed25519', (0, 0))",
        "os.utime(os.open(O + '/id_ed25519', os.O_RDONLY), (0, 0))",
        "os.setxattr(O + '/id_ed25519', 'user.a', b'b')",
        "call(452, -100, O.encode(), 0o777, 0)",
        "os.chmod('/usr', 0o755)",
        "os.chmod('/proc/cpuinfo', 0o444)",
    ] {
        assert_eq!(place.comes_to(expression).await, READ_ONLY, "{expression}");
    }
    // Nobody in there sees the files as those above do.
    let above = format!("os.chmod(f'/proc/{{os.getppid()}}/root{}', 0o777)", secret.display());
    assert_ne!(place.comes_to(&above).await, "None");
    let us = format!("os.chmod('/proc/{}/root{}', 0o777)", std::process::id(), secret.display());
    assert_eq!(place.comes_to(&us).await, "Permission denied");
    assert_eq!(marks(), before);
}

#[tokio::test]
async fn nobody_makes_a_program_that_runs_as_its_owner() {
    let place = place();
    for expression in [
        "os.chmod('plan', 0o4755)",
        "os.chmod('plan', 0o2755)",
        "os.fchmod(os.open('plan', os.O_RDONLY), 0o6755)",
        "os.close(os.open('new', os.O_CREAT | os.O_WRONLY, 0o4755))",
        "os.close(os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755))",
        "os.mknod('new', 0o104755)",
        "call(452, -100, b'plan', 0o4755, 0)",
    ] {
        assert_eq!(place.comes_to(expression).await, "Operation not permitted", "{expression}");
    }
    // Where no file is made, what stands there means nothing.
    let opened = "call(257, -100, b'plan', 0, 0o4755)";
    if cfg!(target_arch = "x86_64") {
        assert_eq!(place.comes_to(opened).await, "done");
    }
    assert_eq!(place.comes_to("os.chmod('plan', 0o1755)").await, "None");
    assert_eq!(fs::read_dir(place.path("inside")).unwrap().count(), 1);
}

#[tokio::test]
async fn no_socket_leads_anywhere() {
    let place = place();
    let (tcp, udp) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let bus = place.path("inside/bus");
    let _bus = UnixListener::bind(&bus).unwrap();
    let name = format!("coterie-{}", std::process::id());
    let _abstract =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let refused = [
        format!("socket.create_connection(('127.0.0.1', {tcp_port}))"),
        format!(
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp_port}))"
        ),
        format!("socket.socket(socket.AF_UNIX).connect({:?})", bus.display().to_string()),
        format!("socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect('\\0{name}')"),
        format!(
            "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', '\\0{name}')"
        ),
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)".into(),
        "socket.socket(socket.AF_VSOCK)".into(),
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)".into(),
    ];
    for expression in &refused {
        assert_eq!(place.comes_to(expression).await, "Operation not permitted", "{expression}");
    }
    assert_eq!(place.comes_to("(lambda pair: pair[0].send(b'x'))(socket.socketpair())").await, "1");
    let open = Place {
        confinement: Confinement { network: Network::Whole, ..place.confinement.clone() },
        ..place
    };
    assert!(open.comes_to(&refused[0]).await.contains("laddr=('127.0.0.1'"));
    assert_eq!(open.comes_to(&refused[1]).await, "1");
    for expression in &refused[2..] {
        assert_eq!(open.comes_to(expression).await, "Operation not permitted", "{expression}");
    }
}

#[tokio::test]
async fn no_system_call_reaches_another_process_or_takes_a_wall_down() {
    let place = place();
    let other = std::process::id();
    // Their numbers are those of x86_64 up to 335, and the same everywhere from 424 on.
    let mut calls = vec![
        // In its own world there is nobody of that number.
        ("kill", format!("os.kill({other}, 0)"), "No such process"),
        (
            "pidfd",
            format!("__import__('signal').pidfd_send_signal(os.pidfd_open({other}), 0)"),
            "No such process",
        ),
        (
            "setpriority",
            format!("os.setpriority(os.PRIO_PROCESS, {other}, 19)"),
            "Operation not permitted",
        ),
        ("affinity", format!("os.sched_setaffinity({other}, [0])"), "Operation not permitted"),
        (
            "prlimit",
            format!("__import__('resource').prlimit({other}, 0, (0, 0))"),
            "Operation not permitted",
        ),
        ("io_uring_setup", "call(425, 8, 0)".into(), "Function not implemented"),
        ("io_uring_enter", "call(426, 8, 0)".into(), "Function not implemented"),
        ("clone3", "call(435, 0, 0)".into(), "Function not implemented"),
        ("what is newer", "call(463, 0, 0)".into(), "Function not implemented"),
        (
            "what is counted otherwise",
            "call(0x40000000 + 41, 2, 1, 0)".into(),
            "Function not implemented",
        ),
        ("open_tree", "call(428, 0, 0, 0)".into(), "Operation not permitted"),
        ("fsopen", "call(430, 0, 0)".into(), "Operation not permitted"),
        ("pidfd_getfd", "call(438, 0, 0, 0)".into(), "Operation not permitted"),
        ("mount_setattr", "call(442, 0, 0, 0)".into(), "Operation not permitted"),
        ("openat2", "call(437, -100, b'plan', 0, 0)".into(), "Function not implemented"),
    ];
    if cfg!(target_arch = "x86_64") {
        for (name, number) in [
            ("ptrace", 101),
            ("syslog", 103),
            ("pivot_root", 155),
            ("mount", 165),
            ("umount2", 166),
            ("reboot", 169),
            ("add_key", 248),
            ("keyctl", 250),
            ("unshare", 272),
            ("perf_event_open", 298),
            ("name_to_handle_at", 303),
            ("open_by_handle_at", 304),
            ("setns", 308),
            ("process_vm_readv", 310),
            ("process_vm_writev", 311),
            ("bpf", 321),
            ("userfaultfd", 323),
            ("shmget", 29),
            ("msgget", 68),
            ("mq_open", 240),
        ] {
            calls.push((name, format!("call({number}, 0, 0, 0, 0)"), "Operation not permitted"));
        }
        for (name, number) in
            [("inotify_init1", 294), ("memfd_create", 319), ("fanotify_init", 300)]
        {
            calls.push((name, format!("call({number}, 0, 0)"), "Function not implemented"));
        }
        for (flag, name) in
            [(0x10000000, "user"), (0x20000, "mount"), (0x40000000, "network"), (0x20000000, "pid")]
        {
            calls.push((
                name,
                format!("call(56, {flag} + 17, 0, 0, 0, 0)"),
                "Operation not permitted",
            ));
        }
    }
    for (name, call, expected) in calls {
        assert_eq!(place.comes_to(&call).await, expected, "{name}: {call}");
    }
    let inside = "os.kill(os.getpid(), 0), os.sched_setaffinity(0, os.sched_getaffinity(0))";
    assert_eq!(place.comes_to(inside).await, "None None");
}

/// Runs what takes more than it may and gives how it ended; nobody may be left.
///
/// All of it would end by itself after ten seconds, with fewer than 300 processes
/// and 256 MB, so that no machine suffers where the confinement fails.
async fn ends(place: &Place, program: &str, code: &str) -> Ended {
    let finished = place.run(program, code).await;
    assert_eq!(left_of(place), Vec::<String>::new(), "somebody is left of {code}");
    assert!(!place.path("temporary").exists());
    finished.ended.unwrap_or(Ended::Unknown)
}

/// Who was started in there still has its environment.
fn left_of(place: &Place) -> Vec<String> {
    let trace = place.path("inside").display().to_string();
    let is_left = |path: &PathBuf| {
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&trace)
    };
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    all.filter(is_left).map(|path| path.display().to_string()).collect()
}

const MULTIPLY: [(&str, &str); 5] = [
    ("bash", "for n in $(seq 250); do sleep 10 & done; wait"),
    ("python3", "import os, time\nfor _ in range(8): os.fork()\ntime.sleep(10)"),
    (
        "python3",
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nfor _ in range(8):\n    if os.fork() == 0: os.setsid()\ntime.sleep(10)",
    ),
    (
        "python3",
        "import os, time\nif os.fork(): time.sleep(10); os._exit(0)\nfor _ in range(120):\n    if os.fork(): time.sleep(0.01); os._exit(0)\n    os.setsid()\n    if os.fork() == 0: time.sleep(10); os._exit(0)",
    ),
    (
        "python3",
        "import threading, time\nthreading.stack_size(1 << 16)\nfor _ in range(250): threading.Thread(target=time.sleep, args=(10,), daemon=True).start()\ntime.sleep(10)",
    ),
];

#[tokio::test]
async fn whoever_multiplies_is_stopped_and_nobody_is_left() {
    all_who_multiply_are_stopped(&place()).await;
}

async fn all_who_multiply_are_stopped(place: &Place) {
    for (program, code) in MULTIPLY {
        let ended = ends(place, program, code).await;
        assert_eq!(ended, Ended::TookTooMuch(Resource::Tasks), "{code}");
    }
}

#[tokio::test]
async fn whoever_takes_memory_or_time_or_space_is_stopped_however_many_share_in_it() {
    let mut place = place();
    place.confinement.most.memory_bytes = 150 * MIB;
    let hogs = "import os, time\nfor _ in range(4): \n    if os.fork() == 0:\n        held = b'x' * 60_000_000\n        time.sleep(10); os._exit(0)\ntime.sleep(10)";
    assert_eq!(ends(&place, "python3", hogs).await, Ended::TookTooMuch(Resource::Memory));
    let at_once = place.says("python3", "held = bytearray(400_000_000)").await;
    assert!(at_once.contains("MemoryError"), "{at_once}");
    let files = "for n in $(seq 12); do head -c 20000000 /dev/zero > $n; done; sleep 10";
    assert_eq!(ends(&place, "bash", files).await, Ended::TookTooMuch(Resource::Disk));
    let one = "open('big', 'wb').truncate(100_000_000)";
    let said = place.says("python3", one).await;
    assert!(said.contains("File too large"), "{said}");
    place.confinement.most.cpu = Duration::from_secs(2);
    let spin =
        "for n in 1 2 3 4; do (while [ $SECONDS -lt 10 ]; do :; done) & done; wait; sleep 10";
    assert_eq!(ends(&place, "bash", spin).await, Ended::TookTooMuch(Resource::Cpu));
    let in_turn = "while [ $SECONDS -lt 20 ]; do bash -c 'for n in $(seq 10000); do :; done'; done";
    assert_eq!(ends(&place, "bash", in_turn).await, Ended::TookTooMuch(Resource::Cpu));
}

#[tokio::test]
async fn what_a_program_may_share_is_counted_once() {
    let mut place = place();
    place.confinement.most.memory_bytes = 200 * MIB;
    let code = "import os, time\nheld = b'x' * 100_000_000\nfor _ in range(5):\n    if os.fork() == 0:\n        time.sleep(0.3); os._exit(0)\nfor _ in range(5): os.wait()\nprint('fine')";
    assert_eq!(place.says("python3", code).await, "fine\n");
}

const DAEMON: &str =
    "(setsid bash -c '(trap \"\" TERM HUP; echo here; sleep 10) & exit' &); read line; echo over";

#[tokio::test]
async fn nobody_stays_in_the_background_or_holds_out() {
    let place = place();
    assert_eq!(ends(&place, "bash", DAEMON).await, Ended::Exited(0));
    let stubborn = "trap '' TERM INT HUP; for n in $(seq 20000); do echo flood; done; \
        while [ $SECONDS -lt 10 ]; do sleep 1; done";
    let stubborn = place.program("bash", stubborn);
    let process = Process::confined(&keeper(), &stubborn, &place.confinement).await.unwrap();
    let limits = Limits { time: Duration::from_secs(2), output_bytes: 1000 };
    let flood = process.finish(b"", limits).await;
    assert_eq!(flood.ended, None);
    assert!(flood.stdout.left_out > 1000);
    assert_eq!(left_of(&place), Vec::<String>::new());
    assert!(!place.path("temporary").exists());
}

#[tokio::test]
async fn whoever_kills_the_keeper_kills_all_that_it_keeps_however_it_hides() {
    let place = place();
    let program = place.program("bash", DAEMON);
    let mut process = Process::confined(&keeper(), &program, &place.confinement).await.unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "here");
    assert!(left_of(&place).len() > 2);
    // Above the program is who began its world, and above that the keeper.
    let parent = |pid: u32| -> u32 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let keeper = parent(parent(process.id()));
    let held = pidfds(&left_of(&place));
    kill_process(Pid::from_raw(keeper.cast_signed()).unwrap(), Signal::KILL).unwrap();
    assert_eq!(process.ended().await, Ended::Unknown);
    for one in &held {
        let patience = Timespec { tv_sec: 20, tv_nsec: 0 };
        let ended = poll(&mut [PollFd::new(one, PollFlags::IN)], Some(&patience)).unwrap();
        assert_eq!(ended, 1, "somebody outlived their keeper");
    }
}

fn pidfds(paths: &[String]) -> Vec<OwnedFd> {
    let pids = paths.iter().filter_map(|path| path.rsplit('/').next()?.parse().ok());
    pids.filter_map(|pid| pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()).collect()
}

/// As on a machine where nobody may have one of these of their own.
fn where_nobody_has(what: &str, place: Place) -> Place {
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-current-user --keep-caps sh -c '\
         echo 0 > /proc/sys/user/{what} && exec \"$@\"' sh {} \"$@\"\n",
        keeper().0.display()
    );
    let wrapper = place.path("keeper.sh");
    fs::write(&wrapper, script).expect("a folder of our own");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("just written");
    Place { keeper: Keeper(wrapper), ..place }
}

#[tokio::test]
async fn without_a_view_of_its_own_a_program_changes_no_modes_by_a_path_and_its_owner_hears_of_it()
{
    let place = where_nobody_has("max_mnt_namespaces", place());
    for path in ["O + '/id_ed25519'", "I + '/plan'"] {
        for expression in [
            format!("os.chmod({path}, 0o777)"),
            format!("os.chown({path}, os.getuid(), os.getgid())"),
            format!("os.utime({path}, (0, 0))"),
            format!("os.setxattr({path}, 'user.a', b'b')"),
            format!("call(452, -100, ({path}).encode(), 0o777, 0)"),
        ] {
            assert_eq!(
                place.comes_to(&expression).await,
                "Operation not permitted",
                "{expression}"
            );
        }
    }
    assert_eq!(place.comes_to("os.fchmod(os.open('plan', os.O_RDONLY), 0o700)").await, "None");
    assert_eq!(
        place.comes_to("os.fchmod(os.open('plan', 0), 0o4700)").await,
        "Operation not permitted"
    );
    for (place, marks) in [(&place, Marks::None), (&self::place(), Marks::Own)] {
        let program = place.program("bash", "true");
        let process = Process::confined(&place.keeper, &program, &place.confinement).await;
        let process = process.unwrap();
        assert_eq!(process.marks(), marks);
        process.kill().await;
    }
}

#[tokio::test]
async fn without_a_world_of_its_own_a_program_is_confined_and_ended_all_the_same() {
    let place = place();
    let place = where_nobody_has("max_pid_namespaces", place);
    let most = place.says("python3", "print(open('/proc/sys/kernel/pid_max').read())").await;
    assert!(most.trim().parse::<u64>().unwrap() > 1000, "it has no world of its own: {most}");
    assert_eq!(place.comes_to("open(O + '/id_ed25519').read()").await, "Permission denied");
    let outside = format!("os.kill({}, 0)", std::process::id());
    assert_eq!(place.comes_to(&outside).await, "Operation not permitted");
    all_who_multiply_are_stopped(&place).await;
    assert_eq!(ends(&place, "bash", DAEMON).await, Ended::Exited(0));
}

#[tokio::test]
async fn a_program_that_cannot_be_confined_is_not_started() {
    let place = place();
    fs::create_dir(place.path("temporary")).unwrap();
    fs::write(place.path("temporary/kept"), "x").unwrap();
    let program = place.program("bash", "echo here");
    let error = Process::confined(&keeper(), &program, &place.confinement).await.unwrap_err();
    assert!(matches!(error, StartError::Confinement { .. }), "{error}");
    assert!(place.path("temporary/kept").exists(), "it was somebody else's");
}
