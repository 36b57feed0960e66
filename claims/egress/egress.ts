import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { connect, createServer, isIP, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { NetworkGate } from "@fairlead/contract";
import { noSandbox, systemClock } from "@fairlead/keeper";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { PreparedGates } from "../../packages/keeper/src/gate/prepared-gates.ts";
import { NamespaceProcess } from "../../packages/keeper/src/process/namespace-process.ts";
import type { AgentAnswers, KilledAnswers } from "./answer-through-kills.ts";
import { listTricks, type Trick } from "./tricks.ts";

const bubblewrap = "/usr/bin/bwrap";
const [forbidden, allowed] = ["127.0.0.1", "127.0.0.2"] as const;
const minTricks = 30;
const minKills = 20;
/** The agents whose answers pass the gate while the daemon is killed. */
const agents = ["claude-code", "codex"] as const;

export const egress: Claim = {
  id: "egress",
  statement:
    "An agent behind the network gate reaches only the hosts that were allowed, and does not notice that the daemon died.",
  bound:
    `≥ ${minTricks} tricks that succeed through a proxy without checks: 0 through the gate; real ${agents.join(" and ")}, ` +
    `daemon killed ≥ ${minKills} times each during answers: all answers whole, with one request each; control: none that passes through the daemon is`,
  async prove() {
    await using servers = await TrickServers.open();
    using gates = new PreparedGates();
    const gated = await servers.runBehindGate(gates);
    await gates.prepare(bubblewrap);
    const prepared = await servers.runBehindGate(gates);
    const control = await servers.runWithoutChecks();
    const answers = await measureAnswers();
    const isAllowedReached = gated.isAllowedReached && prepared.isAllowedReached;
    const areTricksRefused = gated.tricks + prepared.tricks === 0 && isAllowedReached && control.tricks >= minTricks;
    return {
      measured:
        `${gated.tricks} of ${servers.trickCount} tricks through the gate, ${prepared.tricks} through one that was prepared, ` +
        `${control.tricks} through a proxy without checks; the allowed host was ${isAllowedReached ? "" : "not "}reached; ${answers.map(describeAnswers).join("; ")}`,
      holds:
        areTricksRefused && prepared.isPrepared && answers.length === agents.length && answers.every(areAnswersWhole),
    };
  },
};

async function measureAnswers(): Promise<AgentAnswers[]> {
  const installed = await runQuietly("npm", ["run", "agents", "--", ...agents]);
  if (installed.code !== 0) throw new Error(installed.output);
  const program = ["node", "claims/egress/answer-through-kills.ts", ...agents];
  const env = { ...process.env, TMPDIR: "/var/tmp" };
  const { code, output } = await runQuietly("scripts/offline", program, { env });
  console.log(output.trimEnd());
  if (code !== 0) throw new Error("The answers could not be measured.");
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as AgentAnswers);
}

function areAnswersWhole({ gated, control }: AgentAnswers): boolean {
  return gated.kills >= minKills && gated.whole === gated.answers && control.answers > 0 && control.whole === 0;
}

const describeAnswers = ({ agent, gated, control }: AgentAnswers): string =>
  `${agent} ${gated.version} ${describeKills(gated)}; through the daemon ${describeKills(control)}`;

const describeKills = ({ kills, answers, whole }: KilledAnswers): string =>
  `${kills} kills, ${whole} of ${answers} answers whole`;

interface Outcome {
  readonly tricks: number;
  readonly isAllowedReached: boolean;
}

/** The allowed and the forbidden server, and what they received. */
class TrickServers implements AsyncDisposable {
  readonly #folder = realpathSync(mkdtempSync("/var/tmp/egress-"));
  readonly #closes: (() => void)[] = [];
  readonly #abstractName = `egress-${process.pid}`;
  /** What arrived at the forbidden and at the allowed server. */
  readonly #received = { forbidden: "", allowed: "" };
  #port = 0;
  #otherPort = 0;
  #rebindings = 0;

  static async open(): Promise<TrickServers> {
    const servers = new TrickServers();
    await servers.#listen();
    return servers;
  }

  get trickCount(): number {
    return this.#tricks.length;
  }

  async runBehindGate(gates: PreparedGates): Promise<Outcome & { readonly isPrepared: boolean }> {
    const hosts = ["allowed", "inside", "mixed", "rebind"].map((name) => `${name}.test:${this.#port}`);
    const gate: NetworkGate = { hosts, refusedHosts: [], services: [], forwards: [] };
    const env = { PATH: process.env["PATH"] ?? "" };
    const sandboxed = new NamespaceProcess(bubblewrap, {
      command: { program: process.execPath, args: this.#arguments, env, cwd: this.#folder, stdin: "none" },
      env,
      envMarkers: [],
      sandbox: { ...noSandbox, kind: "bwrap", network: "gate", gate },
      terminal: null,
      network: {
        gates,
        // A person who does not answer, without the wait.
        clock: { ...systemClock, after: (_, callback) => systemClock.after(50, callback) },
        onVerdict: () => {},
        resolve: (host) => Promise.resolve(this.#resolve(host)),
        isReachable: (address) => address === allowed,
      },
    });
    const { stdout } = sandboxed.child;
    const output = stdout === null ? "" : await text(stdout);
    await sandboxed.sweep();
    // Without a prepared network, bubblewrap itself is started.
    return { ...this.#takeOutcome(output), isPrepared: sandboxed.child.spawnfile !== bubblewrap };
  }

  /** The same attempts on the machine, at a proxy that connects to everything. */
  async runWithoutChecks(): Promise<Outcome> {
    const proxy = createProxy((incoming, response) => {
      const url = /^http:\/\/(?:[^/]*@)?(.*):\d+\/$/i.exec(incoming.url ?? "")?.[1] ?? incoming.headers.host ?? "";
      const [{ address } = { address: forbidden }] = this.#resolve(url.replace(/:\d+$/, ""));
      const upstream = connect(this.#port, address);
      upstream.end(`${String(incoming.headers["x-text"])}\n`, () => response.end());
    });
    proxy.on("connect", ({ url = "" }, socket) => {
      const [, host = "", port = ""] = /^(?:.*@)?(.*):(\d+)$/.exec(url) ?? [];
      const [{ address } = { address: forbidden }] = this.#resolve(host).toReversed();
      const upstream = connect(Number(port), address, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => {});
      socket.pipe(upstream).pipe(socket);
    });
    const port = await this.#start(proxy, 0, forbidden);
    const env = { PATH: process.env["PATH"] ?? "", HTTPS_PROXY: `http://${forbidden}:${port}` };
    const child = spawn(process.execPath, this.#arguments, { env, stdio: ["ignore", "pipe", "inherit"] });
    return this.#takeOutcome(await text(child.stdout));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closes) close();
    rmSync(this.#folder, { recursive: true });
  }

  get #tricks(): Trick[] {
    return listTricks(this.#port, this.#otherPort, this.#abstractName);
  }

  get #arguments(): string[] {
    return [join(this.#folder, "try-tricks.cjs"), String(this.#port), JSON.stringify(this.#tricks)];
  }

  async #listen(): Promise<void> {
    cpSync(fileURLToPath(new URL("try-tricks.cjs", import.meta.url)), join(this.#folder, "try-tricks.cjs"));
    const receive = (at: "forbidden" | "allowed" = "forbidden"): Server =>
      createServer((socket) => socket.on("error", () => {}).on("data", (data) => (this.#received[at] += String(data))));
    this.#port = await this.#start(receive(), 0, forbidden);
    await this.#start(receive("allowed"), this.#port, allowed);
    await this.#start(receive(), this.#port, "::1").catch(() => {});
    this.#otherPort = await this.#start(receive(), 0, allowed);
    const abstract = receive().listen({ path: `\0${this.#abstractName}` });
    this.#closes.push(() => abstract.close());
    const datagrams = createSocket("udp4", (data) => (this.#received.forbidden += String(data)));
    datagrams.bind(this.#port, forbidden);
    await Promise.all([once(abstract, "listening"), once(datagrams, "listening")]);
    this.#closes.push(() => datagrams.close());
  }

  async #start(server: Server, port: number, address: string): Promise<number> {
    server.listen(port, address);
    await once(server, "listening");
    this.#closes.push(() => server.close());
    return (server.address() as { port: number }).port;
  }

  /** All names but the allowed one lead to the forbidden server. */
  #resolve(host: string): LookupAddress[] {
    const at = (address: string): LookupAddress => ({ address, family: isIP(address) });
    if (host === "allowed.test") return [at(allowed)];
    if (host === "mixed.test") return [at(allowed), at(forbidden)];
    if (host === "rebind.test") return [at(this.#rebindings++ % 2 === 0 ? allowed : forbidden)];
    return [at(forbidden)];
  }

  #takeOutcome(output: string): Outcome {
    if (!output.includes("tried")) throw new Error(`The tricks were not tried: ${output}`);
    const reached = new Set(this.#received.forbidden.match(/trick-\d+\./g));
    const isAllowedReached = this.#received.allowed.includes("allowed.\n");
    Object.assign(this.#received, { forbidden: "", allowed: "" });
    return { tricks: reached.size, isAllowedReached };
  }
}
