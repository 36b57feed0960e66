import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
} from "@agentclientprotocol/sdk";
import type { AgentView, Fairlead, SessionView, StartRequest } from "@fairlead/api";
import { FairleadError, type McpServer } from "@fairlead/contract";
import { describeSession, acpCapabilities, toSessionInfo } from "./describe-session.ts";
import { Editor } from "./editor.ts";
import { logIgnoredServers, startWithServers } from "./editor-servers.ts";
import { EditorSession } from "./editor-session.ts";
import { findLineage } from "./find-lineage.ts";
import { promptText } from "./prompt-text.ts";
import { withRequestErrors } from "./with-request-errors.ts";

export interface ServeAcpOptions {
  readonly fairlead: Fairlead;
  /** Options for every new session. The workspace's configuration provides the rest. */
  readonly startOptions?: Pick<StartRequest, "agent" | "mode" | "settings">;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Closes the connection, as if the editor had disconnected. */
  readonly signal?: AbortSignal;
  /** Receives warnings and errors that the protocol cannot report to the editor. */
  readonly log?: (line: string) => void;
}

/** Serves any Fairlead agent to an editor over the Agent Client Protocol, until the editor disconnects. */
export async function serveAcp(options: ServeAcpOptions): Promise<void> {
  const { fairlead, startOptions = {}, log = () => {} } = options;
  const sessions = new Map<string, EditorSession>();
  const pendingStarts = new Set<Promise<SessionView>>();
  let capabilities: ClientCapabilities = {};

  const addSession = (client: AgentContext, id: string, view: SessionView, after: number): EditorSession => {
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

  /** Opens an existing session, with or without its history. */
  async function attachSession(client: AgentContext, id: string, withHistory: boolean): Promise<SessionView> {
    const chain = await findLineage(fairlead, id);
    const view = chain.at(-1) ?? chain[0];
    await sessions.get(id)?.disconnect();
    const session = addSession(client, id, view, view.last);
    if (withHistory) await session.replay(chain);
    await session.requestOpenDecisions();
    void session.streamEvents();
    return view;
  }

  const connection = agent({ name: "fairlead" })
    .onRequest(methods.agent.initialize, ({ params }) =>
      withRequestErrors(null, async () => {
        capabilities = params.clientCapabilities ?? {};
        const agentView = startOptions.agent === undefined ? undefined : await findAgent(fairlead, startOptions.agent);
        const { version } = await fairlead.health();
        const title = agentView === undefined ? "Fairlead" : `${agentView.label} (Fairlead)`;
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: "fairlead", title, version },
          agentCapabilities: acpCapabilities(agentView),
        };
      }),
    )
    .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers }, client }) =>
      withRequestErrors(null, async () => {
        const start = (servers: readonly McpServer[]): Promise<SessionView> =>
          fairlead.start({ ...startOptions, workspace: cwd, ...(servers.length > 0 && { mcpServers: [...servers] }) });
        const started = startWithServers(mcpServers, start, log);
        pendingStarts.add(started);
        const view = await started.finally(() => pendingStarts.delete(started));
        addSession(client, view.session, view, 0);
        return { sessionId: view.session, ...describeSession(view) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId, mcpServers }, client }) =>
      withRequestErrors(sessionId, async () => {
        const names = mcpServers.map(({ name }) => name);
        logIgnoredServers(names, log, "The session has those that it was started with.");
        return { ...describeSession(await attachSession(client, sessionId, true)) };
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params: { sessionId }, client }) =>
      withRequestErrors(sessionId, async () => ({ ...describeSession(await attachSession(client, sessionId, false)) })),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      withRequestErrors(null, async () => {
        const query = { ...(cwd != null && { workspace: cwd }), ...(cursor != null && { cursor }) };
        const { sessions, next } = await fairlead.sessions(query);
        return { sessions: sessions.map(toSessionInfo), ...(next !== null && { nextCursor: next }) };
      }),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      withRequestErrors(sessionId, async () => {
        const session = find(sessionId);
        sessions.delete(sessionId);
        await session.close();
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) =>
      withRequestErrors(sessionId, async () => {
        const { mode } = await fairlead.session(sessionId);
        if (mode === modeId) return {};
        const message = `This session runs in the mode ${mode}. Start new ones with: fairlead acp --mode ${modeId}`;
        throw RequestError.invalidParams({ modeId }, message);
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      withRequestErrors(sessionId, () => find(sessionId).prompt(promptText(prompt))),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel())
    .connect(ndJsonStream(options.output, options.input));

  options.signal?.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  // A session that was still starting when the editor disconnected is left too.
  await Promise.allSettled(pendingStarts);
  const results = await Promise.allSettled([...sessions.values()].map((session) => session.disconnect()));
  for (const result of results)
    if (result.status === "rejected") log(`A session was not paused: ${String(result.reason)}`);
}

async function findAgent(fairlead: Fairlead, name: string): Promise<AgentView> {
  const agents = await fairlead.agents();
  const view = agents.find((candidate) => candidate.agent === name);
  if (view !== undefined) return view;
  const known = agents.map((candidate) => candidate.agent).join(", ");
  throw new FairleadError("unknown-agent", `Unknown agent "${name}". Known agents: ${known}.`);
}
