import type { Clause } from "./clause.ts";

/** Clauses about the tools that Fairlead runs for an agent. */
export const toolClauses = {
  "offer:called": {
    level: "must",
    needs: ["host-tools"],
    statement:
      "The model is told of each offered tool with its schema. A call of one runs it once with the model's input, and the agent gets the result.",
  },
  "offer:denied": {
    level: "must",
    needs: ["host-tools"],
    statement:
      "A call of an offered tool that the policy denies does not run. The agent gets the reason, and the turn continues.",
  },
  "offer:resumed": {
    level: "must",
    needs: ["host-tools", "resume"],
    statement: "The tools are offered after a resume, too.",
  },
  "server:called": {
    level: "must",
    needs: ["mcp-servers"],
    statement:
      "A tool of an MCP server that the session was started with is asked about as `mcp__SERVER__TOOL`. An approved call reaches the server once with the model's input, and the model gets the result.",
  },
  "server:denied": {
    level: "must",
    needs: ["mcp-servers"],
    statement: "A call of such a tool that the policy denies does not reach the server, and the session continues.",
  },
  "server:resumed": {
    level: "must",
    needs: ["mcp-servers", "resume"],
    statement: "The servers are there after a resume, too, with their variables.",
  },
} as const satisfies Record<string, Clause>;
