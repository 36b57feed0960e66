/** Lets two real agents change the same line, and prints what happened as JSON: `node join-conflict.ts`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bodiesOf, RealForeman, writeCommand } from "../foreman/real-foreman.ts";

export interface JoinedConflict {
  readonly builder: string;
  readonly outcome: string | null;
  readonly reason: string;
  readonly conflicts: readonly string[];
  /** Whether the conflict went to a session that made neither side. */
  readonly isThirdSession: boolean;
  /** Whether the clones of both authors are as they left them. */
  readonly areClonesUntouched: boolean;
  readonly isAccepted: boolean;
  readonly content: string;
}

async function joinConflict(builder: string, reviewer: string): Promise<JoinedConflict> {
  await using foreman = await RealForeman.open([builder, reviewer]);
  const review = { "zz-review.txt": foreman.review(reviewer, "approve") };
  const resolve = foreman.commands(
    builder,
    writeCommand({ "a.txt": "left and right", "yy.txt": "resolved", ...review }),
  );
  const run = await foreman.start({
    builder: { agent: builder, mode: "full-auto", settings: foreman.settingsOf(builder) },
    reviewer: { agent: reviewer, settings: foreman.settingsOf(reviewer) },
    tasks: [
      { id: "left", brief: foreman.commands(builder, writeCommand({ "a.txt": "left" })) },
      // The agent that resolves the conflict finds its script in the patch of this side.
      { id: "right", brief: foreman.commands(builder, writeCommand({ "a.txt": "right", "yy.txt": resolve })) },
    ],
    acceptance: ["! grep -q '<<<<' a.txt"],
  });
  await foreman.approve(run);
  const { view, events } = await foreman.finish(run);
  const authors = bodiesOf(events, "task.started");
  const [joiner] = bodiesOf(events, "join.started");
  const read = (session: string): string =>
    readFileSync(join(foreman.home.copyFolder(session), "project", "a.txt"), "utf8");
  const joined = bodiesOf(events, "work.joined").at(-1);
  return {
    builder,
    outcome: view.outcome,
    reason: view.reason,
    conflicts: joiner?.conflicts ?? [],
    isThirdSession: joiner !== undefined && !authors.some(({ session }) => session === joiner.session),
    areClonesUntouched: authors.every(({ session, task }) => read(session) === `${task}\n`),
    isAccepted: bodiesOf(events, "acceptance.ended").some(({ tree, passed }) => tree === joined?.tree && passed),
    content: view.outcome === "done" ? foreman.remoteGit("show", `fairlead/${run}:a.txt`) : "",
  };
}

if (import.meta.main) {
  console.log(JSON.stringify(await joinConflict("claude-code", "codex")));
  console.log(JSON.stringify(await joinConflict("codex", "claude-code")));
}
