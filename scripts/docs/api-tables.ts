import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProblem, routes, scopes, type Route } from "@fairlead/api";
import { errorCodes, FairleadError, type ErrorCode } from "@fairlead/contract";
import { formatError } from "../../packages/cli/src/format-error.ts";
import { root } from "../run.ts";
import { readCommentsOfLiterals } from "./doc-comments.ts";
import { code, renderTable } from "./markdown-table.ts";

/** The tables about the HTTP API, by the name of their markers. */
export const apiTables: Readonly<Record<string, () => string>> = {
  routes: () =>
    renderTable(
      ["route", "scope", "`Idempotency-Key`", "client method", "does"],
      Object.entries<Route>(routes).map(toRouteRow),
    ),
  scopes: () =>
    renderTable(
      ["scope", "permits"],
      Object.entries(scopes).map(([scope, text]) => [code(scope), text]),
    ),
  "error-codes": () => renderTable(["code", "HTTP status", "exit code of the command", "meaning"], listErrorCodes()),
};

function toRouteRow([name, { method, path, scope, command, summary }]: [string, Route]): string[] {
  const clientMethod = interfaceMethods.has(name) ? code(name) : "";
  return [code(`${method} ${path}`), code(scope), command ? "yes" : "", clientMethod, summary];
}

/** The methods of the interface `Fairlead`. A route has the name of its method, and some routes have none. */
const interfaceMethods: ReadonlySet<string> = new Set(
  [...readFileSync(join(root, "packages/api/src/fairlead.ts"), "utf8").matchAll(/^  (\w+)\(/gm)].map(
    ([, name = ""]) => name,
  ),
);

function listErrorCodes(): string[][] {
  const source = readFileSync(join(root, "packages/contract/src/fairlead-error.ts"), "utf8");
  const comments = readCommentsOfLiterals(source);
  return errorCodes.map((errorCode) => {
    const { status, title } = createProblem(errorCode, "");
    return [code(errorCode), String(status), String(exitCodeOf(errorCode)), comments.get(errorCode) ?? `${title}.`];
  });
}

function exitCodeOf(errorCode: ErrorCode): number {
  return formatError(new FairleadError(errorCode, "")).exitCode;
}
