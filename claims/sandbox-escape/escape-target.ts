import { randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withScript } from "@fairlead/kit";
import { AttackTarget, type StartOptions } from "../attack-closed/attack-target.ts";
import { createRepository } from "./repository.ts";
import { keyCalls, quote } from "./scripts.ts";

/** How long a script may take. */
const scriptTimeoutMs = 30_000;

/** An open request for approval, of an agent that writes a file once it is allowed. */
export interface OpenDecision {
  readonly session: string;
  readonly decision: string;
}

/**
 * A user's home with secrets and a workspace, the user's daemon with another session, and a hostile session. The home is
 * not in /tmp: every agent has a /tmp of its own, so nothing would have to be hidden.
 */
export class EscapeTarget extends AttackTarget {
  /** What no agent may read. No script contains it. */
  readonly secret = `secret-${randomBytes(12).toString("hex")}`;
  /** What the user's other agent says. It is no known secret, so it is not masked in what Fairlead stores. */
  readonly said = `said-${randomBytes(12).toString("hex")}`;
  readonly isSandboxed: boolean;
  /** A folder of the user in the machine's folder for temporary files. */
  readonly temporaryFolder = mkdtempSync(join(tmpdir(), "e-"));
  #hostile = "";
  #other = "";
  #scripts = 0;
  #isIdle = true;
  /** The session and the folder of the next script. */
  #hostileWorkspace = { session: "", folder: "" };
  readonly #decisions = new Map<string, OpenDecision>();
  readonly #observed = new Set<string>();
  readonly #numbers = new Map<string, number>();
  readonly #held: AsyncDisposable[] = [];

  constructor(checkout: string, isSandboxed: boolean) {
    super(checkout, mkdtempSync("/var/tmp/e-"));
    this.isSandboxed = isSandboxed;
    for (const folder of ["proof", "other", ".ssh", ".agent", ".config"]) mkdirSync(join(this.folder, folder));
    this.writeHomeFiles();
    createRepository(this);
  }

  /** Writes the user's files, as they were before any attempt. */
  writeHomeFiles(): void {
    for (const file of [".ssh/id_key", ".netrc", "other/notes"]) writeFileSync(this.inHome(file), `${this.secret}\n`);
    for (const file of [".bashrc", ".profile"]) writeFileSync(this.inHome(file), "");
    writeFileSync(this.inHome(".gitconfig"), "[user]\nname = user\nemail = user@localhost\n");
  }

  /** Without a sandbox the agent also has no pid namespace, as on a machine without bubblewrap. */
  override get environment(): Record<string, string> {
    return {
      ...super.environment,
      DAEMON_SECRET: this.secret,
      // The scripted agent writes its history there.
      XDG_STATE_HOME: join(this.workspace, ".state"),
      ...(!this.isSandboxed && { FAIRLEAD_CONTAINMENT: "descendants" }),
    };
  }

  /** Starts the daemon, a session of the user, and the hostile session. */
  async startSessions(): Promise<void> {
    await this.mustRun(["up", "--listen", "127.0.0.1:0"], { wrapper: inheritSecrets(this.inHome(".netrc")) });
    await this.mustRun(["token", "phone", "--scope", "read", "--json"]);
    writeFileSync(join(this.home, "trusted.json"), "{}");
    const env = { OTHER_SECRET: this.secret };
    this.#other = await this.startUnlimited("shell", `echo ${this.said}; exec sleep 1000000`, {
      workspace: this.inHome("other"),
      settings: { env, timeout: 100_000_000 },
    });
    await this.until(() => this.otherAgentPid > 0);
    await this.openWorkspace(this.workspace);
    this.#hostile = this.#hostileWorkspace.session;
  }

  /** Starts a hostile session for the scripts in a workspace. */
  async openWorkspace(folder: string): Promise<void> {
    const options = { workspace: folder, settings: { timeout: scriptTimeoutMs } };
    const session = await this.startHostile("shell", "true", options);
    await this.untilState(session, ["idle"]);
    this.#hostileWorkspace = { session, folder };
  }

  /** Starts a session of the user, which has no sandbox. */
  async startUnlimited(agent: string, prompt: string, options: StartOptions = {}): Promise<string> {
    return await this.start(agent, prompt, { ...options, sandbox: { kind: "none" } });
  }

  /** Starts a session of the hostile agent. Without a gate, only the network `none` keeps an agent from loopback. */
  async startHostile(agent: string, prompt: string, options: StartOptions = {}): Promise<string> {
    const sandbox = this.isSandboxed ? { kind: "bwrap", network: "none" } : { kind: "none" };
    return await this.start(agent, prompt, { ...options, sandbox });
  }

  get hostile(): string {
    return this.#hostile;
  }

  /** The user's other session. */
  get other(): string {
    return this.#other;
  }

  inHome(path: string): string {
    return join(this.folder, path);
  }

  /** A file that only a program outside the sandbox can create. */
  proof(name: string): string {
    return join(this.folder, "proof", name);
  }

  isProven(name: string): boolean {
    return existsSync(this.proof(name));
  }

  inData(path: string): string {
    return join(this.home, path);
  }

  keeperSocket(session: string): string {
    return this.inData(`sessions/${session}/keeper.sock`);
  }

  get listenPort(): number {
    return Number(
      new URL((JSON.parse(readFileSync(this.inData("daemon/info.json"), "utf8")) as { url: string }).url).port,
    );
  }

  /** The process of the user's other agent, 0 until it runs. */
  get otherAgentPid(): number {
    const pid = readdirSync("/proc").find((name) => /^\d+$/u.test(name) && isOtherAgent(name, this.other));
    return Number(pid ?? 0);
  }

  /** The state of a process as one letter. `T` is a stopped one. */
  processState(pid: number): string {
    return /^State:\s+(\w)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  }

  /** Has the hostile agent run a script, and returns its output. */
  async runHostile(script: string): Promise<string> {
    const { session, folder } = this.#hostileWorkspace;
    this.#isIdle = false;
    const name = `.script-${(this.#scripts += 1)}`;
    const [program, output, end] = [".sh", ".out", ".end"].map((extension) => join(folder, name + extension));
    writeFileSync(program ?? "", `exec > ${quote(output ?? "")} 2>&1\n${script}\n`);
    await this.send(session, `bash ${quote(program ?? "")}; touch ${quote(end ?? "")}`);
    await this.until(() => existsSync(end ?? ""), scriptTimeoutMs + 5000);
    this.#isIdle = true;
    await this.untilState(session, ["idle"]);
    const text = existsSync(output ?? "") ? readFileSync(output ?? "", "utf8") : "";
    for (const file of [program, output, end]) rmSync(file ?? "", { force: true });
    return text;
  }

  /**
   * Has an agent ask for two approvals: to run a script, and to write a file. A person allows the script only. Returns when
   * the script has ended.
   */
  async runApproved(script: string, name: string): Promise<string> {
    const end = join(this.workspace, ".approved-end");
    const tools = [
      { name: "run", input: { command: `${script}; touch ${quote(end)}` } },
      // The agent is in the sandbox, so the file that it asks for is in the workspace.
      { name: "write", input: { path: this.approvedFile(name), content: "allowed" } },
    ];
    const session = await this.startHostile("scripted", withScript("", [{ tools }]));
    const open = await this.waitForDecisions(session, 2);
    const decision = open.find(({ view }) => view.includes(".approved-end"))?.decision;
    const body = { decision, answer: { type: "allow" } };
    await this.request("POST", `/v1/sessions/${session}/answers`, { body });
    await this.until(() => existsSync(end));
    rmSync(end, { force: true });
    return session;
  }

  /** The file of the approval that only the agent itself could give. */
  approvedFile(name: string): string {
    return join(this.workspace, `.approved-${name}`);
  }

  /** Starts an agent that asks to write a file, and waits for the request. */
  async openDecision(name: string): Promise<void> {
    const file = this.proof(name);
    const step = { tools: [{ name: "write", input: { path: file, content: "allowed" } }] };
    const session = await this.startUnlimited("scripted", withScript("", [step]));
    const [decision] = await this.waitForDecisions(session, 1);
    this.#decisions.set(name, { session, decision: decision?.decision ?? "" });
  }

  /** The decision that was opened under a name. */
  decision(name: string): OpenDecision {
    const decision = this.#decisions.get(name);
    if (decision === undefined) throw new Error(`No decision was opened for ${name}.`);
    return decision;
  }

  /** Notes that an attempt succeeded while its script ran. */
  observe(name: string): void {
    this.#observed.add(name);
  }

  hasObserved(name: string): boolean {
    return this.#observed.has(name);
  }

  /** Whether no script runs. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** Waits until a session has this many open decisions. `view` is all that is shown of one. */
  async waitForDecisions(session: string, count: number): Promise<{ decision: string; view: string }[]> {
    let found: { session: string; decision: string }[] = [];
    const isFound = await this.until(async () => {
      const { text } = await this.request("GET", "/v1/decisions");
      found = (JSON.parse(text) as typeof found).filter((one) => one.session === session);
      return found.length >= count;
    });
    if (!isFound) throw new Error(`The session ${session} does not ask for ${count} approvals.`);
    return found.map((one) => ({ decision: one.decision, view: JSON.stringify(one) }));
  }

  /** Stores a number that an attempt knows only after its preparation, such as a port. */
  note(name: string, number: number): void {
    this.#numbers.set(name, number);
  }

  noted(name: string): number {
    return this.#numbers.get(name) ?? 0;
  }

  /** Keeps a server until the attempt has ended. */
  hold(server: AsyncDisposable): void {
    this.#held.push(server);
  }

  /** Ends the servers of an attempt. */
  async release(): Promise<void> {
    this.#hostileWorkspace = { session: this.hostile, folder: this.workspace };
    for (const server of this.#held.splice(0)) await server[Symbol.asyncDispose]();
  }

  /** Starts the user's terminal multiplexer at a socket. */
  startTmux(socket: string): void {
    this.tmux(socket, "-f", "/dev/null", "new-session", "-d", "cat");
    this.hold({ [Symbol.asyncDispose]: async () => void this.tmux(socket, "kill-server") });
  }

  tmux(socket: string, ...args: string[]): string {
    return execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", env: this.environment });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
    await super[Symbol.asyncDispose]();
    rmSync(this.temporaryFolder, { recursive: true, force: true });
  }
}

/**
 * A command that starts another with an open file at descriptor 200, as scripts with locks do, and with a key in the
 * session's keyring, as a login has.
 */
function inheritSecrets(file: string): string[] {
  const { join: joinNumber, add } = keyCalls;
  const code = `$^F = 255;
    open(my $file, "<", shift) or die $!;
    POSIX::dup2(fileno($file), 200);
    open($file, "<", "/proc/self/fd/200"); my $secret = <$file>; close($file);
    my ($type, $name, $ring) = ("user", "planted-session-key", "planted");
    syscall(${joinNumber}, 1, $ring);
    syscall(${add}, $type, $name, $secret, length($secret), -3);
    exec(@ARGV) or die $!;`;
  return ["perl", "-MPOSIX", "-e", code, file];
}

function isOtherAgent(pid: string, session: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, "utf8") === "sleep\u00001000000\u0000" &&
      readFileSync(`/proc/${pid}/environ`, "utf8").includes(`FAIRLEAD_SESSION=${session}\0`)
    );
  } catch {
    return false; // The process has exited.
  }
}
