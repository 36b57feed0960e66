import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const budgetBefore = `import { accounts } from "../accounts.ts";
import type { Order } from "./order.ts";

export interface Budget {
  readonly left: number;
}

export function budgetOf(order: Order): Budget {
  const account = accounts.get(order.account);
  let limit = account.retries;
  const used = attempts(order);
  if (used > limit) return { left: 0 };
  return { left: limit - used };
}

function attempts({ payments }: Order): number {
  return payments.filter(({ failed }) => failed).length;
}
`;

export const budgetAfter = `import type { Order } from "./order.ts";

export interface Budget {
  readonly left: number;
}

export function budgetOf(order: Order): Budget {
  const limit = order.retries ?? usual;
  const used = attempts(order);
  if (used >= limit) return { left: 0 };
  return { left: limit - used };
}

function attempts({ payments }: Order): number {
  return payments.filter(({ failed, refunded }) => failed && !refunded).length;
}

/** What an order has when it does not say. */
const usual = 3;
`;

const order = `export interface Payment {
  readonly failed: boolean;
}

export interface Order {
  readonly account: string;
  readonly payments: readonly Payment[];
}
`;

const check = `import { test } from "node:test";
import assert from "node:assert/strict";

test("a refund is no attempt", () => assert.ok(true));
`;

const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shop: {
    "README.md": "# Shop\n",
    "src/retry/budget.ts": budgetBefore,
    "src/retry/order.ts": order,
    "test/budget.test.ts": check,
    "package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  },
  site: { "README.md": "# Site\n", "docs/start.md": "# Start\n\nRun `npm start`.\n" },
  lang: {
    "README.md": "# Lang\n",
    "parser.ts": "export const parse = (text: string): string[] => text.split(/\\s+/);\n",
  },
};

/** Creates the git repositories of the stories in a folder. */
export function createRepositories(folder: string): void {
  for (const [name, contents] of Object.entries(files)) {
    const repository = join(folder, name);
    for (const [path, text] of Object.entries(contents)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    const identity = ["-c", "user.name=Dana", "-c", "user.email=dana@example.org"];
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: repository });
    execFileSync("git", ["add", "."], { cwd: repository });
    execFileSync("git", [...identity, "commit", "-q", "-m", "Begin"], { cwd: repository });
  }
}
