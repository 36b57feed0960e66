import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
} from "@agentclientprotocol/sdk";
import type { AgentView, Fairlead, SessionView, Start } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { aboutSession, capabilitiesFor, listed } from "./about.ts";
import { Editor } from "./editor.ts";
import { EditorSession } from "./editor-session.ts";
import { lineage } from "./lineage.ts";
import { promptText } from "./prompt-text.ts";
import { orRefuse } from "./refusal.ts";

export interface AcpOptions {
  readonly fairlead: Fairlead;
  /** How every session is started; what is left out is chosen by the workspace, as always. */
  readonly order?: Pick<Start, "agent" | "mode" | "settings">;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Ends it, as if the editor had hung up. */
  readonly signal?: AbortSignal;
  /** For what nobody else is told. */
  readonly log?: (line: string) => void;
}

/** Is one Agent Client Protocol agent to an editor, until that hangs up; behind it is any agent that Fairlead knows. */
export async function serveAcp(options: AcpOptions): Promise<void> {
  const { fairlead, order = {}, log = () => {} } = options;
  const sessions = new Map<string, EditorSession>();
  const starting = new Set<Promise<SessionView>>();
  let capabilities: ClientCapabilities = {};

  const opened = (client: AgentContext, id: string, view: SessionView, after: number): EditorSession => {
    const editor = new Editor(client, capabilities, id);
    const session = new EditorSession({ fairlead, editor, log }, view, after);
    sessions.set(id, session);
    return session;
  };
  const find = (id: string): EditorSession => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };

  /** Opens a session that was there before; with its history, or without. */
  async function enter(client: AgentContext, id: string, withHistory: boolean): Promise<SessionView> {
    const chain = await lineage(fairlead, id);
    const view = chain.at(-1) ?? chain[0];
    await sessions.get(id)?.leave();
    const session = opened(client, id, view, view.last);
    if (withHistory) await session.replay(chain);
    await session.askAgain();
    void session.watch();
    return view;
  }

  const connection = agent({ name: "fairlead" })
    .onRequest(methods.agent.initialize, ({ params }) =>
      orRefuse(null, async () => {
        capabilities = params.clientCapabilities ?? {};
        const chosen = order.agent === undefined ? undefined : await findAgent(fairlead, order.agent);
        const { version } = await fairlead.health();
        const title = chosen === undefined ? "Fairlead" : `${chosen.label} (Fairlead)`;
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: "fairlead", title, version },
          agentCapabilities: capabilitiesFor(chosen),
        };
      }),
    )
    .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers }, client }) =>
      orRefuse(null, async () => {
        leftOut(mcpServers, log);
        const started = fairlead.start({ ...order, workspace: cwd });
        starting.add(started);
        const view = await started.finally(() => starting.delete(started));
        opened(client, view.session, view, 0);
        return { sessionId: view.session, ...aboutSession(view) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId, mcpServers }, client }) =>
      orRefuse(sessionId, async () => {
        leftOut(mcpServers, log);
        return { ...aboutSession(await enter(client, sessionId, true)) };
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params: { sessionId }, client }) =>
      orRefuse(sessionId, async () => ({ ...aboutSession(await enter(client, sessionId, false)) })),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd } }) =>
      orRefuse(null, async () => {
        const all = await fairlead.sessions();
        return { sessions: all.filter(({ workspace }) => cwd == null || workspace === cwd).map(listed) };
      }),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      orRefuse(sessionId, async () => {
        const session = find(sessionId);
        sessions.delete(sessionId);
        await session.close();
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) =>
      orRefuse(sessionId, async () => {
        const { mode } = await fairlead.session(sessionId);
        if (mode === modeId) return {};
        const message = `This session is in the mode ${mode}, and stays in it; \`fairlead acp --mode ${modeId}\` starts others so.`;
        throw RequestError.invalidParams({ modeId }, message);
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      orRefuse(sessionId, () => find(sessionId).prompt(promptText(prompt))),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel())
    .connect(ndJsonStream(options.output, options.input));

  options.signal?.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  // Whoever hangs up while a session is being started leaves that one, too.
  await Promise.allSettled(starting);
  const left = await Promise.allSettled([...sessions.values()].map((session) => session.leave()));
  for (const one of left) if (one.status === "rejected") log(`A session could not be paused: ${String(one.reason)}`);
}

async function findAgent(fairlead: Fairlead, name: string): Promise<AgentView> {
  const agents = await fairlead.agents();
  const found = agents.find((one) => one.agent === name);
  if (found !== undefined) return found;
  const known = agents.map((one) => one.agent).join(", ");
  throw new FairleadError("unknown-agent", `There is no agent called "${name}". Known here: ${known}.`);
}

/** Agents have their own ways of being given these; we have none to pass them on. */
function leftOut(servers: readonly McpServer[], log: (line: string) => void): void {
  if (servers.length === 0) return;
  log(`MCP servers are set up in the agent itself; left out: ${servers.map(({ name }) => name).join(", ")}.`);
}
