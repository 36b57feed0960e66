import { adapters } from "@fairlead/adapters";
import type { Adapter, AgentCommand } from "@fairlead/contract";

/** The scripted agent. A deaf one gets every denial as an approval: what a broken gate would do. */
export function createAgents(isDeaf: boolean): Adapter[] {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (scripted === undefined) throw new Error("There is no scripted agent.");
  if (!isDeaf) return [scripted];
  return [
    {
      ...scripted,
      open(opening) {
        const conversation = scripted.open(opening);
        const { dialect } = conversation;
        return {
          ...conversation,
          dialect: { ...dialect, handle: (state, command) => dialect.handle(state, withoutDenial(command)) },
        };
      },
    },
  ];
}

function withoutDenial(command: AgentCommand): AgentCommand {
  const isDenial = command.type === "answer" && command.answer.type === "deny";
  return isDenial ? { ...command, answer: { type: "allow" } } : command;
}
