import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, runQuietly } from "../scripts/run.ts";

const page = readFileSync(join(root, "docs/extend/adapter-guide.md"), "utf8");

/** The files that the page tells its reader to create: each block after a paragraph with "Create `name`". */
const files = new Map(
  page.split(/^```/m).flatMap((block, index, parts) => {
    const name = /Create\s+`([^`]+)`/.exec(parts[index - 1]?.split("\n\n").at(-2) ?? "")?.[1];
    return name === undefined || index % 2 === 0 ? [] : [[name, block.slice(block.indexOf("\n") + 1)] as const];
  }),
);

/** The outputs that the page shows, as lines, without the ends and the line numbers that it leaves out. */
const shownOutputs = [...page.matchAll(/^```text\n([^]*?)^```/gm)].map(([, text = ""]) =>
  text
    .split("\n")
    .map((line) => line.split(" …")[0] ?? "")
    .filter((line) => line.trim() !== "" && !line.startsWith("AssertionError")),
);

/** A folder with the files of the page, which finds the packages of this repository. */
class GuideFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "fl-guide-"));
  /** Not in the workspace: an agent in a sandbox gets no workspace that contains the home. */
  readonly #home = mkdtempSync(join(tmpdir(), "fl-guide-home-"));

  constructor() {
    for (const [name, text] of files) this.write(name, text);
    this.write("package.json", `{ "type": "module" }`);
    this.write("tsconfig.json", JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["*.ts"] }));
    chmodSync(join(this.path, "nib"), 0o755);
    symlinkSync(join(root, "node_modules"), join(this.path, "node_modules"));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Runs a command and returns its exit code and its output without colors. */
  async run(program: string, ...args: string[]): ReturnType<typeof runQuietly> {
    const path = [this.path, join(root, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]];
    const env = { HOME: this.#home, NO_COLOR: "1", PATH: path.join(delimiter) };
    return await runQuietly(program, args, { cwd: this.path, env });
  }

  [Symbol.dispose](): void {
    for (const folder of [this.path, this.#home]) rmSync(folder, { recursive: true, force: true });
  }
}

describe("docs/extend/adapter-guide.md", { timeout: 120_000 }, () => {
  let folder: GuideFolder;
  beforeAll(() => void (folder = new GuideFolder()));
  afterAll(() => folder[Symbol.dispose]());

  test("has every file that its reader needs", () => {
    const names = ["nib", "wire.ts", "dialect.ts", "adapter.ts", "bench.ts", "adapter.test.ts", "run.ts"];
    expect([...files.keys()]).toEqual(names);
    expect(shownOutputs).toHaveLength(3);
  });

  test("without the capability `tools`, the judge prints what the page shows", async () => {
    const adapter = files.get("adapter.ts") ?? "";
    folder.write("adapter.ts", adapter.replace(`"tools", `, ""));
    const { code, output } = await folder.run("vitest", "run");
    folder.write("adapter.ts", adapter);
    expect(
      shownOutputs[0]?.filter((line) => !output.includes(line)),
      output,
    ).toEqual([]);
    expect(code).toBe(1);
  });

  test("as it is, the agent keeps every clause, is recorded, and keeps every clause on its recordings", async () => {
    expect(await folder.run("vitest", "run", "--update")).toMatchObject({ code: 0 });
    expect(existsSync(join(folder.path, "fixtures/plain-turn.spool.jsonl"))).toBe(true);
    const { code, output } = await folder.run("vitest", "run");
    expect(
      shownOutputs[1]?.filter((line) => !output.includes(line)),
      output,
    ).toEqual([]);
    expect(code).toBe(0);
  });

  test("the last program prints what the page shows", async () => {
    const { code, output } = await folder.run("node", "run.ts");
    expect(output.trim().split("\n")).toEqual(shownOutputs[2]);
    expect(code).toBe(0);
  });
});
