/**
 * One brief, any agent: `node examples/swap-agent.ts [agent…] [--brief TEXT]` gives it to each in a folder of its own and
 * shows what came of it. Nothing but the word changes.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import type { Fairlead } from "@fairlead/api";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/server";

// A command to a shell; to the scripted agent, the script in its comment; to any other, plain enough.
const write = { name: "write", input: { path: "hello.txt", content: "hello\n" } };
const bilingual = `echo hello > hello.txt # SCRIPT:${JSON.stringify([{ tools: [write] }])}`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { brief: { type: "string" } } });
const agents = positionals.length > 0 ? positionals : ["scripted", "shell"];
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
for (const agent of agents) {
  const workspace = resolve(agent);
  mkdirSync(workspace, { recursive: true });
  const outcome = await carryOut(fairlead, agent, workspace, values.brief ?? bilingual);
  if (outcome !== "completed") process.exitCode = 1;
  console.log(`${agent}: ${outcome}, and there is ${readdirSync(workspace).join(", ")}`);
}

async function carryOut(service: Fairlead, agent: string, workspace: string, prompt: string): Promise<string> {
  const { session } = await service.start({ agent, workspace, prompt });
  try {
    for await (const one of service.events(session, { follow: true })) {
      if (!("body" in one)) continue;
      const { body } = one;
      if (body.type === "decision.requested") await service.answer(session, body.decision, { type: "allow" });
      if (body.type === "turn.ended") return body.outcome;
    }
    return "ended";
  } finally {
    await service.stop(session);
  }
}
