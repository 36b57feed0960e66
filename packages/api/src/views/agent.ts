import { Capability, Finding, PermissionMode } from "@fairlead/contract";
import { z } from "zod";

/** An agent, as its adapter describes it and as it was found on this machine. */
export const AgentView = z.strictObject({
  agent: z.string(),
  label: z.string(),
  vendor: z.string(),
  adapterVersion: z.string(),
  capabilities: z.array(Capability),
  modes: z.array(PermissionMode),
  models: z.array(z.string()),
  /** Whether the judge has ever seen it work; entries that are only hearsay say so. */
  verified: z.boolean(),
  finding: Finding,
});
export type AgentView = z.infer<typeof AgentView>;
