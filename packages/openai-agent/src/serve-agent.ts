import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type ContentBlock,
  type McpServer,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import { createAgentClient } from "./agent-client.ts";
import { AgentConversation } from "./agent-conversation.ts";
import type { HistoryMessage } from "./history-message.ts";
import { findHistoryFolder, loadHistory } from "./history-store.ts";
import { isAgentMode, toModeState } from "./agent-mode.ts";
import { ChatModel } from "./chat-model.ts";
import { replayHistory } from "./replay-history.ts";
import { openAiAgentVersion, type OpenAiAgentSettings } from "./settings.ts";
import { readClientTools } from "./tools/client-tool.ts";
import { ServerConnections } from "./tools/server-connections.ts";
import { AgentWorkspace } from "./agent-workspace.ts";

/**
 * Serves the Agent Client Protocol on stdin and stdout until the client closes stdin or `signal` aborts. Resolves with
 * whether any conversation was opened.
 */
export async function serveAgent(settings: OpenAiAgentSettings, signal: AbortSignal): Promise<boolean> {
  const model = new ChatModel(settings);
  const folder = findHistoryFolder(process.env);
  const conversations = new Map<string, AgentConversation>();

  async function openConversation(
    id: string,
    { cwd, mcpServers = [], _meta }: OpenParams,
    history: HistoryMessage[],
  ): Promise<AgentConversation> {
    const workspace = await AgentWorkspace.open(cwd);
    const clientTools = readClientTools(_meta);
    await conversations.get(id)?.[Symbol.asyncDispose]();
    const servers = new ServerConnections(mcpServers, workspace.root);
    const parts = { id, folder, workspace, history, settings, model, clientTools, servers };
    const conversation = new AgentConversation(parts);
    conversations.set(id, conversation);
    return conversation;
  }
  async function loadConversation(id: string, params: OpenParams): Promise<AgentConversation> {
    const history = await loadHistory(folder, id);
    if (!history) throw RequestError.sessionNotFound(id);
    return openConversation(id, params, history);
  }
  function findConversation(id: string): AgentConversation {
    const conversation = conversations.get(id);
    if (!conversation) throw RequestError.sessionNotFound(id);
    return conversation;
  }
  const describeSession = ({ mode }: AgentConversation): SessionDescription => ({
    modes: toModeState(mode),
    configOptions: [createModelOption(settings.model)],
  });

  const connection = agent({ name: "fairlead-openai" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "fairlead-openai", title: "Chat Completions agent", version: openAiAgentVersion },
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
    }))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const sessionId = randomUUID();
      const conversation = await openConversation(sessionId, params, []);
      await conversation.saveEmpty();
      return { sessionId, ...describeSession(conversation) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const conversation = await loadConversation(params.sessionId, params);
      await replayHistory(conversation.history, createAgentClient(client, params.sessionId));
      return describeSession(conversation);
    })
    .onRequest(methods.agent.session.resume, async ({ params }) =>
      describeSession(await loadConversation(params.sessionId, params)),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) => {
      if (!isAgentMode(modeId)) throw RequestError.invalidParams({ modeId }, `There is no mode ${modeId}.`);
      findConversation(sessionId).mode = modeId;
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt }, client }) =>
      findConversation(sessionId).prompt(prompt.map(readText).join("\n"), createAgentClient(client, sessionId)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => conversations.get(params.sessionId)?.cancel())
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

  signal.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  await Promise.all([...conversations.values()].map((conversation) => conversation[Symbol.asyncDispose]()));
  return conversations.size > 0;
}

/** What every request that opens a conversation has. */
interface OpenParams {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly _meta?: unknown;
}

interface SessionDescription {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** Describes the model as an option with one value: the command line selects the model. */
function createModelOption(model: string): SessionConfigOption {
  const options = [{ value: model, name: model }];
  return { type: "select", id: "model", name: "Model", category: "model", currentValue: model, options };
}

function readText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return block.uri;
  if (block.type === "resource" && "text" in block.resource) return block.resource.text;
  throw RequestError.invalidParams({ type: block.type }, `This agent does not support content of type ${block.type}.`);
}
