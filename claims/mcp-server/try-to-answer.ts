import { globSync } from "node:fs";
import { join } from "node:path";
import { createSessionTools } from "@fairlead/tools";
import { answeringWays, writesProof } from "./answering-ways.ts";
import { callTool, McpBench } from "./mcp-bench.ts";

export interface AnsweringResult {
  readonly ways: number;
  /** The ways after which the decision was no longer open, a call was allowed, or a proof was written. */
  readonly answered: readonly string[];
  /** Controls: what the same ways do with the scope `approve`. */
  readonly answeredWithScope: boolean;
  readonly actedWithScope: boolean;
}

/** Tries each way on a session that waits for a person, and then two of them with the scope `approve`. */
export async function tryToAnswer(): Promise<AnsweringResult> {
  await using bench = await McpBench.open();
  const person = bench.connect();
  const { workspace } = bench;
  for (const name of ["automatic", "past"])
    await person.start({ agent: "scripted", workspace, mode: "full-auto", name });
  await person.stop("past");
  const client = await bench.openClient("legacy");
  const call = (name: string, input: object) => callTool(client, name, input);
  await call("start_session", { agent: "scripted", name: "asking", prompt: writesProof });
  await call("wait", { session: "asking" });
  const { session, waitingFor } = await person.session("asking");
  const decision = waitingFor[0]?.decision ?? "";
  const connection = bench.connect(["read", "drive"]);
  const attempt = { call, connection, session, decision, automatic: "automatic", endedAutomatic: "past", workspace };
  const before = (await bench.readAllowed()).length;
  const hasProof = (): boolean => globSync("**/proof.txt", { cwd: join(workspace, "..") }).length > 0;
  const answered: string[] = [];
  for (const [index, [name, run]] of Object.entries(answeringWays).entries()) {
    await run({ ...attempt, untrusted: bench.createWorkspace(`untrusted-${index}`) });
    await settleAll(bench);
    const isOpen = (await person.session(session)).waitingFor.some((one) => one.decision === decision);
    if (!isOpen || hasProof() || (await bench.readAllowed()).length > before) answered.push(name);
  }
  const approving = bench.connect(["read", "drive", "approve"]);
  const tools = createSessionTools(approving);
  const context = { session: "c", call: "1", key: "control-1", workspace, signal: new AbortController().signal };
  await tools.find(({ offer }) => offer.name === "send")?.use({ session: "automatic", text: writesProof }, context);
  await settleAll(bench);
  const actedWithScope = hasProof();
  await approving.answer(session, decision, { type: "allow" }).catch(() => {});
  const answeredWithScope = (await person.session(session)).waitingFor.every((one) => one.decision !== decision);
  return { ways: Object.keys(answeringWays).length, answered, answeredWithScope, actedWithScope };
}

/** Waits until no session works: each is idle, waits for a person, or has ended. */
async function settleAll(bench: McpBench): Promise<void> {
  const person = bench.connect();
  const wait = createSessionTools(person).find(({ offer }) => offer.name === "wait");
  const context = { session: "c", call: "1", key: "k", workspace: "", signal: new AbortController().signal };
  // The list may be older than the last command. The view of a session is not.
  for (const { session } of (await person.sessions({ limit: 1000 })).sessions) await wait?.use({ session }, context);
}
