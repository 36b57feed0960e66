import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { examples, findMissing } from "../scripts/examples.ts";
import { pack } from "../scripts/pack.ts";
import { runAttw, runPublint } from "../scripts/packages/lint-tarball.ts";
import { OutsideProject } from "../scripts/packages/outside-project.ts";
import { packFolders, type PackResult } from "../scripts/packages/pack-folders.ts";
import { packPackages } from "../scripts/packages/pack-packages.ts";
import { readPublicPackages } from "../scripts/packages/workspace-package.ts";
import { root, runQuietly } from "../scripts/run.ts";

/** Entry points that are programs: to import one runs it. Each has arguments and the exit code to expect. */
const programs: Readonly<Record<string, { readonly args: readonly string[]; readonly exitCode: number }>> = {
  "@fairlead/keeper/main": { args: [], exitCode: 2 },
  "@fairlead/openai-agent": { args: ["--version"], exitCode: 0 },
};
/** What a project needs beside our packages: the optional peer dependencies, and the types of Node. */
const companions = ["vitest", "fast-check", "@types/node", "@restatedev/restate-sdk"];
const resolutions = { node16: "node16", bundler: "esnext" } as const;
const readmePrograms = ["embed", "client"];
const sourceFolder = join(root, "claims/packages-load");
const typeStrippingError = "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING";

export const packagesLoad: Claim = {
  id: "packages-load",
  statement: "Every public package works outside the repository, installed from its tarball with npm.",
  bound:
    "no failed import, type error (node16 and bundler), publint or attw finding; the README's programs and the five-line " +
    "judge run; control: the repository's own manifest, a broken adapter and an entry point without names fail",
  async prove() {
    const tarballFolder = mkdtempSync(join(tmpdir(), "fairlead-tarballs-"));
    await using project = new OutsideProject();
    try {
      const packages = await packPackages(tarballFolder);
      const command = await pack(tarballFolder);
      const findings = await lint(packages, command);
      await project.install([...packages, command].map(({ tarball }) => tarball).concat(listCompanions()));
      const imports = await importEntries(project);
      const problems = [
        ...findings,
        ...imports.problems,
        ...(await checkTypes(project)),
        ...(await runReadmePrograms(project)),
        ...(await runJudge(project)),
        ...(await runControls(project, tarballFolder)),
      ];
      for (const { name, bytes, files } of packages) {
        const names = imports.counts.filter(({ entry }) => entry === name || entry.startsWith(`${name}/`));
        const counts = names.map(({ entry, count }) => `${entry} ${count === null ? "a program" : `${count} names`}`);
        console.log(`${name}: ${files} files, ${Math.round(bytes / 1024)} KiB; ${counts.join(", ")}`);
      }
      for (const problem of problems) console.log(`PROBLEM ${problem}`);
      const total = imports.counts.reduce((sum, { count }) => sum + (count ?? 0), 0);
      const acceptedControls = problems.filter((problem) => problem.startsWith("control:")).length;
      return {
        measured:
          `${packages.length} packages and fairlead; ${imports.counts.length} entry points with ${total} names; ` +
          `${problems.length} problems; ${3 - acceptedControls} of 3 controls fail`,
        holds: packages.length > 10 && problems.length === 0,
      };
    } finally {
      rmSync(tarballFolder, { recursive: true, force: true });
    }
  },
};

async function lint(packages: readonly PackResult[], command: PackResult): Promise<string[]> {
  const findings: string[] = [];
  const queue = [...packages, command];
  const runQueue = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name, tarball } = next;
      // The command's package exports nothing, so it has no types.
      const found = [...(await runPublint(tarball)), ...(next === command ? [] : await runAttw(tarball))];
      findings.push(...found.map((finding) => `${name}: ${finding}`));
    }
  };
  await Promise.all([runQueue(), runQueue()]);
  return findings;
}

/** Lists the companions in the versions that the repository uses. */
function listCompanions(): string[] {
  const manifests = ["package.json", "packages/foreman/package.json"].map(
    (file) =>
      JSON.parse(readFileSync(join(root, file), "utf8")) as {
        readonly devDependencies: Readonly<Record<string, string>>;
      },
  );
  const versions: Record<string, string> = Object.assign(
    {},
    ...manifests.map(({ devDependencies }) => devDependencies),
  );
  return companions.map((name) => `${name}@${versions[name]}`);
}

function listEntries(): string[] {
  return readPublicPackages().flatMap(({ name, exports }) =>
    Object.keys(exports).map((path) => `${name}${path.slice(1)}`),
  );
}

/** Imports every entry point in its own process, or runs it if it is a program. */
async function importEntries(
  project: OutsideProject,
): Promise<{ counts: { entry: string; count: number | null }[]; problems: string[] }> {
  const counts: { entry: string; count: number | null }[] = [];
  const problems: string[] = [];
  for (const entry of listEntries()) {
    const { count, problem } = await importEntry(project, entry);
    counts.push({ entry, count });
    if (problem !== null) problems.push(problem);
  }
  return { counts, problems };
}

/** Imports an entry point. One that exports no names is a problem, because a package that lost its code loads too. */
async function importEntry(
  project: OutsideProject,
  entry: string,
): Promise<{ count: number | null; problem: string | null }> {
  const program = programs[entry];
  const specifier = JSON.stringify(entry);
  const code =
    program === undefined
      ? `console.log(Object.keys(await import(${specifier})).length)`
      : `process.argv = ["node", ${specifier}, ...${JSON.stringify(program.args)}]; await import(${specifier})`;
  const { code: exitCode, output } = await project.run("node", ["--input-type=module", "--eval", code]);
  const count = program === undefined ? Number(output) : null;
  if (exitCode !== (program?.exitCode ?? 0)) return { count, problem: `${entry} exited with ${exitCode}: ${output}` };
  return { count, problem: count === null || count > 0 ? null : `${entry} exports no names: ${output}` };
}

/** Compiles a program that uses every entry point, the README's programs and the outside adapter. */
async function checkTypes(project: OutsideProject): Promise<string[]> {
  for (const name of readmePrograms)
    copyFileSync(join(root, "examples", `${name}.ts`), join(project.folder, `${name}.ts`));
  for (const file of globSync("*.ts", { cwd: sourceFolder }))
    copyFileSync(join(sourceFolder, file), join(project.folder, file));
  project.write("conformance.test.ts", readFiveLines());
  project.write(
    "entries.ts",
    listEntries()
      .map((entry, index) => `export * as entry${index} from "${entry}";\n`)
      .join(""),
  );
  const problems: string[] = [];
  for (const [moduleResolution, module] of Object.entries(resolutions)) {
    const compilerOptions = {
      module,
      moduleResolution,
      target: "esnext",
      // A dependency of the server names types of browsers.
      lib: ["esnext", "dom"],
      types: ["node"],
      strict: true,
      // Our own declarations are checked, not only what the programs use of them.
      skipLibCheck: false,
      allowImportingTsExtensions: true,
      noEmit: true,
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { code, output } = await project.run(join(root, "node_modules/.bin/tsc"), ["--project", "."]);
    if (code !== 0) problems.push(`types under ${moduleResolution}: ${output}`);
  }
  return problems;
}

/** Returns the test file that the documents show to authors of adapters. */
function readFiveLines(): string {
  const pages = ["README.md", ...globSync("docs/extend/*.md", { cwd: root })];
  const blocks = pages.flatMap((page) => [
    ...readFileSync(join(root, page), "utf8").matchAll(/```ts(?: no-check)?\n(.*?)```/gs),
  ]);
  const [block] = blocks.map(([, code = ""]) => code).filter((code) => code.includes("@fairlead/conformance/vitest"));
  if (block === undefined) throw new Error("No document shows the test of an adapter.");
  return block;
}

/** Runs the README's programs with the scripted agent, and stops the daemon with the installed command. */
async function runReadmePrograms(project: OutsideProject): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, expectedOutput, checkAfter } of examples.filter((example) =>
    readmePrograms.includes(example.name),
  )) {
    const { code, output } = await project.run("node", [`${name}.ts`]);
    const check = await project.run("bash", ["-c", `${checkAfter} && rm greeting.txt`]);
    const missing = findMissing(output, expectedOutput);
    if (code !== 0 || missing.length > 0 || check.code !== 0)
      problems.push(`${name}.ts exited with ${code}: ${output}`);
  }
  const { code, output } = await project.run("node_modules/.bin/fairlead", ["down", "--stop-sessions"]);
  if (code !== 0 || !output.includes("The daemon is stopped.")) problems.push(`fairlead down: ${output}`);
  return problems;
}

/** Judges the outside adapter: without recordings, then while it writes them, then on them. */
async function runJudge(project: OutsideProject): Promise<string[]> {
  const problems: string[] = [];
  const expectRun = async (args: readonly string[], expected: RegExp): Promise<void> => {
    const { code, output } = await project.run("node_modules/.bin/vitest", ["run", ...args]);
    if (code !== 0 || !expected.test(output)) problems.push(`vitest run ${args.join(" ")}: ${output}`);
  };
  await expectRun(
    [],
    /dialect:steady is not judged: there are no recordings in fixtures\/ yet[^]*1 passed \| 1 skipped/,
  );
  await expectRun(["--update"], /wrote 7 recordings/);
  await expectRun(["--testNamePattern", "outside: "], /7 passed \| 1 skipped/);
  return problems;
}

/** Shows that the checks can fail. */
async function runControls(project: OutsideProject, tarballFolder: string): Promise<string[]> {
  const problems: string[] = [];
  const adapterFile = readFileSync(join(sourceFolder, "adapter.ts"), "utf8");
  project.write("adapter.ts", adapterFile.replace('isInterrupted ? "interrupted" : "completed"', '"completed"'));
  const judged = await project.run("node_modules/.bin/vitest", ["run"]);
  if (judged.code === 0 || !judged.output.includes("interrupt:text is broken"))
    problems.push(`control: the judge accepts an adapter that reports a false outcome: ${judged.output}`);

  project.write("empty.js", "export {};\n");
  const empty = await importEntry(project, "./empty.js");
  if (empty.problem === null) problems.push("control: an entry point without names is accepted");

  const folder = join(project.folder, "node_modules/@fairlead/contract");
  const [packed] = await packFolders([join(root, "packages/contract")], join(tarballFolder));
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  await runQuietly("tar", [
    "--extract",
    "--strip-components=1",
    "--file",
    packed?.tarball ?? "",
    "--directory",
    folder,
  ]);
  const imported = await project.run("node", ["--input-type=module", "--eval", 'await import("@fairlead/contract")']);
  if (!imported.output.includes(typeStrippingError))
    problems.push(`control: the repository's own manifest can be imported: ${imported.output}`);
  return problems;
}
