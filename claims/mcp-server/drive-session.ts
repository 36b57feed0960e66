import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withScript } from "@fairlead/kit";
import { callTool, type McpBench } from "./mcp-bench.ts";

/** What a client could do, true for each part that worked. */
export interface DrivenSession {
  readonly client: string;
  readonly started: boolean;
  readonly waitedForPerson: boolean;
  readonly sent: boolean;
  readonly readDiff: boolean;
  readonly stopped: boolean;
}

/** The first message of the driven session: it writes a file, which needs a person. */
export const firstMessage = (file: string): string =>
  withScript("Write it.", [
    { tools: [{ name: "write", input: { path: file, content: "made by an agent\n" } }] },
    { text: "First done." },
  ]);
export const secondMessage = withScript("And then?", [{ text: "Second done." }]);

export function makeRepository(folder: string): void {
  const git = ["-c", "user.name=claim", "-c", "user.email=claim@localhost"];
  execFileSync("git", [...git, "init", "-q"], { cwd: folder });
  execFileSync("git", [...git, "commit", "-q", "--allow-empty", "-m", "start"], { cwd: folder });
}

/** A person answers the open decision of a session, and the session is idle then. */
export async function allowAsPerson(bench: McpBench, name: string): Promise<void> {
  const person = bench.connect();
  const { session, waitingFor, last } = await person.session(name);
  const [open] = waitingFor;
  if (open === undefined) throw new Error("The session waits for nothing.");
  await person.answer(session, open.decision, { type: "allow" });
  for await (const output of person.events(session, { after: last, follow: true }))
    if ("body" in output && output.body.type === "turn.ended") break;
}

/** Drives a session by the protocol's own client package, in one era of the protocol. */
export async function driveByPackage(
  bench: McpBench,
  mode: "legacy" | { readonly pin: string },
): Promise<DrivenSession> {
  const client = await bench.openClient(mode);
  const version = client.getNegotiatedProtocolVersion() ?? "unknown";
  const name = `by-${version}`;
  const file = `${name}.txt`;
  const call = (tool: string, input: object) => callTool(client, tool, input);
  const started = await call("start_session", { agent: "scripted", name, prompt: firstMessage(file) });
  const waiting = await call("wait", { session: name });
  const existed = existsSync(join(bench.workspace, file));
  await allowAsPerson(bench, name);
  const sent = await call("send", { session: name, text: secondMessage });
  const idle = await call("wait", { session: name });
  const diff = await call("read_diff", { session: name });
  const stopped = await call("stop_session", { session: name });
  const { state, turns } = await bench.connect().session(name);
  return {
    client: `client package, ${version}`,
    started: !started.isError,
    waitedForPerson: waiting.text.includes("waits for a person to decide: write") && !existed,
    sent: !sent.isError && idle.text.includes("Second done.") && turns === 2,
    readDiff: diff.text.includes(`- created ${file}`) && diff.text.includes("+made by an agent"),
    stopped: !stopped.isError && state === "ended",
  };
}
