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
  probeResult: ProbeResult,
});
export type AgentView = z.infer<typeof AgentView>;
