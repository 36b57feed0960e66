import { describe, expect, test } from "vitest";
import { buildSeccompFilter } from "./seccomp-filter.ts";

interface Call {
  readonly architecture?: number;
  readonly number: number;
  readonly args?: readonly number[];
}

const [allow, notPermitted, notImplemented] = ["allow", "EPERM", "ENOSYS"];
const verdicts = new Map([
  [0x7f_ff_00_00, allow],
  [0x00_05_00_01, notPermitted],
  [0x00_05_00_26, notImplemented],
]);
const architectures: Readonly<Record<string, number>> = { x64: 0xc0_00_00_3e, arm64: 0xc0_00_00_b7 };

/** Runs the program as the kernel does. */
function decide(
  name: string,
  { architecture = architectures[name] ?? 0, number, args = [] }: Call,
  nests = false,
): string | undefined {
  const program = buildSeccompFilter(name, { nests })!;
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; ; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    if (code === 0x06) return verdicts.get(value);
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else {
      const holds =
        code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0 && code === 0x45;
      at += 8 * program.readUInt8(at + (holds ? 2 : 3));
    }
  }
}

describe.each([
  ["x64", { read: 0, clone: 56, unshare: 272, setns: 308, socket: 41, ioctl: 16, keys: [248, 249, 250], bpf: 321 }],
  ["arm64", { read: 63, clone: 220, unshare: 97, setns: 268, socket: 198, ioctl: 29, keys: [217, 218, 219], bpf: 280 }],
])("on %s", (name, { read, clone, unshare, setns, socket, ioctl, keys, bpf }) => {
  const control = 0x02_00_00_00;
  const user = 0x10_00_00_00;

  test.each([...keys, bpf, 425, 426, 427])("refuses the call %d", (number) => {
    expect(decide(name, { number })).toBe(notPermitted);
  });

  test("allows other calls", () => {
    expect(decide(name, { number: read, args: [control, 0x54_12] })).toBe(allow);
    expect(decide(name, { number: 439 })).toBe(allow);
  });

  test("refuses a namespace of control groups, and of users unless the agent nests", () => {
    for (const number of [clone, unshare]) {
      expect(decide(name, { number, args: [control] })).toBe(notPermitted);
      expect(decide(name, { number, args: [control + user + 17] })).toBe(notPermitted);
      expect(decide(name, { number, args: [user + 17, control] })).toBe(notPermitted);
      expect(decide(name, { number, args: [user + 17, control] }, true)).toBe(allow);
      expect(decide(name, { number, args: [control + user] }, true)).toBe(notPermitted);
      expect(decide(name, { number, args: [17, control + user] })).toBe(allow);
    }
    expect(decide(name, { number: setns, args: [3, 0] })).toBe(notPermitted);
    expect(decide(name, { number: setns, args: [3, control] }, true)).toBe(notPermitted);
    expect(decide(name, { number: 435 })).toBe(notImplemented);
  });

  test("refuses sockets of virtual machines, and no other", () => {
    expect([1, 2, 10, 16, 40].map((family) => decide(name, { number: socket, args: [family] }))).toEqual([
      ...Array.from({ length: 4 }, () => allow),
      notPermitted,
    ]);
  });

  test("refuses requests that type into a terminal, also with other bits that the kernel ignores", () => {
    expect([0x54_12, 0x54_1c, 0x54_13].map((request) => decide(name, { number: ioctl, args: [0, request] }))).toEqual([
      notPermitted,
      notPermitted,
      allow,
    ]);
    expect(decide(name, { number: ioctl, args: [0, 2 ** 32 + 0x54_12] })).toBe(notPermitted);
  });

  test("refuses every call of another architecture or interface", () => {
    expect(decide(name, { number: read, architecture: 0x40_00_00_03 })).toBe(notImplemented);
    expect(decide(name, { number: 0x40_00_00_00 + read })).toBe(notImplemented);
  });
});

test("there is no filter for an architecture whose calls are not known", () => {
  expect([
    buildSeccompFilter("riscv64", { nests: false }),
    buildSeccompFilter("constructor", { nests: false }),
  ]).toEqual([null, null]);
});
