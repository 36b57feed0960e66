import type { SessionView } from "@fairlead/api";
import { expect, test, vi } from "vitest";
import { wakeParkedSession } from "./wake-parked-session.ts";

const until = "2026-11-19T00:00:00.000Z";

/** Wakes a session that is paused on this host, and whose log names an owner. Returns the commands that it got. */
async function wake(owner: string, view: Partial<SessionView> = {}): Promise<string[]> {
  const commands: string[] = [];
  const paused = { state: "paused", pausedUntil: until, lastOutcome: "failed", ...view } as SessionView;
  const command = (name: string) => async () => {
    commands.push(name);
    return {} as never;
  };
  const fairlead = { session: async () => paused, resume: command("resume"), send: command("send") };
  const readTail = vi.fn<() => Promise<never>>(async () => ({ owner }) as never);
  const hosts = {
    isElsewhere: (one: string) => one !== "here",
    poolOf: (one: string) => (one === "renamed" ? undefined : "default"),
  };
  const ownership = { catalog: { readTail }, engine: { hosts } };
  await wakeParkedSession(fairlead, ownership, "s", until, new AbortController().signal);
  return commands;
}

test("a session that moved to another host is not continued here", async () => {
  expect(await wake("another")).toEqual([]);
  expect(await wake("here")).toEqual(["send"]);
  expect(await wake("here", { lastOutcome: "completed" })).toEqual(["resume"]);
});

test("a session without a fleet continues after the machine got another name", async () => {
  expect(await wake("renamed")).toEqual(["send"]);
});
