import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../openai-agent/src/main.ts", import.meta.url));

interface RpcMessage {
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

export interface AgentProcess extends AsyncDisposable {
  readonly pid: number;
  /** All updates that the agent has sent. */
  readonly updates: Update[];
  /** The ids of the calls that the agent asked permission for. */
  readonly permissionRequests: string[];
  /** Sends a request. Resolves with its result, or rejects with its error. */
  request<Result = unknown>(method: string, params: object): Promise<Result>;
  notify(method: string, params: object): void;
  /** Resolves when the condition is true. Checks it after each message of the agent. */
  waitUntil(condition: () => boolean): Promise<void>;
  exit: Promise<[number | null, string | null]>;
  closeStdin(): void;
}

/** Starts the real program as a client of its protocol. Answers every permission request with `permission`, unless null. */
export function startAgent(
  args: readonly string[],
  environment: Record<string, string>,
  permission: "yes" | "no" | null = "yes",
): AgentProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  const updates: Update[] = [];
  const permissionRequests: string[] = [];
  const pendingRequests = new Map<number, (message: RpcMessage) => void>();
  const waiters = new Set<() => void>();
  const write = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as RpcMessage;
    if (message.params?.update) updates.push(message.params.update);
    if (message.method === "session/request_permission") {
      permissionRequests.push(message.params?.toolCall?.toolCallId ?? "");
      const outcome = { outcome: "selected", optionId: permission };
      if (permission !== null) write({ id: message.id, result: { outcome } });
    } else if (message.id !== undefined) pendingRequests.get(message.id)?.(message);
    for (const check of waiters) check();
  });

  let count = 0;
  return {
    pid: child.pid ?? 0,
    updates,
    permissionRequests,
    exit,
    notify: (method, params) => write({ method, params }),
    closeStdin: () => void child.stdin.end(),
    async request<Result>(method: string, params: object): Promise<Result> {
      const id = (count += 1);
      write({ id, method, params });
      const message = await new Promise<RpcMessage>((resolve) => pendingRequests.set(id, resolve));
      // oxlint-disable-next-line typescript/only-throw-error -- callers check the protocol's error object
      if (message.error) throw message.error;
      return message.result as Result;
    },
    async waitUntil(condition) {
      await new Promise<void>((resolve) => {
        const check = (): void => void (condition() && (waiters.delete(check), resolve()));
        waiters.add(check);
        check();
      });
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exit;
    },
  };
}
