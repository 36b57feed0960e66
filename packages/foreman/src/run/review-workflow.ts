import { reviewerMode } from "../plan/assign-roles.ts";
import type { ReviewFinding } from "@fairlead/api";
import type { WorkflowBody } from "../workflows/workflows.ts";
import { readRunFacts, repositoryOf, type RunDependencies } from "./run-dependencies.ts";
import { RunEnded } from "./run-ended.ts";
import { chooseSessionLimits, startRunAgent } from "./start-run-agent.ts";
import { findReview, submitReview } from "./submit-review.ts";
import { describeReview, reviewReminder } from "./texts.ts";
import { waitForTurn } from "./wait-for-turn.ts";
import { asJson, toWork } from "./work.ts";

export type ReviewInput = {
  readonly run: string;
  readonly round: number;
  readonly commit: string;
  readonly tree: string;
  readonly earlier: readonly ReviewFinding[];
};

/** Characters of the patch that the reviewer gets with its brief. It can read all files. */
const patchLimit = 100_000;

/**
 * Lets another vendor's agent review a commit. Its clone is read-only, and it reaches no host but its model's. Only its call
 * of `submit_review` counts. The verdict is for this tree and for no other.
 */
export function createReviewWorkflow(dependencies: RunDependencies): WorkflowBody {
  const { fairlead, log } = dependencies;
  return async (context, input) => {
    const { run, round, commit, tree, earlier } = input as unknown as ReviewInput;
    const facts = await readRunFacts(dependencies, run);
    const { plan, base } = facts;
    return await toWork(async () => {
      const limits = await chooseSessionLimits(dependencies, facts, context, { name: "limits", sessions: 1 });
      const started = await context.step("start", async (step) => {
        const patch = await repositoryOf(dependencies, run).readPatch(base, commit, patchLimit);
        const start = {
          role: { ...plan.reviewer, mode: plan.reviewer.mode ?? reviewerMode },
          name: `review.${round}`,
          base: commit,
          brief: describeReview(plan, { patch, earlier }),
          limits,
          request: {
            sandbox: { kind: "bwrap", workspace: "read", network: "gate" } as const,
            tools: [submitReview.offer.name],
          },
        };
        const agent = await startRunAgent(dependencies, facts, start, step);
        await log.append(run, step.key, { type: "review.started", ...agent, tree, round });
        return agent;
      });
      const { session } = started;
      let turn: string | null = null;
      let after = 0;
      for (const attempt of [1, 2]) {
        const open = { turn, after };
        const end = await context.step(`turn-${attempt}`, ({ signal }) =>
          waitForTurn(fairlead, session, { ...open, signal }),
        );
        if (end.state === "limited") throw new RunEnded("blocked", end.reason);
        if (end.state !== "completed") throw new RunEnded("failed", end.reason);
        const review = await context.step(`review-${attempt}`, async ({ key, signal }) => {
          const found = await findReview(fairlead, session, 0);
          if (found === null) return null;
          await log.append(run, key, { type: "verdict.given", ...started, tree, ...found });
          await fairlead.stop(session, { key: `${key}.stop`, signal });
          await repositoryOf(dependencies, run).discard(session);
          return asJson(found);
        });
        if (review !== null) return { outcome: "done", reason: "", commit, tree, session, last: end.last };
        if (attempt === 2) break;
        const sent = await context.step("remind", ({ key, signal }) =>
          fairlead.send(session, reviewReminder, { key, signal }),
        );
        turn = sent.turn;
        after = end.last;
      }
      throw new RunEnded("stalled", `The reviewer ended its turns without calling ${submitReview.offer.name}.`);
    });
  };
}
