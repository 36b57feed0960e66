import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { PermissionMode } from "@fairlead/contract";
import type { TestBench } from "@fairlead/conformance";
import { testBenches } from "@fairlead/lab";
import { Home, Runtime, type Session } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { PersonRepository } from "../packages/testing/src/runtime/person-repository.ts";
import { commitAll } from "../packages/testing/src/runtime/isolated-session.ts";
import { eventsUntil } from "../packages/testing/src/runtime/test-home.ts";

/** Lets the agent run a command in a turn, and returns how the turn and the command ended. */
async function runCommand(bench: TestBench, session: Session, workspace: string, run: string) {
  const after = session.lastSequence;
  await session.send(bench.buildPrompt([{ actions: [{ run }] }, { text: "Done." }], workspace) ?? "");
  const events = await eventsUntil(session, "turn.ended", after);
  const ended = events.flatMap(({ body }) => (body.type === "turn.ended" ? [body.outcome] : []));
  const output = JSON.stringify(events.flatMap(({ body }) => (body.type === "tool.ended" ? [body.output] : [])));
  return { outcome: ended[0], output };
}

/** The mode in which the agent runs commands without a question. In `accept-edits`, codex-exec cannot write `.git`. */
const modes: Readonly<Record<string, PermissionMode>> = {
  "codex-exec": "dangerously-skip-permissions",
  amp: "dangerously-skip-permissions",
  openclaw: "default",
};

const agents = ["claude-code", "codex", "codex-exec", "gemini-cli", "opencode", "openai-api", "amp", "openclaw"];

test.each(agents)(
  "%s commits in an isolated copy, in a sandbox, also after a resume",
  { timeout: 240_000 },
  async (agent) => {
    const folder = mkdtempSync(join(tmpdir(), "iso-"));
    using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
    await using bench = await testBenches[agent]!(join(folder, "s"));
    const { environment, settings = {} } = bench;
    const repository = new PersonRepository(join(folder, "w"), { "a.txt": "one\n" });
    const main = repository.git("rev-parse", "main");
    await using runtime = await Runtime.open({ home: new Home(join(folder, "h")), adapters, environment });
    const start = {
      agent,
      workspace: repository.folder,
      settings,
      mode: modes[agent] ?? "full-auto",
      session: "one",
    } as const;
    const session = await runtime.start({ ...start, isolated: true });
    const { workspace } = await runtime.summary("one");
    expect(workspace).not.toBe(repository.folder);

    const first = await runCommand(bench, session, workspace, `echo two > a.txt; ${commitAll}; git log --format=%s`);
    expect(first, first.output).toMatchObject({ outcome: "completed" });
    expect(await runtime.copies.bring("one"), first.output).toMatchObject({
      commits: 1,
      newCommits: 1,
      uncommitted: [],
    });

    await session.pause();
    await eventsUntil(session, "session.paused");
    const resumed = await runtime.resume("one");
    const second = await runCommand(bench, resumed, workspace, `echo three > b.txt; ${commitAll}`);
    expect(await runtime.copies.bring("one"), second.output).toMatchObject({ commits: 2, newCommits: 1 });
    await resumed.end();
    await resumed.finished;

    expect(repository.git("show", "fairlead/one:b.txt")).toBe("three");
    expect(repository.git("rev-parse", "main")).toBe(main);
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("one\n");
    await runtime.forget("one");
    expect(repository.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/fairlead/one\nrefs/heads/main");
  },
);
