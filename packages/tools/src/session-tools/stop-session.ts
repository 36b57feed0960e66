import type { HostTool } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { SessionReference } from "./session-reference.ts";
import type { SessionToolParts } from "./session-tools-options.ts";

/** Creates the tool that ends a session. */
export function createStopSession({ fairlead, caller, find }: SessionToolParts): HostTool {
  return defineTool({
    name: "stop_session",
    description:
      "Ends a session and its agent. Its events and its changes are kept. What waits for a person's decision is canceled.",
    input: z.strictObject({ session: SessionReference }),
    async run({ session }, context) {
      const { session: id } = await find(session, context);
      const { reason } = await fairlead.stop(id, { ...caller, key: context.key });
      return `Session ${id} has ended: ${reason ?? "stopped"}.`;
    },
  });
}
