import { mkdirSync } from "node:fs";
import type { OpenStage } from "@fairlead/conformance";

/** A shell has no model; what it can be made to do is one command. */
export const openShell: OpenStage = async (folder) => {
  mkdirSync(folder, { recursive: true });
  return {
    environment: { PATH: process.env["PATH"] ?? "", HOME: folder },
    patience: 5000,
    badSettings: { timeout: -1 },
    failures: [
      { name: "exit code", category: "command-failed", prompt: "exit 3" },
      { name: "timeout", category: "timed-out", prompt: "tail -f /dev/null", settings: { timeout: 200 } },
      { name: "denied", category: "not-allowed", prompt: "true && rm x", settings: { deniedCommands: ["rm"] } },
      { name: "not allowed", category: "not-allowed", prompt: "ls | cat", settings: { allowedCommands: ["ls"] } },
      { name: "unclear", category: "not-allowed", prompt: "$X x", settings: { deniedCommands: ["rm"] } },
    ],
    prompt([step]) {
      const act = step?.acts?.[0];
      if (act !== undefined && "run" in act) return act.run;
      if (act !== undefined && "write" in act) return `printf '%s' '${act.write.content}' > '${act.write.path}'`;
      if (step?.text === undefined) return null;
      const pause = (step.chunkDelay ?? 0) / 1000;
      return pause === 0 ? `echo '${step.text}'` : `for word in ${step.text}; do echo $word; sleep ${pause}; done`;
    },
    async [Symbol.asyncDispose]() {},
  };
};
