import { UsageError } from "../../usage-error.ts";

export const metricsExample = "--metrics 127.0.0.1:9464";

/** Returns the host and port of an option, or throws a `UsageError` that shows an example. */
export function parseAddress(
  option: string,
  address: string,
  example: string,
): { readonly host: string; readonly port: number } {
  const separator = address.lastIndexOf(":");
  const port = Number(address.slice(separator + 1));
  const host = address.slice(0, Math.max(0, separator)).replace(/^\[(.*)\]$/, "$1");
  if (host === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`${option} is not an address and a port: ${address}`, example);
  return { host, port };
}
