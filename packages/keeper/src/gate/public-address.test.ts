import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { isPublicAddress } from "./public-address.ts";

test.each(["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "100.63.255.255", "172.32.0.1", "192.169.0.1"])(
  "%s is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ..."0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.9.9.9 168.63.129.16 169.254.169.254".split(" "),
  ..."172.16.0.1 172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255".split(" "),
  ...":: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 fe80::1 fc00::1 fd00:ec2::254 ff02::1 64:ff9b::7f00:1".split(" "),
  ..."2001:db8::1 2001::1 2002:7f00:1:: 100::1 ::127.0.0.1".split(" "),
  "",
  "localhost",
  "1.1.1",
])("%s is not", (address) => expect(isPublicAddress(address)).toBe(false));

test("an address of this machine is not, whatever its range", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  expect(own.length).toBeGreaterThan(0);
  for (const { address } of own) expect(isPublicAddress(address)).toBe(false);
});
