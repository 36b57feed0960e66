import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { runSentences } from "../../render/runs/run-sentences.ts";
import { truncateLine, wrapWords } from "../../render/text-layout.ts";
import type { ForemanCommandOptions } from "./foreman.ts";
import { readRunEvents } from "./read-run-events.ts";

/** Explains what each step of a run decided, and what enforced it. */
export async function explainRun(context: CliContext, ref: string, { json }: ForemanCommandOptions): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const { run } = await fairlead.run(ref);
  const sentences = runSentences(await readRunEvents(fairlead, run));
  const { columns, paint } = screen;
  for (const sentence of sentences) {
    if (json) {
      screen.json(sentence);
      continue;
    }
    const { at, text, enforced, details, output } = sentence;
    for (const row of wrapWords(text, `${at.slice(0, 19).replace("T", " ")}  `, columns)) screen.line(row);
    for (const detail of details) for (const row of wrapWords(detail, "    - ", columns)) screen.line(row);
    for (const line of output) screen.line(truncateLine(`      ${line}`, screen.width));
    if (enforced !== null) for (const row of wrapWords(enforced, "    ", columns)) screen.line(paint("dim", row));
  }
  return cliExitCodes.success;
}
