import {
  methods,
  type AgentContext,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";

/** Whoever started this agent, as one conversation sees them. */
export interface Client {
  /** Tells what is going on. In order, when each is awaited. */
  tell(update: SessionUpdate): Promise<void>;
  /** Asks whether a call may be made. */
  mayI(call: ToolCallUpdate): Promise<Leave>;
}

export interface Leave {
  readonly answer: "yes" | "no" | "cancelled";
}

const options: PermissionOption[] = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

export function clientOf(context: AgentContext, sessionId: string): Client {
  return {
    tell: (update) => context.notify(methods.client.session.update, { sessionId, update }),
    async mayI(toolCall) {
      const request: RequestPermissionRequest = { sessionId, toolCall, options };
      const { outcome } = await context.request(methods.client.session.requestPermission, request);
      if (outcome.outcome === "cancelled") return { answer: "cancelled" };
      return { answer: outcome.optionId === "yes" ? "yes" : "no" };
    },
  };
}
