import type { Tool } from "./tool.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";
import { writeFile } from "./write-file.ts";

/** All that the model can call. To give it another tool, write one file beside this one and name it here. */
export const tools: readonly Tool[] = [readFile, writeFile, listFiles, runCommand];
