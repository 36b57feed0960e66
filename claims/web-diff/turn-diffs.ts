import { mkdirSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Diff, type Fairlead } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { PersonRepository } from "../../packages/testing/src/runtime/person-repository.ts";
import { chooseEdits } from "./folder-edits.ts";
import { TreeRecord } from "./tree-record.ts";

export interface TurnDiffs {
  readonly turns: number;
  /** Turns whose patch is not that of git, in words. */
  readonly wrong: readonly string[];
  /** In how many turns the state of the folder before the turn differs from that after the turn before it. */
  readonly edited: number;
  /** How many turns a patch from the end of one turn to the end of the next would show wrongly. */
  readonly wrongWithoutStart: number;
  readonly emptyTurns: number;
}

interface Turn {
  readonly before: string;
  readonly after: string;
}

export interface TurnDiffsOptions {
  readonly fairlead: Fairlead;
  /** Where the page asks, and with which token. */
  readonly page: { readonly url: string; readonly token: string };
  readonly folder: string;
  readonly turns: number;
  readonly random: SeededRandom;
}

/**
 * Lets an agent change files in turns, and a person between them: right after a turn ends, and right before the next one is
 * sent. Compares what the page gets of each turn with git's patch between the states before and after it: at once, and again
 * after all turns.
 */
export async function compareTurnDiffs(options: TurnDiffsOptions): Promise<TurnDiffs> {
  const { fairlead, page, folder, turns, random } = options;
  mkdirSync(folder, { recursive: true });
  const repository = new PersonRepository(folder, {
    ".gitignore": "ignored/\n",
    "agent/a.txt": "a\n",
    "person/a.txt": "a\n",
  });
  using scratch = mkdtempDisposableSync(join(tmpdir(), "trees-"));
  const record = new TreeRecord(folder, scratch.path);
  const { session } = await fairlead.start({ agent: "scripted", workspace: folder, mode: "full-auto" });
  // As the page does when it shows the session. It returns after the first comparison.
  await fairlead.files(session);
  const read = async (turn: number): Promise<string> => {
    const headers = { authorization: `Bearer ${page.token}` };
    const answer = await fetch(`${page.url}/v1/sessions/${session}/diff?turn=${turn}`, { headers });
    if (!answer.ok) return `${answer.status} ${await answer.text()}`;
    return Diff.parse(await answer.json()).patch;
  };
  const edit = (owner: string, round: number): void => {
    for (const { apply } of chooseEdits(random, owner, round)) apply(folder);
  };
  const done: Turn[] = [];
  const wrong: string[] = [];
  const check = (number: number, patch: string, when: string): void => {
    const { before, after } = done[number - 1] as Turn;
    const expected = record.diff(before, after);
    if (patch !== expected) wrong.push(`turn ${number} ${when}: ${describeDifference(expected, patch)}`);
  };
  for (let number = 1; number <= turns; number++) {
    edit("person", number * 2);
    if (random.nextBelow(10) === 0) repository.commit({ [`person/commit-${number}.txt`]: "committed\n" });
    const before = record.record();
    await runTurn(fairlead, session, random, number);
    const after = record.record();
    done.push({ before, after });
    edit("person", number * 2 + 1);
    if (number % 2 === 0) check(number, await read(number), "at once");
    else await wait(random.nextBelow(1000));
  }
  for (let number = 1; number <= turns; number++) check(number, await read(number), "at the end");
  return {
    turns,
    wrong,
    edited: done.filter(({ before }, at) => at > 0 && before !== done[at - 1]?.after).length,
    wrongWithoutStart: done.filter(
      ({ before, after }, at) => at > 0 && record.diff(done[at - 1]?.after ?? "", after) !== record.diff(before, after),
    ).length,
    emptyTurns: done.filter(({ before, after }) => before === after).length,
  };
}

/** Sends a message whose agent begins after the time that a fast model takes, and waits until the turn has ended. */
async function runTurn(fairlead: Fairlead, session: string, random: SeededRandom, number: number): Promise<void> {
  const commands = random.nextBelow(8) === 0 ? [] : chooseEdits(random, "agent", number).map(({ command }) => command);
  const steps = commands.map((command, at) => ({
    delay: at === 0 ? random.nextBelow(300) : 0,
    tools: [{ name: "run", input: { command } }],
  }));
  const { last } = await fairlead.session(session);
  await fairlead.send(session, withScript(`Turn ${number}.`, [...steps, { text: "Over." }]));
  for await (const one of fairlead.events(session, { after: last, follow: true }))
    if ("body" in one && one.body.type === "turn.ended") return;
}

const filesOf = (patch: string): string[] => patch.match(/^(?:diff --git .*|\d{3} .*)$/gm) ?? [];

function describeDifference(expected: string, shown: string): string {
  const [wanted, found] = [filesOf(expected), filesOf(shown)];
  const missing = wanted.filter((file) => !found.includes(file));
  const added = found.filter((file) => !wanted.includes(file));
  return `missing ${JSON.stringify(missing)}, added ${JSON.stringify(added)}, of ${wanted.length}`;
}
