import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { endProcessesOfHome } from "../../scripts/end-processes-of-home.ts";

/** The end of a command. */
export interface CommandResult {
  /** Null if the time limit ended it. */
  readonly code: number | null;
  readonly output: string;
  readonly milliseconds: number;
}

export interface CommandOptions {
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that wraps it, such as `prlimit`. */
  readonly wrapper?: readonly string[];
  readonly cwd?: string;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A TCP port on loopback instead of the daemon's socket. */
  readonly port?: number;
  readonly timeoutMs?: number;
}

/** An HTTP answer. Status 0: there was none within the time limit. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

export interface StartOptions {
  readonly mode?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly workspace?: string;
  readonly sandbox?: Readonly<Record<string, string>>;
}

const standIns = join(import.meta.dirname, "stand-ins");

/** A Fairlead of one checkout with a data directory of its own, and hostile agents as the programs on its PATH. */
export class AttackTarget implements AsyncDisposable {
  /** HOME of all its processes. Short, because the path of a keeper's socket must be. */
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly #checkout: string;

  constructor(checkout: string, folder = mkdtempSync(join(tmpdir(), "a-"))) {
    this.#checkout = checkout;
    this.folder = folder;
    this.home = join(this.folder, "h");
    this.workspace = join(this.folder, "w");
    const bin = join(this.folder, "bin");
    for (const created of [this.workspace, bin]) mkdirSync(created, { recursive: true });
    // The attacks are on Fairlead's other defenses, and the agents log what they reach in their HOME. The earlier checkout
    // has no sandbox, and ignores the file.
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.home, "config.yaml"), "sandbox:\n  /:\n    kind: none\n");
    copyFileSync(join(standIns, "hostile-agent.cjs"), join(bin, "hostile-agent.cjs"));
    for (const agent of ["claude", "goose"]) copyFileSync(join(standIns, `${agent}.cjs`), join(bin, agent));
  }

  /** The program behind the command. */
  get main(): string {
    return join(this.#checkout, "packages/cli/src/main.ts");
  }

  get environment(): Record<string, string> {
    const path = [join(this.folder, "bin"), join(process.execPath, ".."), "/usr/local/bin", "/usr/bin", "/bin"];
    return { PATH: path.join(":"), HOME: this.folder, FAIRLEAD_HOME: this.home, LANG: "C.UTF-8" };
  }

  /** Runs a command of Fairlead and waits until it ends, at most for the time limit. */
  async run(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    const { timeoutMs = 30_000, env = {}, wrapper = [], cwd = this.workspace } = options;
    const [program = "", ...rest] = [...wrapper, process.execPath, this.main, ...args];
    const startedAt = performance.now();
    const child = spawn(program, rest, {
      cwd,
      env: { ...this.environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
    // A background process may keep the pipes open, so the exit counts and not the end of the pipes.
    const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const code = await Promise.race([exited, wait(timeoutMs, undefined, { ref: false }).then(() => "late" as const)]);
    if (code === "late") child.kill("SIGKILL");
    return { code: code === "late" ? null : code, output, milliseconds: performance.now() - startedAt };
  }

  /** Runs a command that must succeed before the attack can begin. */
  async mustRun(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    const { code, output } = await this.run(args, { timeoutMs: 60_000, ...options });
    if (code !== 0) throw new Error(`fairlead ${args.join(" ")} ended with ${code}: ${output}`);
    return output;
  }

  async request(method: "GET" | "POST", path: string, options: RequestOptions = {}): Promise<Reply> {
    const { body, headers = {}, port, timeoutMs = 10_000 } = options;
    const address = port === undefined ? { socketPath: this.socket } : { host: "127.0.0.1", port };
    const content = method === "POST" ? { "content-type": "application/json" } : {};
    const startedAt = performance.now();
    const reply = await new Promise<Omit<Reply, "milliseconds">>((resolve) => {
      const call = request({ ...address, method, path, headers: { ...content, ...headers } }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (data: string) => (text += data));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", (error) => resolve({ status: 0, text: error.message }));
      });
      call.setTimeout(timeoutMs, () => call.destroy(new Error("no answer in time")));
      call.on("error", (error) => resolve({ status: 0, text: error.message }));
      call.end(method === "POST" ? JSON.stringify(body ?? {}) : undefined);
    });
    return { ...reply, milliseconds: performance.now() - startedAt };
  }

  /** Starts a session whose first message is a script for a hostile agent. Returns its id. */
  async start(agent: string, script: string, options: StartOptions = {}): Promise<string> {
    const body = { agent, workspace: this.workspace, prompt: script, ...options };
    const { status, text } = await this.request("POST", "/v1/sessions", { body, timeoutMs: 30_000 });
    if (status >= 300 || status === 0) throw new Error(`The session was not started: ${status} ${text}`);
    return (JSON.parse(text) as { session: string }).session;
  }

  async send(session: string, text: string): Promise<Reply> {
    return await this.request("POST", `/v1/sessions/${session}/messages`, { body: { text } });
  }

  /** The session's state, or the status of the failed request. */
  async state(session: string): Promise<string> {
    const { status, text } = await this.request("GET", `/v1/sessions/${session}`);
    return status === 200 ? (JSON.parse(text) as { state: string }).state : `status ${status}`;
  }

  /** All events of a session as one JSON text, from the journal. */
  async journal(session: string): Promise<string> {
    return (await this.run(["logs", session, "--json"])).output;
  }

  /** Waits until a condition holds. Returns whether it did within the time. */
  async until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (!(await condition())) {
      if (performance.now() > deadline) return false;
      await wait(50);
    }
    return true;
  }

  /** Waits until a session has one of these states. */
  async untilState(session: string, states: readonly string[], timeoutMs?: number): Promise<boolean> {
    return await this.until(async () => states.includes(await this.state(session)), timeoutMs);
  }

  /** What the hostile agents logged, one JSON value per line. */
  get agentLog(): string {
    const file = join(this.folder, "agent.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  get socket(): string {
    return join(this.home, "daemon/socket");
  }

  get daemonPid(): number {
    return (JSON.parse(readFileSync(join(this.home, "daemon/info.json"), "utf8")) as { pid: number }).pid;
  }

  keeperPid(session: string): number {
    return (JSON.parse(readFileSync(join(this.home, "sessions", session, "keeper.json"), "utf8")) as { pid: number })
      .pid;
  }

  /** Whether a process runs. A zombie does not. */
  isAlive(pid: number): boolean {
    try {
      return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  }

  /** The largest resident memory that a process had, in MiB. */
  memory(pid: number): number {
    return readMebibytes(pid, "VmHWM");
  }

  /** The resident memory of a process now, in MiB; 0 if it has ended. */
  currentMemory(pid: number): number {
    return this.isAlive(pid) ? readMebibytes(pid, "VmRSS") : 0;
  }

  /** Sends a request and does not read its answer until it is disposed. */
  readSlowly(path: string): Disposable {
    const call = request({ socketPath: this.socket, path }, (response) => response.pause());
    call.on("error", () => {}).end();
    return { [Symbol.dispose]: () => call.destroy() };
  }

  /** The processor time of a process in milliseconds. */
  cpuTime(pid: number): number {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Files in the data directory that contain a text. */
  filesWith(text: string): string[] {
    return globSync(join(this.home, "**/*"), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file, "latin1").includes(text));
  }

  /** Ends every process that was started for this target, and removes its folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await endProcessesOfHome(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readMebibytes(pid: number, field: "VmHWM" | "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const line = status.split("\n").find((text) => text.startsWith(`${field}:`)) ?? "";
  return Number(line.replace(/\D/gu, "")) / 1024;
}
