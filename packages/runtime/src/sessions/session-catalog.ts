import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { FairleadError, type EventDraft, type Event } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { EventLog, LoggedSession, LogTail } from "@fairlead/journal";
import { findKeeper, spoolFolder, SpoolReader } from "@fairlead/keeper";
import { SessionReducer, type SessionState } from "@fairlead/reducer";
import { isSafeAgentSessionId } from "../transcript/locate-transcript.ts";
import { decodeEvents, readNewestEvent } from "../actor/stored-events.ts";
import type { TreeDiff } from "../files/diff-trees.ts";
import {
  findChangesSinceStart,
  findTurnChanges,
  type KeptChangesOptions,
  type TurnChangesOptions,
} from "../files/find-kept-changes.ts";
import { createRequestReader } from "../gate/read-decision.ts";
import type { Home } from "../home.ts";
import { isKeeperGone } from "../host/is-keeper-gone.ts";
import { loadSnapshot, SnapshotFile } from "../actor/snapshot.ts";
import { livenessOf } from "./liveness.ts";
import { damagedSummary } from "./damaged-summary.ts";
import { readEndMarker } from "./end-marker.ts";
import { isTransientFailure } from "./is-transient-failure.ts";
import type { AdapterRegistry } from "../config/adapter-registry.ts";
import { SummaryReducer, type SessionSummary } from "./session-summary.ts";

/** The end of a session's journal: its newest sequence number, and the owner that wrote it. */
export type SessionTail = Pick<LoggedSession, "session" | "damage"> & Pick<LogTail, "last" | "owner">;

/** Reads sessions without driving them. It does not affect the process that drives them. */
export class SessionCatalog {
  readonly #home: Home;
  readonly #journal: EventLog;
  readonly #registry: AdapterRegistry;

  readonly #hosts: Pick<Hosts, "isElsewhere">;

  constructor(home: Home, journal: EventLog, registry: AdapterRegistry, hosts: Pick<Hosts, "isElsewhere">) {
    this.#home = home;
    this.#journal = journal;
    this.#registry = registry;
    this.#hosts = hosts;
  }

  async has(session: string): Promise<boolean> {
    const { last, damage } = await this.#readTailOrDamage(session);
    return last > 0 || damage !== undefined;
  }

  /** Reads the first event of a session, which is `session.started`. */
  async readFirstEvent(session: string): Promise<Event> {
    for await (const event of decodeEvents(this.#journal.read(session, 0, { limit: 1 }))) return event;
    throw unknownSession(session);
  }

  /** Finds what changed in the workspace during one turn. */
  async findTurnChanges(options: TurnChangesOptions): Promise<TreeDiff> {
    return await findTurnChanges(this.#home, options);
  }

  /** Finds what changed in the workspace since the session's first comparison. Null if the files were not compared. */
  async findChangesSinceStart(options: KeptChangesOptions): Promise<TreeDiff | null> {
    return await findChangesSinceStart(this.#home, options);
  }

  /** The git index that is kept of a session's workspace, if there is one. */
  keptIndexFile(session: string): string {
    return join(this.#home.filesFolder(session), "git/index");
  }

  /** Yields the ends of all journals, the newest activity first. */
  async *listTails(): AsyncGenerator<SessionTail> {
    for await (const { tail, ...logged } of this.#journal.sessions()) {
      if (tail.last > 0 || logged.damage !== undefined) yield { ...logged, ...tail };
    }
  }

  async readTail(session: string): Promise<SessionTail> {
    const tail = await this.#readTailOrDamage(session);
    if (tail.last === 0 && tail.damage === undefined) throw unknownSession(session);
    return tail;
  }

  async #readTailOrDamage(session: string): Promise<SessionTail> {
    try {
      const tail = await this.#journal.tail(session);
      const damage = tail.epoch === 0 ? this.findLoss(session) : undefined;
      return { session, ...tail, ...(damage && { damage }) };
    } catch (error) {
      if (!FairleadError.is(error, "corrupt")) throw error;
      return { session, last: 0, owner: "", damage: error };
    }
  }

  /**
   * Returns the damage of a session that the journal does not have, if the session has a spool. A start claims its session
   * before it makes the spool, so the journal was lost. The agent may run, and people must be able to stop it. On a host of a
   * fleet, a session without a keeper moved to another host and was forgotten there.
   */
  findLoss(session: string): FairleadError | undefined {
    if (!isSafeAgentSessionId(session) || !this.hasSpool(session)) return undefined;
    if (this.#journal.carriesNotes && isKeeperGone(this.#home.sessionFolder(session))) return undefined;
    const message = `The journal does not have session ${session}. It was removed, or replaced by an older one.`;
    return new FairleadError("corrupt", message);
  }

  /** Reads the newest event of a session. Throws if it has none. */
  async readNewestEvent(session: string): Promise<Event> {
    const newest = await readNewestEvent(this.#journal, session);
    if (newest === undefined) throw unknownSession(session);
    return newest;
  }

  /**
   * Whether a session is neither ended nor paused. One that is paused to continue on another host is unfinished, and so is a
   * session whose end cannot be read.
   */
  async isUnfinished(session: string): Promise<boolean> {
    if (this.hasEndMarker(session)) return false;
    const newest = await this.#readNewestEvents(session, 4);
    if (newest === null) return true; // attaching to the session reports the error
    // After a pause, a `session.changed` with the transcript's state may follow.
    const newestChange = newest.findLast(({ body }) => body.type !== "session.changed");
    if (newestChange === undefined || newestChange.body.type === "session.ended") return false;
    if (newestChange.body.type !== "session.paused" || newestChange.body.reason === "moved") return true;
    return this.#isResuming(newestChange);
  }

  /** Whether the journal or the session's folder has the end of the session. */
  async hasEnded(session: string): Promise<boolean> {
    if (this.hasEndMarker(session)) return true;
    return (await this.#readNewestEvents(session, 1))?.at(-1)?.body.type === "session.ended";
  }

  /** Whether the end of the session is recorded in its folder, because its journal can take no more events. */
  hasEndMarker(session: string): boolean {
    return readEndMarker(this.#home.endMarkerFile(session)) !== null;
  }

  /**
   * Summarizes a session whose journal cannot be read as a whole. `known` is its last summary that could be read, if
   * there is one.
   */
  async summarizeDamaged(session: string, error: unknown, known: SessionSummary | undefined): Promise<SessionSummary> {
    const marker = readEndMarker(this.#home.endMarkerFile(session));
    const newest = (await this.#readNewestEvents(session, 1))?.at(-1);
    const end =
      newest?.body.type === "session.ended"
        ? { reason: newest.body.reason, at: newest.occurredAt }
        : marker && { reason: "lost", at: marker.endedAt };
    const changed = statSync(this.#home.sessionFolder(session), { throwIfNoEntry: false })?.mtime ?? new Date(0);
    const problem = error instanceof Error ? error.message : String(error);
    return damagedSummary({ session, known, problem, end, lastAt: changed.toISOString() });
  }

  /** Returns null if the events cannot be read. */
  async #readNewestEvents(session: string, count: number): Promise<Event[] | null> {
    try {
      const { last } = await this.#journal.tail(session);
      return await Array.fromAsync(decodeEvents(this.#journal.read(session, Math.max(0, last - count))));
    } catch (error) {
      if (!FairleadError.is(error, "corrupt")) throw error;
      return null;
    }
  }

  /**
   * Whether a session that is paused in its journal was resumed since. The process that drove it may have been killed
   * before the new agent process produced an event. It may not even have a keeper: the old keeper may have recorded the
   * command while it was exiting. The spool is reduced only if it has a note after the pause.
   */
  #isResuming({ session, agent, spool }: Event): boolean {
    try {
      const reader = new SpoolReader(spoolFolder(this.#home.sessionFolder(session)), { after: spool });
      for (let records = reader.read(); records.length > 0; records = reader.read()) {
        if (records.some(({ kind }) => kind === "note")) {
          return this.replay(session, agent).state.desiredState !== "pause";
        }
      }
      return false;
    } catch {
      return true; // attaching to the session reports the error
    }
  }

  /** Whether the session still has its spool, the only record of its commands. */
  hasSpool(session: string): boolean {
    return existsSync(spoolFolder(this.#home.sessionFolder(session)));
  }

  /** Reduces the spool of a session. Does not affect the process that drives the session. */
  replay(session: string, agent: string): { state: SessionState; drafts: EventDraft[] } {
    const folder = this.#home.sessionFolder(session);
    if (!existsSync(spoolFolder(folder))) throw unknownSession(session);
    const adapter = this.#registry.find(agent);
    const snapshot = loadSnapshot(new SnapshotFile(this.#home.snapshotFile(session)), spoolFolder(folder), adapter);
    const reducer = new SessionReducer(adapter, snapshot?.state, createRequestReader(adapter.manifest));
    const reader = new SpoolReader(spoolFolder(folder), { after: snapshot?.upToSeq ?? 0 });
    const drafts: EventDraft[] = [];
    for (let records = reader.read(); records.length > 0; records = reader.read()) {
      for (const record of records) drafts.push(...reducer.reduce(record).outputs.filter((output) => "body" in output));
    }
    return { state: reducer.state, drafts };
  }

  /**
   * Adds the newer records of the spool to a summary of the journal and its queued messages: the agent may have worked
   * while no process drove it.
   */
  async addSpool(summary: SessionSummary, queued: readonly string[]): Promise<SessionSummary> {
    const { session, agent } = summary;
    if (["ended", "paused", "damaged"].includes(summary.state)) return summary;
    // Its spool is on another host. Without this check, it would look damaged here, and its name would count as free.
    if (!this.hasSpool(session) && this.#hosts.isElsewhere((await this.readTail(session)).owner)) return summary;
    try {
      const keeper = await findKeeper(this.#home.sessionFolder(session));
      if (keeper !== "gone") await keeper[Symbol.asyncDispose]();
      const { spool: journaledUpTo } = await this.readNewestEvent(session);
      const { state, drafts } = this.replay(session, agent);
      const reducer = new SummaryReducer(summary, queued);
      for (const draft of drafts) if (draft.spool > journaledUpTo) reducer.add(draft);
      const latest = reducer.summary ?? summary;
      if (latest.state === "ended" || latest.state === "paused") return latest;
      const isLost = keeper === "gone" && state.running;
      return { ...latest, state: isLost ? "lost" : livenessOf(state, Date.now()) };
    } catch (error) {
      // A session whose adapter or spool is missing must not hide all other sessions.
      const problem = error instanceof Error ? error.message : String(error);
      return { ...summary, state: isTransientFailure(error) ? "lost" : "damaged", problem };
    }
  }
}

/** Returns the error for an id, a name or a prefix that no session has. */
export function unknownSession(session: string): FairleadError {
  return new FairleadError(
    "session-not-found",
    `There is no session "${session}". List all sessions with: fairlead ls --all`,
  );
}
