import type { PolicyRequest } from "@fairlead/contract";
import { LocalFairlead } from "@fairlead/service";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import { TestHome } from "../../measure/test-home.ts";
import type { AskingAgentOptions } from "./asking-agent.ts";

/** How the requests of a session are answered: `rule` by the default policy, `mode` by `full-auto` alone, `deadline` late. */
export type AnsweredBy = "rule" | "mode" | "deadline";

const policies: Readonly<Record<AnsweredBy, PolicyRequest | undefined>> = {
  rule: undefined,
  mode: undefined,
  deadline: { rules: [{ verdict: "ask" }], deadlineSeconds: 1 },
};

/**
 * Measures in a session how many milliseconds an agent waits for each answer: through its keeper, to the service with spool
 * and journal, and back.
 */
export async function measureAnswers(answeredBy: AnsweredBy, options: AskingAgentOptions): Promise<number[]> {
  await using testHome = new TestHome();
  const program = new URL("asking-agent.ts", import.meta.url);
  await using fairlead = await LocalFairlead.open({
    home: testHome.home,
    adapters: [createStandInAdapter(program, options)],
    environment: testHome.environment,
    defaultPolicy: answeredBy !== "mode",
  });
  const policy = policies[answeredBy];
  const { session } = await fairlead.start({
    agent: "scripted",
    workspace: testHome.workspace(),
    mode: "full-auto",
    sandbox: { kind: "none" },
    prompt: "Ask.",
    ...(policy && { policy }),
  });
  const kinds = new Set<string>();
  let times: number[] = [];
  for await (const output of fairlead.events(session, { follow: true })) {
    if (!("body" in output)) continue;
    const { body } = output;
    if (body.type === "decision.resolved") kinds.add(body.by.kind);
    if (body.type === "text.ended") times = JSON.parse(body.text) as number[];
    if (body.type === "turn.ended" || body.type === "session.ended") break;
  }
  await fairlead.stop(session);
  const expected = answeredBy === "rule" ? "policy" : answeredBy;
  if (kinds.size !== 1 || !kinds.has(expected) || times.length !== options.count)
    throw new Error(`${times.length} requests were answered by ${[...kinds].join(", ")}, not by ${expected}.`);
  return times;
}
