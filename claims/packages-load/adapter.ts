import { fileURLToPath } from "node:url";
import type { Adapter, EventOf, Exit } from "@fairlead/contract";
import { defineDialect, probeProgram, type TransitionWriter } from "@fairlead/kit";
import { z } from "zod";

const agent = fileURLToPath(new URL("agent.ts", import.meta.url));

interface State {
  readonly turn: string | null;
  readonly output: string;
  readonly isInterrupted: boolean;
}
type Writer = TransitionWriter<State>;

/** An adapter outside the repository. Each turn is one process of the agent. */
export const adapter: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "outside",
    version: "1.0.0",
    vendor: "Outside",
    label: "Outside",
    models: [],
    capabilities: ["streaming", "interrupt"],
    modes: ["default"],
    settings: z.strictObject({}),
    environment: [],
  },

  probe: (host) =>
    probeProgram(host, {
      program: "node",
      versionArgs: [agent, "--version"],
      helpArgs: [agent, "--help"],
      auth: "none",
      missingMessage: "node is not on the PATH: install Node.js 24 or newer.",
    }),

  open: ({ probeResult, workspace }) => ({
    processLifetime: "turn",
    protocol: "text",
    dialect: defineDialect<State>({
      initialState: { turn: null, output: "", isInterrupted: false },
      handle(writer, command) {
        if (command.type === "send") {
          const { turn, text } = command;
          const program = probeResult.program ?? "node";
          writer.set({ turn, output: "", isInterrupted: false });
          writer.event({ type: "turn.started", turn, input: text, origin: "user" });
          const launch = { program, args: [agent, text], env: {}, cwd: workspace, stdin: "none" } as const;
          writer.effect({ type: "launch", command: launch });
        }
        const isStop = command.type === "interrupt" || command.type === "pause" || command.type === "end";
        if (isStop && writer.state.turn !== null) writer.set({ isInterrupted: true }).effect({ type: "kill" });
      },
      observe(writer, observation) {
        if (writer.state.turn === null) return;
        if (observation.kind === "line") {
          const text = `${observation.text}\n`;
          writer.set({ output: writer.state.output + text }).delta({ type: "text.delta", text });
        }
        if (observation.kind === "exited") endTurn(writer, writer.state.turn, observation.exit);
      },
    }),
  }),
};

function endTurn(writer: Writer, turn: string, exit: Exit): void {
  const { output, isInterrupted } = writer.state;
  if (output !== "") writer.event({ type: "text.ended", text: output });
  let outcome: EventOf<"turn.ended">["outcome"] = isInterrupted ? "interrupted" : "completed";
  if (!isInterrupted && exit.code !== 0) {
    writer.raise({ category: "command-failed", message: `The agent ended with ${exit.code ?? exit.signal}.` });
    outcome = "failed";
  }
  writer.set({ turn: null }).event({ type: "turn.ended", turn, outcome });
}
