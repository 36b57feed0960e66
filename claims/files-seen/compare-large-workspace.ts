/** Times comparisons of a workspace with many files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeptIndex } from "../../packages/runtime/src/files/kept-index.ts";
import { findGitSandbox } from "../../packages/runtime/src/review/git-sandbox.ts";
import { PersonRepository } from "../../packages/testing/src/runtime/person-repository.ts";

export interface ComparisonTimes {
  readonly files: number;
  readonly firstIndexMs: number;
  /** Without a change, and with two. */
  readonly unchangedMs: readonly number[];
  readonly changedMs: readonly number[];
  /** A comparison that rebuilds its index, as without a kept one. */
  readonly rebuiltMs: number;
}

const filesPerFolder = 100;
const runs = 5;

export async function timeComparisons(files: number): Promise<ComparisonTimes> {
  const folder = mkdtempSync(join(tmpdir(), "large-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const workspace = join(folder, "w");
  await createRepository(workspace, files);
  const signal = AbortSignal.timeout(900_000);
  const options = {
    folder: join(folder, "index"),
    workspace,
    excluded: join(folder, "h"),
    sandbox: await findGitSandbox(),
  };
  const created = await time(() => KeptIndex.create(options, Infinity, signal));
  const index = created.result;
  const unchangedMs: number[] = [];
  const changedMs: number[] = [];
  let tree = index.baseline;
  for (let run = 0; run < runs; run += 1) {
    const unchanged = await time(() => index.compare(tree, signal));
    if (unchanged.result.changes.length !== 0) throw new Error("A comparison found changes that nothing made.");
    unchangedMs.push(unchanged.ms);
    writeFileSync(join(workspace, `0/new-${run}`), "new");
    writeFileSync(join(workspace, "0/0"), `run ${run}`);
    const changed = await time(() => index.compare(tree, signal));
    if (changed.result.changes.length !== 2)
      throw new Error(`A comparison found ${changed.result.changes.length} of 2 changes.`);
    tree = changed.result.tree;
    changedMs.push(changed.ms);
  }
  const rebuilt = await time(async () => {
    const fresh = await KeptIndex.create({ ...options, folder: join(folder, "other") }, Infinity, signal);
    return await fresh.compare(fresh.baseline, signal);
  });
  return { files, firstIndexMs: created.ms, unchangedMs, changedMs, rebuiltMs: rebuilt.ms };
}

/** Creates a repository of small files by one stream: a process for each file would take hours. */
async function createRepository(workspace: string, files: number): Promise<void> {
  mkdirSync(workspace);
  const repository = new PersonRepository(workspace, {});
  const child = spawn("git", ["fast-import", "--quiet"], { cwd: workspace, stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.write("commit refs/heads/main\ncommitter P <p@example.com> 0 +0000\ndata 1\nx\n");
  for (let file = 0; file < files; file += 1) {
    const content = `file ${file}`;
    const line = `M 100644 inline ${Math.floor(file / filesPerFolder)}/${file % filesPerFolder}\ndata ${content.length}\n${content}\n`;
    if (!child.stdin.write(line)) await once(child.stdin, "drain");
  }
  child.stdin.end();
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`);
  repository.git("reset", "--quiet", "--hard", "main");
}

async function time<Result>(action: () => Promise<Result>): Promise<{ readonly result: Result; readonly ms: number }> {
  const start = performance.now();
  const result = await action();
  return { result, ms: Math.round(performance.now() - start) };
}
