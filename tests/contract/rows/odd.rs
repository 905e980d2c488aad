//! Names, folders, files and readers that are not as they should be: refused in words, and nothing hangs or panics.

use serde_json::Value;

use crate::table::{Row, program, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Conventions: errors; Commands: init; Commands: start; Commands: record.
        row("a folder whose name is no text is named where it cannot be used, and used where it can")
            .agent("a", "sleep 1000")
            .then(sh("start b -- true").refused(1, "is no UTF-8 text; give it another"))
            .then(sh("exec -- true").refused(1, "is no UTF-8 text; give it another"))
            .then(sh("record a r.cast").refused(1, "is no UTF-8 text; give it another"))
            .then(sh("init").says("wrote counsel.toml"))
            .then(program("sh", "-c").word(&format!("rm \"{ODD}/counsel.toml\"")))
            .then(sh("init --json").is("/did", "written"))
            .then(sh("man --json \"{work}/$odd\"").is("/did", "written"))
            .then(sh("bug-report --json \"{work}/$odd/r.tar\"").is("/did", "written")),
        // Contract: Files; Conventions: errors.
        row("counsel's own folders have names that are text")
            .then(sh_in("COUNSEL_STATE_DIR", "start b -- true").refused(1, "name another with COUNSEL_STATE_DIR"))
            .then(sh_in("COUNSEL_RUNTIME_DIR", "start b -- true").refused(1, "name another with --socket or COUNSEL_RUNTIME_DIR"))
            .then(program("sh", "-c").word(&format!("{{counsel}} --socket \"{ODD}\" ls")).refused(1, "is no UTF-8 text")),
        // Contract: Files: an agent's environment.
        row("a variable that is no text is named where it is left out")
            .then(
                program("sh", "-c")
                    .word("export ODD=$(printf 'x\\377') EVEN=x; {counsel} exec -- sh -c 'echo ${ODD-none} $EVEN'")
                    .says("none x")
                    .complains("warning: the variable ODD is no UTF-8 text and is left out"),
            ),
        // Contract: Configuration; Commands: config.
        row("what stands in the place of counsel.toml is not taken for none")
            .then(program("mkdir", "counsel.toml"))
            .then(run("config check").refused(2, "counsel.toml: cannot be read: it is a folder"))
            .then(run("up").refused(2, "counsel.toml: cannot be read"))
            .then(run("start a -- sleep 1000").complains("warning: counsel.toml: cannot be read: it is a folder"))
            .then(program("sh", "-c").word("rmdir counsel.toml; mkfifo counsel.toml"))
            .then(run("config check").refused(2, "counsel.toml: cannot be read: it is a FIFO, no regular file; name another, or put a file there"))
            .then(run("trust").refused(2, "counsel.toml: cannot be read"))
            .then(program("sh", "-c").word("rm counsel.toml; ln -s nowhere counsel.toml"))
            .then(run("config check").refused(2, "counsel.toml: cannot be read: No such file"))
            .then(program("sh", "-c").word("rm counsel.toml; ln -s /dev/zero counsel.toml"))
            .then(run("config check").refused(2, "counsel.toml: cannot be read: it is a device")),
        // Contract: Configuration; Commands: replay.
        row("what is named on the command line may be a pipe, and is read so far and no further")
            .then(program("sh", "-c").word("mkfifo p; echo '[consult]' > p & {counsel} config check -f p").says("p: all right"))
            .then(program("sh", "-c").word("echo '[consult]' > p & {counsel} rules test p").says("all the same"))
            .then(run("config check -f /dev/zero").refused(2, "it is larger than 262144 bytes"))
            .then(run("rules test /dev/zero").refused(2, "it is larger than 262144 bytes"))
            .then(run("rules test nowhere").refused(2, "there is no file nowhere"))
            .then(run("replay /dev/zero").refused(1, "it is larger than"))
            .then(run("profile check /dev/zero").refused(1, "it is a device, no regular file"))
            .then(run("bug-report --recording /dev/null r.tar").refused(1, "it is a device, no regular file; name another")),
        // Contract: Configuration; Conventions: exit codes.
        row("a value that no key takes is a mistake with its place and key")
            .file("work/date.toml", "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nenv = 2026-01-01\n")
            .file("work/zero.toml", "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nargs = [\"x\\u0000\"]\n")
            .file("work/user.toml", "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nisolate = \"uid\"\nuser = \"nobody-at-all\"\n")
            .file("work/wrap.toml", "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nwrap = [\"nosuchwrapper\"]\n")
            .then(run("config check -f date.toml").refused(2, "date.toml:4:7: key agent.env: '2026-01-01' does not fit here; write it in quotes"))
            .then(run("config check -f zero.toml").refused(2, "zero.toml:4:9: key agent.args: holds a zero byte"))
            .then(run("config check -f user.toml").refused(2, "user.toml:5:8: key agent.user: there is no user nobody-at-all"))
            .then(run("config check -f wrap.toml").refused(2, "wrap.toml:4:8: key agent.wrap: there is no program nosuchwrapper")),
        // Contract: Conventions: errors.
        row("a folder that was deleted is named by whoever needs it")
            .then(gone("config check").refused(1, "the current folder cannot be found"))
            .then(gone("config path").refused(1, "the current folder cannot be found"))
            .then(gone("up").refused(1, "the current folder cannot be found"))
            .then(gone("trust").refused(1, "the current folder cannot be found"))
            .then(gone("init").refused(1, "the current folder cannot be found"))
            .then(gone("bug-report").refused(1, "the current folder cannot be found"))
            .then(gone("bug-report {work}/r.tar").says("wrote {work}/r.tar"))
            .then(gone("ls").says("no agents")),
        // Contract: Commands: config.
        row("config path names what could be written")
            .then(program("sh", "-c").word("env -u HOME {counsel} config path 2>&1").code(1).out("counsel: could not find the configuration: there is none; write ./counsel.toml\n"))
            .then(run("config path").refused(1, "there is none; write ./counsel.toml or {home}/.config/counsel/config.toml")),
        // Contract: Commands: demo; Conventions: exit codes.
        row("demo --headless that nobody reads ends, and leaves nothing behind")
            .then(program("sh", "-c").word("mkdir tmp; export TMPDIR={work}/tmp; ({counsel} demo --headless; echo $? > code) | head -1 > out; cat code; ls -A tmp").out("130\n"))
            .then(program("sh", "-c").word("TMPDIR={work}/tmp {counsel} demo --headless > /dev/full").refused(1, "could not write the output"))
            .then(program("ls", "-A tmp").out("")),
        // Contract: Commands: demo; Conventions: errors.
        row("demo --headless --json prints each event as an object")
            .then(run("demo --headless --json").keys(&["after_ms"]).is("/what", "starting").says("\"did\":\"played\"").holds("/agent", Value::is_string))
            .then(run("demo --json").refused(2, "--headless")),
    ]
}

/// A folder whose name no text has, as a shell of the row sees it.
const ODD: &str = "$(printf 'd\\377')";

/// `counsel WORDS` in it.
fn sh(words: &str) -> crate::table::Step {
    program("sh", "-c").word(&format!("odd=\"{ODD}\"; mkdir -p \"$odd\"; cd \"$odd\" && {{counsel}} {words}"))
}

/// `counsel WORDS` with it as one of counsel's own folders.
fn sh_in(variable: &str, words: &str) -> crate::table::Step {
    program("sh", "-c").word(&format!("export {variable}=\"{{work}}/{ODD}\"; {{counsel}} {words}"))
}

/// `counsel WORDS` in a folder that is not there any more.
fn gone(words: &str) -> crate::table::Step {
    program("sh", "-c")
        .word(&format!("mkdir {{work}}/gone; cd {{work}}/gone; rmdir {{work}}/gone; {{counsel}} {words}"))
}
