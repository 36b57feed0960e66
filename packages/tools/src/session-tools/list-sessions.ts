import { listSessions, openSessionStates } from "@fairlead/api";
import { cutText, type HostTool } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import type { SessionToolParts } from "./session-tools-options.ts";

const maxSessions = 50;
const maxTitleLength = 100;

/** Creates the tool that lists sessions. */
export function createListSessions({ fairlead, mayUse }: SessionToolParts): HostTool {
  return defineTool({
    name: "list_sessions",
    description: `Lists sessions as JSON, those with the newest activity first, at most ${maxSessions}.`,
    readOnly: true,
    input: z.strictObject({ ended: z.boolean().default(false).describe("Whether to list ended sessions, too.") }),
    async run({ ended }, context) {
      const found: object[] = [];
      for await (const view of listSessions(fairlead, ended ? {} : { state: openSessionStates })) {
        if ((await mayUse(view, context)) !== null) continue;
        const { session, name, agent, workspace, state, turns, title, lastAt } = view;
        found.push({ session, name, agent, workspace, state, turns, title: cutText(title, maxTitleLength), lastAt });
        if (found.length === maxSessions) break;
      }
      return found;
    },
  });
}
