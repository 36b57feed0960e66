import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun } from "@fairlead/conformance";
import type { Adapter } from "@fairlead/contract";
import { expect, test, vi } from "vitest";
import { openClaudeCodeBench } from "./claude-code.ts";
import { openCodexBench } from "./codex.ts";

/** One agent compacts when it is told to, the other when its context has more tokens than this. */
const agents = [
  { id: "claude-code", open: openClaudeCodeBench, settings: {}, message: "/compact" },
  {
    id: "codex",
    open: openCodexBench,
    settings: { options: { model_auto_compact_token_limit: 50 } },
    message: "Next.",
  },
];

test.each(agents)(
  "$id announces a compaction, and what it forgets is archived",
  async ({ id, open, settings, message }) => {
    const adapter = adapters.find(({ manifest }) => manifest.id === id) as Adapter;
    await using stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "cp-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const bench = stack.use(await open(join(folder, "s")));
    const run = stack.use(await ScenarioRun.open(adapter, bench, folder));
    const { id: session } = await run.start({ settings });
    await run.runSteps({ text: "Mind the marmalade." });
    await run.waitForEvent("turn.ended");
    await run.session.send(message);
    await run.waitUntil(() => run.eventsOfType("turn.ended").length === 2, "the end of the second turn");
    const announcements = run.events.filter(
      ({ body }) => body.type === "status.reported" && body.announces === "compaction",
    );
    const compactions = run.events.filter(({ body }) => body.type === "context.compacted");
    expect([announcements, compactions].map(({ length }) => length)).toEqual([1, 1]);
    const [announced = 0, compacted = 0] = [...announcements, ...compactions].map(({ sequence }) => sequence);
    expect(announced).toBeLessThan(compacted);
    const archive = join(folder, "home", "sessions", session, "archive");
    await vi.waitFor(() => expect(readdirSync(archive)).toEqual([`up-to-${announced}.md`]), 20_000);
    expect(readFileSync(join(archive, `up-to-${announced}.md`), "utf8")).toContain("\n    Mind the marmalade.\n");
  },
);
