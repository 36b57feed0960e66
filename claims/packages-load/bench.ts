import { mkdirSync } from "node:fs";
import type { OpenTestBench } from "@fairlead/conformance";

/** The test bench of the agent in agent.ts, which needs no model. */
export const openBench: OpenTestBench = async (folder) => {
  mkdirSync(folder, { recursive: true });
  return {
    environment: { PATH: process.env["PATH"] ?? "", HOME: folder },
    turnTimeout: 5000,
    badSettings: { unknown: true },
    failures: [{ name: "exit code", category: "command-failed", prompt: "fail" }],
    buildPrompt([step]) {
      const action = step?.actions?.[0];
      if (action !== undefined && "run" in action) return `run ${action.run}`;
      if (action !== undefined && "write" in action) return `write ${action.write.path} ${action.write.content}`;
      if (step?.text === undefined) return null;
      const { text, chunkDelay } = step;
      return chunkDelay === undefined ? `say ${text}` : text.replaceAll(/(\S+)\s*/g, `say $1\nwait ${chunkDelay}\n`);
    },
    async [Symbol.asyncDispose]() {},
  };
};
