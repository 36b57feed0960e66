import { emptyLedger, type Delta, type Event, type Ledger } from "@fairlead/contract";
import { RequestRejected, type KeeperRequest } from "@fairlead/keeper";
import { initialSessionState } from "@fairlead/reducer";
import { expect, test } from "vitest";
import { HumanLead } from "./human-lead.ts";
import type { SessionActor } from "./session-actor.ts";
import { SessionOutput } from "./session-output.ts";
import { clientQueueLimit, type SubscriptionOptions } from "./subscription.ts";

const size = { columns: 80, rows: 24 };
const openLead = { scope: "lead", key: "", name: "", marks: [] } as const;

/** A session under human lead whose terminal draws its screen when it is resized. */
class FakeTerminal {
  readonly rows: number[] = [];
  state = {
    ...initialSessionState,
    running: true,
    desiredState: "take-over",
    ledger: { ...emptyLedger, open: [openLead] } as Ledger,
  };
  readonly output = new SessionOutput();
  readonly keeper = { features: new Set(["terminal"]), send: (request: KeeperRequest) => this.handle(request) };
  readonly lead = new HumanLead(this as unknown as SessionActor);
  /** Replaced by tests. */
  handle = async (request: KeeperRequest): Promise<void> => this.draw(request);

  /** Creates a terminal of the size, which has drawn its screen before the test. */
  static async open(): Promise<FakeTerminal> {
    const terminal = new FakeTerminal();
    const { handle } = terminal;
    terminal.handle = async () => {};
    await terminal.lead.resize(size);
    return Object.assign(terminal, { handle });
  }

  subscribe(options: SubscriptionOptions<Event | Delta>): ReturnType<SessionActor["subscribe"]> {
    return this.output.subscribe(options);
  }

  draw(request: KeeperRequest): void {
    if (request.do !== "resize") return;
    this.rows.push(request.size.rows);
    setImmediate(() => this.print(`full screen of ${request.size.rows} rows`));
  }

  publish(delta: Delta): void {
    this.output.publish(delta);
  }

  print(text: string): void {
    this.publish({ type: "screen", text });
  }

  /** Prints more than a reader may queue. */
  flood(): void {
    for (let count = 0; count <= clientQueueLimit; count += 1) this.print("x");
  }

  end(): void {
    this.state = { ...this.state, ledger: emptyLedger };
    this.output.publish({ body: { type: "lead.changed", lead: "agent" } } as Event);
  }
}

async function readUntil(screen: AsyncGenerator<string>, text: string): Promise<void> {
  for (let next = await screen.next(); next.value !== text; next = await screen.next())
    if (next.done) throw new Error(`The screen has ended without: ${text}`);
}

test("a reader that was too slow gets the screen drawn again", async () => {
  const terminal = await FakeTerminal.open();
  const screen = terminal.lead.screen();
  terminal.flood();
  await readUntil(screen, "full screen of 24 rows");
  expect(terminal.rows).toEqual([23, 24]);
  await screen.return(undefined);
});

test("the screen ends for a reader that was too slow to see the end", async () => {
  const terminal = await FakeTerminal.open();
  const screen = terminal.lead.screen();
  terminal.flood();
  terminal.end();
  expect(await screen.next()).toEqual({ done: true, value: undefined });
});

test("the screen ends if the terminal ends while it is drawn again", async () => {
  const terminal = await FakeTerminal.open();
  const screen = terminal.lead.screen();
  terminal.flood();
  terminal.handle = async ({ id }) => {
    setImmediate(() => terminal.end());
    throw new RequestRejected(id, "The terminal has closed.");
  };
  expect(await screen.next()).toEqual({ done: true, value: undefined });
});

test("events that are no output do not make a reader of the screen too slow", async () => {
  const terminal = new FakeTerminal();
  const screen = terminal.lead.screen();
  terminal.print("first");
  for (let count = 0; count <= clientQueueLimit; count += 1) terminal.publish({ type: "text.delta", text: "x" });
  expect((await screen.next()).value).toBe("first");
  await screen.return(undefined);
});

test("a redraw that fails between its two sizes does not change the size that the next one restores", async () => {
  const terminal = await FakeTerminal.open();
  terminal.handle = async ({ id }) => {
    throw new RequestRejected(id, "It is not ready.");
  };
  await expect(terminal.lead.takeOver(size, async () => {})).rejects.toMatchObject({ code: "not-taken-over" });
  terminal.handle = async (request) => terminal.draw(request);
  const screen = terminal.lead.screen();
  terminal.flood();
  await readUntil(screen, "full screen of 24 rows");
  expect(terminal.rows).toEqual([23, 24]);
  await screen.return(undefined);
});

test("a redraw restores the size that a client requested meanwhile", async () => {
  const terminal = await FakeTerminal.open();
  terminal.handle = async (request) => {
    terminal.handle = async (later) => terminal.draw(later);
    terminal.draw(request);
    await terminal.lead.resize({ columns: 80, rows: 50 });
  };
  await terminal.lead.takeOver(size, async () => {});
  expect(terminal.rows).toEqual([23, 50, 50]);
});

test("a full input is an error of its own, and other rejections mean that the terminal is gone", async () => {
  const terminal = new FakeTerminal();
  const typeRejected = async (retryable: boolean): Promise<unknown> => {
    terminal.handle = async ({ id }) => {
      throw new RequestRejected(id, "No keys.", retryable);
    };
    return await terminal.lead.type("x").catch((error: unknown) => error);
  };
  expect(await typeRejected(true)).toMatchObject({ code: "input-full", message: "No keys." });
  expect(await typeRejected(false)).toMatchObject({ code: "not-taken-over", message: "No keys." });
});

test("output has the size of the terminal that drew it, also while it is resized to be drawn again", async () => {
  const terminal = await FakeTerminal.open();
  const leaving = new AbortController();
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const item of terminal.subscribe({ signal: leaving.signal })) {
      seen.push("size" in item ? item.size : undefined);
      if (seen.length === 4) return;
    }
  })();
  terminal.print("as before");
  await terminal.lead.takeOver({ columns: 100, rows: 30 }, async () => {});
  terminal.print("after");
  await reading;
  expect(seen).toEqual([size, { columns: 100, rows: 29 }, { columns: 100, rows: 30 }, { columns: 100, rows: 30 }]);
});
