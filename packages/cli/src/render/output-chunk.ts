/** A text to write to standard output or, for warnings and errors, to standard error. */
export interface OutputChunk {
  readonly to: "out" | "err";
  readonly text: string;
}
