import { z } from "zod";

/** How much an agent may do without asking. The same five words for every agent. */
export const PermissionMode = z.enum(["default", "accept-edits", "plan", "full-auto", "dangerously-skip-permissions"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** What each mode means, whoever the agent is. An adapter that cannot keep one of them does not declare it. */
export const permissionModes: Readonly<Record<PermissionMode, string>> = {
  default: "The agent's own rules hold; whatever it asks about, a person answers.",
  "accept-edits": "Edits of files in the workspace are accepted; everything else is asked about as usual.",
  plan: "The agent reads and plans and changes nothing until the plan is approved.",
  "full-auto":
    "Every approval is answered with yes by the runtime, at once; each is still asked and still in the journal.",
  "dangerously-skip-permissions":
    "The agent asks nobody: its own checks and its own sandbox are off. Nothing holds it back but what is around it.",
};
