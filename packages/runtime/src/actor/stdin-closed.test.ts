import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import {
  initialConversation,
  submit,
  finishTurn,
  defineDialect,
  type UserMessage,
  type ConversationState,
} from "@fairlead/kit";
import { afterEach, expect, test, vi } from "vitest";
import { Home } from "../home.ts";
import { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";

const shell = adapters.find(({ manifest }) => manifest.id === "shell") as Adapter;
const writeMessage = ({ text }: UserMessage) => ({ type: "write", text: `${text}\n` }) as const;

/** An agent that reads one message, closes its standard input, writes `done`, and runs until a file exists. */
const stdinClosingAdapter: Adapter = {
  ...shell,
  open: (opening) => ({
    ...shell.open(opening),
    processLifetime: "session",
    dialect: defineDialect<ConversationState>({
      initialState: initialConversation,
      observe: (writer, observation) =>
        void (observation.kind === "line" && finishTurn(writer, "completed", writeMessage)),
      handle(writer, command) {
        const args = ["-c", "read line; exec <&-; echo done; until [ -e stop ]; do sleep 0.05; done"];
        const launchCommand = { program: "sh", args, env: {}, cwd: opening.workspace, stdin: "pipe" } as const;
        if (command.type === "open") writer.effect({ type: "launch", command: launchCommand });
        if (command.type === "send") submit(writer, command, writeMessage);
      },
    }),
  }),
};

async function waitForText(session: Session, word: string): Promise<void> {
  for await (const item of session.stream()) if ("body" in item && JSON.stringify(item.body).includes(word)) return;
  throw new Error(`No event contains "${word}".`);
}

afterEach(() => vi.unstubAllEnvs());

test.each(["namespace", "descendants"])(
  "a session whose agent closed its standard input is shown as input-closed (%s)",
  async (kind) => {
    vi.stubEnv("FAIRLEAD_CONTAINMENT", kind);
    const folder = mkdtempSync(join(tmpdir(), "df-"));
    using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
    await using runtime = await Runtime.open({ home: new Home(join(folder, "h")), adapters: [stdinClosingAdapter] });
    const session = await runtime.start({ agent: "shell", workspace: folder });
    const state = async () => (await runtime.summary(session.id)).state;
    expect(await state()).toBe("idle");
    await session.send("one");
    await waitForText(session, "turn.ended");
    await session.send("two");
    await waitForText(session, "closed its standard input");
    expect(await state()).toBe("input-closed");
    // Nothing that is written would reach the agent, so nothing is accepted.
    await expect(session.send("three")).rejects.toMatchObject({ code: "input-closed" });
    expect((await runtime.summary(session.id)).containment).toBe(kind);
    await session.end();
    writeFileSync(join(folder, "stop"), "");
    await waitForText(session, "session.ended");
  },
);
