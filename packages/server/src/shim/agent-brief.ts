import { PermissionMode } from "@fairlead/contract";
import { z } from "zod";

const Words = z.array(z.string()).default([]);

/** What is said of the project as a whole; a plain text will do. */
const ProjectBrief = z.union([
  z.string().transform((description) => ({ title: "", description, goals: [], constraints: [] })),
  z.looseObject({
    title: z.string().default(""),
    description: z.string().default(""),
    goals: Words,
    constraints: Words,
  }),
]);

/** What only we understand, in the one place that the protocol leaves to whoever runs the agent. */
const Ours = z.strictObject({
  settings: z.record(z.string(), z.unknown()).optional(),
  mode: PermissionMode.optional(),
  /** With `--mock`: what the scripted agent is to play. */
  script: z.array(z.looseObject({})).optional(),
});

/** What an agent is started with. Only what we need is looked at; the rest is kept and given back as it came. */
export const AgentBrief = z.looseObject({
  agentId: z.string().min(1),
  role: z.string().default(""),
  description: z.string().min(1),
  workstream: z.string().default(""),
  goals: Words,
  constraints: Words,
  projectBrief: ProjectBrief.optional(),
  knowledgeSnapshot: z.unknown().optional(),
  controlMode: z.string().optional(),
  modelPreference: z.string().optional(),
  sessionPolicy: z.looseObject({ maxTurns: z.int().positive().optional() }).optional(),
  providerConfig: z.looseObject({ fairlead: Ours.optional() }).optional(),
});
export type AgentBrief = z.infer<typeof AgentBrief>;
