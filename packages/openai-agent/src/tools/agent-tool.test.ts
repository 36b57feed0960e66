import { expect, test } from "vitest";
import { agentTools } from "../run-turn.ts";

test("the model must give exactly the fields without which a tool refuses its input", () => {
  const required = Object.fromEntries(agentTools.map(({ name, parameters }) => [name, parameters["required"] ?? []]));
  expect(required).toEqual({
    read_file: ["path"],
    write_file: ["path", "content"],
    list_files: [],
    run_command: ["command"],
  });
});
