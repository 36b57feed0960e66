import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Fairlead, Plan } from "@fairlead/api";
import { FairleadError, startTimer, type Event } from "@fairlead/contract";
import type { CliContext } from "../../cli-context.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { UsageError } from "../../usage-error.ts";
import type { ForemanCommandOptions } from "./foreman.ts";

const defaultFile = "foreman.yaml";
/** Milliseconds until a person hears of a request that nothing else has answered. */
const warnDelay = 3000;
/** The agent only reads, and calls one tool. Its sandbox, not its word, keeps it from changing files. */
const readOnly = { kind: "bwrap", workspace: "read", network: "gate" } as const;

/** Lets an agent propose a plan, and writes it to a file for a person to edit. */
export async function writePlan(
  context: CliContext,
  goal: string,
  { agent, output = defaultFile, workspace, json }: ForemanCommandOptions,
): Promise<number> {
  const { screen } = context;
  const { findSubmittedPlan, formatPlan, submitPlanName } = await import("@fairlead/foreman");
  await using fairlead = await openFairlead(context);
  const { session } = await fairlead.start({
    ...(agent !== undefined && { agent }),
    workspace: resolveFolder(context, workspace),
    mode: "full-auto",
    sandbox: readOnly,
    tools: [submitPlanName],
    prompt: planPrompt(goal),
  });
  if (!json) screen.printHint(`Session ${session} makes the plan. Follow it with: fairlead logs -f ${session}`);
  const events: Event[] = [];
  await readTurn(context, fairlead, session, events);
  let plan = findSubmittedPlan(events);
  if (plan === null) {
    await fairlead.send(session, reminder);
    await readTurn(context, fairlead, session, events);
    plan = findSubmittedPlan(events);
  }
  if (plan === null) {
    const message = `The agent has not submitted a plan. Read what it said with: fairlead logs ${session}`;
    throw new FairleadError("unavailable", message);
  }
  await fairlead.stop(session);
  savePlan(context, plan, formatPlan(plan), output, json === true);
  return cliExitCodes.success;
}

function savePlan({ screen, folder }: CliContext, plan: Plan, text: string, output: string, json: boolean): void {
  if (output === "-") return json ? screen.json(plan) : screen.show([{ to: "out", text }]);
  const path = resolve(folder, output);
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    // The plan has cost money: it is printed rather than lost.
    screen.show([{ to: "out", text }]);
    const problem = (error as NodeJS.ErrnoException).code === "EEXIST" ? "exists already" : "cannot be written";
    throw new UsageError(`The file ${path} ${problem}. The plan was printed instead.`, null, { cause: error });
  }
  if (json) screen.json({ file: path, plan });
  else screen.message(`Wrote ${path}. Read and edit it, then check it with: fairlead foreman check ${output}`);
}

/** Collects the events of a session until the end of a turn. Says it if a person has to answer something. */
async function readTurn({ screen }: CliContext, fairlead: Fairlead, session: string, events: Event[]): Promise<void> {
  const message = `The agent waits for an answer. Read what it asks with: fairlead approve ${session} --show`;
  const open = new Map<string, Disposable>();
  using _ = { [Symbol.dispose]: () => open.forEach((timer) => timer[Symbol.dispose]()) };
  for await (const event of fairlead.events(session, { follow: true, after: events.at(-1)?.sequence ?? 0 })) {
    if (!("body" in event)) continue;
    events.push(event);
    const { body } = event;
    // The mode answers most requests at once.
    if (body.type === "decision.requested")
      open.set(
        body.decision,
        startTimer(warnDelay, () => screen.warn(message)),
      );
    if (body.type === "decision.resolved") open.get(body.decision)?.[Symbol.dispose]();
    if (body.type === "turn.ended") return;
    if (body.type === "session.ended")
      throw new FairleadError("session-ended", `The session ended. Read why with: fairlead logs ${session}`);
  }
}

function planPrompt(goal: string): string {
  return `Plan the work on this repository for the goal below. Do not do the work, and change no file.

Read as much of the repository as you need. Then call the tool submit_plan once, with:
- tasks that other agents can do without asking anyone. Each brief says what to do, in which files, and how to see that it is done. Tasks that do not need each other's work run at the same time, each in a clone of its own, so let them change different files. A task that needs the work of another one names it in \`after\`.
- acceptance commands that exit with 0 if, and only if, the goal is reached. They run without a network.
- setup commands that a fresh checkout needs before that.
- constraints that every agent must obey.

Goal:
${goal}`;
}

const reminder =
  "You have not called submit_plan, so there is no plan yet. Call the tool now. What you write in your answer is not read.";
