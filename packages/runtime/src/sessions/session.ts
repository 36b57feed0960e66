import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError, isOpen, type Answer, type Delta, type Event, type TerminalSize } from "@fairlead/contract";
import type { Brief, Command, SpendingLimits } from "@fairlead/contract";
import type { EventLog } from "@fairlead/journal";
import { findAgentProcess, KeeperGone } from "@fairlead/keeper";
import { spentOf, type SessionState } from "@fairlead/reducer";
import { decodeEvents } from "../actor/stored-events.ts";
import { explainUnsupported, outcomeUnknown } from "../actor/command-rejected.ts";
import { HumanLead } from "../actor/human-lead.ts";
import { assertLimitsKeepable, limitBelowUse } from "../config/assert-limits.ts";
import { assertSameWorkspace } from "../config/assert-same-workspace.ts";
import type { Conversations } from "./conversations.ts";
import { leaveHost, withdrawLeave, type LeaveOptions } from "./leave-host.ts";
import { clientQueueLimit } from "../actor/subscription.ts";
import { idFromKey, randomId } from "./ids.ts";
import { assertSameRoom } from "./start/start-brief.ts";
import type { SessionActor } from "../actor/session-actor.ts";

export interface SetLimitOptions {
  /** Whether the caller may raise a limit. */
  readonly mayRaise: boolean;
  readonly key?: string;
  /** Names the caller in the journal. */
  readonly label?: string;
}
/** The others of a large repository are in the journal a little later. */
const maxComparisonWaitMs = 3000;

/**
 * A session that this process drives. Disposing it releases the session; the agent continues to run. A command with an
 * idempotency key is executed once, even if other processes repeat it, and has one outcome.
 */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly #actor: SessionActor;
  readonly #log: EventLog;
  readonly #conversations: Conversations | undefined;
  readonly #lead: HumanLead;

  /** Without `conversations`, a resume does not check whether another session drives the same conversation. */
  constructor(id: string, actor: SessionActor, log: EventLog, conversations?: Conversations) {
    this.id = id;
    this.#actor = actor;
    this.#log = log;
    this.#conversations = conversations;
    this.#lead = new HumanLead(actor);
  }

  get state(): SessionState {
    return this.#actor.state;
  }

  /** The process id of the agent, if it runs and is known. */
  get agentPid(): number | null {
    return this.state.running ? findAgentProcess(this.#actor.keeper.hello.pid) : null;
  }

  /** The epoch in which this process drives it. */
  get epoch(): number {
    return this.#actor.end.epoch;
  }

  /** The sequence number of the newest event. */
  get lastSequence(): number {
    return this.#actor.end.lastSequence;
  }

  /** Settles, and never rejects, when this process stops driving it: it ended, was released, or another process owns it. */
  get finished(): Promise<void> {
    return this.#actor.finished;
  }

  get isFinished(): boolean {
    return this.#actor.isFinished;
  }

  /** The error because of which this process stopped driving it. Undefined unless it finished because of an error. */
  get failure(): unknown {
    return this.#actor.failure;
  }

  /**
   * Yields all events after a sequence number: stored ones, then new ones, with deltas between them. Ends with the
   * session, when the signal aborts, or when this process releases the session. Throws if another process takes over. A
   * reader that is too slow misses deltas but no events: it gets those from the journal.
   */
  async *stream(after = 0, signal?: AbortSignal): AsyncGenerator<Event | Delta> {
    for (let last = after; ;) {
      // Subscribe before reading the journal, so that no event is missed between the two.
      using subscription = this.#actor.subscribe({ maxQueued: clientQueueLimit, signal });
      for (const source of [decodeEvents(this.#log.read(this.id, last)), subscription]) {
        for await (const item of source) {
          if (signal?.aborted) return;
          if ("sequence" in item && item.sequence <= last) continue;
          if ("sequence" in item) last = item.sequence;
          yield item;
          if ("body" in item && item.body.type === "session.ended") return;
        }
      }
      if (!subscription.isBehind) return;
    }
  }

  /** Compares the workspace now, so that the journal has all changes of its files. Waits a few seconds at most. */
  async compareFiles(): Promise<void> {
    await atMost(maxComparisonWaitMs, this.#actor.fileObserver?.flush());
  }

  /** Starts the agent, if the process that created the session was killed before it could do so. */
  async open(): Promise<void> {
    await this.#actor.submitNote({ type: "command", command: { type: "open" } }, "open");
  }

  /** Sends a message to the agent. Returns the id of its turn. */
  async send(text: string, key?: string): Promise<string> {
    const turn = key === undefined ? randomId() : idFromKey(key);
    await this.#submit({ type: "send", turn, text }, key);
    return turn;
  }

  /** Sends a message into the open turn. Throws `not-supported` if the agent cannot receive one. */
  async steer(text: string, key?: string): Promise<void> {
    await this.#submit({ type: "steer", text }, key);
  }

  /** Queues context to send with the next message. */
  async inject(text: string, key?: string): Promise<void> {
    await this.#submit({ type: "inject", text }, key);
  }

  /**
   * Replaces the brief. The agent gets it at once, if it can take a message in the open turn, or with the next message.
   * Throws `invalid-request` if it names another room than that of the session.
   */
  async updateBrief(brief: Brief, key?: string): Promise<void> {
    assertSameRoom(brief, this.state.opening?.room);
    await this.#submit({ type: "update-brief", brief }, key);
  }

  /** Answers a decision. `label` names the caller in the journal. */
  async answer(decision: string, answer: Answer, key?: string, label?: string): Promise<void> {
    const isUnattended = answer.type === "deny" && answer.unattended === true;
    const by = { ...person(label), kind: isUnattended ? "unattended" : "person" } as const;
    await this.#submit({ type: "answer", decision, answer, by }, key);
  }

  /** Interrupts the open turn. Returns its id. */
  async interrupt(key?: string, label?: string): Promise<string> {
    const { seq, openTurn } = await this.#submit({ type: "interrupt", by: person(label) }, key);
    return openTurn ?? (await this.#findTurnBefore(seq));
  }

  /** Ends the agent's processes. After a turn, waits a few seconds at most until the files that it changed are recorded. */
  async pause(key?: string, label?: string): Promise<void> {
    // A paused session has no keeper that could record them. A running turn is paused at once.
    if (!isOpen(this.state.ledger, "turn")) await atMost(maxComparisonWaitMs, this.#actor.fileObserver?.settled());
    await this.#submit({ type: "pause", by: person(label) }, key);
  }

  /** Lets the session leave this host once its turn has ended: see `leaveHost`. */
  async leave(options: LeaveOptions): Promise<void> {
    await leaveHost({ id: this.id, actor: this.#actor, submit: (command) => this.#submit(command) }, options);
  }

  /** Continues the session here, if it was to leave: another process waited for that, or does not wait any more. */
  async stay(): Promise<void> {
    const { desiredState, stoppedFor } = this.state;
    // It was paused to continue elsewhere, or because nobody drove it, and not by a person.
    if (desiredState === "pause" && stoppedFor === "moved") await this.resume();
    else await withdrawLeave(this.state, (command) => this.#submit(command));
  }

  /**
   * Starts the agent of a paused session again. Throws `conflict` if its workspace is gone, or another folder now, or if
   * another session drives its conversation.
   */
  async resume(key?: string): Promise<void> {
    const { opening, ledger, agentSessionId } = this.state;
    const submit = async (): Promise<this> => {
      await this.#submit({ type: "resume" }, key);
      return this;
    };
    if (opening === null || !isOpen(ledger, "pause")) return void (await submit());
    try {
      assertSameWorkspace(opening);
      const use = { session: this.id, agent: opening.agent, agentSessionId };
      await (this.#conversations?.drive(use, submit) ?? submit());
    } catch (error) {
      // Otherwise the keeper of this attach would stay, without an agent.
      if (FairleadError.is(error, "conflict") || FairleadError.is(error, "limit-reached"))
        await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Changes limits of the session. Throws `not-allowed` if one would be raised and the caller may not raise it. */
  async limit(limits: SpendingLimits, { mayRaise, key, label }: SetLimitOptions): Promise<void> {
    const { opening } = this.state;
    if (opening !== null) assertLimitsKeepable(this.#actor.manifest, opening.probeResult, limits);
    const command = { type: "limit", limits, mayRaise, by: person(label) } as const;
    await this.#submit(command, key).catch((error: unknown) => {
      const { spending } = this.state;
      const isReached = FairleadError.is(error, "limit-reached");
      throw isReached ? limitBelowUse({ ...spending.limits, ...limits }, spentOf(spending, Date.now())) : error;
    });
  }

  /**
   * Gives a person the lead in the agent's own terminal. Resolves when the terminal runs and has printed something, or
   * runs for two seconds. If a person leads already, the
   * terminal draws its screen again for the new client.
   */
  async takeOver(size: TerminalSize, key?: string, label?: string): Promise<void> {
    const command = { type: "take-over", size, by: person(label) } as const;
    await this.#lead.takeOver(size, async () => void (await this.#submit(command, key)));
  }

  /** Ends the terminal. Resolves when the agent leads again. */
  async handBack(key?: string): Promise<void> {
    await this.#lead.handBack(async () => void (await this.#submit({ type: "hand-back" }, key)));
  }

  /**
   * Sends keys to the terminal, at most once. They are not recorded, because people type secrets. Throws `input-full` if
   * nothing was typed, because the program has not read what was typed before.
   */
  async type(text: string): Promise<void> {
    await this.#lead.type(text);
  }

  async resize(size: TerminalSize): Promise<void> {
    await this.#lead.resize(size);
  }

  /** Yields the terminal's output from this call on, until the agent leads again. Call it before `takeOver`. */
  screen(signal?: AbortSignal): AsyncGenerator<string> {
    return this.#lead.screen(signal);
  }

  async end(key?: string, label?: string): Promise<void> {
    await this.#submit({ type: "end", by: person(label) }, key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#actor[Symbol.asyncDispose]();
  }

  /** Finds the turn of an interrupt that another process executed before it was killed: the last one before its record. */
  async #findTurnBefore(seq: number): Promise<string> {
    let turn: string | null = null;
    for await (const { spool, body } of decodeEvents(this.#log.read(this.id, 0))) {
      if (spool >= seq) break;
      if (body.type === "turn.started") ({ turn } = body);
    }
    if (turn === null) throw new FairleadError("corrupt", "The journal has no turn that was interrupted.");
    return turn;
  }

  async #submit(command: Command, key: string = randomUUID()): ReturnType<SessionActor["submitNote"]> {
    const isDriven = !this.#actor.isFinished;
    try {
      return await this.#actor.submitNote({ type: "command", command }, `command-${key}`);
    } catch (error) {
      if (error instanceof KeeperGone && isDriven) throw outcomeUnknown(this.id, command, error);
      const explanation = FairleadError.is(error, "not-supported")
        ? explainUnsupported(command, this.#actor.manifest)
        : null;
      throw explanation === null ? error : new FairleadError("not-supported", explanation, { cause: error });
    }
  }
}

function person(label: string | undefined): { kind: "person"; label?: string } {
  return { kind: "person", ...(label !== undefined && { label }) };
}

/** Waits for a promise, for a limited time. */
async function atMost(milliseconds: number, promise: Promise<void> | undefined): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([promise, delay(milliseconds, undefined, { ref: false, signal }).catch(() => {})]);
  timer.abort();
}
