import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Act, Failure, OpenStage } from "@fairlead/conformance";
import { withScript } from "@fairlead/kit";

/** The scripted agent is its own model: it plays the script that it is sent. */
export const openScripted: OpenStage = async (folder) => {
  const memory = join(folder, "state");
  mkdirSync(memory, { recursive: true });
  const failing = (status: number, category: Failure["category"]): Failure => ({
    name: `HTTP ${status}`,
    category,
    prompt: withScript("Please do this.", [{ error: { status } }]),
  });
  return {
    environment: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: memory },
    patience: 5000,
    badSettings: { colour: "blue" },
    failures: [failing(400, "bad-request"), failing(401, "not-authenticated"), failing(500, "provider-failed")],
    prompt(steps) {
      const plain = steps.map(({ acts, ...step }) => ({ ...step, ...(acts && { tools: acts.map(callFor) }) }));
      return withScript("Please do this.", plain);
    },
    async context() {
      const conversations = join(memory, "fairlead-scripted");
      return readdirSync(conversations)
        .map((file) => readFileSync(join(conversations, file), "utf8"))
        .join("\n");
    },
    async [Symbol.asyncDispose]() {},
  };
};

function callFor(act: Act): object {
  if ("write" in act) return { name: "write", input: act.write };
  if ("run" in act) return { name: "run", input: { command: act.run } };
  return { name: "ask", input: { questions: [act.ask] } };
}
