import { expect, test } from "vitest";
import { patience, patienceAlarm, type Patient } from "./patience.ts";
import { StepWriter } from "./step-writer.ts";
import { quietTalk } from "./talk.ts";

const running = { name: "run", input: {}, started: true };
const silent: Patient = {
  ...quietTalk,
  current: { turn: "1", text: "" },
  calls: { c: running },
  asks: {},
  heard: false,
  trouble: null,
};

test("a call that runs may take its time, unless the agent's way of working says otherwise", () => {
  const waiting = new StepWriter<Patient>(silent);
  expect(patience.isOver(waiting, 3000)).toBe(false);
  expect(waiting.step.effects).toEqual([{ type: "alarm", name: patienceAlarm, after: 3000 }]);
  const background = (state: Patient): boolean => Object.values(state.calls).some(({ name }) => name !== "run");
  const over = new StepWriter<Patient>(silent);
  expect(patience.isOver(over, 3000, background)).toBe(true);
  expect(over.state.trouble).toMatchObject({ category: "timed-out", over: true });
  expect(patience.isOver(new StepWriter<Patient>({ ...silent, heard: true }), 3000, background)).toBe(false);
});
