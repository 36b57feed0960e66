import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { describe, expect, it, vi } from "vitest";
import { TestCli } from "../packages/testing/src/cli/test-cli.ts";
import { root } from "../scripts/run.ts";

interface FileRow {
  readonly paths: readonly string[];
  readonly deletable: boolean;
}

const page = readFileSync(join(root, "docs/internals/data-directory.md"), "utf8");
const rows = [...page.matchAll(/^\| (`.+`) \| .+ \| (yes|no).* \|$/gm)].map(
  ([, paths = "", mayBeDeleted]): FileRow => ({
    paths: [...paths.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    deletable: mayBeDeleted === "yes",
  }),
);

/**
 * Files that appear only in isolated sessions, with repositories, with runs, after a crash, while a session starts or its start is removed, in a long session, after a compaction, after damage, with a long log, with access tokens, with trusted files or on a host of a fleet.
 */
const rareFiles =
  /^sessions\/<id>\/(snapshot\.json|outline\.json|ended\.json|spool\/ids|archive\/.+)$|^starts\/<id>$|^discarded\/|^copies\/|^workspaces\/|^snapshots\/|^foreman\/|^objects\/|^host-id$|^daemon\/starting-journal$|^daemon\.log\.1$|^(?:config|policy)\.yaml$|^(tokens|trusted)\.json|\.(new|<pid>|sock\.lock)$/;

function matchesPattern(pattern: string, path: string): boolean {
  const parts = pattern.split(/<[^>]+>/).map((part) => part.replaceAll(/[.]/g, "\\$&"));
  return new RegExp(`^${parts.join(pattern.includes("<…>") ? ".+" : "[^/]+")}$`).test(path);
}

function listFiles(home: string): string[] {
  const entries = globSync("**", { cwd: home, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
}

/** Reads all sessions of a home with their events. */
async function readSessions(cli: TestCli): Promise<unknown> {
  const sessions = await cli.json<SessionView>("ls", "--all");
  return await Promise.all(sessions.map(async ({ session }) => [session, await cli.json("logs", session)]));
}

describe("docs/internals/data-directory.md", { timeout: 120_000 }, () => {
  it("lists exactly the files of a home, and sessions survive the deletion of every deletable file", async () => {
    await using cli = new TestCli();
    await cli.run(["run", "scripted", "--mode", "full-auto", "say hello"]);
    await cli.run(["run", "shell", "--set", "env.TOKEN=secret-text", "true"]);
    await cli.run(["run", "scripted", "--detach", "--name", "asking", "say hello"]);
    expect((await cli.run(["wait", "asking", "--for", "waiting"])).code).toBe(0);
    const patterns = rows.flatMap(({ paths }) => paths);
    // The daemon starts the spare keeper later, when it is idle.
    await vi.waitFor(
      () => {
        const files = listFiles(cli.home);
        expect(
          patterns.filter(
            (pattern) => !rareFiles.test(pattern) && !files.some((file) => matchesPattern(pattern, file)),
          ),
        ).toEqual([]);
        expect(files.filter((file) => !patterns.some((pattern) => matchesPattern(pattern, file)))).toEqual([]);
      },
      { timeout: 30_000 },
    );

    const before = await readSessions(cli);
    await cli.run(["down"]);
    const deletable = rows.filter((row) => row.deletable).flatMap(({ paths }) => paths);
    const deleted = listFiles(cli.home).filter((file) => deletable.some((pattern) => matchesPattern(pattern, file)));
    expect(deleted.length).toBeGreaterThan(4);
    for (const file of deleted) rmSync(join(cli.home, file));
    expect(await readSessions(cli)).toEqual(before);
    expect((await cli.run(["approve", "asking"])).code).toBe(0);
  });

  it("matches a path only with its own pattern", () => {
    expect(matchesPattern("sessions/<id>/spool/<number>.spool", "sessions/a/spool/1.spool")).toBe(true);
    expect(matchesPattern("sessions/<id>/spool/<number>.spool", "sessions/a/spool/1.spools")).toBe(false);
    expect(matchesPattern("sessions/<id>/reserve", "sessions/a/b/reserve")).toBe(false);
    expect(matchesPattern("spares/<…>", "spares/1-a/spool/1.spool")).toBe(true);
  });
});
