import { once } from "node:events";
import { createConnection } from "node:net";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";

/** What a server says of itself before the client logs in. */
const Greeting = z.object({
  server_id: z.string(),
  server_name: z.string().optional(),
  tls_required: z.boolean().optional(),
  tls_available: z.boolean().optional(),
  tls_verify: z.boolean().optional(),
});
export type Greeting = z.infer<typeof Greeting> & { readonly address: string };

/** The longest greeting that is read. Real ones have less than 4 KiB. */
const maxLength = 64 * 1024;

/**
 * Connects to an address as `host:port`, and returns the greeting of its server. It sends nothing, so no secret reaches a
 * server that is not the right one. Always closes the connection, within `milliseconds`: the NATS client leaves a connection
 * open that fails before the greeting, which would keep the process alive.
 */
export async function probeServer(address: string, milliseconds = 4000): Promise<Greeting> {
  const line = await readGreetingLine(address, milliseconds);
  const answer = line.startsWith("INFO ") ? Greeting.safeParse(parseJson(line.slice(5))).data : undefined;
  if (answer !== undefined) return { ...answer, address };
  throw unavailable(
    `The server at ${address} does not speak the protocol of NATS: give the port for clients of a NATS server.`,
  );
}

/** Explains why a server cannot be used with the file's `tls`, or returns undefined. */
export function findTlsProblem(greeting: Greeting, hasTls: boolean): string | undefined {
  const { address } = greeting;
  const offersTls = greeting.tls_required === true || greeting.tls_available === true;
  if (offersTls && greeting.tls_verify === true) {
    return `The server at ${address} demands a certificate from each client, which a fleet's file cannot name: remove \`verify\` and \`verify_and_map\` from its \`tls\` block.`;
  }
  if (hasTls && !offersTls) {
    return `The server at ${address} does not offer TLS: add a \`tls\` block to its configuration, or remove \`tls\` from the fleet's file.`;
  }
  return undefined;
}

async function readGreetingLine(address: string, milliseconds: number): Promise<string> {
  const separator = address.lastIndexOf(":");
  const host = address.slice(0, separator).replace(/^\[|\]$/g, "");
  const signal = AbortSignal.timeout(milliseconds);
  const socket = createConnection({ host, port: Number(address.slice(separator + 1)) });
  let isConnected = false;
  try {
    await once(socket, "connect", { signal });
    isConnected = true;
    const abort = (): void => void socket.destroy(new Error("timeout"));
    signal.addEventListener("abort", abort);
    let line = "";
    for await (const chunk of socket) {
      line += (chunk as Buffer).toString("utf8");
      if (line.includes("\n") || line.length > maxLength) break;
    }
    signal.removeEventListener("abort", abort);
    return line.slice(0, line.indexOf("\n") + 1);
  } catch (error) {
    throw describeSilence(address, error as NodeJS.ErrnoException, { isLate: signal.aborted, isConnected });
  } finally {
    socket.destroy();
  }
}

function describeSilence(
  address: string,
  { code, cause }: NodeJS.ErrnoException,
  { isLate, isConnected }: { readonly isLate: boolean; readonly isConnected: boolean },
): FairleadError {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "refuses connections: start it, or correct the address",
    ECONNRESET: "closes connections at once: look into its log",
    ENOTFOUND: "has a name that does not resolve to an address: correct it",
    EAI_AGAIN: "has a name that does not resolve to an address now: check the network",
  };
  const late = isConnected
    ? "accepts connections, but sends nothing: check that this is the port for clients of a NATS server without " +
      "`handshake_first`, and restart it if it is"
    : "does not answer: check the address and the firewall";
  const reason = isLate
    ? late
    : (reasons[code ?? ""] ?? `cannot be reached (${code ?? "unknown error"}): check the network`);
  return unavailable(`The server at ${address} ${reason}.`, cause);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unavailable(message: string, cause?: unknown): FairleadError {
  return new FairleadError("unavailable", message, { cause });
}
