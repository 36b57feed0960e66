/**
 * A service that runs a plan, and approves what it asks. It prints a line before each step, after the effect of the step, and
 * after its record, so that it can be killed there: `node foreman-process.ts OPTIONS`.
 */
import { randomUUID } from "node:crypto";
import { adapters } from "@fairlead/adapters";
import { listSessions, type RunRequest } from "@fairlead/api";
import type { Adapter } from "@fairlead/contract";
import {
  createBodies,
  openLocalWorkflows,
  type Json,
  type WorkflowBodies,
  type WorkflowContext,
} from "@fairlead/foreman";
import { Home, RunRepository } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

export interface ForemanProcessOptions {
  readonly home: string;
  readonly request: RunRequest;
  readonly key: string;
  /** Whether each attempt of a step has a key of its own, which is wrong. */
  readonly randomKeys: boolean;
}

export interface RunSummary {
  readonly run: string;
  readonly outcome: string | null;
  readonly reason: string;
  /** The types of the run's events, in order. */
  readonly events: readonly string[];
  /** Whether the events have the numbers 1, 2, 3 and so on. */
  readonly isDense: boolean;
  /** The sessions as `AGENT TURNS`, sorted. */
  readonly sessions: readonly string[];
  /** Sessions that have not ended. */
  readonly open: number;
}

/** A line of the process. */
export type ForemanReport =
  | { readonly step: string; readonly moment: "begins" | "acted" | "recorded" }
  | { readonly summary: RunSummary };

const options = JSON.parse(process.argv[2] ?? "") as ForemanProcessOptions;
const home = new Home(options.home);
const say = (report: ForemanReport): void => console.log(JSON.stringify(report));

function observe(context: WorkflowContext): WorkflowContext {
  return {
    run: context.run,
    wait: (key, deadline) => context.wait(key, deadline),
    sleep: (name, milliseconds) => context.sleep(name, milliseconds),
    child: (workflow, run, input) => context.child(workflow, run, input),
    async step<T extends Json>(name: string, run: Parameters<WorkflowContext["step"]>[1]): Promise<T> {
      let isNew = false;
      const value = await context.step(name, async (step) => {
        isNew = true;
        say({ step: name, moment: "begins" });
        const result = await run(options.randomKeys ? { ...step, key: randomUUID() } : step);
        say({ step: name, moment: "acted" });
        return result;
      });
      if (isNew) say({ step: name, moment: "recorded" });
      return value as T;
    },
  };
}

const observeAll = (bodies: WorkflowBodies): WorkflowBodies =>
  Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [name, (context, input) => body(observe(context), input)]),
  );

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
const second: Adapter = {
  ...scripted,
  manifest: { ...scripted.manifest, id: "scripted-second", vendor: "Second vendor" },
};
const fairlead = await LocalFairlead.open({
  home,
  adapters: [...adapters, second],
  defaultPolicy: true,
  foreman: {
    createBodies: (parts) => observeAll(createBodies({ ...parts, environment: process.env, now: Date.now })),
    openWorkflows: (bodies) => openLocalWorkflows({ file: home.workflowLogFile, bodies }),
    prepare: async (run, { workspace }) => await new RunRepository(home, run).create(workspace),
  },
});
await fairlead.recovery;
const { run } = await fairlead.startRun(options.request, { key: options.key });
const events: string[] = [];
let isDense = true;
for (let isOver = false; !isOver;) {
  const page = await fairlead.runEvents({ run, after: events.length, wait: 10_000 });
  for (const { seq, body } of page.events) {
    isDense &&= seq === events.length + 1;
    events.push(body.type);
  }
  const { decision } = await fairlead.run(run);
  // The answer has a key, too: a person's client sends it again after a lost connection.
  if (decision !== null)
    await fairlead.answer(run, decision.decision, { type: "allow" }, { key: `${options.key}-answer` });
  isOver = page.ended;
}
const { outcome, reason } = await fairlead.run(run);
const views = await Array.fromAsync(listSessions(fairlead, {}));
say({
  summary: {
    run,
    outcome,
    reason,
    events,
    isDense,
    sessions: views.map(({ agent, turns }) => `${agent} ${turns}`).toSorted((one, other) => one.localeCompare(other)),
    open: views.filter(({ state }) => state !== "ended").length,
  },
});
await new Promise(() => setInterval(() => {}, 1000));
