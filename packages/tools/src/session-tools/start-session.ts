import { StartRequest } from "@fairlead/api";
import { Brief, type HostTool } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import type { SessionToolParts } from "./session-tools-options.ts";

const input = z.strictObject({
  agent: z.string().min(1).optional().describe("The agent to run. Default: that of the workspace or the user."),
  prompt: z.string().min(1).optional().describe("The task, as the first message. Give a prompt or a brief."),
  brief: Brief.optional().describe("The task in parts, instead of a prompt."),
  name: StartRequest.shape.name.describe("A name for the session, unique among the open ones."),
  mode: z
    .enum(["default", "plan"])
    .optional()
    .describe("`plan`: the agent reads and plans, and changes nothing until a person approves the plan."),
  model: z.string().min(1).optional().describe("The model, as the agent names it."),
  isolated: z
    .boolean()
    .optional()
    .describe("Work in a clone of the repository, on a branch of its own. Uncommitted changes are not in it."),
  room: StartRequest.shape.room.describe("A room of the workspace's fairlead.yaml to work in."),
});
const delegation = {
  sandbox: StartRequest.shape.sandbox.describe("What the new agent can reach: not more than you can."),
  limits: StartRequest.shape.limits.describe("What it may use of your own limit. Default: an equal part of the rest."),
  mayDelegate: StartRequest.shape.mayDelegate.describe("Whether the new agent may start sessions, too."),
};
const workspace = StartRequest.shape.workspace
  .unwrap()
  .min(1)
  .optional()
  .describe("The absolute path of the folder to work in. Default: the folder of the caller.");

/** Creates the tool that starts a session. It takes no policy, sandbox, limit or setting that could make it act unasked. */
export function createStartSession({ start, takesWorkspace, delegates }: SessionToolParts): HostTool {
  return defineTool({
    name: "start_session",
    description:
      "Starts a coding agent in a session of its own, and returns the id of the session as JSON at once, while the agent works. " +
      "Then call `wait`. What the agent asks to do may need a person's approval, which no tool can give.",
    input: chooseInput(takesWorkspace, delegates),
    async run({ model, ...request }, context) {
      if ((request.prompt === undefined) === (request.brief === undefined))
        throw new Error("Give a prompt or a brief, and not both.");
      const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
      const started = await start(
        {
          workspace: context.workspace,
          ...given,
          ...(model !== undefined && { settings: { model } }),
          approvalsRequired: true,
        },
        context,
      );
      const { session, name, agent, workspace: folder, mode, copy } = started;
      return { session, name, agent, workspace: folder, mode, ...(copy && { branch: copy.branch }) };
    },
  });
}

function chooseInput(takesWorkspace: boolean, delegates: boolean) {
  if (delegates) return input.extend(delegation);
  return takesWorkspace ? input.extend({ workspace }) : input;
}
