import type { Fairlead, SessionView } from "@fairlead/api";
import type { Delta, Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { TerminalLink } from "./terminal-link.ts";

const small = { columns: 80, rows: 24 };
const large = { columns: 200, rows: 50 };

/** A service with one session whose terminal draws these, until the agent leads again. It lists the methods that were called. */
function serviceThatDraws(...items: readonly Delta[]): { readonly fairlead: Fairlead; readonly calls: string[] } {
  const calls: string[] = [];
  async function* events(): AsyncGenerator<Event | Delta> {
    yield* items;
    yield { sequence: 9, body: { type: "lead.changed", lead: "agent" } } as Event;
  }
  const methods: Readonly<Record<string, unknown>> = {
    session: async () => ({ session: "s", last: 8, lead: "agent", state: "idle" }) as SessionView,
    events,
  };
  const get = (_: unknown, name: string): unknown => {
    calls.push(name);
    return methods[name];
  };
  return { fairlead: new Proxy({}, { get }) as Fairlead, calls };
}

test("a watcher takes the terminal's size before what it draws, and sends nothing", async () => {
  const draw = (text: string, size?: Delta["size"]): Delta => ({ type: "screen", text, ...(size && { size }) });
  // The terminal asks for its own kind and place, as programs do when they start.
  const { fairlead, calls } = serviceThatDraws(
    draw("\u001B[c\u001B[6n"),
    draw("one", small),
    draw("two", small),
    draw("three", large),
  );
  const shown: unknown[] = [];
  const link = new TerminalLink({
    fairlead,
    session: "s",
    role: "watch",
    size: () => ({ columns: 1, rows: 1 }),
    write: (text) => shown.push(text),
    onSize: (size) => shown.push(size),
  });
  const leaving = new AbortController();
  const following = link.follow(leaving.signal);
  link.send("\u001B[?1;2c");
  link.resize(large);
  await following;
  expect(shown).toEqual(["\u001B[c\u001B[6n", small, "one", "two", large, "three"]);
  expect(link.getSnapshot()).toMatchObject({ size: large, lost: null, status: { type: "handed-back" } });
  expect(new Set(calls)).toEqual(new Set(["session", "events"]));
});
