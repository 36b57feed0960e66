import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Addresses of this machine, of its network and of its provider, and those that no host on the internet has. */
const privateV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // behind a carrier's translation; also metadata of a provider
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // metadata of a provider
  ["169.254.0.0", 16], // link-local, metadata of providers
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3], // multicast, reserved, broadcast
];
/** Inside the range of global addresses: those that contain an address of version 4, and those for documentation. */
const privateV6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const privateAddresses = new BlockList();
for (const [net, prefix] of privateV4) privateAddresses.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of privateV6) privateAddresses.addSubnet(net, prefix, "ipv6");

/** All global unicast addresses. Everything else, such as an address of version 4 inside one of version 6, is refused. */
const globalV6 = new BlockList();
globalV6.addSubnet("2000::", 3, "ipv6");

/** Whether an address belongs to a host on the internet that is not this machine. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const isOwn = Object.values(networkInterfaces()).some((list) => list?.some((one) => one.address === address));
  if (isOwn) return false;
  return family === 4
    ? !privateAddresses.check(address, "ipv4")
    : globalV6.check(address, "ipv6") && !privateAddresses.check(address, "ipv6");
}
