import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Plan, type RunEvent, type RunOutcome } from "@fairlead/api";
import type { Adapter, Answer } from "@fairlead/contract";
import { createBodies } from "../../../foreman/src/run/create-bodies.ts";
import { openLocalWorkflows, type LocalWorkflowsOptions } from "../../../foreman/src/local/open-local-workflows.ts";
import type { RunLog } from "../../../foreman/src/log/run-log.ts";
import type { Workflows } from "../../../foreman/src/workflows/workflows.ts";
import type { LocalFairlead } from "../../../service/src/local-fairlead.ts";
import type { LocalFairleadOptions } from "../../../service/src/local-fairlead-options.ts";
import { RunRepository } from "../../../runtime/src/run-repository/run-repository.ts";
import { PersonRepository } from "../runtime/person-repository.ts";
import { ServiceTestHome } from "../service/service-test-home.ts";

/** The scripted agent under other names, as if other vendors made it. */
export const scriptedVendors: readonly Adapter[] = ["second", "third"].map((name) => {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
  return { ...scripted, manifest: { ...scripted.manifest, id: `scripted-${name}`, vendor: `Vendor ${name}` } };
});

/** Runs plans with scripted agents, in a repository of a person with a bare remote. */
export class ForemanBench implements AsyncDisposable {
  readonly home: ServiceTestHome = new ServiceTestHome();
  readonly person: PersonRepository;
  readonly remote: string;
  fairlead!: LocalFairlead;
  log!: RunLog;
  workflows!: Workflows;

  private constructor(files?: Readonly<Record<string, string>>) {
    this.person = new PersonRepository(join(this.home.folder, "project"), files);
    this.remote = join(this.home.folder, "remote.git");
    execFileSync("git", ["init", "--quiet", "--bare", this.remote]);
    this.person.git("remote", "add", "origin", this.remote);
  }

  static async open(
    files?: Readonly<Record<string, string>>,
    options: Partial<LocalWorkflowsOptions> = {},
    service: Partial<LocalFairleadOptions> = {},
  ): Promise<ForemanBench> {
    const bench = new ForemanBench(files);
    await bench.reopen(options, service);
    return bench;
  }

  /** Opens the service and the engine, as a daemon does at its start. */
  async reopen(
    options: Partial<LocalWorkflowsOptions> = {},
    service: Partial<LocalFairleadOptions> = {},
  ): Promise<void> {
    const { home } = this.home;
    const now = (): number => options.clock?.now() ?? Date.now();
    // The service opens the foreman at its start if it finds this folder.
    mkdirSync(home.foremanFolder, { recursive: true });
    this.fairlead = await this.home.openWith({
      ...service,
      adapters: [...adapters, ...scriptedVendors],
      foreman: {
        createBodies: (parts) => {
          this.log = parts.log;
          return createBodies({ ...parts, environment: process.env, now });
        },
        openWorkflows: async (bodies) => {
          this.workflows = await openLocalWorkflows({ file: home.workflowLogFile, bodies, ...options });
          return this.workflows;
        },
        prepare: async (run, { workspace }) => await new RunRepository(home, run).create(workspace),
        now,
      },
    });
    await this.fairlead.runs({});
  }

  /** Closes everything, as a daemon does at its end. Agents keep running. */
  async close(): Promise<void> {
    await this.home.close(this.fairlead);
  }

  async start(run: string, plan: object): Promise<void> {
    const { base } = await new RunRepository(this.home.home, run).create(this.person.folder);
    const defaults = {
      goal: "Do it",
      builder: { agent: "scripted", mode: "full-auto" },
      reviewer: { agent: "scripted-second" },
      forge: { kind: "git" },
    };
    const parsed = Plan.parse({ ...defaults, ...plan });
    const body = { type: "run.started", plan: parsed, workspace: this.person.folder, base, by: "test" } as const;
    await this.log.append(run, "start", body);
    await this.workflows.start("run", run, { run });
  }

  /** Waits for an event of a run. */
  async waitFor<Type extends RunEvent["body"]["type"]>(
    run: string,
    type: Type,
  ): Promise<Extract<RunEvent["body"], { type: Type }>> {
    for await (const { body } of this.log.watch(run, 0, AbortSignal.timeout(120_000)))
      if (body.type === type) return body as Extract<RunEvent["body"], { type: Type }>;
      else if (body.type === "run.ended") throw new Error(`The run ended before ${type}: ${JSON.stringify(body)}`);
    throw new Error(`There was no ${type}.`);
  }

  /** Answers the decision of a run when it is asked. */
  async approve(run: string, answer: Answer = { type: "allow" }): Promise<void> {
    const { decision } = await this.waitFor(run, "decision.requested");
    await this.fairlead.answer(run, decision, answer);
  }

  async result(run: string): Promise<{ readonly outcome: RunOutcome; readonly reason: string }> {
    const result = await this.workflows.result(run, AbortSignal.timeout(120_000));
    if (result.state === "failed") throw new Error(result.message);
    return result.output as { outcome: RunOutcome; reason: string };
  }

  async bodies<Type extends RunEvent["body"]["type"]>(
    run: string,
    type: Type,
  ): Promise<Extract<RunEvent["body"], { type: Type }>[]> {
    const events = await this.log.read(run);
    return events.flatMap(({ body }) =>
      body.type === type ? [body as Extract<RunEvent["body"], { type: Type }>] : [],
    );
  }

  /** Runs git in the bare remote. */
  remoteGit(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.remote, encoding: "utf8" }).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }
}
