import { FairleadError } from "@fairlead/contract";
import type { SessionRow } from "@fairlead/journal";
import type { SessionState } from "@fairlead/reducer";
import type { SessionProjections } from "../projection/session-projections.ts";
import { KeyedMutex } from "./start/keyed-mutex.ts";

/** States of rows whose agents may run. The agent of a damaged session may. */
const drivingStates = ["idle", "working", "waiting", "damaged"];

/** A session that is about to drive a conversation of its agent. */
export interface ConversationUse {
  readonly session: string;
  readonly agent: string;
  /** The agent's own id of the conversation. Null for a new one, which no other session has. */
  readonly agentSessionId: string | null;
  /** The session that ended, and that a new session continues. Absent for a session that is resumed. */
  readonly continues?: string;
}

/** What a session of this process does now. The index may show it later. */
interface DrivingSession {
  readonly id: string;
  readonly state: Pick<SessionState, "desiredState" | "ledger">;
  readonly isFinished: boolean;
  readonly finished: Promise<void>;
}

/**
 * Prevents that two sessions drive one conversation: both agents would write to one transcript. A paused session keeps its
 * conversation from being continued by a new session, but not from being driven by another one that was paused too.
 */
export class Conversations {
  readonly #projections: Pick<SessionProjections, "page" | "waitUntilComplete">;
  readonly #mutex = new KeyedMutex();
  /** The session of this process that began to drive each conversation last. */
  readonly #driving = new Map<string, DrivingSession>();

  constructor(projections: Pick<SessionProjections, "page" | "waitUntilComplete">) {
    this.#projections = projections;
  }

  /** Makes a session drive a conversation. Throws `conflict` if another one does, or waits to be resumed. */
  async drive<Driving extends DrivingSession>(use: ConversationUse, start: () => Promise<Driving>): Promise<Driving> {
    const { agent, agentSessionId } = use;
    if (agentSessionId === null) return await start();
    const key = JSON.stringify([agent, agentSessionId]);
    return await this.#mutex.run(key, async () => {
      this.#assertNotDrivenHere(key, use);
      await this.#assertNotOpen(agentSessionId, use);
      const driving = await start();
      this.#driving.set(key, driving);
      void driving.finished.then(() => {
        if (this.#driving.get(key) === driving) this.#driving.delete(key);
      });
      return driving;
    });
  }

  #assertNotDrivenHere(key: string, { session }: ConversationUse): void {
    const other = this.#driving.get(key);
    if (other === undefined || other.id === session || other.isFinished) return;
    if (other.state.desiredState !== "pause" && !other.state.ledger.over) throw conversationTaken(session, other.id);
  }

  /** The cost does not depend on the number of sessions: the index finds rows by their conversation. */
  async #assertNotOpen(agentSessionId: string, { session, agent, continues }: ConversationUse): Promise<void> {
    await this.#projections.waitUntilComplete();
    const states = continues === undefined ? drivingStates : [...drivingStates, "paused"];
    const { rows } = await this.#projections.page({ agent, agentSessionId, states });
    const other = rows.find((row) => row.session !== session && row.session !== continues);
    if (other !== undefined) throw conversationTaken(continues ?? session, other.session, other.state);
  }
}

function conversationTaken(session: string, other: string, state?: SessionRow["state"]): FairleadError {
  const reason = `Session ${other}, which has not ended, has the conversation of session ${session}. Two agents would write to it.`;
  const advice =
    state === "damaged" ? `Stop it with: fairlead stop ${other}` : `Continue with: fairlead resume ${other} "…"`;
  return new FairleadError("conflict", `${reason} ${advice}`);
}
