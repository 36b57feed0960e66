import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { describe, expect, it, vi } from "vitest";
import { CliForTest } from "../packages/cli/src/cli-for-test.ts";
import { root } from "../scripts/run.ts";

interface Row {
  readonly paths: readonly string[];
  readonly deletable: boolean;
}

const page = readFileSync(join(root, "docs/home.md"), "utf8");
const rows = [...page.matchAll(/^\| (`.+`) \| .+ \| (yes|no).* \|$/gm)].map(([, paths = "", may]): Row => ({
  paths: [...paths.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
  deletable: may === "yes",
}));

/** What comes only with a crash, a long session or a long log, a port, or trust. */
const rare =
  /^sessions\/<id>\/fold\.json$|^daemon\/starting-journal$|^daemon\.log\.1$|^(tokens|trusted)\.json|\.(new|<pid>|sock\.lock)$/;

function fits(pattern: string, path: string): boolean {
  const parts = pattern.split(/<[^>]+>/).map((part) => part.replaceAll(/[.]/g, "\\$&"));
  return new RegExp(`^${parts.join(pattern.includes("<…>") ? ".+" : "[^/]+")}$`).test(path);
}

function filesIn(home: string): string[] {
  const entries = globSync("**", { cwd: home, withFileTypes: true });
  return entries
    .filter((one) => !one.isDirectory())
    .map((one) => join(one.parentPath, one.name).slice(home.length + 1));
}

/** What there is to see of a home's sessions. */
async function story(cli: CliForTest): Promise<unknown> {
  const sessions = await cli.json<SessionView>("ls", "--all");
  return await Promise.all(sessions.map(async ({ session }) => [session, await cli.json("logs", session)]));
}

describe("docs/home.md", { timeout: 120_000 }, () => {
  it("tells of every file of a home, and of none that is not; and what may be deleted is not missed", async () => {
    await using cli = new CliForTest();
    await cli.run(["run", "scripted", "--mode", "full-auto", "say hello"]);
    await cli.run(["run", "scripted", "--detach", "--name", "asking", "say hello"]);
    expect((await cli.run(["wait", "asking", "--for", "waiting"])).code).toBe(0);
    const told = rows.flatMap(({ paths }) => paths);
    // The keeper that waits for the next session is started when there is time.
    await vi.waitFor(
      () => {
        const files = filesIn(cli.home);
        expect(told.filter((pattern) => !rare.test(pattern) && !files.some((file) => fits(pattern, file)))).toEqual([]);
        expect(files.filter((file) => !told.some((pattern) => fits(pattern, file)))).toEqual([]);
      },
      { timeout: 30_000 },
    );

    const before = await story(cli);
    await cli.run(["down"]);
    const deletable = rows.filter((row) => row.deletable).flatMap(({ paths }) => paths);
    const deleted = filesIn(cli.home).filter((file) => deletable.some((pattern) => fits(pattern, file)));
    expect(deleted.length).toBeGreaterThan(4);
    for (const file of deleted) rmSync(join(cli.home, file));
    expect(await story(cli)).toEqual(before);
    expect((await cli.run(["approve", "asking"])).code).toBe(0);
  });

  it("would not fit what is elsewhere", () => {
    expect(fits("sessions/<id>/spool/<number>.spool", "sessions/a/spool/1.spool")).toBe(true);
    expect(fits("sessions/<id>/spool/<number>.spool", "sessions/a/spool/1.spools")).toBe(false);
    expect(fits("sessions/<id>/reserve", "sessions/a/b/reserve")).toBe(false);
    expect(fits("spares/<…>", "spares/1-a/spool/1.spool")).toBe(true);
  });
});
