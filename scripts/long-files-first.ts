import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Test files that take minutes, the longest first. Without results of an earlier run, as in CI, vitest orders files by size, and
 * a small file with long tests would run alone at the end, while one of two cores has nothing to do.
 */
export const longFiles: readonly string[] = [
  "test/docs-run.test.ts",
  "packages/cli/src/commands/foreman/run-lifecycle.test.ts",
  "packages/cli/src/interactive/run-interactive.test.ts",
  "packages/cli/src/commands/daemon/daemon.test.ts",
];

/** Runs the long files first, and the others in vitest's order. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the method of vitest, not that of an array
    return sortLongFilesFirst(await super.sort(files), ({ moduleId }) => moduleId);
  }
}

export function sortLongFilesFirst<File>(files: readonly File[], toPath: (file: File) => string): File[] {
  const rank = (file: File): number => {
    const at = longFiles.findIndex((name) => toPath(file).endsWith(`/${name}`));
    return at < 0 ? longFiles.length : at;
  };
  return files.toSorted((one, other) => rank(one) - rank(other));
}
