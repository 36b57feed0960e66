import type { WorkflowBody } from "../workflows/workflows.ts";
import { acceptJoined, joinCommits, type JoinSide } from "./join.ts";
import { readRunFacts, type RunDependencies } from "./run-dependencies.ts";
import { toWork } from "./work.ts";

type JoinInput = { readonly run: string; readonly sides: readonly JoinSide[] };

/** Merges the work of all tasks, and runs the commands of the plan on it. */
export function createJoinWorkflow(dependencies: RunDependencies): WorkflowBody {
  return async (context, input) => {
    const { run, sides } = input as JoinInput;
    const facts = await readRunFacts(dependencies, run);
    return await toWork(async () => {
      const merged = await joinCommits(dependencies, facts, context, { prefix: "join", sides });
      const joined = await acceptJoined(dependencies, facts, context, merged, sides);
      return { outcome: "done", reason: "", ...joined };
    });
  };
}
