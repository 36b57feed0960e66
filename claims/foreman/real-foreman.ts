import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Plan, type RunEvent, type RunView } from "@fairlead/api";
import type { Adapter } from "@fairlead/contract";
import type { TestBench } from "@fairlead/conformance";
import { keyBenches, testBenches } from "@fairlead/lab";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

type Body<Type extends RunEvent["body"]["type"]> = Extract<RunEvent["body"], { type: Type }>;

/** Runs plans with real agents, in a repository of a person with a bare remote. Their models are in the lab. */
export class RealForeman implements AsyncDisposable {
  readonly folder: string;
  readonly workspace: string;
  readonly remote: string;
  readonly home: Home;
  readonly benches: Readonly<Record<string, TestBench>>;
  readonly #installed: readonly Adapter[];
  fairlead!: LocalFairlead;

  private constructor(folder: string, benches: Readonly<Record<string, TestBench>>, installed: readonly Adapter[]) {
    this.folder = folder;
    this.workspace = join(folder, "project");
    this.remote = join(folder, "remote.git");
    this.home = new Home(join(folder, "h"));
    this.benches = benches;
    this.#installed = installed;
    mkdirSync(this.workspace);
    execFileSync("git", ["init", "--quiet", "--bare", this.remote]);
    this.git("init", "--quiet", "--initial-branch=main");
    writeFileSync(join(this.workspace, "a.txt"), "one\n");
    this.git("add", "--all");
    this.git("-c", "user.name=Person", "-c", "user.email=person@example.com", "commit", "--quiet", "-m", "first");
    this.git("remote", "add", "origin", this.remote);
  }

  static async open(agents: readonly string[], others: readonly Adapter[] = []): Promise<RealForeman> {
    const folder = mkdtempSync(join(tmpdir(), "foreman-"));
    const benches: Record<string, TestBench> = {};
    for (const agent of agents) {
      // The gate knows the address of the vendor's own service, and not those in the configuration of an agent.
      const openBench = keyBenches[agent] ?? testBenches[agent];
      if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
      benches[agent] = await openBench(join(folder, "s"));
    }
    const foreman = new RealForeman(folder, benches, [...adapters, ...others]);
    await foreman.reopen();
    return foreman;
  }

  /** The variables with which all agents find their programs and the lab. */
  get environment(): Readonly<Record<string, string | undefined>> {
    const environments = Object.values(this.benches).map(({ environment }) => environment);
    const path = environments.map((environment) => environment["PATH"]).join(":");
    return { ...process.env, ...Object.assign({}, ...environments.toReversed()), PATH: path };
  }

  /** Opens the service, as a daemon does at its start. */
  async reopen(): Promise<void> {
    const { home, environment } = this;
    this.fairlead = await LocalFairlead.open({ home, adapters: this.#installed, environment, defaultPolicy: true });
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.workspace, encoding: "utf8" }).trim();
  }

  remoteGit(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.remote, encoding: "utf8" }).trim();
  }

  /** Settings with which an agent talks to the lab. */
  settingsOf(agent: string): Record<string, unknown> {
    return { ...(this.benches[agent]?.settings as Record<string, unknown> | undefined) };
  }

  /** A prompt with which the model lets the agent run commands. */
  commands(agent: string, ...commands: string[]): string {
    const steps = [...commands.map((run) => ({ actions: [{ run }] })), { text: "Done. All tests pass." }];
    return this.benches[agent]?.buildPrompt(steps, ".") ?? "";
  }

  /** A prompt with which the model lets the agent submit a review. */
  review(agent: string, verdict: "approve" | "changes", findings: readonly object[] = []): string {
    return this.benches[agent]?.buildOfferedToolPrompt?.("submit_review", { verdict, findings }) ?? "";
  }

  async start(plan: object): Promise<string> {
    const request = { plan: Plan.parse({ goal: "Do it", forge: { kind: "git" }, ...plan }), workspace: this.workspace };
    return (await this.fairlead.startRun(request)).run;
  }

  /** Yields the events of a run until it ends. */
  async *events(run: string, after = 0): AsyncGenerator<RunEvent> {
    for (let last = after; ;) {
      const { events, ended } = await this.fairlead.runEvents({ run, after: last, wait: 10_000 });
      yield* events;
      last = events.at(-1)?.seq ?? last;
      if (ended) return;
    }
  }

  /** Waits for an event of a run; null if the run ends without one. */
  async waitFor<Type extends RunEvent["body"]["type"]>(run: string, type: Type): Promise<Body<Type> | null> {
    for await (const { body } of this.events(run)) if (body.type === type) return body as Body<Type>;
    return null;
  }

  /** Approves the decision of a run when it is asked. Returns false if the run ends before. */
  async approve(run: string): Promise<boolean> {
    const asked = await this.waitFor(run, "decision.requested");
    if (asked !== null) await this.fairlead.answer(run, asked.decision, { type: "allow" });
    return asked !== null;
  }

  /** Waits for the end of a run. */
  async finish(run: string): Promise<{ readonly view: RunView; readonly events: RunEvent[] }> {
    const events = await Array.fromAsync(this.events(run));
    return { view: await this.fairlead.run(run), events };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fairlead[Symbol.asyncDispose]();
    for (const bench of Object.values(this.benches)) await bench[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The commands that write files, for a shell. */
export function writeCommand(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([path, content]) => `printf '%s\\n' '${content.replaceAll("'", String.raw`'\''`)}' > ${path}`)
    .join(" && ");
}

export function bodiesOf<Type extends RunEvent["body"]["type"]>(events: readonly RunEvent[], type: Type): Body<Type>[] {
  return events.flatMap(({ body }) => (body.type === type ? [body as Body<Type>] : []));
}
