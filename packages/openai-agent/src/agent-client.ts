import {
  methods,
  type AgentContext,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { z } from "zod";

/** The client that started this agent, for one conversation. */
export interface AgentClient {
  /** Sends an update. Updates arrive in order if the caller awaits each. */
  sendUpdate(update: SessionUpdate): Promise<void>;
  /** Asks the user whether a tool call may run. */
  requestPermission(call: ToolCallUpdate): Promise<PermissionAnswer>;
  /** Calls a tool that the client runs. */
  useTool(call: ClientToolCall, signal: AbortSignal): Promise<ClientToolResult>;
}

export interface ClientToolCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly input: unknown;
}

const ClientToolResult = z.looseObject({ outcome: z.string(), text: z.string() });
export type ClientToolResult = z.infer<typeof ClientToolResult>;

export interface PermissionAnswer {
  readonly answer: "yes" | "no" | "cancelled";
}

const permissionOptions: PermissionOption[] = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

export function createAgentClient(context: AgentContext, sessionId: string): AgentClient {
  return {
    sendUpdate: (update) => context.notify(methods.client.session.update, { sessionId, update }),
    async requestPermission(toolCall) {
      const request: RequestPermissionRequest = { sessionId, toolCall, options: permissionOptions };
      const { outcome } = await context.request(methods.client.session.requestPermission, request);
      if (outcome.outcome === "cancelled") return { answer: "cancelled" };
      return { answer: outcome.optionId === "yes" ? "yes" : "no" };
    },
    async useTool(call, signal) {
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = (): void => reject(new Error("The call was interrupted."));
      signal.addEventListener("abort", abort, { once: true });
      try {
        const answer = context.request("_fairlead/use_tool", { sessionId, ...call });
        return ClientToolResult.parse(await Promise.race([answer, promise]));
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
  };
}
