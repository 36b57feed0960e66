/**
 * The scripted agent with its scripts beside the messages instead of in them, so that a picture shows messages as people
 * write them: `node story-agent.ts TURNS PROGRAM [ARGUMENT…]`. TURNS is JSON.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { withScript } from "@fairlead/kit";
import type { StoryTurn } from "./story.ts";

const [json = "", ...command] = process.argv.slice(2);
const turns = JSON.parse(json) as readonly StoryTurn[];
const agent = spawn(process.execPath, command, { stdio: ["pipe", "inherit", "inherit"] });
agent.on("close", (code) => process.exit(code ?? 1));
for await (const line of createInterface({ input: process.stdin })) {
  const input = JSON.parse(line) as { readonly type: string; readonly text?: string };
  const turn = turns.find(({ message }) => input.text?.trim() === message);
  const text = turn === undefined ? input.text : withScript(turn.message, turn.steps);
  agent.stdin.write(`${JSON.stringify({ ...input, ...(input.type === "message" && { text }) })}\n`);
}
agent.stdin.end();
