import { networkInterfaces } from "node:os";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { connectScript, httpScript, node, perl } from "../scripts.ts";
import { receiveDatagrams, serveSecret } from "../servers.ts";

/** An address of this machine that is not loopback. Null if there is none. */
const ownAddress =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address ?? null;

/** Attempts to reach servers of this machine. The hostile session has the network `none`. */
export const networkAttempts: readonly Attempt[] = [
  serverAttempt("loopback-ipv4", "127.0.0.1"),
  serverAttempt("loopback-ipv6", "::1"),
  serverAttempt("loopback-other-address", "127.0.0.53"),
  ...(ownAddress === null ? [] : [serverAttempt("address-of-machine", ownAddress)]),
  {
    name: "daemon-port",
    script: (target) =>
      httpScript({ host: "127.0.0.1", port: target.listenPort }, { method: "GET", path: "/v1/sessions" }),
    succeeded: (_, output) => /^[1-5]\d\d /mu.test(output),
  },
  {
    name: "loopback-datagram",
    async prepare(target) {
      const server = await receiveDatagrams(() => target.observe("loopback-datagram"));
      target.hold(server);
      target.note("datagram-port", server.port);
    },
    script: (target) =>
      node(`const socket = require("node:dgram").createSocket("udp4");
        socket.on("error", () => {}).send("x", ${target.noted("datagram-port")}, "127.0.0.1", () => socket.close());`),
    succeeded: (target) => target.until(() => target.hasObserved("loopback-datagram"), 1000),
  },
  {
    name: "raw-socket",
    noControl: "only an administrator may open one",
    script: () => perl(`use Socket; print socket(my $s, AF_INET, SOCK_RAW, 1) ? "opened" : "refused: $!";`),
    succeeded: (_, output) => output.includes("opened"),
  },
  {
    name: "packet-socket",
    noControl: "only an administrator may open one",
    script: () => perl(`print socket(my $s, 17, 3, 768) ? "opened" : "refused: $!";`),
    succeeded: (_, output) => output.includes("opened"),
  },
];

function serverAttempt(name: string, host: string): Attempt {
  return {
    name,
    async prepare(target: EscapeTarget) {
      const server = await serveSecret(target.secret, { host, port: 0 });
      target.hold(server);
      target.note(`${name}-port`, server.port);
    },
    script: (target) => connectScript(target.noted(`${name}-port`), [], host),
    succeeded: (target, output) => output.includes(target.secret),
  };
}
