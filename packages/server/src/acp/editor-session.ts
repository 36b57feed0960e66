import type { PromptResponse } from "@agentclientprotocol/sdk";
import type { Fairlead, SessionView } from "@fairlead/api";
import { FairleadError, needsPerson, requestDigest, withSupportedMessage } from "@fairlead/contract";
import type { Answer, Capability, Delta, Event, PermissionMode } from "@fairlead/contract";
import { modelOption } from "./describe-session.ts";
import type { Editor } from "./editor.ts";
import type { DecisionRequest } from "./permission.ts";
import { PendingPrompt } from "./pending-prompt.ts";
import { UpdateTranslator } from "./update-translator.ts";

/** A session that is open in an editor. Forwards its events to the editor, and its decisions as requests. */
export class EditorSession {
  readonly #fairlead: Fairlead;
  readonly #editor: Editor;
  readonly #log: (line: string) => void;
  readonly #closing = new AbortController();
  readonly #prompts = new Set<PendingPrompt>();
  /** Decisions that were sent to the editor. Aborting the controller withdraws the request. */
  readonly #pendingDecisions = new Map<string, AbortController>();
  #updates: UpdateTranslator;
  #session: string;
  #mode: PermissionMode;
  readonly #capabilities: readonly Capability[];
  #lastSequence: number;
  #hasEnded: boolean;
  #isStreaming = false;

  /** `after` is the sequence of the last event that the editor already has. */
  constructor(
    parts: { fairlead: Fairlead; editor: Editor; log: (line: string) => void },
    view: SessionView,
    after: number,
  ) {
    this.#fairlead = parts.fairlead;
    this.#editor = parts.editor;
    this.#log = parts.log;
    this.#updates = new UpdateTranslator(view.workspace);
    this.#session = view.session;
    this.#mode = view.mode;
    this.#capabilities = view.capabilities;
    this.#lastSequence = after;
    this.#hasEnded = view.state === "ended";
  }

  /** Sends the history of the sessions to the editor. */
  async replay(sessions: readonly SessionView[]): Promise<void> {
    for (const { session, workspace } of sessions) {
      this.#updates = new UpdateTranslator(workspace);
      for await (const event of this.#fairlead.events(session)) {
        if (!("body" in event)) continue;
        // A notice matters only when it happens, so the history omits it.
        const updates = this.#updates.translate(event).filter(({ sessionUpdate }) => sessionUpdate !== "notice");
        for (const update of updates) await this.#editor.sendUpdate(update);
        if (session === this.#session) this.#lastSequence = event.sequence;
      }
    }
  }

  /** Forwards new events until the session ends or the editor disconnects. */
  async streamEvents(): Promise<void> {
    if (this.#isStreaming || this.#hasEnded) return;
    this.#isStreaming = true;
    const { signal } = this.#closing;
    try {
      const events = this.#fairlead.events(this.#session, {
        after: this.#lastSequence,
        follow: true,
        deltas: true,
        signal,
      });
      for await (const item of events) await this.#forward(item);
      this.#failPrompts(new FairleadError("session-ended", "The session has ended."));
    } catch (error) {
      if (!signal.aborted) this.#failPrompts(error);
    } finally {
      this.#isStreaming = false;
    }
  }

  /** Requests every open decision from the editor. */
  async requestOpenDecisions(): Promise<void> {
    const openDecisions = await this.#fairlead.decisions();
    for (const { session, agent: _, since: __, ...decision } of openDecisions) {
      if (session === this.#session) void this.#requestDecision({ type: "decision.requested", ...decision });
    }
  }

  async prompt(text: string): Promise<PromptResponse> {
    if (this.#hasEnded) await this.#resumeEnded();
    void this.streamEvents();
    const prompt = new PendingPrompt(text);
    this.#prompts.add(prompt);
    try {
      const { turn } = await this.#fairlead.send(this.#session, text);
      prompt.turn = turn;
      return await prompt.response;
    } finally {
      this.#prompts.delete(prompt);
    }
  }

  /** Cancels all pending prompts. */
  cancel(): void {
    for (const prompt of this.#prompts) prompt.isCanceled = true;
    this.#interrupt();
  }

  /** Pauses the session, which stops a running turn and ends the agent's process. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#hasEnded) await this.#fairlead.pause(this.#session);
  }

  /** Detaches from an editor that has disconnected. An idle session is paused; a running turn continues. */
  async disconnect(): Promise<void> {
    this.#closing.abort();
    if (this.#hasEnded) return;
    const { state } = await this.#fairlead.session(this.#session);
    if (state === "idle") await this.#fairlead.pause(this.#session);
  }

  async #forward(item: Event | Delta): Promise<void> {
    if ("body" in item) this.#lastSequence = item.sequence;
    const isOwnPrompt = "body" in item && this.#claimOwnTurn(item);
    // The editor already shows the prompt that was typed in it.
    if (!isOwnPrompt) for (const update of this.#updates.translate(item)) await this.#editor.sendUpdate(update);
    if ("body" in item) await this.#handleEvent(item);
  }

  /** Assigns a queued or started turn to the pending prompt that caused it. Returns false if this editor did not send it. */
  #claimOwnTurn({ body }: Event): boolean {
    if (body.type !== "turn.started" && body.type !== "message.queued") return false;
    const text = body.type === "turn.started" ? body.input : body.text;
    const prompt = [...this.#prompts].find((candidate) => candidate.matchesTurn(body.turn, text));
    if (prompt === undefined) return false;
    prompt.turn = body.turn;
    if (prompt.isCanceled && body.type === "turn.started") this.#interrupt();
    return true;
  }

  async #handleEvent(event: Event): Promise<void> {
    const { body } = event;
    for (const prompt of this.#prompts) prompt.handleEvent(event);
    if (body.type === "decision.requested") void this.#requestDecision(body);
    if (body.type === "decision.resolved") this.#withdrawDecision(body.decision);
    if (body.type === "session.ended") this.#hasEnded = true;
    if (body.type !== "session.changed") return;
    this.#mode = body.mode ?? this.#mode;
    if (body.model === undefined) return;
    await this.#editor.sendUpdate({ sessionUpdate: "config_option_update", configOptions: [modelOption(body.model)] });
  }

  async #requestDecision(decision: DecisionRequest): Promise<void> {
    const { decision: name } = decision;
    // A rule or the mode answers before the editor could.
    if (!needsPerson(this.#mode, decision) || this.#pendingDecisions.has(name)) return;
    const withdrawal = new AbortController();
    this.#pendingDecisions.set(name, withdrawal);
    const signal = AbortSignal.any([withdrawal.signal, this.#closing.signal]);
    try {
      const answer = await this.#askEditor(decision, signal);
      if (signal.aborted) return;
      const supported = withSupportedMessage(answer, this.#capabilities);
      await this.#fairlead.answer(this.#session, name, { ...supported, digest: requestDigest(decision) });
    } catch (error) {
      const isLate = FairleadError.is(error, "decision-not-open") || FairleadError.is(error, "session-ended");
      if (!signal.aborted && !isLate)
        this.#log(`The answer to a decision was not delivered: ${(error as Error).message}`);
    }
  }

  /**
   * Removes a resolved decision. Not earlier, because an open decision that was requested on loading may arrive as an
   * event too.
   */
  #withdrawDecision(decision: string): void {
    this.#pendingDecisions.get(decision)?.abort();
    this.#pendingDecisions.delete(decision);
  }

  /** Returns the editor's answer. A failed request counts as a denial. */
  async #askEditor(decision: DecisionRequest, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#editor.requestDecision(decision, signal);
    } catch (error) {
      const message = `The editor could not ask the user: ${(error as Error).message}`;
      return { type: "deny", message, interrupt: false, unattended: true };
    }
  }

  #interrupt(): void {
    this.#fairlead.interrupt(this.#session).catch((error: unknown) => {
      // The turn has not started, and is interrupted when it does; or it has already ended.
      if (FairleadError.is(error, "no-open-turn") || FairleadError.is(error, "session-ended")) return;
      this.#log(`The turn was not interrupted: ${(error as Error).message}`);
    });
  }

  /** Continues the conversation of an ended session in a new session. */
  async #resumeEnded(): Promise<void> {
    const { session, workspace, mode } = await this.#fairlead.resume(this.#session);
    this.#session = session;
    this.#updates = new UpdateTranslator(workspace);
    this.#mode = mode;
    this.#lastSequence = 0;
    this.#hasEnded = false;
  }

  #failPrompts(error: unknown): void {
    for (const prompt of this.#prompts) prompt.fail(error);
  }
}
