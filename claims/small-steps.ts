import type { Claim } from "../measure/claim.ts";
import { checkExamplePatch, examplePatches, RepositoryCopy } from "../scripts/small-steps.ts";

export const smallSteps: Claim = {
  id: "small-steps",
  statement: "A new command, a new ACP agent and a new adapter each touch few files.",
  bound: "command ≤ 6 files, ACP agent 1 file, adapter 3 files + recordings + 1 line; each patch type-checks",
  async prove() {
    using copy = await RepositoryCopy.create();
    const parts: string[] = [];
    let holds = examplePatches.length > 0;
    for (const example of examplePatches) {
      const { problems, sources, indexEntries, tests, recordings } = await checkExamplePatch(copy, example);
      for (const problem of problems) console.log(`${example.name}: ${problem}`);
      holds &&= problems.length === 0;
      const counts = `${sources.length} files + ${indexEntries.length} index lines`;
      parts.push(`${example.name}: ${counts} (${tests.length} test files, ${recordings.length} recordings)`);
    }
    return { measured: parts.join("; "), holds };
  },
};
