import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Runtime } from "@fairlead/runtime";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { readSize } from "../daemon/size.ts";
import { compareFolders, listFolder } from "./folder-listing.ts";

const sessions = readSize("sessions", 100);

export const noTraces: Claim = {
  id: "no-traces",
  statement: "A sandbox leaves nothing in a workspace, a home or a repository that the agent did not write.",
  bound: `${sessions} sessions, half of them ended by kill -9 of the keeper: 0 traces; control: a mount over a path that does not exist is detected`,
  async prove() {
    await using testHome = new TestHome({ ...process.env, HOME: undefined });
    const home = testHome.workspace("home");
    // Some of the paths that are hidden exist, others do not.
    for (const folder of [".ssh", ".config/gh"]) mkdirSync(join(home, folder), { recursive: true });
    for (const file of [".netrc", ".gitconfig", ".ssh/id"]) writeFileSync(join(home, file), "");
    const homeBefore = listFolder(home);
    const runtime = await testHome.open(undefined, { HOME: home });
    let ended = 0;
    const traces = await mapConcurrently(4, Array.from({ length: sessions }), async (_, at) => {
      const isKilled = at % 2 === 1;
      const workspace = createRepository(testHome.workspace(`w${at}`));
      const before = listFolder(workspace);
      await runSession(runtime, testHome, workspace, isKilled);
      ended += 1;
      const status = execFileSync("git", ["-C", workspace, "status", "--porcelain"], { encoding: "utf8" });
      const lines = status.split("\n").filter((line) => line !== "" && line !== "?? written");
      return [...compareFolders(before, listFolder(workspace)).filter((path) => path !== "written"), ...lines];
    });
    await runtime[Symbol.asyncDispose]();
    const found = [...traces.flat(), ...compareFolders(homeBefore, listFolder(home))];
    const control = mountOverAbsentPath(testHome.workspace("control"));
    return {
      measured:
        `${ended} sessions, ${Math.floor(sessions / 2)} of them ended by kill -9 of the keeper: ${found.length} traces` +
        `${found.length === 0 ? "" : ` (${found.slice(0, 5).join(", ")})`}; control: a mount over an absent path leaves ${control.join(", ") || "nothing"}`,
      holds: ended === sessions && found.length === 0 && control.length > 0,
    };
  },
};

function createRepository(workspace: string): string {
  execFileSync("git", ["init", "--quiet", workspace]);
  writeFileSync(join(workspace, ".mcp.json"), "{}\n");
  execFileSync("git", ["-C", workspace, "add", "."]);
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  execFileSync("git", ["-C", workspace, ...identity, "commit", "--quiet", "--message", "first"]);
  return workspace;
}

/** Runs a command that writes one file, and ends its session in the middle of the command. */
async function runSession(runtime: Runtime, testHome: TestHome, workspace: string, isKilled: boolean): Promise<void> {
  const session = await runtime.start({ agent: "shell", workspace, sandbox: { kind: "bwrap", network: "none" } });
  await session.send("touch written; sleep 60");
  while (!existsSync(join(workspace, "written"))) await wait(10);
  const keeper = testHome.findKeeper(session.id);
  if (isKilled && keeper !== null) process.kill(keeper.pid, "SIGKILL");
  else await session.end();
  for await (const item of session.stream(0)) if ("body" in item && item.body.type === "session.ended") break;
}

/** What bubblewrap does with a mount point that does not exist: it creates it. */
function mountOverAbsentPath(folder: string): string[] {
  const before = listFolder(folder);
  const absent = join(folder, ".absent");
  execFileSync("bwrap", ["--bind", "/", "/", "--tmpfs", absent, "true"]);
  return compareFolders(before, listFolder(folder));
}
