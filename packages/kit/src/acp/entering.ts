import type { ErrorCategory } from "@fairlead/contract";
import type { RpcFailure } from "../json-rpc.ts";
import { identified } from "../talk.ts";
import { categoryOf, over, speaking } from "./prompt.ts";
import { request, type AcpManner, type Writer } from "./state.ts";
import { servedBy } from "./usage.ts";
import { Entered, Initialised } from "./wire.ts";

/** Goes off when a replay has been quiet for long enough to be over. */
export const settledAlarm = "settled";
const authRequired = -32000;

/** The first thing said to a new process. We offer it neither files nor terminals: it does its own work. */
export function greet(writer: Writer): void {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: "fairlead", version: "1" };
  request(writer, "initialize", { protocolVersion: 1, clientCapabilities, clientInfo });
}

export function greeted(writer: Writer, manner: AcpManner, result: unknown): boolean {
  const hello = Initialised.safeParse(result).data;
  if (hello === undefined) return false;
  const { proving } = writer.state;
  const { loadSession, sessionCapabilities } = hello.agentCapabilities;
  if (hello.protocolVersion !== 1) {
    leave(writer, manner, "unknown", `It speaks version ${hello.protocolVersion} of the protocol, and not 1.`);
  } else if (proving === null) enter(writer, manner, "session/new");
  // Without a replay where that is offered.
  else if (sessionCapabilities?.resume !== undefined) enter(writer, manner, "session/resume");
  else if (loadSession) enter(writer, manner, "session/load");
  else leave(writer, manner, "session-not-found", "It cannot take up an earlier conversation.");
  return true;
}

/** A new conversation, or the one to be taken up again. */
export function enter(writer: Writer, { workspace: cwd, quirks }: AcpManner, method: string, about = ""): void {
  const { proving } = writer.state;
  const sessionId = (quirks.loadPrefix ?? "") + (proving ?? "");
  if (proving !== null) writer.set({ address: sessionId });
  request(writer, method, { ...(proving !== null && { sessionId }), cwd, mcpServers: [] }, about);
}

/** The conversation has been entered; that this could be done proves a resume. */
export function entered(writer: Writer, manner: AcpManner, method: string, result: unknown): boolean {
  const { data } = Entered.safeParse(result ?? {});
  const agentSessionId = data?.sessionId ?? writer.state.proving;
  if (data === undefined || agentSessionId === null) return false;
  const { mode, options, quirks } = manner;
  const { provider, model } = servedBy(quirks, modelOf(data, manner));
  const address = data.sessionId ?? writer.state.address;
  writer.set({ provider, address });
  identified(writer, agentSessionId, model === "" ? null : model);
  if (mode !== null && mode !== data.modes?.currentModeId) {
    request(writer, "session/set_mode", { sessionId: address, modeId: mode }, `the mode ${mode}`);
  }
  for (const [configId, value] of Object.entries(options)) {
    request(writer, "session/set_config_option", { sessionId: address, configId, value }, `${configId} ${value}`);
  }
  if (method === "session/load" && quirks.replayQuiet !== undefined) settling(writer, manner);
  else readyIfSo(writer, manner);
  return true;
}

/** While an old conversation is still being replayed, the end of that is put off. */
export function settling(writer: Writer, { quirks: { replayQuiet = 0 } }: AcpManner): void {
  writer.set({ phase: "settling" }).effect({ type: "alarm", name: settledAlarm, after: replayQuiet });
}

/** Once everything asked for at the start is answered, what was held back can be said. */
export function readyIfSo(writer: Writer, manner: AcpManner): void {
  const { rpc, agentSessionId, current } = writer.state;
  if (Object.keys(rpc.open).length > 0 || agentSessionId === null) return;
  writer.set({ phase: "ready" });
  if (current !== null) writer.effect(speaking(writer, manner)(current));
}

/** It would not do what was asked of it at the start. */
export function notEntered(
  writer: Writer,
  manner: AcpManner,
  { method, about, error }: { readonly method: string; readonly about: string; readonly error: RpcFailure },
): void {
  const { authMethod, quirks } = manner;
  // Signing in may change what the user has set up, so it is done only when it has to be.
  if (error.code === authRequired && authMethod !== null && method !== "authenticate" && about === "") {
    return request(writer, "authenticate", { methodId: authMethod }, method);
  }
  const told = categoryOf(quirks, error);
  const lost = (method === "session/load" || method === "session/resume") && told !== "not-authenticated";
  const words = about.includes(" ") ? `It could not be put into ${about}` : method;
  leave(writer, manner, lost ? "session-not-found" : told, `${words}: ${error.message}${detailsOf(error)}`);
}

function detailsOf({ data }: RpcFailure): string {
  return typeof data === "object" && data !== null && "details" in data ? ` (${String(data.details)})` : "";
}

function leave(writer: Writer, manner: AcpManner, category: ErrorCategory, message: string): void {
  writer.event({ type: "error.raised", category, message }).set({ waiting: [], leaving: true });
  if (writer.state.current !== null) over(writer, manner, "failed");
  writer.effect({ type: "hangup" });
}

function modelOf({ models, configOptions }: Entered, { options }: AcpManner): string {
  const option = configOptions?.find(({ category }) => category === "model");
  const chosen = option && (options[option.id] ?? option.currentValue);
  return models?.currentModelId ?? (typeof chosen === "string" ? chosen : "");
}
