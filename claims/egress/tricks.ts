/** One way to send a text to a server that an agent may not reach. */
export type Trick =
  | { readonly connect: string }
  | { readonly url: string; readonly host?: string }
  | { readonly tcp: string; readonly port?: number }
  | { readonly udp: string }
  | { readonly abstract: string };

/**
 * Lists the tricks. The only allowed target is `allowed.test` at one port. All other names lead to the forbidden server,
 * and so do `inside.test`, `mixed.test` and, the second time, `rebind.test`, which are listed as well.
 */
export function listTricks(port: number, otherPort: number, abstractName: string): Trick[] {
  const targets = [
    ..."evil.test allowed.test.evil.test evilallowed.test evil.allowed.test xn--allowed-.test *.test".split(" "),
    ..."allowed.test. .allowed.test allowed..test allowed.test@evil.test allowed.test:1@evil.test".split(" "),
    ..."evil.test%00.allowed.test evil.test%2eallowed.test evil.test#allowed.test evil.test?allowed.test".split(" "),
    ..."evil.test/allowed.test evil.test\\allowed.test evil.test;allowed.test evil.test,allowed.test".split(" "),
    ..."127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001".split(" "),
    ..."0 0.0.0.0 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:0:0:1]".split(" "),
    ..."localhost LOCALHOST a.localhost inside.test mixed.test rebind.test".split(" "),
  ].map((host) => `${host}:${port}`);
  return [
    ...targets.map((connect) => ({ connect })),
    { connect: `allowed.test:${otherPort}` },
    { connect: `allowed.test:0${otherPort}` },
    ...targets
      .filter((target) => /^(?:evil\.test:|allowed\.test\.?[@:]|2130|\[::1|localhost|inside|127\.0\.0\.1)/.test(target))
      .map((target) => ({ url: `http://${target}/` })),
    { url: `http://evil.test:${port}/`, host: `allowed.test:${port}` },
    { url: `HTTP://EVIL.TEST:${port}/` },
    { url: "/", host: `evil.test:${port}` },
    { tcp: "127.0.0.1" },
    { tcp: "::1" },
    { tcp: "127.0.0.2", port: otherPort },
    { udp: "127.0.0.1" },
    { abstract: abstractName },
  ];
}
