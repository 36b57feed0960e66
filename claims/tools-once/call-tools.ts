/** Offers one tool to real agents, and prints what each got as JSON: `node call-tools.ts AGENT[=VERSION]…`. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";
import { createSeatTool, seatInputs } from "./seat-tool.ts";

export interface ToolCalls {
  readonly agent: string;
  readonly version: string | null;
  /** The schema that the model was told. */
  readonly schema: unknown;
  /** What the agent got for each input. */
  readonly results: readonly { readonly ok: boolean; readonly text: string }[];
  /** The seats that were booked. */
  readonly booked: readonly string[];
}

if (import.meta.main) {
  for (const argument of process.argv.slice(2)) {
    const [agent = "", version] = argument.split("=");
    if (version !== undefined) process.env["FAIRLEAD_AGENT_VERSIONS"] = argument;
    console.log(JSON.stringify(await callTools(agent)));
  }
}

async function callTools(agent: string): Promise<ToolCalls> {
  const folder = mkdtempSync(join(tmpdir(), "seat-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const openBench = testBenches[agent];
  if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
  await using bench = await openBench(join(folder, "s"));
  const booked: string[] = [];
  const tool = createSeatTool((_key, seat) => {
    booked.push(seat);
    return `Seat ${seat} is yours.`;
  });
  await using fairlead = await LocalFairlead.open({
    home: new Home(join(folder, "h")),
    adapters,
    environment: bench.environment,
    defaultPolicy: true,
    tools: [tool],
  });
  const settings = { ...(bench.settings as Record<string, unknown> | undefined) };
  const sandbox = { kind: "none" } as const;
  const { session } = await fairlead.start({ agent, workspace, settings, sandbox, tools: ["book_seat"] });
  const version = (await fairlead.agents()).find((one) => one.agent === agent)?.probeResult.version ?? null;
  const results: { ok: boolean; text: string }[] = [];
  for (const input of seatInputs) {
    const { last } = await fairlead.session(session);
    await fairlead.send(session, bench.buildOfferedToolPrompt?.("book_seat", input) ?? "");
    for await (const output of fairlead.events(session, { after: last, follow: true })) {
      if (!("body" in output)) continue;
      const { body }: Event = output;
      if (body.type === "tool.ended") results.push({ ok: body.ok, text: body.output });
      if (body.type === "turn.ended" || body.type === "session.ended") break;
    }
  }
  const schema = bench.readOfferedTools?.().find(({ name }) => name.endsWith("book_seat"))?.schema;
  await fairlead.stop(session);
  return { agent, version, schema, results, booked };
}
