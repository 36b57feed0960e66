import { z } from "zod";

/** How much an agent may do without approval. All agents share these five modes. */
export const PermissionMode = z.enum(["default", "accept-edits", "plan", "full-auto", "dangerously-skip-permissions"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** The meaning of each mode, the same for every agent. An adapter that cannot guarantee a mode does not declare it. */
export const permissionModes: Readonly<Record<PermissionMode, string>> = {
  default: "The agent's own rules apply. A rule of the policy or a person answers its requests.",
  "accept-edits": "File edits in the workspace need no approval. Everything else does, as in default.",
  plan: "The agent reads and plans. It changes nothing until the plan is approved.",
  "full-auto":
    "The runtime approves every request at once, unless a rule of the policy asks or denies. The journal has each request.",
  "dangerously-skip-permissions":
    "The agent asks for no approval, and its own checks and sandbox are off. Only external isolation limits it.",
};

/** The modes in which an agent asks for approval as it does by default. The other modes approve actions in advance. */
export const modesThatAsk: readonly PermissionMode[] = ["default", "plan"];
