import { FairleadError, type Adapter, type Opening } from "@fairlead/contract";
import { findKeeper } from "@fairlead/keeper";
import { firstBriefMessage } from "@fairlead/reducer";
import type { SessionActor } from "../../actor/session-actor.ts";
import type { SessionActors } from "../../actor/session-actors.ts";
import { idFromKey } from "../ids.ts";
import type { FailedStarts } from "./failed-starts.ts";
import type { StartOptions } from "./start-options.ts";

export interface OpenSessionParts {
  readonly actors: SessionActors;
  readonly failedStarts: FailedStarts;
  /** The folder of the session. */
  readonly folder: string;
  /**
   * Returns the opening. Called when the start is noted, so that what it creates is removed if the start fails or its
   * process is killed.
   */
  readonly prepareOpening: () => Promise<Opening>;
  /** Runs when the session has its folder, before the opening is recorded. */
  readonly prepare: () => void;
}

/** Starts the actor and the agent of a new session. If that fails, no keeper, folder or running session is left. */
export async function openSession(
  { actors, failedStarts, folder, prepareOpening, prepare }: OpenSessionParts,
  adapter: Adapter,
  session: string,
  options: Pick<StartOptions, "session" | "injected" | "queued" | "tellBrief">,
): Promise<SessionActor> {
  await using resources = new AsyncDisposableStack();
  const attempt = await failedStarts.begin(session);
  try {
    const opening = await prepareOpening();
    const existingKeeper = options.session === undefined ? "gone" : await findKeeper(folder);
    const start = { ...attempt, hasGate: opening.sandbox?.network === "gate" };
    const actor = resources.use(await actors.start(session, adapter, existingKeeper, start));
    prepare();
    const { injected = [], queued = [], tellBrief = false } = options;
    const { brief, continues } = opening;
    const message = continues === null ? firstBriefMessage(opening) : null;
    // Sent together, so that one sync covers all of them. The keeper processes them in this order.
    await Promise.all([
      actor.submitNote({ type: "opening", opening }, "opening"),
      ...injected.map((text, index) =>
        actor.submitNote({ type: "command", command: { type: "inject", text } }, `inject-${index}`),
      ),
      ...(tellBrief && brief !== undefined
        ? [actor.submitNote({ type: "command", command: { type: "update-brief", brief } }, "brief")]
        : []),
      actor.submitNote({ type: "command", command: { type: "open" } }, "open"),
      ...[...(message === null ? [] : [message]), ...queued].map((text, index) => {
        const command = { type: "send", turn: idFromKey(`${session}-queued-${index}`), text } as const;
        return actor.submitNote({ type: "command", command }, `queued-${index}`);
      }),
    ]);
    resources.move();
    failedStarts.finish(attempt);
    return actor;
  } catch (error) {
    // An agent that failed at once was started: its session has ended.
    if (FairleadError.is(error, "session-ended")) {
      failedStarts.finish(attempt);
      throw error;
    }
    await resources.disposeAsync(); // the actor would start another keeper
    await failedStarts.discard(attempt, error);
    throw error;
  }
}
