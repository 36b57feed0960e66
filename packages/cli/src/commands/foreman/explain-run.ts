import type { Fairlead, RunEvent } from "@fairlead/api";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { runSentences } from "../../render/runs/run-sentences.ts";
import { wrapWords } from "../../render/text-layout.ts";
import type { ForemanCommandOptions } from "./foreman.ts";

/** Explains what each step of a run decided, and what enforced it. */
export async function explainRun(context: CliContext, ref: string, { json }: ForemanCommandOptions): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const { run } = await fairlead.run(ref);
  const sentences = runSentences(await readEvents(fairlead, run));
  const { columns, paint } = screen;
  for (const sentence of sentences) {
    if (json) {
      screen.json(sentence);
      continue;
    }
    const { at, text, enforced, details } = sentence;
    for (const row of wrapWords(text, `${at.slice(0, 19).replace("T", " ")}  `, columns)) screen.line(row);
    for (const detail of details) for (const row of wrapWords(detail, "    - ", columns)) screen.line(row);
    if (enforced !== null) for (const row of wrapWords(enforced, "    ", columns)) screen.line(paint("dim", row));
  }
  return cliExitCodes.success;
}

async function readEvents(fairlead: Pick<Fairlead, "runEvents">, run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await fairlead.runEvents({ run, after: events.at(-1)?.seq ?? 0 });
    events.push(...page.events);
    if (page.events.length === 0) return events;
  }
}
