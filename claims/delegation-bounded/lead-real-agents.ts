/** Tells a real agent to start sessions of agents like itself, and prints what happened as JSON: `node lead-real-agents.ts AGENT`. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { listSessions } from "@fairlead/api";
import { testBenches } from "@fairlead/lab";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

export interface LedAgents {
  readonly agent: string;
  readonly started: number;
  /** What the agent read when a start was refused. */
  readonly refusals: readonly string[];
  /** Sessions that are open after the first one was stopped. */
  readonly left: number;
}

const starts = 6;

if (import.meta.main) console.log(JSON.stringify(await leadAgents(process.argv[2] ?? "")));

async function leadAgents(agent: string): Promise<LedAgents> {
  const folder = mkdtempSync(join(tmpdir(), "lead-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const openBench = testBenches[agent];
  if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
  await using bench = await openBench(join(folder, "s"));
  const { environment } = bench;
  await using fairlead = await LocalFairlead.open({ home: new Home(join(folder, "h")), adapters, environment });
  const settings = { ...(bench.settings as Record<string, unknown> | undefined) };
  const { session } = await fairlead.start({ agent, workspace, settings, mayDelegate: true });
  const refusals: string[] = [];
  const prompt = bench.buildPrompt([{ text: "Done." }], workspace) ?? "";
  for (let nth = 0; nth < starts; nth += 1) {
    const { last } = await fairlead.session(session);
    await fairlead.send(
      session,
      bench.buildOfferedToolPrompt?.("start_session", { agent, prompt, name: `c${nth}` }) ?? "",
    );
    for await (const output of fairlead.events(session, { after: last, follow: true })) {
      if (!("body" in output)) continue;
      if (output.body.type === "tool.ended" && !output.body.ok) refusals.push(output.body.output);
      if (output.body.type === "turn.ended" || output.body.type === "session.ended") break;
    }
  }
  const views = await Array.fromAsync(listSessions(fairlead, {}));
  const started = views.filter((view) => view.parent?.session === session);
  await fairlead.stop(session);
  const ended = started.map(async (view) => {
    for await (const output of fairlead.events(view.session, { follow: true, signal: AbortSignal.timeout(30_000) }))
      if ("body" in output && output.body.type === "session.ended") return true;
    return false;
  });
  return {
    agent,
    started: started.length,
    refusals,
    left: (await Promise.all(ended)).filter((isEnded) => !isEnded).length,
  };
}
