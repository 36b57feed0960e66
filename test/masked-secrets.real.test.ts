import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Event } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { Home, Runtime, type Session } from "@fairlead/runtime";
import { describe, expect, test } from "vitest";

function filesWith(folder: string, text: string): string[] {
  const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
}

async function waitFor(session: Session, type: Event["body"]["type"]): Promise<Event["body"]> {
  for await (const one of session.stream(0)) if ("body" in one && one.body.type === type) return one.body;
  throw new Error(`The session ended without ${type}.`);
}

describe.each(["claude-code", "codex"])("%s", (agent) => {
  test("runs an allowed command with its key, which is in no file", { timeout: 240_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ms-"));
    const workspace = join(folder, "w");
    mkdirSync(workspace);
    await using bench = await testBenches[agent]!(join(folder, "s"));
    const key = Object.entries(bench.environment).find(([name]) => name.endsWith("_API_KEY"))?.[1] ?? "";
    expect(key.length).toBeGreaterThan(8);
    const home = new Home(join(folder, "h"));
    await using runtime = await Runtime.open({ home, adapters, environment: bench.environment });
    const session = await runtime.start({ agent, workspace });
    const command = `printf %s ${key} | tee copy`;
    const prompt = bench.buildPrompt([{ actions: [{ run: command }] }, { text: "Done." }], workspace) ?? "";
    await session.send(prompt);
    const requested = await waitFor(session, "decision.requested");
    if (requested.type !== "decision.requested") throw new Error("unreachable");
    expect(JSON.stringify(requested.input)).toMatch(/X{3,}\w{6}/);
    await session.answer(requested.decision, { type: "allow" });
    await waitFor(session, "turn.ended");
    expect(readFileSync(join(workspace, "copy"), "utf8")).toBe(key);
    await session.end();
    await session.finished;
    expect(filesWith(home.folder, key)).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});
