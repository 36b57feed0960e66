import { expect, test } from "vitest";
import { toCodexExecFailure } from "./codex-exec/wire.ts";
import { toCodexFailure } from "./codex/failure.ts";

const message = "thread 01a1e326-8235-7963-a36f-9f0a5f0319ae already has an active writer";

test.each([
  ["the app server", toCodexFailure({ message })],
  ["exec", toCodexExecFailure(message)],
])("a conversation that another process has open is named with what to do: %s", (_, failure) => {
  expect(failure).toEqual({
    category: "conversation-in-use",
    message: `${message}. Close the other Codex that has this conversation open, then try again.`,
  });
});
