import type { LookupAddress } from "node:dns";
import { connect, type LookupFunction, type Socket } from "node:net";
import type { Target } from "./judge-host.ts";

/**
 * Returns a `lookup` function that knows only the addresses that were judged: a name that is resolved a second time can
 * have another address.
 */
export function pinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

/** Connects to a target at one of its judged addresses. */
export function connectTarget({ host, port }: Target, addresses: readonly LookupAddress[]): Promise<Socket> {
  const lookup = pinnedLookup(addresses);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup, allowHalfOpen: true, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => resolve(socket));
  });
}
