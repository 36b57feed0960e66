import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError, openScopes, openTurn } from "@fairlead/contract";
import type { Delta, EventDraft, NoteOf } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import { findGitSandbox } from "../review/git-sandbox.ts";
import { CallWindows } from "./call-windows.ts";
import { KeptIndex, type Comparison, type KeptIndexOptions } from "./kept-index.ts";
import { endOfTurn, startOfTurn, treeAt } from "./tree-at.ts";
import { appendTurnMarks, type TurnMark } from "./turn-trees.ts";
import type { WorkspaceActivity } from "./workspace-activity.ts";

/** What the observer needs of the actor. */
export interface ObservedSession {
  readonly state: SessionState;
  /** Records a note, and resolves when the actor has processed it. */
  submitNote(note: NoteOf<"files">, id: string): Promise<unknown>;
}

export interface FileObserverOptions extends Pick<KeptIndexOptions, "folder" | "excluded" | "maxFiles"> {
  readonly activity: WorkspaceActivity;
  /** Where the state at the start and the end of each turn is noted. */
  readonly turnsFile: string;
}

interface Measurement extends Comparison {
  readonly root: string;
  readonly problem?: string;
}

/** A turn that started or ended, until its tree is known. */
interface PendingMark extends Pick<TurnMark, "turn" | "edge"> {
  /** When it happened, by the clock of the keeper. */
  readonly at: number;
}

/** A note lists no more files than this. */
const maxListed = 500;
/** Events come a little later than what they are about. */
const maxRecent = 4;
const comparisonTimeout = 60_000;
const creationTimeout = 180_000;

/**
 * Compares a session's workspace with its state at the last comparison: when a call or a turn ends, when a turn starts, and
 * when the session is attached. Requests that come while a comparison runs are answered by one that follows it. The agent
 * is never kept waiting.
 */
export class FileObserver implements AsyncDisposable {
  readonly #session: ObservedSession;
  readonly #options: FileObserverOptions;
  readonly #calls = new CallWindows();
  readonly #closing = new AbortController();
  /** When a new session started, by the clock of its keeper. Before that, nothing is its work. */
  #startedAt = Infinity;
  #index: KeptIndex | null = null;
  #isRebuilt = false;
  #resolvedFolder: string | undefined;
  /** When the last comparison began. */
  #lastStart = -Infinity;
  /** Whether this observer knows all calls since the last comparison. */
  #knowsCalls = false;
  #lastProcessed = 0;
  /** The turns that started or ended since the last comparison. */
  #marks: PendingMark[] = [];
  /** The last comparisons, the newest last. */
  #recent: Measurement[] = [];
  #isDue = false;
  #running: Promise<void> | null = null;

  constructor(session: ObservedSession, options: FileObserverOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Begins to observe a session that was opened before. */
  begin(lastProcessed: number): void {
    this.#lastProcessed = lastProcessed;
    const { opening, ledger } = this.#session.state;
    if (opening === null || ledger.over) return;
    for (const { key } of openScopes(ledger, "tool")) this.#calls.open(key);
    this.#setBusy(openTurn(ledger) !== null);
    this.#request();
  }

  /** Handles new events, up to a spool record. Does not wait for the comparison that they make due. */
  notice(outputs: readonly (EventDraft | Delta)[], lastProcessed: number): void {
    this.#lastProcessed = lastProcessed;
    for (const output of outputs) if ("body" in output) this.#noticeEvent(output);
  }

  /** Resolves when the comparisons that are due have ended. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Compares now, and resolves when the changes are recorded. */
  async flush(): Promise<void> {
    this.#request();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#options.activity.remove(this.#sessionId);
  }

  get #sessionId(): string {
    return this.#session.state.opening?.session ?? "";
  }

  /** The workspace with links resolved: sessions may have reached it by different paths. */
  get #folder(): string {
    const { workspace = "" } = this.#session.state.opening ?? {};
    try {
      return (this.#resolvedFolder ??= realpathSync(workspace));
    } catch {
      return workspace;
    }
  }

  #noticeEvent({ body, occurredAt }: EventDraft): void {
    switch (body.type) {
      case "session.started":
        this.#startedAt = Date.parse(occurredAt);
        this.#lastStart = performance.now();
        this.#knowsCalls = true;
        return this.#request();
      case "tool.requested":
        return this.#calls.open(body.call);
      case "tool.ended":
        this.#calls.close(body.call, body.reason === "denied", performance.now());
        return this.#request();
      case "turn.started":
        this.#marks.push({ turn: body.turn, edge: "start", at: Date.parse(occurredAt) });
        this.#setBusy(true);
        return this.#request();
      case "turn.ended":
        this.#marks.push({ turn: body.turn, edge: "end", at: Date.parse(occurredAt) });
        this.#setBusy(false);
        return this.#request();
      case "session.unpaused":
        return this.#request();
      default:
    }
  }

  #setBusy(isBusy: boolean): void {
    this.#options.activity.setBusy(this.#sessionId, this.#folder, isBusy);
  }

  #request(): void {
    if (this.#closing.signal.aborted) return;
    this.#isDue = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#isDue) this.#request(); // requested after the loop ended
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#isDue && !signal.aborted) {
      let startedAt = 0;
      try {
        await this.#options.activity.run(this.#folder, async () => {
          this.#isDue = false;
          startedAt = performance.now();
          await this.#compare(startedAt);
        });
      } catch (error) {
        await this.#stop(error);
      }
      // As long as the comparison took, so that a turn with many calls spends at most half of its time on comparisons.
      if (this.#isDue) await delay(performance.now() - startedAt, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #compare(startedAt: number): Promise<void> {
    const { state } = this.#session;
    const upTo = this.#lastProcessed;
    if (state.opening === null || state.ledger.over) return;
    const from = state.files?.tree ?? null;
    const measured = await this.#measure(state.opening.workspace, from);
    const { root, tree, changes, problem } = measured;
    const attribution = this.#attribute();
    const files = changes.slice(0, maxListed).map((change) => ({ ...change, ...attribution }));
    const more = changes.length - files.length;
    if (tree !== from || problem !== undefined)
      await this.#submit({ type: "files", from, root, tree, upTo, files, more, ...(problem && { problem }) });
    await this.#resolveMarks(measured);
    this.#lastStart = startedAt;
    this.#knowsCalls = true;
    this.#calls.forgetBefore(startedAt);
  }

  /**
   * Writes the trees of turns. What a person changes right before or after a turn is no part of it, however late the
   * comparison comes. A turn that started or ended after the workspace was read waits for the next comparison.
   */
  async #resolveMarks(measured: Measurement): Promise<void> {
    const isDue = ({ at }: PendingMark): boolean => at <= measured.readAt;
    const due = this.#marks.filter(isDue);
    this.#marks = this.#marks.filter((mark) => !isDue(mark));
    const index = this.#index;
    this.#recent = [...this.#recent, measured].slice(-maxRecent);
    const resolved: TurnMark[] = [];
    for (const { turn, edge, at } of due) {
      const time = edge === "start" ? startOfTurn(at) : endOfTurn(at);
      // The events of a turn may come after a comparison that has already read its files.
      const comparison = this.#recent.find(({ readAt }) => readAt >= at) ?? measured;
      const signal = this.#signal(comparisonTimeout);
      const tree = index === null ? measured.tree : await treeAt(index, comparison, time, signal);
      resolved.push({ turn, edge, tree });
    }
    await appendTurnMarks(this.#options.turnsFile, resolved);
  }

  /** Attributes what changed since the last comparison began. */
  #attribute(): ReturnType<CallWindows["attribute"]> {
    const isShared = this.#options.activity.wasOtherBusy(this.#sessionId, this.#folder, this.#lastStart);
    return isShared || !this.#knowsCalls ? { attribution: "unknown" } : this.#calls.attribute(this.#lastStart);
  }

  /** Compares with the kept index. If a session has lost it, creates another one, and states the gap. */
  async #measure(workspace: string, from: string | null): Promise<Measurement> {
    const options = { ...this.#options, workspace, sandbox: await findGitSandbox() };
    try {
      this.#index ??= await KeptIndex.open(options);
      if (from === null)
        this.#index ??= await KeptIndex.create(options, this.#startedAt, this.#signal(creationTimeout));
      const index = this.#index;
      if (index !== null) {
        const comparison = await index.compare(from ?? index.baseline, this.#signal(comparisonTimeout));
        return { ...comparison, root: index.root };
      }
    } catch (error) {
      if (from === null || this.#isRebuilt || this.#closing.signal.aborted) throw error;
    }
    this.#isRebuilt = true;
    const readAt = Date.now();
    this.#index = await KeptIndex.create(options, Infinity, this.#signal(creationTimeout));
    const { baseline: tree, root } = this.#index;
    return { from: tree, tree, readAt, changed: [], changes: [], root, problem: gap };
  }

  /** States why the files are no longer observed, and ends the comparisons of this observer. */
  async #stop(error: unknown): Promise<void> {
    const { state } = this.#session;
    const upTo = this.#lastProcessed;
    const isClosed = this.#closing.signal.aborted;
    this.#closing.abort();
    if (isClosed || state.opening === null || state.ledger.over) return;
    const reason = FairleadError.isInstance(error) ? error.message : "The comparison failed.";
    const from = state.files?.tree ?? null;
    const none = { root: state.opening.workspace, files: [], more: 0, problem: `${notObserved} ${reason}` };
    try {
      await this.#submit({ type: "files", from, tree: from, upTo, ...none });
    } catch {
      // The actor has released the session. The next one observes it again.
    }
  }

  async #submit(note: NoteOf<"files">): Promise<void> {
    await this.#session.submitNote(note, `files-${randomUUID()}`);
  }

  #signal(timeout: number): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)]);
  }
}

const notObserved = "Changes of files are no longer observed; what the agent reports is still shown.";
const gap = "Changes since the last comparison of the workspace are unknown, because the kept index was lost.";
