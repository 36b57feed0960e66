import { fileURLToPath } from "node:url";
import { mustAskAboutAll, type Adapter } from "@fairlead/contract";
import { probeProgram, userFolders } from "@fairlead/kit";
import { z } from "zod";
import { createScriptedDialect, type ScriptedState } from "./dialect.ts";

/** The programs are next to the source and next to the compiled code, each with its own extension. */
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const [program, terminalProgram] = ["agent", "terminal"].map((name) =>
  fileURLToPath(new URL(`../../programs/scripted-${name}.${extension}`, import.meta.url)),
) as [string, string];
/** Without the flag, the compiled programs would import the source of other packages in this repository, and strip its types. */
const nodeFlags = extension === "js" ? ["--conditions=built"] : [];

function historyFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return `${userFolders(environment).state}/fairlead-scripted`;
}

/** An agent without a model or an account, for the demo and for tests that need no vendor. */
export const scriptedAdapter: Adapter<ScriptedState> = {
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
      "asks-all",
      "host-tools",
      "told-denials",
      "edited-approvals",
      "questions",
      "interrupt",
      "steer",
      "queue",
      "resume",
      "take-over",
      "recorded-take-over",
    ],
    modes: ["default", "accept-edits", "full-auto"],
    settings: z.strictObject({}),
    // Compiling takes two thirds of the start of this program, and tests start it thousands of times.
    environment: ["XDG_STATE_HOME", "NODE_COMPILE_CACHE"],
  },

  probe(host) {
    const probe = { program: "node", auth: "none" } as const;
    return probeProgram(host, { ...probe, missingMessage: "node is not on the PATH: install Node.js 24 or newer." });
  },

  transcriptPath: (_opening, agentSessionId, environment) => `${historyFolder(environment)}/${agentSessionId}.jsonl`,

  memory: (_opening, agentSessionId, environment) => ({
    root: historyFolder(environment),
    folder: "",
    files: [{ folder: "", name: `${agentSessionId}.jsonl` }],
  }),

  terminalTranscript: ({ environment }) => ({
    folders: [historyFolder(environment)],
    fileName: /^([\w-]+)\.jsonl$/,
  }),

  terminalCommand: ({ probeResult, workspace }, agentSessionId) => ({
    program: probeResult.program ?? "node",
    args: [...nodeFlags, terminalProgram, agentSessionId],
    env: {},
    cwd: workspace,
    stdin: "terminal",
  }),

  needs: (_opening, environment) => ({ writes: [`${historyFolder(environment)}/`], hides: [], protects: [] }),

  open(opening) {
    const asksAboutAll = mustAskAboutAll(scriptedAdapter.manifest, opening);
    return {
      processLifetime: "session",
      protocol: "lines",
      dialect: createScriptedDialect({
        continues: opening.continues,
        launch: (agentSessionId) => ({
          program: opening.probeResult.program ?? "node",
          args: [
            ...nodeFlags,
            program,
            ...(agentSessionId === null ? [] : ["--resume", agentSessionId]),
            ...(opening.mode === "accept-edits" && !asksAboutAll ? ["--accept-edits"] : []),
          ],
          env: {},
          cwd: opening.workspace,
          stdin: "pipe",
        }),
      }),
    };
  },
};
