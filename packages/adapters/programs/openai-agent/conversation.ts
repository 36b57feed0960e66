import { RequestError, type PromptResponse } from "@agentclientprotocol/sdk";
import type { Client } from "./client.ts";
import type { Message } from "./history.ts";
import { remember } from "./memory.ts";
import type { Mode } from "./mode.ts";
import type { Model } from "./model.ts";
import { ModelFailed } from "./model-failed.ts";
import type { Settings } from "./settings.ts";
import type { Tokens } from "./tokens.ts";
import { takeTurn } from "./turn.ts";
import type { Workspace } from "./workspace.ts";

interface Parts {
  readonly id: string;
  readonly folder: string;
  readonly workspace: Workspace;
  readonly history: Message[];
  readonly settings: Settings;
  readonly model: Model;
}

/** One conversation with the model: its history, its mode, and the turn that is going on. */
export class Conversation {
  mode: Mode = "default";
  readonly history: readonly Message[];
  readonly #parts: Parts;
  #turn: AbortController | undefined;

  constructor(parts: Parts) {
    this.history = parts.history;
    this.#parts = parts;
  }

  /** Keeps it although nothing has been said yet, so that it can be taken up again. */
  async begin(): Promise<void> {
    await this.#save();
  }

  async prompt(text: string, client: Client): Promise<PromptResponse & { readonly usage: Tokens }> {
    if (this.#turn) throw RequestError.invalidRequest(undefined, "There is a turn going on.");
    const turn = (this.#turn = new AbortController());
    try {
      const { mode } = this;
      const save = (): Promise<void> => this.#save();
      const { stopReason, tokens } = await takeTurn({ ...this.#parts, mode, client, signal: turn.signal, save }, text);
      return { stopReason, usage: tokens };
    } catch (error) {
      if (!(error instanceof ModelFailed)) throw error;
      throw new RequestError(-32603, error.message, { status: error.status ?? null });
    } finally {
      this.#turn = undefined;
    }
  }

  cancel(): void {
    this.#turn?.abort();
  }

  async #save(): Promise<void> {
    const { folder, id, history } = this.#parts;
    await remember(folder, id, history);
  }
}
