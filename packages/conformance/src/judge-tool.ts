import type { HostTool } from "@fairlead/contract";

/** The tool that the judge offers to an agent. It notes how it was called. */
export class JudgeTool {
  readonly runs: { readonly input: unknown; readonly key: string; readonly call: string }[] = [];
  readonly tool: HostTool = {
    offer: {
      name: "weigh_parcel",
      description: "Weighs a parcel. Use it when the user asks for the weight of a parcel.",
      inputSchema: {
        type: "object",
        properties: {
          parcel: { type: "string", description: "The parcel's number." },
          unit: { type: "string", enum: ["kg", "lb"] },
        },
        required: ["parcel"],
      },
    },
    use: async (input, { key, call }) => {
      this.runs.push({ input, key, call });
      return { outcome: "done", text: judgeToolResult };
    },
  };
}

/** The result of the tool. */
export const judgeToolResult = "It weighs 17 marmalades.";
