import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { ScenarioRun } from "../scenario-run.ts";
import type { Scenario } from "../scenario.ts";
import { assertAction } from "./actions.ts";
import { allowAll } from "./allow-all.ts";

/** Lists the event types of one call, in order. */
function eventTypesOfCall(run: ScenarioRun, call: string): string[] {
  return run.events
    .map(({ body }) => body)
    .flatMap((body) => ("call" in body && body.call === call ? [body.type] : []));
}

export const fileWritten: Scenario = {
  name: "file written by a tool",
  needs: [],
  clauses: ["tool:fields", "tool:order", "session:workspace", "action:edit"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ actions: [{ write: { path: "note.txt", content: "written\n" } }] }, { text: "Done." });
    await allowAll(run);
    await verify("session:workspace", () => {
      assert.equal(readFileSync(join(run.workspace, "note.txt"), "utf8").trimEnd(), "written");
    });
    if (!run.declares("tools")) return;
    const requested = await run.waitForEvent("tool.requested");
    await verify("tool:fields", () => {
      const ended = run.eventsOfType("tool.ended")[0];
      assert.ok(requested.name !== "" && requested.call !== "");
      assert.match(JSON.stringify(requested.input), /note\.txt/);
      assert.deepEqual([ended?.call, ended?.name, ended?.ok], [requested.call, requested.name, true]);
      assert.equal(typeof ended?.output, "string");
    });
    await verify("action:edit", () => {
      const { paths } = assertAction(run, "edit");
      assert.deepEqual(
        paths?.map((path) => realpathSync(resolve(run.workspace, path))),
        [realpathSync(join(run.workspace, "note.txt"))],
      );
    });
    await verify("tool:order", () => {
      const eventTypes = eventTypesOfCall(run, requested.call).filter((type) => type.startsWith("tool."));
      assert.deepEqual(eventTypes, ["tool.requested", "tool.started", "tool.ended"]);
    });
  },
};

export const fileReported: Scenario = {
  name: "file reported",
  needs: ["file-events"],
  clauses: ["file:changed"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ actions: [{ write: { path: "note.txt", content: "written\n" } }] }, { text: "Done." });
    await allowAll(run);
    await verify("file:changed", () => {
      const changed = run.eventsOfType("file.changed")[0];
      assert.equal(
        realpathSync(resolve(run.workspace, changed?.path ?? "")),
        realpathSync(join(run.workspace, "note.txt")),
      );
      assert.equal(changed?.change, "created");
    });
  },
};

export const existingFilesChanged: Scenario = {
  name: "existing files modified and deleted",
  needs: ["file-events"],
  clauses: ["file:changed"],
  async execute(run, verify) {
    const { bench, workspace } = run;
    const [kept, gone] = ["kept.txt", "gone.txt"] as const;
    for (const name of [kept, gone]) writeFileSync(join(workspace, name), "before\n");
    const prompts = [
      { edit: { path: kept, before: "before\n", after: "after\n" } } as const,
      { delete: gone } as const,
    ].flatMap((change) => bench.buildFileChangePrompt?.(change, workspace) ?? []);
    await run.start();
    for (const [index, prompt] of prompts.entries()) {
      await run.session.send(prompt);
      await allowAll(run, index + 1);
    }
    if (prompts.length === 0) return;
    await verify("file:changed", () => {
      assert.equal(readFileSync(join(workspace, kept), "utf8").trimEnd(), "after");
      const changes = run.eventsOfType("file.changed").map(({ path, change }) => {
        const name = basename(path);
        assert.equal(join(realpathSync(dirname(resolve(workspace, path))), name), join(realpathSync(workspace), name));
        return `${change} ${name}`;
      });
      const isDeleted = prompts.length > 1;
      assert.equal(existsSync(join(workspace, gone)), !isDeleted);
      assert.deepEqual(changes, [`modified ${kept}`, ...(isDeleted ? [`deleted ${gone}`] : [])]);
    });
  },
};

export const toolFails: Scenario = {
  name: "failing tool",
  needs: ["tools"],
  clauses: ["tool:failure"],
  async execute(run, verify) {
    await run.start();
    await run.runSteps({ actions: [{ run: "echo what went wrong; exit 3" }] }, { text: "It failed." });
    await allowAll(run);
    await verify("tool:failure", () => {
      const ended = run.eventsOfType("tool.ended")[0];
      assert.equal(ended?.ok, false);
      assert.equal(ended?.reason, "failed");
      assert.match(ended?.output ?? "", /what went wrong/);
    });
  },
};

/** An agent's own sandbox must also work inside ours, in a new conversation and in a resumed one. */
export const commandInAgentSandbox: Scenario = {
  name: "command in the agent's own sandbox",
  needs: ["tools"],
  clauses: ["tool:fields"],
  async execute(run, verify) {
    const prompt = run.bench.buildSandboxedCommandPrompt?.("echo inside");
    if (prompt === undefined) return;
    await run.start();
    await run.session.send(prompt);
    await run.waitForEvent("turn.ended");
    if (run.declares("resume")) {
      await run.session.pause();
      await run.waitForEvent("session.paused");
      await run.resume();
      await run.session.send(prompt);
      await run.waitForEvent("turn.ended", 2);
    }
    await verify("tool:fields", () => {
      assert.deepEqual(run.eventsOfType("decision.requested"), []);
      const results = run.eventsOfType("tool.ended").map(({ ok, output }) => [ok, /^inside$/m.test(output)]);
      assert.deepEqual(
        results,
        run.declares("resume")
          ? [
              [true, true],
              [true, true],
            ]
          : [[true, true]],
      );
    });
  },
};

export const parallelTools: Scenario = {
  name: "parallel tools",
  needs: ["parallel-tools"],
  clauses: ["tool:parallel"],
  async execute(run, verify) {
    await run.start();
    const actions = ["one", "two", "three"].map((name) => ({ write: { path: `${name}.txt`, content: name } }));
    await run.runSteps({ actions }, { text: "Done." });
    await allowAll(run);
    await verify("tool:parallel", () => {
      const calls = run.eventsOfType("tool.requested").map((requested) => requested.call);
      assert.equal(new Set(calls).size, 3);
      for (const call of calls) {
        const eventTypes = eventTypesOfCall(run, call).filter((type) => type.startsWith("tool."));
        assert.deepEqual(eventTypes, ["tool.requested", "tool.started", "tool.ended"]);
      }
      const order = run.events.map(({ body }) => body.type);
      assert.ok(
        order.lastIndexOf("tool.requested") < order.indexOf("tool.ended"),
        "the calls were not open at the same time",
      );
      for (const { write } of actions) assert.ok(existsSync(join(run.workspace, write.path)));
    });
  },
};
