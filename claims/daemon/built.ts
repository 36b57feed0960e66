import { runQuietly } from "../../scripts/run.ts";

let building: Promise<void> | undefined;

/** Compiles everything once, as users have it: stripping types would cost each process time and memory. */
export function ensureBuilt(): Promise<void> {
  building ??= build();
  return building;
}

async function build(): Promise<void> {
  const { code, output } = await runQuietly("npm", ["run", "build"]);
  if (code !== 0) throw new Error(output);
}
