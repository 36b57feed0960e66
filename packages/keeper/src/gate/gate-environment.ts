/** Names of both spellings: programs differ in which they read. */
const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** The sandbox has a loopback of its own, where servers that the agent starts and forwarded ports are. */
const directHosts = "localhost,127.0.0.1,::1";

/** Returns the variables that lead an agent's programs to the gate. Without it they reach nothing. */
export function gateEnvironment(port: number): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  return Object.fromEntries([
    ...[...proxyNames, ...proxyNames.map((name) => name.toLowerCase())].map((name) => [name, proxy]),
    ["NO_PROXY", directHosts],
    ["no_proxy", directHosts],
    ["NODE_USE_ENV_PROXY", "1"],
  ]);
}
