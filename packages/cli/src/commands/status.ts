import type { SessionView } from "@fairlead/api";
import type { Command } from "commander";
import { daemonAt } from "../daemon/daemon-at.ts";
import { daemonPlace } from "../daemon/daemon-place.ts";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { age } from "../render/amounts.ts";
import { cut } from "../render/cut.ts";
import { table } from "../render/table.ts";
import { oneLine } from "../render/tool-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addStatus(program: Command, run: Run): void {
  program
    .command("status")
    .summary("say whether the daemon is up, and what needs you")
    .description("Says whether the daemon is up, what waits for an answer and since when, and what is silent or lost.")
    .option("--json", "one JSON value")
    .addHelpText("after", "\nExample:\n  fairlead status\n\nExit codes: 0 it is up, 1 it is not.")
    .action(({ json = false }: { json?: boolean }) => run((surroundings) => status(surroundings, json)));
}

/** Looks, and starts nothing. */
async function status(surroundings: Surroundings, json: boolean): Promise<number> {
  const { screen, home } = surroundings;
  const account = await daemonAt(daemonPlace(home));
  if (account === null) {
    if (json) screen.json({ daemon: null });
    else screen.line("Fairlead is down; any command that needs it starts it.");
    return exitCodes.failed;
  }
  await using fairlead = await openFairlead(surroundings);
  const [health, sessions] = await Promise.all([fairlead.health(), fairlead.sessions()]);
  const needy = sessions.filter(needsSomebody);
  if (json) {
    const { listen, url } = account;
    screen.json({ daemon: { ...health, listen, url }, sessions: needy });
    return exitCodes.done;
  }
  const now = Date.now();
  const { pid, version, startedAt, sessions: counts } = health;
  const also = account.url === null ? "" : ` · ${account.url}`;
  screen.line(`Fairlead ${version} · up for ${age(now - Date.parse(startedAt))} · process ${pid}${also}`);
  const words = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
  screen.line(words.length === 0 ? "No session is open." : words.join(", "));
  if (needy.length > 0) screen.line();
  for (const line of table(needy.flatMap((one) => rows(one, now)))) screen.line(cut(line, screen.width));
  return exitCodes.done;
}

function needsSomebody({ state }: SessionView): boolean {
  return ["waiting", "silent", "stuck", "input-closed", "lost"].includes(state);
}

/** Who, what, since when, and what to type. */
function rows(view: SessionView, now: number): string[][] {
  const { session, name, agent, state, since, waitingFor } = view;
  const who = [name ?? session, oneLine(agent)];
  if (state === "waiting" && waitingFor.length > 0) {
    return waitingFor.map(({ title, since: asked }) => [
      ...who,
      `has waited for an answer for ${age(now - Date.parse(asked))}`,
      oneLine(title),
    ]);
  }
  return [[...who, `${state} for ${age(now - Date.parse(since))}`, advice[state] ?? ""]];
}

const advice: Partial<Record<SessionView["state"], string>> = {
  silent: "the agent says nothing",
  stuck: "the agent says nothing that means anything",
  "input-closed": "the agent hears nothing any more",
  lost: "its keeper is gone; fairlead resume writes down its end and goes on",
};
