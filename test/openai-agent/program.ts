import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../packages/adapters/programs/openai-agent.ts", import.meta.url));

interface Said {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly update?: Update; readonly toolCall?: { readonly toolCallId: string } };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
interface Update {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string };
  readonly status?: string;
  readonly rawOutput?: string;
}

export interface Started extends AsyncDisposable {
  readonly pid: number;
  /** All updates that were heard. */
  readonly updates: Update[];
  /** The calls that it asked about. */
  readonly asked: string[];
  /** Resolves with the result, and rejects with the error, of a request. */
  request<Result = unknown>(method: string, params: object): Promise<Result>;
  notify(method: string, params: object): void;
  /** Resolves once this is so; looked at whenever something is heard. */
  until(fact: () => boolean): Promise<void>;
  exit: Promise<[number | null, string | null]>;
  hangUp(): void;
}

/** Starts the real program and speaks its protocol by hand. Every permission gets this answer; null is none. */
export function start(
  args: readonly string[],
  environment: Record<string, string>,
  permission: "yes" | "no" | null = "yes",
): Started {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  const updates: Update[] = [];
  const asked: string[] = [];
  const open = new Map<number, (said: Said) => void>();
  const facts = new Set<() => void>();
  const write = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = JSON.parse(line) as Said;
    if (said.params?.update) updates.push(said.params.update);
    if (said.method === "session/request_permission") {
      asked.push(said.params?.toolCall?.toolCallId ?? "");
      const outcome = { outcome: "selected", optionId: permission };
      if (permission !== null) write({ id: said.id, result: { outcome } });
    } else if (said.id !== undefined) open.get(said.id)?.(said);
    for (const look of facts) look();
  });

  let count = 0;
  return {
    pid: child.pid ?? 0,
    updates,
    asked,
    exit,
    notify: (method, params) => write({ method, params }),
    hangUp: () => void child.stdin.end(),
    async request<Result>(method: string, params: object): Promise<Result> {
      const id = (count += 1);
      write({ id, method, params });
      const said = await new Promise<Said>((resolve) => open.set(id, resolve));
      // oxlint-disable-next-line typescript/only-throw-error -- the error of the protocol, as it is
      if (said.error) throw said.error;
      return said.result as Result;
    },
    async until(fact) {
      await new Promise<void>((resolve) => {
        const look = (): void => void (fact() && (facts.delete(look), resolve()));
        facts.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exit;
    },
  };
}
