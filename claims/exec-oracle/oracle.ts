import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A command that bash executed: the program's name and its arguments. */
export interface ExecutedCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** Programs that really run what they are given. All others only log that they were executed. */
const realPrograms = "bash env xargs timeout nice nohup setsid stdbuf find".split(" ");
const maxMilliseconds = 3000;

/** Writes one record per execution. `-p`: variables that a line sets do not make the stub execute anything. */
const stub = `#!/oracle/bash -p
printf -v record '%s\\037' "\${0##*/}" "$@"
printf '%s\\036' "$record" >> /oracle/log
`;
/** Bash calls it for names without a stub. */
const handler = `() { local record; printf -v record '%s\\037' "\${1##*/}" "\${@:2}"; printf '%s\\036' "$record" >> /oracle/log; }`;

/**
 * Runs shell lines by real bash in a closed bubblewrap: no network, no file of this machine but libraries, and in every folder
 * of the PATH only stubs that log their execution.
 */
export class Oracle implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "oracle-"));
  /** The file in which the stubs of each line log. A command in the background may log after its line has ended. */
  readonly #logs = new Map<string, string>();

  constructor(names: Iterable<string>) {
    const programs = join(this.#folder, "bin");
    const workspace = join(this.#folder, "repo");
    for (const folder of [programs, join(workspace, "src"), join(workspace, "repo")])
      mkdirSync(folder, { recursive: true });
    for (const file of ["a", "b", "f", "x", "a.txt", "list.txt", "package.json", ".env", "src/a.ts"]) {
      writeFileSync(join(workspace, file), "one\ntwo\n");
    }
    writeFileSync(join(this.#folder, "stub"), stub);
    chmodSync(join(this.#folder, "stub"), 0o755);
    copyFileSync("/bin/bash", join(this.#folder, "bash"));
    for (const name of realPrograms)
      copyFileSync(name === "bash" ? "/bin/bash" : `/usr/bin/${name}`, join(programs, name));
    for (const name of ["sh", "dash"]) copyFileSync("/bin/bash", join(programs, name));
    for (const name of names) if (!existsSync(join(programs, name))) symlinkSync("/oracle/stub", join(programs, name));
  }

  /** Executes a line. */
  async run(line: string): Promise<void> {
    const log = join(this.#folder, `log-${this.#logs.size}`);
    this.#logs.set(line, log);
    writeFileSync(log, "");
    await new Promise<void>((resolve) => {
      const options = { timeout: maxMilliseconds, killSignal: "SIGKILL", maxBuffer: 1 << 26 } as const;
      execFile("bwrap", [...this.#arguments(log), "/oracle/bash", "--norc", "--noprofile", "-c", line], options, () =>
        resolve(),
      ).stdin?.end();
    });
  }

  /** Returns what each line has executed until now. */
  read(): Map<string, ExecutedCommand[]> {
    return new Map([...this.#logs].map(([line, log]) => [line, readLog(log)]));
  }

  #arguments(log: string): string[] {
    const libraries = ["/lib", "/lib64", "/usr/lib"].flatMap((folder) => ["--ro-bind-try", folder, folder]);
    return [
      ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"],
      libraries,
      ["--ro-bind", join(this.#folder, "bin"), "/bin"],
      ["/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"].flatMap((folder) => ["--symlink", "/bin", folder]),
      [
        "--ro-bind",
        join(this.#folder, "bash"),
        "/oracle/bash",
        "--ro-bind",
        join(this.#folder, "stub"),
        "/oracle/stub",
      ],
      ["--bind", log, "/oracle/log", "--proc", "/proc", "--dev", "/dev", "--size", "1048576", "--tmpfs", "/tmp"],
      ["--size", "1048576", "--tmpfs", "/home/u", "--bind", join(this.#folder, "repo"), "/repo", "--chdir", "/repo"],
      ["--setenv", "PATH", "/bin", "--setenv", "HOME", "/home/u"],
      ["--setenv", "BASH_FUNC_command_not_found_handle%%", handler, "--"],
    ].flat();
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function readLog(log: string): ExecutedCommand[] {
  const records = readFileSync(log, "utf8").split("\u001E").slice(0, -1);
  return records.map((record) => {
    const [program = "", ...args] = record.split("\u001F").slice(0, -1);
    return { program, args };
  });
}
