/**
 * Checks the example patches of docs/internals/examples: `node scripts/small-steps.ts`. It applies each patch to a copy of
 * the repository, type-checks the copy and counts the files that the patch touches.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root, runQuietly } from "./run.ts";

/** A patch in docs/internals/examples, and the largest number of source files that it may touch. */
export interface ExamplePatch {
  readonly name: string;
  readonly maxSources: number;
  /** The largest number of entries that it may add to packages/adapters/src/index.ts. */
  readonly maxIndexEntries: number;
}

export const examplePatches: readonly ExamplePatch[] = [
  { name: "add-command", maxSources: 6, maxIndexEntries: 0 },
  { name: "add-acp-agent", maxSources: 1, maxIndexEntries: 0 },
  { name: "add-adapter", maxSources: 3, maxIndexEntries: 1 },
];

/** The files of a patch by kind. Only `sources` and `indexEntries` have a limit. */
export interface PatchFiles {
  readonly sources: readonly string[];
  /** The entries added to the list of adapters. Each also needs an import, which is not counted. */
  readonly indexEntries: readonly string[];
  /** Tests, and the test bench of an adapter. */
  readonly tests: readonly string[];
  readonly recordings: readonly string[];
}

const adapterIndex = "packages/adapters/src/index.ts";
const testFile = /\.test\.ts$|^test\/|^packages\/(testing|lab)\//;
const recordingFile = /\/fixtures\//;

export function classifyPatchFiles(patch: string): PatchFiles {
  const sections = patch.split(/^diff --git /m).slice(1);
  const files = sections.map((section) => /^\+\+\+ b\/(.+)$/m.exec(section)?.[1] ?? "a deleted file");
  const indexSection = sections[files.indexOf(adapterIndex)] ?? "";
  const indexLines = [...indexSection.matchAll(/^[+-](?!\+\+|--)(.*)$/gm)].map(([, line = ""]) => line.trim());
  return {
    sources: files.filter((file) => file !== adapterIndex && !testFile.test(file) && !recordingFile.test(file)),
    indexEntries: indexLines.filter((line) => !line.startsWith("import ")),
    tests: files.filter((file) => testFile.test(file)),
    recordings: files.filter((file) => recordingFile.test(file)),
  };
}

export function readExamplePatch(name: string): string {
  return readFileSync(join(root, "docs/internals/examples", `${name}.patch`), "utf8");
}

/** The result of applying one example patch. */
export interface PatchResult extends PatchFiles {
  /** Generated pages that change when their scripts run after the patch. */
  readonly generatedDocs: readonly string[];
  /** One message per problem: the patch does not apply, does not type-check, or touches too many files. */
  readonly problems: readonly string[];
}

/** Applies a patch to the copy, checks it, and reverts it. */
export async function checkExamplePatch(copy: RepositoryCopy, example: ExamplePatch): Promise<PatchResult> {
  const { name, maxSources, maxIndexEntries } = example;
  const patch = join(root, "docs/internals/examples", `${name}.patch`);
  const files = classifyPatchFiles(readFileSync(patch, "utf8"));
  const pagesBefore = await copy.renderGeneratedDocs();
  const applied = await copy.run("git", ["apply", patch]);
  if (applied.code !== 0) return { ...files, generatedDocs: [], problems: [`git apply fails:\n${applied.output}`] };
  try {
    const types = await copy.run(join(root, "node_modules/.bin/tsc"), ["--noEmit"]);
    const pagesAfter = types.code === 0 ? await copy.renderGeneratedDocs() : pagesBefore;
    const { sources, indexEntries } = files;
    return {
      ...files,
      generatedDocs: Object.keys(pagesAfter).filter((page) => pagesAfter[page] !== pagesBefore[page]),
      problems: [
        ...(types.code === 0 ? [] : [`tsc fails:\n${types.output}`]),
        ...(sources.length <= maxSources ? [] : [`${sources.length} source files, the limit is ${maxSources}`]),
        ...(indexEntries.length <= maxIndexEntries
          ? []
          : [`${indexEntries.length} entries in ${adapterIndex}, the limit is ${maxIndexEntries}`]),
      ],
    };
  } finally {
    await copy.run("git", ["apply", "--reverse", patch]);
  }
}

/** Prints the digests of the generated pages as JSON, as the code in the working folder renders them. */
const renderDocsProgram = `
  import { createHash } from "node:crypto";
  import { readFileSync } from "node:fs";
  import { buildOpenApi } from "@fairlead/api";
  import { renderDifferencesPage } from "./scripts/differences.ts";
  import { updateTables } from "./scripts/docs/generated-pages.ts";
  const digest = (text) => createHash("sha256").update(text).digest("hex");
  console.log(JSON.stringify({
    "docs/build/openapi.json": digest(JSON.stringify(buildOpenApi())),
    "docs/status/differences.md": digest(renderDifferencesPage()),
    "docs/extend/contract.md": digest(updateTables(readFileSync("docs/extend/contract.md", "utf8"))),
  }));`;

/** A copy of the repository without recordings, in which `@fairlead/*` resolves to the copy's own packages. */
export class RepositoryCopy implements Disposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<RepositoryCopy> {
    const copy = new RepositoryCopy(mkdtempSync(join(tmpdir(), "fairlead-copy-")));
    // New files count too, so that the check does not depend on a commit.
    const list = await runQuietly("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
    for (const file of list.output.split("\n")) {
      // Type checks do not read recordings, which are the larger part of the repository.
      if (recordingFile.test(file) || !statSync(join(root, file), { throwIfNoEntry: false })?.isFile()) continue;
      mkdirSync(dirname(join(copy.folder, file)), { recursive: true });
      copyFileSync(join(root, file), join(copy.folder, file));
    }
    copy.#linkDependencies();
    return copy;
  }

  async run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
    return await runQuietly(command, args, { cwd: this.folder });
  }

  async renderGeneratedDocs(): Promise<Readonly<Record<string, string>>> {
    const args = ["--input-type=module", "--eval", renderDocsProgram];
    const { code, output } = await this.run(process.execPath, args);
    if (code !== 0) throw new Error(`The generated pages cannot be rendered:\n${output}`);
    return JSON.parse(output) as Record<string, string>;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #linkDependencies(): void {
    const modules = join(this.folder, "node_modules");
    mkdirSync(join(modules, "@fairlead"), { recursive: true });
    for (const name of readdirSync(join(root, "node_modules"))) {
      if (name === "@fairlead" || name.startsWith(".")) continue;
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    for (const name of readdirSync(join(this.folder, "packages"))) {
      symlinkSync(join(this.folder, "packages", name), join(modules, "@fairlead", name));
      // A package may have dependencies of its own, in versions that differ from the shared ones.
      const own = join(root, "packages", name, "node_modules");
      if (existsSync(own)) symlinkSync(own, join(this.folder, "packages", name, "node_modules"));
    }
  }
}

if (import.meta.main) {
  using copy = await RepositoryCopy.create();
  for (const example of examplePatches) {
    const { problems, ...counts } = await checkExamplePatch(copy, example);
    console.log(`== ${example.name}`);
    for (const [kind, entries] of Object.entries(counts))
      console.log(`${kind} ${entries.length}: ${entries.join(", ")}`);
    for (const problem of problems) console.error(`FAILED: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
