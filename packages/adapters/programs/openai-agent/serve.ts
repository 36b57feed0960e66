import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type ContentBlock,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import { clientOf } from "./client.ts";
import { Conversation } from "./conversation.ts";
import type { Message } from "./history.ts";
import { memoryFolder, recall } from "./memory.ts";
import { isMode, modeState } from "./mode.ts";
import { Model } from "./model.ts";
import { replay } from "./replay.ts";
import type { Settings } from "./settings.ts";
import { version } from "./version.ts";
import { Workspace } from "./workspace.ts";

/**
 * Speaks the Agent Client Protocol on stdin and stdout until the other side hangs up, or `signal` aborts. Resolves with
 * whether there was any conversation.
 */
export async function serve(settings: Settings, signal: AbortSignal): Promise<boolean> {
  const model = new Model(settings);
  const folder = memoryFolder(process.env);
  const conversations = new Map<string, Conversation>();

  async function open(id: string, cwd: string, history: Message[]): Promise<Conversation> {
    const workspace = await Workspace.at(cwd);
    const conversation = new Conversation({ id, folder, workspace, history, settings, model });
    conversations.set(id, conversation);
    return conversation;
  }
  async function takeUp(id: string, cwd: string): Promise<Conversation> {
    const history = await recall(folder, id);
    if (!history) throw RequestError.sessionNotFound(id);
    return open(id, cwd, history);
  }
  function find(id: string): Conversation {
    const conversation = conversations.get(id);
    if (!conversation) throw RequestError.sessionNotFound(id);
    return conversation;
  }
  const about = ({ mode }: Conversation): About => ({
    modes: modeState(mode),
    configOptions: [modelOption(settings.model)],
  });

  const connection = agent({ name: "fairlead-openai" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "fairlead-openai", title: "Chat Completions agent", version },
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
    }))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const sessionId = randomUUID();
      const conversation = await open(sessionId, params.cwd, []);
      await conversation.begin();
      return { sessionId, ...about(conversation) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const conversation = await takeUp(params.sessionId, params.cwd);
      await replay(conversation.history, clientOf(client, params.sessionId));
      return about(conversation);
    })
    .onRequest(methods.agent.session.resume, async ({ params }) => about(await takeUp(params.sessionId, params.cwd)))
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) => {
      if (!isMode(modeId)) throw RequestError.invalidParams({ modeId }, `There is no mode ${modeId}.`);
      find(sessionId).mode = modeId;
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt }, client }) =>
      find(sessionId).prompt(prompt.map(textOf).join("\n"), clientOf(client, sessionId)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => conversations.get(params.sessionId)?.cancel())
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

  signal.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  for (const conversation of conversations.values()) conversation.cancel();
  return conversations.size > 0;
}

interface About {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** Says which model it is; the choice was made when the program was started. */
function modelOption(model: string): SessionConfigOption {
  const options = [{ value: model, name: model }];
  return { type: "select", id: "model", name: "Model", category: "model", currentValue: model, options };
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return block.uri;
  if (block.type === "resource" && "text" in block.resource) return block.resource.text;
  throw RequestError.invalidParams({ type: block.type }, `This agent cannot read what is of type ${block.type}.`);
}
