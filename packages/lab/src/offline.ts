import { networkInterfaces } from "node:os";

/** Throws if there is a network interface other than loopback. */
export function assertOffline(): void {
  const externalInterfaces = Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some((address) => !address.internal))
    .map(([name]) => name);
  if (externalInterfaces.length === 0) return;
  const [program, args] = offlineCommand("COMMAND", []);
  // The only argument with blanks is the shell script, which has no single quotes.
  const commandLine = [program, ...args.map((arg) => (arg.includes(" ") ? `'${arg}'` : arg))].join(" ");
  throw new Error(
    `The lab runs only without a network, but found ${externalInterfaces.join(", ")}. Run your command in a network namespace that has only loopback: ${commandLine} (in a checkout of Fairlead: scripts/offline COMMAND)`,
  );
}

/** Builds the command that runs a program in a new network namespace, which has only loopback. */
export function offlineCommand(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  const unshareOptions = process.getuid?.() === 0 ? ["--net"] : ["--map-root-user", "--net"];
  // Loopback is down in a new namespace.
  const shellScript = '{ ip link set lo up || ifconfig lo up; } 2>/dev/null || exit 69; exec "$@"';
  return ["unshare", [...unshareOptions, "sh", "-c", shellScript, "offline", program, ...args]];
}
