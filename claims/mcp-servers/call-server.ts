/**
 * Gives real agents an MCP server, and prints what happened to its calls as JSON: `node call-server.ts AGENT…`. An agent after
 * `editor:` gets the server from an editor, over the Agent Client Protocol. One after `bare:` has no sandbox.
 */
import type { StartRequest } from "@fairlead/api";
import { mcpToolName, type Event, type PolicyRequest } from "@fairlead/contract";
import { selectOption, TestEditor } from "@fairlead/testing/server/test-editor.ts";
import { ServerBench, type NotedCall } from "./server-bench.ts";

export interface ServerRun {
  /** The calls that reached the server. */
  readonly calls: readonly NotedCall[];
  /** The names of the tools that were asked about. */
  readonly asked: readonly string[];
  readonly outputs: readonly string[];
}

export interface ServerCalls {
  readonly agent: string;
  readonly version: string | null;
  /** `editor`: an editor gave the agent the server. `bare`: there was no sandbox. */
  readonly kind: "editor" | "bare" | "plain";
  /** A person allows the call. */
  readonly allowed: ServerRun;
  /** A rule denies it, or the person in the editor does. */
  readonly denied: ServerRun;
}

const name = mcpToolName("notes", "add_note");
const sandbox = { kind: "bwrap", network: "open" } as const;

if (import.meta.main) {
  for (const argument of process.argv.slice(2)) {
    const agent = argument.replace(/^\w+:/, "");
    const kind = argument.startsWith("editor:") ? "editor" : argument.startsWith("bare:") ? "bare" : "plain";
    const run = (verdict: "allow" | "deny"): ReturnType<typeof runTurn> =>
      kind === "editor"
        ? runInEditor(agent, verdict)
        : runTurn(agent, verdict, kind === "bare" ? { kind: "none" } : sandbox);
    const [allowed, version] = await run("allow");
    const [denied] = await run("deny");
    console.log(JSON.stringify({ agent, version, kind, allowed, denied } satisfies ServerCalls));
  }
}

/** Lets an agent call the server's tool in a turn. Allows what the policy asks about. */
async function runTurn(
  agent: string,
  verdict: "allow" | "deny",
  limits: NonNullable<StartRequest["sandbox"]>,
): Promise<[ServerRun, string | null]> {
  await using bench = await ServerBench.open(agent);
  const { fairlead, workspace, settings } = bench;
  const policy: PolicyRequest = verdict === "deny" ? { rules: [{ verdict, tool: name }] } : {};
  const { session } = await fairlead.start({
    agent,
    workspace,
    settings,
    sandbox: limits,
    policy,
    mcpServers: [bench.server],
    prompt: bench.prompt,
  });
  const events: Event[] = [];
  for await (const output of fairlead.events(session, { follow: true })) {
    if (!("body" in output)) continue;
    events.push(output);
    const { body } = output;
    if (body.type === "decision.requested" && body.reading?.verdict !== "deny")
      await fairlead.answer(session, body.decision, { type: "allow" }).catch(() => {});
    if (body.type === "turn.ended" || body.type === "session.ended") break;
  }
  await fairlead.stop(session);
  return [describeRun(bench, events), await readVersion(bench)];
}

/** The same, with the server of an editor, in which a person answers. */
async function runInEditor(agent: string, verdict: "allow" | "deny"): Promise<[ServerRun, string | null]> {
  await using bench = await ServerBench.open(agent);
  const { fairlead, workspace, settings, server } = bench;
  const events: Event[] = [];
  {
    await using editor = new TestEditor(fairlead, { agent, settings });
    editor.onPermissionRequest = ({ options }) =>
      selectOption(options, verdict === "allow" ? "allow_once" : "reject_once");
    const { name: serverName, command, args = [] } = server;
    const session = await editor.open(workspace, [{ name: serverName.toUpperCase(), command, args, env: [] }]);
    await editor.prompt(session, bench.prompt);
    for await (const output of fairlead.events(session)) if ("body" in output) events.push(output);
  }
  return [describeRun(bench, events), await readVersion(bench)];
}

function describeRun({ calls }: ServerBench, events: readonly Event[]): ServerRun {
  return {
    calls,
    asked: events.flatMap(({ body }) => (body.type === "decision.requested" ? [body.tool ?? ""] : [])),
    outputs: events.flatMap(({ body }) => (body.type === "tool.ended" && body.ok ? [body.output] : [])),
  };
}

async function readVersion({ agent, fairlead }: ServerBench): Promise<string | null> {
  return (await fairlead.agents()).find((one) => one.agent === agent)?.probeResult.version ?? null;
}
