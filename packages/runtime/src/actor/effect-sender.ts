import {
  openRequest,
  type Answer,
  type Delta,
  type EventDraft,
  type Sandbox,
  type SpoolRecord,
} from "@fairlead/contract";
import { KeeperGone, RequestRejected, type KeeperRequest } from "@fairlead/keeper";
import type { PendingEffect, SessionState } from "@fairlead/reducer";
import { automaticAnswer } from "./automatic-answer.ts";
import type { KeeperLink } from "./keeper-link.ts";
import { requestForEffect, requestForNote, type EffectContext } from "./keeper-requests.ts";
import { isWithheldNote, OpenApprovals, type OpenApproval } from "./open-approvals.ts";
import { Outbox } from "./outbox.ts";
import { PriceFinder } from "../prices/price-finder.ts";
import { ToolRunner, type ToolRunnerOptions } from "../tools/tool-runner.ts";
import type { RetryOptions } from "./retry-until.ts";
import type { Snapshot } from "./snapshot.ts";

export interface EffectSenderOptions extends Omit<EffectContext, "sandbox"> {
  readonly keeperLink: KeeperLink;
  readonly retryOptions: RetryOptions;
  readonly snapshot: Snapshot | null;
  /** Whether a text contains the mask of a key that the agent must not have. */
  readonly isWithheld?: (text: string, sandbox: Sandbox | undefined) => boolean;
  readonly findTool?: ToolRunnerOptions["findTool"];
}

/** The agent would run the call with the mask in it, because such a mask is never turned back. */
const withheldDenial: Answer = {
  type: "deny",
  message: "The call contains a key that is withheld from the agent. Fairlead denied it.",
  interrupt: false,
  unattended: true,
};

/** Sends the effects of one session to its keeper, and the answers of its policy and its mode to approvals. */
export class EffectSender {
  readonly #options: EffectSenderOptions;
  readonly #outbox: Outbox;
  readonly #approvals: OpenApprovals;
  readonly #prices = new PriceFinder();
  readonly #tools: ToolRunner;

  constructor(options: EffectSenderOptions) {
    this.#options = options;
    const { snapshot, findTool = () => undefined, retryOptions } = options;
    this.#outbox = new Outbox(snapshot?.pendingEffects);
    this.#approvals = new OpenApprovals(snapshot?.approvals, snapshot?.upToSeq);
    const record = (request: KeeperRequest): void => void this.send(request);
    this.#tools = new ToolRunner({ findTool, record, signal: retryOptions.signal });
  }

  get pendingEffects(): readonly PendingEffect[] {
    return this.#outbox.pending;
  }

  get pendingApprovals(): readonly OpenApproval[] {
    return this.#approvals.pending;
  }

  add(effect: PendingEffect): void {
    this.#outbox.add(effect);
  }

  /** Settles the effect that a record shows as executed, and updates the open approvals. */
  update(record: SpoolRecord, outputs: readonly (EventDraft | Delta)[], sandbox: Sandbox | undefined): void {
    this.#outbox.removeExecuted(record);
    const isWithheld = (text: string): boolean => this.#options.isWithheld?.(text, sandbox) ?? false;
    for (const output of outputs) this.#approvals.update(output, isWithheld);
  }

  /** Makes the next `sendAll` send everything again. A new keeper knows only what is in the spool. */
  resendAll(): void {
    this.#outbox.resendAll();
    this.#approvals.resendAll();
    this.#prices.resendAll();
  }

  /** Sends what was not sent to this keeper. */
  async sendAll(state: SessionState): Promise<void> {
    const { ledger, opening } = state;
    if (ledger.over) this.#outbox.clear();
    for (const effect of this.#outbox.takeUnsent()) {
      const failure = await this.#sendEffect(effect, opening?.sandbox);
      if (failure instanceof RequestRejected) await this.#recordRejection(effect, failure);
    }
    // The id makes repeated answers to one request a single note.
    for (const [decision, noteId] of this.#approvals.takeUnsent()) {
      if (opening === null) continue;
      const withheld = { answer: withheldDenial, by: { kind: "unattended" } } as const;
      const answer = isWithheldNote(noteId) ? withheld : automaticAnswer(opening, openRequest(ledger, decision));
      if (answer === null) continue;
      const command = { type: "answer", decision, ...answer } as const;
      await this.send(requestForNote({ type: "command", command }, noteId));
    }
    this.#tools.update(state);
    for await (const request of this.#prices.takeDue(state)) await this.send(request);
  }

  async #sendEffect(effect: PendingEffect, sandbox: Sandbox | undefined): Promise<RequestRejected | KeeperGone | null> {
    const { keeper } = this.#options.keeperLink;
    try {
      const request = requestForEffect(effect, { ...this.#options, sandbox }, keeper.features);
      return request === null ? null : await this.send(request);
    } catch (error) {
      if (error instanceof RequestRejected) return error;
      throw error;
    }
  }

  /** Sends a request. Returns the error if the keeper rejects it permanently, or is gone, which the actor notices. */
  async send(request: KeeperRequest): Promise<RequestRejected | KeeperGone | null> {
    try {
      await this.#options.keeperLink.sendWithRetry(request, this.#options.retryOptions);
      return null;
    } catch (error) {
      if (error instanceof RequestRejected || error instanceof KeeperGone) return error;
      throw error;
    }
  }

  /** Settles an effect that the keeper rejected. The reducer must know if the agent misses a message or a launch. */
  async #recordRejection({ id, effect }: PendingEffect, { message }: RequestRejected): Promise<void> {
    if (effect.type === "launch" || effect.type === "write") {
      const note = requestForNote({ type: "rejected", effect: effect.type, message }, `rejected-${id}`);
      if ((await this.send(note)) instanceof KeeperGone) return; // the next keeper gets the effect again
    }
    this.#outbox.remove(id);
  }
}
