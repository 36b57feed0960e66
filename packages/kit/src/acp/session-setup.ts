import { ownValue, type ErrorCategory } from "@fairlead/contract";
import type { RpcFailure } from "../json-rpc.ts";
import { sessionIdentified } from "../conversation-state.ts";
import { categorizeAcpFailure, endAcpTurn, createPromptSender } from "./prompt.ts";
import { sendAcpRequest, type AcpDialectOptions, type AcpWriter } from "./acp-state.ts";
import { offerAcpTools } from "./host-tools.ts";
import { toAcpServers } from "./mcp-servers.ts";
import { splitModelName } from "./usage.ts";
import { AcpSessionResult, InitializeResult } from "./wire.ts";

/** The alarm that ends the `settling` phase. */
export const replayEndAlarm = "settled";
const authRequired = -32000;

/** Sends the first request to a new process. Offers neither files nor terminals, so the agent uses its own tools. */
export function sendInitialize(writer: AcpWriter): void {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: "fairlead", version: "1" };
  sendAcpRequest(writer, "initialize", { protocolVersion: 1, clientCapabilities, clientInfo });
}

/** Starts, resumes or loads the session. Returns false if the result is invalid. */
export function handleInitializeResult(writer: AcpWriter, dialectOptions: AcpDialectOptions, result: unknown): boolean {
  const initialized = InitializeResult.safeParse(result).data;
  if (initialized === undefined) return false;
  const { expectedSessionId } = writer.state;
  const { loadSession, sessionCapabilities } = initialized.agentCapabilities;
  if (initialized.protocolVersion !== 1) {
    failAndCloseStdin(
      writer,
      dialectOptions,
      "unknown",
      `The agent supports version ${initialized.protocolVersion} of the protocol, not version 1.`,
    );
  } else if (expectedSessionId === null) openAcpSession(writer, dialectOptions, "session/new");
  // Prefer session/resume, because session/load replays the whole conversation.
  else if (sessionCapabilities?.resume !== undefined) openAcpSession(writer, dialectOptions, "session/resume");
  else if (loadSession) openAcpSession(writer, dialectOptions, "session/load");
  else failAndCloseStdin(writer, dialectOptions, "session-not-found", "The agent cannot resume a conversation.");
  return true;
}

/** Requests a new conversation, or the expected one. */
export function openAcpSession(
  writer: AcpWriter,
  { workspace: cwd, quirks, tools = [], mcpServers: servers = [] }: AcpDialectOptions,
  method: string,
  about = "",
): void {
  const { expectedSessionId } = writer.state;
  const sessionId = (quirks.loadPrefix ?? "") + (expectedSessionId ?? "");
  if (expectedSessionId !== null) writer.set({ wireSessionId: sessionId });
  const existing = expectedSessionId === null ? {} : { sessionId };
  const mcpServers = toAcpServers(servers);
  const resolves = servers.length > 0;
  sendAcpRequest(writer, method, { ...existing, cwd, mcpServers, ...offerAcpTools(tools) }, { about, resolves });
}

/** Handles the response to the session request. A success proves a resume. Returns false if the result is invalid. */
export function acpSessionOpened(
  writer: AcpWriter,
  dialectOptions: AcpDialectOptions,
  method: string,
  result: unknown,
): boolean {
  const { data } = AcpSessionResult.safeParse(result ?? {});
  const agentSessionId = data?.sessionId ?? writer.state.expectedSessionId;
  if (data === undefined || agentSessionId === null) return false;
  const { mode, options, quirks } = dialectOptions;
  const { provider, model } = splitModelName(quirks, modelOf(data, dialectOptions));
  const wireSessionId = data.sessionId ?? writer.state.wireSessionId;
  writer.set({ provider, wireSessionId });
  sessionIdentified(writer, agentSessionId, model === "" ? null : model);
  if (mode !== null && mode !== data.modes?.currentModeId) {
    sendAcpRequest(
      writer,
      "session/set_mode",
      { sessionId: wireSessionId, modeId: mode },
      { about: `the mode ${mode}` },
    );
  }
  for (const [configId, value] of Object.entries(options)) {
    sendAcpRequest(
      writer,
      "session/set_config_option",
      { sessionId: wireSessionId, configId, value },
      { about: `${configId} ${value}` },
    );
  }
  if (method === "session/load" && quirks.replayQuietMs !== undefined) awaitReplayEnd(writer, dialectOptions);
  else markReadyIfComplete(writer, dialectOptions);
  return true;
}

/** Restarts the alarm that ends the `settling` phase. Called for each update of the replay. */
export function awaitReplayEnd(writer: AcpWriter, { quirks: { replayQuietMs = 0 } }: AcpDialectOptions): void {
  writer.set({ phase: "settling" }).effect({ type: "alarm", name: replayEndAlarm, after: replayQuietMs });
}

/** Ends the setup when no request is pending, and sends the waiting message. */
export function markReadyIfComplete(writer: AcpWriter, dialectOptions: AcpDialectOptions): void {
  const { rpc, agentSessionId, current } = writer.state;
  if (Object.keys(rpc.pending).length > 0 || agentSessionId === null) return;
  writer.set({ phase: "ready" });
  if (current !== null) writer.effect(createPromptSender(writer, dialectOptions)(current));
}

/** Handles an error response during the setup: authenticates if required, else fails the session. */
export function sessionSetupFailed(
  writer: AcpWriter,
  dialectOptions: AcpDialectOptions,
  { method, about, error }: { readonly method: string; readonly about: string; readonly error: RpcFailure },
): void {
  const { authMethod, quirks } = dialectOptions;
  // Authentication may change the user's configuration, so only do it if the agent requires it.
  if (error.code === authRequired && authMethod !== null && method !== "authenticate" && about === "") {
    return sendAcpRequest(writer, "authenticate", { methodId: authMethod }, { about: method });
  }
  const category = categorizeAcpFailure(quirks, error);
  const isSessionMissing =
    (method === "session/load" || method === "session/resume") && category !== "not-authenticated";
  const subject = about.includes(" ") ? `The agent could not set ${about}` : method;
  failAndCloseStdin(
    writer,
    dialectOptions,
    isSessionMissing ? "session-not-found" : category,
    `${subject}: ${error.message}${detailsOf(error)}`,
  );
}

function detailsOf({ data }: RpcFailure): string {
  return typeof data === "object" && data !== null && "details" in data ? ` (${String(data.details)})` : "";
}

function failAndCloseStdin(
  writer: AcpWriter,
  dialectOptions: AcpDialectOptions,
  category: ErrorCategory,
  message: string,
): void {
  writer.raise({ category, message }).set({ queue: [], exitRequested: true });
  if (writer.state.current !== null) endAcpTurn(writer, dialectOptions, "failed");
  writer.effect({ type: "close-stdin" });
}

function modelOf({ models, configOptions }: AcpSessionResult, { options }: AcpDialectOptions): string {
  const option = configOptions?.find(({ category }) => category === "model");
  const value = option && (ownValue(options, option.id) ?? option.currentValue);
  return models?.currentModelId ?? (typeof value === "string" ? value : "");
}
