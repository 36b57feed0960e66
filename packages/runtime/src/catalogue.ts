import { existsSync } from "node:fs";
import { FairleadError, type Draft, type Event } from "@fairlead/contract";
import type { EventLog, LoggedSession, Tail } from "@fairlead/journal";
import { findKeeper, spoolFolder, SpoolReader } from "@fairlead/keeper";
import { Fold, type FoldState } from "@fairlead/kit";
import { eventsOf, newestEvent } from "./event-bytes.ts";
import type { Home } from "./home.ts";
import { FoldFile } from "./kept-fold.ts";
import { livenessOf } from "./liveness.ts";
import type { Registry } from "./registry.ts";
import { Summarizing, type Summary } from "./summary.ts";
import { usableFold } from "./usable-fold.ts";

/** Where a session's journal ends. */
export type SessionEnd = Pick<LoggedSession, "session"> & Pick<Tail, "last" | "owner">;

/** What is known of sessions without driving them: looking disturbs nobody. */
export class Catalogue {
  readonly #home: Home;
  readonly #journal: EventLog;
  readonly #registry: Registry;

  constructor(home: Home, journal: EventLog, registry: Registry) {
    this.#home = home;
    this.#journal = journal;
    this.#registry = registry;
  }

  /** All sessions, the newest activity first. */
  async *list(): AsyncGenerator<Summary> {
    for await (const { session } of this.#journal.sessions()) {
      const summary = await this.#summarize(session);
      if (summary !== undefined) yield summary;
    }
  }

  async summary(session: string): Promise<Summary> {
    const summary = await this.#summarize(session);
    if (summary === undefined) throw unknownSession(session);
    return summary;
  }

  async knows(session: string): Promise<boolean> {
    return (await this.#journal.tail(session)).last > 0;
  }

  /** The sessions that were given this name, the newest activity first. */
  async *named(name: string): AsyncGenerator<Summary> {
    for await (const { session } of this.#journal.sessions()) {
      for await (const { body } of eventsOf(this.#journal.read(session, 0, { limit: 1 }))) {
        if (body.type === "session.started" && body.name === name) yield await this.summary(session);
      }
    }
  }

  /** The session of this id or of this name, one that has not ended before others; or the one whose id begins so. */
  async find(text: string): Promise<string> {
    if (await this.knows(text)) return text;
    let ended: string | undefined;
    for await (const { session, state } of this.named(text)) {
      if (state !== "ended") return await this.#only(session, text);
      ended ??= session;
    }
    return ended ?? (await this.#beginsWith(text));
  }

  /** A name that is the beginning of another's id could mean either, and somebody may have meant it to. */
  async #only(session: string, text: string): Promise<string> {
    for await (const { session: other } of this.#journal.sessions()) {
      if (other === session || !other.startsWith(text)) continue;
      throw new FairleadError(
        "session-not-found",
        `"${text}" is the name of ${session} and the beginning of ${other}.`,
      );
    }
    return session;
  }

  async #beginsWith(prefix: string): Promise<string> {
    const names: string[] = [];
    for await (const { session } of this.#journal.sessions()) if (session.startsWith(prefix)) names.push(session);
    const [name, another] = names;
    if (name === undefined) throw unknownSession(prefix);
    if (another === undefined) return name;
    throw new FairleadError("session-not-found", `"${prefix}" could be any of ${names.slice(0, 5).join(", ")}.`);
  }

  /** The first event of a session, which says what was started. */
  async first(session: string): Promise<Event> {
    for await (const event of eventsOf(this.#journal.read(session, 0, { limit: 1 }))) return event;
    throw unknownSession(session);
  }

  /** All sessions, where their journals end, and who wrote the end; the newest activity first. */
  async *ends(): AsyncGenerator<SessionEnd> {
    for await (const { session, tail } of this.#journal.sessions()) if (tail.last > 0) yield { session, ...tail };
  }

  async end(session: string): Promise<SessionEnd> {
    const tail = await this.#journal.tail(session);
    if (tail.last === 0) throw unknownSession(session);
    return { session, ...tail };
  }

  /** The newest event of a session. */
  async newest(session: string): Promise<Event> {
    const newest = await newestEvent(this.#journal, session);
    if (newest === undefined) throw unknownSession(session);
    return newest;
  }

  /** The sessions that have neither ended nor rest in a pause, and who drives them. Cheap, however long they have been. */
  async *unfinished(): AsyncGenerator<{ readonly session: string; readonly owner: string }> {
    for await (const { session, tail } of this.#journal.sessions()) {
      const newest = await Array.fromAsync(eventsOf(this.#journal.read(session, Math.max(0, tail.last - 4))));
      // After a pause, what is found of the conversation may still be written down.
      const newer = newest.findLast(({ body }) => body.type !== "session.changed");
      if (newer === undefined || newer.body.type === "session.ended") continue;
      if (newer.body.type === "session.paused" && !this.#isResuming(newer)) continue;
      yield { session, owner: tail.owner };
    }
  }

  /**
   * Whether a session that is paused by its journal has been told to go on: the agent that was launched for that may have
   * said nothing yet when whoever drove it was killed. Nor need it have a keeper: the old one may have been leaving when
   * it took that down. Only if anything was noted since the pause need the spool be folded to find out.
   */
  #isResuming({ session, agent, spool }: Event): boolean {
    try {
      const reader = new SpoolReader(spoolFolder(this.#home.session(session)), { after: spool });
      for (let records = reader.read(); records.length > 0; records = reader.read()) {
        if (records.some(({ kind }) => kind === "note")) {
          return this.replay(session, agent).state.aim !== "pause";
        }
      }
      return false;
    } catch {
      return true; // whoever attaches to it will learn why
    }
  }

  /** Whether there is still a spool, which alone tells what was wished for. */
  hasSpool(session: string): boolean {
    return existsSync(spoolFolder(this.#home.session(session)));
  }

  /** What the spool has to tell, without disturbing whoever drives the session. */
  replay(session: string, adapter: string): { state: FoldState; drafts: Draft[] } {
    const folder = this.#home.session(session);
    if (!existsSync(spoolFolder(folder))) throw unknownSession(session);
    const known = this.#registry.find(adapter);
    const kept = usableFold(new FoldFile(folder), spoolFolder(folder), known);
    const fold = new Fold(known, kept?.state);
    const reader = new SpoolReader(spoolFolder(folder), { after: kept?.after ?? 0 });
    const drafts: Draft[] = [];
    for (let records = reader.read(); records.length > 0; records = reader.read()) {
      for (const record of records) drafts.push(...fold.take(record).told.filter((one) => "body" in one));
    }
    return { state: fold.state, drafts };
  }

  /** The journal's account, or the spool's where it knows more: the agent may have gone on while nobody looked. */
  async #summarize(session: string): Promise<Summary | undefined> {
    const summarizing = new Summarizing();
    let journaled = 0;
    for await (const event of eventsOf(this.#journal.read(session, 0))) {
      summarizing.add(event);
      journaled = event.spool;
    }
    const { summary } = summarizing;
    if (summary === undefined || summary.state === "ended" || summary.state === "paused") return summary;
    try {
      const found = await findKeeper(this.#home.session(session));
      if (found !== "gone") await found[Symbol.asyncDispose]();
      const { state, drafts } = this.replay(session, summary.agent);
      for (const draft of drafts) if (draft.spool > journaled) summarizing.add(draft);
      const newer = summarizing.summary ?? summary;
      if (newer.state === "ended" || newer.state === "paused") return newer;
      const lost = found === "gone" && state.running;
      return { ...newer, state: lost ? "lost" : livenessOf(state, Date.now()) };
    } catch {
      // One session whose adapter or spool is missing must not hide all the others.
      return { ...summary, state: "lost" };
    }
  }
}

function unknownSession(session: string): FairleadError {
  return new FairleadError("session-not-found", `There is no session "${session}". \`fairlead ls\` lists them.`);
}
