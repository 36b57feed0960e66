import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { EventOf } from "@fairlead/contract";
import type { Rehearsal } from "../rehearsal.ts";
import type { Scenario } from "../scenario.ts";

/** Answers every approval with yes until the nth turn is over. */
export async function allowAll(rehearsal: Rehearsal, turn = 1): Promise<EventOf<"turn.ended">> {
  for (let nth = 1; ; nth += 1) {
    const open = (): boolean => rehearsal.all("decision.requested").length >= nth;
    await rehearsal.until(
      () => open() || rehearsal.all("turn.ended").length >= turn,
      "an approval, or the end of the turn",
    );
    const asked = rehearsal.all("decision.requested")[nth - 1];
    if (asked === undefined) return await rehearsal.the("turn.ended", turn);
    await rehearsal.session.answer(asked.decision, { type: "allow" });
  }
}

/** Every event of one call, in order. */
function storyOf(rehearsal: Rehearsal, call: string): string[] {
  return rehearsal.events
    .map(({ body }) => body)
    .flatMap((body) => ("call" in body && body.call === call ? [body.type] : []));
}

export const fileWritten: Scenario = {
  name: "file written by a tool",
  needs: [],
  cites: ["tool:fields", "tool:order", "session:workspace"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    await rehearsal.play({ acts: [{ write: { path: "note.txt", content: "written\n" } }] }, { text: "Done." });
    await allowAll(rehearsal);
    await verifies("session:workspace", () => {
      assert.equal(readFileSync(join(rehearsal.workspace, "note.txt"), "utf8").trimEnd(), "written");
    });
    if (!rehearsal.declares("tools")) return;
    const requested = await rehearsal.the("tool.requested");
    await verifies("tool:fields", () => {
      const ended = rehearsal.all("tool.ended")[0];
      assert.ok(requested.name !== "" && requested.call !== "");
      assert.match(JSON.stringify(requested.input), /note\.txt/);
      assert.deepEqual([ended?.call, ended?.name, ended?.ok], [requested.call, requested.name, true]);
      assert.equal(typeof ended?.output, "string");
    });
    await verifies("tool:order", () => {
      const story = storyOf(rehearsal, requested.call).filter((type) => type.startsWith("tool."));
      assert.deepEqual(story, ["tool.requested", "tool.started", "tool.ended"]);
    });
  },
};

export const fileReported: Scenario = {
  name: "file reported",
  needs: ["file-events"],
  cites: ["file:changed"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    await rehearsal.play({ acts: [{ write: { path: "note.txt", content: "written\n" } }] }, { text: "Done." });
    await allowAll(rehearsal);
    await verifies("file:changed", () => {
      const changed = rehearsal.all("file.changed")[0];
      assert.equal(
        realpathSync(resolve(rehearsal.workspace, changed?.path ?? "")),
        realpathSync(join(rehearsal.workspace, "note.txt")),
      );
      assert.equal(changed?.change, "created");
    });
  },
};

export const toolFails: Scenario = {
  name: "failing tool",
  needs: ["tools"],
  cites: ["tool:failure"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    await rehearsal.play({ acts: [{ run: "echo what went wrong; exit 3" }] }, { text: "It failed." });
    await allowAll(rehearsal);
    await verifies("tool:failure", () => {
      const ended = rehearsal.all("tool.ended")[0];
      assert.equal(ended?.ok, false);
      assert.equal(ended?.reason, "failed");
      assert.match(ended?.output ?? "", /what went wrong/);
    });
  },
};

export const parallelTools: Scenario = {
  name: "parallel tools",
  needs: ["parallel-tools"],
  cites: ["tool:parallel"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    const acts = ["one", "two", "three"].map((name) => ({ write: { path: `${name}.txt`, content: name } }));
    await rehearsal.play({ acts }, { text: "Done." });
    await allowAll(rehearsal);
    await verifies("tool:parallel", () => {
      const calls = rehearsal.all("tool.requested").map((requested) => requested.call);
      assert.equal(new Set(calls).size, 3);
      for (const call of calls) {
        const story = storyOf(rehearsal, call).filter((type) => type.startsWith("tool."));
        assert.deepEqual(story, ["tool.requested", "tool.started", "tool.ended"]);
      }
      const order = rehearsal.events.map(({ body }) => body.type);
      assert.ok(order.lastIndexOf("tool.requested") < order.indexOf("tool.ended"), "they were not open at once");
      for (const { write } of acts) assert.ok(existsSync(join(rehearsal.workspace, write.path)));
    });
  },
};
