import type { RunEventBody } from "@fairlead/api";
import type { Home } from "@fairlead/runtime";
import type { ForemanOptions, ForemanParts } from "../../../foreman/src/foreman.ts";
import { openLocalWorkflows } from "../../../foreman/src/local/open-local-workflows.ts";
import {
  WorkflowCanceled,
  type WorkflowBodies,
  type WorkflowContext,
} from "../../../foreman/src/workflows/workflows.ts";

export interface ApprovalForemanOptions {
  /** Milliseconds that a person has to decide. */
  readonly deadline?: number;
  /** The error of the preparation. */
  readonly problem?: Error;
}

/** Sets up runs that do nothing but ask a person, and end as the person decides. */
export function approvalForeman(
  home: Home,
  { deadline, problem }: ApprovalForemanOptions = {},
): Pick<ForemanOptions, "createBodies" | "openWorkflows" | "prepare"> {
  return {
    createBodies: (parts) => createApprovalBodies(parts, deadline ?? null),
    openWorkflows: (bodies) => openLocalWorkflows({ file: home.workflowLogFile, bodies }),
    prepare: async () => {
      if (problem !== undefined) throw problem;
      return { base: "c0" };
    },
  };
}

function createApprovalBodies({ log }: ForemanParts, deadline: number | null): WorkflowBodies {
  const append = (context: WorkflowContext, name: string, body: () => RunEventBody): Promise<number> =>
    context.step(name, async () => (await log.append(context.run, name, body())).seq);
  const end = (context: WorkflowContext, outcome: "done" | "blocked" | "timed-out" | "canceled", reason: string) =>
    append(context, "end", () => ({ type: "run.ended", outcome, reason }));
  const readOutcome = async (run: string): Promise<string | null> => {
    const bodies = (await log.read(run)).map(({ body }) => body);
    return bodies.find((body) => body.type === "decision.resolved")?.outcome ?? null;
  };
  const decide = async (context: WorkflowContext): Promise<void> => {
    const until = deadline === null ? null : await context.step("deadline", async () => Date.now() + deadline);
    await append(context, "decision", () => ({
      type: "decision.requested",
      decision: "merge",
      tree: "t1",
      changes: { files: 1, added: 2, removed: 0 },
      findings: [],
      acceptance: [],
      usd: 0.5,
      deadline: until === null ? null : new Date(until).toISOString(),
    }));
    for (let attempt = 1; ; attempt++) {
      const woken = await context.wait("approval", until);
      const outcome = await context.step(`read-${attempt}`, async () => {
        if (woken === "signaled") return await readOutcome(context.run);
        const body = { type: "decision.resolved", decision: "merge", outcome: "timed-out", by: null } as const;
        return (await log.resolve(context.run, body)).outcome;
      });
      if (outcome === "allowed") return void (await end(context, "done", "The request was made."));
      if (outcome === "denied") return void (await end(context, "blocked", "A person denied it."));
      if (outcome === "timed-out") return void (await end(context, "timed-out", "Nobody decided."));
    }
  };
  return {
    run: async (context) => {
      try {
        await decide(context);
      } catch (error) {
        if (!(error instanceof WorkflowCanceled)) throw error;
        await end(context, "canceled", "A person canceled it.");
      }
      return null;
    },
  };
}
