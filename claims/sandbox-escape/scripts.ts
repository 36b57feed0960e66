/** Quotes a text as one word of a shell script. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A shell command that runs a Node program. */
export const node = (code: string): string => `node -e ${quote(code)}`;

/** A shell command that runs a Perl program. Perl makes system calls that no other common program makes. */
export const perl = (code: string): string => `perl -e ${quote(code)}`;

/** The numbers of the system calls for keys, of which `join` also reads and searches keyrings. */
export const keyCalls = process.arch === "arm64" ? { join: 219, add: 217 } : { join: 250, add: 248 };

/** How long a script waits for an answer. */
const timeoutMs = 3000;

export type Address = { readonly socketPath: string } | { readonly host: string; readonly port: number };

export interface HttpScript {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
}

/** A shell command that sends an HTTP request, and prints the status and the body of the answer. */
export function httpScript(address: Address, { method, path, body }: HttpScript): string {
  const options = { ...address, method, path, headers: { "content-type": "application/json" } };
  return node(`
    const call = require("node:http").request(${JSON.stringify(options)}, (response) => {
      let text = "";
      response.on("data", (data) => (text += data)).on("end", () => console.log(response.statusCode, text));
    });
    call.on("error", (error) => console.log(error.code)).setTimeout(${timeoutMs}, () => call.destroy());
    call.end(${JSON.stringify(body === undefined ? "" : JSON.stringify(body))});`);
}

/** A shell command that connects to a socket or port, sends lines, and prints what it receives within half a second. */
export function connectScript(address: string | number, lines: readonly string[] = [], host = "127.0.0.1"): string {
  const options = typeof address === "string" ? { path: address } : { port: address, host };
  return node(`
    const socket = require("node:net").connect(${JSON.stringify(options)}, () => setTimeout(() => process.exit(), 500));
    socket.on("data", (data) => process.stdout.write(data)).on("error", (error) => console.log(error.code));
    socket.setTimeout(${timeoutMs}, () => socket.destroy());
    socket.write(${JSON.stringify(lines.map((line) => `${line}\n`).join(""))});`);
}
