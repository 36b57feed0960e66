import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";

export interface ChangedClones {
  readonly changes: number;
  /** Changes that the pushed tree has. */
  readonly pushed: number;
  /** Runs whose pushed tree is not the one of the verdict. */
  readonly otherTrees: number;
  /** Changes that would have been pushed from the clone itself. */
  readonly pushedFromClone: number;
}

const commit = "git -c user.name=A -c user.email=a@b";

/** Ways to change a clone after the verdict. Each has a number, so that a change can be found. */
const kinds: readonly ((mark: string) => string)[] = [
  (mark) => `echo ${mark} >> b.txt`,
  (mark) => `touch mode-${mark}; chmod +x a.txt mode-${mark}`,
  (mark) => `ln -s /etc/hostname link-${mark}`,
  (mark) => `cp a.txt old-${mark}; git add -f old-${mark}; git mv -f old-${mark} renamed-${mark}`,
  (mark) => `echo '*' > .gitignore; echo ${mark} > ignored-${mark}; git add -f ignored-${mark}`,
  (mark) => `echo '*.dat filter=x-${mark}' >> .gitattributes; git config filter.x-${mark}.clean 'echo ${mark}'`,
  (mark) => `echo ${mark} > committed-${mark}; git add -A -f; ${commit} commit -qm ${mark}`,
  (mark) =>
    `git checkout -q -B other-${mark}; echo ${mark} > branch-${mark}; git add -A -f; ${commit} commit -qm ${mark}`,
];

/** Changes the clones of builders after the verdict and before the approval, and finds out what was pushed. */
export async function changeClones({
  runs,
  perRun,
}: {
  readonly runs: number;
  readonly perRun: number;
}): Promise<ChangedClones> {
  let [changes, pushed, otherTrees, pushedFromClone] = [0, 0, 0, 0];
  await using bench = await ForemanBench.open();
  for (let nth = 0; nth < runs; nth += 1) {
    const run = `run-${nth}`;
    const task = brief("Go.", writeStep({ "b.txt": "two\n", ...reviewFile(submitStep("approve")) }));
    await bench.start(run, { tasks: [{ id: "write", brief: task }] });
    const { tree } = await bench.waitFor(run, "decision.requested");
    const [started] = await bench.bodies(run, "task.started");
    const clone = join(bench.home.home.copyFolder(started?.session ?? ""), "project");
    const marks = Array.from({ length: perRun }, (_, index) => `m${nth}x${index}y`);
    for (const [index, mark] of marks.entries()) {
      const change = kinds[(nth * perRun + index) % kinds.length]?.(mark) ?? "";
      execFileSync("bash", ["-ec", change], { cwd: clone, stdio: "ignore" });
      changes += 1;
    }
    await bench.approve(run);
    await bench.result(run);
    const branch = `fairlead/${run}`;
    if (bench.remoteGit("rev-parse", `${branch}^{tree}`) !== tree) otherTrees += 1;
    pushed += countMarks(bench, branch, marks);
    // The control pushes what the clone has.
    execFileSync(
      "bash",
      [
        "-ec",
        `git add -A -f; ${commit} commit -qm all --allow-empty; git push -q ${bench.remote} HEAD:refs/heads/control/${run}`,
      ],
      { cwd: clone, stdio: "ignore" },
    );
    pushedFromClone += countMarks(bench, `control/${run}`, marks);
  }
  return { changes, pushed, otherTrees, pushedFromClone };
}

/** Counts the changes that a branch has: in a name, in a content or in its history. */
function countMarks(bench: ForemanBench, branch: string, marks: readonly string[]): number {
  const text = [bench.remoteGit("ls-tree", "-r", branch), bench.remoteGit("log", "-p", "--format=%s", branch)].join(
    "\n",
  );
  return marks.filter((mark) => text.includes(mark)).length;
}
