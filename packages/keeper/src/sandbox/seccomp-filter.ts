/** The system calls that the filter looks at, by their numbers on one architecture. */
interface SystemCalls {
  /** The kernel's name for the architecture (AUDIT_ARCH_*). */
  readonly architecture: number;
  /**
   * Refused: keyrings, which namespaces do not separate, interfaces that have had many holes in the kernel, and `setns`, which
   * enters a namespace of any kind if its second argument is 0.
   */
  readonly refused: readonly number[];
  readonly clone: number;
  readonly clone3: number;
  readonly unshare: number;
  readonly socket: number;
  readonly ioctl: number;
}

/** Since 2019 all architectures have the same numbers: io_uring_setup, io_uring_enter, io_uring_register, and clone3. */
const [ioUring, clone3] = [[425, 426, 427], 435];

const systemCalls: Readonly<Record<string, SystemCalls>> = {
  x64: {
    architecture: 0xc0_00_00_3e,
    // add_key, request_key, keyctl, perf_event_open, open_by_handle_at, setns, bpf, userfaultfd
    refused: [248, 249, 250, 298, 304, 308, 321, 323, ...ioUring],
    clone: 56,
    clone3,
    unshare: 272,
    socket: 41,
    ioctl: 16,
  },
  arm64: {
    architecture: 0xc0_00_00_b7,
    refused: [217, 218, 219, 241, 265, 268, 280, 282, ...ioUring],
    clone: 220,
    clone3,
    unshare: 97,
    socket: 198,
    ioctl: 29,
  },
};

/** With a namespace of control groups, an agent of root's could mount those of the machine, and write them. */
const newControlGroups = 0x02_00_00_00;
/**
 * In a user namespace an agent can leave the mounts that pin protected files, and then move those files: the kernel keeps a
 * mount point from being moved only in the mount namespace that it is in.
 */
const newUsers = 0x10_00_00_00;
/** Sockets between a virtual machine and its host (AF_VSOCK). No network namespace separates them. */
const machineSockets = 40;
/** Requests that type into a terminal: TIOCSTI and TIOCLINUX. */
const typingRequests = [0x54_12, 0x54_1c];
/** Numbers from here on are of another interface (x32), in which the calls have other numbers. */
const firstOfOtherInterface = 0x40_00_00_00;

/** Offsets in the kernel's `seccomp_data`. Only the lower half of an argument counts for the calls here. */
const offsets = { number: 0, architecture: 4, firstArgument: 16, secondArgument: 24 };

/** Instructions: load a word, jump if it is equal, greater or equal, or has a bit, and return. */
const codes = { load: 0x20, equal: 0x15, atLeast: 0x35, hasBit: 0x45, return: 0x06 };

/** The size of an instruction. A distance has one byte, so a program has at most 256 of them. */
const instructionBytes = 8;

type Verdict = "allow" | "notPermitted" | "notImplemented";

/** What the filter returns: SECCOMP_RET_ALLOW, or SECCOMP_RET_ERRNO with EPERM or ENOSYS. */
const verdicts: Readonly<Record<Verdict, number>> = {
  allow: 0x7f_ff_00_00,
  notPermitted: 0x00_05_00_01,
  notImplemented: 0x00_05_00_26,
};

/** An instruction. A jump leads to a verdict, or passes over as many instructions. */
interface Instruction {
  readonly code: number;
  readonly value: number;
  readonly ifTrue?: Verdict | number;
  readonly ifFalse?: Verdict | number;
}

/**
 * Builds the program that decides about the system calls of a process in a sandbox, as the kernel reads it (seccomp, in
 * little-endian byte order). `nests` allows user namespaces. Returns null for an architecture whose numbers are not known: there is no filter for it.
 */
export function buildSeccompFilter(architecture: string, { nests }: { readonly nests: boolean }): Buffer | null {
  const calls = Object.hasOwn(systemCalls, architecture) ? systemCalls[architecture] : undefined;
  if (calls === undefined) return null;
  const { firstArgument, secondArgument } = offsets;
  const namespaces = nests ? [newControlGroups] : [newControlGroups | newUsers];
  return encode([
    { code: codes.load, value: offsets.architecture },
    // A program of another architecture, such as a 32-bit one, has other numbers. It would evade the filter.
    { code: codes.equal, value: calls.architecture, ifFalse: "notImplemented" },
    { code: codes.load, value: offsets.number },
    { code: codes.atLeast, value: firstOfOtherInterface, ifTrue: "notImplemented" },
    ...calls.refused.map((number): Instruction => ({ code: codes.equal, value: number, ifTrue: "notPermitted" })),
    // Its flags are in memory, which a filter cannot read. The C library then calls `clone`.
    { code: codes.equal, value: calls.clone3, ifTrue: "notImplemented" },
    ...refuseArgument(calls.clone, firstArgument, codes.hasBit, namespaces),
    ...refuseArgument(calls.unshare, firstArgument, codes.hasBit, namespaces),
    ...refuseArgument(calls.socket, firstArgument, codes.equal, [machineSockets]),
    ...refuseArgument(calls.ioctl, secondArgument, codes.equal, typingRequests),
  ]);
}

/** Refuses a call if a comparison of its argument with one of the values holds, and allows it otherwise. */
function refuseArgument(call: number, offset: number, code: number, values: readonly number[]): Instruction[] {
  const checks: Instruction[] = [
    { code: codes.load, value: offset },
    ...values.map((value): Instruction => ({ code, value, ifTrue: "notPermitted" })),
    { code: codes.return, value: verdicts.allow },
  ];
  return [{ code: codes.equal, value: call, ifFalse: checks.length }, ...checks];
}

/** Encodes the instructions, followed by one for each verdict. What none of them decides is allowed. */
function encode(instructions: readonly Instruction[]): Buffer {
  const names: readonly Verdict[] = ["allow", "notPermitted", "notImplemented"];
  const all = [...instructions, ...names.map((name): Instruction => ({ code: codes.return, value: verdicts[name] }))];
  const bytes = Buffer.alloc(all.length * instructionBytes);
  for (const [index, { code, value, ifTrue = 0, ifFalse = 0 }] of all.entries()) {
    const distance = (target: Verdict | number): number =>
      typeof target === "number" ? target : instructions.length + names.indexOf(target) - index - 1;
    const at = index * instructionBytes;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(distance(ifTrue), at + 2);
    bytes.writeUInt8(distance(ifFalse), at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
}
