import { Capability, ProbeResult, PermissionMode } from "@fairlead/contract";
import { z } from "zod";

/** An agent: its adapter's manifest and the result of probing it on this machine. */
export const AgentView = z.strictObject({
  agent: z.string(),
  label: z.string(),
  vendor: z.string(),
  adapterVersion: z.string(),
  capabilities: z.array(Capability),
  modes: z.array(PermissionMode),
  models: z.array(z.string()),
  /** Whether the conformance suite has ever passed with this agent. */
  verified: z.boolean(),
  /** The versions of its program on which the conformance suite was run, the newest first. */
  judged: z
    .array(
      z.strictObject({
        version: z.string(),
        /** The number of MUST clauses that apply to the version. */
        clauses: z.int().nonnegative(),
        kept: z.int().nonnegative(),
      }),
    )
    .optional(),
  probeResult: ProbeResult,
});
export type AgentView = z.infer<typeof AgentView>;
