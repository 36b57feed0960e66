import { TerminalSize, type Effect } from "@fairlead/contract";
import { z } from "zod";

const LaunchCommand = z.strictObject({
  program: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  stdin: z.enum(["pipe", "none", "terminal"]),
  size: TerminalSize.optional(),
});

/** The effects that a keeper or the runtime's alarms can execute. */
const ExecutableEffect = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("launch"), command: LaunchCommand }),
  z.strictObject({ type: z.literal("write"), text: z.string(), resolves: z.literal(true).optional() }),
  z.strictObject({ type: z.literal("close-stdin") }),
  z.strictObject({ type: z.literal("signal"), signal: z.enum(["SIGINT", "SIGTERM"]) }),
  z.strictObject({ type: z.literal("kill") }),
  z.strictObject({ type: z.literal("alarm"), name: z.string(), after: z.number().nonnegative() }),
  z.strictObject({ type: z.literal("disarm"), name: z.string() }),
]);

export function isExecutable(effect: Effect): boolean {
  return ExecutableEffect.safeParse(effect).success;
}
