import { type Json, WireClient } from "./wire-client.ts";

/** What the agent is to be asked, in words that make it do the thing. */
export interface Briefs {
  /** Says something, writes a file, runs a command that fails, and asks for a choice if it can. */
  readonly everything: Json;
  /** Says something and then takes long. */
  readonly long: Json;
  /** What is injected into that, and what it says when it goes on. */
  readonly context: string;
  readonly answer: string | null;
  readonly failing: Json;
  /** Dies; null if it cannot be made to. */
  readonly dying: Json | null;
  /** Stopped by a limit of its turns; null if it has none. */
  readonly limited: Json | null;
}

export interface Toured {
  /** Endpoints, events, phases, outcomes and actions that were shown. */
  readonly shown: readonly string[];
  readonly messages: number;
  readonly faults: readonly string[];
  readonly seen: readonly { readonly name: string; readonly value: Json }[];
}

/** Goes through all of the protocol. `restart` kills the shim and gives the address of another one. */
export async function tour(url: string, briefs: Briefs, restart: () => Promise<string>): Promise<Toured> {
  const client = await WireClient.open(url);
  await client.ask("GET /health");
  await throughDecisions(client, await spawn(client, briefs.everything), true);

  let from = await spawn(client, briefs.long);
  await client.until("the long one", ({ type }) => type === "status" || type === "tool_call", from);
  await client.ask("POST /inject-context", { content: briefs.context, format: "markdown" });
  await client.ask("POST /update-brief", { role: "Somebody else" });
  const state = await client.ask("POST /pause");
  await client.until("a pause", isAction("paused"), from);
  client.close();

  const next = await WireClient.open(await restart());
  await next.ask("POST /resume", state);
  await next.until("a resume", isAction("resumed"));
  // A client that is new hears the run from its beginning, so what was told before is told again, and the same.
  for (const [index, told] of client.told.slice(from).entries()) {
    if (JSON.stringify(next.told[index]) !== JSON.stringify(told))
      next.faults.push(`event ${index + 1} was told otherwise`);
  }
  await next.until("a completion", ({ type }) => type === "completion");
  const said = next.told.map(({ event }) => event["message"]);
  if (briefs.answer !== null && !said.includes(briefs.answer)) next.faults.push("what was injected was not told");

  from = await spawn(next, briefs.long);
  await next.until("the long one", ({ type }) => type === "status" || type === "tool_call", from);
  await next.refused("POST /spawn", briefs.long, 409);
  await next.ask("POST /kill", { grace: true });
  await next.until("a kill", isAction("killed"), from);

  from = await spawn(next, briefs.failing);
  await throughDecisions(next, from, false);
  await next.until("an error", ({ type }) => type === "error", from);

  for (const [brief, end] of [
    [briefs.limited, ({ outcome }: Json) => outcome === "max_turns"],
    [briefs.dying, isAction("crashed")],
  ] as const) {
    if (brief === null) continue;
    from = await spawn(next, brief);
    await throughDecisions(next, from, false);
    await next.until("the end", end, from);
  }
  await next.ask("GET /health");
  next.close();
  const seen = [...client.seen, ...next.seen];
  const faults = [...client.faults, ...next.faults];
  return { shown: [...new Set(seen.flatMap(shownBy))].toSorted(), messages: seen.length, faults, seen };
}

/** Starts an agent; gives how many events were told before it, of which the last may be about the one before. */
async function spawn(client: WireClient, brief: Json): Promise<number> {
  const before = client.told.length;
  await client.ask("POST /spawn", brief);
  return client.told.indexOf(await client.until("a start", isAction("started"), before));
}

/** Answers what is asked until the run is complete or dead. Closely, it also tries what must not be possible. */
async function throughDecisions(client: WireClient, from: number, closely: boolean): Promise<void> {
  const isNext = ({ type, action }: Json): boolean =>
    type === "decision" || type === "completion" || action === "crashed";
  for (let at = from; ;) {
    const told = await client.until("a decision or an end", isNext, at);
    at = client.told.indexOf(told) + 1;
    const { type, subtype, decisionId, options } = told.event;
    if (type !== "decision") return;
    const resolution =
      subtype === "option"
        ? { type: "option", chosenOptionId: (options as readonly { id: string }[])[0]?.id }
        : { type: "tool_approval", action: "approve" };
    if (closely) {
      await client.ask("POST /checkpoint", { decisionId });
      await client.refused("POST /resolve", { decisionId: "nobody-asked-this", resolution }, 404);
    }
    await client.ask("POST /resolve", { decisionId, resolution });
    if (closely) await client.refused("POST /resolve", { decisionId, resolution }, 409);
  }
}

const isAction =
  (action: string) =>
  (event: Json): boolean =>
    event["action"] === action;

function shownBy({ name, value }: { readonly name: string; readonly value: Json }): string[] {
  if (name === "envelope") return ["WS /events"];
  const word = value["phase"] ?? value["outcome"] ?? value["action"];
  return name.includes("/") || typeof word !== "string" ? [name] : [`${name} ${word}`];
}
