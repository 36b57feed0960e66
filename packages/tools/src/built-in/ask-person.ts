import { AskPersonInput, type HostTool } from "@fairlead/contract";
import { defineTool } from "../define-tool.ts";

const { offer } = defineTool({
  name: "ask_person",
  description:
    "Asks the person who is responsible for this session, and waits for the answer. Use it when you cannot decide something yourself and a wrong guess would cost work.",
  input: AskPersonInput,
  readOnly: true,
  run: () => "",
});

/** Lets an agent without questions of its own ask one. The session asks the person: the answer is the result. */
export const askPerson: HostTool = {
  offer: { ...offer, asks: true },
  use: () => Promise.resolve({ outcome: "failed", text: "Only a person answers this tool." }),
};
