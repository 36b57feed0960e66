import { RequestError, type PromptResponse } from "@agentclientprotocol/sdk";
import type { AgentClient } from "./agent-client.ts";
import type { HistoryMessage } from "./history-message.ts";
import { saveHistory } from "./history-store.ts";
import type { AgentMode } from "./agent-mode.ts";
import type { ChatModel } from "./chat-model.ts";
import { ModelFailed } from "./model-failed.ts";
import type { OpenAiAgentSettings } from "./settings.ts";
import type { AcpTokenUsage } from "./acp-token-usage.ts";
import { runTurn } from "./run-turn.ts";
import type { ServerConnections } from "./tools/server-connections.ts";
import type { ClientToolOffer } from "./tools/client-tool.ts";
import type { AgentWorkspace } from "./agent-workspace.ts";

interface ConversationParts {
  readonly id: string;
  readonly folder: string;
  readonly workspace: AgentWorkspace;
  readonly history: HistoryMessage[];
  readonly settings: OpenAiAgentSettings;
  readonly model: ChatModel;
  readonly clientTools: readonly ClientToolOffer[];
  readonly servers: ServerConnections;
}

/** One conversation with the model: its history, its mode and the current turn. */
export class AgentConversation implements AsyncDisposable {
  mode: AgentMode = "default";
  readonly history: readonly HistoryMessage[];
  readonly #parts: ConversationParts;
  #turn: AbortController | undefined;

  constructor(parts: ConversationParts) {
    this.history = parts.history;
    this.#parts = parts;
  }

  /** Saves the conversation before its first message, so that it can be resumed. */
  async saveEmpty(): Promise<void> {
    await this.#save();
  }

  async prompt(text: string, client: AgentClient): Promise<PromptResponse & { readonly usage: AcpTokenUsage }> {
    if (this.#turn) throw RequestError.invalidRequest(undefined, "A turn is running. Wait for its end, or cancel it.");
    const turn = (this.#turn = new AbortController());
    try {
      const { mode } = this;
      const save = (): Promise<void> => this.#save();
      const { stopReason, tokens } = await runTurn({ ...this.#parts, mode, client, signal: turn.signal, save }, text);
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

  /** Interrupts the turn, and ends the servers. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel();
    await this.#parts.servers[Symbol.asyncDispose]();
  }

  async #save(): Promise<void> {
    const { folder, id, history } = this.#parts;
    await saveHistory(folder, id, history);
  }
}
