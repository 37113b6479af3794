//! What of a command line a person can allow beyond this one use, and what of it is
//! compared with what they have forbidden.
//!
//! Pure. Only a plain command can be like another: one program and its arguments,
//! which the shell takes as they stand. Where it would do more (a second command,
//! a pipe, a file written, another command's words put in) the line is looked at as
//! a whole, and a pattern for plain ones never fits it.

/// A plain command as a person allows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plain {
    /// Its words with one space between them.
    pub(crate) whole: String,
    /// A pattern that it fits, with those that begin as it does.
    pub(crate) like: Option<String>,
}

/// What does one thing, whatever it is told: none of these runs another program, or one that
/// somebody wrote into a file, by any of its options, nor reads in the folder where it runs what
/// it is to do, as every task of git does (`.git/config` names programs, and agents write there).
/// Whoever allows one of all others to be run with anything may allow everything, so a person has
/// to say that in their own words.
const DO_ONE_THING: &str = "
    arch b2sum base32 base64 basename bunzip2 bzcat bzip2 cal cat cksum cmp column comm cp cut
    date df diff dirname du echo egrep expand expr factor fgrep file fmt fold free grep groups
    gunzip gzip head hexdump id join jq ln ls md5sum mkdir mv nl nproc numfmt od paste pr printf
    ps pwd readlink realpath rev rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum
    shuf sleep stat strings sum tac tail touch tr tree tsort tty uname unexpand uniq unxz unzip
    uptime wc whereis which who whoami xxd xz xzcat zcat";

/// `None` for what is more than a plain command.
pub(crate) fn plain(command: &str) -> Option<Plain> {
    if !command.chars().all(stands_for_itself) {
        return None;
    }
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    let program = words.first()?;
    // A variable for the program, such as one that says what is loaded into it.
    if program.contains('=') {
        return None;
    }
    let like = is_among(DO_ONE_THING, program).then(|| format!("{program} *"));
    Some(Plain { whole: words.join(" "), like })
}

/// The line as it stands, without what quotes its words, and each command that stands in
/// it. Rather one too many than one too few: also what only looks like a command, in a
/// text that is put out, is among them.
pub(crate) fn parts(command: &str) -> Vec<String> {
    let bare = unquoted(command);
    let mut parts = vec![command.trim().to_owned(), in_words(bare.split_whitespace())];
    for one in bare.split([';', '&', '|', '(', ')', '`', '\n', '\r']) {
        parts.push(in_words(one.split_whitespace()));
        parts.push(in_words(one.split_whitespace().skip_while(|word| stands_before(word))));
    }
    parts.retain(|part| !part.is_empty());
    parts.sort();
    parts.dedup();
    parts
}

fn in_words<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// Quotes and backslashes go, and what they kept together or from the shell is bare. A
/// line that a backslash ends goes on in the next.
fn unquoted(command: &str) -> String {
    let joined = command.replace("\\\n", "").replace("$'", "'").replace("$\"", "\"");
    joined.chars().filter(|sign| !matches!(sign, '\'' | '"' | '\\')).collect()
}

/// What a command may begin with before its name: a word of the shell's own, or a variable
/// that is set for it.
fn stands_before(word: &str) -> bool {
    const OF_THE_SHELL: &str = "! { do elif else if then until while";
    let is_name = |name: &str| name.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    is_among(OF_THE_SHELL, word) || word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|one| one == name)
}

/// Signs that no shell makes anything else of, wherever they stand.
fn stands_for_itself(sign: char) -> bool {
    sign.is_alphanumeric()
        || matches!(sign, ' ' | '-' | '_' | '.' | '/' | ':' | ',' | '@' | '+' | '%' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(command: &str) -> Option<String> {
        plain(command).and_then(|plain| plain.like)
    }

    #[test]
    fn a_plain_command_is_like_those_that_begin_as_it_does() {
        assert_eq!(like("ls -la").as_deref(), Some("ls *"));
        assert_eq!(like("cat notes.md").as_deref(), Some("cat *"));
        assert_eq!(like("ls").as_deref(), Some("ls *"));
        assert_eq!(like("ls  src   notes/a.md").as_deref(), Some("ls *"));
        assert_eq!(plain(" git  log ").expect("it is plain").whole, "git log");
    }

    #[test]
    fn what_runs_others_is_like_nothing() {
        for command in [
            "bash run.sh",
            "env ls",
            "/usr/bin/sudo ls",
            "find . -delete",
            "python3.11 a.py",
            "eval ls",
            ". a.sh",
            "perl5.36 a.pl",
            "nodejs a.js",
            "taskset 1 ls",
            "sg staff id",
            "pkexec ls",
            "numactl --all ls",
            "m4 a.m4",
            "git bisect run ./a.sh",
            "npm exec -- ls",
            "tar -xf a.tar --to-command=sh",
            "git",
            "git status",
            "git log --oneline",
            "git diff",
            "git ls-files",
            "git -c core.fsmonitor= status",
            "git -c core.pager=sh log",
            "./build.sh now",
            "3 4",
            "fd x",
            "rg tea",
            "zip a b",
            "git grep tea",
            "git clone a",
            "gsed x a",
            "sort a",
            "split a",
            "nc a 80",
            "crontab a",
            "proxychains ls",
            "faketime x ls",
            "newgrp x",
            "if ls",
            "while ls",
            "alias a=b",
            "npm run x",
            "cargo test",
            "cargo run x",
            "go run x",
            "gcc a.c",
            "what-is-made-tomorrow x",
        ] {
            let found = plain(command).expect("it is plain");
            assert_eq!(found.like, None, "{command}");
        }
    }

    #[test]
    fn whatever_a_shell_makes_more_of_is_not_plain() {
        for command in [
            "",
            " ",
            "git status; rm -rf x",
            "git status && rm x",
            "git status || rm x",
            "git status & rm x",
            "git log | sh",
            "git log > x",
            "git log >> x",
            "git log < x",
            "git log 2>&1",
            "git log <(ls)",
            "git status $(rm x)",
            "git status ${IFS}",
            "git status `rm x`",
            "git status $HOME",
            "git status\nrm x",
            "git status\rrm x",
            "git status\trm",
            "git status \\\nrm",
            "git log \"--format=%h\"",
            "git log 'a'",
            "ls *",
            "ls ?",
            "ls [a-z]",
            "ls {a,b}",
            "ls ~root",
            "! git status",
            "(git status)",
            "{ git status",
            "git status #x",
            "LD_PRELOAD=evil.so git status",
            "git^status",
            "git\u{a0}status",
            "git\u{2028}status",
            "git status\0",
        ] {
            assert_eq!(plain(command), None, "{command:?}");
        }
    }

    #[test]
    fn each_command_of_a_line_is_looked_at_however_it_is_quoted() {
        for line in [
            "rm notes.md",
            "  rm   notes.md ",
            "rm\tnotes.md",
            "rm \"notes.md\"",
            "'rm' notes.md",
            "r'm' notes.md",
            "r\\m notes.md",
            "rm \\\n notes.md",
            "$'rm' $\"notes.md\"",
            "true; rm notes.md",
            "true && rm notes.md || false",
            "true | rm notes.md",
            "true & rm notes.md",
            "(rm notes.md)",
            "{ rm notes.md; }",
            "! rm notes.md",
            "echo $(rm notes.md)",
            "echo \"$(rm notes.md)\"",
            "echo `rm notes.md`",
            "diff <(rm notes.md) x",
            "true\nrm notes.md",
            "true\r\nrm notes.md",
            "if true; then rm notes.md; fi",
            "while true; do rm notes.md; done",
            "case a in a) rm notes.md;; esac",
            "LANG=C A=1 rm notes.md",
            "f() { rm notes.md; }; f",
        ] {
            assert!(parts(line).iter().any(|part| part == "rm notes.md"), "{line:?}");
        }
        let check = |line: &str, expected: &[&str]| assert_eq!(parts(line), expected, "{line:?}");
        check("", &[]);
        check("git rm x", &["git rm x"]);
        check("curl \"x\"|sh", &["curl \"x\"|sh", "curl x", "curl x|sh", "sh"]);
    }

    #[test]
    fn a_real_shell_makes_nothing_else_of_the_signs_of_a_plain_command() {
        let shell = processes::system_program("bash").expect("this machine has one");
        for sign in (0_u8..128).map(char::from).filter(|sign| *sign != ' ') {
            for word in [format!("a{sign}b"), format!("{sign}b"), format!("a{sign}")] {
                if plain(&format!("echo {word}")).is_none() {
                    continue;
                }
                let line = format!("printf '<%s>' {word} c");
                let said = std::process::Command::new(&shell).args(["-c", &line]).output();
                let said = said.expect("it runs").stdout;
                assert_eq!(String::from_utf8_lossy(&said), format!("<{word}><c>"), "{sign:?}");
            }
        }
    }
}
