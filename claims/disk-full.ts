import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { adapters } from "@fairlead/adapters";
import { lawful, type Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { Home, Runtime } from "@fairlead/runtime";
import type { Claim } from "./claim.ts";

const lines = 60_000;
const rate = 8000;

/** A small disk of its own, with everything on it that a home holds: the journal, and the spool. */
class SmallDisk implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "df-"));
  readonly #filler = join(this.folder, "filler");

  constructor(megabytes: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", this.folder]);
  }

  /** Leaves no room at all. */
  fill(): void {
    const file = openSync(this.#filler, "w");
    try {
      for (const piece = Buffer.alloc(4096); ;) writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      fsyncSync(file);
      closeSync(file);
    }
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  makeRoom(): void {
    rmSync(this.#filler);
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["-l", this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const diskFull: Claim = {
  id: "disk-full",
  says: "When the disk is full, the agent waits; when there is room again, it goes on, and nothing was lost.",
  bound: "three times full, each time at a standstill; 0 lost, 0 doubled, 0 reordered",
  async prove() {
    using disk = new SmallDisk(96);
    const workspace = join(disk.folder, "w");
    mkdirSync(workspace);
    const environment = { ...process.env, XDG_STATE_HOME: disk.folder };
    await using runtime = await Runtime.open({ home: new Home(join(disk.folder, "h")), adapters, environment });
    const session = await runtime.start({ adapter: "scripted", workspace });
    const seen: Event[] = [];
    const watching = (async () => {
      for await (const one of session.stream()) {
        if ("body" in one) seen.push(one);
        if ("body" in one && one.body.type === "turn.ended") return;
      }
    })();
    await session.send(withScript("Go.", [{ flood: { lines, rate } }]));
    let standstills = 0;
    for (const at of [5000, 20_000, 40_000]) {
      while (seen.length < at) await wait(5);
      disk.fill();
      await wait(700); // what is on its way arrives, and is shown
      const before = seen.length;
      await wait(1000);
      if (seen.length === before && disk.free === 0) standstills += 1;
      disk.makeRoom();
    }
    await watching;
    const said = seen.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
    const wrong = said.filter((text, at) => text !== `line ${at + 1}`).length;
    await session.end();
    for await (const one of session.stream(session.last - 1))
      if ("body" in one && one.body.type === "session.ended") break;
    const stored = await Array.fromAsync(runtime.events(session.id, 0));
    const kept = seen.every((event, at) => stored[at]?.id === event.id);
    return {
      measured: `${standstills} standstills; ${said.length} of ${lines} lines, ${wrong} out of place; all that was shown is stored: ${kept}`,
      holds: standstills === 3 && said.length === lines && wrong === 0 && kept && lawful(stored).length === 0,
    };
  },
};
