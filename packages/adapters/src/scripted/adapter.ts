import { fileURLToPath } from "node:url";
import type { Adapter } from "@fairlead/contract";
import { probeProgram } from "@fairlead/kit";
import { z } from "zod";
import { dialectOf, type State } from "./dialect.ts";

/** The program stands beside the source, and beside the emitted code, with the ending that fits. */
const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
const [program, terminal] = ["agent", "terminal"].map((name) =>
  fileURLToPath(new URL(`../../programs/scripted-${name}.${ending}`, import.meta.url)),
) as [string, string];

/** An agent without a model or an account: for the demo, and for every test that does not need a vendor. */
export const scripted: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "scripted",
    version: "0.1.0",
    vendor: "Fairlead",
    label: "Scripted agent",
    models: ["script"],
    capabilities: [
      "streaming",
      "reasoning",
      "tools",
      "parallel-tools",
      "file-events",
      "approvals",
      "told-denials",
      "edited-approvals",
      "questions",
      "interrupt",
      "steer",
      "queue",
      "resume",
      "take-over",
    ],
    modes: ["default", "accept-edits", "full-auto"],
    settings: z.strictObject({}),
    environment: ["XDG_STATE_HOME"],
  },

  probe(host) {
    const line = { program: "node", auth: "none" } as const;
    return probeProgram(host, { ...line, missing: "There is no node on the PATH." });
  },

  transcript(_opening, agentSessionId, environment) {
    const state = environment["XDG_STATE_HOME"] ?? `${environment["HOME"] ?? ""}/.local/state`;
    return `${state}/fairlead-scripted/${agentSessionId}.jsonl`;
  },

  terminal: ({ finding, workspace }, agentSessionId) => ({
    program: finding.program ?? "node",
    args: [terminal, agentSessionId],
    env: {},
    cwd: workspace,
    stdin: "terminal",
  }),

  open(opening) {
    return {
      life: "session",
      protocol: "lines",
      dialect: dialectOf({
        continues: opening.continues,
        launch: (agentSessionId) => ({
          program: opening.finding.program ?? "node",
          args: [
            program,
            ...(agentSessionId === null ? [] : ["--resume", agentSessionId]),
            ...(opening.mode === "accept-edits" ? ["--accept-edits"] : []),
          ],
          env: {},
          cwd: opening.workspace,
          stdin: "pipe",
        }),
      }),
    };
  },
};
