/** Options of git with which a patch depends on nothing that is configured, and git starts no other program. */
export const patchFlags = [
  "--no-ext-diff",
  "--no-textconv",
  // To check whether a nested repository is dirty, git would start another git there, with the configuration of that one.
  "--ignore-submodules=dirty",
  "--submodule=short",
  "--patch",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** Removes the last line of an output that was cut. */
export function keepWholeLines(output: Buffer, isTruncated: boolean): string {
  return output.subarray(0, isTruncated ? output.lastIndexOf("\n") + 1 : output.length).toString();
}
