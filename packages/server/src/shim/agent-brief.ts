import { PermissionMode } from "@fairlead/contract";
import { z } from "zod";

const StringList = z.array(z.string()).default([]);

/** The description of the project, as an object or as plain text. */
const ProjectBrief = z.union([
  z.string().transform((description) => ({ title: "", description, goals: [], constraints: [] })),
  z.looseObject({
    title: z.string().default(""),
    description: z.string().default(""),
    goals: StringList,
    constraints: StringList,
  }),
]);

/** Fairlead's own options, in the field that the protocol reserves for the provider of the agent. */
const FairleadConfig = z.strictObject({
  settings: z.record(z.string(), z.unknown()).optional(),
  mode: PermissionMode.optional(),
  /** With `--mock`: the steps of the scripted agent. */
  script: z.array(z.looseObject({})).optional(),
});

/** The brief of an agent. Unknown fields are kept and returned unchanged. */
export const AgentBrief = z.looseObject({
  agentId: z.string().min(1),
  role: z.string().default(""),
  description: z.string().min(1),
  workstream: z.string().default(""),
  goals: StringList,
  constraints: StringList,
  projectBrief: ProjectBrief.optional(),
  knowledgeSnapshot: z.unknown().optional(),
  controlMode: z.string().optional(),
  modelPreference: z.string().optional(),
  sessionPolicy: z.looseObject({ maxTurns: z.int().positive().optional() }).optional(),
  providerConfig: z.looseObject({ fairlead: FairleadConfig.optional() }).optional(),
});
export type AgentBrief = z.infer<typeof AgentBrief>;
