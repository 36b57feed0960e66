import type { HostTool } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { SessionReference } from "./session-reference.ts";
import type { SessionToolParts } from "./session-tools-options.ts";

/** Creates the tool that sends a message to a session. */
export function createSend({ fairlead, caller, find }: SessionToolParts): HostTool {
  return defineTool({
    name: "send",
    description:
      "Sends a message to the agent of a session. A message to an agent that works waits for the end of its turn. " +
      "A message is not an answer: what waits for a person's decision still waits. Then call `wait`.",
    input: z.strictObject({ session: SessionReference, text: z.string().min(1).describe("The message.") }),
    async run({ session, text }, context) {
      const { session: id } = await find(session, context);
      await fairlead.send(id, text, { ...caller, key: context.key });
      return `The message was sent to session ${id}. Wait for its turn with \`wait\`.`;
    },
  });
}
