import type { PromptResponse } from "@agentclientprotocol/sdk";
import type { Fairlead, SessionView } from "@fairlead/api";
import { FairleadError, type Answer, type Delta, type Event, type PermissionMode } from "@fairlead/contract";
import { modelOption } from "./about.ts";
import type { Editor } from "./editor.ts";
import type { Decision } from "./permission.ts";
import { Prompt } from "./prompt.ts";
import { Updates } from "./updates.ts";

/** One session that is open in an editor: everything that happens in it is told there, and what it asks is asked there. */
export class EditorSession {
  readonly #fairlead: Fairlead;
  readonly #editor: Editor;
  readonly #log: (line: string) => void;
  readonly #leaving = new AbortController();
  readonly #prompts = new Set<Prompt>();
  /** Decisions that were put to the editor, and how each is withdrawn. */
  readonly #asked = new Map<string, AbortController>();
  #updates: Updates;
  #session: string;
  #mode: PermissionMode;
  #last: number;
  #over: boolean;
  #watching = false;

  /** It tells what comes after the event of that number. */
  constructor(
    parts: { fairlead: Fairlead; editor: Editor; log: (line: string) => void },
    view: SessionView,
    after: number,
  ) {
    this.#fairlead = parts.fairlead;
    this.#editor = parts.editor;
    this.#log = parts.log;
    this.#updates = new Updates(view.workspace);
    this.#session = view.session;
    this.#mode = view.mode;
    this.#last = after;
    this.#over = view.state === "ended";
  }

  /** Tells what was said and done so far. What still waits for an answer is asked again. */
  async replay(sessions: readonly SessionView[]): Promise<void> {
    for (const { session, workspace } of sessions) {
      this.#updates = new Updates(workspace);
      for await (const one of this.#fairlead.events(session)) {
        if (!("body" in one)) continue;
        // Notices are for those who are there when it happens.
        const updates = this.#updates.take(one).filter(({ sessionUpdate }) => sessionUpdate !== "notice");
        for (const update of updates) await this.#editor.tell(update);
        if (session === this.#session) this.#last = one.sequence;
      }
    }
  }

  /** Goes on telling, from where it is, until the session ends or the editor leaves. */
  async watch(): Promise<void> {
    if (this.#watching || this.#over) return;
    this.#watching = true;
    const { signal } = this.#leaving;
    try {
      const events = this.#fairlead.events(this.#session, { after: this.#last, follow: true, deltas: true, signal });
      for await (const one of events) await this.#take(one);
      this.#fail(new FairleadError("session-ended", "The session has ended."));
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    } finally {
      this.#watching = false;
    }
  }

  /** Has the editor asked about everything that waits for an answer. */
  async askAgain(): Promise<void> {
    const open = await this.#fairlead.decisions();
    for (const { session, agent: _, since: __, ...decision } of open) {
      if (session === this.#session) void this.#ask({ type: "decision.requested", ...decision });
    }
  }

  async prompt(text: string): Promise<PromptResponse> {
    if (this.#over) await this.#continue();
    void this.watch();
    const prompt = new Prompt(text);
    this.#prompts.add(prompt);
    try {
      const { turn } = await this.#fairlead.send(this.#session, text);
      prompt.turn = turn;
      return await prompt.over;
    } finally {
      this.#prompts.delete(prompt);
    }
  }

  /** Calls off everything that was prompted and is not yet answered. */
  cancel(): void {
    for (const prompt of this.#prompts) prompt.cancelled = true;
    this.#interrupt();
  }

  /** The agent's process is let go; a turn that is going on is stopped first. */
  async close(): Promise<void> {
    this.#leaving.abort();
    if (!this.#over) await this.#fairlead.pause(this.#session);
  }

  /** The editor is gone. Between turns the session is paused; a turn that is going on is left to finish. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    if (this.#over) return;
    const { state } = await this.#fairlead.session(this.#session);
    if (state === "idle") await this.#fairlead.pause(this.#session);
  }

  async #take(one: Event | Delta): Promise<void> {
    if ("body" in one) this.#last = one.sequence;
    const ours = "body" in one && this.#isOurs(one);
    // The editor shows by itself what was typed in it.
    if (!ours) for (const update of this.#updates.take(one)) await this.#editor.tell(update);
    if ("body" in one) await this.#follow(one);
  }

  /** Whether an event is the beginning of a turn that this editor asked for. */
  #isOurs({ body }: Event): boolean {
    if (body.type !== "turn.started") return false;
    const prompt = [...this.#prompts].find((candidate) => candidate.isTakenUpBy(body));
    if (prompt === undefined) return false;
    prompt.turn = body.turn;
    if (prompt.cancelled) this.#interrupt();
    return true;
  }

  async #follow(event: Event): Promise<void> {
    const { body } = event;
    for (const prompt of this.#prompts) prompt.take(event);
    if (body.type === "decision.requested") void this.#ask(body);
    if (body.type === "decision.resolved") this.#withdraw(body.decision);
    if (body.type === "session.ended") this.#over = true;
    if (body.type !== "session.changed") return;
    this.#mode = body.mode ?? this.#mode;
    if (body.model === undefined) return;
    await this.#editor.tell({ sessionUpdate: "config_option_update", configOptions: [modelOption(body.model)] });
  }

  async #ask(decision: Decision): Promise<void> {
    const { decision: name, kind } = decision;
    // In this mode the runtime has said yes before anybody could be asked.
    if ((kind === "approval" && this.#mode === "full-auto") || this.#asked.has(name)) return;
    const withdrawn = new AbortController();
    this.#asked.set(name, withdrawn);
    const gone = AbortSignal.any([withdrawn.signal, this.#leaving.signal]);
    try {
      const answer = await this.#answer(decision, gone);
      if (!gone.aborted) await this.#fairlead.answer(this.#session, name, answer);
    } catch (error) {
      const isLate = FairleadError.is(error, "decision-not-open") || FairleadError.is(error, "session-ended");
      if (!gone.aborted && !isLate) this.#log(`An answer could not be passed on: ${(error as Error).message}`);
    }
  }

  /** Forgotten only now: what was asked again at the beginning may still come along as an event. */
  #withdraw(decision: string): void {
    this.#asked.get(decision)?.abort();
    this.#asked.delete(decision);
  }

  /** What is answered; an editor that cannot ask has said no. */
  async #answer(decision: Decision, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#editor.decide(decision, signal);
    } catch (error) {
      const message = `The editor could not put this to anybody: ${(error as Error).message}`;
      return { type: "deny", message, interrupt: false };
    }
  }

  #interrupt(): void {
    this.#fairlead.interrupt(this.#session).catch((error: unknown) => {
      // It has not begun, and is interrupted when it does; or it is over.
      if (FairleadError.is(error, "no-open-turn") || FairleadError.is(error, "session-ended")) return;
      this.#log(`The turn could not be interrupted: ${(error as Error).message}`);
    });
  }

  /** Goes on with the conversation of a session that has ended, in a new one. */
  async #continue(): Promise<void> {
    const { session, workspace, mode } = await this.#fairlead.resume(this.#session);
    this.#session = session;
    this.#updates = new Updates(workspace);
    this.#mode = mode;
    this.#last = 0;
    this.#over = false;
  }

  #fail(error: unknown): void {
    for (const prompt of this.#prompts) prompt.fail(error);
  }
}
