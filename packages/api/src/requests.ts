import {
  Answer,
  Brief,
  Continuation,
  CopyOrigin,
  McpServers,
  Moving,
  PermissionMode,
  PolicyRequest,
  RepositorySource,
  RoomName,
  Sandbox,
  SpendingLimits,
  ToolName,
} from "@fairlead/contract";
import { z } from "zod";
import { ToolProgramId } from "./tool-program.ts";

/** Starts a session. The workspace's `fairlead.yaml`, the environment and the defaults supply omitted fields, in this order. */
export const StartRequest = z.strictObject({
  agent: z.string().optional(),
  /** An absolute path. Needed unless the request has a `repository`. */
  workspace: z.string().optional(),
  /**
   * Works in a clone of this git repository, in a folder that the host chooses. The host's credentials are used. At each turn's
   * end in a fleet, a snapshot of the files is pushed to `refs/fairlead/<session>`, with which the session can continue on
   * another host.
   */
  repository: RepositorySource.optional(),
  /**
   * Works in a clone of the workspace's repository, on a branch of its own, instead of in the workspace. Uncommitted changes
   * are not in it. An object names the first commit: one of the workspace's repository, or of the repository of a run.
   */
  isolated: z.union([z.boolean(), CopyOrigin]).optional(),
  /** A name for people, unique among the open sessions. */
  name: z
    .string()
    .regex(
      /^[a-z][\w.-]{0,63}$/i,
      "A name starts with a letter and has at most 64 letters, digits, dots, dashes and _.",
    )
    .optional(),
  mode: PermissionMode.optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  /** The limits of the agent's processes. A limit that cannot be enforced on the machine is refused. */
  sandbox: z
    .strictObject({
      kind: Sandbox.shape.kind.exactOptional(),
      workspace: Sandbox.shape.workspace.exactOptional(),
      network: Sandbox.shape.network.exactOptional(),
    })
    .optional(),
  /**
   * What the session may use in all. At a limit, the open turn is interrupted and the session pauses. A limit of what the
   * agent does not report is refused.
   */
  limits: SpendingLimits.optional(),
  /**
   * Rules beside those of the user, of the workspace and of the default policy. Of all rules, deny beats ask, and ask beats
   * allow. What it allows needs the scope `approve`.
   */
  policy: PolicyRequest.optional(),
  /** Pauses the session while a quota of the agent's account is used up, and continues after the announced reset. */
  park: z.boolean().optional(),
  /**
   * How the session may continue on another host of a fleet if its own is lost: `native` (the default), only with the agent's
   * own memory; `rebuilt`, else from the messages of the journal; `never`, it ends. On one machine it has no effect.
   */
  moving: Moving.optional(),
  /** A room of the workspace's `fairlead.yaml` that the session works in. Its usage is summed by room. */
  room: RoomName.optional(),
  /** The names of tools of the daemon that the agent is offered. Refused for an agent without the capability `host-tools`. */
  tools: z.array(ToolName).max(100).optional(),
  /** Offers the agent the tools by which it starts and leads other sessions. Needs the scope `approve`. */
  mayDelegate: z.boolean().optional(),
  /**
   * MCP servers that the agent starts, beside those of the user's configuration and of the workspace's `fairlead.yaml`. One
   * of the same name is used instead of theirs. Needs the scope `approve`, because a server is a program that runs. Refused
   * for an agent without the capability `mcp-servers`.
   */
  mcpServers: McpServers.optional(),
  /** The program that runs those of the tools which it offers over a WebSocket, by its id. */
  toolProgram: ToolProgramId.optional(),
  /** The first message. */
  prompt: z.string().min(1).optional(),
  /** The task, instead of a prompt: the agent gets it as the first message. Its room is the room of the session. */
  brief: Brief.optional(),
  /** Refuses a session that would run without approvals, as for a caller without the scope `approve`. */
  approvalsRequired: z.boolean().optional(),
});
export type StartRequest = z.infer<typeof StartRequest>;

export const ResumeRequest = z.strictObject({
  /** `rebuilt` and `fresh` accept a loss of the agent's own memory of the conversation. */
  outcome: Continuation.shape.outcome.unwrap().optional(),
  /** Limits to change, also of a running session. The scope `approve` is needed to raise one. */
  limits: SpendingLimits.optional(),
  /** Refuses a session that runs without approvals, as for a caller without the scope `approve`. */
  approvalsRequired: z.boolean().optional(),
});
export type ResumeRequest = z.infer<typeof ResumeRequest>;

export const ForkRequest = z.strictObject({
  name: StartRequest.shape.name,
  workspace: z.string().optional(),
  /** `rebuilt` and `fresh` accept that the agent does not copy its own conversation. */
  outcome: ResumeRequest.shape.outcome,
});
export type ForkRequest = z.infer<typeof ForkRequest>;

/** The largest body of a request, in bytes. */
export const maxBodyBytes = 1_048_576;

export const MessageRequest = z.strictObject({ text: z.string().min(1) });
export type MessageRequest = z.infer<typeof MessageRequest>;

/** Answers a decision. Its id is in the body instead of the path, because the agent chooses it and may use any character. */
export const AnswerRequest = z.strictObject({ decision: z.string(), answer: Answer });
export type AnswerRequest = z.infer<typeof AnswerRequest>;
