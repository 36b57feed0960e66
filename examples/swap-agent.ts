/**
 * Runs one prompt on several agents: `node examples/swap-agent.ts [agent…] [--brief TEXT]`. Each agent works in its own
 * folder. Only the agent's name differs between the calls.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import type { Fairlead } from "@fairlead/api";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

// For the shell agent this is a command. The scripted agent runs the script in the comment.
const write = { name: "write", input: { path: "hello.txt", content: "hello\n" } };
const shellAndScriptPrompt = `echo hello > hello.txt # SCRIPT:${JSON.stringify([{ tools: [write] }])}`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { brief: { type: "string" } } });
const agents = positionals.length > 0 ? positionals : ["scripted", "shell"];
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
for (const agent of agents) {
  const workspace = resolve(agent);
  mkdirSync(workspace, { recursive: true });
  const outcome = await runBrief(fairlead, agent, workspace, values.brief ?? shellAndScriptPrompt);
  if (outcome !== "completed") process.exitCode = 1;
  console.log(`${agent}: ${outcome}, created ${readdirSync(workspace).join(", ")}`);
}

async function runBrief(service: Fairlead, agent: string, workspace: string, prompt: string): Promise<string> {
  const { session } = await service.start({ agent, workspace, prompt });
  try {
    for await (const output of service.events(session, { follow: true })) {
      if (!("body" in output)) continue;
      const { body } = output;
      if (body.type === "decision.requested") await service.answer(session, body.decision, { type: "allow" });
      if (body.type === "turn.ended") return body.outcome;
    }
    return "ended";
  } finally {
    await service.stop(session);
  }
}
