import { mkdirSync } from "node:fs";
import type { OpenTestBench } from "@fairlead/conformance";

/** The bench for the shell adapter. There is no model, and a prompt is one command. */
export const openShellBench: OpenTestBench = async (folder) => {
  mkdirSync(folder, { recursive: true });
  return {
    environment: { PATH: process.env["PATH"] ?? "", HOME: folder },
    turnTimeout: 5000,
    longTexts: true,
    badSettings: { timeout: -1 },
    failures: [
      { name: "exit code", category: "command-failed", prompt: "exit 3" },
      { name: "timeout", category: "timed-out", prompt: "tail -f /dev/null", settings: { timeout: 200 } },
      { name: "denied", category: "not-allowed", prompt: "true && rm x", settings: { deniedCommands: ["rm"] } },
      { name: "not allowed", category: "not-allowed", prompt: "ls | cat", settings: { allowedCommands: ["ls"] } },
      { name: "unclear", category: "not-allowed", prompt: "$X x", settings: { deniedCommands: ["rm"] } },
    ],
    buildPrompt([step]) {
      const action = step?.actions?.[0];
      if (action !== undefined && "run" in action) return action.run;
      if (action !== undefined && "write" in action)
        return `printf '%s' '${action.write.content}' > '${action.write.path}'`;
      if (step?.text === undefined) return null;
      if (step.repeat !== undefined) return `yes '${step.text.trimEnd()}' | head -n ${step.repeat}`;
      const pause = (step.chunkDelay ?? 0) / 1000;
      return pause === 0 ? `echo '${step.text}'` : `for word in ${step.text}; do echo $word; sleep ${pause}; done`;
    },
    async [Symbol.asyncDispose]() {},
  };
};
