import { type Json, type ShimAddress, ShimTestClient } from "./shim-test-client.ts";

/** Prompts that make the agent do each thing. */
export interface Briefs {
  /** Prints text, writes a file, runs a failing command, and asks a question if the agent can. */
  readonly everything: Json;
  /** Prints text and then takes long. */
  readonly long: Json;
  /** The injected context, and the text that the agent prints when it continues. */
  readonly context: string;
  readonly answer: string | null;
  readonly failing: Json;
  /** Makes the agent die; null if that is not possible. */
  readonly dying: Json | null;
  /** Selects a mode without approvals, which the shim must refuse; null if the shim was started with all modes. */
  readonly unattended: Json | null;
  /** Reaches the turn limit; null if the agent has none. */
  readonly limited: Json | null;
}

export interface ProtocolRun {
  /** Endpoints, events, phases, outcomes and actions that were observed. */
  readonly shown: readonly string[];
  readonly messages: number;
  readonly faults: readonly string[];
  readonly checkedMessages: readonly { readonly name: string; readonly value: Json }[];
}

/** Exercises the whole protocol. `restart` kills the shim and returns the address of a new one. */
export async function exerciseProtocol(
  address: ShimAddress,
  briefs: Briefs,
  restart: () => Promise<ShimAddress>,
): Promise<ProtocolRun> {
  const client = await ShimTestClient.open(address);
  await client.expectStatus("POST /spawn", briefs.everything, 401, "a-guessed-token");
  if (briefs.unattended !== null) await client.expectStatus("POST /spawn", briefs.unattended, 403);
  await client.request("GET /health");
  await answerDecisions(client, await spawnAgent(client, briefs.everything), true);

  let from = await spawnAgent(client, briefs.long);
  await client.waitForEvent("the long one", ({ type }) => type === "status" || type === "tool_call", from);
  await client.request("POST /inject-context", { content: briefs.context, format: "markdown" });
  await client.request("POST /update-brief", { role: "Editor" });
  const state = await client.request("POST /pause");
  await client.waitForEvent("a pause", isAction("paused"), from);
  client.close();

  const next = await ShimTestClient.open(await restart());
  await next.request("POST /resume", state);
  await next.waitForEvent("a resume", isAction("resumed"));
  // A new client receives the run from its beginning, so earlier events are repeated unchanged.
  for (const [index, envelope] of client.envelopes.slice(from).entries()) {
    if (JSON.stringify(next.envelopes[index]) !== JSON.stringify(envelope))
      next.faults.push(`event ${index + 1} was told otherwise`);
  }
  await next.waitForEvent("a completion", ({ type }) => type === "completion");
  const messages = next.envelopes.map(({ event }) => event["message"]);
  if (briefs.answer !== null && !messages.includes(briefs.answer)) next.faults.push("what was injected was not told");

  from = await spawnAgent(next, briefs.long);
  await next.waitForEvent("the long one", ({ type }) => type === "status" || type === "tool_call", from);
  await next.expectStatus("POST /spawn", briefs.long, 409);
  await next.request("POST /kill", { grace: true });
  await next.waitForEvent("a kill", isAction("killed"), from);

  from = await spawnAgent(next, briefs.failing);
  await answerDecisions(next, from, false);
  await next.waitForEvent("an error", ({ type }) => type === "error", from);

  for (const [brief, end] of [
    [briefs.limited, ({ outcome }: Json) => outcome === "max_turns"],
    [briefs.dying, isAction("crashed")],
  ] as const) {
    if (brief === null) continue;
    from = await spawnAgent(next, brief);
    await answerDecisions(next, from, false);
    await next.waitForEvent("the end", end, from);
  }
  await next.request("GET /health");
  next.close();
  const checkedMessages = [...client.checkedMessages, ...next.checkedMessages];
  const faults = [...client.faults, ...next.faults];
  return {
    shown: [...new Set(checkedMessages.flatMap(listShown))].toSorted(),
    messages: checkedMessages.length,
    faults,
    checkedMessages,
  };
}

/** Starts an agent. Returns the number of earlier events; the last of them may concern the previous agent. */
async function spawnAgent(client: ShimTestClient, brief: Json): Promise<number> {
  const before = client.envelopes.length;
  await client.request("POST /spawn", brief);
  return client.envelopes.indexOf(await client.waitForEvent("a start", isAction("started"), before));
}

/** Answers decisions until the run is complete or dead. With `closely` it also tries forbidden requests. */
async function answerDecisions(client: ShimTestClient, from: number, triesRejections: boolean): Promise<void> {
  const isNext = ({ type, action }: Json): boolean =>
    type === "decision" || type === "completion" || action === "crashed";
  for (let position = from; ;) {
    const envelope = await client.waitForEvent("a decision or an end", isNext, position);
    position = client.envelopes.indexOf(envelope) + 1;
    const { type, subtype, decisionId, options } = envelope.event;
    if (type !== "decision") return;
    const resolution =
      subtype === "option"
        ? { type: "option", chosenOptionId: (options as readonly { id: string }[])[0]?.id }
        : { type: "tool_approval", action: "approve" };
    if (triesRejections) {
      await client.request("POST /checkpoint", { decisionId });
      await client.expectStatus("POST /resolve", { decisionId: "nobody-asked-this", resolution }, 404);
    }
    await client.request("POST /resolve", { decisionId, resolution });
    if (triesRejections) await client.expectStatus("POST /resolve", { decisionId, resolution }, 409);
  }
}

const isAction =
  (action: string) =>
  (event: Json): boolean =>
    event["action"] === action;

function listShown({ name, value }: { readonly name: string; readonly value: Json }): string[] {
  if (name === "envelope") return ["WS /events"];
  const word = value["phase"] ?? value["outcome"] ?? value["action"];
  return name.includes("/") || typeof word !== "string" ? [name] : [`${name} ${word}`];
}
